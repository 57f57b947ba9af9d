package units_test

import (
	"errors"
	"fmt"

	"github.com/helios-go/helios/helio/units"
)

func ExampleParse() {
	for _, text := range []string{"1/(cm² s sr MeV/nuc)", "counts s!E-1!N", "n/cc", "(Percent)", "None", "0 means no issues"} {
		u := units.Parse(text)
		fmt.Printf("%q is %s %q\n", text, u.Class(), u)
	}
	fmt.Println(units.Parse("C").Reason())
	// Output:
	// "1/(cm² s sr MeV/nuc)" is unit "nuc cm^-2 s^-1 sr^-1 MeV^-1"
	// "counts s!E-1!N" is unit "count/s"
	// "n/cc" is unit "cm^-3"
	// "(Percent)" is dimensionless "%"
	// "None" is unspecified ""
	// "0 means no issues" is legend "0 means no issues"
	// "C" may be coulomb or Celsius
}

func ExampleConvert() {
	v, err := units.Convert(5, "nPa", "dyn/cm^2")
	fmt.Println(v, err)
	_, err = units.Convert(5, "nT", "km/s")
	fmt.Println(errors.Is(err, units.ErrIncompatible))
	// Output:
	// 5e-08 <nil>
	// true
}

func ExampleConvertThermal() {
	kelvin, _ := units.ConvertThermal(10, "eV", "K")
	fmt.Printf("%.0f K\n", kelvin)
	// Output: 116045 K
}

func ExampleSame() {
	fmt.Println(units.Same("#/cc", "1/cm^-3"), units.Same("nT", "uT"))
	// Output: true false
}
