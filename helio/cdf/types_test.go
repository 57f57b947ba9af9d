package cdf_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/helio/tt"
)

// encodings is one of each byte order and those that go with it.
var encodings = []cdf.Encoding{
	cdf.Network, cdf.Sun, cdf.DECStation, cdf.SGI, cdf.IBMPC, cdf.RS6000, cdf.PPC, cdf.HP,
	cdf.NeXT, cdf.AlphaOSF1, cdf.AlphaVMSi, cdf.ARMLittle, cdf.ARMBig, cdf.IA64VMSi,
}

var integerCases = []struct {
	t      cdf.Type
	values []int64
}{
	{cdf.Int1, []int64{-128, -1, 0, 127}},
	{cdf.Byte, []int64{-128, -1, 0, 127}},
	{cdf.Int2, []int64{-32768, -2, 0, 32767}},
	{cdf.Int4, []int64{math.MinInt32, -3, 0, math.MaxInt32}},
	{cdf.Int8, []int64{math.MinInt64, -4, 0, math.MaxInt64}},
	{cdf.Uint1, []int64{0, 1, 254, 255}},
	{cdf.Uint2, []int64{0, 1, 65534, 65535}},
	{cdf.Uint4, []int64{0, 1, math.MaxUint32 - 1, math.MaxUint32}},
	{cdf.TT2000, []int64{math.MinInt64, -5, 0, math.MaxInt64}},
}

func TestEveryIntegerType(t *testing.T) {
	t.Parallel()
	for _, e := range encodings {
		for _, c := range integerCases {
			f := openBytes(t, build(t, cdftest.File{Encoding: e, Variables: []cdftest.Variable{{Name: "v", Type: c.t, Values: c.values}}}))
			v := variable(t, f, "v")
			got, err := v.Int64s()
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, fmt.Sprintf("Int64s of %s, %s", c.t, e), got, c.values)
			numbers, err := v.Float64s()
			if c.t == cdf.TT2000 {
				if !errors.Is(err, cdf.ErrType) {
					t.Errorf("Float64s of TT2000: %v, want ErrType", err)
				}
				continue
			}
			want := make([]float64, len(c.values))
			for i, x := range c.values {
				want[i] = float64(x)
			}
			if err != nil || !same(numbers, want) {
				t.Errorf("Float64s of %s, %s = %v, %v, want %v", c.t, e, numbers, err, want)
			}
		}
	}
}

func TestEveryFloatType(t *testing.T) {
	t.Parallel()
	values := []float64{0, math.Copysign(0, -1), 1.5, -1e30, math.Inf(1), math.Inf(-1), math.NaN()}
	for _, e := range encodings {
		for _, typ := range []cdf.Type{cdf.Real4, cdf.Float, cdf.Real8, cdf.Double, cdf.Epoch} {
			f := openBytes(t, build(t, cdftest.File{Encoding: e, Variables: []cdftest.Variable{{Name: "v", Type: typ, Values: values}}}))
			v := variable(t, f, "v")
			want := values
			if typ.Size() == 4 {
				want = make([]float64, len(values))
				for i, x := range values {
					want[i] = float64(float32(x))
				}
			}
			if got, err := v.Float64s(); err != nil || !same(got, want) {
				t.Errorf("%s, %s = %v, %v, want %v", typ, e, got, err, want)
			}
			if _, err := v.Int64s(); !errors.Is(err, cdf.ErrType) {
				t.Errorf("Int64s of %s: %v, want ErrType", typ, err)
			}
		}
	}
}

func TestEveryTimeType(t *testing.T) {
	t.Parallel()
	want := []tt.Time{536500868684000000 - 2e9, 631368099184000000, tt.Fill}
	for _, e := range encodings {
		for _, typ := range []cdf.Type{cdf.TT2000, cdf.Epoch, cdf.Epoch16} {
			f := openBytes(t, build(t, cdftest.File{Encoding: e, Variables: []cdftest.Variable{{Name: "v", Type: typ, Values: want}}}))
			got, err := variable(t, f, "v").Times()
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, fmt.Sprintf("%s, %s", typ, e), got, want)
		}
	}
}

func TestPadsAndFillsAreNoTimes(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, cdftest.File{Variables: []cdftest.Variable{
		{Name: "TT2000", Type: cdf.TT2000, Values: []int64{math.MinInt64, math.MinInt64 + 1}},
		{Name: "EPOCH", Type: cdf.Epoch, Values: []float64{-1e31, 0, 315569519999999, math.NaN()}},
		{Name: "EPOCH16", Type: cdf.Epoch16, Values: [][2]float64{{-1e31, -1e31}, {0, 0}}},
	}}))
	for _, v := range f.Variables() {
		times, err := v.Times()
		if err != nil {
			t.Error(err)
		}
		for i, at := range times {
			if at != tt.Fill {
				t.Errorf("%s[%d] = %s, want Fill", v.Name, i, at)
			}
		}
	}
}

