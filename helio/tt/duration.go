package tt

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"
)

// The lengths that a duration's calendar units are taken for, for there is no month
// that all months agree with.
const (
	dayDuration   = 24 * time.Hour
	weekDuration  = 7 * dayDuration
	monthDuration = 30 * dayDuration
	yearDuration  = 365 * dayDuration
)

// ParseDuration reads a duration of ISO 8601, the form of HAPI's cadence and
// maxRequestDuration: PT16S, PT0.5S, P1DT12H, P7D, P1M. Those of the calendar, which
// have no one length, have these: a day is 86400 s, a week 7 days, a month 30 and a
// year 365. As a usual step or a longest request that is good enough; who steps from
// month to month adds months to a date instead. The smallest unit that is given may
// have decimals, which are rounded to the nanosecond. The error wraps [ErrSyntax], or
// [ErrRange] for more than 292 years.
func ParseDuration(s string) (time.Duration, error) {
	d := durationParser{text: s, rest: strings.TrimSpace(s), like: "PT16S or P1DT12H"}
	return d.iso()
}

// ParseSampling reads how AMDA writes the step between records: a number and a unit
// s (or sec), ms, m (or mn, min), h (or hr), d in either case, as in 16S, 5M,
// 0.00015S, 1H, 1D. M is the minute, also in 12M: no step of AMDA is in months. The
// error wraps [ErrSyntax] or [ErrRange].
func ParseSampling(s string) (time.Duration, error) {
	d := durationParser{text: s, rest: strings.TrimSpace(s), like: "16S or 5M"}
	n, reason := d.number()
	if reason != "" {
		return 0, d.bad(reason)
	}
	unit, ok := samplingUnits[strings.ToLower(strings.TrimSpace(d.rest))]
	if !ok {
		return 0, d.bad("its unit is none of S, M, H and D")
	}
	return d.total(new(big.Rat).Mul(n, rat(unit)))
}

var samplingUnits = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "sec": time.Second, "m": time.Minute, "mn": time.Minute, "min": time.Minute,
	"h": time.Hour, "hr": time.Hour, "d": dayDuration,
}

// A durationParser eats its text from the left; like shows how it should be written.
type durationParser struct{ text, rest, like string }

func (d *durationParser) bad(reason string) error {
	return fmt.Errorf("%w: duration %q: %s; write it like %s", ErrSyntax, clip(d.text), reason, d.like)
}

func rat(unit time.Duration) *big.Rat { return new(big.Rat).SetInt64(int64(unit)) }

// An isoUnit is a letter of a duration, in the order in which they may follow.
type isoUnit struct {
	letter byte
	length time.Duration
}

var (
	dateUnits = []isoUnit{{'Y', yearDuration}, {'M', monthDuration}, {'W', weekDuration}, {'D', dayDuration}}
	timeUnits = []isoUnit{{'H', time.Hour}, {'M', time.Minute}, {'S', time.Second}}
)

func (d *durationParser) iso() (time.Duration, error) {
	if !strings.HasPrefix(d.rest, "P") {
		return 0, d.bad("it does not begin with P")
	}
	d.rest = d.rest[1:]
	total, parts := new(big.Rat), 0
	units, inTime, decimals := dateUnits, false, false
	for d.rest != "" {
		if d.rest[0] == 'T' {
			if inTime || len(d.rest) == 1 {
				return 0, d.bad("nothing follows its T")
			}
			units, inTime, d.rest = timeUnits, true, d.rest[1:]
			continue
		}
		if decimals {
			return 0, d.bad("only the smallest unit may have decimals")
		}
		before := d.rest
		n, reason := d.number()
		if reason != "" {
			return 0, d.bad(reason)
		}
		decimals = strings.ContainsAny(before[:len(before)-len(d.rest)], ".,")
		unit, rest, ok := nextUnit(units, d.rest)
		if !ok {
			return 0, d.bad("its units are not Y M W D, then T and H M S, each once")
		}
		units, d.rest = rest, d.rest[1:]
		total.Add(total, n.Mul(n, rat(unit)))
		parts++
	}
	if parts == 0 {
		return 0, d.bad("it has no length")
	}
	return d.total(total)
}

// nextUnit finds the unit that text begins with, and those that may follow it.
func nextUnit(units []isoUnit, text string) (time.Duration, []isoUnit, bool) {
	for i, u := range units {
		if text != "" && text[0] == u.letter {
			return u.length, units[i+1:], true
		}
	}
	return 0, nil, false
}

// number eats digits with or without a decimal point or comma.
func (d *durationParser) number() (*big.Rat, string) {
	i := 0
	points := 0
	for i < len(d.rest) && (isDigit(d.rest[i]) || d.rest[i] == '.' || d.rest[i] == ',') {
		if !isDigit(d.rest[i]) {
			points++
		}
		i++
	}
	if i == 0 || points > 1 || i > 40 || !isDigit(d.rest[0]) || !isDigit(d.rest[i-1]) {
		return nil, "a number is missing or odd"
	}
	n, ok := new(big.Rat).SetString(strings.Replace(d.rest[:i], ",", ".", 1))
	if !ok {
		return nil, "a number is missing or odd"
	}
	d.rest = d.rest[i:]
	return n, ""
}

// total rounds a number of nanoseconds.
func (d *durationParser) total(ns *big.Rat) (time.Duration, error) {
	if ns.Cmp(new(big.Rat).SetInt64(math.MaxInt64)) > 0 {
		return 0, fmt.Errorf("duration %q: %w", clip(d.text), errTooLong)
	}
	half := new(big.Rat).Add(ns, big.NewRat(1, 2))
	return time.Duration(new(big.Int).Quo(half.Num(), half.Denom()).Int64()), nil
}

var errTooLong = fmt.Errorf("%w, or longer than 292 years", ErrRange)

// FormatDuration writes a duration of ISO 8601 in days, hours, minutes and seconds,
// as in PT16S or P1DT12H, and PT0S for none. [ParseDuration] reads it back. A
// negative one is written with a minus sign, which ParseDuration refuses: no cadence
// is negative.
func FormatDuration(d time.Duration) string {
	if d == 0 {
		return "PT0S"
	}
	text := "P"
	if d < 0 {
		text = "-P"
	}
	ns := uint64(d)
	if d < 0 {
		ns = -ns
	}
	day := uint64(dayDuration)
	if days := ns / day; days > 0 {
		text += fmt.Sprintf("%dD", days)
	}
	if ns %= day; ns == 0 {
		return text
	}
	text += "T"
	if h := ns / uint64(time.Hour); h > 0 {
		text += fmt.Sprintf("%dH", h)
	}
	ns %= uint64(time.Hour)
	if m := ns / uint64(time.Minute); m > 0 {
		text += fmt.Sprintf("%dM", m)
	}
	if ns %= uint64(time.Minute); ns > 0 {
		sec := fmt.Sprintf("%d.%09d", ns/uint64(time.Second), ns%uint64(time.Second))
		text += strings.TrimSuffix(strings.TrimRight(sec, "0"), ".") + "S"
	}
	return text
}
