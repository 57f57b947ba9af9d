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

var methods = []series.Method{series.Mean, series.Median, series.Min, series.Max, series.Std, series.Count, series.Nearest, series.Linear}

func secondsOf(times []tt.Time) []float64 {
	var out []float64
	for _, t := range times {
		out = append(out, float64(t)/1e9)
	}
	return out
}

func TestBinsAreHalfOpenAndEmptyOnesMissing(t *testing.T) {
	t.Parallel()
	s := &series.Series{Columns: []string{"a", "b"}, Dims: []int{2}, Units: "nT",
		Time:   []tt.Time{0, 4e9, 9_999_999_999, 10e9, 31e9, 39e9},
		Values: []float64{1, nan, 2, nan, 6, nan, 10, 1, 20, 2, 30, nan}}
	want := map[series.Method][]float64{
		series.Mean:   {3, nan, 10, 1, nan, nan, 25, 2},
		series.Median: {2, nan, 10, 1, nan, nan, 25, 2},
		series.Min:    {1, nan, 10, 1, nan, nan, 20, 2},
		series.Max:    {6, nan, 10, 1, nan, nan, 30, 2},
		series.Std:    {math.Sqrt(14.0 / 3), nan, 0, 0, nan, nan, 5, 0},
		series.Count:  {3, 0, 1, 1, 0, 0, 2, 1},
	}
	for method, values := range want {
		got, err := s.Resample(0, 40e9, 10*time.Second, &series.ResampleOptions{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Time, []tt.Time{0, 10e9, 20e9, 30e9}) || !alike(got.Values, values, 1e-15) || got.Meta.TimeStampLocation != series.Begin {
			t.Errorf("%s: got %v %v, want %v", method, got.Time, got.Values, values)
		}
		if unit := map[bool]string{true: "1", false: "nT"}[method == series.Count]; got.Units != unit {
			t.Errorf("%s: got unit %q, want %q", method, got.Units, unit)
		}
	}
	if s.Values[2] != 2 || s.Meta.TimeStampLocation != "" {
		t.Error("the series itself changed")
	}
}

// alike compares to a relative distance; NaN is equal to NaN.
func alike(a, b []float64, relative float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= relative*math.Max(math.Abs(x), math.Abs(y))
	})
}

func TestBinsCanBeLabelledByTheirCenter(t *testing.T) {
	t.Parallel()
	s := minutes(0, 1, 2, 3, 4, 5, 6, 7)
	got, err := s.Resample(0, tt.Time(7*time.Minute), 3*time.Minute, &series.ResampleOptions{Label: series.Center})
	if err != nil {
		t.Fatal(err)
	}
	// The last bin ends at stop, so its center is that of one minute.
	if want := []float64{90, 270, 390}; !slices.Equal(secondsOf(got.Time), want) || !slices.Equal(got.Values, []float64{1, 4, 6}) || got.Meta.TimeStampLocation != series.Center {
		t.Errorf("got %v %v, want %v", secondsOf(got.Time), got.Values, want)
	}
}

