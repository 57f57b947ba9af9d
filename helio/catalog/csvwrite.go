package catalog

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// WriteCSV writes the catalogue with columns start and stop first. What is known
// about it stands before in remarks, lines that begin with #: of name, description,
// citation and so on, and one of JSON for each column that has more than a name.
// Times are exact. Equal catalogues give equal bytes.
func (c *Catalog) WriteCSV(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, r := range []struct{ key, text string }{
		{"name", c.Name}, {"description", c.Description}, {"kind", string(c.KindOf())}, {"contact", c.Contact},
		{"created", c.Created}, {"citation", c.Citation}, {"doi", c.DOI},
	} {
		if r.text != "" {
			_, _ = fmt.Fprintf(b, "# %s: %s\n", r.key, strings.Join(strings.Fields(r.text), " ")) // Flush has the first error
		}
	}
	if c.Survey != nil {
		_, _ = fmt.Fprintf(b, "# survey: %v %v\n", c.Survey.Start, c.Survey.Stop)
	}
	names := []string{"start", "stop"}
	for _, col := range c.Columns {
		names = append(names, col.Name)
		if col.Type == "" && col.Units == "" && col.Description == "" && col.UCD == "" {
			continue
		}
		text, err := json.Marshal(jsonColumn(col))
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(b, "# column: %s\n", text)
	}
	t := csv.NewWriter(b)
	err := t.Write(names)
	for i := 0; i < len(c.Events) && err == nil; i++ {
		e := &c.Events[i]
		row := []string{e.Start.String(), e.Stop.String()}
		for k := range c.Columns {
			row = append(row, e.Value(k))
		}
		err = t.Write(row)
	}
	if t.Flush(); err == nil {
		err = t.Error()
	}
	if err == nil {
		err = b.Flush()
	}
	return err
}

// remember takes what WriteCSV says in remarks.
func (c *Catalog) remember(remarks []string) {
	for _, line := range remarks {
		key, text, _ := strings.Cut(line, ":")
		switch text = strings.TrimSpace(text); strings.ToLower(strings.TrimSpace(key)) {
		case "name":
			c.Name = text
		case "description":
			c.Description = text
		case "kind":
			if k := Kind(text); k == Catalogue || k == Timetable {
				c.Kind = k
			}
		case "contact":
			c.Contact = text
		case "created":
			c.Created = text
		case "citation":
			c.Citation = text
		case "doi":
			c.DOI = text
		case "survey":
			a, b, _ := strings.Cut(text, " ")
			if start, stop, ok := interval(a, b); ok {
				c.Survey = &Window{start, stop}
			}
		case "column":
			var col jsonColumn
			if json.Unmarshal([]byte(text), &col) == nil {
				if i, ok := c.Column(col.Name); ok && c.Columns[i].Name == col.Name {
					c.Columns[i] = Column(col)
				}
			}
		}
	}
}
