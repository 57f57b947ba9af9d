// Package catalog holds lists of events: catalogues, whose events have values such
// as a speed or a remark, and timetables, whose events are intervals and no more.
//
//	c, err := catalog.ReadFile("icmes.csv") // or .vot as AMDA writes it, or .json
//	if err != nil {
//		return err
//	}
//	page, err := c.Select(catalog.Query{
//		Window: &catalog.Window{Start: start, Stop: stop},
//		Where:  []catalog.Condition{{Column: "speed", Op: catalog.Greater, Value: "600"}},
//		Sort:   "speed", Descending: true, Limit: 10,
//	})
//	...
//	for _, w := range catalog.Windows(c) { // to fetch data for each event
//		s, err := arch.Fetch(ctx, id, w.Start, w.Stop)
//		...
//	}
//
// [Merge], [Catalog.Overlapping] and [Catalog.Apart] put catalogues together by
// their events; a [Set] is what they cover, and answers whether a time is inside.
//
// A [Source] is where catalogues come from. [Dir] is the one that can be written: a
// folder of catalogues on this machine, each a VOTable that speasy, tscat, AMDA,
// TOPCAT and astropy open.
//
// Times are those of package tt. Values are kept as the texts that they were, so
// that nothing is lost on the way from one file to another; comparing and sorting
// take them for numbers where they are.
package catalog

import (
	"fmt"
	"strings"

	"github.com/helios-go/helios/helio/tt"
)

// A Kind says whether events have values.
type Kind string

// The kinds of lists.
const (
	Catalogue Kind = "catalog"   // events with values
	Timetable Kind = "timetable" // intervals alone
)

// A Catalog is a list of events, in the order of its source. The zero value is an
// empty one. Functions of this package do not change a catalogue that they are
// given, but what they return may share its columns and values.
type Catalog struct {
	ID          string // as in "amda/tt_16", "local/my_shocks"
	Name        string
	Description string
	Kind        Kind // "" is that of its columns, see [Catalog.KindOf]
	Columns     []Column
	Events      []Event

	// Survey is the time that the makers looked through; nil where they do not say.
	Survey   *Window
	Contact  string // who made it
	Created  string // when, in the source's words
	Citation string // how it wants to be cited
	DOI      string
	Skipped  int      // rows of the source that have no start or no stop, or the wrong way round
	Notes    []string // what else was noticed while reading, a sentence each
}

// A Column describes one value of each event.
type Column struct {
	Name        string
	Type        Type // "" where the source says nothing
	Units       string
	UCD         string
	Description string
}

// A Type says what the texts of a column are.
type Type string

// The types of columns, named as in HAPI.
const (
	Double  Type = "double"
	Integer Type = "integer"
	Boolean Type = "boolean"
	ISOTime Type = "isotime"
	String  Type = "string"
)

// An Event is an interval with a value for each column of its catalogue; "" is a
// value that is missing.
type Event struct {
	Start, Stop tt.Time
	Values      []string
}

// Window returns the time of the event.
func (e *Event) Window() Window { return Window{e.Start, e.Stop} }

// KindOf returns Kind, or where it is empty what the columns make it.
func (c *Catalog) KindOf() Kind {
	switch {
	case c.Kind != "":
		return c.Kind
	case len(c.Columns) == 0:
		return Timetable
	}
	return Catalogue
}

// Span returns the survey, or where there is none the time from the first start to
// the last stop. ok is false for a catalogue without either.
func (c *Catalog) Span() (w Window, ok bool) {
	if c.Survey != nil {
		return *c.Survey, true
	}
	for i, e := range c.Events {
		if i == 0 {
			w = e.Window()
		}
		w.Start, w.Stop = min(w.Start, e.Start), max(w.Stop, e.Stop)
	}
	return w, len(c.Events) > 0
}

// Column returns the place of the column of that name, or without regard to case
// where there is none such; false if there is neither.
func (c *Catalog) Column(name string) (int, bool) { return findColumn(c.Columns, name) }

func findColumn(columns []Column, name string) (int, bool) {
	for i := range columns {
		if columns[i].Name == name {
			return i, true
		}
	}
	for i := range columns {
		if strings.EqualFold(columns[i].Name, name) {
			return i, true
		}
	}
	return 0, false
}

// Value returns a value of an event, or "" where the event has fewer.
func (e *Event) Value(column int) string {
	if column >= len(e.Values) {
		return ""
	}
	return e.Values[column]
}

// note adds a sentence on what was noticed.
func (c *Catalog) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// finish does what every reader does at its end.
func (c *Catalog) finish() {
	if c.Skipped == 1 {
		c.note("1 row was left out: it has no start or no stop, or they are the wrong way round")
	} else if c.Skipped > 1 {
		c.note("%d rows were left out: they have no start or no stop, or these are the wrong way round", c.Skipped)
	}
	if c.Kind == "" {
		c.Kind = c.KindOf()
	}
}
