package series_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// equal reports whether two series hold the same, NaN equal to NaN.
func equal(a, b *series.Series) bool {
	same := func(x, y []float64) bool {
		return slices.EqualFunc(x, y, func(v, w float64) bool { return v == w || math.IsNaN(v) && math.IsNaN(w) })
	}
	return slices.Equal(a.Time, b.Time) && same(a.Values, b.Values) && slices.Equal(a.Columns, b.Columns) && a.Units == b.Units &&
		slices.EqualFunc(a.Axes, b.Axes, func(x, y series.Axis) bool {
			return x.Name == y.Name && x.Units == y.Units && x.Varying == y.Varying && same(x.Centers, y.Centers) && same(x.Ranges, y.Ranges)
		})
}

// anySeries draws a series of up to three columns, with missing values, in
// order of time, with gaps and repeated instants.
func anySeries(r *rapid.T, name string) *series.Series {
	w := rapid.IntRange(1, 3).Draw(r, name+" columns")
	s := &series.Series{Name: name, Units: "nT", Columns: []string{"x", "y", "z"}[:w]}
	if w > 1 {
		s.Dims = []int{w}
	}
	n := rapid.IntRange(0, 60).Draw(r, name+" records")
	at := tt.Time(rapid.Int64Range(-1e12, 1e12).Draw(r, name+" start"))
	steps := rapid.SampledFrom([]int64{0, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1.5e9, 2e9, 9e9})
	for range n {
		s.Time = append(s.Time, at)
		at += tt.Time(steps.Draw(r, "step"))
		for range w {
			v := float64(rapid.IntRange(-50, 50).Draw(r, "value"))
			if rapid.IntRange(0, 5).Draw(r, "missing") == 0 {
				v = nan
			}
			s.Values = append(s.Values, v)
		}
	}
	return s
}

func TestWindowsPutTogetherAreTheWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := anySeries(r, "s")
		if s.Len() > 0 && rapid.Bool().Draw(r, "with energies") {
			s.Axes = make([]series.Axis, max(1, len(s.Dims)))
			s.Axes[0] = series.Axis{Name: "energy", Units: "eV", Varying: true, Centers: slices.Clone(s.Values)}
		}
		cuts := []tt.Time{tt.Fill, tt.Fill}
		for range rapid.IntRange(0, 4).Draw(r, "cuts") {
			if s.Len() > 0 {
				cuts = append(cuts, s.Time[rapid.IntRange(0, s.Len()-1).Draw(r, "cut")]+tt.Time(rapid.Int64Range(-1, 1).Draw(r, "beside")))
			}
		}
		slices.Sort(cuts[1:]) // the fill first
		cuts = append(cuts[1:], tt.Fill)
		var pieces []*series.Series
		for i := 1; i < len(cuts); i++ {
			pieces = append(pieces, s.Window(cuts[i-1], cuts[i]))
		}
		pieces = rapid.Permutation(pieces).Draw(r, "order")
		got, err := series.Concat(pieces...)
		if err != nil {
			r.Fatal(err)
		}
		if !equal(got, s) && s.Len() > 0 {
			r.Fatalf("got %v %v, want %v %v", got.Time, got.Values, s.Time, s.Values)
		}
		again, err := series.Concat(s, got)
		if err != nil || !equal(again, s) && s.Len() > 0 {
			r.Fatalf("the whole twice: got %v (%v), want %v", again.Time, err, s.Time)
		}
	})
}

func TestConcatKeepsTheFirstOfRecordsAtTheSeam(t *testing.T) {
	t.Parallel()
	a := &series.Series{Columns: []string{"v"}, Time: []tt.Time{10, 20, 20, 30}, Values: []float64{1, 2, 2.5, 3}}
	b := &series.Series{Columns: []string{"v"}, Time: []tt.Time{40, 20, 30}, Values: []float64{40, 20, 30}}
	a.Meta = series.Meta{Source: "a", SHA256: "1", Notes: []string{"x", "y"}}
	b.Meta = series.Meta{Source: "a", SHA256: "2", Notes: []string{"y", "z"}}
	got, err := series.Concat(b, a)
	if m := got.Meta; m.Source != "a" || m.SHA256 != "" || !slices.Equal(m.Notes, []string{"x", "y", "z"}) {
		t.Errorf("got %+v", m)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Time, []tt.Time{10, 20, 20, 30, 40}) || !slices.Equal(got.Values, []float64{1, 2, 2.5, 3, 40}) {
		t.Errorf("got %v %v", got.Time, got.Values)
	}
	if !slices.Equal(b.Values, []float64{40, 20, 30}) {
		t.Errorf("a piece changed to %v", b.Values)
	}
}

