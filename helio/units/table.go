package units

import "strings"

// kind marks the few names that the grammar treats specially.
type kind int

const (
	plain    kind = iota
	particle      // a counted thing, a pure number: "#", "ions"
	maybe         // a letter that is a particle only above an area or a volume: "e/cm3"
	bare          // the letter N, the newton only beside other units
)

// row defines one unit.
type row struct {
	symbol string // canonical
	size   size
	dim    dimension
	prefix string   // prefix letters it takes in symbols; words take any prefix word
	also   []string // other symbols, matched exactly, prefixes allowed
	words  []string // spelled-out names, matched in any case, plural s allowed
}

// si are the prefix letters in use in the field; others would only create
// false readings.
const si = "fpnumckMGT"

// prefixes gives the powers of ten of letters and words.
var (
	prefixes    = map[byte]int{'f': -15, 'p': -12, 'n': -9, 'u': -6, 'm': -3, 'c': -2, 'h': 2, 'k': 3, 'M': 6, 'G': 9, 'T': 12}
	prefixWords = []struct {
		word   string
		letter byte
	}{{"femto", 'f'}, {"pico", 'p'}, {"nano", 'n'}, {"micro", 'u'}, {"milli", 'm'}, {"centi", 'c'},
		{"hecto", 'h'}, {"kilo", 'k'}, {"mega", 'M'}, {"giga", 'G'}, {"tera", 'T'}}
)

