package catalog

import (
	"cmp"
	"slices"

	"github.com/helios-go/helios/helio/tt"
)

// Merge returns a catalogue with the events of all, in order of their starts, then
// stops, then as they came. Columns of one name become one, and events that are the
// same in start, stop and all values are there once. The descriptions of the
// columns, and what is said about the whole, are those of the first.
func Merge(catalogs ...*Catalog) *Catalog {
	out := &Catalog{}
	if len(catalogs) > 0 {
		first := *catalogs[0]
		out = &first
		out.ID, out.Kind, out.Survey = "", "", nil
		out.Columns, out.Events, out.Notes, out.Skipped = nil, nil, nil, 0
	}
	where := make([][]int, len(catalogs)) // of each column, in the result
	for k, c := range catalogs {
		where[k] = make([]int, len(c.Columns))
		for i, col := range c.Columns {
			j := slices.IndexFunc(out.Columns, func(o Column) bool { return o.Name == col.Name })
			if j < 0 || slices.Contains(where[k][:i], j) { // a second of one name stays a second
				j = len(out.Columns)
				out.Columns = append(out.Columns, col)
			}
			where[k][i] = j
		}
	}
	for k, c := range catalogs {
		for _, e := range c.Events {
			values := make([]string, len(out.Columns))
			for i, j := range where[k] {
				values[j] = e.Value(i)
			}
			out.Events = append(out.Events, Event{e.Start, e.Stop, values})
		}
	}
	slices.SortStableFunc(out.Events, byTime)
	out.Events = unique(out.Events)
	out.Kind = out.KindOf()
	return out
}

func byTime(a, b Event) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Stop, b.Stop))
}

// unique drops events that were there before among those of the same time.
func unique(events []Event) []Event {
	out := events[:0]
	first := 0 // of the same time
	for _, e := range events {
		if first < len(out) && byTime(out[first], e) != 0 {
			first = len(out)
		}
		if !slices.ContainsFunc(out[first:], func(o Event) bool { return slices.Equal(o.Values, e.Values) }) {
			out = append(out, e)
		}
	}
	return out
}

// Overlapping returns the events that have a time in the set, whole and with their
// values: c.Overlapping(other.Cover()) are those that the other catalogue has as
// well.
func (c *Catalog) Overlapping(s Set) *Catalog {
	return c.keep(func(e *Event) bool { return s.overlaps(e.Window()) })
}

// Apart returns the events that have no time in the set.
func (c *Catalog) Apart(s Set) *Catalog {
	return c.keep(func(e *Event) bool { return !s.overlaps(e.Window()) })
}

// keep returns the catalogue with some of its events.
func (c *Catalog) keep(which func(*Event) bool) *Catalog {
	out := *c
	out.Events = nil
	for i := range c.Events {
		if which(&c.Events[i]) {
			out.Events = append(out.Events, c.Events[i])
		}
	}
	return &out
}

// At returns the places of the events that hold a time. An event that stops where it
// starts holds that instant.
func (c *Catalog) At(t tt.Time) []int {
	var out []int
	for i := range c.Events {
		e := &c.Events[i]
		if e.Window().Contains(t) || e.Start == t && e.Stop == t {
			out = append(out, i)
		}
	}
	return out
}