func TestAGridOfTheDataBeginsOnWholeSteps(t *testing.T) {
	t.Parallel()
	s := minutes(1, 2, 3)
	for i := range s.Time {
		s.Time[i] += at(t, "2016-12-31T23:58:30")
	}
	got, err := s.Resample(tt.Fill, tt.Fill, time.Minute, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []tt.Time{at(t, "2016-12-31T23:58"), at(t, "2016-12-31T23:59"), at(t, "2017-01-01")}; !slices.Equal(got.Time, want) || !slices.Equal(got.Values, []float64{1, 2, 3}) {
		t.Errorf("got %v %v, want %v", got.Time, got.Values, want)
	}
	if got, err := new(series.Series).Resample(tt.Fill, tt.Fill, time.Hour, nil); err != nil || got.Len() != 0 {
		t.Errorf("of nothing: got %v, %v", got, err)
	}
}

func TestMinCoverageIsColumnByColumn(t *testing.T) {
	t.Parallel()
	s := minutes(1, 1, 1, nan, 1, nan, nan, nan, nan, nan, nan, nan)
	for coverage, want := range map[float64][]float64{0: {1, 1, nan}, 0.25: {1, 1, nan}, 0.26: {1, nan, nan}, 0.75: {1, nan, nan}, 0.76: {nan, nan, nan}} {
		got, err := s.Resample(0, tt.Time(12*time.Minute), 4*time.Minute, &series.ResampleOptions{MinCoverage: coverage})
		if err != nil || !alike(got.Values, want, 0) {
			t.Errorf("coverage %v: got %v, %v, want %v", coverage, got.Values, err, want)
		}
	}
}

// An hour is the same hour whether its source stamps begin, center or end.
func TestStampsAtBeginCenterAndEndMeet(t *testing.T) {
	t.Parallel()
	for location, first := range map[string]time.Duration{series.Begin: 0, series.Center: 30 * time.Minute, series.End: time.Hour, "END": time.Hour} {
		s := &series.Series{Columns: []string{"v"}, Meta: series.Meta{TimeStampLocation: location}}
		for i := range 12 {
			s.Time = append(s.Time, tt.Time(first)+tt.Time(i)*tt.Time(time.Hour))
			s.Values = append(s.Values, float64(i))
		}
		got, err := s.Resample(0, tt.Time(12*time.Hour), 3*time.Hour, nil)
		if err != nil || !slices.Equal(got.Values, []float64{1, 4, 7, 10}) {
			t.Errorf("stamped at the %s: got %v, %v, want hours 0 to 2 in the first bin", location, got.Values, err)
		}
		line, err := s.ResampleAt([]tt.Time{tt.Time(time.Hour)}, &series.ResampleOptions{Method: series.Linear})
		if err != nil || !slices.Equal(line.Values, []float64{0.5}) || line.Meta.TimeStampLocation != series.Center {
			t.Errorf("stamped at the %s: at one o'clock got %v, %v, want 0.5, half way between the hours", location, line.Values, err)
		}
	}
}

func TestNothingReachesOverALongGap(t *testing.T) {
	t.Parallel()
	// Seconds 0 to 4, then 10 to 12; 3 is missing, which is no long gap.
	s := &series.Series{Columns: []string{"v"}, Time: []tt.Time{0, 1e9, 2e9, 3e9, 4e9, 10e9, 11e9, 12e9}, Values: []float64{0, 10, 20, nan, 40, 100, 110, 120}}
	times := []tt.Time{-1e9, -5e8, 5e8, 1e9, 3e9, 3_100_000_000, 4e9, 4_400_000_000, 5e9, 9_600_000_000, 10e9, 115e8, 125e8, 13e9}
	for _, c := range []struct {
		method series.Method
		limit  time.Duration
		want   []float64
	}{
		{series.Linear, 0, []float64{nan, nan, 5, 10, 30, 31, 40, nan, nan, nan, 100, 115, nan, nan}},
		{series.Linear, 1500 * time.Millisecond, []float64{nan, nan, 5, 10, nan, nan, 40, nan, nan, nan, 100, 115, nan, nan}},
		{series.Linear, -1, []float64{nan, nan, 5, 10, 30, 31, 40, 44, 50, 96, 100, 115, nan, nan}},
		{series.Nearest, 0, []float64{nan, 0, 0, 10, 20, 40, 40, 40, nan, 100, 100, 110, 120, nan}},
		{series.Nearest, -1, []float64{nan, 0, 0, 10, 20, 40, 40, 40, 40, 100, 100, 110, 120, nan}},
	} {
		got, err := s.ResampleAt(times, &series.ResampleOptions{Method: c.method, MaxGap: c.limit})
		if err != nil || !alike(got.Values, c.want, 1e-12) {
			t.Errorf("%s with limit %v: got %v, %v, want %v", c.method, c.limit, got.Values, err, c.want)
		}
	}
}

func TestBinsAtGivenTimes(t *testing.T) {
	t.Parallel()
	s := minutes(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	m := func(n ...float64) (out []tt.Time) {
		for _, v := range n {
			out = append(out, tt.Time(v*60e9))
		}
		return out
	}
	for _, c := range []struct {
		opts series.ResampleOptions
		want []float64
	}{
		{series.ResampleOptions{}, []float64{0.5, 3, 7}}, // 2 and 4 minutes apart: 3 minutes wide, and never into the next
		{series.ResampleOptions{Width: time.Minute}, []float64{0, 2, 6}},
		{series.ResampleOptions{Width: 2 * time.Minute, Label: series.Center}, []float64{0, 1.5, 5.5}},
	} {
		got, err := s.ResampleAt(m(0, 2, 6), &c.opts)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Values, c.want) || !slices.Equal(got.Time, m(0, 2, 6)) {
			t.Errorf("%+v: got %v at %v, want %v", c.opts, got.Values, got.Time, c.want)
		}
	}
}

func TestResampleErrorsAreOneSentence(t *testing.T) {
	t.Parallel()
	s := minutes(1, 2)
	s.ID = "p/d/v"
	varying := minutes(1, 2)
	varying.Axes = []series.Axis{{Name: "energy", Varying: true, Centers: []float64{1, 2}}}
	run := func(s *series.Series, step time.Duration, o series.ResampleOptions) func() (*series.Series, error) {
		return func() (*series.Series, error) { return s.Resample(0, 100, step, &o) }
	}
	for want, call := range map[string]func() (*series.Series, error){
		`there is no method "mode"`:            run(s, 1, series.ResampleOptions{Method: "mode"}),
		`no label at its "end"`:                run(s, 1, series.ResampleOptions{Label: series.End}),
		`a coverage of 2`:                      run(s, 1, series.ResampleOptions{MinCoverage: 2}),
		`a coverage of NaN`:                    run(s, 1, series.ResampleOptions{MinCoverage: nan}),
		`a step of 0s leads nowhere`:           run(s, 0, series.ResampleOptions{}),
		`(energy) vary with time; put them on`: run(varying, 1, series.ResampleOptions{}),
		`0 values do not fill 2 records`:       run(&series.Series{Time: s.Time}, 1, series.ResampleOptions{}),
		`give them in order`:                   func() (*series.Series, error) { return s.ResampleAt([]tt.Time{2, 2}, nil) },
		`time 1 of 2 is missing`:               func() (*series.Series, error) { return s.ResampleAt([]tt.Time{tt.Fill, 2}, nil) },
		`give a Width`:                         func() (*series.Series, error) { return s.ResampleAt([]tt.Time{2}, nil) },
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Whatever the bins: no record is lost, none counts twice, and what comes out
// lies within what went in.
func TestResamplingConservesWhatItIsGiven(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := anySeries(r, "s")
		s.Meta.TimeStampLocation = rapid.SampledFrom([]string{"", "begin", "center", "end"}).Draw(r, "location")
		step := time.Duration(rapid.Int64Range(3e8, 20e9).Draw(r, "step"))
		results := map[series.Method]*series.Series{}
		for _, m := range methods {
			got, err := s.Resample(tt.Fill, tt.Fill, step, &series.ResampleOptions{Method: m})
			if err != nil {
				r.Fatal(err)
			}
			results[m] = got
		}
		for c := range s.Width() {
			total := 0.0
			for _, n := range results[series.Count].Column(c) {
				total += n
			}
			if st := s.Stats(c); int(total) != st.Valid {
				r.Fatalf("column %d: %v counted of %d valid", c, total, st.Valid)
			}
		}
		for i, n := range results[series.Count].Values {
			mean, lo, hi := results[series.Mean].Values[i], results[series.Min].Values[i], results[series.Max].Values[i]
			mid := results[series.Median].Values[i]
			if (n == 0) != math.IsNaN(mean) || (n == 0) != math.IsNaN(mid) || n > 0 && !(lo <= mid && mid <= hi && mean >= lo-1e-12 && mean <= hi+1e-12) {
				r.Fatalf("bin %d with %v records: min %v, mean %v, median %v, max %v", i, n, lo, mean, mid, hi)
			}
		}
		for c := range s.Width() {
			inData := s.Column(c)
			for _, v := range results[series.Nearest].Column(c) {
				if !math.IsNaN(v) && !slices.Contains(inData, v) {
					r.Fatalf("nearest made up %v", v)
				}
			}
		}
	})
}

// The straightforward way, record by record and bin by bin.
func TestMeansAreThoseOfTheNaiveWay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := anySeries(r, "s")
		step := tt.Time(rapid.Int64Range(1e9, 20e9).Draw(r, "step"))
		start := tt.Time(rapid.Int64Range(-1e12, 1e12).Draw(r, "start"))
		stop := start + step*tt.Time(rapid.IntRange(0, 50).Draw(r, "bins"))
		got, err := s.Resample(start, stop, time.Duration(step), nil)
		if err != nil {
			r.Fatal(err)
		}
		w := s.Width()
		for i, from := range got.Time {
			sum, n := make([]float64, w), make([]float64, w)
			for k, instant := range s.Time {
				for c, v := range s.Row(k) {
					if instant >= from && instant < from+step && !math.IsNaN(v) {
						sum[c] += v
						n[c]++
					}
				}
			}
			for c := range w {
				if sum[c] /= n[c]; !alike([]float64{sum[c]}, got.Row(i)[c:c+1], 1e-12) {
					r.Fatalf("bin %v column %d: got %v, want %v", from, c, got.Row(i)[c], sum[c])
				}
			}
		}
	})
}

