package catalog

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helio/votable"
)

// ReadVOTable reads the first table of a VOTable that has a start and a stop, as
// AMDA and tscat write it: they are the fields that say so by their UCD or their
// name, or the first two. See [FromVOTable] for all tables. The error is of package
// votable, or a [*FormatError].
func ReadVOTable(r io.Reader) (*Catalog, error) {
	f, err := votable.Read(r)
	if err != nil {
		return nil, err
	}
	all, err := FromVOTable(f)
	if err != nil {
		return nil, err
	}
	if n := len(all); n > 1 {
		all[0].note("the document has %d more tables, which were not read", n-1)
	}
	return all[0], nil
}

// FromVOTable returns the catalogues of a document: its tables of two fields and
// more. There is at least one, or an error.
func FromVOTable(f *votable.File) ([]*Catalog, error) {
	var out []*Catalog
	for i := range f.Tables {
		if t := &f.Tables[i]; len(t.Fields) >= 2 {
			c, err := fromTable(f, t)
			if err != nil {
				return nil, err
			}
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return nil, &FormatError{Format: VOTable, Reason: "it has no table with a start and a stop"}
	}
	return out, nil
}

func fromTable(f *votable.File, t *votable.Table) (*Catalog, error) {
	c := &Catalog{}
	c.describe(f, t)
	if f.Overflow() {
		c.note("the service says that it cut its answer off: there are more events than these")
	}
	start, stop := timeFields(t.Fields)
	for i, field := range t.Fields {
		if i != start && i != stop {
			c.Columns = append(c.Columns, Column{Name: field.Name, Type: typeOf(field), Units: field.Unit, UCD: field.UCD, Description: field.Description})
		}
	}
	for _, row := range t.Rows {
		a, b, ok := interval(row[start], row[stop])
		if !ok {
			c.Skipped++
			continue
		}
		values := make([]string, 0, len(c.Columns))
		for i, cell := range row {
			if i != start && i != stop {
				values = append(values, cell)
			}
		}
		c.Events = append(c.Events, Event{a, b, values})
	}
	if c.Skipped > 0 && len(c.Events) == 0 {
		return nil, &FormatError{Format: VOTable, Reason: "none of its rows has a start and a stop in the first two fields, nor in others that say so"}
	}
	c.finish()
	return c, nil
}

// timeFields are the fields of start and stop.
func timeFields(fields []votable.Field) (start, stop int) {
	start, stop = -1, -1
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
		switch {
		case f.UCD == "time.start" && start < 0:
			start = i
		case f.UCD == "time.end" && stop < 0:
			stop = i
		}
	}
	if start >= 0 && stop >= 0 {
		return start, stop
	}
	if a, b, ok := timeColumns(names); ok {
		return a, b
	}
	return 0, 1
}

func typeOf(f votable.Field) Type {
	if f.Arraysize != "" && f.Arraysize != "1" && f.Datatype != "char" && f.Datatype != "unicodeChar" {
		return String // several numbers
	}
	switch f.Datatype {
	case "double", "float":
		return Double
	case "unsignedByte", "short", "int", "long":
		return Integer
	case "boolean":
		return Boolean
	}
	if strings.EqualFold(f.XType, "dateTime") || f.XType == "timestamp" || f.XType == "iso8601" {
		return ISOTime
	}
	return String
}

// describe takes what is said about the whole. AMDA says it in lines of the
// document's description, each a word, a colon and a text; a description of another
// kind is a description.
func (c *Catalog) describe(f *votable.File, t *votable.Table) {
	said := map[string]string{}
	for _, line := range lineEnd.Split(f.Description, -1) {
		key, text, ok := strings.Cut(line, ":")
		if key = strings.ToLower(strings.TrimSpace(key)); ok {
			if _, twice := said[key]; !twice {
				said[key] = strings.TrimSpace(text)
			}
		}
	}
	c.Name, c.Contact, c.Created = said["name"], said["contact"], said["creation date"]
	var parts []string
	if _, amda := said["name"]; amda {
		if a, b, ok := interval(said["liststartdate"], said["liststopdate"]); ok {
			c.Survey = &Window{a, b}
		}
		parts = append(parts, said["description"])
	} else {
		parts = append(parts, f.Description)
		c.Contact, c.Created = "", ""
	}
	parts = append(parts, t.Resource, t.Description)
	c.Description = strings.Join(distinct(parts), "\n\n")
	for _, in := range append(append([]votable.Info{}, f.Infos...), t.Infos...) {
		switch strings.ToLower(in.Name) {
		case "citation":
			c.Citation = in.Value
		case "doi":
			c.DOI = in.Value
		case "kind":
			if k := Kind(in.Value); k == Catalogue || k == Timetable {
				c.Kind = k
			}
		}
	}
	if c.Name == "" {
		c.Name = t.Name
	}
}

