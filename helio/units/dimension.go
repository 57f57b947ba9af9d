package units

import "strings"

// base is one base quantity. Seven are the SI's; the others keep apart what
// the SI calls one.
type base int

const (
	metre base = iota
	kilogram
	second
	ampere
	kelvin
	mole
	candela
	radian  // plane angle; the steradian is its square
	count   // what a detector registered
	bit     // information
	pixel   // image element
	nucleon // in energy per nucleon
	charge  // in energy per elementary charge, as a number of charges
	decibel // a logarithmic ratio; converts only into itself
	sievert // a dose weighted by its effect, which no factor makes of grays
	sample  // one reading of an instrument, as in "counts/sample"
	spin    // one turn of a spacecraft
	accum   // one accumulation of a detector
	bases   // how many there are
)

// baseSymbols are the canonical spellings of the base units.
var baseSymbols = [bases]string{"m", "kg", "s", "A", "K", "mol", "cd", "rad", "count", "bit", "pix", "nuc", "q", "dB", "Sv", "sample", "spin", "accumulation"}

// dimension holds the exponents of the base quantities in sixths, so that
// square and cube roots (V/m/Hz^0.5) are exact.
type dimension [bases]int16

// of returns the dimension of one base quantity.
func of(b base) dimension { var d dimension; d[b] = 6; return d }

// mksa returns a mechanical or electromagnetic dimension from whole exponents.
func mksa(m, kg, s, a int16) dimension {
	return dimension{metre: 6 * m, kilogram: 6 * kg, second: 6 * s, ampere: 6 * a}
}

// add returns d + e*power, with the power in sixths; ok is false where an
// exponent is no multiple of a sixth or is absurdly large.
func (d dimension) add(e dimension, power int) (sum dimension, ok bool) {
	for i := range d {
		x := int(e[i]) * power
		if x%6 != 0 {
			return d, false
		}
		x = int(d[i]) + x/6
		if x > 6*maxPower || x < -6*maxPower {
			return d, false
		}
		sum[i] = int16(x)
	}
	return sum, true
}

// only reports whether d is b and nothing else.
func (d dimension) only(b base) bool { return d == of(b) }

// String spells the dimension in base units, negative exponents last.
func (d dimension) String() string {
	var parts []string
	for _, sign := range []int16{1, -1} {
		for i, p := range d {
			if p*sign > 0 {
				parts = append(parts, term{symbol: baseSymbols[i]}.spell(int(p)))
			}
		}
	}
	return strings.Join(parts, " ")
}

var (
	energy      = mksa(2, 1, -2, 0)
	temperature = of(kelvin)
)
