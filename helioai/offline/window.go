package offline

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// A coverage is what the data of a parameter span: the first and the last
// instant, both inside, in UTC, and the usual step between records.
type coverage struct {
	start, stop time.Time
	cadence     time.Duration
}

// A window is a half-open stretch of time on the calendar; a zero side is open.
type window struct {
	start, stop time.Time
	instant     time.Time // not zero: the nearest record to it is asked for
	text        string    // how the question said it; "" for everything there is
}

// whole says that the window is everything there is.
func (w window) whole() bool { return w.start.IsZero() && w.stop.IsZero() && w.instant.IsZero() }

// arguments returns the two sides as the data tools take them; "" is open.
func (w window) arguments() (start, stop string) {
	return isoTime(w.start), isoTime(w.stop)
}

// String is the window in words for the answer.
func (w window) String() string {
	switch {
	case !w.instant.IsZero():
		return "nearest to " + isoTime(w.instant)
	case w.whole():
		return "all records"
	case w.start.IsZero():
		return "before " + isoTime(w.stop)
	case w.stop.IsZero():
		return "from " + isoTime(w.start)
	}
	return isoTime(w.start) + " to " + isoTime(w.stop)
}

func isoTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	u, err := tt.FromTime(t)
	if err != nil {
		return ""
	}
	return u.String()
}

// A timeProblem says why the times of a question cannot be placed. Bad marks
// input that is wrong in itself, rather than not understood.
type timeProblem struct {
	reason string
	bad    bool
}

func unclear(format string, args ...any) *timeProblem {
	return &timeProblem{reason: fmt.Sprintf(format, args...)}
}

func wrong(format string, args ...any) *timeProblem {
	return &timeProblem{reason: fmt.Sprintf(format, args...), bad: true}
}

// resolve places spans on the calendar. A clock time takes its day from a date
// elsewhere among the spans, or from data that cover a single day. Without
// spans the answer is one window over everything.
func resolve(spans []*span, c coverage) ([]window, *timeProblem) {
	var days, rest []*span
	for _, s := range spans {
		if s.kind == wholeSpan {
			days = append(days, s)
		} else {
			rest = append(rest, s)
		}
	}
	if len(rest) == 0 {
		return resolveDays(days, c)
	}
	if len(days) > 1 {
		return nil, unclear("the question names several days and times of day, and which belong together is not clear")
	}
	base := calendar{coverage: c}
	if len(days) == 1 {
		d := days[0]
		lo, hi, bad := base.bounds(d.a)
		if bad != nil {
			return nil, bad
		}
		base.lo, base.hi, base.named = lo, hi, true
		base.day = d.a.hasDay()
	}
	var windows []window
	for _, s := range rest {
		w, bad := base.place(s)
		if bad != nil {
			return nil, bad
		}
		w.text = s.text
		if len(days) == 1 {
			w.text = strings.TrimSpace(days[0].text + " " + s.text)
			if !w.stop.After(base.lo) && !w.stop.IsZero() || !w.start.Before(base.hi) {
				return nil, unclear("%q and %q do not meet", days[0].text, s.text)
			}
		}
		windows = append(windows, w)
	}
	if len(windows) == 2 && rest[0].kind == afterSpan && rest[1].kind == beforeSpan {
		windows[0].stop = windows[1].stop // "after 10:00 and before 12:00"
		windows[0].text += " " + windows[1].text
		windows = windows[:1]
	}
	for _, w := range windows {
		if !w.start.IsZero() && !w.stop.IsZero() && !w.start.Before(w.stop) {
			return nil, wrong("the window starts at %s and stops at %s, which is not later; swap them", isoTime(w.start), isoTime(w.stop))
		}
	}
	return windows, nil
}

func resolveDays(days []*span, c coverage) ([]window, *timeProblem) {
	if len(days) == 0 {
		return []window{{}}, nil
	}
	base := calendar{coverage: c}
	var windows []window
	for _, d := range days {
		lo, hi, bad := base.bounds(d.a)
		if bad != nil {
			return nil, bad
		}
		windows = append(windows, window{start: lo, stop: hi, text: d.text})
	}
	if len(windows) == 2 { // "on 2 January 2023 ... in 2023": one says the other more exactly
		for i, w := range windows {
			other := windows[1-i]
			if !w.start.Before(other.start) && !w.stop.After(other.stop) {
				return []window{w}, nil
			}
		}
	}
	return windows, nil
}

