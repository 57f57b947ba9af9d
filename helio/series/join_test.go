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

// named is a scalar with the given seconds since J2000 and values.
func named(name, units string, seconds []float64, values ...float64) *series.Series {
	s := &series.Series{ID: "p/d/" + name, Name: name, Units: units, Columns: []string{name}, Values: values}
	for _, t := range seconds {
		s.Time = append(s.Time, tt.Time(t*1e9))
	}
	return s
}

func TestJoinOntoOneAxis(t *testing.T) {
	t.Parallel()
	a := named("N", "cm^-3", []float64{0, 10, 20, 30}, 1, 2, 3, 4)
	b := named("T", "eV", []float64{30.2, 0.1, 10, 14, 19.8}, 300, 100, 110, 140, 198) // not in order
	second := tt.Time(1e9)
	for _, c := range []struct {
		name string
		opts *series.JoinOptions
		axis []float64
		a, b []float64
	}{
		{"exactly", nil, []float64{0, 10, 20, 30}, []float64{1, 2, 3, 4}, []float64{nan, 110, nan, nan}},
		{"within a tolerance", &series.JoinOptions{Tolerance: 200 * time.Millisecond}, []float64{0, 10, 20, 30}, []float64{1, 2, 3, 4}, []float64{100, 110, 198, 300}},
		{"on all times", &series.JoinOptions{Union: true}, []float64{0, .1, 10, 14, 19.8, 20, 30, 30.2}, []float64{1, nan, 2, nan, nan, 3, 4, nan}, []float64{nan, 100, 110, 140, 198, nan, nan, 300}},
		{"on all times within a tolerance", &series.JoinOptions{Union: true, Tolerance: 200 * time.Millisecond}, []float64{0, 10, 14, 19.8, 30}, []float64{1, 2, nan, 3, 4}, []float64{100, 110, 140, 198, 300}},
		{"nearest", &series.JoinOptions{Method: series.Nearest}, []float64{0, 10, 20, 30}, []float64{1, 2, 3, 4}, []float64{100, 110, 198, 300}},
		{"linear", &series.JoinOptions{Method: series.Linear}, []float64{0, 10, 20, 30}, []float64{1, 2, 3, 4}, []float64{nan, 110, 198 + 102*.2/10.4, 198 + 102*10.2/10.4}},
		{"linear over short gaps only", &series.JoinOptions{Method: series.Linear, MaxGap: 10 * time.Second}, []float64{0, 10, 20, 30}, []float64{1, 2, 3, 4}, []float64{nan, 110, nan, nan}},
		{"at times of its own", &series.JoinOptions{Method: series.Linear, Times: []tt.Time{5 * second, 12 * second}}, []float64{5, 12}, []float64{1.5, 2.2}, []float64{100 + 10*4.9/9.9, 125}},
	} {
		got, err := series.Join([]*series.Series{a, b}, c.opts)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !alike(secondsOf(got[0].Time), c.axis, 1e-12) || &got[0].Time[0] != &got[1].Time[0] {
			t.Errorf("%s: got times %v, want %v", c.name, secondsOf(got[0].Time), c.axis)
		}
		if !alike(got[0].Values, c.a, 1e-12) || !alike(got[1].Values, c.b, 1e-12) {
			t.Errorf("%s: got %v and %v, want %v and %v", c.name, got[0].Values, got[1].Values, c.a, c.b)
		}
		if got[1].Units != "eV" || got[1].ID != b.ID || !slices.Equal(got[1].Columns, b.Columns) {
			t.Errorf("%s: got %+v", c.name, got[1])
		}
	}
}

// OMNI minutes (stamped at the begin), hourly Dst (at the end here, so that
// each says something else) and Wind (at the center of 92 s).
func TestJoinToTheCoarsestAlignsTheStamps(t *testing.T) {
	t.Parallel()
	dst := named("Dst", "nT", []float64{3600, 7200, 10800}, -1, -2, -3)
	dst.Meta.TimeStampLocation = series.End
	omni := &series.Series{Name: "Bz", Columns: []string{"Bz"}, Meta: series.Meta{TimeStampLocation: series.Begin}}
	for i := range 180 {
		omni.Time = append(omni.Time, tt.Time(i)*60e9)
		omni.Values = append(omni.Values, float64(i/60))
	}
	wind := &series.Series{Name: "N", Columns: []string{"N"}, Meta: series.Meta{TimeStampLocation: series.Center}}
	for i := range 117 {
		at := tt.Time(i)*92e9 + 46e9
		wind.Time = append(wind.Time, at)
		wind.Values = append(wind.Values, float64(at/3600e9))
	}
	got, err := series.Join([]*series.Series{omni, dst, wind}, &series.JoinOptions{Method: series.Mean})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float64{{0, 1, 2}, {-1, -2, -3}, {0, 1, 2}} {
		if !slices.Equal(got[i].Values, want) || !slices.Equal(got[i].Time, dst.Time) || got[i].Meta.TimeStampLocation != series.End {
			t.Errorf("%s: got %v at %v (%s), want %v", got[i].Name, got[i].Values, got[i].Time, got[i].Meta.TimeStampLocation, want)
		}
	}
	// Hours at their begin and at their end are the same hours.
	begin := named("ap", "", []float64{0, 3600, 7200}, 4, 5, 6)
	begin.Meta.TimeStampLocation = series.Begin
	got, err = series.Join([]*series.Series{begin, dst}, nil)
	if err != nil || !slices.Equal(got[1].Values, dst.Values) || !slices.Equal(got[1].Time, begin.Time) || got[1].Meta.TimeStampLocation != series.Begin {
		t.Errorf("got %+v, %v", got[1], err)
	}
	got, err = series.Join([]*series.Series{begin, dst}, &series.JoinOptions{Union: true})
	if err != nil || !slices.Equal(got[1].Values, dst.Values) || got[1].Len() != 3 {
		t.Errorf("on all times: got %+v, %v", got[1], err)
	}
}

