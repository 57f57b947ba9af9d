package series

import (
	"cmp"
	"slices"

	"github.com/helios-go/helios/helio/tt"
)

// Sorted returns the series in order of time; records of one instant stay in
// the order they have. A series that is in order is returned as it is.
func (s *Series) Sorted() *Series {
	if s.Ordered() {
		return s
	}
	order := make([]int32, s.Len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(s.Time[a], s.Time[b]) })
	out := *s
	out.Time = make([]tt.Time, s.Len())
	for i, r := range order {
		out.Time[i] = s.Time[r]
	}
	out.Values, out.Axes = pickRows(s.Values, s.Width(), order), s.pickAxes(order)
	return &out
}

// pickAxes returns the axes for these records.
func (s *Series) pickAxes(records []int32) []Axis {
	out := slices.Clone(s.Axes)
	for i, a := range s.Axes {
		switch n := s.Len(); {
		case !a.Varying:
		case n == 0:
			out[i].Varying = false
		default:
			out[i].Centers = pickRows(a.Centers, len(a.Centers)/n, records)
			out[i].Ranges = pickRows(a.Ranges, len(a.Ranges)/n, records)
		}
	}
	return out
}

// pickRows returns the rows, w wide, with these numbers; one below 0 is of
// missing values.
func pickRows(src []float64, w int, records []int32) []float64 {
	if w == 0 {
		return nil
	}
	dst := make([]float64, len(records)*w)
	for i, r := range records {
		row := dst[i*w : (i+1)*w]
		if r < 0 {
			fillNaN(row)
			continue
		}
		copy(row, src[int(r)*w:])
	}
	return dst
}
