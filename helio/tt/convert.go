package tt

import (
	"fmt"
	"math"
	"time"
)

// Days from 2000-01-01 back to the origins of the other counts.
const (
	unixDay  = 10957  // 1970-01-01
	epochDay = 730485 // 0000-01-01
)

// FromTime returns the instant of a time.Time, whatever its location. The zero
// time.Time and everything else outside TT2000 is an error ([ErrRange]).
func FromTime(u time.Time) (Time, error) {
	d, s := floorDiv(u.Unix(), 86400)
	if t, ok := join(d-unixDay, s*second+int64(u.Nanosecond())); ok {
		return t, nil
	}
	return Fill, fmt.Errorf("time %s: %w", u.UTC().Format(time.RFC3339Nano), ErrRange)
}

// UTC returns t as a time.Time in UTC. That type has no leap seconds: all of
// 23:59:60 becomes the last nanosecond before midnight, so order is kept and the
// date stays right. Fill becomes the zero time.Time.
func (t Time) UTC() time.Time {
	if t == Fill {
		return time.Time{}
	}
	d, ns := splitHeld(t)
	return time.Unix((d+unixDay)*86400, ns).UTC()
}

// FromUnixNano returns the instant that is ns nanoseconds after 1970-01-01,
// every day counted as 86400 s: numpy's datetime64[ns]. The lowest value, NaT
// there, is Fill; values before 1707 are an error ([ErrRange]).
func FromUnixNano(ns int64) (Time, error) {
	if ns == math.MinInt64 {
		return Fill, nil
	}
	d, r := floorDiv(ns, day)
	if t, ok := join(d-unixDay, r); ok {
		return t, nil
	}
	return Fill, fmt.Errorf("time of %d ns since 1970: %w", ns, ErrRange)
}

// UnixNanoUTC returns the nanoseconds since 1970-01-01, every day counted as
// 86400 s: numpy's datetime64[ns]. A leap second is held as in [Time.UTC]. Fill,
// and times after 2262-04-11 which that form cannot hold, become the lowest
// int64, which is numpy's NaT.
func (t Time) UnixNanoUTC() int64 {
	if t == Fill {
		return math.MinInt64
	}
	d, ns := splitHeld(t)
	d += unixDay
	if d > math.MaxInt64/day || d == math.MaxInt64/day && ns > math.MaxInt64%day {
		return math.MinInt64
	}
	return d*day + ns
}

// FromEpoch converts a CDF_EPOCH: milliseconds since 0000-01-01, without leap
// seconds. What marks a missing time there becomes Fill: the fill -1e31, the
// other fill 9999-12-31T23:59:59.999, the pad 0 and NaN. Any other value outside
// TT2000 is an error ([ErrRange]). The result is rounded to the nanosecond; at
// present dates a CDF_EPOCH itself resolves 8 microseconds.
func FromEpoch(ms float64) (Time, error) {
	if ms == 0 || ms <= -1e30 || ms >= 315569519999999 || ms != ms {
		return Fill, nil
	}
	if ms > 0 {
		whole := math.Floor(ms)
		d, r := floorDiv(int64(whole), 86_400_000)
		ns := r*1_000_000 + int64(math.Round((ms-whole)*1e6))
		if t, ok := join(d-epochDay, ns); ok {
			return t, nil
		}
	}
	return Fill, fmt.Errorf("time of CDF_EPOCH %g: %w", ms, ErrRange)
}

// Epoch returns t as a CDF_EPOCH, rounded to what that type can hold. All of a
// leap second becomes 23:59:59.999; Fill becomes -1e31.
func (t Time) Epoch() float64 {
	if t == Fill {
		return -1e31
	}
	d, ns := split(t)
	if ns >= day {
		ns = day - 1_000_000
	}
	const msPerDay = 86_400_000
	ms := (d+epochDay)*msPerDay + ns/1_000_000
	return float64(ms) + float64(ns%1_000_000)/1e6
}

// FromEpoch16 converts a CDF_EPOCH16: seconds since 0000-01-01, without leap
// seconds, and picoseconds in that second. Missing times become Fill as in
// [FromEpoch]; the picoseconds are rounded to nanoseconds.
func FromEpoch16(e [2]float64) (Time, error) {
	s, ps := e[0], e[1]
	if s == 0 && ps == 0 || s <= -1e30 || s >= 315569519999 || s != s || ps != ps {
		return Fill, nil
	}
	if ps < 0 || ps >= 1e12 {
		return Fill, fmt.Errorf("time of CDF_EPOCH16 %v: the picoseconds must be 0 to 999999999999", e)
	}
	if s > 0 {
		whole := math.Floor(s)
		d, r := floorDiv(int64(whole), 86400)
		ns := r*second + int64(math.Round((s-whole)*1e9+ps/1e3))
		if t, ok := join(d-epochDay, ns); ok {
			return t, nil
		}
	}
	return Fill, fmt.Errorf("time of CDF_EPOCH16 %v: %w", e, ErrRange)
}

// Epoch16 returns t as a CDF_EPOCH16. All of a leap second becomes
// 23:59:59.999999999; Fill becomes -1e31 twice.
func (t Time) Epoch16() [2]float64 {
	if t == Fill {
		return [2]float64{-1e31, -1e31}
	}
	d, ns := splitHeld(t)
	return [2]float64{float64((d+epochDay)*86400 + ns/second), float64(ns % second * 1000)}
}

// splitHeld is split for forms without leap seconds: time stands still on the
// last nanosecond of the day.
func splitHeld(t Time) (d, ns int64) {
	d, ns = split(t)
	return d, min(ns, day-1)
}
