package series_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

var statistics = []series.Method{series.Mean, series.Median, series.Min, series.Max, series.Std, series.Count}

func TestRollingIsOverTimeAndNotOverRecords(t *testing.T) {
	t.Parallel()
	// A second apart, then two; 2 is missing; a gap of 20 s at the end.
	s := named("v", "nT", []float64{0, 1, 2, 3, 5, 25, 26}, 1, 2, nan, 4, 9, 100, 102)
	for _, c := range []struct {
		window time.Duration
		opts   series.RollingOptions
		want   []float64
	}{
		{2 * time.Second, series.RollingOptions{}, []float64{1, 1.5, 2, 4, 9, 100, 101}},
		{2 * time.Second, series.RollingOptions{Trailing: true}, []float64{1, 1.5, 2, 4, 9, 100, 101}},
		{3 * time.Second, series.RollingOptions{Method: series.Count}, []float64{2, 2, 2, 1, 1, 2, 2}},
		{4 * time.Second, series.RollingOptions{Method: series.Max}, []float64{2, 2, 4, 4, 9, 102, 102}},
		{4 * time.Second, series.RollingOptions{Method: series.Min, Trailing: true}, []float64{1, 1, 1, 1, 4, 100, 100}},
		{60 * time.Second, series.RollingOptions{Method: series.Median}, []float64{3, 3, 3, 3, 3, 101, 101}},
		{60 * time.Second, series.RollingOptions{Method: series.Median, MaxGap: -1}, []float64{6.5, 6.5, 6.5, 6.5, 6.5, 6.5, 6.5}},
		{2 * time.Second, series.RollingOptions{MinCoverage: 1}, []float64{nan, 1.5, nan, nan, nan, nan, 101}},
		{4 * time.Second, series.RollingOptions{Method: series.Std}, []float64{.5, .5, math.Sqrt(14.0 / 9), 1, 2.5, 1, 1}},
	} {
		got, err := s.Rolling(c.window, &c.opts)
		if err != nil || !alike(got.Values, c.want, 1e-12) || !slices.Equal(got.Time, s.Time) {
			t.Errorf("%v %+v: got %v, %v, want %v", c.window, c.opts, got.Values, err, c.want)
		}
	}
}

func TestRollingRecordsInALongGapHaveNoValue(t *testing.T) {
	t.Parallel()
	s := minutes(1, 1, 1, nan, nan, nan, nan, 3, 3, nan, nan, 3, nan)
	got, err := s.Rolling(3*time.Minute, nil)
	if want := []float64{1, 1, 1, nan, nan, nan, nan, 3, 3, 3, 3, 3, nan}; err != nil || !alike(got.Values, want, 0) {
		t.Errorf("got %v, %v, want %v", got.Values, err, want)
	}
}

// An outlier leaves no trace in the windows after it.
func TestRollingForgets(t *testing.T) {
	t.Parallel()
	values := slices.Repeat([]float64{1e-3, 2e-3}, 500)
	values[500] = 1e15
	s := minutes(values...)
	for _, m := range []series.Method{series.Mean, series.Std} {
		got, err := s.Rolling(10*time.Minute, &series.RollingOptions{Method: m})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := got.Values[400], got.Values[600]; !alike([]float64{a}, []float64{b}, 1e-12) {
			t.Errorf("%s: got %v after the outlier and %v before it", m, b, a)
		}
	}
}

func TestRollingIsWhatTheNaiveWayGives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := anySeries(r, "s")
		window := tt.Time(rapid.Int64Range(1, 30e9).Draw(r, "window"))
		gap := tt.Time(rapid.Int64Range(1e9, 10e9).Draw(r, "gap"))
		o := series.RollingOptions{Trailing: rapid.Bool().Draw(r, "trailing"), MaxGap: time.Duration(gap)}
		for _, o.Method = range statistics {
			got, err := s.Rolling(time.Duration(window), &o)
			if err != nil {
				r.Fatal(err)
			}
			for c := range s.Width() {
				col := s.Column(c)
				for i, t := range s.Time {
					from, to := t-window/2, t-window/2+window
					if o.Trailing {
						from, to = t-window+1, t+1
					}
					want := naive(s.Time, col, i, from, to, gap, o.Method)
					if v := got.Row(i)[c]; !(math.IsNaN(v) && math.IsNaN(want)) && !(math.Abs(v-want) <= 1e-9) {
						r.Fatalf("%s of column %d at %d: got %v, want %v", o.Method, c, i, v, want)
					}
				}
			}
		}
	})
}

