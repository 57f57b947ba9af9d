package units_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/helio/units"
)

func TestTextsThatLookAlikeAreToldApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		class units.Class
		canon string
	}{
		// What looks odd but is meant one way only.
		{"1/cm^-3", units.Measured, "cm^-3"},
		{"/cm^(-3)", units.Measured, "cm^-3"},
		{"c/s", units.Measured, "count/s"},
		{"nT GSM", units.Measured, "nT"},
		{"nT GSM (All Qs)", units.Measured, "nT"},
		{"#/cm2-ster-eV-sec", units.Measured, "cm^-2 sr^-1 eV^-1 s^-1"},
		{"1/(cm2 s sr MeV/nuc)", units.Measured, "nuc cm^-2 s^-1 sr^-1 MeV^-1"},
		{"cm!E-2!Nsr!E-1!Nsec!E-1!N", units.Measured, "cm^-2 sr^-1 s^-1"},
		{"1/(cm² s sr MeV)", units.Measured, "cm^-2 s^-1 sr^-1 MeV^-1"},
		{"cm⁻³", units.Measured, "cm^-3"},
		{"µT", units.Measured, "uT"},
		{"μA/m²", units.Measured, "uA/m^2"},
		{"particles per cubic centimetre", units.Measured, "cm^-3"},
		{"kilometers per second", units.Measured, "km/s"},
		{"nanotesla", units.Measured, "nT"},
		{"°", units.Measured, "deg"},
		{"°C", units.Measured, "degC"},
		{"R_⊕", units.Unknown, ""},
		{"R⊙", units.Measured, "R_sun"},
		{"V/m/Hz^0.5", units.Measured, "V m^-1 Hz^-0.5"},
		{"V/m/sqrt(Hz)", units.Measured, "V m^-1 Hz^-0.5"},
		{"N/m^2", units.Measured, "newton/m^2"},
		{"N/cm3", units.Measured, "cm^-3"},

		// One letter's case decides.
		{"uT", units.Measured, "uT"},
		{"UT", units.Legend, ""},
		{"nA", units.Measured, "nA"},
		{"N/A", units.Unspecified, ""},
		{"mHz", units.Measured, "mHz"},
		{"MHz", units.Measured, "MHz"},
		{"mhz", units.Unknown, ""},

		// What could be meant in two ways.
		{"C", units.Unknown, ""},
		{"c", units.Unknown, ""},
		{"R", units.Unknown, ""},
		{"N", units.Unknown, ""},
		{"Rs", units.Unknown, ""},
		{"N/m^3", units.Unknown, ""},
		{"J/kg K", units.Unknown, ""},
		{"mV/m pT/Hz", units.Unknown, ""},
		{"1/s^-1", units.Unknown, ""},
		{"Degrees*10", units.Unknown, ""},
		{"Re*(10**6)", units.Unknown, ""},
		{"10e-22 W/m^2/Hz", units.Unknown, ""},

		// What is no unit.
		{"log10(nT**2/Hz)", units.Unknown, ""},
		{"nT (log)", units.Unknown, ""},
		{"cm^-3 (thousands)", units.Unknown, ""},
		{"V(12)", units.Unknown, ""},
		{"-Volts", units.Unknown, ""},
		{"pseudo-nT", units.Unknown, ""},
		{"dBm", units.Unknown, ""},
		{"3-hour", units.Unknown, ""},
		{"Ion1", units.Unknown, ""},
		{"H2O", units.Unknown, ""},
		{"100", units.Unknown, ""},
		{"channel-10ms", units.Unknown, ""},
		{"cm^-3^2", units.Unknown, ""},
		{"nT)", units.Unknown, ""},
		{"(nT", units.Unknown, ""},
		{"m^99", units.Unknown, ""},
		{"0 means no issues", units.Legend, ""},
		{"(10=OK)", units.Legend, ""},
		{"0-31", units.Legend, ""},
		{"UTC", units.Legend, ""},

		// Nothing said is not "a pure number".
		{"", units.Unspecified, ""},
		{"  ", units.Unspecified, ""},
		{"None", units.Unspecified, ""},
		{"unitless", units.Dimensionless, "1"},
		{"#", units.Dimensionless, "1"},
		{"%", units.Dimensionless, "%"},
		{"(Percent)", units.Dimensionless, "%"},
		{"eV/eV", units.Dimensionless, "1"},
	} {
		u := units.Parse(c.text)
		if u.Class() != c.class || (u.Convertible() && u.String() != c.canon) {
			t.Errorf("Parse(%q) = %s %q, want %s %q (%s)", c.text, u.Class(), u, c.class, c.canon, u.Reason())
		}
		if (u.Class() == units.Unknown) != (u.Reason() != "") {
			t.Errorf("Parse(%q) is %s with reason %q", c.text, u.Class(), u.Reason())
		}
	}
}

func TestConversionsRefuseWhatIsNotTheSame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		want     error
	}{
		{"nT", "km/s", units.ErrIncompatible},
		{"deg", "%", units.ErrIncompatible},
		{"Hz", "rad/s", units.ErrIncompatible},
		{"eV", "K", units.ErrIncompatible},
		{"MeV/nuc", "MeV", units.ErrIncompatible},
		{"count", "1", units.ErrIncompatible},
		{"1/(cm^2 s sr)", "1/(cm^2 s)", units.ErrIncompatible},
		{"nT", "", units.ErrUnknown},
		{"", "", units.ErrUnknown},
		{"C", "K", units.ErrUnknown},
		{"0=good", "0=good", units.ErrUnknown},
	} {
		if got, err := units.Convert(1, c.from, c.to); !errors.Is(err, c.want) || !math.IsNaN(got) {
			t.Errorf("Convert(1, %q, %q) = %g, %v, want NaN and %v", c.from, c.to, got, err, c.want)
		}
	}
}

func TestTemperatureIsEnergyOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	got, err := units.ConvertThermal(1, "eV", "K")
	if err != nil || math.Abs(got-11604.518) > 1e-3 {
		t.Errorf("1 eV = %g K, %v, want 11604.518", got, err)
	}
	back, err := units.ConvertThermal(got, "K", "eV")
	if err != nil || math.Abs(back-1) > 1e-12 {
		t.Errorf("and back %g eV, %v, want 1", back, err)
	}
	if same, err := units.ConvertThermal(2, "km", "m"); err != nil || same != 2000 {
		t.Errorf("ConvertThermal(2 km to m) = %g, %v, want 2000", same, err)
	}
	if _, err := units.ConvertThermal(1, "eV/cm^3", "K"); !errors.Is(err, units.ErrIncompatible) {
		t.Errorf("an energy density against a temperature gives %v, want ErrIncompatible", err)
	}
}

func TestSameIsBySizeAndDimension(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"#/cc", "cm^-3"}, {"n/cc", "1/cm**3"}, {"km/s", "Km/sec"}, {"RE", "R_E"}, {"Hz", "1/s"},
		{"W/m^2", "kg s^-3"}, {"N/m^2", "Pa"}, {"uT", "µT"}, {"pfu", "1/(cm^2 s sr)"},
	} {
		if !units.Same(pair[0], pair[1]) {
			t.Errorf("Same(%q, %q) = false, want true", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{"nT", "uT"}, {"", ""}, {"C", "C"}, {"K", "degC"}, {"%", "1"}, {"deg", "rad"}} {
		if units.Same(pair[0], pair[1]) {
			t.Errorf("Same(%q, %q) = true, want false", pair[0], pair[1])
		}
	}
}

func TestZeroUnitIsUnspecified(t *testing.T) {
	t.Parallel()
	var u units.Unit
	if u.Class() != units.Unspecified || u.String() != "" || u.Convertible() || !math.IsNaN(u.Factor()) {
		t.Errorf("zero Unit is %s %q, factor %g", u.Class(), u, u.Factor())
	}
}

// pieces are drawn into products to make random but valid units.
var pieces = []string{"nT", "uT", "km", "cm", "s", "ms", "h", "keV", "eV", "sr", "deg", "K", "Pa", "Hz", "count", "R_E", "AU", "%", "W", "MeV/nuc", "dB"}

func drawUnit(t *rapid.T, label string) string {
	n := rapid.IntRange(1, 4).Draw(t, label+" factors")
	parts := make([]string, n)
	for i := range parts {
		parts[i] = "(" + rapid.SampledFrom(pieces).Draw(t, label) + ")^" + rapid.SampledFrom([]string{"1", "-1", "2", "-3", "0.5", "(1/3)"}).Draw(t, label+" power")
	}
	return strings.Join(parts, " ")
}

func TestCanonicalTextIsTheSameUnit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := drawUnit(t, "unit")
		u := units.Parse(text)
		if !u.Convertible() {
			t.Skip("too large")
		}
		again := units.Parse(u.String())
		if !again.Same(u) || again.String() != u.String() || again.Class() != u.Class() {
			t.Fatalf("Parse(%q) = %q (%s), which parses to %q (%s, %s)", text, u, u.SI(), again, again.SI(), again.Reason())
		}
	})
}

func TestConversionAndBackIsTheValue(t *testing.T) {
	t.Parallel()
	alike := [][]string{
		{"nT", "uT", "pT", "G", "T"}, {"km/s", "m/s", "cm/s", "AU/d", "R_E/h"}, {"cm^-3", "m^-3", "#/cc", "R_E^-3"},
		{"eV", "keV", "J", "erg"}, {"deg", "rad", "mrad", "arcsec"}, {"degC", "K", "mK"}, {"nPa", "Pa", "eV/cm^3", "dyn/cm^2"},
	}
	rapid.Check(t, func(t *rapid.T) {
		group := rapid.SampledFrom(alike).Draw(t, "quantity")
		from, to := rapid.SampledFrom(group).Draw(t, "from"), rapid.SampledFrom(group).Draw(t, "to")
		v := rapid.Float64Range(-1e9, 1e9).Draw(t, "value")
		there, err := units.Convert(v, from, to)
		if err != nil {
			t.Fatal(err)
		}
		back, err := units.Convert(there, to, from)
		// The offset of Celsius costs absolute precision near its zero.
		if err != nil || math.Abs(back-v) > 1e-12*math.Abs(v)+1e-9 {
			t.Fatalf("%g %s = %g %s = %g %s, %v", v, from, there, to, back, from, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "nT", "cm!E-2!Nsr!E-1!N", "1/(cm^2 s sr keV)", "V/m/Hz^0.5", "((((", "1e300 m^60", "m^-", "#/cm2-s-sr-keV/q", "!E", "^{", "cm⁻³", "10^6 km", "eV/c^2", "sqrt(", "<|nT|>", "per per", "kg^(1/3)", "\xff\xfe", "C/s", "(All Qs)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u := units.Parse(text)
		canon := u.String()
		if !u.Convertible() {
			return
		}
		if f := u.Factor(); !(f > 0) || math.IsInf(f, 0) {
			t.Fatalf("Parse(%q) = %q has the factor %g", text, canon, f)
		}
		if again := units.Parse(canon); !again.Same(u) {
			t.Fatalf("Parse(%q) = %q (%s), but that parses to %q (%s: %s)", text, canon, u.SI(), again, again.Class(), again.Reason())
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		units.Parse("#/cm2-ster-eV-sec")
	}
}