func TestBinsThatDifferBetweenPiecesVaryInTheWhole(t *testing.T) {
	t.Parallel()
	piece := func(at tt.Time, energies ...float64) *series.Series {
		return &series.Series{Columns: []string{"a", "b"}, Dims: []int{2}, Axes: []series.Axis{{Name: "energy", Units: "eV", Centers: energies}},
			Time: []tt.Time{at, at + 1}, Values: []float64{1, 2, 3, 4}}
	}
	same, err := series.Concat(piece(0, 10, 20), piece(5, 10, 20))
	if err != nil || same.Axes[0].Varying || !slices.Equal(same.Axes[0].Centers, []float64{10, 20}) {
		t.Errorf("equal bins: got %+v, %v", same.Axes, err)
	}
	got, err := series.Concat(piece(0, 10, 20), piece(5, 11, 21))
	if err != nil || !got.Axes[0].Varying || !slices.Equal(got.Axes[0].Centers, []float64{10, 20, 10, 20, 11, 21, 11, 21}) {
		t.Errorf("other bins: got %+v, %v", got.Axes, err)
	}
}

func TestConcatRefusesWhatIsAnotherVariable(t *testing.T) {
	t.Parallel()
	a := minutes(1, 2)
	a.ID, a.Units, a.Axes = "p/d/a", "nT", []series.Axis{{}}
	for want, change := range map[string]func(*series.Series){
		`a piece is in "T" and the first in "nT"; convert one of them`:                                                        func(s *series.Series) { s.Units = "T" },
		`a piece has the columns ["w"] and the first ["v"]; give pieces of one variable`:                                      func(s *series.Series) { s.Columns = []string{"w"} },
		`a piece has 1 values, which do not fill its 2 records of 1`:                                                          func(s *series.Series) { s.Values = s.Values[:1] },
		`a piece has 0 axes and the first 1; give pieces of one variable`:                                                     func(s *series.Series) { s.Axes = nil },
		`axis 0 of a piece is "E" in "eV" and that of the first "" in ""; give pieces of one variable`:                        func(s *series.Series) { s.Axes = []series.Axis{{Name: "E", Units: "eV"}} },
		`the times of a piece lie at the "end" of its records and those of the first at the ""; use Restamped on one of them`: func(s *series.Series) { s.Meta.TimeStampLocation = "end" },
	} {
		b := *a
		change(&b)
		if _, err := series.Concat(a, &b); err == nil || err.Error() != "concatenate p/d/a: "+want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := series.Concat(); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("of nothing: got %v", err)
	}
	if _, err := series.Concat(a, nil); err == nil {
		t.Error("a nil piece passed")
	}
}

func TestSortedIsStable(t *testing.T) {
	t.Parallel()
	s := &series.Series{Columns: []string{"a", "b"}, Dims: []int{2}, Time: []tt.Time{30, 10, 30, 20}, Values: []float64{1, 10, 2, 20, 3, 30, 4, 40},
		Axes: []series.Axis{{Varying: true, Centers: []float64{1, 1, 2, 2, 3, 3, 4, 4}}}}
	got := s.Sorted()
	want := &series.Series{Columns: s.Columns, Time: []tt.Time{10, 20, 30, 30}, Values: []float64{2, 20, 4, 40, 1, 10, 3, 30},
		Axes: []series.Axis{{Varying: true, Centers: []float64{2, 2, 4, 4, 1, 1, 3, 3}}}}
	if !equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if m := minutes(1, 2); m.Sorted() != m {
		t.Error("a series in order was copied")
	}
}

func TestMagnitudeNeedsAllComponents(t *testing.T) {
	t.Parallel()
	s := &series.Series{ID: "p/d/B", Name: "B", Units: "nT", Columns: []string{"x", "y", "z"}, Dims: []int{3}, Time: []tt.Time{0, 1}, Values: []float64{2, -3, 6, 1, nan, 1}}
	got, err := s.Magnitude()
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "|B|" || got.Units != "nT" || got.Width() != 1 || got.Values[0] != 7 || !math.IsNaN(got.Values[1]) {
		t.Errorf("got %+v", got)
	}
	spectrum := *s
	spectrum.Axes = []series.Axis{{Name: "energy", Centers: []float64{1, 2, 3}}}
	for _, bad := range []*series.Series{minutes(1), &spectrum} {
		if _, err := bad.Magnitude(); err == nil {
			t.Errorf("%v passed as a vector", bad.Columns)
		}
	}
}

func TestRestampedMovesByHalfAnInterval(t *testing.T) {
	t.Parallel()
	s := minutes(1, 2, nan, 4)
	s.Meta.TimeStampLocation = "BEGIN"
	for _, c := range []struct {
		to       string
		interval time.Duration
		want     time.Duration
	}{{series.Center, 0, 30 * time.Second}, {series.End, 0, time.Minute}, {series.Begin, 0, 0}, {series.Center, time.Hour, 30 * time.Minute}} {
		got, err := s.Restamped(c.to, c.interval)
		if err != nil || got.Time[0] != tt.Time(c.want) || got.Meta.TimeStampLocation != c.to || s.Time[0] != 0 {
			t.Errorf("to %s: got %v, %v, want %v", c.to, got.Time, err, c.want)
		}
	}
	s.Meta.TimeStampLocation = ""
	if _, err := s.Restamped(series.Center, 0); err == nil {
		t.Error("an unknown place passed")
	}
}