// naive is the statistic over the valid values in [from, to) that are
// connected to record i by steps of at most gap.
func naive(times []tt.Time, col []float64, i int, from, to, gap tt.Time, m series.Method) float64 {
	var valid []int
	for k, v := range col {
		if !math.IsNaN(v) {
			valid = append(valid, k)
		}
	}
	// The stretch of valid records that i belongs to.
	var stretch []int
	for _, k := range valid {
		if n := len(stretch); n > 0 && times[k]-times[stretch[n-1]] > gap {
			if i <= stretch[n-1] {
				break
			}
			stretch = nil
		}
		stretch = append(stretch, k)
	}
	var in []float64
	if n := len(stretch); n > 0 && i >= stretch[0] && i <= stretch[n-1] {
		for _, k := range stretch {
			if times[k] >= from && times[k] < to {
				in = append(in, col[k])
			}
		}
	}
	s := &series.Series{Time: make([]tt.Time, len(in)), Values: in}
	st := s.Stats(0)
	return map[series.Method]float64{series.Mean: st.Mean, series.Median: st.Median, series.Min: st.Min, series.Max: st.Max, series.Std: st.Std, series.Count: float64(st.Valid)}[m]
}

func TestRollingErrors(t *testing.T) {
	t.Parallel()
	s := minutes(1)
	for want, o := range map[string]series.RollingOptions{`no method "linear"`: {Method: series.Linear}, "coverage of 3": {MinCoverage: 3}} {
		if _, err := s.Rolling(1, &o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := s.Rolling(0, nil); err == nil {
		t.Error("a window of nothing passed")
	}
	if _, err := (&series.Series{Time: s.Time}).Rolling(1, nil); err == nil {
		t.Error("a series without values passed")
	}
}

func TestCoverageIsInIntervals(t *testing.T) {
	t.Parallel()
	minute := tt.Time(time.Minute)
	values := []float64{1, 1, 1, nan, nan, nan, nan, nan, 1, 1, nan, 1} // of 12 minutes, one gap
	for location, shift := range map[string]tt.Time{"": -minute / 2, series.Begin: 0, series.Center: -minute / 2, series.End: -minute} {
		s := minutes(values...)
		s.Meta.TimeStampLocation = location
		c := s.Coverage(tt.Fill, tt.Fill, 0)
		want := []series.Interval{{Start: shift, Stop: 3*minute + shift}, {Start: 8*minute + shift, Stop: 12*minute + shift}}
		if !slices.Equal(c.Intervals, want) || c.Covered != 7*time.Minute || math.Abs(c.Pct-100*7.0/12) > 1e-9 {
			t.Errorf("%q: got %+v, want %v", location, c, want)
		}
		if gaps := c.Gaps(); !slices.Equal(gaps, []series.Interval{{Start: want[0].Stop, Stop: want[1].Start}}) {
			t.Errorf("%q: got gaps %v", location, gaps)
		}
	}
	s := minutes(values...)
	s.Meta.TimeStampLocation = series.Begin
	c := s.Coverage(-2*minute, 10*minute, time.Minute)
	if want := []series.Interval{{Stop: 3 * minute}, {Start: 8 * minute, Stop: 10 * minute}}; !slices.Equal(c.Intervals, want) || c.Pct != 100*5.0/12 {
		t.Errorf("in a window: got %+v, want %v", c, want)
	}
	if gaps := c.Gaps(); len(gaps) != 2 || gaps[0].Duration() != 2*time.Minute {
		t.Errorf("in a window: got gaps %v", gaps)
	}
	if c := new(series.Series).Coverage(0, minute, 0); c.Pct != 0 || len(c.Gaps()) != 1 {
		t.Errorf("of nothing: got %+v", c)
	}
}

// Intervals and gaps are in order, and together they are the window.
func TestCoverageAndGapsAreTheWindow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := anySeries(r, "s")
		s.Meta.TimeStampLocation = rapid.SampledFrom([]string{"", "begin", "end"}).Draw(r, "location")
		start := tt.Time(rapid.Int64Range(-1e12, 1e12).Draw(r, "start"))
		stop := start + tt.Time(rapid.Int64Range(0, 100e9).Draw(r, "length"))
		c := s.Coverage(start, stop, time.Duration(rapid.Int64Range(-1, 5e9).Draw(r, "gap")))
		all := slices.Concat(c.Intervals, c.Gaps())
		slices.SortFunc(all, func(a, b series.Interval) int { return int(a.Start - b.Start) })
		at, covered := start, time.Duration(0)
		for _, i := range all {
			if i.Start != at || i.Stop <= i.Start {
				r.Fatalf("%v follows %v", i, at)
			}
			at = i.Stop
		}
		for _, i := range c.Intervals {
			covered += i.Duration()
		}
		if at != stop || covered != c.Covered || c.Pct < 0 || c.Pct > 100 {
			r.Fatalf("got %+v up to %v", c, at)
		}
	})
}

