package formulary

import (
	"fmt"
	"math"
	"strings"
)

// AlfvenOptions chooses what counts towards the mass density in
// [AlfvenSpeed]. The zero value, like nil, is protons alone.
type AlfvenOptions struct {
	// IonMassAMU is the mass of the ions in unified atomic mass units; 0 means
	// the proton's own mass (1.00728 of them).
	IonMassAMU float64
	// Electrons adds the electrons: one an ion, two an alpha particle.
	Electrons bool
	// AlphaRatio is n_alpha/n; 0.04 is usual in the solar wind, 0 is none.
	AlphaRatio float64
}

// AlfvenSpeed is the speed of magnetic tension waves, for a field magnitude in
// nT and an ion number density in cm^-3: in km/s and in m/s. The choice of the
// mass density moves it by up to 8 % and is named in the result.
func AlfvenSpeed(bNT, nCM3 float64, opts *AlfvenOptions) (*Result, error) {
	if opts == nil {
		opts = &AlfvenOptions{}
	}
	inputs := []Value{field(bNT), density(nCM3)}
	// A zero option means that the default holds, which is no input.
	if opts.IonMassAMU != 0 {
		inputs = append(inputs, Value{"mass_amu", opts.IonMassAMU, "u"})
	}
	if opts.AlphaRatio != 0 {
		inputs = append(inputs, Value{"alpha_ratio", opts.AlphaRatio, "1"})
	}
	r, err := begin("alfven_speed", inputs...)
	if err != nil {
		return nil, err
	}
	mass, convention := opts.mass()
	rho := nCM3 * m3PerCM3 * mass
	speed := bNT * teslaPerNT / math.Sqrt(Mu0*rho)
	r.Values = []Value{
		{"alfven_speed_km_s", speed / 1000, "km/s"},
		{"alfven_speed_m_s", speed, "m/s"},
	}
	r.Expression = "v_A = B / sqrt(mu0 rho)"
	r.Convention = convention
	r.Source = "NRL Plasma Formulary, fundamental plasma parameters"
	return r, nil
}

// mass returns the mass that goes with one ion, in kg, and says what is in it.
func (o *AlfvenOptions) mass() (kg float64, convention string) {
	kg = ProtonMass
	terms, words := []string{"m_p"}, []string{"protons"}
	if o.IonMassAMU != 0 {
		kg = o.IonMassAMU * AtomicMass
		terms, words = []string{fmt.Sprintf("%g u", o.IonMassAMU)}, []string{fmt.Sprintf("ions of %g u", o.IonMassAMU)}
	}
	if o.AlphaRatio != 0 {
		kg += o.AlphaRatio * AlphaMass
		terms = append(terms, fmt.Sprintf("%g m_alpha", o.AlphaRatio))
		words = append(words, fmt.Sprintf("%g %% alpha particles by number", 100*o.AlphaRatio))
	}
	if o.Electrons {
		perIon := 1 + 2*o.AlphaRatio
		kg += perIon * ElectronMass
		terms = append(terms, strings.TrimPrefix(fmt.Sprintf("%g m_e", perIon), "1 "))
		words = append(words, "electrons")
	}
	if len(terms) == 1 {
		return kg, fmt.Sprintf("mass density n %s: %s only", terms[0], words[0])
	}
	return kg, fmt.Sprintf("mass density n (%s): %s", strings.Join(terms, " + "), strings.Join(words, " and "))
}
