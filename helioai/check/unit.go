package check

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/helios-go/helios/helio/units"
)

// Separators between a number and its unit, LaTeX's included.
var gapRE = regexp.MustCompile(`^(?: |\x{a0}|\x{202f}|\x{2009}|~|\\[,;: ]|\\mathrm|\\text|\\rm|\$|-|‑){0,4}`)

// unitWordRE is one word of a unit.
var unitWordRE = regexp.MustCompile(`^[\p{L}\d%°µ#/*·^⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹(){}\[\]_.!\\−-]+`)

// raisedRE finds a word that can only be a further factor of a unit: one with
// a negative exponent.
var raisedRE = regexp.MustCompile(`^[\p{L}%°µ]+(?:\^?[({]?[-−]\d|\*\*-\d|⁻)`)

// longest unit, in words, and the most text that is looked at.
const (
	unitWords = 7
	unitBytes = 80
)

// unitAfter reads the unit that follows a number at i and returns where it
// ends; without one the text is empty and the end is i.
func unitAfter(text string, i int) (units.Unit, string, int) {
	start := i + closing(text, i)
	gap := gapRE.FindString(text[start:min(len(text), start+unitBytes)])
	start += len(gap)
	if strings.HasSuffix(gap, "-") || strings.HasSuffix(gap, "‑") {
		// "16-second averages", but not "3 -5".
		if r, _ := utf8.DecodeRuneInString(text[start:]); len(gap) > 3 || gap[0] == ' ' || !unicode.IsLetter(r) {
			return units.Unit{}, "", i
		}
	}
	ends := candidates(text, start)
	for _, end := range slices.Backward(ends) {
		for end > start {
			s := text[start:end]
			if u, ok := proseUnit(s); ok && !misread(text, gap, s, end) {
				return u, s, end
			}
			r, n := utf8.DecodeLastRuneInString(s)
			if !strings.ContainsRune(".)]}-/_*!\\", r) {
				break
			}
			end -= n // closing punctuation of the sentence
		}
	}
	return units.Unit{}, "", i
}

// closing is 1 where a bracket closes at i around a list of numbers, whose unit
// follows: "(0.1, 0.2, -0.9) nT".
func closing(text string, i int) int {
	if i >= len(text) || text[i] != ')' && text[i] != ']' {
		return 0
	}
	from := max(0, i-unitBytes)
	open := strings.LastIndexAny(text[from:i], "([") + from
	if open >= from && vectorRE.MatchString(text[open+1:i]) {
		return 1
	}
	return 0
}

var vectorRE = regexp.MustCompile(`^\s*[-−+]?[\d.]+(?:\s*(?:[,;]|±)\s*[-−+]?[\d.]+)+\s*$`)

// candidates returns where a unit that begins at start may end: after its first
// word, or after further words that belong to it.
func candidates(text string, start int) []int {
	var ends []int
	limit := min(len(text), start+unitBytes)
	for limit < len(text) && !utf8.RuneStart(text[limit]) {
		limit--
	}
	pos := start
	for word := 0; word < unitWords && pos < limit; word++ {
		w := unitWordRE.FindString(text[pos:limit])
		if w == "" {
			break
		}
		if word > 0 && !continues(text[start:pos], w) {
			break
		}
		pos += len(w)
		ends = append(ends, pos)
		next, n := utf8.DecodeRuneInString(text[pos:limit])
		if next != ' ' && next != '\u00a0' && next != '\u202f' && next != '\u2009' {
			break
		}
		pos += n
	}
	return ends
}

// continues reports whether the word w belongs to the unit text before it.
func continues(before, w string) bool {
	before = strings.TrimRight(before, " \u00a0\u202f\u2009")
	last := before[strings.LastIndexByte(before, ' ')+1:]
	switch strings.ToLower(last) {
	case "per", "cubic", "square", "solar", "earth", "astronomical":
		return true
	}
	switch strings.ToLower(w) {
	case "per", "radii", "unit", "units", "cent":
		return true
	}
	return strings.HasSuffix(last, "/") || strings.HasPrefix(w, "/") || raisedRE.MatchString(w) || unclosed(before)
}

// unclosed reports whether a bracket is still open, as in "1/(cm^2 s sr".
func unclosed(s string) bool { return strings.Count(s, "(") > strings.Count(s, ")") }

var extremes = regexp.MustCompile(`(?i)\b(?:max|mean|avg|median)\b`)

var decadeRE = regexp.MustCompile(`\b(?:19|20)\d0s$`)

// misread reports whether what looks like a unit is likelier a word: "min" near
// "max", "2-d", "1990s".
func misread(text, gap, unit string, end int) bool {
	if unit == "s" && gap == "" && decadeRE.MatchString(text[max(0, end-6):end]) {
		return true
	}
	if strings.HasSuffix(gap, "-") && len(unit) == 1 && unit != "s" && unit != "h" {
		return true
	}
	return unit == "min" && extremes.MatchString(text[max(0, end-60):min(len(text), end+40)])
}

// english are unit symbols that are likelier something else after a number.
var english = map[string]bool{"ray": true, "rays": true, "bar": true, "q": true}

// loneNumber finds a number inside a unit, which in prose is the next operand:
// "5.3 nT / 3.7 nT".
var loneNumber = regexp.MustCompile(`(?:^|[\s/*(·])\d`)

// proseUnit reads a unit as prose writes it.
func proseUnit(s string) (units.Unit, bool) {
	if english[s] || strings.HasPrefix(s, ")") || strings.HasPrefix(s, "-") || strings.HasPrefix(s, ".") || strings.HasPrefix(s, "*") || strings.HasSuffix(s, ".") || loneNumber.MatchString(s) {
		return units.Unit{}, false
	}
	lower := strings.ToLower(s)
	if lower == "percent" || lower == "per cent" || lower == "%" {
		return units.Parse("%"), true
	}
	s = strings.NewReplacer(`\mathrm`, "", `\text`, "", `\rm`, "", `\`, "").Replace(s)
	u := units.Parse(s)
	switch u.Class() {
	case units.Measured:
		return u, !strings.ContainsAny(s[:1], "0123456789")
	case units.Dimensionless:
		return u, isPercent(u)
	}
	return u, false
}

// isPercent reports whether u is a pure number of another size than 1.
func isPercent(u units.Unit) bool { return u.Class() == units.Dimensionless && u.Factor() != 1 }

var listRE = regexp.MustCompile(`^\s?(?:-|–|—|−|±|\+/-|\+-|,|;|to|and|or|bis|,?\s?and|\.\.\.?|…)\s?[({\[]?[-−+]?$`)

// shareUnits gives a number without a unit that of the number it is listed
// with: "3–5 nT", "54.5 ± 3.6 deg", "(0.1, 0.2, -0.9) nT".
func shareUnits(text string, tokens []token) {
	for i := len(tokens) - 2; i >= 0; i-- {
		t, next := &tokens[i], tokens[i+1]
		if t.isTime || next.isTime || t.unitText != "" || next.unitText == "" || t.end > next.start {
			continue
		}
		if listRE.MatchString(text[t.end:next.start]) && !isPercent(next.unit) || isPercent(next.unit) && rangeRE.MatchString(text[t.end:next.start]) {
			t.unit, t.unitText, t.shared = next.unit, next.unitText, true
			if t.comma != nil {
				t.comma.unit, t.comma.unitText, t.comma.shared = t.unit, t.unitText, true
			}
		}
	}
}

var rangeRE = regexp.MustCompile(`^\s?(?:-|–|—|±|to)\s?$`)
