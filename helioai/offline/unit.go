package offline

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/helios-go/helios/helio/units"
)

// longestUnit is how many tokens a unit may take, as in "1/(cm^2 s sr keV)".
const longestUnit = 12

// spokenUnits are units as people say them, in lower case.
var spokenUnits = map[string]string{
	"nanotesla": "nT", "nanoteslas": "nT", "picotesla": "pT", "picoteslas": "pT", "microtesla": "uT", "microteslas": "uT", "tesla": "T", "gauss": "G", "gamma": "nT",
	"nt": "nT", "pt": "pT", "ev": "eV", "kev": "keV", "npa": "nPa", "ppa": "pPa", "mk": "MK", "kk": "kK", "khz": "kHz",
	"kelvin": "K", "kelvins": "K", "deg k": "K", "degrees kelvin": "K", "megakelvin": "MK", "million kelvin": "MK", "million k": "MK", "millions de kelvins": "MK",
	"electronvolt": "eV", "electronvolts": "eV", "electron volt": "eV", "electron volts": "eV", "kiloelectronvolt": "keV", "kiloelectronvolts": "keV",
	"earth radii": "R_E", "earth radius": "R_E", "re": "R_E", "rayons terrestres": "R_E", "terrestrial radii": "R_E",
	"astronomical units": "AU", "astronomical unit": "AU", "au": "AU",
	"km/s": "km/s", "kilometers per second": "km/s", "kilometres per second": "km/s", "kilometer per second": "km/s", "kilometre par seconde": "km/s", "kilometres par seconde": "km/s", "kps": "km/s", "km per second": "km/s", "km per s": "km/s", "km par seconde": "km/s",
	"meters per second": "m/s", "metres per second": "m/s", "metres par seconde": "m/s", "m per s": "m/s",
	"km/h": "km/h", "kilometers per hour": "km/h", "kilometres per hour": "km/h",
	"per cc": "cm^-3", "particles per cc": "cm^-3", "per cubic centimeter": "cm^-3", "per cubic centimetre": "cm^-3", "per cm3": "cm^-3", "per cm^3": "cm^-3", "particles per cubic centimeter": "cm^-3", "particles per cubic centimetre": "cm^-3", "particles per cm3": "cm^-3", "par cm3": "cm^-3", "/cc": "cm^-3", "/cm3": "cm^-3", "/cm^3": "cm^-3", "particules par cm3": "cm^-3", "par centimetre cube": "cm^-3", "cc": "cm^-3",
	"per cubic meter": "m^-3", "per cubic metre": "m^-3", "per m3": "m^-3", "per m^3": "m^-3",
	"nanopascal": "nPa", "nanopascals": "nPa", "picopascal": "pPa", "picopascals": "pPa", "pascal": "Pa", "pascals": "Pa",
	"degrees": "deg", "degree": "deg", "radians": "rad", "kilometers": "km", "kilometres": "km", "kilometer": "km", "meters": "m", "metres": "m",
	"hours": "h", "hour": "h", "heures": "h", "minutes": "min", "seconds": "s", "secondes": "s", "percent": "%", "per cent": "%", "pour cent": "%",
}

// notUnits are words that a unit parser takes but that mean something else in
// a sentence.
var notUnits = wordSet("a as at in on to of and per the for is was an by or no number d h e n p v b s t")

var hyphenPower = regexp.MustCompile(`([a-zA-Z]) \^?(-?\d)`)

// unitAt reads the longest unit that begins at token i. It returns "" and 0
// when there is none.
func (p *parser) unitAt(i int) (unit string, n int) {
	if i >= len(p.tokens) || p.tokens[i].kind == numberToken && !p.is(i+1, "/") {
		return "", 0
	}
	for n := min(longestUnit, len(p.tokens)-i); n > 0; n-- {
		plain := true
		for k := i; k < i+n; k++ {
			t := p.tokens[k]
			plain = plain && t.kind != itemToken && (t.kind != momentToken || n > 1) && (k > i || t.kind != numberToken || t.text == "1")
		}
		if !plain {
			continue
		}
		if u := readUnit(p.written(i, i+n), n == 1 && i > 0 && p.tokens[i-1].kind == numberToken); u != "" {
			return u, n
		}
	}
	return "", 0
}

// readUnit returns the canonical unit that a text means; "" when it means none.
// After a number a single letter is a unit that it is not elsewhere.
func readUnit(text string, afterNumber bool) string {
	lower := strings.ToLower(text)
	if u := spokenUnits[lower]; u != "" {
		return u
	}
	if notUnits[lower] && !(afterNumber && (lower == "h" || lower == "s" || lower == "d")) {
		return ""
	}
	if strings.ContainsAny(text, ",;?!\"'") || strings.HasSuffix(text, ".") || strings.Count(text, "(") != strings.Count(text, ")") {
		return ""
	}
	text = hyphenPower.ReplaceAllString(text, "$1^$2")
	u := units.Parse(text)
	if u.Class() == units.Measured || text == "%" {
		return u.String()
	}
	return ""
}

// readUnits replaces "in km/s", "(in eV)", "en m/s" by items.
func (p *parser) readUnits() {
	for i := 0; p.has(i); i++ {
		if p.is(i, "(", "[") {
			if unit, n := p.unitAt(i + 1); n > 0 && p.is(i+1+n, ")", "]") {
				p.replace(i, n+2, &item{kind: unitItem, unit: unit})
			}
			continue
		}
		if !p.is(i, "in", "en", "as", "unit", "units", "unite") {
			continue
		}
		j := p.skip(i+1, "units", "unit", "of", "unites", "unite", "de", "the", ":")
		if unit, n := p.unitAt(j); n > 0 {
			p.replace(i, j+n-i, &item{kind: unitItem, unit: unit})
		}
	}
}

// A conversion multiplies values to bring them from one unit to another.
type conversion struct {
	factor   float64
	from, to string
}

// convertUnits finds the factor from a unit that a file writes to a wanted one.
// Temperatures and energies count as one.
func convertUnits(from, to string) (conversion, error) {
	none := conversion{factor: 1, from: from}
	if to == "" || from == to || units.Same(from, to) {
		return none, nil
	}
	factor, err := units.Convert(1, from, to)
	if err != nil {
		factor, err = units.ConvertThermal(1, from, to)
	}
	if err != nil {
		return none, fmt.Errorf("%s cannot be given in %s", unitName(from), to)
	}
	if zero, err := units.Convert(0, from, to); err == nil && zero != 0 || factor == 0 || math.IsInf(factor, 0) || math.IsNaN(factor) {
		return none, fmt.Errorf("%s cannot be given in %s by a factor alone", unitName(from), to)
	}
	return conversion{factor: factor, from: from, to: to}, nil
}

// unitName is a unit for people: canonical where it is known, "" where the file
// names none.
func unitName(text string) string {
	u := units.Parse(text)
	switch u.Class() {
	case units.Measured:
		return u.String()
	case units.Unknown:
		return strings.TrimSpace(text)
	case units.Unspecified, units.Dimensionless, units.Legend:
	}
	return ""
}