// A calendar knows which day, month and year a moment means that says less.
type calendar struct {
	coverage
	lo, hi time.Time // of the date that the question names
	named  bool      // lo and hi are set
	day    bool      // they are a single day
}

// date completes the date of m.
func (c calendar) date(m *moment) (*moment, *timeProblem) {
	if m.problem != "" {
		return nil, wrong("%s", m.problem)
	}
	out := *m
	first, last := c.start, c.stop
	if c.named {
		first, last = c.lo, c.hi.Add(-1)
	}
	// Data that end at midnight sharp do not make a second day.
	if last.After(first) && last.Equal(dayOf(last)) {
		last = last.Add(-1)
	}
	if first.IsZero() {
		return nil, unclear("the data say nothing about their times")
	}
	if !m.hasDate() {
		if !dayOf(first).Equal(dayOf(last)) {
			return nil, unclear("the data span several days, so a time of day needs its date")
		}
		out.year, out.month, out.day = first.Year(), int(first.Month()), first.Day()
		return &out, nil
	}
	if out.year == 0 {
		if first.Year() != last.Year() {
			return nil, unclear("the data span several years, so the date needs its year")
		}
		out.year = first.Year()
	}
	if out.day != 0 && out.month == 0 {
		if first.Month() != last.Month() || first.Year() != last.Year() {
			return nil, unclear("the data span several months, so the day needs its month")
		}
		out.month = int(first.Month())
	}
	if out.day != 0 && time.Date(out.year, time.Month(out.month), out.day, 0, 0, 0, 0, time.UTC).Day() != out.day ||
		out.doy == 366 && time.Date(out.year, 1, 366, 0, 0, 0, 0, time.UTC).Year() != out.year {
		return nil, wrong("no calendar has that day in %d", out.year)
	}
	return &out, nil
}

// bounds is the stretch that a moment means: a day, a month, a year, or from
// its clock time to the next at its precision.
func (c calendar) bounds(m *moment) (lo, hi time.Time, bad *timeProblem) {
	m, bad = c.date(m)
	if bad != nil {
		return lo, hi, bad
	}
	switch {
	case m.doy != 0:
		lo = time.Date(m.year, 1, m.doy, 0, 0, 0, 0, time.UTC)
		hi = lo.AddDate(0, 0, 1)
	case m.day != 0:
		lo = time.Date(m.year, time.Month(m.month), m.day, 0, 0, 0, 0, time.UTC)
		hi = lo.AddDate(0, 0, 1)
	case m.month != 0:
		lo = time.Date(m.year, time.Month(m.month), 1, 0, 0, 0, 0, time.UTC)
		hi = lo.AddDate(0, 1, 0)
	default:
		lo = time.Date(m.year, 1, 1, 0, 0, 0, 0, time.UTC)
		hi = lo.AddDate(1, 0, 0)
	}
	if m.hasClock() {
		lo = lo.Add(m.clock)
		hi = lo
	}
	return lo, hi, nil
}

// place puts a span that is not a mere date on the calendar.
func (c calendar) place(s *span) (window, *timeProblem) {
	switch s.kind {
	case partSpan:
		return c.part(s)
	case rangeSpan:
		if s.b == nil {
			return c.offset(s)
		}
		return c.between(s)
	}
	lo, hi, bad := c.bounds(s.a)
	if bad != nil {
		return window{}, bad
	}
	// A clock time of a named day stays within that day.
	bounded := s.a.hasClock() && (!s.a.hasDate() || s.a.split)
	switch s.kind {
	case afterSpan:
		w := window{start: hi}
		if s.incl {
			w.start = lo
		}
		if bounded {
			w.stop = dayOf(lo).AddDate(0, 0, 1)
		}
		return w, nil
	case beforeSpan:
		w := window{stop: lo}
		if s.incl {
			w.stop = hi
		}
		if bounded {
			w.start = dayOf(lo)
			if lo.Equal(w.start) { // "until midnight" is the end of the day
				w.stop = w.start.AddDate(0, 0, 1)
			}
		}
		return w, nil
	}
	return window{instant: lo}, nil // atSpan and aroundSpan
}

