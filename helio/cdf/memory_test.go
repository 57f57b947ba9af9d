//go:build !race

package cdf_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
)

// These tests hold the package comment to its promises about memory. They count
// all that is allocated, not only what stays, and so do not run in parallel.

// allocated returns the bytes that run allocates.
func allocated(run func()) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

const mebi = 1 << 20

// crowded is files with as much as possible in few bytes.
func crowded() map[string]cdftest.File {
	variables := make([]cdftest.Variable, 3000)
	for i := range variables {
		variables[i] = cdftest.Variable{Name: fmt.Sprint(i), Type: cdf.Int4, R: true}
	}
	attributes := make([]cdftest.Attribute, 3000)
	for i := range attributes {
		attributes[i] = attr(fmt.Sprint(i), "")
	}
	described := make([]cdftest.Variable, 200)
	for i := range described {
		described[i] = cdftest.Variable{Name: fmt.Sprint(i), Type: cdf.Int4, R: true, Attributes: attributes[:50]}
	}
	entries := make([]any, 20000)
	for i := range entries {
		entries[i] = int8(i)
	}
	return map[string]cdftest.File{
		"variables":                  {Variables: variables},
		"attributes":                 {Globals: attributes},
		"entries":                    {Globals: []cdftest.Attribute{{Name: "A", Values: entries}}},
		"attributes of variables":    {Variables: described},
		"text":                       {Globals: []cdftest.Attribute{attr("A", strings.Repeat("x", mebi))}},
		"blocks":                     {Variables: []cdftest.Variable{{Name: "v", Type: cdf.Uint1, Values: make([]int, 30000), BlockRecords: 1}}},
		"blocks, each with an index": {Variables: []cdftest.Variable{{Name: "v", Type: cdf.Uint1, Values: make([]int, 30000), BlockRecords: 1, IndexEntries: 1}}},
	}
}

func TestMemoryOfOpeningIsBounded(t *testing.T) {
	for name, f := range crowded() {
		for _, version := range []string{"2.7.2", "3.9.0"} {
			f.Version = version
			b := build(t, f)
			size := int64(len(b))
			got := allocated(func() {
				f := openBytes(t, b)
				f.Variable("0")
				f.Global()
			})
			t.Logf("%s %s: %d bytes for a file of %d: %.1f", version, name, got, size, float64(got)/float64(size))
			if limit := 8*size + mebi; got > limit {
				t.Errorf("%s %s: opening allocates %d bytes, at most %d is promised", version, name, got, limit)
			}
		}
	}
}

func TestMemoryOfOpeningAWholeCompressedFileIsBounded(t *testing.T) {
	for name, f := range crowded() {
		expanded := int64(len(build(t, f)))
		f.Compression = cdf.GZIP
		b := build(t, f)
		size := int64(len(b))
		got := allocated(func() {
			f := openBytes(t, b)
			f.Variable("0")
			f.Global()
		})
		if limit := size + 9*expanded + mebi; got > limit {
			t.Errorf("%s: opening allocates %d bytes, at most %d is promised", name, got, limit)
		}
		// The same with a header that lies about the expanded size.
		put(t, b, ccrPlain, (size-8-32)*1032)
		got = allocated(func() {
			if _, err := cdf.New(bytes.NewReader(b), size); err == nil {
				t.Errorf("%s: no error", name)
			}
		})
		if limit := size*1033 + mebi; got > limit {
			t.Errorf("%s: failing to open allocates %d bytes, at most %d is promised", name, got, limit)
		}
	}
}