// rows is the table. Sources of what is measured or agreed:
//
//   - e, k, u: CODATA 2022 (e and k exact by the SI; u 1.66053906892e-27 kg,
//     CODATA 2018: ...06660, a relative difference of 1.4e-9);
//   - AU: IAU 2012 resolution B2, exact;
//   - R_sun: 695,700 km, IAU 2015 resolution B3, nominal;
//   - R_J: 71,492 km, IAU 2015 resolution B3, nominal equatorial;
//   - R_E: 6371.2 km, the reference radius of the IGRF and of SSCWeb. Other
//     conventions run from 6371.0 to 6378.14 km, 0.11 % apart;
//   - the radii of other bodies: see bodies;
//   - year: 365.25 days, the Julian year of the IAU;
//   - Rayleigh: 1e10/(4 pi) photons m^-2 s^-1 sr^-1; sfu: 1e-22 W m^-2 Hz^-1;
//     pfu: 1 cm^-2 s^-1 sr^-1; TECU: 1e16 m^-2.
var rows = []row{
	{"m", size{1, 0}, of(metre), si, nil, []string{"meter", "metre"}},
	{"g", size{1, -3}, of(kilogram), si, nil, []string{"gram"}},
	{"s", size{1, 0}, of(second), "fpnumkM", nil, []string{"sec", "second"}},
	{"A", size{1, 0}, of(ampere), si, nil, []string{"amp", "ampere"}},
	{"K", size{1, 0}, of(kelvin), si, nil, []string{"kelvin"}},
	{"mol", size{1, 0}, of(mole), si, nil, []string{"mole"}},
	{"cd", size{1, 0}, of(candela), "", nil, []string{"candela"}},
	{"rad", size{1, 0}, of(radian), "num", nil, []string{"rad", "radian"}},
	{"sr", size{1, 0}, dimension{radian: 12}, "", []string{"Sr", "st"}, []string{"ster", "str", "sterad", "steradian"}},

	{"Hz", size{1, 0}, mksa(0, 0, -1, 0), si, []string{"hz"}, []string{"hertz"}},
	{"newton", size{1, 0}, mksa(1, 1, -2, 0), si, []string{"N"}, []string{"newton"}}, // "eV/N" would be per nucleon
	{"Pa", size{1, 0}, mksa(-1, 1, -2, 0), si + "h", nil, []string{"pascal"}},
	{"J", size{1, 0}, energy, si, nil, []string{"joule"}},
	{"W", size{1, 0}, mksa(2, 1, -3, 0), si, nil, []string{"watt"}},
	{"V", size{1, 0}, mksa(2, 1, -3, -1), si, nil, []string{"volt"}},
	{"ohm", size{1, 0}, mksa(2, 1, -3, -2), si, nil, []string{"ohm"}},
	{"T", size{1, 0}, mksa(0, 1, -2, -1), "fpnum", nil, []string{"tesla"}},
	{"Wb", size{1, 0}, mksa(2, 1, -2, -1), si, nil, []string{"weber"}},
	{"C", size{1, 0}, mksa(0, 0, 1, 1), "fpnumk", nil, []string{"coulomb"}},
	{"Gy", size{1, 0}, mksa(2, 0, -2, 0), "num", nil, []string{"gray"}},
	{"Sv", size{1, 0}, of(sievert), "num", nil, []string{"sievert"}},

	{"G", size{1, -4}, mksa(0, 1, -2, -1), "numk", nil, []string{"gauss"}},
	{"gamma", size{1, -9}, mksa(0, 1, -2, -1), "", nil, []string{"gamma"}},
	{"erg", size{1, -7}, energy, "", nil, []string{"erg"}},
	{"dyn", size{1, -5}, mksa(1, 1, -2, 0), "pnum", nil, []string{"dyn", "dyne"}},
	{"bar", size{1, 5}, mksa(-1, 1, -2, 0), "num", nil, []string{"bar"}},
	{"eV", size{1.602176634, -19}, energy, "mkMGT", []string{"ev", "EV"}, []string{"electronvolt", "electron-volt"}},
	{"amu", size{1.66053906892, -27}, of(kilogram), "", []string{"AMU", "Da"}, nil},
	{"angstrom", size{1, -10}, of(metre), "", nil, []string{"angstrom"}},

	{"min", size{60, 0}, of(second), "", nil, []string{"min", "minute"}},
	{"h", size{3600, 0}, of(second), "", nil, []string{"hr", "hour"}},
	{"d", size{86400, 0}, of(second), "", nil, []string{"day"}},
	{"week", size{604800, 0}, of(second), "", nil, []string{"week"}},
	{"yr", size{31557600, 0}, of(second), "", nil, []string{"yr", "year"}},

	{"deg", size{0.017453292519943295, 0}, of(radian), "", nil, []string{"deg", "degree"}},
	{"arcmin", size{0.0002908882086657216, 0}, of(radian), "", nil, []string{"arcmin", "arcminute"}},
	{"arcsec", size{4.84813681109536e-06, 0}, of(radian), "m", nil, []string{"arcsec", "arcsecond"}},
	{"rev", size{6.283185307179586, 0}, of(radian), "", nil, []string{"revolution"}},
	{"rpm", size{0.10471975511965977, 0}, dimension{radian: 6, second: -6}, "", []string{"RPM"}, nil},

	{"R_E", size{6371.2, 3}, of(metre), "", []string{"R_e", "Re", "RE"}, []string{"earthradii", "earthradius", "r_earth"}},
	{"AU", size{149597870700, 0}, of(metre), "", []string{"au", "Au"}, nil},
	{"R_sun", size{695700, 3}, of(metre), "", []string{"R_Sun", "Rsun", "RSun", "solRad"}, []string{"solarradii", "solarradius"}},
	{"R_J", size{71492, 3}, of(metre), "", []string{"RJ", "Rj"}, []string{"jupiterradii", "jupiterradius", "jovianradii", "jovianradius"}},

	{"count", size{1, 0}, of(count), "", nil, []string{"count", "cnt", "ct"}},
	{"sample", size{1, 0}, of(sample), "kMG", []string{"Sa"}, []string{"sample"}},
	{"spin", size{1, 0}, of(spin), "", nil, []string{"spin"}},
	{"accumulation", size{1, 0}, of(accum), "", nil, []string{"accumulation", "acc"}},
	{"bit", size{1, 0}, of(bit), "kMG", nil, []string{"bit"}},
	{"pix", size{1, 0}, of(pixel), "", nil, []string{"pix", "pixel"}},
	{"dB", size{1, 0}, of(decibel), "", nil, []string{"decibel"}},
	{"c_light", size{2.99792458, 8}, mksa(1, 0, -1, 0), "", nil, nil}, // "eV/c^2"; the letter alone is ambiguous
	{"nuc", size{1, 0}, of(nucleon), "", nil, []string{"nuc", "nucleon"}},
	{"q", size{1, 0}, of(charge), "", nil, nil},

	{"Rayleigh", size{7.957747154594768, 8}, dimension{metre: -12, second: -6, radian: -12}, "k", nil, []string{"rayleigh", "raleigh", "ray"}},
	{"sfu", size{1, -22}, mksa(0, 1, -2, 0), "", []string{"SFU"}, nil},
	{"pfu", size{1, 4}, dimension{metre: -12, second: -6, radian: -12}, "", []string{"PFU"}, nil},
	{"TECU", size{1, 16}, mksa(-2, 0, 0, 0), "", []string{"TECu"}, nil},
	{"%", size{1, -2}, dimension{}, "", nil, []string{"percent", "pct"}},
	{"ppm", size{1, -6}, dimension{}, "", nil, []string{"ppm"}},
}

// shorthand are names that stand for a power of another unit or for a quotient.
var shorthand = map[string]string{
	"cc": "cm^3", "SQcm": "cm^2", "sqcm": "cm^2", "microns": "um", "micron": "um", "mas": "marcsec",
	"cps": "count/s", "CPS": "count/s", "bps": "bit/s", "RPS": "rev/s", "kR": "kRayleigh",
	"mv": "mV",
}

// particles are counted things; they are pure numbers, so that "#/cc" is
// "cm^-3".
var particles = words("# ion electron proton neutron photon ph particle ena alpha molecule atom no number")

// maybes are letters that mean a particle only as in "e/(cm^2 s sr keV)".
var maybes = words("e p a P n N")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// index finds rows by symbol and by word.
var bySymbol, byWord = func() (map[string]*row, map[string]*row) {
	symbols, names := map[string]*row{}, map[string]*row{}
	for _, r := range allRows() {
		symbols[r.symbol] = r
		for _, s := range r.also {
			symbols[s] = r
		}
		for _, w := range r.words {
			names[w] = r
		}
	}
	return symbols, names
}()

func allRows() []*row {
	all := make([]*row, 0, len(rows)+len(bodies))
	for i := range rows {
		all = append(all, &rows[i])
	}
	for _, b := range bodies {
		all = append(all, b.row())
	}
	return all
}
