package tt

import (
	"fmt"
	"math"
)

// FromDecimalYear returns the instant of a year of UTC with decimals: 2015.5 is the
// middle of 2015. A year is taken for its own 365 or 366 days of 86400 s, not for
// 365.25. NaN and what marks a missing value (1e30 and more, either sign) become
// Fill, other times outside TT2000 are an error ([ErrRange]). At present dates a
// float64 resolves 7 microseconds of this form, and three decimals only 9 hours.
func FromDecimalYear(year float64) (Time, error) {
	if missing(year) {
		return Fill, nil
	}
	if whole := math.Floor(year); whole >= 1 && whole <= 9999 {
		first, length := yearDays(int(whole))
		ns := int64(math.Round((year - whole) * float64(length*day)))
		if t, ok := joinEven(first, ns); ok {
			return t, nil
		}
	}
	return Fill, fmt.Errorf("time of the decimal year %g: %w", year, ErrRange)
}

// DecimalYear returns t as a year of UTC with decimals, as [FromDecimalYear] reads
// it. A leap second is held as in [Time.UTC]; Fill becomes NaN.
func (t Time) DecimalYear() float64 {
	if t == Fill {
		return math.NaN()
	}
	d, ns := splitHeld(t)
	year, _, _ := date(d)
	first, length := yearDays(year)
	passed := float64((d-first)*day+ns) / float64(length*day)
	return below(float64(year)+passed, float64(year+1))
}

// yearDays returns the first day of a year, counted from 2000-01-01, and how many it
// has.
func yearDays(year int) (first, length int64) {
	first = dayNumber(year, 1, 1)
	return first, dayNumber(year+1, 1, 1) - first
}
