package series_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

func TestEdgesLieBetweenCenters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		centers []float64
		log     bool
		want    []float64
	}{
		{[]float64{1, 2, 4}, false, []float64{.5, 1.5, 1.5, 3, 3, 5}},
		{[]float64{4, 2, 1}, false, []float64{3, 5, 1.5, 3, .5, 1.5}},
		{[]float64{1, 10, 100}, true, []float64{math.Sqrt(.1), math.Sqrt(10), math.Sqrt(10), math.Sqrt(1000), math.Sqrt(1000), math.Sqrt(1e5)}},
		{[]float64{1, 2, nan, 5, 6}, false, []float64{.5, 1.5, 1.5, 2.5, nan, nan, 4.5, 5.5, 5.5, 6.5}},
		{[]float64{0, 1, 10}, true, []float64{nan, nan, math.Sqrt(.1), math.Sqrt(10), math.Sqrt(10), math.Sqrt(1000)}},
		{[]float64{5}, false, []float64{nan, nan}},
		{nil, true, []float64{}},
	} {
		if got := series.Edges(c.centers, c.log); !alike(got, c.want, 1e-12) {
			t.Errorf("%v: got %v, want %v", c.centers, got, c.want)
		}
	}
}

func TestEnergiesAreLogarithmicAndAnglesAreNot(t *testing.T) {
	t.Parallel()
	for want, sets := range map[bool][][]float64{
		true:  {{10, 21, 43, 88, 180}, {1000, 500, 250, 120}, {1, 10, nan, 1000}},
		false: {{9, 27, 45, 63, 81}, {1, 2}, {-1, 0, 1}, {0, 1, 10}, nil, {1, 2, 3.1, 4}},
	} {
		for _, centers := range sets {
			if got := series.Logarithmic(centers); got != want {
				t.Errorf("%v: got %v", centers, got)
			}
		}
	}
}

// spectra has two records of 3 energies, in bins 0-1, 1-3, 3-7 keV.
func spectra() *series.Series {
	return &series.Series{ID: "p/d/flux", Name: "flux", Units: "1/(cm^2 s sr keV)", Columns: []string{"e0", "e1", "e2"}, Dims: []int{3},
		Axes: []series.Axis{{Name: "energy", Units: "keV", Ranges: []float64{0, 1, 1, 3, 3, 7}}},
		Time: []tt.Time{0, 1}, Values: []float64{10, 20, 40, 1, nan, 4}}
}

func TestOneBinOfASpectrum(t *testing.T) {
	t.Parallel()
	s := spectra()
	got, err := s.Bin(0, 1)
	if err != nil || !alike(got.Values, []float64{20, nan}, 0) || !slices.Equal(got.Columns, []string{"e1"}) || got.Dims != nil || got.Axes != nil || got.Units != s.Units {
		t.Errorf("got %+v, %v", got, err)
	}
	for value, want := range map[float64][]float64{.5: {10, 1}, 1: {10, 1}, 2: {20, nan}, 7: {40, 4}} {
		if got, err := s.BinAt(0, value); err != nil || !alike(got.Values, want, 0) {
			t.Errorf("at %v: got %v, %v, want %v", value, got.Values, err, want)
		}
	}
	if _, err := s.BinAt(0, 7.5); err == nil {
		t.Error("a bin at 7.5 was found")
	}
}

func TestIntegralsAndMeansOverARange(t *testing.T) {
	t.Parallel()
	s := spectra()
	for _, c := range []struct {
		low, high      float64
		integral, mean []float64
	}{
		{0, 7, []float64{10 + 40 + 160, nan}, []float64{210.0 / 7, 17.0 / 5}},
		{2, 5, []float64{20 + 80, nan}, []float64{100.0 / 3, 4}},
		{-5, .5, []float64{5, .5}, []float64{10, 1}},
		{3, 100, []float64{160, 16}, []float64{40, 4}},
	} {
		got, err := s.Integrated(0, c.low, c.high)
		if err != nil || !alike(got.Values, c.integral, 1e-15) || got.Units != "1/(cm^2 s sr keV) keV" || got.Width() != 1 {
			t.Errorf("integral %v to %v: got %v in %q, %v, want %v", c.low, c.high, got.Values, got.Units, err, c.integral)
		}
		got, err = s.Averaged(0, c.low, c.high)
		if err != nil || !alike(got.Values, c.mean, 1e-15) || got.Units != s.Units {
			t.Errorf("mean %v to %v: got %v, %v, want %v", c.low, c.high, got.Values, err, c.mean)
		}
	}
}