func TestMemoryOfReadingIsBounded(t *testing.T) {
	zeros := make([]int, 3_000_000)
	for name, f := range map[string]cdftest.File{
		"gzip":    {Variables: []cdftest.Variable{{Name: "v", Type: cdf.Uint1, Compression: cdf.GZIP, Values: zeros}}},
		"rle":     {Variables: []cdftest.Variable{{Name: "v", Type: cdf.Uint1, Compression: cdf.RLE, Values: zeros}}},
		"arrays":  {ColumnMajor: true, Variables: []cdftest.Variable{{Name: "v", Type: cdf.Uint1, Dims: []int{100, 300}, Values: zeros}}},
		"blocks":  {Variables: []cdftest.Variable{{Name: "v", Type: cdf.Uint1, Values: zeros[:30000], BlockRecords: 1}}},
		"indices": {Version: "2.7.2", Variables: []cdftest.Variable{{Name: "v", Type: cdf.Uint1, Values: zeros[:30000], BlockRecords: 1, IndexEntries: 1}}},
		"sparse":  {Variables: []cdftest.Variable{{Name: "v", Type: cdf.Uint1, Sparse: cdf.SparsePad, Records: []int{5_000_000}, Values: zeros[:1]}}},
	} {
		b := build(t, f)
		size := int64(len(b))
		v := variable(t, openBytes(t, b), "v")
		result := int64(v.Records) * int64(v.PerRecord()) * 8
		got := allocated(func() {
			if _, err := v.Float64s(); err != nil {
				t.Error(err)
			}
		})
		t.Logf("%s: %d bytes beside a result of %d, for a file of %d", name, got-result, result, size)
		if most := max(64*mebi, 1032*size); result > most {
			t.Errorf("%s: the result has %d bytes, at most %d is promised", name, result, most)
		}
		if limit := 8*size + int64(v.PerRecord())*8 + int64(runtime.GOMAXPROCS(0))*mebi; got-result > limit {
			t.Errorf("%s: reading allocates %d bytes beside its result, at most %d is promised", name, got-result, limit)
		}
	}
}

func TestAResultOutOfProportionIsRefusedBeforeItIsMade(t *testing.T) {
	f := openBytes(t, build(t, cdftest.File{Variables: []cdftest.Variable{
		{Name: "sparse", Type: cdf.Real8, Sparse: cdf.SparsePad, Pad: 2.5, Records: []int{2_000_000_000}, Values: []float64{1}},
		{Name: "text", Type: cdf.Char, NumElems: 1000, Sparse: cdf.SparsePad, Records: []int{1_000_000}, Values: []string{"x"}},
		{Name: "empty", Type: cdf.Real8, Dims: []int{16000, 16000}},
	}}))
	v := variable(t, f, "sparse")
	for what, run := range map[string]func() error{
		"numbers": func() error { _, err := v.Float64s(); return err },
		"bytes":   func() error { _, err := v.Bytes(); return err },
		"text":    func() error { _, err := variable(t, f, "text").Strings(); return err },
		"labels":  func() error { _, err := variable(t, f, "empty").Labels(); return err },
	} {
		var err error
		got := allocated(func() { err = run() })
		if err == nil || !strings.Contains(err.Error(), "out of proportion") || got > mebi {
			t.Errorf("%s: %v after %d bytes, want an error at once", what, err, got)
		}
	}
	part, err := v.Range(1_999_999_998, 3).Float64s()
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "a part", part, []float64{2.5, 2.5, 1})
}

func TestAllocationCeilings(t *testing.T) {
	f := openBytes(t, build(t, sample()))
	b := variable(t, f, "B")
	described := make([]cdftest.Variable, 20)
	for i := range described {
		described[i] = cdftest.Variable{Name: fmt.Sprint("v", i), Type: cdf.Real8, Attributes: []cdftest.Attribute{
			attr("UNITS", "nT"), attr("FILLVAL", -1e31), attr("DEPEND_0", "v0"), attr("CATDESC", "a variable"),
		}}
	}
	many := build(t, cdftest.File{Globals: crowded()["attributes"].Globals[:50], Variables: described})
	out := int64(0)
	for name, c := range map[string]struct {
		ceiling float64
		run     func()
	}{
		"reading compressed numbers": {6, func() { x, _ := b.Float64s(); out += int64(len(x)) }},
		"reading one record":         {6, func() { x, _ := b.Range(700, 1).Float64s(); out += int64(len(x)) }},
		// One for each FILLVAL, which is asked for as numbers, and none for other
		// attributes, variables or names.
		"opening and listing":     {20 + 12, func() { out += int64(list(openBytes(t, many))) }},
		"asking for an attribute": {0, func() { _, _ = b.Attribute("FILLVAL") }},
		"finding a variable":      {0, func() { _, _ = f.Variable("B") }},
	} {
		if got := testing.AllocsPerRun(50, c.run); got > c.ceiling {
			t.Errorf("%s allocates %v times, at most %v is promised", name, got, c.ceiling)
		}
	}
}
