package series

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/helios-go/helios/helio/tt"
)

// maxCSVColumns bounds what a header can make the reader set aside; a table
// with more columns is no time series that a person wrote.
const maxCSVColumns = 4096

// CSVOptions tells [ReadCSV] what the table does not say itself. The zero
// value, like nil, is a table without a name, read in full.
type CSVOptions struct {
	// Name names the table in errors and becomes Meta.Dataset.
	Name string
	// TimesOnly reads the time axis and the kind of each column and leaves
	// Values nil: what an inventory needs.
	TimesOnly bool
}

// ReadCSV reads a table with a header line: one series a column, except that
// neighbouring columns that are the components of a vector, such as
// "Bx (nT)", "By (nT)", "Bz (nT)", become one series "B" of three columns.
// All series share one time axis; a table without a row gives empty series.
//
// The separator is a comma, a semicolon or a tab, fields may be quoted, and
// CRLF is accepted. Units stand in brackets at the end of a column's name, as
// in "V [km/s]". The time is one column named time, epoch, utc, date ... in any
// form that [tt.Parse] reads, or "date" and "time", or "year" and "doy", or
// "year", "month" and "day", the last three with "hour", "minute" and "second"
// where there are such columns. A row without a time is left out. A column of
// words is left out as well; one of words and numbers is an error. Missing
// values are empty, NaN, null, NA, -1e31, or what a comment declares.
//
// Comments are lines that begin with #. Those of the form "# key: value" tell
// about the table, with the keys title, mission, instrument, frame, source,
// doi, citation, license, acknowledgement, times (begin, center or end, where
// in its interval a time lies), synthetic and fill, and "# fill V: 9999.9",
// "# units V: km/s" and "# description V: speed" about one column. Those of
// the form "# series: {...}" are what [WriteCSV] leaves; where they fit the
// columns, the series are the ones that it was given.
//
// An error is one sentence with the line it is about.
func ReadCSV(r io.Reader, opts *CSVOptions) ([]*Series, error) {
	if opts == nil {
		opts = &CSVOptions{}
	}
	// The whole text is held, so that fields can be cut out of it without one
	// allocation each.
	var text strings.Builder
	if _, err := io.Copy(&text, r); err != nil {
		return nil, fmt.Errorf("read CSV %q: %w", opts.Name, err)
	}
	t := &table{opts: opts, rest: strings.TrimPrefix(text.String(), "\ufeff")}
	if err := t.read(); err != nil {
		return nil, fmt.Errorf("read CSV %q: %w", opts.Name, err)
	}
	return t.series(), nil
}

// A table is a CSV text being read.
type table struct {
	opts   *CSVOptions
	rest   string // what is still to be read
	line   int    // number of the line last taken
	notes  notes
	comma  byte
	fields []string // of the line last split, reused

	columns []column
	clock   clock
	axis    []tt.Time
}

// A column is one column of numbers, or one that holds something else.
type column struct {
	name, units string
	kind        columnKind
	fill        float64
	values      []float64
	word        string // the first that is no number, and its line
	wordLine    int
}

type columnKind int

const (
	columnOpen columnKind = iota // only missing values so far
	columnNumber
	columnWords
	columnTime // the time, or a part of it
)

func (t *table) read() error {
	first, err := t.readHeader()
	if err != nil {
		return err
	}
	for line, ok := first, first != ""; ok; line, ok = t.next() {
		if err := t.readRow(line); err != nil {
			return err
		}
	}
	for i := range t.columns {
		if k := t.columns[i].kind; k == columnOpen || k == columnNumber {
			return nil
		}
	}
	return errors.New("no column besides the time holds numbers; give at least one that does")
}

// next returns the next line that is neither blank nor a comment; comments
// are noted on the way.
func (t *table) next() (string, bool) {
	for t.rest != "" {
		line, rest, _ := strings.Cut(t.rest, "\n")
		t.rest = rest
		t.line++
		line = strings.TrimSuffix(line, "\r")
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
		case trimmed[0] == '#':
			t.notes.add(strings.TrimSpace(trimmed[1:]))
		default:
			return line, true
		}
	}
	return "", false
}