func TestBinsThatVaryAreTakenRecordByRecord(t *testing.T) {
	t.Parallel()
	s := spectra()
	s.Values = []float64{10, 20, 40, 1, 2, 4}
	s.Axes[0] = series.Axis{Name: "energy", Units: "keV", Varying: true, Ranges: []float64{0, 1, 1, 3, 3, 7, 0, 10, 10, 20, 20, 30}}
	got, err := s.Integrated(0, 0, 3)
	if err != nil || !alike(got.Values, []float64{50, 3}, 1e-15) {
		t.Errorf("got %v, %v", got.Values, err)
	}
	got, err = s.BinAt(0, 25)
	if err != nil || !alike(got.Values, []float64{nan, 4}, 0) {
		t.Errorf("a bin that one record has: got %v, %v", got.Values, err)
	}
	got, err = s.Rebinned(0, []float64{0, 5, 40})
	want := []float64{(10 + 2*20 + 2*40) / 5.0, 40, 1, (5 + 20 + 40) / 25.0}
	if err != nil || !alike(got.Values, want, 1e-15) || got.Axes[0].Varying || !slices.Equal(got.Axes[0].Centers, []float64{2.5, 22.5}) || !slices.Equal(got.Dims, []int{2}) || len(got.Columns) != 2 {
		t.Errorf("on fixed bins: got %+v, %v, want %v", got, err, want)
	}
	if _, err := got.Resample(0, 10, 1, nil); err != nil {
		t.Errorf("the fixed bins: %v", err)
	}
	// Bins that are said to vary and do not.
	s.Axes[0].Ranges = []float64{0, 1, 1, 3, 3, 7, 0, 1, 1, 3, 3, 7}
	mean, err := s.Resample(0, 10, 10, nil)
	if err != nil || mean.Axes[0].Varying || !slices.Equal(mean.Values, []float64{5.5, 11, 22}) {
		t.Errorf("got %+v, %v", mean, err)
	}
}

// A record of two angles by three energies, either way round.
func TestBinsOfOneDimensionOfTwo(t *testing.T) {
	t.Parallel()
	s := &series.Series{Name: "f", Dims: []int{2, 3}, Columns: []string{"a0e0", "a0e1", "a0e2", "a1e0", "a1e1", "a1e2"}, Time: []tt.Time{0},
		Values: []float64{1, 2, 3, 10, 20, 30},
		Axes:   []series.Axis{{Name: "angle", Ranges: []float64{0, 90, 90, 180}}, {Name: "energy", Ranges: []float64{0, 1, 1, 2, 2, 3}}}}
	got, err := s.Bin(1, 2)
	if err != nil || !slices.Equal(got.Values, []float64{3, 30}) || !slices.Equal(got.Columns, []string{"a0e2", "a1e2"}) || !slices.Equal(got.Dims, []int{2}) || got.Axes[0].Name != "angle" {
		t.Errorf("an energy: got %+v, %v", got, err)
	}
	got, err = s.Bin(0, 1)
	if err != nil || !slices.Equal(got.Values, []float64{10, 20, 30}) || got.Axes[0].Name != "energy" {
		t.Errorf("an angle: got %+v, %v", got, err)
	}
	got, err = s.Integrated(1, .5, 3)
	if err != nil || !slices.Equal(got.Values, []float64{5.5, 55}) || !slices.Equal(got.Columns, []string{"f_0", "f_1"}) {
		t.Errorf("over energies: got %+v, %v", got, err)
	}
	got, err = s.Averaged(0, 0, 180)
	if err != nil || !slices.Equal(got.Values, []float64{5.5, 11, 16.5}) {
		t.Errorf("over angles: got %+v, %v", got, err)
	}
	got, err = s.Rebinned(1, []float64{0, 2, 3})
	if err != nil || !slices.Equal(got.Values, []float64{1.5, 3, 15, 30}) || !slices.Equal(got.Dims, []int{2, 2}) {
		t.Errorf("rebinned: got %+v, %v", got, err)
	}
}

