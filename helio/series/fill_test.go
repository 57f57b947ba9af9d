package series_test

import (
	"math"
	"testing"

	"github.com/helios-go/helios/helio/series"
)

func TestFillRule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value, declared float64
		want            bool
	}{
		{99999.8984375, 99999.9, true}, // the float32 next to it
		{99093, 99999.9, false},        // a real proton temperature
		{99999.9, 9999.99, false},      // the fill of another column
		{-1e31, nan, true},
		{-9.999999848243207e+30, nan, true},
		{1e30, nan, true},
		{9.99e29, nan, false},
		{nan, nan, true},
		{math.Inf(-1), nan, true},
		{-2147483648, -2147483648, true},
		{255, 255, true}, {254, 255, false},
		{0, 0, true}, {1e-300, 0, false}, {0, nan, false},
		{5, nan, false}, {5, math.Inf(1), false}, {5, -1e31, false},
	} {
		if got := series.IsFill(c.value, c.declared); got != c.want {
			t.Errorf("%v with fill %v: got %v, want %v", c.value, c.declared, got, c.want)
		}
	}
}

func TestMaskFillKnowsAValueForEachColumn(t *testing.T) {
	t.Parallel()
	values := []float64{999.9, 9999, 1, 9999, 999.9, 2, -1e31, 3, 4}
	if got := series.MaskFill(values, 3, []float64{999.9, 9999, nan}); got != 3 {
		t.Errorf("got %d masked, want 3", got)
	}
	for i, missing := range []bool{true, true, false, false, false, false, true, false, false} {
		if math.IsNaN(values[i]) != missing {
			t.Errorf("value %d: got %v", i, values[i])
		}
	}
}

func TestAFillListThatDoesNotFitGivesItsFirst(t *testing.T) {
	t.Parallel()
	values := []float64{-9, -8, 1}
	if got := series.MaskFill(values, 3, []float64{-9, -8}); got != 1 || !math.IsNaN(values[0]) || values[1] != -8 {
		t.Errorf("got %d masked, %v", got, values)
	}
	if got := series.MaskFill(values, 1, nil); got != 1 {
		t.Errorf("a second pass counts what is masked already: got %d, want 1", got)
	}
}

// A float32 holds whole numbers below 2^24 as they are, so nothing beside such
// a fill value is fill; larger ones it rounds.
func TestWholeFillValuesCompareAsFloat32HoldsThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value, declared float64
		want            bool
	}{
		{9999999, 9999999, true}, {9999998, 9999999, false}, {10000000, 9999999, false},
		{-9999999, 9999999, false}, {16777214, 16777215, false},
		{float64(float32(99999999)), 99999999, true}, {99999999, 99999999, true}, {99999900, 99999999, false},
		{float64(float32(2147483647)), 2147483647, true}, {2147482000, 2147483647, false}, {-2147483648, -2147483648, true},
		{float64(float32(1e20)), 1e20, true}, {1.00000002e20, 1e20, true}, {1.1e20, 1e20, false},
		{9999.990234375, 9999.99, true}, {99999.898, 99999.9, true}, {999.90002, 999.9, true}, {999.8, 999.9, false},
	} {
		if got := series.IsFill(c.value, c.declared); got != c.want {
			t.Errorf("%v with fill %v: got %v, want %v", c.value, c.declared, got, c.want)
		}
		values := []float64{1, c.value}
		if got := series.MaskFill(values, 2, []float64{nan, c.declared}); (got == 1) != c.want {
			t.Errorf("%v with fill %v: MaskFill masked %d and IsFill says %v", c.value, c.declared, got, c.want)
		}
	}
}
