package series

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/helios-go/helios/helio/tt"
)

// readHeader takes the header and prepares the columns. It returns the first
// row of values, "" when there is none.
func (t *table) readHeader() (first string, err error) {
	header, ok := t.next()
	if !ok {
		return "", errors.New("it is empty; the first line must name the columns")
	}
	if strings.ContainsRune(header, 0) {
		return "", errors.New("it is not a text; give a table of text with a header line")
	}
	t.comma = separator(header)
	if len(t.notes.series) > 0 {
		t.comma = ','
	}
	if err := t.split(header); err != nil {
		return "", err
	}
	headerLine := t.line
	if isRow(t.fields) {
		// numpy's savetxt writes the header as a comment.
		first = header
		n := len(t.fields)
		if err := t.split(t.notes.last); err != nil || len(t.fields) != n || isRow(t.fields) {
			return "", fmt.Errorf("line %d holds values and no header comes before it; the first line must name the columns", headerLine)
		}
	}
	if err := t.nameColumns(headerLine); err != nil {
		return "", err
	}
	if first == "" {
		if first, ok = t.next(); !ok {
			first = ""
		}
	}
	if err := t.findClock(first); err != nil {
		return "", err
	}
	// Notes may stand below the header; those further down come too late.
	for i := range t.columns {
		c := &t.columns[i]
		c.fill = t.notes.fillOf(c.name)
		if units, ok := t.notes.units[c.name]; ok {
			c.units = units
		}
	}
	return first, nil
}

func (t *table) nameColumns(line int) error {
	if len(t.fields) > maxCSVColumns {
		return fmt.Errorf("line %d names %d columns, more than %d; leave out what is not needed", line, len(t.fields), maxCSVColumns)
	}
	seen := map[string]bool{}
	for i, field := range t.fields {
		// Cloned, or each name would keep the whole text alive.
		name, units := splitUnits(strings.ToValidUTF8(strings.Clone(field), "?"))
		if name == "" {
			name = fmt.Sprintf("column_%d", i+1)
		}
		if seen[name] {
			return fmt.Errorf("line %d names two columns %q; give each its own name", line, clip(name))
		}
		seen[name] = true
		t.columns = append(t.columns, column{name: name, units: units, fill: math.NaN()})
	}
	return nil
}

// separator is whichever of comma, semicolon and tab is most frequent.
func separator(header string) byte {
	best, most := byte(','), 0
	for _, c := range []byte{',', ';', '\t'} {
		if n := strings.Count(header, string(c)); n > most {
			best, most = c, n
		}
	}
	return best
}

// isRow reports whether all fields are values: numbers or times.
func isRow(fields []string) bool {
	for _, f := range fields {
		if _, ok := number(f); ok {
			continue
		}
		if _, err := tt.Parse(f); err != nil {
			return false
		}
	}
	return len(fields) > 0
}

// splitUnits takes the brackets off the end of "Bz (nT)" or "Bz [nT]".
func splitUnits(field string) (name, units string) {
	open, shut := byte('('), byte(')')
	switch {
	case strings.HasSuffix(field, "]"):
		open, shut = '[', ']'
	case !strings.HasSuffix(field, ")"):
		return field, ""
	}
	depth := 0
	for i := len(field) - 1; i >= 0; i-- {
		switch field[i] {
		case shut:
			depth++
		case open:
			depth--
		}
		if depth == 0 {
			if i == 0 {
				break
			}
			return strings.TrimSpace(field[:i]), strings.TrimSpace(field[i+1 : len(field)-1])
		}
	}
	return field, ""
}

// vectorName recognises three neighbouring columns as components: of one unit,
// named alike but for one letter that runs x, y, z or r, t, n. It returns the
// name without that letter.
func vectorName(columns []column) (string, bool) {
	if len(columns) < 3 {
		return "", false
	}
	a, b, c := columns[0], columns[1], columns[2]
	if a.units != b.units || b.units != c.units || len(a.name) != len(b.name) || len(b.name) != len(c.name) {
		return "", false
	}
	for _, col := range columns[:3] {
		if col.kind == columnTime || col.kind == columnWords {
			return "", false
		}
	}
	at := -1
	for i := range len(a.name) {
		if a.name[i] == b.name[i] && b.name[i] == c.name[i] {
			continue
		}
		if at >= 0 {
			return "", false
		}
		at = i
	}
	if at < 0 || !slices.Contains([]string{"xyz", "XYZ", "rtn", "RTN"}, string([]byte{a.name[at], b.name[at], c.name[at]})) {
		return "", false
	}
	before, after := a.name[:at], a.name[at+1:]
	name := strings.Trim(strings.TrimRight(before, "_-. ")+after, "_-. ")
	if name == "" {
		name = strings.ToLower(string([]byte{a.name[at], b.name[at], c.name[at]}))
	}
	return name, true
}

// notes are what the comments of a table say.
type notes struct {
	meta        Meta
	last        string // the comment last seen, which may be the header
	fill        float64
	hasFill     bool
	fills       map[string]float64
	units       map[string]string
	description map[string]string
	series      []csvNote
}

func (n *notes) add(comment string) {
	n.last = comment
	key, value, ok := strings.Cut(comment, ":")
	if !ok {
		return
	}
	key, column, _ := strings.Cut(strings.TrimSpace(key), " ")
	column = strings.TrimSpace(column)
	value = strings.ToValidUTF8(strings.Clone(strings.TrimSpace(value)), "?")
	key = strings.ToLower(key)
	if column != "" {
		n.addColumn(key, strings.Clone(column), value)
		return
	}
	switch key {
	case "title":
		n.meta.DatasetTitle = value
	case "mission":
		n.meta.Mission = value
	case "instrument":
		n.meta.Instrument = value
	case "frame", "coordinate_system":
		n.meta.Frame = value
	case "series":
		var note csvNote
		if json.Unmarshal([]byte(value), &note) == nil && len(n.series) < maxCSVColumns {
			n.series = append(n.series, note)
		}
	case "doi":
		n.meta.DOI = value
	case "source":
		n.meta.Source = value
	case "citation":
		n.meta.Citation = value
	case "license", "licence":
		n.meta.License = value
	case "times", "timestamplocation":
		n.meta.TimeStampLocation = strings.ToLower(value)
	case "acknowledgement":
		n.meta.Acknowledgement = value
	case "synthetic":
		n.meta.Synthetic = strings.EqualFold(value, "true") || strings.EqualFold(value, "yes")
	case "fill", "fillval":
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			n.fill, n.hasFill = v, true
		}
	}
}

func (n *notes) addColumn(key, column, value string) {
	set := func(m *map[string]string) {
		if *m == nil {
			*m = map[string]string{}
		}
		(*m)[column] = value
	}
	switch key {
	case "units":
		set(&n.units)
	case "description":
		set(&n.description)
	case "fill", "fillval":
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			if n.fills == nil {
				n.fills = map[string]float64{}
			}
			n.fills[column] = v
		}
	}
}

// fillOf returns the declared fill value of a column, NaN for none.
func (n *notes) fillOf(column string) float64 {
	if v, ok := n.fills[column]; ok {
		return v
	}
	if n.hasFill {
		return n.fill
	}
	return math.NaN()
}