func ExampleSeries_Resample() {
	all, _ := series.ReadCSV(strings.NewReader(table), nil)
	v := all[1]
	half, _ := v.Resample(tt.Fill, tt.Fill, 30*time.Second, nil)
	for i, t := range half.Time {
		fmt.Println(t, half.Values[i])
	}
	most, _ := v.Resample(tt.Fill, tt.Fill, 30*time.Second, &series.ResampleOptions{Method: series.Max, Label: series.Center, MinCoverage: 1})
	fmt.Println(most.Time[0], most.Values, most.Meta.TimeStampLocation)
	// Output:
	// 2023-01-02T03:41:00Z 402.5
	// 2023-01-02T03:41:30Z 407
	// 2023-01-02T03:42:00Z 404
	// 2023-01-02T03:41:15Z [404 NaN NaN] center
}

func ExampleSeries_ResampleAt() {
	s := &series.Series{Columns: []string{"N"}, Time: []tt.Time{0, 10e9, 20e9, 30e9, 90e9}, Values: []float64{5, 6, 7, 8, 9}}
	line, _ := s.ResampleAt([]tt.Time{5e9, 25e9, 60e9}, &series.ResampleOptions{Method: series.Linear})
	fmt.Println(line.Values) // nothing within the gap of a minute
	// Output: [5.5 7.5 NaN]
}