func TestSpectrumErrors(t *testing.T) {
	t.Parallel()
	s := spectra()
	broken := spectra()
	broken.Axes[0].Centers = []float64{1}
	for want, call := range map[string]func() (*series.Series, error){
		"there is no bin 3; give one from 0 to 2":               func() (*series.Series, error) { return s.Bin(0, 3) },
		"dimension 1 of its records (of shape [3]) has no bins": func() (*series.Series, error) { return s.Bin(1, 0) },
		"dimension 0 of its records (of shape []) has no bins":  func() (*series.Series, error) { return minutes(1).Averaged(0, 1, 2) },
		"the range from 2 to 1 is empty":                        func() (*series.Series, error) { return s.Integrated(0, 2, 1) },
		"no bin of its axis 0 (energy) lies between 8 and 9":    func() (*series.Series, error) { return s.Integrated(0, 8, 9) },
		"1 centers and 6 limits for 3 bins; correct the axis":   func() (*series.Series, error) { return broken.Averaged(0, 0, 1) },
		"the edges go from 2 to 2":                              func() (*series.Series, error) { return s.Rebinned(0, []float64{2, 2}) },
		"1 edges make no bin":                                   func() (*series.Series, error) { return s.Rebinned(0, []float64{2}) },
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "of ") && !strings.Contains(err.Error(), "p/d/flux") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func ExampleSeries_Integrated() {
	s := &series.Series{Name: "flux", Units: "1/(cm^2 s sr keV)", Columns: []string{"10 keV", "20 keV", "40 keV"}, Dims: []int{3},
		Axes: []series.Axis{{Name: "energy", Units: "keV", Centers: []float64{10, 20, 40}}},
		Time: []tt.Time{0, 60e9}, Values: []float64{100, 50, 10, 90, 40, 8}}
	fmt.Printf("%.3f\n", s.Axes[0].Limits(0, s.Len()))
	total, _ := s.Integrated(0, 10, 40)
	fmt.Printf("%.1f %s\n", total.Values, total.Units)
	one, _ := s.BinAt(0, 22)
	fmt.Println(one.Values, one.Units)
	// Output:
	// [7.071 14.142 14.142 28.284 28.284 56.569]
	// [1238.5 1032.2] 1/(cm^2 s sr keV) keV
	// [50 40] 1/(cm^2 s sr keV)
}

func ExampleSeries_Rebinned() {
	// An instrument that sweeps over other energies every second record.
	s := &series.Series{Name: "counts", Columns: []string{"a", "b"}, Dims: []int{2}, Time: []tt.Time{0, 1e9}, Values: []float64{6, 4, 5, 3},
		Axes: []series.Axis{{Name: "energy", Units: "eV", Varying: true, Ranges: []float64{0, 10, 10, 20, 5, 15, 15, 25}}}}
	fixed, _ := s.Rebinned(0, []float64{0, 10, 20})
	mean, _ := fixed.Resample(0, 2e9, 2e9, nil)
	fmt.Println(fixed.Values, mean.Values)
	// Output: [6 4 5 4] [5.5 4]
}

func ExampleConcat() {
	s := &series.Series{Columns: []string{"N"}, Time: []tt.Time{0, 1, 2, 3}, Values: []float64{4, 5, 6, 7}}
	whole, _ := series.Concat(s.Window(2, tt.Fill), s.Window(0, 3)) // they share a record
	fmt.Println(whole.Values)
	// Output: [4 5 6 7]
}

func ExampleSeries_Magnitude() {
	all, _ := series.ReadCSV(strings.NewReader(table), nil)
	b, _ := all[0].Magnitude()
	fmt.Printf("%s %.2f %s\n", b.Name, b.Values, b.Units)
	// Output: |B| [4.82 5.15 3.74 2.55 2.74] nT
}
