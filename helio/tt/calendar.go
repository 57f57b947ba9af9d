package tt

import "fmt"

// FromCalendar returns the instant of a date and time of UTC in the Gregorian
// calendar. Second 60 is accepted where a leap second was inserted, hour 24
// where the rest is zero (it is the start of the next day). Anything else out of
// its range is an error, and so is a time outside TT2000 ([ErrRange]).
func FromCalendar(year, month, dayOfMonth, hour, minute, sec, nanosecond int) (Time, error) {
	c := calendar{year, month, dayOfMonth, hour, minute, sec, nanosecond}
	t, reason := c.time()
	switch {
	case reason == errRange:
		return Fill, fmt.Errorf("time %s: %w", c, ErrRange)
	case reason != "":
		return Fill, fmt.Errorf("time %s: %s", c, reason)
	}
	return t, nil
}

// Calendar returns the UTC date and time of t. The second is 60 inside a leap
// second. It has no meaning for Fill.
func (t Time) Calendar() (year, month, dayOfMonth, hour, minute, sec, nanosecond int) {
	d, ns := split(t)
	year, month, dayOfMonth = date(d)
	s := min(ns/second, 86399)
	return year, month, dayOfMonth, int(s / 3600), int(s / 60 % 60),
		int(s%60 + (ns/second - s)), int(ns % second)
}

// DayOfYear returns the UTC year of t and the day in it, 1 to 366.
func (t Time) DayOfYear() (year, day int) {
	d, _ := split(t)
	year, _, _ = date(d)
	return year, int(d-dayNumber(year, 1, 1)) + 1
}

// Approximate reports whether t lies before 1960, where UTC as we know it did
// not exist and its difference to atomic time is taken as zero.
func (t Time) Approximate() bool { return t != Fill && t < eras[1].start }

type calendar struct{ year, month, day, hour, minute, second, nanosecond int }

func (c calendar) String() string {
	return fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d.%09d", c.year, c.month, c.day,
		c.hour, c.minute, c.second, c.nanosecond)
}

// Reasons are constants so that a caller on a hot path pays for no error that
// nobody looks at.
const (
	errRange       = "outside the range"
	errMonth       = "the month must be 01 to 12"
	errDay         = "that month has no such day"
	errYear        = "that year has no such day"
	errHour        = "the hour must be 00 to 23, or 24:00:00"
	errMinute      = "the minute must be 00 to 59"
	errSecond      = "the second must be 00 to 59, or 60 in a leap second"
	errLeap        = "no leap second was inserted there"
	errMillisecond = "the millisecond of the day must be 0 to 86399999, or 86400999 at most in a leap second"
	errNano        = "the nanosecond must be 0 to 999999999"
)

// time returns the instant, or the reason why there is none.
func (c calendar) time() (Time, string) {
	switch {
	case c.month < 1 || c.month > 12:
		return Fill, errMonth
	case c.day < 1 || c.day > daysIn(c.year, c.month):
		return Fill, errDay
	case c.hour < 0 || c.hour > 24 || c.hour == 24 && (c.minute|c.second|c.nanosecond) != 0:
		return Fill, errHour
	case c.minute < 0 || c.minute > 59:
		return Fill, errMinute
	case c.second < 0 || c.second > 60:
		return Fill, errSecond
	case c.nanosecond < 0 || int64(c.nanosecond) >= second:
		return Fill, errNano
	case c.year < 1 || c.year > 9999:
		return Fill, errRange
	}
	d := dayNumber(c.year, c.month, c.day)
	ns := int64(c.hour*3600+c.minute*60+c.second)*second + int64(c.nanosecond)
	if c.hour == 24 {
		d, ns = d+1, 0
	}
	if c.second == 60 && (ns < day || ns >= dayLength(d)) {
		return Fill, errLeap
	}
	t, ok := join(d, ns)
	if !ok {
		return Fill, errRange
	}
	return t, ""
}

// dayNumber counts days from 2000-01-01. The calendar is treated as beginning
// in March, so that the leap day comes last.
func dayNumber(year, month, dayOfMonth int) int64 {
	y, m := int64(year), int64(month)
	if m <= 2 {
		y, m = y-1, m+12
	}
	century, _ := floorDiv(y, 100)
	fourth, _ := floorDiv(y, 4)
	four, _ := floorDiv(y, 400)
	return 365*y + fourth - century + four + (153*(m-3)+2)/5 + int64(dayOfMonth) - 1 - marchFirst
}

// marchFirst is 2000-01-01 counted from 0000-03-01.
const marchFirst = 730425

// date is the inverse of dayNumber.
func date(d int64) (year, month, dayOfMonth int) {
	const fourHundredYears, hundredYears, fourYears = 146097, 36524, 1461
	n, r := floorDiv(d+marchFirst, fourHundredYears)
	c := min(r/hundredYears, 3)
	r -= c * hundredYears
	q := r / fourYears
	r -= q * fourYears
	y := min(r/365, 3)
	r -= y * 365
	m := (5*r + 2) / 153
	dayOfMonth = int(r-(153*m+2)/5) + 1
	year = int(400*n + 100*c + 4*q + y)
	month = int(m) + 3
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, dayOfMonth
}

func leapYear(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

func daysIn(year, month int) int {
	switch {
	case month == 2 && leapYear(year):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}
