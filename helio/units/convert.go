package units

import (
	"errors"
	"fmt"
	"math"
)

// Errors of the conversions, for errors.Is.
var (
	// ErrUnknown: one of the texts is no unit with a size (unknown, a legend,
	// or nothing said).
	ErrUnknown = errors.New("no unit that can be converted")
	// ErrIncompatible: both are units, of different dimensions.
	ErrIncompatible = errors.New("different dimensions")
)

// boltzmann is k in J/K, exact since the 2019 SI (CODATA 2018 and 2022).
const boltzmann = 1.380649e-23

// Convert returns v, given in the unit from, in the unit to. NaN and the
// infinities pass through. The error is [ErrUnknown] or [ErrIncompatible].
func Convert(v float64, from, to string) (float64, error) {
	return Parse(from).ConvertTo(v, Parse(to))
}

// ConvertThermal is [Convert] that also takes a temperature for the energy
// k T and the other way round: 1 eV is 11604.518 K.
func ConvertThermal(v float64, from, to string) (float64, error) {
	f, t := Parse(from), Parse(to)
	switch {
	case f.class == Measured && t.class == Measured && f.dim == temperature && t.dim == energy:
		return t.fromSI(f.toSI(v) * boltzmann), nil
	case f.class == Measured && t.class == Measured && f.dim == energy && t.dim == temperature:
		return t.fromSI(f.toSI(v) / boltzmann), nil
	}
	return f.ConvertTo(v, t)
}

// ConvertTo returns v, given in u, in the unit to; see [Convert].
func (u Unit) ConvertTo(v float64, to Unit) (float64, error) {
	for _, x := range []Unit{u, to} {
		if !x.Convertible() {
			return math.NaN(), fmt.Errorf("convert %q to %q: %q is %s: %w", u.text, to.text, x.text, x.class, ErrUnknown)
		}
	}
	if u.dim != to.dim {
		return math.NaN(), fmt.Errorf("convert %q to %q: %q against %q: %w", u.text, to.text, u.SI(), to.SI(), ErrIncompatible)
	}
	if u.offset != to.offset {
		return to.fromSI(u.toSI(v)), nil
	}
	return scale10(v*(u.size.mant/to.size.mant), u.size.exp-to.size.exp), nil
}

// toSI and fromSI go through the coherent SI unit, offsets included.
func (u Unit) toSI(v float64) float64   { return scale10(v*u.size.mant, u.size.exp) + u.offset }
func (u Unit) fromSI(v float64) float64 { return scale10((v-u.offset)/u.size.mant, -u.size.exp) }

// Same reports whether two texts name one unit: both convertible, of the same
// dimension and size ("cm^-3" and "#/cc"). Two texts of no known unit are
// never the same, not even when they are equal.
func Same(a, b string) bool { return Parse(a).Same(Parse(b)) }

// Same reports whether u and o are one unit, to 1e-12 of its size.
func (u Unit) Same(o Unit) bool {
	if !u.Compatible(o) || u.offset != o.offset {
		return false
	}
	ratio := scale10(u.size.mant/o.size.mant, u.size.exp-o.size.exp)
	return math.Abs(ratio-1) < 1e-12
}

// Compatible reports whether values in a can be converted to b.
func Compatible(a, b string) bool { return Parse(a).Compatible(Parse(b)) }

// Compatible reports whether u and o are convertible into each other.
func (u Unit) Compatible(o Unit) bool { return u.Convertible() && o.Convertible() && u.dim == o.dim }
