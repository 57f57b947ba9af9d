package tt

import (
	"errors"
	"fmt"
	"strings"
)

// ErrSyntax is wrapped by the error for a text that is not a time.
var ErrSyntax = errors.New("not a time")

// Parse reads a time of UTC. The forms are
//
//	2023  2023-01  2023-01-02  2023-002          cut from the right, day of the year
//	2023-01-02T03  T03:41  T03:41:01  T03:41:01.123   1 to 12 decimals; a blank or a slash for the T
//	20230102  20230102T034101  2023002T034101  20230102034101   compact
//	2023 002 03 41 01.12                         year, day of the year, hour, minute, second
//	02-Jan-2023 03:41:01.123                     as CDF tools print
//
// each with or without a Z at the end. What is cut off is the lowest: "2023" is
// its first instant. Decimals beyond the ninth are dropped. Hour 24 is the end
// of the day, second 60 a leap second that was really inserted. Local offsets
// such as +01:00, and numbers without their leading zeros such as 2015-7-1, are
// refused. Errors wrap [ErrSyntax], or [ErrRange] outside TT2000.
func Parse(s string) (Time, error) {
	p := parser{rest: strings.Trim(s, " \t\r\n")}
	c, reason := p.calendar()
	if reason == "" && p.rest != "" {
		reason = leftover(p.rest)
	}
	var t Time
	if reason == "" {
		t, reason = c.time()
	}
	switch reason {
	case "":
		return t, nil
	case errRange:
		return Fill, fmt.Errorf("time %q: %w", clip(s), ErrRange)
	}
	return Fill, fmt.Errorf("%w: %q: %s; write it like 2023-01-02T03:41:01Z", ErrSyntax, clip(s), reason)
}

func clip(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "..."
	}
	return s
}

func leftover(rest string) string {
	if rest[0] == '+' || rest[0] == '-' {
		return "give UTC, a local offset is not accepted"
	}
	return "something follows that does not belong to it"
}

// A parser eats its text from the left.
type parser struct{ rest string }

const (
	errEmpty    = "it is empty"
	errYearText = "it must begin with a year of four digits, a compact date of eight (seven, with the day of the year, before a T), or a day like 02-Jan-2023"
	errDate     = "after the year come two digits (month) or three (day of the year)"
	errTwo      = "months, days, hours, minutes and seconds have two digits"
	errFraction = "a fraction has 1 to 12 digits"
)

func (p *parser) calendar() (calendar, string) {
	if p.rest == "" {
		return calendar{}, errEmpty
	}
	c := calendar{month: 1, day: 1}
	follows, reason := p.date(&c)
	switch {
	case reason != "" || follows == noClock:
	case follows == digitsNow:
		reason = p.clock(&c, true)
	case p.eat('T') || p.eat(' ') || p.eat('/'):
		reason = p.clock(&c, follows == compactClock)
	}
	if reason == "" {
		p.eat('Z')
	}
	return c, reason
}

// follow says what may stand after a date.
type follow int

const (
	noClock      follow = iota // the day is cut off, or the time has been read
	colonClock                 // T03:41:01
	compactClock               // T034101
	digitsNow                  // 034101
)

// date reads a date in any of the forms, one with blanks to its end.
func (p *parser) date(c *calendar) (follow, string) {
	switch n := p.digits(); {
	case n == 2 && len(p.rest) > 2 && p.rest[2] == '-':
		return colonClock, p.namedDate(c)
	case n == 8 || n == 14:
		c.year, c.month, c.day = p.number(4), p.number(2), p.number(2)
		if n == 14 {
			return digitsNow, ""
		}
		return compactClock, ""
	case n == 7 && strings.HasPrefix(p.rest[n:], "T"):
		c.year = p.number(4)
		return compactClock, p.dayOfYear(c)
	case n != 4:
		return noClock, errYearText
	}
	c.year = p.number(4)
	if len(p.rest) >= 4 && p.rest[0] == ' ' && isDigit(p.rest[1]) {
		return noClock, p.blankSeparated(c)
	}
	whole, reason := p.dateAfterYear(c)
	if !whole {
		return noClock, reason
	}
	return colonClock, reason
}