func TestATimeThatCannotBeHeldIsAnError(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, cdftest.File{Variables: []cdftest.Variable{
		{Name: "t", Type: cdf.Epoch, Values: []float64{63113904000000, 1e12}},
	}}))
	_, err := variable(t, f, "t").Times()
	if !errors.Is(err, tt.ErrRange) {
		t.Fatalf("got %v, want tt.ErrRange", err)
	}
	if want := `read "t": value 1: time of CDF_EPOCH 1e+12: outside the range of TT2000, 1707-09-22 to 2292-04-11`; err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	want := []string{"Bx GSE", "", " By", "ärö"}
	for _, typ := range []cdf.Type{cdf.Char, cdf.Uchar} {
		f := openBytes(t, build(t, cdftest.File{Variables: []cdftest.Variable{{Name: "v", Type: typ, NumElems: 9, Values: want}}}))
		v := variable(t, f, "v")
		got, err := v.Strings()
		if err != nil || v.NumElems != 9 {
			t.Fatal(err, v.NumElems)
		}
		wantEqual(t, typ.String(), got, want)
		for what, err := range map[string]error{"Float64s": second(v.Float64s()), "Int64s": second(v.Int64s()), "Times": second(v.Times())} {
			if !errors.Is(err, cdf.ErrType) {
				t.Errorf("%s of %s: %v, want ErrType", what, typ, err)
			}
		}
	}
}

func TestOldTextIsLatin1(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, cdftest.File{
		Globals:   []cdftest.Attribute{{Name: "PI_name", Values: []any{"J. M\xfcller"}}},
		Variables: []cdftest.Variable{{Name: "v", Type: cdf.Char, Values: []string{"5 \xb5T"}}},
	}))
	got, err := variable(t, f, "v").Strings()
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "text", got, []string{"5 µT"})
	if got, want := f.GlobalString("PI_name"), "J. Müller"; got != want {
		t.Errorf("attribute = %q, want %q", got, want)
	}
}

func TestNumbersHoldNoText(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, cdftest.File{Variables: []cdftest.Variable{{Name: "v", Type: cdf.Real4, Values: []float64{1}}}}))
	v := variable(t, f, "v")
	if _, err := v.Strings(); !errors.Is(err, cdf.ErrType) {
		t.Errorf("Strings: %v, want ErrType", err)
	}
	_, err := v.Times()
	if want := `read "v": the type does not fit: CDF_REAL4 holds no times`; err == nil || err.Error() != want {
		t.Errorf("Times: %v, want %s", err, want)
	}
}

func TestNamesOfTypesAndEncodings(t *testing.T) {
	t.Parallel()
	sizes := map[cdf.Type]int{
		cdf.Int1: 1, cdf.Int2: 2, cdf.Int4: 4, cdf.Int8: 8, cdf.Uint1: 1, cdf.Uint2: 2, cdf.Uint4: 4,
		cdf.Real4: 4, cdf.Real8: 8, cdf.Epoch: 8, cdf.Epoch16: 16, cdf.TT2000: 8, cdf.Byte: 1,
		cdf.Float: 4, cdf.Double: 8, cdf.Char: 1, cdf.Uchar: 1,
	}
	names := make(map[string]bool)
	for typ, size := range sizes {
		names[typ.String()] = true
		if typ.Size() != size {
			t.Errorf("%s has %d bytes, want %d", typ, typ.Size(), size)
		}
		kinds := 0
		for _, is := range []bool{typ.IsText(), typ.IsTime(), typ.IsInteger(), typ.IsFloat()} {
			if is {
				kinds++
			}
		}
		if kinds != 1 {
			t.Errorf("%s is of %d kinds, want 1", typ, kinds)
		}
	}
	if len(names) != len(sizes) {
		t.Errorf("%d types have %d names", len(sizes), len(names))
	}
	if got := cdf.Type(99).String(); got != "CDF type 99" || cdf.Type(99).Size() != 0 {
		t.Errorf("type 99 is %q of %d bytes", got, cdf.Type(99).Size())
	}
	if got := cdf.IBMPC.String(); got != "IBMPC" {
		t.Errorf("encoding 6 is %q", got)
	}
	if got := cdf.Encoding(8).String(); got != "encoding 8" {
		t.Errorf("encoding 8 is %q", got)
	}
	for c, want := range map[cdf.Compression]string{cdf.None: "none", cdf.RLE: "rle", cdf.Huffman: "huffman", cdf.AdaptiveHuffman: "adaptive huffman", cdf.GZIP: "gzip", 9: "compression 9"} {
		if c.String() != want {
			t.Errorf("compression %d is %q, want %q", int(c), c, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }
