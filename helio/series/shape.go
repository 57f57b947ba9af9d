package series

import (
	"fmt"
	"slices"
	"strconv"
)

// A shape is a record seen along one of its dimensions: n bins, in outer
// groups, with inner values each.
type shape struct{ outer, n, inner int }

// dims is Dims where they fit, otherwise one dimension as wide as a record;
// none for a scalar.
func (s *Series) dims() []int {
	size := 1
	for _, d := range s.Dims {
		size *= d
	}
	switch w := s.Width(); {
	case len(s.Dims) > 0 && size == w:
		return s.Dims
	case w > 1:
		return []int{w}
	}
	return nil
}

// along is an error where there is no dimension dim with bins.
func (s *Series) along(dim int) (shape, error) {
	dims := s.dims()
	if len(s.Values) != s.Len()*s.Width() {
		return shape{}, fmt.Errorf("%d values do not fill %d records of %d", len(s.Values), s.Len(), s.Width())
	}
	if dim < 0 || dim >= len(dims) || dim >= len(s.Axes) || !s.Axes[dim].Binned() {
		return shape{}, fmt.Errorf("dimension %d of its records (of shape %v) has no bins; give one that has", dim, dims)
	}
	sh := shape{1, dims[dim], 1}
	for i, d := range dims {
		switch {
		case i < dim:
			sh.outer *= d
		case i > dim:
			sh.inner *= d
		}
	}
	a, records := s.Axes[dim], 1
	if a.Varying {
		records = s.Len()
	}
	if c, r := len(a.Centers), len(a.Ranges); c != 0 && c != records*sh.n || r != 0 && r != 2*records*sh.n {
		return shape{}, fmt.Errorf("its axis %d (%s) has %d centers and %d limits for %d bins; correct the axis", dim, a.Name, c, r, sh.n)
	}
	return sh, nil
}

// without is s with one dimension gone, its values still to be filled.
func (s *Series) without(dim int, sh shape) *Series {
	out := *s
	out.Dims = slices.Delete(slices.Clone(s.dims()), dim, dim+1)
	out.Axes = slices.Delete(slices.Clone(s.Axes), dim, dim+1)
	if len(out.Dims) == 0 {
		out.Dims, out.Axes = nil, nil
	}
	out.Columns = make([]string, sh.outer*sh.inner)
	out.Values = make([]float64, s.Len()*len(out.Columns))
	out.Meta.Fill = nil
	if len(s.Meta.ValidMin) > 1 || len(s.Meta.ValidMax) > 1 {
		out.Meta.ValidMin, out.Meta.ValidMax = nil, nil // they were one a column
	}
	return &out
}

// column is the label of column i; the series' name where it has none.
func (s *Series) column(i int) string {
	if i < len(s.Columns) {
		return s.Columns[i]
	}
	return s.Name
}

// numbered makes n labels.
func (s *Series) numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s.Name + "_" + strconv.Itoa(i)
	}
	return out
}