func (t *table) readRow(line string) error {
	if err := t.split(line); err != nil {
		return err
	}
	if len(t.fields) != len(t.columns) {
		return fmt.Errorf("line %d has %d fields and the header %d; give every row as many fields as the header has",
			t.line, len(t.fields), len(t.columns))
	}
	at, err := t.clock.read(t.fields)
	if err != nil {
		return fmt.Errorf("line %d: %w", t.line, err)
	}
	keep := at != tt.Fill
	for i := range t.columns {
		c := &t.columns[i]
		if c.kind == columnTime || (t.opts.TimesOnly && c.kind == columnNumber) {
			continue
		}
		v, ok := number(t.fields[i])
		switch {
		case c.kind == columnWords:
			if ok && !math.IsNaN(v) && !math.IsInf(v, 0) {
				return fmt.Errorf("line %d: column %q holds the number %q, and %q in line %d; leave empty where a value is missing, or leave the column out",
					t.line, c.name, clip(t.fields[i]), c.word, c.wordLine)
			}
			continue
		case !ok && t.comma != ',' && decimalComma(t.fields[i]):
			return fmt.Errorf("line %d: %q in column %q has a decimal comma; write numbers with a decimal point", t.line, clip(t.fields[i]), c.name)
		case !ok && c.kind == columnOpen:
			c.kind, c.values, c.word, c.wordLine = columnWords, nil, strings.Clone(clip(t.fields[i])), t.line
			continue
		case !ok:
			return fmt.Errorf("line %d: %q in column %q is not a number; leave it empty where a value is missing",
				t.line, clip(t.fields[i]), c.name)
		case !math.IsNaN(v):
			c.kind = columnNumber
		}
		if keep && !t.opts.TimesOnly {
			c.values = append(c.values, v)
		}
	}
	if keep {
		t.axis = append(t.axis, at)
	}
	return nil
}

// number reads one value; a missing one is NaN.
func number(field string) (float64, bool) {
	if v, err := strconv.ParseFloat(field, 64); err == nil {
		return v, true
	}
	switch strings.ToLower(field) {
	case "", "null", "none", "na", "n/a", "-":
		return math.NaN(), true
	}
	return 0, false
}

// decimalComma reports whether a field is a number but for a comma in it.
func decimalComma(field string) bool {
	_, err := strconv.ParseFloat(strings.Replace(field, ",", ".", 1), 64)
	return err == nil
}

// split cuts a line into trimmed fields. Only a quoted field with a doubled
// quote inside needs memory of its own.
func (t *table) split(line string) error {
	t.fields = t.fields[:0]
	for {
		field, rest, more, err := cutField(line, t.comma)
		if err != nil {
			return fmt.Errorf("line %d: %w", t.line, err)
		}
		t.fields = append(t.fields, field)
		if !more {
			return nil
		}
		line = rest
	}
}

func cutField(line string, comma byte) (field, rest string, more bool, err error) {
	trimmed := strings.TrimLeft(line, " ")
	if !strings.HasPrefix(trimmed, `"`) {
		i := strings.IndexByte(line, comma)
		if i < 0 {
			return strings.TrimSpace(line), "", false, nil
		}
		return strings.TrimSpace(line[:i]), line[i+1:], true, nil
	}
	body := trimmed[1:]
	for i := 0; i < len(body); i++ {
		if body[i] != '"' {
			continue
		}
		if i+1 < len(body) && body[i+1] == '"' {
			i++
			continue
		}
		field = strings.TrimSpace(body[:i])
		if strings.Contains(field, `""`) {
			field = strings.ReplaceAll(field, `""`, `"`)
		}
		after := strings.TrimLeft(body[i+1:], " ")
		if after == "" {
			return field, "", false, nil
		}
		if after[0] != comma {
			return "", "", false, fmt.Errorf("text follows the closing quote of %q; double a quote that belongs to the text", clip(field))
		}
		return field, after[1:], true, nil
	}
	return "", "", false, errors.New("a quote is opened and not closed; close it on the same line")
}

// clip keeps an error a sentence when a field is not.
func clip(s string) string {
	if len(s) > 40 {
		s = s[:40] + "..."
	}
	return strings.ToValidUTF8(s, "?")
}
