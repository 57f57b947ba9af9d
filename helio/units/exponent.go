package units

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// exponent reads "^-3", "^(1/2)", "2" or "-3" after a name or a group; the
// power is in sixths.
func (p *parser) exponent() (power int, explicit bool, err error) {
	if p.accept('^') {
		start := p.pos
		if p.accept('(') {
			end := strings.IndexByte(p.s[p.pos:], ')')
			if end < 0 {
				return 0, false, errSyntax
			}
			text := strings.TrimSpace(p.s[p.pos : p.pos+end])
			p.pos += end + 1
			power, err = fraction(text)
			return power, true, err
		}
		for p.pos < len(p.s) && (isDigit(p.s[p.pos]) || p.s[p.pos] == '.' || (p.pos == start && (p.s[p.pos] == '-' || p.s[p.pos] == '+'))) {
			p.pos++
		}
		power, err = fraction(strings.TrimRight(p.s[start:p.pos], "."))
		return power, true, err
	}
	// An exponent without a sign of power: one digit, perhaps with a sign,
	// nothing attached behind it ("cm-3", "cm2-s", but not "channel-10ms").
	i := p.pos
	if i < len(p.s) && (p.s[i] == '-' || p.s[i] == '+') {
		i++
	}
	if i >= len(p.s) || !isDigit(p.s[i]) {
		return 6, false, nil
	}
	if j := i + 1; j < len(p.s) && (isDigit(p.s[j]) || isName(p.s[j])) {
		return 0, false, errSyntax
	}
	power, err = fraction(p.s[p.pos : i+1])
	p.pos = i + 1
	return power, true, err
}

// fraction reads an exponent such as "-3", "0.5" or "1/2" in sixths.
func fraction(s string) (int, error) {
	den := 1.0
	if head, tail, ok := strings.Cut(s, "/"); ok {
		d, err := strconv.Atoi(strings.TrimSpace(tail))
		if err != nil || d < 1 || d > 6 {
			return 0, errSyntax
		}
		s, den = strings.TrimSpace(head), float64(d)
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.Abs(v) > maxPower {
		return 0, errors.New("an exponent cannot be read")
	}
	six := v * 6 / den
	if math.Abs(six-math.Round(six)) > 1e-9 {
		return 0, errors.New("an exponent is no simple fraction")
	}
	return int(math.Round(six)), nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '%' || c == '#'
}
