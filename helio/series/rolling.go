package series

import (
	"fmt"
	"math"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// RollingOptions says how [Series.Rolling] works. The zero value, like nil,
// takes means around each record.
type RollingOptions struct {
	// Method is [Mean] where empty; [Nearest] and [Linear] are none.
	Method Method
	// Trailing makes the window end with the record, (t-window, t], instead of
	// lying around it, [t-window/2, t+window/2).
	Trailing bool
	// MinCoverage, from 0 to 1, is which part of the records that a window
	// could hold must be valid; a window with less is NaN. Count counts
	// regardless.
	MinCoverage float64
	// MaxGap is the longest distance between two valid values that a window
	// reaches over; 0 is [GapSteps] times the cadence, and below 0 all are.
	MaxGap time.Duration
	// Interval is how long one record lasts, for MinCoverage; 0 is the median
	// step of the time axis.
	Interval time.Duration
}

// Rolling returns, for each record, the mean or another statistic over the
// values within a window of time, so that irregular records need no care.
//
// It works column by column. Missing values are left out; a record whose own
// value is missing has a result from those around it, except within a gap
// longer than MaxGap, before the first value and after the last, where it is
// NaN. A window never reaches over such a gap: what lies beyond does not
// count. With MaxGap below 0 only the window matters.
//
// No sum ever has values taken out of it again, so an outlier leaves no trace
// in windows that it is not in. The cost does not grow with the window, but
// for the median, where it does slowly. The result is in order of time.
func (s *Series) Rolling(window time.Duration, opts *RollingOptions) (*Series, error) {
	r := &rolling{window: tt.Time(window)}
	if opts != nil {
		r.RollingOptions = *opts
	}
	fail := func(err error) (*Series, error) { return nil, fmt.Errorf("rolling over %s: %w", s.label(), err) }
	var err error
	if r.Method, err = r.Method.known(Mean, Median, Min, Max, Std, Count); err != nil {
		return fail(err)
	}
	if window <= 0 {
		return fail(fmt.Errorf("a window of %v holds nothing; give one above 0", window))
	}
	if c := r.MinCoverage; !(c >= 0 && c <= 1) {
		return fail(fmt.Errorf("a coverage of %v is not possible; give a part from 0 to 1", c))
	}
	if len(s.Values) != s.Len()*s.Width() {
		return fail(fmt.Errorf("%d values do not fill %d records of %d", len(s.Values), s.Len(), s.Width()))
	}
	fixed, err := s.fixedAxes()
	if err != nil {
		return fail(err)
	}
	r.s = fixed.Sorted()
	r.gap, r.step = r.s.gapLimit(r.MaxGap), tt.Time(r.Interval)
	if r.step <= 0 {
		r.step = tt.Time(Cadence(r.s.Time))
	}
	out := *r.s
	out.Values = make([]float64, len(s.Values))
	for c := range s.Width() {
		r.column(c, out.Values)
	}
	describe(&out, r.Method)
	return &out, nil
}

// A rolling is one call of Rolling.
type rolling struct {
	RollingOptions
	s                 *Series
	window, gap, step tt.Time
}

// column fills one column of out, stretch by stretch between long gaps.
func (r *rolling) column(c int, out []float64) {
	w := r.s.Width()
	valid := func(i int) bool { return finite(r.s.Values[i*w+c]) }
	for i := range r.s.Time {
		out[i*w+c] = math.NaN()
		if r.Method == Count {
			out[i*w+c] = 0
		}
	}
	if r.gap == tt.Max {
		r.stretch(c, 0, r.s.Len(), out)
		return
	}
	lo := 0
	for {
		for lo < r.s.Len() && !valid(lo) {
			lo++
		}
		if lo == r.s.Len() {
			return
		}
		last := lo // the stretch ends with a valid record
		for hi := lo + 1; hi < r.s.Len(); hi++ {
			if r.s.Time[hi]-r.s.Time[last] > r.gap {
				break
			}
			if valid(hi) {
				last = hi
			}
		}
		r.stretch(c, lo, last+1, out)
		lo = last + 1
	}
}

// stretch fills the records from lo to hi, which no long gap parts.
func (r *rolling) stretch(c, lo, hi int, out []float64) {
	w := r.s.Width()
	var win window
	if r.Method == Median {
		win = &medianWindow{}
	} else {
		win = &statWindow{}
	}
	first, next := lo, lo // the window's records
	for i := lo; i < hi; i++ {
		from, to := r.s.Time[i]-r.window/2, r.s.Time[i]-r.window/2+r.window
		if r.Trailing {
			from, to = r.s.Time[i]-r.window+1, r.s.Time[i]+1
		}
		for ; next < hi && r.s.Time[next] < to; next++ {
			if v := r.s.Values[next*w+c]; finite(v) {
				win.push(v)
			}
		}
		for ; first < next && r.s.Time[first] < from; first++ {
			if v := r.s.Values[first*w+c]; finite(v) {
				win.pop(v)
			}
		}
		n, value := win.result(r.Method)
		if r.Method != Count && r.MinCoverage > 0 && float64(n)*float64(r.step) < r.MinCoverage*float64(r.window)*(1-1e-9) {
			value = math.NaN()
		}
		out[i*w+c] = value
	}
}
