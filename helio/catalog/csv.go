package catalog

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// CSVOptions say what a CSV file does not. The zero value, like nil, finds out.
type CSVOptions struct {
	Start, Stop string // names of the columns of times; "" finds them
}

// ReadCSV reads a CSV file with a line of names: of the columns for start and stop,
// known by their names (start, start_time, icme_start_time, tstart, begin ...; stop,
// end, mo_end_time, tend ...) or else the first two, and others. A file without
// names is read too if it begins with times. Commas, semicolons and tabs divide.
// Lines that begin with # are remarks; those that [Catalog.WriteCSV] writes are
// understood. Rows without both times are left out and counted. The error is a
// [*FormatError].
func ReadCSV(r io.Reader, opts *CSVOptions) (*Catalog, error) {
	if opts == nil {
		opts = &CSVOptions{}
	}
	c := &Catalog{}
	in := bufio.NewReader(&atMost{r: r, left: maxSize})
	about, lines, err := remarks(in)
	if err != nil {
		return nil, csvError(err, lines)
	}
	t := csv.NewReader(in)
	t.FieldsPerRecord, t.Comment, t.TrimLeadingSpace = -1, '#', true
	t.Comma = divider(in)
	first, err := t.Read()
	if errors.Is(err, io.EOF) {
		return nil, &FormatError{Format: CSV, Reason: "it is empty"}
	}
	if err != nil {
		return nil, csvError(err, lines)
	}
	names, rows := slices.Clone(first), [][]string(nil)
	if len(first) >= 2 {
		if _, _, times := interval(first[0], first[1]); times && opts.Start == "" {
			names = make([]string, len(first))
			rows = append(rows, first)
			names[0], names[1] = "start", "stop"
		}
	}
	start, stop, err := csvTimes(names, opts)
	if err != nil {
		return nil, err
	}
	c.addColumns(names, start, stop)
	for {
		row, err := t.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, csvError(err, lines)
		}
		if len(row) > len(names) && slices.ContainsFunc(row[len(names):], func(s string) bool { return s != "" }) {
			line, _ := t.FieldPos(0)
			return nil, &FormatError{Format: CSV, Line: lines + line, Reason: fmt.Sprintf("%d values for %d columns", len(row), len(names))}
		}
		rows = append(rows, row)
	}
	c.addRows(rows, len(names), start, stop)
	if c.Skipped > 0 && len(c.Events) == 0 {
		return nil, &FormatError{Format: CSV, Reason: fmt.Sprintf("none of its %d rows has times in the columns %q and %q; name the right ones", c.Skipped, names[start], names[stop])}
	}
	c.remember(about)
	c.finish()
	return c, nil
}

// csvTimes finds the columns of the times.
func csvTimes(names []string, opts *CSVOptions) (start, stop int, err error) {
	find := func(name string) int {
		return slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(strings.TrimSpace(n), name) })
	}
	if opts.Start != "" || opts.Stop != "" {
		if start, stop = find(opts.Start), find(opts.Stop); start >= 0 && stop >= 0 {
			return start, stop, nil
		}
	} else if a, b, ok := timeColumns(names); ok {
		return a, b, nil
	} else if len(names) >= 2 {
		return 0, 1, nil
	}
	return 0, 0, &FormatError{Format: CSV, Reason: fmt.Sprintf("there are no columns of start and stop among %s", strings.Join(names, ", "))}
}

func (c *Catalog) addColumns(names []string, start, stop int) {
	for i, name := range names {
		if i == start || i == stop {
			continue
		}
		if name = strings.TrimSpace(name); name == "" {
			name = fmt.Sprintf("column%d", i+1)
		}
		c.Columns = append(c.Columns, Column{Name: name})
	}
}

func (c *Catalog) addRows(rows [][]string, width, start, stop int) {
	for _, row := range rows {
		if len(row) <= max(start, stop) {
			c.Skipped++
			continue
		}
		a, b, ok := interval(row[start], row[stop])
		if !ok {
			c.Skipped++
			continue
		}
		values := make([]string, 0, len(c.Columns))
		for i := range width {
			switch {
			case i == start || i == stop:
			case i < len(row):
				values = append(values, strings.TrimSpace(row[i]))
			default:
				values = append(values, "")
			}
		}
		c.Events = append(c.Events, Event{a, b, values})
	}
}

// remarks reads the lines at the beginning that are none of the table.
func remarks(in *bufio.Reader) (about []string, lines int, err error) {
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		_, _ = in.Discard(3)
	}
	for {
		head, err := in.Peek(1)
		if len(head) == 0 || head[0] != '#' {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return about, lines, err
		}
		line, err := in.ReadString('\n')
		if lines++; lines > 10_000 {
			return nil, lines, errors.New("it begins with more than 10000 remarks")
		}
		about = append(about, strings.TrimSpace(strings.TrimPrefix(line, "#")))
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, lines, err
		}
	}
}

// divider is what divides the names.
func divider(in *bufio.Reader) rune {
	head, _ := in.Peek(2048)
	line, _, _ := strings.Cut(string(head), "\n")
	best, most := ',', strings.Count(line, ",")
	for _, d := range "\t;" {
		if n := strings.Count(line, string(d)); n > most {
			best, most = d, n
		}
	}
	return best
}

func csvError(err error, before int) error {
	if bad, ok := errors.AsType[*csv.ParseError](err); ok {
		return &FormatError{Format: CSV, Line: before + bad.Line, Reason: bad.Err.Error(), Err: err}
	}
	return &FormatError{Format: CSV, Reason: err.Error(), Err: err}
}

// atMost fails where a file goes on for too long.
type atMost struct {
	r    io.Reader
	left int64
}

func (a *atMost) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if a.left -= int64(n); a.left < 0 {
		return 0, fmt.Errorf("it is larger than %d bytes", maxSize)
	}
	return n, err
}
