package check

import (
	"math"
	"time"
)

// isGiven reports whether a given text says the number or time t.
func (c *checker) isGiven(t token) bool {
	if t.isTime {
		return c.restates(t.when)
	}
	for _, q := range c.asked {
		if q.isTime {
			continue
		}
		for _, q := range []*token{&q, q.comma} {
			if q == nil || math.Abs(q.value-t.value) > 1e-12*math.Abs(t.value) {
				continue
			}
			if q.unitText == "" || t.unitText == "" || q.unit.Same(t.unit) || fold(q.unitText) == fold(t.unitText) {
				return true
			}
		}
	}
	return false
}

// restates reports whether m only repeats what the question says about time:
// its dates and clocks, in any combination, and where a period that it names
// begins and ends.
func (c *checker) restates(m moment) bool {
	m = m.midnight()
	day, clock := !m.hasDate(), !m.hasClock()
	// A day's own beginning and end are said with the day.
	if m.hasDate() && m.hasClock() {
		end := m.hour == 23 && m.minute == 59 && (m.sec == none || m.sec == 59)
		clock = m.clock() == 0 || end
	}
	for _, q := range c.asked {
		if !q.isTime {
			continue
		}
		w := q.when
		day = day || w.hasDate() && m.hasDate() && within(m, w)
		clock = clock || w.hasClock() && m.hasClock() && w.midnight().clock() == m.clock()
	}
	return day && clock
}

// within reports whether the date of m is that of the asked date w, or where
// the asked period begins, ends, or the day after it.
func within(m, w moment) bool {
	if w.hasClock() {
		w = w.midnight()
	}
	switch dayOnly := func(m moment) bool { return m.year == none && m.month == none }; {
	case dayOnly(w):
		return m.day == w.day
	case dayOnly(m):
		return w.day == none || m.day == w.day || m.day == w.day+1
	}
	if w.month == none {
		first := m.month == none || m.month == 1 && (m.day == none || m.day == 1)
		last := m.month == 12 && (m.day == none || m.day == 31)
		return m.year == w.year && (first || last) || m.year == w.year+1 && m.month == 1 && m.day == 1
	}
	if m.month == none {
		return m.year == w.year
	}
	year := w.year
	if year == none {
		year = m.year
	}
	if m.year != none && m.year != year {
		// 1 January after an asked December.
		return m.year == year+1 && m.month == 1 && m.day == 1 && w.month == 12 && (w.day == none || w.day == 31)
	}
	if m.day == none {
		return m.month == w.month
	}
	if year == none {
		year = 2024
	}
	first, last := w.day, w.day
	if w.day == none {
		first, last = 1, time.Date(year, time.Month(w.month+1), 0, 0, 0, 0, 0, time.UTC).Day()
	}
	next := time.Date(year, time.Month(w.month), last+1, 0, 0, 0, 0, time.UTC)
	return m.month == w.month && (m.day == first || m.day == last) || m.month == int(next.Month()) && m.day == next.Day()
}

// couldBeYear reports whether a number may be a year of the space age.
func (t token) couldBeYear() bool {
	return !t.isTime && t.whole && t.unitText == "" && t.value >= 1957 && t.value <= 2100
}

// isYear reports whether a bare number is a year that the question or the data
// speak of.
func (c *checker) isYear(t token) bool {
	if !t.couldBeYear() {
		return false
	}
	m := nowhere
	m.year = int(t.value)
	for _, q := range c.asked {
		if q.isTime && q.when.year == m.year {
			return true
		}
	}
	return c.window(m) != ""
}
