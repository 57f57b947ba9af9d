package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MaxColumns is how many columns a page has that did not ask for any.
const MaxColumns = 8

// A Query chooses events. The zero value chooses all of them, in their order.
type Query struct {
	Window     *Window     // of the starts of the events; nil is any time
	Where      []Condition // all must hold
	Sort       string      // column, or "start" or "stop"; "" keeps the order
	Descending bool
	Columns    []string // of the page; nil is the first [MaxColumns], "*" is all
	Offset     int      // events to leave out at the beginning
	Limit      int      // events on the page; 0 is all of them
}

// A Page is what a query found.
type Page struct {
	Columns  []Column // those asked for, and the one that was sorted by
	Events   []Event  // with values for these columns
	Total    int      // events of the catalogue
	Filtered int      // events that the window and the conditions let pass
	Offset   int      // as asked
}

// Select applies a query: first the window, then the conditions, then the order,
// then the page. An offset beyond the end gives a page without events. The error is
// a [*ColumnError] or a [*QueryError].
//
// In sorting, numbers come before texts and values that are missing last, in either
// direction; events that are equal keep their order.
func (c *Catalog) Select(q Query) (*Page, error) {
	if q.Offset < 0 || q.Limit < 0 {
		return nil, &QueryError{Reason: fmt.Sprintf("offset %d and limit %d: neither can be negative", q.Offset, q.Limit)}
	}
	places, err := c.places(q)
	if err != nil {
		return nil, err
	}
	found, err := c.Filter(q)
	if err != nil {
		return nil, err
	}
	p := &Page{Total: len(c.Events), Filtered: len(found.Events), Offset: q.Offset}
	for _, i := range places {
		p.Columns = append(p.Columns, c.Columns[i])
	}
	events := found.Events[min(q.Offset, len(found.Events)):]
	if q.Limit > 0 {
		events = events[:min(q.Limit, len(events))]
	}
	for _, e := range events {
		values := make([]string, len(places))
		for k, i := range places {
			values[k] = e.Value(i)
		}
		p.Events = append(p.Events, Event{e.Start, e.Stop, values})
	}
	return p, nil
}

// Filter returns the catalogue with the events that a query finds, in its order and
// with all columns; Columns, Offset and Limit of the query do not matter.
func (c *Catalog) Filter(q Query) (*Catalog, error) {
	holds := make([]func(*Event) bool, 0, len(q.Where)+1)
	if w := q.Window; w != nil {
		if !w.Start.IsFill() && !w.Stop.IsFill() && w.Start >= w.Stop {
			return nil, &QueryError{Reason: fmt.Sprintf("the window starts at %v and stops at %v, which is not later; swap them", w.Start, w.Stop)}
		}
		holds = append(holds, func(e *Event) bool { return w.Contains(e.Start) })
	}
	for _, cond := range q.Where {
		h, err := c.condition(cond)
		if err != nil {
			return nil, err
		}
		holds = append(holds, h)
	}
	out := c.keep(func(e *Event) bool {
		return !slices.ContainsFunc(holds, func(h func(*Event) bool) bool { return !h(e) })
	})
	if q.Sort == "" {
		return out, nil
	}
	f, err := c.cell(q.Sort)
	if err != nil {
		return nil, err
	}
	out.sort(f, q.Descending)
	return out, nil
}

// sort orders the events by a cell, each of which is looked at once.
func (c *Catalog) sort(f func(*Event) value, descending bool) {
	type keyed struct {
		key value
		e   Event
	}
	all := make([]keyed, len(c.Events))
	for i := range c.Events {
		all[i] = keyed{f(&c.Events[i]), c.Events[i]}
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		if d := cmp.Compare(a.key.rank(), b.key.rank()); d != 0 {
			return d
		}
		if descending {
			return b.key.compare(a.key)
		}
		return a.key.compare(b.key)
	})
	for i := range all {
		c.Events[i] = all[i].e
	}
}

// places are those of the columns of a page.
func (c *Catalog) places(q Query) ([]int, error) {
	var places []int
	all := slices.Contains(q.Columns, "*")
	for i := range c.Columns {
		if all || len(q.Columns) == 0 && i < MaxColumns {
			places = append(places, i)
		}
	}
	names := q.Columns
	if q.Sort != "" {
		names = append(slices.Clone(names), q.Sort)
	}
	for _, name := range names {
		i, ok := c.Column(name)
		switch {
		case ok && !slices.Contains(places, i):
			places = append(places, i)
		case !ok && name != "*" && !isStart(name) && !isStop(name):
			return nil, c.unknown(name)
		}
	}
	return places, nil
}

func isStart(name string) bool { return strings.EqualFold(name, "start") }
func isStop(name string) bool  { return strings.EqualFold(name, "stop") }

// ColumnError says that a catalogue has no column of that name.
type ColumnError struct {
	Column  string
	Columns []string // those that there are
}

func (e *ColumnError) Error() string {
	return fmt.Sprintf("there is no column %q; there are %s", e.Column, strings.Join(e.Columns, ", "))
}

func (c *Catalog) unknown(name string) error {
	e := &ColumnError{Column: name, Columns: []string{"start", "stop"}}
	for _, col := range c.Columns {
		e.Columns = append(e.Columns, col.Name)
	}
	return e
}

// QueryError says that a query makes no sense.
type QueryError struct{ Reason string }

func (e *QueryError) Error() string { return "select events: " + e.Reason }
