package tt

import (
	"fmt"
	"math"
)

// FromMJD returns the instant of a Modified Julian Day of UTC, day + fraction: days
// since 1858-11-17, each taken for 86400 s. Both may have decimals, so one number
// will do (with 0 beside it), which at present dates resolves 0.6 microseconds;
// whole days and their fraction in two numbers are exact to the nanosecond. NaN and
// what marks a missing value (1e30 and more, either sign) become Fill, other times
// outside TT2000 are an error ([ErrRange]).
func FromMJD(dayNumber, fraction float64) (Time, error) {
	if missing(dayNumber) || missing(fraction) {
		return Fill, nil
	}
	if t, ok := julian(dayNumber, fraction, modifiedJulian2000, 0); ok {
		return t, nil
	}
	return Fill, fmt.Errorf("time of MJD %g + %g: %w", dayNumber, fraction, ErrRange)
}

// MJD returns t as a Modified Julian Day of UTC: the whole day, and the fraction of
// 86400 s that has passed of it, 0 to just below 1. A leap second is held as in
// [Time.UTC]. [FromMJD] gives back the same Time. Fill becomes NaN twice.
func (t Time) MJD() (dayNumber, fraction float64) {
	if t == Fill {
		return math.NaN(), math.NaN()
	}
	d, ns := splitHeld(t)
	return float64(d + modifiedJulian2000), float64(ns) / float64(day)
}

// FromJD is [FromMJD] for a Julian Date of UTC, which begins at noon and is larger by
// 2400000.5. One number resolves 40 microseconds at present dates.
func FromJD(dayNumber, fraction float64) (Time, error) {
	if missing(dayNumber) || missing(fraction) {
		return Fill, nil
	}
	if t, ok := julian(dayNumber, fraction, modifiedJulian2000+2_400_000, day/2); ok {
		return t, nil
	}
	return Fill, fmt.Errorf("time of JD %g + %g: %w", dayNumber, fraction, ErrRange)
}

// JD is [Time.MJD] for the Julian Date: the date of the midnight before t, which ends
// in .5, and the fraction of the day since then.
func (t Time) JD() (dayNumber, fraction float64) {
	dayNumber, fraction = t.MJD()
	return dayNumber + 2_400_000.5, fraction
}

// julian joins two parts of a count of days that begins the given days before
// 2000-01-01 and ns before that midnight.
func julian(a, b float64, days, ns int64) (Time, bool) {
	const most = 1e8
	wholeA, wholeB := math.Floor(a), math.Floor(b)
	if math.Abs(wholeA) > most || math.Abs(wholeB) > most {
		return Fill, false
	}
	passed := math.Round((a-wholeA)*float64(day) + (b-wholeB)*float64(day))
	return joinEven(int64(wholeA)+int64(wholeB)-days, int64(passed)-ns)
}
