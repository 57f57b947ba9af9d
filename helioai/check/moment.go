package check

import (
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// moment is a date, a time of day or both, as precise as it was written. Parts
// that were not written are none.
type moment struct {
	year, month, day  int
	hour, minute, sec int
	ns, digits        int // decimals of the second that were shown
}

const none = -1

// nowhere is a moment of which nothing is known.
var nowhere = moment{none, none, none, none, none, none, 0, 0}

func (m moment) hasDate() bool  { return m.year != none || m.month != none || m.day != none }
func (m moment) hasClock() bool { return m.hour != none }

// anchored reports whether m names one period on the time axis.
func (m moment) anchored() bool {
	return m.year != none && (m.month != none || m.day == none) && (m.day != none || !m.hasClock())
}

// valid reports whether the calendar has such a moment.
func (m moment) valid() bool {
	if m.month != none && (m.month < 1 || m.month > 12) {
		return false
	}
	if m.day != none {
		year, month := m.year, m.month
		if year == none {
			year = 2024 // 29 February may be meant
		}
		if month == none {
			month = 12 // the 31st may be meant
		}
		if m.day < 1 || m.day > time.Date(year, time.Month(month+1), 0, 0, 0, 0, 0, time.UTC).Day() {
			return false
		}
	}
	if m.hour == 24 {
		return max(m.minute, 0) == 0 && max(m.sec, 0) == 0 && m.ns == 0
	}
	return m.hour < 24 && m.minute < 60 && m.sec <= 60 && (m.sec < 60 || m.hour == 23 && m.minute == 59)
}

// start returns the first instant that an anchored moment names.
func (m moment) start() (tt.Time, bool) {
	if !m.anchored() {
		return tt.Fill, false
	}
	t, err := tt.FromCalendar(m.year, max(m.month, 1), max(m.day, 1), max(m.hour, 0), max(m.minute, 0), max(m.sec, 0), m.ns)
	return t, err == nil
}

// clock returns the time of day at which a moment with a clock begins.
func (m moment) clock() time.Duration {
	return time.Duration(m.hour)*time.Hour + time.Duration(max(m.minute, 0))*time.Minute +
		time.Duration(max(m.sec, 0))*time.Second + time.Duration(m.ns)
}

// at returns the moment of an instant, to the nanosecond.
func at(t tt.Time) moment {
	year, month, day, hour, minute, sec, ns := t.Calendar()
	return moment{year, month, day, hour, minute, sec, ns, 9}
}

// midnight turns 24:00 into 00:00 of the next day, where the day is known.
func (m moment) midnight() moment {
	if m.hour != 24 {
		return m
	}
	if t, ok := m.start(); ok {
		x := at(t)
		m.year, m.month, m.day = x.year, x.month, x.day
	}
	m.hour = 0
	return m
}

// names reports whether the instant t lies in what m names: every part that was
// written is the same.
func (m moment) names(t tt.Time) bool {
	m = m.midnight()
	x := at(t)
	for _, p := range [][2]int{{m.year, x.year}, {m.month, x.month}, {m.day, x.day}, {m.hour, x.hour}, {m.minute, x.minute}, {m.sec, x.sec}} {
		if p[0] != none && p[0] != p[1] {
			return false
		}
	}
	if m.sec == none || m.digits == 0 {
		return true
	}
	unit := 1
	for i := m.digits; i < 9; i++ {
		unit *= 10
	}
	d := x.ns - m.ns
	return d >= 0 && d < unit || d < 0 && -2*d <= unit
}

// agrees reports whether m states the instant t, which is known to tolerance.
func (m moment) agrees(t tt.Time, tolerance time.Duration) bool {
	if t.IsFill() {
		return false
	}
	if m.names(t) {
		return true
	}
	if !m.hasClock() {
		return false
	}
	if s, ok := m.start(); ok {
		return abs(s.Sub(t)) < tolerance
	}
	if m.hasDate() {
		return false
	}
	// A clock alone may mean this day or the one beside it.
	x := at(t)
	d := abs(m.clock() - x.clock())
	return min(d, 24*time.Hour-d) < tolerance
}

func abs(d time.Duration) time.Duration {
	if d < 0 {
		return -d
	}
	return d
}