func (c calendar) between(s *span) (window, *timeProblem) {
	a, b := *s.a, *s.b
	switch { // "from 3 to 5 September", "03:00 to 05:30 on 2 January"
	case !a.hasDate() && b.hasDate():
		a.year, a.month, a.day, a.doy = b.year, b.month, b.day, b.doy
	case !b.hasDate() && a.hasDate():
		b.year, b.month, b.day, b.doy = a.year, a.month, a.day, a.doy
	}
	if a.hasDate() && a.year == 0 {
		a.year = b.year
	}
	if b.hasDate() && b.year == 0 {
		b.year = a.year
	}
	if a.day != 0 && a.month == 0 {
		a.month = b.month
	}
	lo, _, bad := c.bounds(&a)
	if bad != nil {
		return window{}, bad
	}
	clock, hi, bad := c.bounds(&b)
	if bad != nil {
		return window{}, bad
	}
	if b.hasClock() {
		hi = clock
		if b.clock == 0 && !s.b.hasDate() && hi.Equal(dayOf(lo)) { // "from 18:00 to midnight"
			hi = hi.AddDate(0, 0, 1)
		}
	}
	if !lo.Before(hi) {
		return window{}, wrong("the window starts at %s and stops at %s, which is not later; swap them", isoTime(lo), isoTime(hi))
	}
	return window{start: lo, stop: hi}, nil
}

func (c calendar) offset(s *span) (window, *timeProblem) {
	lo, hi, bad := c.bounds(s.a)
	if bad != nil {
		return window{}, bad
	}
	d := time.Duration(s.count)
	switch s.part {
	case "before":
		return window{start: lo.Add(-d), stop: lo}, nil
	case "around":
		return window{start: lo.Add(-d), stop: hi.Add(d)}, nil
	}
	return window{start: hi, stop: hi.Add(d)}, nil
}

// part places "the first half of the day", "the last six hours".
func (c calendar) part(s *span) (window, *timeProblem) {
	lo, hi := c.start, c.stop.Add(max(c.cadence, 1)) // the last record is inside
	switch {
	case s.a != nil:
		var bad *timeProblem
		if lo, hi, bad = c.bounds(s.a); bad != nil {
			return window{}, bad
		}
	case c.named:
		lo, hi = c.lo, c.hi
	case s.base == "day":
		if m, bad := c.date(&moment{}); bad != nil {
			return window{}, bad
		} else if lo, hi, bad = c.bounds(m); bad != nil {
			return window{}, bad
		}
	case s.base == "month":
		lo = time.Date(lo.Year(), lo.Month(), 1, 0, 0, 0, 0, time.UTC)
		if hi = lo.AddDate(0, 1, 0); hi.Before(c.stop) {
			return window{}, unclear("the data span several months, so %q needs a name", s.text)
		}
	}
	if s.unit == 24*time.Hour && s.a == nil && !c.named { // calendar days, not 24 h from the first record
		lo, hi = dayOf(lo), dayOf(hi.Add(-1)).AddDate(0, 0, 1)
	}
	total := hi.Sub(lo)
	share := map[string]time.Duration{"half": total / 2, "third": total / 3, "quarter": total / 4}[s.of]
	if s.of == "" {
		length := s.count * float64(s.unit)
		if length <= 0 || length > float64(math.MaxInt64)/2 {
			return window{}, unclear("%q is no length of time", s.text)
		}
		share = time.Duration(length)
	}
	if share > total {
		return window{}, wrong("%q is longer than what it is a part of", s.text)
	}
	switch s.part {
	case "last":
		lo = hi.Add(-share)
	case "second":
		lo = lo.Add(share)
	case "third":
		lo = lo.Add(2 * share)
	}
	if s.part != "last" {
		hi = lo.Add(share)
	}
	return window{start: lo, stop: hi}, nil
}

func dayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}
