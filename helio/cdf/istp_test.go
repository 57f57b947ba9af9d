package cdf_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
)

func attr(name string, value any) cdftest.Attribute {
	return cdftest.Attribute{Name: name, Values: []any{value}}
}

// spectrogram is a file as the ISTP guidelines want it.
func spectrogram() cdftest.File {
	return cdftest.File{ColumnMajor: true, Variables: []cdftest.Variable{
		{Name: "Epoch", Type: cdf.TT2000, Values: []int64{0, 1e9}},
		{Name: "flux", Type: cdf.Real4, Dims: []int{2, 3}, Values: make([]float64, 12), Attributes: []cdftest.Attribute{
			attr("DEPEND_0", "Epoch"), attr("DEPEND_1", "look"), attr("DEPEND_2", "energy"),
			attr("LABL_PTR_1", "look_label"), attr("LABL_PTR_2", "energy_label"),
			attr("UNIT_PTR", "flux_units"), attr("FILLVAL", float32(-1e31)),
			attr("VALIDMIN", []float32{0, 1}), attr("VALIDMAX", "1e6"),
		}},
		{Name: "look_label", Type: cdf.Char, Dims: []int{2}, NoRecordVariance: true, Values: []string{"up", "down"}},
		{Name: "energy_label", Type: cdf.Char, Dims: []int{3}, NoRecordVariance: true, Values: []string{" 1 keV", "10 keV", "99 keV"}},
		{Name: "flux_units", Type: cdf.Char, NoRecordVariance: true, Values: []string{"1/(cm^2 s sr keV)"}},
		{Name: "B", Type: cdf.Real8, Dims: []int{3}, Values: make([]float64, 6), Attributes: []cdftest.Attribute{
			attr("DEPEND_0", "Epoch"), attr("UNITS", " nT "), attr("LABLAXIS", "B"), attr("FILLVAL", "-1.0E31"),
		}},
		{Name: "pos", Type: cdf.Real8, Dims: []int{2}, Values: make([]float64, 4), Attributes: []cdftest.Attribute{
			attr("DEPEND_0", "B"), attr("UNIT_PTR", "pos_units"), attr("LABL_PTR_1", "absent"),
		}},
		{Name: "pos_units", Type: cdf.Char, Dims: []int{2}, NoRecordVariance: true, Values: []string{"km", "deg"}},
		{Name: "n", Type: cdf.Real4, Values: []float64{1, 2}, Attributes: []cdftest.Attribute{attr("LABLAXIS", "density"), attr("DEPEND_0", "absent")}},
	}}
}

func TestLabelsNameEachValueOfARecord(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, spectrogram()))
	for name, want := range map[string][]string{
		"flux": {"up 1 keV", "up 10 keV", "up 99 keV", "down 1 keV", "down 10 keV", "down 99 keV"},
		"B":    {"B_1", "B_2", "B_3"},
		"pos":  {"pos_1", "pos_2"},
		"n":    {"density"},
	} {
		got, err := variable(t, f, name).Labels()
		if err != nil {
			t.Error(err)
		}
		wantEqual(t, "labels of "+name, got, want)
	}
}

func TestLabelsOutOfProportionAreRefused(t *testing.T) {
	t.Parallel()
	long := make([]string, 300)
	for i := range long {
		long[i] = strings.Repeat("x", 300)
	}
	f := openBytes(t, build(t, cdftest.File{Variables: []cdftest.Variable{
		{Name: "numbered", Type: cdf.Real4, Dims: []int{1000, 1000}, Attributes: []cdftest.Attribute{attr("LABLAXIS", long[0])}},
		{Name: "pointed", Type: cdf.Real4, Dims: []int{300, 300, 300}, Attributes: []cdftest.Attribute{attr("LABL_PTR_1", "l"), attr("LABL_PTR_2", "l"), attr("LABL_PTR_3", "l")}},
		{Name: "l", Type: cdf.Char, Dims: []int{300}, Compression: cdf.GZIP, NoRecordVariance: true, Values: long},
	}}))
	for _, name := range []string{"numbered", "pointed"} {
		if _, err := variable(t, f, name).Labels(); err == nil || !strings.Contains(err.Error(), "out of proportion") {
			t.Errorf("labels of %s: %v, want an error", name, err)
		}
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, spectrogram()))
	for name, want := range map[string]string{"flux": "1/(cm^2 s sr keV)", "B": "nT", "pos": "km, deg", "n": "", "Epoch": ""} {
		if got, err := variable(t, f, name).Units(); got != want || err != nil {
			t.Errorf("units of %s = %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestAxes(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, spectrogram()))
	flux := variable(t, f, "flux")
	wantEqual(t, "axes", []string{flux.DependName(0), flux.DependName(1), flux.DependName(2), flux.DependName(3)}, []string{"Epoch", "look", "energy", ""})
	axis, err := flux.TimeAxis()
	if err != nil || axis.Name != "Epoch" {
		t.Errorf("time axis = %v, %v", axis, err)
	}
	for name, want := range map[string]string{"Epoch": "no attribute DEPEND_0", "n": "not in the file", "pos": "is CDF_REAL8"} {
		if _, err := variable(t, f, name).TimeAxis(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("time axis of %s: %v, want %q", name, err, want)
		}
	}
	if _, err := variable(t, f, "pos").TimeAxis(); !errors.Is(err, cdf.ErrType) {
		t.Errorf("%v does not wrap ErrType", err)
	}
}

func TestFillAndValidValues(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, spectrogram()))
	flux := variable(t, f, "flux")
	if got := flux.FillValue(); !same(got, []float64{float64(float32(-1e31))}) {
		t.Errorf("FILLVAL = %v", got)
	}
	if got := variable(t, f, "B").FillValue(); !same(got, []float64{-1e31}) {
		t.Errorf("FILLVAL as text = %v", got)
	}
	if got := variable(t, f, "n").FillValue(); got != nil {
		t.Errorf("no FILLVAL = %v", got)
	}
	low, high := flux.ValidRange()
	if !same(low, []float64{0, 1}) || !same(high, []float64{1e6}) {
		t.Errorf("valid range = %v, %v", low, high)
	}
}
