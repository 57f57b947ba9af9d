package cdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/helio/tt"
)

var versions = []string{"2.0.0", "2.4.6", "2.5.0", "2.6.0", "2.7.2", "3.0.0", "3.4.1", "3.9.0"}

// aLayout draws how a file is laid out: everything that must not matter.
func aLayout(t *rapid.T, f *cdftest.File) {
	f.Version = rapid.SampledFrom(versions).Draw(t, "version")
	f.Encoding = rapid.SampledFrom(encodings).Draw(t, "encoding")
	f.ColumnMajor = rapid.Bool().Draw(t, "column major")
	f.Checksum = rapid.Bool().Draw(t, "checksum")
	compressions := rapid.SampledFrom([]cdf.Compression{cdf.None, cdf.RLE, cdf.GZIP})
	f.Compression = compressions.Draw(t, "whole file")
	for i := range f.Variables {
		v := &f.Variables[i]
		v.R = rapid.Bool().Draw(t, "r variable")
		if v.R {
			// All r variables share the file's dimensions; each takes those it needs.
			v.Varies = make([]bool, len(f.Dims))
			for d := range v.Dims {
				v.Varies[d] = true
			}
		}
		v.Compression = compressions.Draw(t, "compression")
		v.BlockRecords = rapid.IntRange(0, 7).Draw(t, "block records")
		v.Reserve = rapid.IntRange(0, 3).Draw(t, "reserve")
		v.IndexEntries = rapid.IntRange(0, 4).Draw(t, "index entries")
		v.IndexLevels = rapid.IntRange(1, 3).Draw(t, "index levels")
	}
}

// content is what a file holds, whatever its layout.
type content struct {
	floats []float64
	ints   []int64
	texts  []string
	times  []tt.Time
}

// aContent draws n values of each kind and as many times as there are records.
// Only a seed is drawn, as which values they are matters little.
func aContent(t *rapid.T, records, n int) content {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	c := content{make([]float64, n), make([]int64, n), make([]string, n), make([]tt.Time, records)}
	for i := range n {
		if random.IntN(3) > 0 {
			c.floats[i] = math.Float64frombits(random.Uint64())
		}
		c.ints[i] = int64(int16(random.Uint64()))
		c.texts[i] = []string{"", "Bx", " By GSE", "°", "12345678"}[random.IntN(5)]
	}
	for i := range c.times {
		c.times[i] = tt.Time(random.Uint64() >> 2)
	}
	return c
}

func TestTheLayoutDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.SliceOfN(rapid.IntRange(1, 4), 0, 4).Draw(t, "dims")
		records := rapid.IntRange(0, 20).Draw(t, "records")
		n := records
		for _, d := range dims {
			n *= d
		}
		c := aContent(t, records, n)
		vary := records != 1 || rapid.Bool().Draw(t, "records vary")
		f := cdftest.File{Dims: dims, Variables: []cdftest.Variable{
			{Name: "floats", Type: cdf.Real8, Dims: dims, Values: c.floats, NoRecordVariance: !vary},
			{Name: "ints", Type: cdf.Int2, Dims: dims, Values: c.ints, NoRecordVariance: !vary},
			{Name: "texts", Type: cdf.Char, NumElems: 8, Dims: dims, Values: c.texts},
			{Name: "times", Type: cdf.TT2000, Values: c.times},
			{Name: "nothing", Type: cdf.Real4},
		}}
		aLayout(t, &f)
		b, err := f.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		checkLayout(t, b, f, c)
	})
}

