package series

import (
	"math"
	"slices"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// MaxGaps is how many gaps [Quality] lists; it counts all of them.
const MaxGaps = 10

// GapSteps is how many median steps apart two records with data must be for
// the time between them to be called a gap.
const GapSteps = 3

// ConstantRecords is how many records in a row with one value, missing ones
// left out, are called a constant stretch.
const ConstantRecords = 30

// OutlierSigmas is how far from its column's mean, in standard deviations, a
// value must lie to be called an outlier.
const OutlierSigmas = 5

// Quality says how much of a series can be relied on.
type Quality struct {
	// MissingPct is the share of values that are missing, in percent.
	MissingPct float64
	// Gaps has the first [MaxGaps] gaps in time order, NGaps counts all.
	Gaps  []Gap
	NGaps int
	// Outliers counts the values more than [OutlierSigmas] standard deviations
	// from the mean of their column. They may well be real.
	Outliers int
	// Notable is true when a reader should be told: more than 5 % missing, any
	// gap, or any outlier.
	Notable bool

	// Backward counts the records that lie before the one ahead of them,
	// Duplicates those whose time another has as well.
	Backward, Duplicates int
	// Constant has the first [MaxGaps] stretches of one value, NConstant counts
	// all. A column that never changes, as a flag may, has none.
	Constant  []Constant
	NConstant int
	// OutOfRange counts the values below Meta.ValidMin or above Meta.ValidMax.
	// They are not taken out: the limits of many files are out of date.
	OutOfRange int
}

// A Constant is a stretch of at least [ConstantRecords] records in which a
// column has one value, as of an instrument that got stuck, or of a daily
// index in a file of hours.
type Constant struct {
	Column      int
	Start, Stop tt.Time // of its first and its last record
	Records     int
	Value       float64
}

// A Gap is a stretch without data between two records that have some.
type Gap struct {
	Start    tt.Time // last record with data before the gap
	Duration time.Duration
}

// Quality examines all records. Steps are taken between records that hold at
// least one finite value, so a run of fills is a gap as well.
func (s *Series) Quality() Quality {
	var q Quality
	missing := 0
	for col := range s.Width() {
		st := s.Stats(col)
		missing += st.Missing
		q.Outliers += s.outliers(col, st)
	}
	if len(s.Values) > 0 {
		q.MissingPct = 100 * float64(missing) / float64(len(s.Values))
	}
	axis := s.validTimes()
	limit := GapSteps * tt.Time(Cadence(axis))
	for i := 1; i < len(axis) && limit > 0; i++ {
		step := axis[i] - axis[i-1]
		if step <= limit {
			continue
		}
		q.NGaps++
		if len(q.Gaps) < MaxGaps {
			q.Gaps = append(q.Gaps, Gap{Start: axis[i-1], Duration: time.Duration(step)})
		}
	}
	s.scanAxis(&q)
	s.scanValues(&q)
	q.Notable = q.MissingPct > 5 || q.NGaps > 0 || q.Outliers > 0
	return q
}

func (s *Series) outliers(col int, st Stats) int {
	if st.Valid == 0 || st.Std == 0 {
		return 0
	}
	n, w := 0, s.Width()
	for r := range s.Time {
		v := s.Values[r*w+col]
		if finite(v) && math.Abs(v-st.Mean) > OutlierSigmas*st.Std {
			n++
		}
	}
	return n
}

// scanAxis counts the times that go back or repeat.
func (s *Series) scanAxis(q *Quality) {
	for i := 1; i < s.Len(); i++ {
		if s.Time[i] < s.Time[i-1] {
			q.Backward++
		}
	}
	axis := s.Time
	if q.Backward > 0 {
		axis = slices.Clone(axis)
		slices.Sort(axis)
	}
	for i := 1; i < len(axis); i++ {
		if axis[i] == axis[i-1] {
			q.Duplicates++
		}
	}
}

// scanValues finds constant stretches and values out of their range.
func (s *Series) scanValues(q *Quality) {
	w := s.Width()
	for c := range w {
		low, high := limitOf(s.Meta.ValidMin, c, w), limitOf(s.Meta.ValidMax, c, w)
		var now Constant
		found, changes := 0, false
		end := func() {
			if now.Records < ConstantRecords {
				return
			}
			found++
			if len(q.Constant) < MaxGaps {
				q.Constant = append(q.Constant, now)
			}
		}
		for r, t := range s.Time {
			v := s.Values[r*w+c]
			if !finite(v) {
				continue
			}
			if v < low || v > high { // never of NaN
				q.OutOfRange++
			}
			if now.Records > 0 && v == now.Value {
				now.Stop = t
				now.Records++
				continue
			}
			changes = changes || now.Records > 0
			end()
			now = Constant{c, t, t, 1, v}
		}
		if changes {
			end()
			q.NConstant += found
		}
	}
}

// limitOf is the declared limit of a column, NaN for none.
func limitOf(declared []float64, column, width int) float64 {
	switch {
	case len(declared) == width:
		return declared[column]
	case len(declared) > 0:
		return declared[0]
	}
	return math.NaN()
}
