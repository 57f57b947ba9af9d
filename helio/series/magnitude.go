package series

import (
	"fmt"
	"math"
)

// Magnitude returns the length of each vector, as the scalar series "|B|" of
// the same units. A vector with a missing component has no length: it is NaN,
// not the length of what is left. A series that is no vector (a scalar, more
// than one dimension, or a dimension with bins) is an error.
func (s *Series) Magnitude() (*Series, error) {
	w := s.Width()
	binned := len(s.Axes) > 0 && s.Axes[0].Binned()
	if w < 2 || len(s.Dims) > 1 || binned {
		return nil, fmt.Errorf("magnitude of %s: a record is %d values of shape %v and no vector; give a series of two or three components", s.label(), w, s.Dims)
	}
	out := *s
	out.Name = "|" + s.Name + "|"
	out.Columns, out.Dims, out.Axes = []string{out.Name}, nil, nil
	if s.ID != "" {
		out.ID = s.ID + " magnitude"
	}
	if s.Description != "" {
		out.Description = "magnitude of " + s.Description
	}
	out.Meta.Fill, out.Meta.ValidMin, out.Meta.ValidMax = nil, nil, nil
	out.Values = make([]float64, s.Len())
	for i := range out.Values {
		squares := 0.0
		for _, v := range s.Row(i) {
			squares += v * v
		}
		out.Values[i] = math.Sqrt(squares)
	}
	return &out, nil
}
