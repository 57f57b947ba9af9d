package tt

import (
	"fmt"
	"math"
)

// pb5Fill is the number that CDF writes for a missing INT4.
const pb5Fill = math.MinInt32

// FromPB5 returns the instant of a Time_PB5, the second time variable of ISTP key
// parameters: the year, the day of the year (1 to 366) and the millisecond of that
// day. Milliseconds from 86400000 on lie in a leap second and are accepted where one
// was inserted. It is Fill where a part is -2147483648, which is CDF's fill; else an
// error for what does not exist, or for a time outside TT2000 ([ErrRange]).
func FromPB5(year, dayOfYear, ms int) (Time, error) {
	if year == pb5Fill || dayOfYear == pb5Fill || ms == pb5Fill {
		return Fill, nil
	}
	t, reason := pb5(year, dayOfYear, ms)
	switch reason {
	case "":
		return t, nil
	case errRange:
		return Fill, fmt.Errorf("time of PB5 %d %d %d: %w", year, dayOfYear, ms, ErrRange)
	}
	return Fill, fmt.Errorf("time of PB5 %d %d %d: %s", year, dayOfYear, ms, reason)
}

func pb5(year, dayOfYear, ms int) (Time, string) {
	if year < 1 || year > 9999 {
		return Fill, errRange
	}
	first, length := yearDays(year)
	if dayOfYear < 1 || int64(dayOfYear) > length {
		return Fill, errYear
	}
	d, ns := first+int64(dayOfYear)-1, int64(ms)*1_000_000
	switch {
	case ms < 0 || ms >= 86_401_000:
		return Fill, errMillisecond
	case ns >= day && ns >= dayLength(d):
		return Fill, errLeap
	}
	if t, ok := join(d, ns); ok {
		return t, ""
	}
	return Fill, errRange
}

// PB5 returns t as a Time_PB5; what is finer than a millisecond is cut off. Fill
// becomes -2147483648 three times.
func (t Time) PB5() (year, dayOfYear, ms int) {
	if t == Fill {
		return pb5Fill, pb5Fill, pb5Fill
	}
	_, ns := split(t)
	year, dayOfYear = t.DayOfYear()
	return year, dayOfYear, int(ns / 1_000_000)
}
