package series

import (
	"math"
	"slices"
)

// series makes the result: scalars, and vectors of neighbouring components.
func (t *table) series() []*Series {
	if out, ok := t.noted(); ok {
		return out
	}
	var out []*Series
	for i := 0; i < len(t.columns); {
		c := &t.columns[i]
		if c.kind == columnTime || c.kind == columnWords {
			i++
			continue
		}
		name, n := c.name, 1
		if vector, ok := vectorName(t.columns[i:]); ok && !t.taken(vector) {
			name, n = vector, 3
		}
		out = append(out, t.one(name, t.columns[i:i+n]))
		i += n
	}
	return out
}

func (t *table) taken(name string) bool {
	return slices.ContainsFunc(t.columns, func(c column) bool { return c.name == name })
}

func (t *table) one(name string, columns []column) *Series {
	w := len(columns)
	s := &Series{Name: name, Units: columns[0].units, Description: t.notes.description[name], Time: t.axis, Meta: t.notes.meta}
	s.Meta.Dataset = t.opts.Name
	s.Meta.Role = "data"
	if w > 1 {
		s.Dims = []int{w}
	}
	declared := false
	for _, c := range columns {
		s.Columns = append(s.Columns, c.name)
		s.Meta.Fill = append(s.Meta.Fill, c.fill)
		declared = declared || !math.IsNaN(c.fill)
	}
	if !declared {
		s.Meta.Fill = nil
	}
	if t.opts.TimesOnly {
		return s
	}
	s.Values = t.interleave(columns)
	MaskFill(s.Values, w, s.Meta.Fill)
	return s
}

// interleave puts columns together, record after record; nil where only times
// are read.
func (t *table) interleave(columns []column) []float64 {
	switch w := len(columns); {
	case t.opts.TimesOnly:
		return nil
	case w == 1:
		return columns[0].values
	default:
		out := make([]float64, len(t.axis)*w)
		for i, c := range columns {
			for r, v := range c.values {
				out[r*w+i] = v
			}
		}
		return out
	}
}

// noted makes the series as the notes have it; false where there are none, or
// they are not about this table.
func (t *table) noted() ([]*Series, bool) {
	total := 0
	for i := range t.notes.series {
		n := t.notes.series[i].columns()
		if n == 0 {
			return nil, false
		}
		total += n
	}
	if total == 0 || total != len(t.columns)-1 || t.columns[0].kind != columnTime {
		return nil, false
	}
	for _, c := range t.columns[1:] {
		if c.kind == columnTime || c.kind == columnWords {
			return nil, false
		}
	}
	out, rest := make([]*Series, 0, len(t.notes.series)), t.columns[1:]
	for i := range t.notes.series {
		n := &t.notes.series[i]
		take := func(width int) []float64 {
			values := t.interleave(rest[:width])
			rest = rest[width:]
			MaskFill(values, width, nil)
			return values
		}
		s := &Series{ID: n.ID, Name: n.Name, Units: n.Units, Description: n.Description, Time: t.axis, Columns: n.Columns, Dims: n.Dims, Values: take(n.Width)}
		s.Meta = n.Meta.Meta
		s.Meta.Fill, s.Meta.ValidMin, s.Meta.ValidMax = n.Meta.Fill, n.Meta.ValidMin, n.Meta.ValidMax
		if t.opts.Name != "" {
			s.Meta.Dataset = t.opts.Name
		}
		for _, a := range n.Axes {
			axis := Axis{Name: a.Name, Units: a.Units, Centers: a.Centers, Ranges: a.Ranges, Varying: a.Varying}
			if a.CenterColumns > 0 {
				axis.Centers = take(a.CenterColumns)
			}
			if a.RangeColumns > 0 {
				axis.Ranges = take(a.RangeColumns)
			}
			s.Axes = append(s.Axes, axis)
		}
		out = append(out, s)
	}
	return out, true
}
