package cdf_test

import (
	"math"
	"testing"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/helio/tt"
)

func TestGlobalAttributesKeepTheirEntries(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		f := openBytes(t, build(t, cdftest.File{Version: version, Encoding: cdf.Network, Globals: []cdftest.Attribute{
			{Name: "TITLE", Values: []any{"A title"}},
			{Name: "TEXT", Values: []any{"first line", nil, "third line  "}},
			{Name: "Numbers", Values: []any{int16(-3), uint32(7), []float64{1.5, 2.5}, float32(0.1), int64(math.MinInt64)}},
			{Name: "None"},
		}}))
		global := f.Global()
		if len(global) != 4 {
			t.Fatalf("%d attributes, want 4", len(global))
		}
		text := global[1]
		if len(text.Entries) != 2 || text.Entries[1].Num != 2 || text.Entries[1].String() != "third line" {
			t.Errorf("TEXT = %v", text)
		}
		if got := f.GlobalString("text"); got != "first line third line" {
			t.Errorf("GlobalString = %q", got)
		}
		var got []string
		for _, e := range global[2].Entries {
			got = append(got, e.Type.String()+" "+e.String())
		}
		wantEqual(t, "Numbers", got, []string{"CDF_INT2 -3", "CDF_UINT4 7", "CDF_REAL8 1.5 2.5", "CDF_REAL4 0.1", "CDF_INT8 -9223372036854775808"})
		if got := f.GlobalString("absent"); got != "" {
			t.Errorf("an absent attribute = %q", got)
		}
	}
}

func TestVariableAttributesFindTheirVariable(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		f := openBytes(t, build(t, cdftest.File{Version: version, Variables: []cdftest.Variable{
			{Name: "z0", Type: cdf.Real4, Attributes: []cdftest.Attribute{{Name: "UNITS", Values: []any{"nT"}}}},
			{Name: "r0", R: true, Type: cdf.Real4},
			{Name: "r1", R: true, Type: cdf.Real4, Attributes: []cdftest.Attribute{{Name: "UNITS", Values: []any{"km"}}, {Name: "FILLVAL", Values: []any{float32(-1e31)}}}},
			{Name: "z1", Type: cdf.Real4, Attributes: []cdftest.Attribute{{Name: "CATDESC", Values: []any{"a field"}}, {Name: "UNITS", Values: []any{"s"}}}},
		}}))
		for name, want := range map[string]string{"z0": "nT", "r0": "", "r1": "km", "z1": "s"} {
			if got := variable(t, f, name).AttributeString("UNITS"); got != want {
				t.Errorf("version %s: UNITS of %s = %q, want %q", version, name, got, want)
			}
		}
		if _, ok := variable(t, f, "r0").Attribute("UNITS"); ok {
			t.Error("r0 has no UNITS")
		}
		if got := variable(t, f, "z1").AttributeString("Units"); got != "s" {
			t.Errorf("another case = %q, want s", got)
		}
		if got := len(variable(t, f, "r1").Attributes()); got != 2 {
			t.Errorf("r1 has %d attributes, want 2", got)
		}
		if got := len(f.Global()); got != 0 {
			t.Errorf("%d global attributes, want 0", got)
		}
	}
}

// TestVariablesMayBeListedInAnyOrder exchanges the numbers of two variables: an
// attribute goes by the number, not by the place in the list.
func TestVariablesMayBeListedInAnyOrder(t *testing.T) {
	t.Parallel()
	b := build(t, cdftest.File{Variables: []cdftest.Variable{
		{Name: "a", Type: cdf.Real4, Attributes: []cdftest.Attribute{{Name: "UNITS", Values: []any{"nT"}}}},
		{Name: "b", Type: cdf.Real4, Attributes: []cdftest.Attribute{{Name: "UNITS", Values: []any{"km"}}}},
	}})
	put(t, b, vdrNum, 1)
	b[find(t, b, 8, 1)+vdrNum.at+3] = 0
	f := openBytes(t, b)
	for name, want := range map[string]string{"a": "km", "b": "nT"} {
		if got := variable(t, f, name).AttributeString("UNITS"); got != want {
			t.Errorf("UNITS of %s = %q, want %q", name, got, want)
		}
	}
}

func TestAnEntryForNoVariableIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, num := range []byte{1, 0xff} {
		b := build(t, cdftest.File{Variables: []cdftest.Variable{
			{Name: "v", R: true, Type: cdf.Real4, Attributes: []cdftest.Attribute{attr("UNITS", "nT"), attr("CATDESC", "a field")}},
		}})
		at := find(t, b, 5, 0) + 28
		b[at], b[at+1], b[at+2], b[at+3] = num&0x80, 0, 0, num // 1 or a negative number
		v := variable(t, openBytes(t, b), "v")
		if got := v.Attributes(); len(got) != 1 || got[0].Name != "CATDESC" {
			t.Errorf("the variable has %v, want CATDESC only", got)
		}
	}
}

func TestEntriesComeInTheOrderOfTheirNumbers(t *testing.T) {
	t.Parallel()
	b := build(t, cdftest.File{Globals: []cdftest.Attribute{{Name: "TEXT", Values: []any{"second", "first"}}}})
	const num = 28
	b[find(t, b, 5, 0)+num+3], b[find(t, b, 5, 1)+num+3] = 1, 0
	if got := openBytes(t, b).GlobalString("TEXT"); got != "first second" {
		t.Errorf("got %q, want %q", got, "first second")
	}
}

func TestAnExactNameComesBeforeAnotherCase(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, cdftest.File{Variables: []cdftest.Variable{
		{Name: "v", Type: cdf.Real4, Attributes: []cdftest.Attribute{{Name: "units", Values: []any{"a"}}, {Name: "UNITS", Values: []any{"b"}}}},
	}}))
	if got := variable(t, f, "v").AttributeString("UNITS"); got != "b" {
		t.Errorf("got %q, want b", got)
	}
}

func TestAnEntryMayHoldSeveralStrings(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, cdftest.File{Globals: []cdftest.Attribute{{Name: "A", Values: []any{[]string{"one", "two ", "three"}}}}}))
	e := f.Global()[0].Entries[0]
	wantEqual(t, "Strings", e.Strings(), []string{"one", "two", "three"})
	if got := e.String(); got != "one two three" {
		t.Errorf("String = %q", got)
	}
}

func TestEntriesOfEveryType(t *testing.T) {
	t.Parallel()
	at := tt.Time(536500868684000000)
	typed := func(t cdf.Type, v any) cdftest.Typed { return cdftest.Typed{Type: t, Values: v} }
	for _, c := range []struct {
		entry any
		want  string
		n     int
	}{
		{typed(cdf.Byte, []int{-5, 5}), "-5 5", 2},
		{typed(cdf.Uint1, []int{250}), "250", 1},
		{typed(cdf.Uint2, []int{65000}), "65000", 1},
		{typed(cdf.Float, []float64{0.25}), "0.25", 1},
		{typed(cdf.Double, []float64{-1e31}), "-1e+31", 1},
		{typed(cdf.Epoch, []float64{63593784059000, -1e31}), "2015-03-17T04:00:59Z fill", 2},
		{typed(cdf.Epoch16, [][2]float64{{63300946758, 176214648000}}), "2005-12-04T20:19:18.176214648Z", 1},
		{typed(cdf.Uchar, []string{"text"}), "text", 4},
		{at, at.String(), 1},
		{typed(cdf.Epoch, []float64{1}), "element 0: time of CDF_EPOCH 1: outside the range of TT2000, 1707-09-22 to 2292-04-11", 1},
	} {
		for _, e := range []cdf.Encoding{cdf.Network, cdf.IBMPC} {
			f := openBytes(t, build(t, cdftest.File{Encoding: e, Globals: []cdftest.Attribute{{Name: "A", Values: []any{c.entry}}}}))
			v := f.Global()[0].Entries[0]
			if got := v.String(); got != c.want || v.Len() != c.n {
				t.Errorf("%v = %q of %d elements, want %q of %d", c.entry, got, v.Len(), c.want, c.n)
			}
		}
	}
}

func TestAnEntryOfAnotherTypeGivesNothing(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, cdftest.File{Globals: []cdftest.Attribute{{Name: "A", Values: []any{"text", 3.5, 4}}}}))
	text, float, whole := f.Global()[0].Entries[0], f.Global()[0].Entries[1], f.Global()[0].Entries[2]
	if text.Float64s() != nil || text.Int64s() != nil || float.Strings() != nil || float.Int64s() != nil {
		t.Error("a value was invented")
	}
	if got := whole.Float64s(); !same(got, []float64{4}) {
		t.Errorf("a whole number as a number = %v", got)
	}
	if _, err := float.Times(); err == nil {
		t.Error("a number is no time")
	}
	var none cdf.Value
	if none.Len() != 0 || none.String() != "" || len(none.Float64s()) != 0 {
		t.Errorf("the zero Value holds %q", none.String())
	}
}
