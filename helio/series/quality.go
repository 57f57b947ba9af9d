package series

import (
	"math"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// MaxGaps is how many gaps [Quality] lists; it counts all of them.
const MaxGaps = 10

// GapSteps is how many median steps apart two records with data must be for
// the time between them to be called a gap.
const GapSteps = 3

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
