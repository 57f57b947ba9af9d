package series_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

var nan = math.NaN()

// minutes is a scalar with one value a minute from J2000 on.
func minutes(values ...float64) *series.Series {
	s := &series.Series{Columns: []string{"v"}, Values: values}
	for i := range values {
		s.Time = append(s.Time, tt.Time(i)*tt.Time(time.Minute))
	}
	return s
}

func TestTheZeroSeriesIsEmpty(t *testing.T) {
	t.Parallel()
	var s series.Series
	st := s.Stats(0)
	if s.Len() != 0 || s.Width() != 1 || s.Cadence() != 0 || st.N != 0 || !math.IsNaN(st.Mean) || st.MaxTime != tt.Fill {
		t.Errorf("got %d records, %d wide, %v apart, %+v", s.Len(), s.Width(), s.Cadence(), st)
	}
	if q := s.Quality(); q.Notable || q.NGaps != 0 || q.MissingPct != 0 {
		t.Errorf("got %+v", q)
	}
	if w := s.Window(tt.Fill, tt.Fill); w.Len() != 0 {
		t.Errorf("window: got %d records", w.Len())
	}
}

func TestStatsCountMissingAndFindTheFirstExtremes(t *testing.T) {
	t.Parallel()
	got := minutes(2, nan, -1, 7, 7, -1, math.Inf(1)).Stats(0)
	want := series.Stats{N: 7, Valid: 5, Missing: 2, Mean: 14.0 / 5, Median: 2, Min: -1, Max: 7,
		MinTime: tt.Time(2 * time.Minute), MaxTime: tt.Time(3 * time.Minute)}
	want.Std = math.Sqrt((4 + 1 + 49 + 49 + 1 - 5*2.8*2.8) / 5)
	if math.Abs(got.Std-want.Std) > 1e-12 || math.Abs(got.Mean-want.Mean) > 1e-12 {
		t.Errorf("got mean %v and std %v, want %v and %v", got.Mean, got.Std, want.Mean, want.Std)
	}
	got.Std, want.Std, got.Mean, want.Mean = 0, 0, 0, 0
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestMedianOfAnEvenCountIsTheMiddle(t *testing.T) {
	t.Parallel()
	if got := minutes(4, 1, 3, 2).Stats(0).Median; got != 2.5 {
		t.Errorf("got %v, want 2.5", got)
	}
}

func TestMeanKeepsItsDigitsOverManyValues(t *testing.T) {
	t.Parallel()
	values := make([]float64, 1_000_000)
	for i := range values {
		values[i] = 1e9 + 0.1
	}
	if got := minutes(values...).Stats(0); got.Mean != 1e9+0.1 || got.Std != 0 {
		t.Errorf("got mean %.10f, std %v", got.Mean, got.Std)
	}
}

func TestStatsAreOfOneColumn(t *testing.T) {
	t.Parallel()
	s := vector(t)
	if got := s.Stats(1); got.Valid != 2 || got.Missing != 1 || got.Min != 2 || got.Max != 8 {
		t.Errorf("got %+v", got)
	}
	if got := s.Column(2); !slices.Equal(got, []float64{3, 6, 9.5}) {
		t.Errorf("column 2: got %v", got)
	}
	if got := s.Row(0); !slices.Equal(got, []float64{1, 2, 3}) {
		t.Errorf("row 0: got %v", got)
	}
}

func TestWindowIsHalfOpen(t *testing.T) {
	t.Parallel()
	s := minutes(0, 1, 2, 3, 4)
	m := func(n int) tt.Time { return tt.Time(n) * tt.Time(time.Minute) }
	for _, c := range []struct {
		start, stop tt.Time
		want        []float64
	}{
		{m(1), m(3), []float64{1, 2}},
		{m(1), m(1), nil},
		{m(3), m(1), nil},
		{tt.Fill, m(2), []float64{0, 1}},
		{m(3), tt.Fill, []float64{3, 4}},
		{tt.Fill, tt.Fill, []float64{0, 1, 2, 3, 4}},
		{m(9), m(12), nil},
		{m(1) + 1, m(3) + 1, []float64{2, 3}},
	} {
		if got := s.Window(c.start, c.stop); !slices.Equal(got.Values, c.want) || got.Len() != len(c.want) {
			t.Errorf("[%v, %v): got %v, want %v", c.start, c.stop, got.Values, c.want)
		}
	}
	if s.Len() != 5 {
		t.Errorf("the series itself changed to %d records", s.Len())
	}
}

func TestWindowWorksOnAnAxisWithoutOrder(t *testing.T) {
	t.Parallel()
	s := &series.Series{Columns: []string{"a", "b"}, Time: []tt.Time{30, 10, 20}, Values: []float64{3, 33, 1, 11, 2, 22}}
	got := s.Window(10, 30)
	if !slices.Equal(got.Time, []tt.Time{10, 20}) || !slices.Equal(got.Values, []float64{1, 11, 2, 22}) {
		t.Errorf("got %v %v", got.Time, got.Values)
	}
	if c := s.Cadence(); c != 10 {
		t.Errorf("cadence: got %v, want 10ns", c)
	}
}

func TestAppendingToAWindowLeavesTheSeriesAlone(t *testing.T) {
	t.Parallel()
	s := minutes(0, 1, 2)
	w := s.Window(tt.Fill, s.Time[1])
	w.Values = append(w.Values, 99)
	w.Time = append(w.Time, 99)
	if s.Values[1] != 1 || s.Time[1] != tt.Time(time.Minute) {
		t.Errorf("got %v %v", s.Values, s.Time)
	}
}

func TestCadenceIsThatOfTheDataNotOfTheGrid(t *testing.T) {
	t.Parallel()
	values := make([]float64, 600)
	for i := range values {
		if values[i] = nan; i%60 == 0 {
			values[i] = 1
		}
	}
	s := minutes(values...)
	if got := s.Cadence(); got != time.Hour {
		t.Errorf("got %v, want 1h", got)
	}
	if got := series.Cadence(s.Time); got != time.Minute {
		t.Errorf("the grid: got %v, want 1m", got)
	}
}

func TestRepeatedInstantsAreNoStep(t *testing.T) {
	t.Parallel()
	if got := series.Cadence([]tt.Time{0, 0, 0, 5, 5, 5, 10}); got != 5 {
		t.Errorf("got %v, want 5ns", got)
	}
	if got := series.Cadence([]tt.Time{7, 7}); got != 0 {
		t.Errorf("got %v, want 0", got)
	}
}

func TestQualityFindsGapsInTheAxisAndInTheData(t *testing.T) {
	t.Parallel()
	s := minutes(1, 2, 1, nan, nan, nan, 1, 2, 1, 2, 1, 2)
	// The last two records come an hour late.
	s.Time[10] += tt.Time(time.Hour)
	s.Time[11] += tt.Time(time.Hour)
	q := s.Quality()
	want := []series.Gap{{Start: s.Time[2], Duration: 4 * time.Minute}, {Start: s.Time[9], Duration: 61 * time.Minute}}
	if !slices.Equal(q.Gaps, want) || q.NGaps != 2 || q.MissingPct != 25 || !q.Notable {
		t.Errorf("got %+v, want gaps %v and 25 %% missing", q, want)
	}
}

func TestThreeStepsAreNoGap(t *testing.T) {
	t.Parallel()
	q := minutes(1, 2, 1, 2, nan, nan, 2, 1, 2, 1).Quality()
	if q.NGaps != 0 || !q.Notable {
		t.Errorf("got %+v; three steps are no gap, 20 %% missing is notable", q)
	}
	if q := minutes(1, 2, 3).Quality(); q.Notable {
		t.Errorf("got %+v for complete data", q)
	}
}

func TestQualityListsTenGapsAndCountsAll(t *testing.T) {
	t.Parallel()
	s := minutes(make([]float64, 100)...)
	for i := range s.Time {
		s.Time[i] += tt.Time(i/4) * tt.Time(time.Hour)
	}
	if q := s.Quality(); len(q.Gaps) != series.MaxGaps || q.NGaps != 24 {
		t.Errorf("got %d listed and %d counted, want 10 and 24", len(q.Gaps), q.NGaps)
	}
}

func TestOutliersAreCountedPerColumn(t *testing.T) {
	t.Parallel()
	s := &series.Series{Columns: []string{"a", "b"}}
	for i := range 200 {
		s.Time = append(s.Time, tt.Time(i)*tt.Time(time.Second))
		s.Values = append(s.Values, float64(i%2), 1000+float64(i%2))
	}
	s.Values[100] = 1000 // ordinary in column b
	if q := s.Quality(); q.Outliers != 1 || !q.Notable {
		t.Errorf("got %+v, want one outlier", q)
	}
}

func TestAColumnThatIsNotThereIsTheCallersMistake(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(){
		"Column": func() { minutes(1).Column(1) }, "Stats": func() { minutes(1).Stats(-1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			call()
		}()
	}
}
