package units

import "strings"

// ambiguous names have more than one common meaning in the field; they are
// refused with the reason.
var ambiguous = map[string]string{
	"C":    `"C" may be coulomb or Celsius`,
	"c":    `"c" may be counts or Celsius`,
	"R":    `"R" may be rayleigh, roentgen or a radius`,
	"N":    `"N" may be newton or a number`,
	"S":    `"S" may be siemens or seconds`,
	"k":    `"k" may be kelvin or a prefix`,
	"Rs":   `"Rs" may be the Sun's or Saturn's radius; write R_sun or R_Saturn`,
	"R_S":  `"R_S" may be the Sun's or Saturn's radius; write R_sun or R_Saturn`,
	"RS":   `"RS" may be the Sun's or Saturn's radius; write R_sun or R_Saturn`,
	"Rm":   `"Rm" may be the radius of Mars, Mercury or the Moon; write R_Mars, R_Mercury or R_Moon`,
	"RM":   `"RM" may be the radius of Mars, Mercury or the Moon; write R_Mars, R_Mercury or R_Moon`,
	"R_M":  `"R_M" may be the radius of Mars, Mercury or the Moon; write R_Mars, R_Mercury or R_Moon`,
	"kT":   `"kT" may be kilotesla or a thermal energy`,
	"Gs":   `"Gs" may be gauss or gigasecond`,
	"rads": `"rads" may be radians or rads of dose`,
	"mev":  `"mev" may be meV or MeV`,
	"mhz":  `"mhz" may be mHz or MHz`,
}

// lookup resolves one name. ok is false where it is no unit; reason then says
// why when there is more to say than that.
func lookup(name string) (t term, ok bool, reason string) {
	if why, bad := ambiguous[name]; bad {
		return term{}, false, why
	}
	if r := bySymbol[name]; r != nil {
		return r.term(0, ""), true, ""
	}
	lower := strings.ToLower(name)
	if r := byWord[lower]; r != nil {
		return r.term(0, ""), true, ""
	}
	if s, plural := strings.CutSuffix(lower, "s"); plural && len(s) > 1 {
		if r := byWord[s]; r != nil {
			return r.term(0, ""), true, ""
		}
	}
	if particles[lower] || particles[strings.TrimSuffix(lower, "s")] {
		return term{symbol: lower, power: 6, size: size{1, 0}, kind: particle}, true, ""
	}
	for _, p := range prefixWords {
		if rest, has := strings.CutPrefix(lower, p.word); has && rest != "" {
			// The rest keeps its own case: "microV", "kiloRayleighs", "Kilovolts".
			if r := unprefixed(name[len(p.word):]); r != nil && r.takes(p.letter) {
				return r.term(prefixes[p.letter], string(p.letter)), true, ""
			}
		}
	}
	return prefixed(name)
}

// prefixed resolves a name that begins with a prefix letter: "nT", "keV",
// "mradians".
func prefixed(name string) (term, bool, string) {
	if len(name) < 2 {
		return term{}, false, ""
	}
	letter := name[0]
	if letter == 'K' {
		letter = 'k' // "Km", "Kev", "KHz"; a kelvin cannot stand before another unit unseparated
	}
	exp, ok := prefixes[letter]
	if !ok {
		return term{}, false, ""
	}
	if name == "KM" {
		name = "km"
	}
	rest := name[1:]
	r := bySymbol[rest]
	if r == nil && len(rest) > 2 {
		r = unprefixed(rest)
	}
	if r == nil || !r.takes(letter) {
		return term{}, false, ""
	}
	if rest == r.symbol && name[0] == 'K' && len(rest) == 1 && rest != "m" {
		return term{}, false, "" // "KV", "KT": too short to be sure
	}
	return r.term(exp, string(letter)), true, ""
}

// unprefixed finds a symbol or a spelled-out name.
func unprefixed(name string) *row {
	if r := bySymbol[name]; r != nil {
		return r
	}
	lower := strings.ToLower(name)
	if r := byWord[lower]; r != nil {
		return r
	}
	return byWord[strings.TrimSuffix(lower, "s")]
}

// takes reports whether the unit is used with a prefix letter.
func (r *row) takes(letter byte) bool { return strings.IndexByte(r.prefix, letter) >= 0 }

// term makes a factor of the unit with a power-of-ten prefix.
func (r *row) term(exp int, prefix string) term {
	return term{symbol: prefix + r.symbol, power: 6, size: size{r.size.mant, r.size.exp + exp}, dim: r.dim}
}