func TestQualityFindsWhatIsWrongWithTheAxis(t *testing.T) {
	t.Parallel()
	s := named("v", "", []float64{0, 1, 2, 1.5, 2, 3, 3, 3}, 1, 2, 1, 2, 1, 2, 1, 2)
	q := s.Quality()
	if q.Backward != 1 || q.Duplicates != 3 {
		t.Errorf("got %d back and %d again, want 1 and 3", q.Backward, q.Duplicates)
	}
}

func TestQualityFindsConstantStretches(t *testing.T) {
	t.Parallel()
	values := []float64{1, 2, 3}
	for range 30 {
		values = append(values, 7, nan)
	}
	values = append(values, 1, 2)
	values = append(values, slices.Repeat([]float64{4}, 29)...)
	s := minutes(values...)
	want := []series.Constant{{Column: 0, Start: s.Time[3], Stop: s.Time[61], Records: 30, Value: 7}}
	if q := s.Quality(); !slices.Equal(q.Constant, want) || q.NConstant != 1 {
		t.Errorf("got %d, %+v, want %+v", q.NConstant, q.Constant, want)
	}
	if q := minutes(slices.Repeat([]float64{1}, 100)...).Quality(); q.NConstant != 0 || q.Constant != nil {
		t.Errorf("a flag that never changes: got %+v", q.Constant)
	}
}

func TestQualityCountsValuesOutOfTheirRange(t *testing.T) {
	t.Parallel()
	s := minutes(-1, 0, 5, 10, 11, nan)
	s.Meta.ValidMin, s.Meta.ValidMax = []float64{0}, []float64{10}
	q := s.Quality()
	if q.OutOfRange != 2 {
		t.Errorf("got %d, want 2", q.OutOfRange)
	}
	s.Columns = []string{"a", "b"}
	s.Time = s.Time[:3]
	s.Meta.ValidMin = []float64{nan, 1}
	if q := s.Quality(); q.OutOfRange != 2 { // 0 in column b, 11 in column a
		t.Errorf("column by column: got %d, want 2", q.OutOfRange)
	}
}

func TestWarningsAreSentences(t *testing.T) {
	t.Parallel()
	s := minutes(append(slices.Repeat([]float64{1, 2}, 40), 1e6)...)
	s.Time[len(s.Time)-1] += tt.Time(time.Hour)
	s.Time[5] = s.Time[4]
	s.Values[20], s.Values[21] = 5, nan
	s.Meta.ValidMax = []float64{4}
	want := []string{
		"1 gap, such as one of 1h1m0s after 2000-01-01T13:17:55.816Z",
		"1 value more than 5 standard deviations from the mean, which may be real",
		"1 record at a time that another has as well",
		"2 values outside the limits that the source declares as valid",
	}
	if got := s.Quality().Warnings(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := minutes(1, 2, 3).Quality().Warnings(); got != nil {
		t.Errorf("got %q for good data", got)
	}
}

func ExampleSeries_Rolling() {
	s := &series.Series{Columns: []string{"N"}, Values: []float64{5, 6, 40, 7, 5}}
	for i := range s.Values {
		s.Time = append(s.Time, tt.Time(i)*tt.Time(time.Minute))
	}
	smooth, _ := s.Rolling(3*time.Minute, &series.RollingOptions{Method: series.Median})
	fmt.Println(smooth.Values) // the spike is gone
	// Output: [5.5 6 7 7 6]
}

func ExampleSeries_Coverage() {
	s := &series.Series{Columns: []string{"N"}, Values: []float64{5, 6, math.NaN(), math.NaN(), math.NaN(), 7, 5, 6}}
	s.Meta.TimeStampLocation = series.Begin
	start, _ := tt.Parse("2024-09-12")
	for i := range s.Values {
		s.Time = append(s.Time, start+tt.Time(i)*3600e9)
	}
	c := s.Coverage(start, start.Add(10*time.Hour), 0)
	fmt.Printf("%.0f %%\n", c.Pct)
	for _, i := range c.Intervals {
		fmt.Println(i.Start, i.Stop)
	}
	// Output:
	// 50 %
	// 2024-09-12T00:00:00Z 2024-09-12T02:00:00Z
	// 2024-09-12T05:00:00Z 2024-09-12T08:00:00Z
}

func ExampleQuality_Warnings() {
	s := &series.Series{Columns: []string{"N"}, Values: []float64{5, 6, 5, -3, 7, 5}, Meta: series.Meta{ValidMin: []float64{0}}}
	for i := range s.Values {
		s.Time = append(s.Time, tt.Time(i)*3600e9)
	}
	for _, w := range s.Quality().Warnings() {
		fmt.Println(w)
	}
	// Output: 1 value outside the limits that the source declares as valid
}
