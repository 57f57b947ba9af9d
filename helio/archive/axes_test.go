package archive_test

import (
	"reflect"
	"testing"
	"testing/fstest"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// A spectrogram's energies come with it, whether they are the same for all records
// or change from one to the next.
func TestASpectrumHasItsEnergies(t *testing.T) {
	t.Parallel()
	times := axis(t, 3)
	file, err := cdftest.File{Variables: []cdftest.Variable{
		{Name: "Epoch", Type: cdf.TT2000, Values: times},
		{Name: "flux", Type: cdf.Real4, Dims: []int{2}, Values: []float64{1, 2, 3, 4, 5, 6}, Attributes: attributes("DEPEND_0", "Epoch", "DEPEND_1", "energy")},
		{Name: "energy", Type: cdf.Real4, Dims: []int{2}, NoRecordVariance: true, Values: []float64{10, 20}, Attributes: attributes("UNITS", "keV ")},
		{Name: "swept", Type: cdf.Real4, Dims: []int{2}, Values: []float64{1, 2, 3, 4, 5, 6}, Attributes: attributes("DEPEND_0", "Epoch", "DEPEND_1", "steps")},
		{Name: "steps", Type: cdf.Real4, Dims: []int{2}, Values: []float64{1, 2, 3, 4, 5, -1e31}, Attributes: attributes("DEPEND_0", "Epoch", "FILLVAL", -1e31)},
		{Name: "B", Type: cdf.Real4, Dims: []int{3}, Values: make([]float64, 9), Attributes: attributes("DEPEND_0", "Epoch", "DEPEND_1", "cartesian")},
		{Name: "cartesian", Type: cdf.Char, Dims: []int{3}, NoRecordVariance: true, Values: []string{"x", "y", "z"}},
		{Name: "wrong", Type: cdf.Real4, Dims: []int{3}, Values: make([]float64, 9), Attributes: attributes("DEPEND_0", "Epoch", "DEPEND_1", "energy")},
	}}.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	a, err := archive.OpenFS(fstest.MapFS{"x.cdf": {Data: file}}, "x")
	if err != nil {
		t.Fatal(err)
	}
	whole := fetch(t, a, "local/x/flux")
	if want := []series.Axis{{Name: "energy", Units: "keV", Centers: []float64{10, 20}}}; !reflect.DeepEqual(whole.Axes, want) {
		t.Errorf("energies %+v, want %+v", whole.Axes, want)
	}
	swept, err := a.Fetch(t.Context(), "local/x/swept", times[1], tt.Fill)
	if err != nil {
		t.Fatal(err)
	}
	if c := swept.Axes[0].Centers; !swept.Axes[0].Varying || len(c) != 4 || c[0] != 3 || c[1] != 4 || c[2] != 5 || c[3] == c[3] {
		t.Errorf("energies of the last two records: %+v, want 3 4 5 and none", swept.Axes)
	}
	if one := swept.Window(times[2], times[2].Add(time.Second)); one.Axes[0].Centers[0] != 5 || len(one.Axes[0].Centers) != 2 {
		t.Errorf("energies of one record: %+v", one.Axes)
	}
	for _, id := range []string{"local/x/B", "local/x/wrong"} {
		if s := fetch(t, a, id); s.Axes != nil {
			t.Errorf("%s has axes: %+v", id, s.Axes)
		}
	}
}

func TestDescribeIsTheInventorysDataset(t *testing.T) {
	t.Parallel()
	file, err := small(t).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	a, err := archive.OpenFS(fstest.MapFS{"small.cdf": {Data: file}}, "x")
	if err != nil {
		t.Fatal(err)
	}
	d, err := a.Describe(t.Context(), "small")
	if err != nil || !reflect.DeepEqual(*d, inventory(t, a)[0]) {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := a.Describe(t.Context(), "large"); err == nil {
		t.Error("a dataset that is not there is described")
	}
}
