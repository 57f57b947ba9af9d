package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/helios-go/helios/helio/tt"
)

// The form of JSON: name, description, created and events, each with start, stop
// and meta, are what HelioAI saves; the rest is ours.
type jsonCatalog struct {
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Created     string       `json:"created,omitempty"`
	Kind        Kind         `json:"kind,omitempty"`
	Contact     string       `json:"contact,omitempty"`
	Citation    string       `json:"citation,omitempty"`
	DOI         string       `json:"doi,omitempty"`
	Survey      []tt.Time    `json:"survey,omitempty"`
	Columns     []jsonColumn `json:"columns,omitempty"`
	Events      []jsonEvent  `json:"events"`
}

type jsonColumn struct {
	Name        string `json:"name"`
	Type        Type   `json:"type,omitempty"`
	Units       string `json:"units,omitempty"`
	UCD         string `json:"ucd,omitempty"`
	Description string `json:"description,omitempty"`
}

type jsonEvent struct {
	Start string                     `json:"start"`
	Stop  string                     `json:"stop"`
	Meta  map[string]json.RawMessage `json:"meta"`
}

// WriteJSON writes the catalogue as an object of name, description and events, each
// with start, stop and a meta of values, from which speasy's Event and Catalog are
// made in a line of Python. Values of columns of numbers are numbers, missing ones
// are left out. Times are exact. Equal catalogues give equal bytes.
func (c *Catalog) WriteJSON(w io.Writer) error {
	out := jsonCatalog{
		Name: c.Name, Description: c.Description, Created: c.Created, Kind: c.KindOf(), Contact: c.Contact,
		Citation: c.Citation, DOI: c.DOI, Events: make([]jsonEvent, 0, len(c.Events)),
	}
	if c.Survey != nil {
		out.Survey = []tt.Time{c.Survey.Start, c.Survey.Stop}
	}
	bare := make([]bool, len(c.Columns)) // whether the texts are those of JSON
	for i, col := range c.Columns {
		out.Columns = append(out.Columns, jsonColumn(col))
		t := c.typeOf(i)
		bare[i] = t == Double || t == Integer || t == Boolean
	}
	for i := range c.Events {
		e := &c.Events[i]
		ev := jsonEvent{Start: e.Start.String(), Stop: e.Stop.String(), Meta: map[string]json.RawMessage{}}
		for k, col := range c.Columns {
			v := e.Value(k)
			if v == "" {
				continue
			}
			if bare[k] && json.Valid([]byte(v)) {
				ev.Meta[col.Name] = json.RawMessage(v)
				continue
			}
			text, err := json.Marshal(v)
			if err != nil {
				return err
			}
			ev.Meta[col.Name] = text
		}
		out.Events = append(out.Events, ev)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(out)
}

// ReadJSON reads what [Catalog.WriteJSON] and HelioAI write. Columns that are not
// described are those of the values, in order of their names. The error is a
// [*FormatError].
func ReadJSON(r io.Reader) (*Catalog, error) {
	dec := json.NewDecoder(&atMost{r: r, left: maxSize})
	var in jsonCatalog
	if err := dec.Decode(&in); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, &FormatError{Format: JSON, Reason: "it ends too early", Err: err}
		}
		return nil, &FormatError{Format: JSON, Reason: err.Error(), Err: err}
	}
	if in.Events == nil {
		return nil, &FormatError{Format: JSON, Reason: "it has no events"}
	}
	c := &Catalog{
		Name: in.Name, Description: in.Description, Created: in.Created, Kind: in.Kind, Contact: in.Contact, Citation: in.Citation, DOI: in.DOI,
	}
	if len(in.Survey) == 2 {
		c.Survey = &Window{in.Survey[0], in.Survey[1]}
	}
	known := map[string]bool{}
	for _, col := range in.Columns {
		c.Columns = append(c.Columns, Column(col))
		known[col.Name] = true
	}
	described := len(c.Columns)
	for _, e := range in.Events {
		for name := range e.Meta {
			if !known[name] {
				known[name] = true
				c.Columns = append(c.Columns, Column{Name: name})
			}
		}
	}
	slices.SortFunc(c.Columns[described:], func(a, b Column) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	if n := len(c.Columns) * len(in.Events); n > 50_000_000 {
		return nil, &FormatError{Format: JSON, Reason: fmt.Sprintf("it has %d values, which is too many", n)}
	}
	for _, e := range in.Events {
		a, b, ok := interval(e.Start, e.Stop)
		if !ok {
			c.Skipped++
			continue
		}
		values := make([]string, len(c.Columns))
		for i, col := range c.Columns {
			values[i] = jsonText(e.Meta[col.Name])
		}
		c.Events = append(c.Events, Event{a, b, values})
	}
	c.finish()
	return c, nil
}

// jsonText is a value as a text: a string's own, anything else as it stands.
func jsonText(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
