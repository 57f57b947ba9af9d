package check

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	// Digits with what may group or divide them; what it means is decided below.
	digitsRE = regexp.MustCompile(`^(?:\d{1,3}(?:[\x{a0}\x{202f}\x{2009}'’]\d{3})+|\d+(?:,\d{3})+|\d{1,3}(?:\.\d{3})+,|\d+)`)
	powerRE  = regexp.MustCompile(`^(?:[eE]([-+−]?\d{1,3})|\s?(?:×|x|\*|·|\\times|\\cdot)\s?10\s?(?:(?:\^|\*\*)\s?[{(]?\s?([-+−–]?\d{1,3})\s?[)}]?|([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)))`)
	tenRE    = regexp.MustCompile(`^10(?:(?:\^|\*\*)[{(]?([-+−]?\d{1,3})[)}]?|([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))`)
	wordsRE  = regexp.MustCompile(`(?i)^\s(thousand|million|billion)\b`)
)

// maxDigits bounds the text of one number; more digits state nothing.
const maxDigits = 400

var raisedDigits = strings.NewReplacer("⁺", "+", "⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4",
	"⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "−", "-", "–", "-")

// readNumber reads the unsigned number at i, up to its unit. The sign is the
// caller's business.
func readNumber(text string, i int) (token, bool) {
	rest := text[i:min(len(text), i+maxDigits)]
	if m := tenRE.FindStringSubmatch(rest); m != nil {
		e, _ := strconv.Atoi(raisedDigits.Replace(m[1] + m[2]))
		return token{value: math.Pow(10, float64(e)), place: e, end: i + len(m[0])}, true
	}
	plain, place, length, comma := readDigits(rest, i > 1 && text[i-1] == ',' && isDigit(text[i-2]))
	t := token{end: i + length, place: place, whole: place == 0 && !strings.Contains(rest[:length], ".")}
	var err error
	if t.value, err = strconv.ParseFloat(plain, 64); err != nil {
		return t, false
	}
	if comma != "" {
		v, _ := strconv.ParseFloat(comma, 64)
		t.comma = &token{value: v, place: -3}
	}
	scale := 0
	if m := powerRE.FindStringSubmatch(text[t.end:min(len(text), t.end+maxDigits)]); m != nil && !isWordAt(text, t.end+len(m[0])) {
		scale, _ = strconv.Atoi(raisedDigits.Replace(m[1] + m[2] + m[3]))
		t.end += len(m[0])
	} else if m := wordsRE.FindStringSubmatch(text[t.end:min(len(text), t.end+maxDigits)]); m != nil {
		scale = map[byte]int{'t': 3, 'm': 6, 'b': 9}[m[1][0]|0x20]
		t.end += len(m[0])
	}
	if scale != 0 {
		t.whole, t.place, t.comma = false, t.place+scale, nil
		if t.value, err = strconv.ParseFloat(plain+"e"+strconv.Itoa(scale), 64); err != nil {
			return t, false
		}
	}
	return t, true
}

func isWordAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[min(i, len(text)):])
	return r < utf8.RuneSelf && isDigit(byte(r))
}

// readDigits reads digits with their separators and returns them as Go writes
// numbers, the power of ten of the last one, and the length read. comma is the
// other reading of a single comma before exactly three digits, as in "5,261".
// In a list such as "1,2,3" a comma divides.
func readDigits(s string, list bool) (plain string, place, length int, comma string) {
	head := digitsRE.FindString(s)
	if strings.HasSuffix(head, ",") { // "1.234,5" in the continental manner
		if frac := leadingDigits(s[len(head):]); frac != "" && !strings.HasPrefix(s[len(head)+len(frac):], ",") && !strings.HasPrefix(s[len(head)+len(frac):], ".") {
			return strings.ReplaceAll(head[:len(head)-1], ".", "") + "." + frac, -len(frac), len(head) + len(frac), ""
		}
		head = leadingDigits(s)
	}
	if list {
		head = leadingDigits(s)
	}
	length = len(head)
	rest := s[length:]
	grouped := strings.Contains(head, ",")
	if grouped && (leadingDigits(rest) != "" || head[0] == '0' || strings.IndexByte(head, ',') > 3) {
		// "0,657", "1,2345" or "12345,678": no groups of three.
		head = leadingDigits(s)
		length, rest, grouped = len(head), s[len(head):], false
	}
	plain = strip(head)
	if strings.HasPrefix(rest, ".") {
		if frac := leadingDigits(rest[1:]); frac != "" {
			return plain + "." + frac, -len(frac), length + 1 + len(frac), ""
		}
		return plain, 0, length, ""
	}
	if strings.HasPrefix(rest, ",") && !grouped && !list {
		frac := leadingDigits(rest[1:])
		if frac != "" && !strings.HasPrefix(rest[1+len(frac):], ",") && !strings.HasPrefix(rest[1+len(frac):], ".") {
			return plain + "." + frac, -len(frac), length + 1 + len(frac), ""
		}
	}
	if grouped && strings.Count(head, ",") == 1 {
		comma = strings.Replace(head, ",", ".", 1)
	}
	return plain, 0, length, comma
}

func leadingDigits(s string) string {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return s[:i]
}

// strip drops everything but digits.
func strip(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// readCommas decides how the answer writes "5,261": as a decimal comma if it
// uses one elsewhere; with no sign either way, as what the ledger knows.
func (c *checker) readCommas() {
	decimal, thousands := false, false
	for _, t := range c.tokens {
		if t.isTime || t.comma != nil {
			continue
		}
		number := t.digits
		if i := strings.LastIndexByte(number, ','); i >= 0 && !strings.Contains(number[i:], ".") && t.place == -(len(number)-i-1) {
			decimal = true
		}
		thousands = thousands || strings.Contains(number, ".") && !strings.Contains(number, ",") || strings.Count(number, ",") > 1
	}
	for i, t := range c.tokens {
		if t.comma == nil {
			continue
		}
		if decimal || !thousands && c.byValue(*t.comma) != nil && c.byValue(t) == nil {
			c.tokens[i] = *t.comma
		}
	}
}
