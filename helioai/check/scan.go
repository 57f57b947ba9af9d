package check

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/helios-go/helios/helio/units"
)

// token is one number or time of a text.
type token struct {
	start, end int    // bytes of the text, the unit included
	text       string // as written
	isTime     bool
	when       moment // of a time

	value    float64
	digits   string // the number alone, as written
	place    int    // power of ten of the last digit shown: -2 for 3.67
	whole    bool   // written as a whole number, without point or exponent
	unit     units.Unit
	unitText string
	shared   bool   // the unit stands at a neighbour: "3–5 nT"
	comma    *token // the other reading of a comma as in "5,261"
}

// scan returns the numbers and times of a text, valid UTF-8, in its order. Digits inside
// names, paths, versions, list numbers and code are none.
func scan(text string) []token {
	mask := make([]bool, len(text))
	maskCode(text, mask)
	maskNames(text, mask)
	tokens := moments(text, mask)
	maskLabels(text, mask)
	tokens = append(tokens, numbers(text, mask)...)
	slices.SortStableFunc(tokens, func(a, b token) int { return a.start - b.start })
	tokens = join(text, tokens)
	shareUnits(text, tokens)
	return tokens
}

// numbers finds the numbers that the mask leaves free.
func numbers(text string, mask []bool) []token {
	var found []token
	for i := 0; i < len(text) && len(found) <= maxTokens; {
		if mask[i] || !isDigit(text[i]) && !(text[i] == '.' && i+1 < len(text) && isDigit(text[i+1])) || !begins(text, i) {
			i++
			continue
		}
		t, ok := readNumber(text, i)
		t.start = signed(text, mask, i, &t)
		if ok && !masked(mask, i, t.end) && t.finish(text) {
			found = append(found, t)
		}
		i = max(t.end, i+1)
	}
	return found
}

// begins reports whether a number may begin at i: not inside a word, an
// exponent, a version or another number.
func begins(text string, i int) bool {
	before, n := utf8.DecodeLastRuneInString(text[:i])
	if i == 0 {
		return true
	}
	prior, _ := utf8.DecodeLastRuneInString(text[:i-n])
	switch {
	case unicode.IsLetter(before), unicode.IsDigit(before), before == '_', before == '^', before == '#', before == '\\', before == '§', before == '@':
		return false
	case before == '.' || before == ':':
		return !unicode.IsDigit(prior) && !(before == '.' && unicode.IsLetter(prior))
	case before == '-' || before == '−' || before == '+':
		return !unicode.IsLetter(prior) && prior != '^' && prior != '_' && prior != ')' || isWordEnd(text[:i-n])
	case before == '/':
		return !unicode.IsLetter(prior) && prior != '_'
	case unicode.In(before, unicode.No): // a raised digit
		return false
	}
	return true
}

// isWordEnd reports whether a hyphen after this text may be a dash between a
// unit and a number ("3 nT-5 nT") rather than part of a name ("GOES-16").
func isWordEnd(before string) bool {
	i := strings.LastIndexAny(before, " \t\n(")
	word := before[i+1:]
	if i < 0 || word == "" || !units.Parse(word).Convertible() {
		return false
	}
	head := strings.TrimRight(before[:i], " \t")
	return head != "" && isDigit(head[len(head)-1])
}

// signed looks for a sign before the number at i and returns where it starts.
func signed(text string, mask []bool, i int, t *token) int {
	r, n := utf8.DecodeLastRuneInString(text[:i])
	minus := r == '-' || r == '−' || r == '–' || r == '﹣' || r == '－'
	if i == 0 || !minus && r != '+' || mask[i-n] {
		return i
	}
	prior, m := utf8.DecodeLastRuneInString(text[:i-n])
	if i-n > 0 && !unicode.IsSpace(prior) && !strings.ContainsRune("([{<>=≈~|:,;\"'`*$±/≤≥×", prior) {
		return i // a range "3-5" or a hyphen
	}
	if r == '–' && unicode.IsSpace(prior) {
		if before, _ := utf8.DecodeLastRuneInString(text[:i-n-m]); unicode.IsDigit(before) {
			return i // "3 –5"
		}
	}
	if minus {
		t.value = -t.value
		if t.comma != nil {
			t.comma.value = -t.comma.value
		}
	}
	return i - n
}

// finish reads what follows the digits, a unit or a word, and says whether this
// is a number that states something.
func (t *token) finish(text string) bool {
	digitsEnd := t.end
	t.digits = text[t.start:t.end]
	t.unit, t.unitText, t.end = unitAfter(text, t.end)
	if t.unitText == "" {
		rest := text[digitsEnd:]
		r, n := utf8.DecodeRuneInString(rest)
		switch {
		case rest == "":
		case unicode.IsLetter(r) || r == '_':
			// "1st", "3D", "1990s", "2b": a name, unless it says "times".
			if !strings.HasPrefix(rest, "x") || len(rest) > 1 && isWord(rest[1]) {
				t.end = wordEnd(text, digitsEnd)
				return false
			}
		case r == '-' || r == '‑':
			if next, _ := utf8.DecodeRuneInString(rest[n:]); unicode.IsLetter(next) && t.whole {
				t.end = wordEnd(text, digitsEnd+n)
				return false // "3-component", "2-D"
			}
		}
		if t.structural(text[digitsEnd:]) {
			return false
		}
	}
	if t.whole && t.value == 1 && t.unit.String() == "AU" {
		return false // a place, "at 1 AU"
	}
	t.text = text[t.start:t.end]
	if t.comma != nil {
		t.comma.start, t.comma.end, t.comma.text, t.comma.digits = t.start, t.end, t.text, t.digits
		t.comma.unit, t.comma.unitText = t.unit, t.unitText
	}
	return !math.IsInf(t.value, 0)
}

// structuralNoun is what a small whole number counts as part of a description
// rather than of a result: "2 spacecraft", "3 components".
var structuralNoun = regexp.MustCompile(`(?i)^\s+(?:\w+\s+)?(?:spacecraft|satellites?|probes?|missions?|instruments?|datasets?|parameters?|variables?|components?|axes|dimensions?|panels?|figures?|plots?|steps?|ways?|parts?|columns?|methods?|recipes?|scripts?|files?|decimals?|digits?|significant)\b`)

// structural reports whether the number, followed by rest, describes the set-up.
func (t *token) structural(rest string) bool {
	return t.whole && math.Abs(t.value) < 32 && structuralNoun.MatchString(rest[:min(len(rest), 48)])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// wordEnd returns where the word or name that begins at i ends.
func wordEnd(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' {
			return i
		}
		i += n
	}
	return i
}
