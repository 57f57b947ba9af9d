// Package tt holds time as space-physics archives do: TT2000, the number of
// nanoseconds since J2000 with leap seconds included.
//
// A [Time] is an int64, so it can be compared, sorted and subtracted like any
// integer, and a difference is a true elapsed time even across a leap second:
//
//	a, err := tt.Parse("2016-12-31T23:59:59Z")
//	b, err := tt.Parse("2017-01-01T00:00:00Z")
//	fmt.Println(b.Sub(a)) // 2s: there was a 23:59:60
//
// # Forms
//
// [Parse] reads the forms in which archives write times (ISO 8601 as HAPI uses
// it, cut from the right, with month and day or day of the year; and a few
// older ones); [Time.String] writes the shortest exact one. [ParseHours] reads
// the hours of geomagnetic indices. Each form that is made of numbers has a
// function there and a method back:
//
//	FromEpoch, FromEpoch16   Epoch, Epoch16    the older time types of CDF files
//	FromPB5                  PB5               year, day of the year, millisecond
//	FromCalendar             Calendar          year, month, day, hour, minute, ...
//	FromDecimalYear          DecimalYear       2015.5
//	FromMJD, FromJD          MJD, JD           (Modified) Julian Days of UTC
//	FromUnix                 Unix              seconds since 1970
//	FromUnixNano             UnixNanoUTC       numpy's datetime64[ns]
//	FromTime                 UTC               the standard library's time.Time
//
// Calendar and PB5 can name a leap second. The others cannot: there a moment
// inside one becomes the last moment before the following midnight, so that
// order is kept and the date stays right.
//
// Lengths of time are [time.Duration]: [ParseDuration] reads and
// [FormatDuration] writes those of HAPI, [ParseSampling] reads AMDA's.
//
// # Range and precision
//
// Times reach from 1707-09-22T12:12:10.961224193Z to
// 2292-04-11T11:46:07.670775807Z; whatever lies outside is an error that wraps
// [ErrRange]. Since 1972 every label of UTC to the nanosecond has one Time and
// back. From 1960 to 1971 UTC ran at a rate of its own, in steps: conversion
// from UTC and back is exact except in the 0.05 s and 0.1 s that were left out
// at the ends of July 1961 and January 1968; a Time that lies between two
// nanoseconds of that UTC shows the earlier one. Before 1960 there was no such
// UTC: the offset of TAI is taken as zero and [Time.Approximate] says so.
//
// All functions are safe for concurrent use; there is no state.
package tt

import (
	"errors"
	"math"
	"time"
)

// Time is an instant in nanoseconds since J2000 (2000-01-01T12:00:00 TT, which
// is 11:58:55.816 UTC), leap seconds included. The zero value is J2000 itself.
type Time int64

// Fill is the value that marks a missing time. It is not an instant: it prints
// as "fill" and converts to the missing value of the other forms.
const Fill Time = math.MinInt64

// The first and the last instant that a Time can hold.
const (
	Min Time = math.MinInt64 + 1
	Max Time = math.MaxInt64
)

// ErrRange is wrapped by the error for a time before [Min] or after [Max].
var ErrRange = errors.New("outside the range of TT2000, 1707-09-22 to 2292-04-11")

// IsFill reports whether t is [Fill].
func (t Time) IsFill() bool { return t == Fill }

// Add returns t+d, which stops at [Min] and [Max]. Fill stays Fill.
func (t Time) Add(d time.Duration) Time {
	if t == Fill {
		return Fill
	}
	sum := t + Time(d)
	switch {
	case d > 0 && sum < t:
		return Max
	case d < 0 && (sum > t || sum == Fill):
		return Min
	}
	return sum
}

// Sub returns the time that really passed from u to t, leap seconds counted. It
// stops at the longest Duration, about 292 years. It has no meaning when either
// is Fill.
func (t Time) Sub(u Time) time.Duration {
	d := time.Duration(t) - time.Duration(u)
	switch {
	case t > u && d < 0:
		return math.MaxInt64
	case t < u && d > 0:
		return math.MinInt64
	}
	return d
}
