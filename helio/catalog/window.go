package catalog

import (
	"slices"
	"sort"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// A Window is the time from Start, inside, to Stop, outside. As a condition either
// may be [tt.Fill], which leaves that side open.
type Window struct{ Start, Stop tt.Time }

// Contains reports whether t is in the window.
func (w Window) Contains(t tt.Time) bool {
	return !t.IsFill() && (w.Start.IsFill() || t >= w.Start) && (w.Stop.IsFill() || t < w.Stop)
}

// Widen returns the window with so much time more on its two sides; less where that
// is negative.
func (w Window) Widen(before, after time.Duration) Window {
	return Window{w.Start.Add(-before), w.Stop.Add(after)}
}

// Duration is the time from Start to Stop, leap seconds counted.
func (w Window) Duration() time.Duration { return w.Stop.Sub(w.Start) }

// Windows returns the times of the events, in their order: what to fetch for each.
// For a fetch of all together, which asks for nothing twice, take those of a set:
// NewSet(Windows(c)...).Windows().
func Windows(c *Catalog) []Window {
	out := make([]Window, len(c.Events))
	for i := range c.Events {
		out[i] = c.Events[i].Window()
	}
	return out
}

// A Set is a set of times: windows in order that neither overlap nor touch. The
// zero value is empty. It is never changed, so it is safe for concurrent use.
type Set struct{ windows []Window }

// NewSet returns the times that are in any of the windows. Windows that hold
// nothing, because they stop where or before they start, are left out; so are those
// with an open side.
func NewSet(windows ...Window) Set {
	in := make([]Window, 0, len(windows))
	for _, w := range windows {
		if !w.Start.IsFill() && w.Start < w.Stop {
			in = append(in, w)
		}
	}
	slices.SortFunc(in, func(a, b Window) int {
		switch {
		case a.Start < b.Start:
			return -1
		case a.Start > b.Start:
			return 1
		}
		return 0
	})
	out := in[:0]
	for _, w := range in {
		if n := len(out); n > 0 && w.Start <= out[n-1].Stop {
			out[n-1].Stop = max(out[n-1].Stop, w.Stop)
			continue
		}
		out = append(out, w)
	}
	return Set{out}
}

// Cover returns the times that are inside an event.
func (c *Catalog) Cover() Set { return NewSet(Windows(c)...) }

// Windows returns the windows in order. The caller may change them.
func (s Set) Windows() []Window { return slices.Clone(s.windows) }

// Empty reports whether no time is in the set.
func (s Set) Empty() bool { return len(s.windows) == 0 }

// Contains reports whether t is in the set, in a time that grows with the logarithm
// of its windows.
func (s Set) Contains(t tt.Time) bool {
	i := sort.Search(len(s.windows), func(i int) bool { return s.windows[i].Stop > t })
	return i < len(s.windows) && s.windows[i].Start <= t && !t.IsFill()
}

// Duration is how long the set is altogether.
func (s Set) Duration() time.Duration {
	var sum time.Duration
	for _, w := range s.windows {
		sum += w.Duration()
	}
	return sum
}

// Union returns the times that are in either set.
func (s Set) Union(o Set) Set { return NewSet(slices.Concat(s.windows, o.windows)...) }

// Intersect returns the times that are in both sets.
func (s Set) Intersect(o Set) Set {
	var out []Window
	for i, j := 0, 0; i < len(s.windows) && j < len(o.windows); {
		a, b := s.windows[i], o.windows[j]
		if w := (Window{max(a.Start, b.Start), min(a.Stop, b.Stop)}); w.Start < w.Stop {
			out = append(out, w)
		}
		if a.Stop < b.Stop {
			i++
		} else {
			j++
		}
	}
	return Set{out}
}

// Minus returns the times that are in s and not in o.
func (s Set) Minus(o Set) Set {
	var out []Window
	j := 0
	for _, w := range s.windows {
		for j < len(o.windows) && o.windows[j].Stop <= w.Start {
			j++
		}
		for k := j; k < len(o.windows) && o.windows[k].Start < w.Stop; k++ {
			if w.Start < o.windows[k].Start {
				out = append(out, Window{w.Start, o.windows[k].Start})
			}
			w.Start = o.windows[k].Stop
		}
		if w.Start < w.Stop {
			out = append(out, w)
		}
	}
	return Set{out}
}

// overlaps reports whether the window has a time in the set; one that stops where it
// starts counts as that instant.
func (s Set) overlaps(w Window) bool {
	if w.Start >= w.Stop {
		return s.Contains(w.Start)
	}
	i := sort.Search(len(s.windows), func(i int) bool { return s.windows[i].Stop > w.Start })
	return i < len(s.windows) && s.windows[i].Start < w.Stop
}
