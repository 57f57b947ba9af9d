package series

import (
	"math"

	"github.com/helios-go/helios/helio/tt"
)

// Stats describes one column. Values that are not finite count as missing.
// Where nothing is valid the numbers are NaN and the times [tt.Fill].
type Stats struct {
	N       int // records
	Valid   int
	Missing int

	Mean   float64
	Median float64
	Std    float64 // of the population (divided by Valid), as numpy's std
	Min    float64
	Max    float64

	MinTime tt.Time // of the first record that has the minimum
	MaxTime tt.Time // of the first record that has the maximum
}

// Stats returns the statistics of column col over all records. It panics when
// there is no such column.
func (s *Series) Stats(col int) Stats {
	w := s.Width()
	if col < 0 || col >= w {
		panic("series: no such column")
	}
	nan := math.NaN()
	st := Stats{N: s.Len(), Mean: nan, Median: nan, Std: nan, Min: nan, Max: nan, MinTime: tt.Fill, MaxTime: tt.Fill}
	valid := make([]float64, 0, st.N)
	var total sum
	for r, t := range s.Time {
		v := s.Values[r*w+col]
		if !finite(v) {
			continue
		}
		if len(valid) == 0 || v < st.Min {
			st.Min, st.MinTime = v, t
		}
		if len(valid) == 0 || v > st.Max {
			st.Max, st.MaxTime = v, t
		}
		total.add(v)
		valid = append(valid, v)
	}
	st.Valid = len(valid)
	st.Missing = st.N - st.Valid
	if st.Valid == 0 {
		return st
	}
	n := float64(st.Valid)
	st.Mean = total.value() / n
	var squares sum
	for _, v := range valid {
		squares.add((v - st.Mean) * (v - st.Mean))
	}
	st.Std = math.Sqrt(squares.value() / n)
	st.Median = median(valid)
	return st
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// sum adds with Neumaier's compensation: a year of one-second data is 3e7
// values, where a plain sum loses digits that a reader of the mean would see.
type sum struct{ total, lost float64 }

func (s *sum) add(v float64) {
	t := s.total + v
	if math.Abs(s.total) >= math.Abs(v) {
		s.lost += (s.total - t) + v
	} else {
		s.lost += (v - t) + s.total
	}
	s.total = t
}

func (s *sum) value() float64 { return s.total + s.lost }

func fillNaN(values []float64) {
	for i := range values {
		values[i] = math.NaN()
	}
}
