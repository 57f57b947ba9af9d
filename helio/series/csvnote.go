package series

import (
	"encoding/json"
	"math"
	"strconv"
)

// A csvNote is what a comment "# series: {...}" says about the columns of one
// series, so that [ReadCSV] gives back what [WriteCSV] was given.
type csvNote struct {
	ID          string    `json:"id,omitempty"`
	Name        string    `json:"name,omitempty"`
	Units       string    `json:"units,omitempty"`
	Description string    `json:"description,omitempty"`
	Width       int       `json:"width"`
	Columns     []string  `json:"columns,omitempty"`
	Dims        []int     `json:"dims,omitempty"`
	Axes        []csvAxis `json:"axes,omitempty"`
	Meta        csvMeta   `json:"meta"`
}

// A csvAxis is an Axis. Where it varies, its bins are columns behind those of
// the series: so many with centers, and then so many with limits.
type csvAxis struct {
	Name          string  `json:"name,omitempty"`
	Units         string  `json:"units,omitempty"`
	Centers       numbers `json:"centers,omitempty"`
	Ranges        numbers `json:"ranges,omitempty"`
	Varying       bool    `json:"varying,omitempty"`
	CenterColumns int     `json:"centerColumns,omitempty"`
	RangeColumns  int     `json:"rangeColumns,omitempty"`
}

// csvMeta is [Meta] with numbers that may be NaN.
type csvMeta struct {
	Meta

	Fill     numbers `json:"fill,omitempty"`
	ValidMin numbers `json:"validMin,omitempty"`
	ValidMax numbers `json:"validMax,omitempty"`
}

// numbers are null in JSON where they are not finite.
type numbers []float64

func (n numbers) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, v := range n {
		if i > 0 {
			out = append(out, ',')
		}
		if !finite(v) {
			out = append(out, "null"...)
			continue
		}
		out = strconv.AppendFloat(out, v, 'g', -1, 64)
	}
	return append(out, ']'), nil
}

func (n *numbers) UnmarshalJSON(text []byte) error {
	var all []*float64
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*n = nil
	for _, v := range all {
		if v == nil {
			*n = append(*n, math.NaN())
			continue
		}
		*n = append(*n, *v)
	}
	return nil
}

// noteOf is the note of a series with the bins that the blocks hold.
func noteOf(b *block) csvNote {
	s := b.of
	n := csvNote{ID: s.ID, Name: s.Name, Units: s.Units, Description: s.Description, Width: b.width, Columns: s.Columns, Dims: s.Dims}
	for _, a := range b.axes {
		one := csvAxis{Name: a.Name, Units: a.Units, Varying: a.Varying}
		switch records := s.Len(); {
		case !a.Varying:
			one.Centers, one.Ranges = a.Centers, a.Ranges
		case records > 0:
			one.CenterColumns, one.RangeColumns = len(a.Centers)/records, len(a.Ranges)/records
		}
		n.Axes = append(n.Axes, one)
	}
	n.Meta = csvMeta{s.Meta, s.Meta.Fill, s.Meta.ValidMin, s.Meta.ValidMax}
	return n
}

// columns is how many columns of the table belong to the series; 0 for a note
// that makes no sense.
func (n *csvNote) columns() int {
	if n.Width < 1 || n.Width > maxCSVColumns || len(n.Columns) != n.Width && !(len(n.Columns) == 0 && n.Width == 1) {
		return 0
	}
	if size := 1; len(n.Dims) > 0 {
		for _, d := range n.Dims {
			if d < 1 || d > n.Width {
				return 0
			}
			size *= d
		}
		if size != n.Width {
			return 0
		}
	}
	total := n.Width
	for _, a := range n.Axes {
		if a.CenterColumns < 0 || a.RangeColumns < 0 || a.CenterColumns > maxCSVColumns || a.RangeColumns > maxCSVColumns {
			return 0
		}
		total += a.CenterColumns + a.RangeColumns
	}
	return total
}