func checkLayout(t *rapid.T, b []byte, f cdftest.File, c content) {
	got, err := cdf.New(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if i := got.Info(); i.Version != f.Version || i.Encoding != f.Encoding || i.ColumnMajor != f.ColumnMajor || i.Compression != f.Compression || i.Checksum != f.Checksum {
		t.Fatalf("Info = %+v", i)
	}
	if err := got.Verify(); err != nil {
		t.Fatal(err)
	}
	firstOf := rapid.IntRange(0, len(c.times)).Draw(t, "first")
	countOf := rapid.IntRange(0, len(c.times)-firstOf).Draw(t, "count")
	for _, w := range f.Variables {
		v, ok := got.Variable(w.Name)
		if !ok {
			t.Fatalf("no variable %q", w.Name)
		}
		if v.Type != w.Type || v.Z == w.R || v.Compression != w.Compression || v.RecordVarying == w.NoRecordVariance || !slices.Equal(v.Dims, w.Dims) {
			t.Fatalf("%+v is described as %+v", w, v)
		}
		first, count := min(firstOf, v.Records), min(countOf, v.Records)
		part := v.Range(first, count)
		a, z := first*v.PerRecord(), (first+count)*v.PerRecord()
		switch w.Name {
		case "floats":
			equal(t, v.Float64s, part.Float64s, c.floats, a, z, same)
		case "ints":
			equal(t, v.Int64s, part.Int64s, c.ints, a, z, slices.Equal)
		case "texts":
			equal(t, v.Strings, part.Strings, c.texts, a, z, slices.Equal)
		case "times":
			equal(t, v.Times, part.Times, c.times, a, z, slices.Equal)
		case "nothing":
			equal(t, v.Float64s, part.Float64s, nil, 0, 0, same)
		}
	}
}

// equal compares the whole and a part of a variable with what it should be.
func equal[T comparable](t *rapid.T, whole, part func() ([]T, error), want []T, a, z int, eq func(x, y []T) bool) {
	if got, err := whole(); err != nil || !eq(got, want) {
		t.Fatalf("got %v, %v, want %v", clip(got), err, clip(want))
	}
	if got, err := part(); err != nil || !eq(got, want[a:z]) {
		t.Fatalf("part %d:%d = %v, %v, want %v", a, z, clip(got), err, clip(want[a:z]))
	}
}

func TestSparseRecordsAreFilledIn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfNDistinct(rapid.IntRange(0, 25), 1, 10, rapid.ID[int]).Draw(t, "records")
		slices.Sort(records)
		values := make([]int64, 3*len(records))
		for i := range values {
			values[i] = int64(i + 1)
		}
		sparse := rapid.SampledFrom([]cdf.Sparse{cdf.SparsePad, cdf.SparsePrevious}).Draw(t, "kind")
		pad := int64(-2147483647)
		v := cdftest.Variable{Name: "v", Type: cdf.Int4, Dims: []int{3}, Sparse: sparse, Records: records, Values: values}
		if rapid.Bool().Draw(t, "own pad") {
			v.Pad, pad = -7, -7
		}
		f := cdftest.File{Variables: []cdftest.Variable{v}}
		f.Dims = []int{3}
		aLayout(t, &f)
		var want []int64
		for r, k := 0, 0; r <= records[len(records)-1]; r++ {
			switch {
			case records[k] == r:
				want = append(want, values[3*k:3*k+3]...)
				k++
			case sparse == cdf.SparsePrevious && k > 0:
				want = append(want, want[len(want)-3:]...)
			default:
				want = append(want, pad, pad, pad)
			}
		}
		b, err := f.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		file, err := cdf.New(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		got, _ := file.Variable("v")
		if got.Sparse != sparse {
			t.Fatalf("Sparse = %d, want %d", got.Sparse, sparse)
		}
		first := rapid.IntRange(0, got.Records).Draw(t, "first")
		count := rapid.IntRange(0, got.Records-first).Draw(t, "count")
		equal(t, got.Int64s, got.Range(first, count).Int64s, want, 3*first, 3*(first+count), slices.Equal)
	})
}

func TestPadValueOfEachType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		t    cdf.Type
		one  any
		want string
	}{
		{cdf.Int1, []int{1}, "-127"}, {cdf.Byte, []int{1}, "-127"}, {cdf.Int2, []int{1}, "-32767"},
		{cdf.Int4, []int{1}, "-2147483647"}, {cdf.Int8, []int{1}, "-9223372036854775807"},
		{cdf.Uint1, []int{1}, "254"}, {cdf.Uint2, []int{1}, "65534"}, {cdf.Uint4, []int{1}, "4294967294"},
		{cdf.Real4, []float64{1}, "-1.0000000150474662e+30"}, {cdf.Float, []float64{1}, "-1.0000000150474662e+30"},
		{cdf.Real8, []float64{1}, "-1e+30"}, {cdf.Double, []float64{1}, "-1e+30"},
		{cdf.Epoch, []float64{63113904000000}, "fill"}, {cdf.Epoch16, [][2]float64{{63113904000, 0}}, "fill"},
		{cdf.TT2000, []int{1}, "fill"}, {cdf.Char, []string{"x"}, ""}, {cdf.Uchar, []string{"x"}, ""},
	} {
		for _, e := range []cdf.Encoding{cdf.IBMPC, cdf.Network} {
			f := openBytes(t, build(t, cdftest.File{Encoding: e, Variables: []cdftest.Variable{
				{Name: "v", Type: c.t, Sparse: cdf.SparsePad, Records: []int{1}, Values: c.one},
			}}))
			v := variable(t, f, "v")
			if v.Pad.Len() != 0 {
				t.Errorf("%s stores a pad value", c.t)
			}
			var got string
			var err error
			switch {
			case c.t.IsTime():
				var x []tt.Time
				x, err = v.Times()
				got = x[0].String()
			case c.t.IsText():
				var x []string
				x, err = v.Strings()
				got = x[0]
			case c.t.IsInteger():
				var x []int64
				x, err = v.Int64s()
				got = fmt.Sprint(x[0])
			default:
				var x []float64
				x, err = v.Float64s()
				got = fmt.Sprint(x[0])
			}
			if err != nil || got != c.want {
				t.Errorf("pad of %s, %s = %q, %v, want %q", c.t, e, got, err, c.want)
			}
		}
	}
}