var lineEnd = regexp.MustCompile(`;\s*\n|;\s*$`)

// distinct drops what is empty and what was there before.
func distinct(parts []string) []string {
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" && (len(out) == 0 || out[len(out)-1] != p) {
			out = append(out, p)
		}
	}
	return out
}

// WriteVOTable writes the catalogue in the form in which AMDA does: speasy opens it
// with load_catalog, or load_timetable where it has no columns, tscat with
// import_votable_file, AMDA through its import.
//
// Those read times to the microsecond without leap seconds, so the times are cut to
// that: all of 23:59:60 becomes the last microsecond before it. Numbers of any type
// are of type double there. Equal catalogues give equal bytes.
func (c *Catalog) WriteVOTable(w io.Writer) error {
	f := c.votable()
	return f.Write(w)
}

func (c *Catalog) votable() *votable.File {
	t := votable.Table{ID: "events", Name: c.Name, Resource: c.Description}
	field := func(name, id, ucd string) votable.Field {
		return votable.Field{ID: id, Name: name, Datatype: "char", Arraysize: "*", XType: "dateTime", UCD: ucd}
	}
	t.Fields = []votable.Field{field("Start Time", "TimeIntervalStart", "time.start"), field("Stop Time", "TimeIntervalStop", "time.end")}
	write := make([]func(string) string, len(c.Columns))
	for i := range c.Columns {
		var f votable.Field
		f, write[i] = c.field(i)
		f.ID = fmt.Sprintf("column%d", i+1)
		t.Fields = append(t.Fields, f)
	}
	for i := range c.Events {
		e := &c.Events[i]
		row := []string{amdaTime(e.Start), amdaTime(e.Stop)}
		for k, f := range write {
			row = append(row, f(e.Value(k)))
		}
		t.Rows = append(t.Rows, row)
	}
	f := &votable.File{Description: c.amdaDescription(), Tables: []votable.Table{t}}
	for _, in := range []votable.Info{{Name: "citation", Value: c.Citation}, {Name: "doi", Value: c.DOI}, {Name: "kind", Value: string(c.KindOf())}} {
		if in.Value != "" {
			f.Infos = append(f.Infos, in)
		}
	}
	return f
}

// amdaDescription is in lines, of which speasy and tscat look for that of the name.
func (c *Catalog) amdaDescription() string {
	line := func(text string) string {
		return strings.Join(strings.Fields(strings.ReplaceAll(text, ";", ",")), " ")
	}
	name := line(c.Name)
	if name == "" {
		name = "catalogue"
	}
	text := "Name:" + name + ";\n"
	if w, ok := c.Span(); ok {
		text += "ListStartDate: " + amdaTime(w.Start) + ";\nListStopDate: " + amdaTime(w.Stop) + ";\n"
	}
	if c.Contact != "" {
		text += "Contact: " + line(c.Contact) + ";\n"
	}
	if c.Created != "" {
		text += "Creation Date: " + line(c.Created) + ";\n"
	}
	return text
}

// field describes a column, and says how its values are written.
func (c *Catalog) field(i int) (votable.Field, func(string) string) {
	col := c.Columns[i]
	f := votable.Field{Name: col.Name, Datatype: "char", Arraysize: "*", Unit: col.Units, UCD: col.UCD, Description: col.Description}
	same := func(text string) string { return text }
	switch c.typeOf(i) {
	case Double, Integer:
		f.Datatype, f.Arraysize = "double", ""
	case Boolean:
		f.Datatype, f.Arraysize = "boolean", ""
	case ISOTime:
		f.XType = "dateTime"
		return f, func(text string) string {
			if t, err := ParseTime(text); err == nil {
				return amdaTime(t)
			}
			return text
		}
	}
	return f, same
}

// amdaTime is a time as Python's datetime holds it.
func amdaTime(t tt.Time) string {
	y, mo, d, h, mi, s, ns := t.Calendar()
	if s == 60 {
		t, _ = tt.FromCalendar(y, mo, d, h, mi, 59, 999_999_000) // a second earlier is in range
		return strings.TrimSuffix(t.Format(6), "Z")
	}
	digits := 3
	if ns%1_000_000 >= 1000 {
		digits = 6
	}
	return strings.TrimSuffix(t.Format(digits), "Z")
}
