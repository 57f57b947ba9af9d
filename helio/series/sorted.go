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
	order := make([]int, s.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Time[a], s.Time[b]) })
	return s.pick(order)
}

// pick returns the records with these numbers; one below 0 has no values.
func (s *Series) pick(records []int) *Series {
	out, w := *s, s.Width()
	out.Time = make([]tt.Time, len(records))
	out.Values = make([]float64, len(records)*w)
	for i, r := range records {
		out.Time[i] = tt.Fill
		if r >= 0 {
			out.Time[i] = s.Time[r]
		}
	}
	pickRows(out.Values, s.Values, w, records)
	out.Axes = slices.Clone(s.Axes)
	for i, a := range s.Axes {
		if a.Varying && s.Len() > 0 {
			out.Axes[i].Centers = pickAxis(a.Centers, s.Len(), records)
			out.Axes[i].Ranges = pickAxis(a.Ranges, s.Len(), records)
		}
	}
	return &out
}

func pickAxis(values []float64, n int, records []int) []float64 {
	w := len(values) / n
	if w == 0 {
		return nil
	}
	out := make([]float64, len(records)*w)
	pickRows(out, values, w, records)
	return out
}

func pickRows(dst, src []float64, w int, records []int) {
	for i, r := range records {
		row := dst[i*w : (i+1)*w]
		if r < 0 {
			fillNaN(row)
			continue
		}
		copy(row, src[r*w:(r+1)*w])
	}
}