func TestStoredPadValueCanBeAsked(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, cdftest.File{Encoding: cdf.Network, Variables: []cdftest.Variable{
		{Name: "v", Type: cdf.Real4, Pad: -9.5, Values: []float64{1}},
		{Name: "s", Type: cdf.Char, Pad: "ab", NumElems: 4, Values: []string{"x"}},
	}}))
	if got := variable(t, f, "v").Pad.Float64s(); !same(got, []float64{-9.5}) {
		t.Errorf("Pad = %v, want -9.5", got)
	}
	if got := variable(t, f, "s").Pad.String(); got != "ab" {
		t.Errorf("Pad = %q, want ab", got)
	}
}

func TestDimensionsThatDoNotVaryAreLeftOut(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, cdftest.File{Dims: []int{2, 3, 4}, ColumnMajor: true, Variables: []cdftest.Variable{
		{Name: "r", R: true, Type: cdf.Int4, Varies: []bool{true, false, true}, Pad: -1, Values: []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{Name: "z", Type: cdf.Int4, Dims: []int{5, 2, 3}, Varies: []bool{false, true, true}, Pad: -1, Sparse: cdf.SparsePad, Records: []int{1}, Values: []int{0, 1, 2, 3, 4, 5}},
	}}))
	r, z := variable(t, f, "r"), variable(t, f, "z")
	wantEqual(t, "Dims of r", r.Dims, []int{2, 4})
	wantEqual(t, "Dims of z", z.Dims, []int{2, 3})
	got, err := r.Int64s()
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "r", got, []int64{0, 1, 2, 3, 4, 5, 6, 7})
	if got, err = z.Int64s(); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "z", got, []int64{-1, -1, -1, -1, -1, -1, 0, 1, 2, 3, 4, 5})
}

func TestBytesAreLittleEndianAndRowMajor(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, cdftest.File{Encoding: cdf.Network, ColumnMajor: true, Variables: []cdftest.Variable{
		{Name: "i", Type: cdf.Int2, Dims: []int{2, 2}, Values: []int{1, 2, 3, 4}},
		{Name: "s", Type: cdf.Char, Dims: []int{2, 2}, Values: []string{"ab", "cd", "ef", "gh"}},
	}}))
	got, err := variable(t, f, "i").Bytes()
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "numbers", got, []byte{1, 0, 2, 0, 3, 0, 4, 0})
	if got, err = variable(t, f, "s").Bytes(); err != nil || string(got) != "abcdefgh" {
		t.Errorf("text = %q, %v, want abcdefgh", got, err)
	}
}

func TestARangeOutsideTheRecordsIsAnError(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, cdftest.File{Variables: []cdftest.Variable{{Name: "v", Type: cdf.Int4, Values: []int{1, 2, 3}}}}))
	v := variable(t, f, "v")
	for _, r := range [][2]int{{-1, 1}, {0, 4}, {3, 1}, {4, 0}, {0, -1}, {1, math.MaxInt}, {math.MaxInt, 1}} {
		if got, err := v.Range(r[0], r[1]).Int64s(); err == nil {
			t.Errorf("Range(%d, %d) = %v, want an error", r[0], r[1], got)
		}
	}
	_, err := v.Range(2, 5).Float64s()
	if want := `read 5 records of "v" from 2 on: there are 3 records`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestHuffmanIsListedAndRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []cdf.Compression{cdf.Huffman, cdf.AdaptiveHuffman} {
		f := openBytes(t, build(t, cdftest.File{Variables: []cdftest.Variable{
			{Name: "v", Type: cdf.Int4, Compression: c, Values: []int{1, 2, 3}},
		}}))
		v := variable(t, f, "v")
		if v.Compression != c || v.Records != 3 {
			t.Errorf("listed as %s with %d records", v.Compression, v.Records)
		}
		_, err := v.Int64s()
		if !errors.Is(err, cdf.ErrUnsupported) || !strings.Contains(err.Error(), c.String()) {
			t.Errorf("got %v, want ErrUnsupported that names %s", err, c)
		}
		whole := build(t, cdftest.File{Compression: c})
		if _, err := cdf.New(bytes.NewReader(whole), int64(len(whole))); !errors.Is(err, cdf.ErrUnsupported) {
			t.Errorf("whole file: %v, want ErrUnsupported", err)
		}
	}
}
