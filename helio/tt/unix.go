package tt

import (
	"fmt"
	"math"
)

// FromUnix returns the instant that is so many seconds after 1970-01-01, every day
// counted as 86400 s: Unix time, for whole numbers and for such with decimals. A
// number of this kind cannot name a leap second; the one that POSIX gives to
// 23:59:60 is the next midnight. NaN and what marks a missing value (1e30 and more,
// either sign) become Fill, other times outside TT2000 are an error ([ErrRange]). The
// result is rounded to the nanosecond; at present dates a float64 itself resolves
// 0.24 microseconds, so count in nanoseconds ([FromUnixNano]) where that matters.
func FromUnix(seconds float64) (Time, error) {
	if missing(seconds) {
		return Fill, nil
	}
	if whole := math.Floor(seconds); math.Abs(whole) < 1e11 {
		d, s := floorDiv(int64(whole), 86400)
		ns := s*second + int64(math.Round((seconds-whole)*1e9))
		if t, ok := joinEven(d-unixDay, ns); ok {
			return t, nil
		}
	}
	return Fill, fmt.Errorf("time of %g s since 1970: %w", seconds, ErrRange)
}

// Unix returns the seconds since 1970-01-01, every day counted as 86400 s. A leap
// second is held as in [Time.UTC], and the last 0.1 microseconds before midnight are
// not rounded up to it, so that the date stays right. Fill becomes NaN.
func (t Time) Unix() float64 {
	if t == Fill {
		return math.NaN()
	}
	d, ns := splitHeld(t)
	midnight := (d + unixDay) * 86400
	s := midnight + ns/second
	return below(float64(s)+float64(ns%second)/1e9, float64(midnight+86400))
}

// missing reports whether a number that should be a time says that there is none.
func missing(v float64) bool { return !(math.Abs(v) < 1e30) }

// below returns v, or the last number before limit.
func below(v, limit float64) float64 { return min(v, math.Nextafter(limit, math.Inf(-1))) }

// joinEven is join for forms without leap seconds, where what is left over of a day
// belongs to the next one.
func joinEven(d, ns int64) (Time, bool) {
	days, rest := floorDiv(ns, day)
	return join(d+days, rest)
}