func TestJoinCarriesBinsThatVary(t *testing.T) {
	t.Parallel()
	s := named("f", "", []float64{0, 10}, 1, 2)
	s.Axes = []series.Axis{{Name: "energy", Varying: true, Centers: []float64{5, 6}}}
	axis := named("a", "", []float64{10, 20}, 0, 0)
	got, err := series.Join([]*series.Series{axis, s}, nil)
	if err != nil || !alike(got[1].Values, []float64{2, nan}, 0) || !alike(got[1].Axes[0].Centers, []float64{6, nan}, 0) {
		t.Errorf("got %+v, %v", got[1], err)
	}
	if _, err := series.Join([]*series.Series{axis, s}, &series.JoinOptions{Method: series.Linear}); err == nil {
		t.Error("energies were interpolated")
	}
}

func TestJoinErrors(t *testing.T) {
	t.Parallel()
	a := minutes(1, 2)
	one := []*series.Series{a}
	for want, call := range map[string]func() ([]*series.Series, error){
		"join 0 series: there is nothing to join; give at least one": func() ([]*series.Series, error) { return series.Join(nil, nil) },
		"there is no method \"mode\"":                                func() ([]*series.Series, error) { return series.Join(one, &series.JoinOptions{Method: "mode"}) },
		"at number 2":                                                func() ([]*series.Series, error) { return series.Join(one, &series.JoinOptions{Times: []tt.Time{1, 1}}) },
		"one time does not say": func() ([]*series.Series, error) {
			return series.Join(one, &series.JoinOptions{Method: series.Mean, Times: []tt.Time{1}})
		},
		"a coverage of -1": func() ([]*series.Series, error) { return series.Join(one, &series.JoinOptions{MinCoverage: -1}) },
		"do not fill":      func() ([]*series.Series, error) { return series.Join([]*series.Series{{Time: a.Time}}, nil) },
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Whatever is joined: an exact join has each record of a series where its time
// is on the axis and nothing else, and other joins stay within the data.
func TestJoinNeverInventsData(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		a, b := anySeries(r, "a"), anySeries(r, "b")
		for i := range b.Time { // so that they meet
			b.Time[i] += (tt.Time(rapid.IntRange(0, 3).Draw(r, "beside")*1e8) + firstTime(a) - firstTime(b)) / 1
		}
		b = b.Sorted()
		tolerance := time.Duration(rapid.SampledFrom([]int64{0, 1e8, 4e8}).Draw(r, "tolerance"))
		got, err := series.Join([]*series.Series{a, b}, &series.JoinOptions{Tolerance: tolerance, Union: rapid.Bool().Draw(r, "union")})
		if err != nil {
			r.Fatal(err)
		}
		for i, instant := range got[1].Time {
			best, record := tt.Time(math.MaxInt64), -1
			for k, at := range b.Time {
				if d := max(at-instant, instant-at); d <= tt.Time(tolerance) && d < best {
					best, record = d, k
				}
			}
			want := slices.Repeat([]float64{nan}, b.Width())
			if record >= 0 {
				want = b.Row(record)
			}
			if !alike(got[1].Row(i), want, 0) {
				r.Fatalf("at %v: got %v, want %v", instant, got[1].Row(i), want)
			}
		}
		for _, m := range methods {
			got, err := series.Join([]*series.Series{a, b}, &series.JoinOptions{Method: m})
			if err != nil {
				r.Fatal(err)
			}
			for k, s := range []*series.Series{a, b} {
				for c := range s.Width() {
					in, out := s.Stats(c), got[k].Stats(c)
					if m != series.Count && m != series.Std && out.Valid > 0 && !(out.Min >= in.Min-1e-12 && out.Max <= in.Max+1e-12) {
						r.Fatalf("%s: %v to %v became %v to %v", m, in.Min, in.Max, out.Min, out.Max)
					}
				}
			}
		}
	})
}

func firstTime(s *series.Series) tt.Time {
	if s.Len() == 0 {
		return 0
	}
	return s.Time[0]
}

func ExampleJoin() {
	all, _ := series.ReadCSV(strings.NewReader(table), nil)
	start := all[0].Time[0]
	density := &series.Series{Name: "N", Units: "cm^-3", Columns: []string{"N"}, Time: []tt.Time{start, start + 32e9}, Values: []float64{5, 6}}

	line, _ := series.Join([]*series.Series{all[1], density}, &series.JoinOptions{Method: series.Linear})
	for i, t := range line[0].Time {
		fmt.Println(t, line[0].Values[i], line[1].Values[i])
	}
	coarse, _ := series.Join([]*series.Series{all[1], density}, &series.JoinOptions{Method: series.Mean})
	fmt.Println(coarse[0].Values, coarse[1].Values)
	// Output:
	// 2023-01-02T03:41:00Z 401 5
	// 2023-01-02T03:41:16Z 404 5.5
	// 2023-01-02T03:41:32Z 405.5 6
	// 2023-01-02T03:41:48Z 407 NaN
	// 2023-01-02T03:42:04Z 404 NaN
	// [401 404] [5 6]
}
