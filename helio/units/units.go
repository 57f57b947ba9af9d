// Package units reads the unit texts that space-physics archives really carry
// and converts between them.
//
//	v, err := units.Convert(3.67, "nT", "uT")          // 0.00367
//	units.Same("#/cc", "cm!E-3!N")                     // true
//	units.Parse("0 means no issues").Class()           // Legend
//	units.Parse("counts s!E-1!N").String()             // "count/s"
//
// Archives write one unit in many ways ("1/cm^3", "cm-3", "#/cc", "n/cc",
// "per cc", "cm⁻³", IDL markup) and put much into the unit field that is no
// unit at all. [Parse] therefore never fails; it sorts a text into five
// classes:
//
//   - [Measured]: a unit with a dimension, such as "nT" or "1/(cm^2 s sr keV)";
//   - [Dimensionless]: said to be a pure number ("ratio", "%", "#", "1");
//   - [Unspecified]: nothing was said ("", "None", "n/a"); never read as dimensionless;
//   - [Legend]: the text explains codes or a format ("0=good", "UTC");
//   - [Unknown]: anything else, with [Unit.Reason] saying why.
//
// What could be read in two ways is unknown rather than guessed: "C" is coulomb
// or Celsius, "R" is rayleigh, roentgen or a radius, "J/kg K" leaves open
// where the kelvin goes. What only looks odd is read as it is meant:
// "1/cm^-3" is a density, the hyphens of "#/cm2-s-sr-keV" stay under the
// slash, "nT GSM" is nT.
//
// Some things are kept apart that a purely dimensional view would merge, for
// a check of numbers is only as good as its refusals: angles (a base of their
// own, so that 57 deg is not 99 %, and Hz is not rad/s), detector counts, what
// is per sample, per spin or per accumulation, energy per nucleon or per
// charge, and sieverts, which no factor makes of grays. Particles ("#", "ions", "electrons",
// "photons") are pure numbers. Temperature and energy convert into each other
// only through [ConvertThermal].
//
// Everything here is a pure function over immutable values and safe for
// concurrent use.
package units

import (
	"math"
	"strconv"
	"strings"
)

// Class says what kind of text a unit field holds.
type Class int

// The five classes. The zero value is Unspecified.
const (
	Unspecified   Class = iota // nothing was said: "", "None", "n/a"
	Dimensionless              // a pure number: "ratio", "%", "unitless"
	Measured                   // a unit with a dimension
	Legend                     // codes or a format explained: "0=good", "UTC"
	Unknown                    // none of these, or ambiguous
)

// String returns the class in one lower-case word; Measured is "unit".
func (c Class) String() string {
	switch c {
	case Unspecified:
		return "unspecified"
	case Dimensionless:
		return "dimensionless"
	case Measured:
		return "unit"
	case Legend:
		return "legend"
	}
	return "unknown"
}

// Unit is a parsed unit text. The zero value is an unspecified unit. A Unit is
// immutable.
type Unit struct {
	class  Class
	text   string  // as it was given, trimmed
	reason string  // why the class is Unknown
	scale  float64 // a number that stood in the text, as in "0.01 mV/m"; 0 means 1
	terms  []term
	size   size    // one of this unit in SI
	offset float64 // kelvin to add after scaling; only Celsius has one
	dim    dimension
}

// term is one factor of a unit, such as cm^-2.
type term struct {
	symbol string // canonical spelling, prefix included
	power  int    // in sixths
	size   size
	dim    dimension // of the first power
	kind   kind
}

// size is mant times 10^exp. The power of ten is kept apart because most
// conversions are powers of ten only and then come out exact.
type size struct {
	mant float64
	exp  int
}

// Class returns what kind of text this is.
func (u Unit) Class() Class { return u.class }

// Text returns the text as it was parsed, without surrounding blanks.
func (u Unit) Text() string { return u.text }

// Reason says in a few words why a text is Unknown; otherwise it is empty.
func (u Unit) Reason() string { return u.reason }

// Convertible reports whether the unit has a size, which is so for the classes
// Measured and Dimensionless.
func (u Unit) Convertible() bool { return u.class == Measured || u.class == Dimensionless }

// Factor returns how many coherent SI units one of this unit is: 1e-9 for nT.
// It is NaN where the unit is not [Unit.Convertible]. Celsius, which also has
// an offset, returns 1.
func (u Unit) Factor() float64 {
	if !u.Convertible() {
		return math.NaN()
	}
	return u.size.float()
}

// SI returns the dimension in base units: "kg s^-2 A^-1" for nT, "" for a pure
// number and for what is not convertible.
func (u Unit) SI() string { return u.dim.String() }

// String returns the canonical spelling: "nT", "km/s", "cm^-3",
// "cm^-2 s^-1 sr^-1 keV^-1", "1" for a pure number, "" where nothing was said.
// Parsing it gives the same unit again. A legend or an unknown text is
// returned as it was given.
func (u Unit) String() string {
	if !u.Convertible() {
		if u.class == Unspecified {
			return ""
		}
		return u.text
	}
	var above, below []string
	for _, t := range u.terms {
		if t.power > 0 {
			above = append(above, t.spell(t.power))
		} else {
			below = append(below, t.spell(t.power))
		}
	}
	text := strings.Join(append(above, below...), " ")
	if len(below) == 1 && len(above) > 0 {
		// One slash reads better than an exponent and is unambiguous.
		last := u.terms[0]
		for _, t := range u.terms {
			if t.power < 0 {
				last = t
			}
		}
		text = strings.Join(above, " ") + "/" + last.spell(-last.power)
	}
	if u.scale != 0 && u.scale != 1 {
		text = strconv.FormatFloat(u.scale, 'g', -1, 64) + " " + text
	}
	if text == "" {
		return "1"
	}
	return text
}

// spell returns the term with the given power in sixths.
func (t term) spell(power int) string {
	switch {
	case power == 6:
		return t.symbol
	case power%6 == 0:
		return t.symbol + "^" + strconv.Itoa(power/6)
	case power%3 == 0:
		return t.symbol + "^" + strconv.FormatFloat(float64(power)/6, 'f', -1, 64)
	}
	d := 6
	if power%2 == 0 {
		d = 3
	}
	return t.symbol + "^(" + strconv.Itoa(power*d/6) + "/" + strconv.Itoa(d) + ")"
}

// float returns the size as one number.
func (s size) float() float64 { return scale10(s.mant, s.exp) }

// raise returns the size to a power given in sixths.
func (s size) raise(power int) size {
	if power == 6 {
		return s
	}
	p := float64(power) / 6
	out := size{mant: math.Pow(s.mant, p)}
	if e := s.exp * power; e%6 == 0 {
		out.exp = e / 6
	} else {
		out.mant *= math.Pow(10, float64(e)/6)
	}
	return out
}

// times returns the product of two sizes.
func (s size) times(o size) size { return size{s.mant * o.mant, s.exp + o.exp} }

// scale10 returns v times 10^exp, exactly where a float64 can.
func scale10(v float64, exp int) float64 {
	switch {
	case exp == 0:
		return v
	case exp > 0 && exp <= 22:
		return v * pow10[exp]
	case exp < 0 && exp >= -22:
		return v / pow10[-exp]
	}
	return v * math.Pow(10, float64(exp))
}

// pow10 holds the powers of ten that are exact in a float64.
var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
	1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}
