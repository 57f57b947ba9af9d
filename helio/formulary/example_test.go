package formulary_test

import (
	"fmt"

	"github.com/helios-go/helios/helio/formulary"
)

func ExampleAlfvenSpeed() {
	r, err := formulary.AlfvenSpeed(5, 5, nil) // nT, cm^-3
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f km/s (%s)\n", r.Main(), r.Convention)

	r, _ = formulary.AlfvenSpeed(5, 5, &formulary.AlfvenOptions{AlphaRatio: 0.04})
	fmt.Printf("%.3f km/s (%s)\n", r.Main(), r.Convention)
	// Output:
	// 48.773 km/s (mass density n m_p: protons only)
	// 45.306 km/s (mass density n (m_p + 0.04 m_alpha): protons and 4 % alpha particles by number)
}

func ExamplePlasmaBeta() {
	r, _ := formulary.PlasmaBeta(5, 10, 20) // nT, cm^-3, eV
	fmt.Printf("%.3f: %s\n", r.Main(), r.Regime)

	_, err := formulary.PlasmaBeta(5, -10, 20)
	fmt.Println(err)
	// Output:
	// 3.221: the thermal pressure dominates (beta from 1 to 10)
	// plasma_beta: n_cm3 = -10 cm^-3 must be above 0
}

func ExampleGyrofrequency() {
	p, _ := formulary.ParseParticle("e-")
	r, _ := formulary.Gyrofrequency(5, p)
	for _, v := range r.Values {
		fmt.Printf("%s = %.6g\n", v.Name, v.Value)
	}
	// Output:
	// frequency_Hz = 139.962
	// angular_frequency_rad_s = 879.41
	// period_s = 0.00714477
}

func ExampleDebyeLength() {
	r, _ := formulary.DebyeLength(10, formulary.KelvinToEV(1.5e5))
	fmt.Printf("%.2f m\n", r.Main())
	// Output: 8.45 m
}

func ExampleInertialLength() {
	r, _ := formulary.InertialLength(5, formulary.Proton)
	fmt.Printf("%.4f km\n", r.Main())
	// Output: 101.8354 km
}