// dateAfterYear reads what follows a year; whole is false where the day is cut
// off, so that no time of day can follow.
func (p *parser) dateAfterYear(c *calendar) (whole bool, reason string) {
	if !p.eat('-') {
		return false, ""
	}
	switch p.digits() {
	case 3:
		return true, p.dayOfYear(c)
	case 2:
		c.month = p.number(2)
	default:
		return false, errDate
	}
	if !p.eat('-') {
		return false, ""
	}
	if p.digits() != 2 {
		return false, errTwo
	}
	c.day = p.number(2)
	return true, ""
}

func (p *parser) dayOfYear(c *calendar) string {
	n := p.number(3)
	if n < 1 || n > 366 || n == 366 && !leapYear(c.year) {
		return errYear
	}
	_, c.month, c.day = date(dayNumber(c.year, 1, 1) + int64(n) - 1)
	return ""
}

// blankSeparated reads the rest of "2023 002 03 41 01.12".
func (p *parser) blankSeparated(c *calendar) string {
	p.eat(' ')
	if p.digits() != 3 {
		return errDate
	}
	if reason := p.dayOfYear(c); reason != "" {
		return reason
	}
	for _, field := range []*int{&c.hour, &c.minute, &c.second} {
		if !p.eat(' ') {
			return ""
		}
		if p.digits() != 2 {
			return errTwo
		}
		*field = p.number(2)
	}
	return p.fraction(c)
}

// namedDate reads "02-Jan-2023".
func (p *parser) namedDate(c *calendar) string {
	const names = "jan feb mar apr may jun jul aug sep oct nov dec "
	c.day = p.number(2)
	p.eat('-')
	if len(p.rest) < 4 || p.rest[3] != '-' {
		return errYearText
	}
	c.month = 0
	for i := 0; i < len(names); i += 4 {
		if strings.EqualFold(p.rest[:3], names[i:i+3]) {
			c.month = i/4 + 1
		}
	}
	if c.month == 0 {
		return errMonth
	}
	p.rest = p.rest[4:]
	if p.digits() != 4 {
		return errYearText
	}
	c.year = p.number(4)
	return ""
}

// clock reads hours, minutes and seconds, with colons or compact.
func (p *parser) clock(c *calendar, compact bool) string {
	if compact {
		if n := p.digits(); n != 2 && n != 4 && n != 6 {
			return errTwo
		}
	}
	for i, field := range []*int{&c.hour, &c.minute, &c.second} {
		if i > 0 && !compact && !p.eat(':') {
			return ""
		}
		n := p.digits()
		if compact && n == 0 && i > 0 {
			return ""
		}
		if !compact && n != 2 {
			return errTwo
		}
		*field = p.number(2)
	}
	return p.fraction(c)
}

// fraction reads the decimals of the second, if there are any.
func (p *parser) fraction(c *calendar) string {
	if !p.eat('.') {
		return ""
	}
	n := p.digits()
	if n < 1 || n > 12 {
		return errFraction
	}
	for scale := int(second / 10); n > 0; n-- {
		c.nanosecond += p.number(1) * scale
		scale /= 10
	}
	return ""
}

// digits counts the digits at the front.
func (p *parser) digits() int {
	n := 0
	for n < len(p.rest) && isDigit(p.rest[n]) {
		n++
	}
	return n
}

// number eats n characters that are known to be digits.
func (p *parser) number(n int) int {
	v := 0
	for _, b := range []byte(p.rest[:n]) {
		v = v*10 + int(b-'0')
	}
	p.rest = p.rest[n:]
	return v
}

func (p *parser) eat(b byte) bool {
	if p.rest == "" || p.rest[0] != b {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
