package cdftest_test

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/helio/tt"
)

func Example() {
	start, err := tt.Parse("2024-09-12T14:00:00Z")
	if err != nil {
		log.Fatal(err)
	}
	b, err := cdftest.File{
		Globals: []cdftest.Attribute{{Name: "TITLE", Values: []any{"Solar wind"}}},
		Variables: []cdftest.Variable{
			{Name: "Epoch", Type: cdf.Epoch, Values: []tt.Time{start, start + 3600e9}},
			{Name: "V", Type: cdf.Real4, Compression: cdf.GZIP, Values: []float64{408.5, 574},
				Attributes: []cdftest.Attribute{
					{Name: "DEPEND_0", Values: []any{"Epoch"}},
					{Name: "UNITS", Values: []any{"km/s"}},
				}},
		},
	}.Bytes()
	if err != nil {
		log.Fatal(err)
	}
	f, err := cdf.New(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		log.Fatal(err)
	}
	v, _ := f.Variable("V")
	values, err := v.Float64s()
	fmt.Println(f.GlobalString("TITLE"), values, v.AttributeString("UNITS"), err)
	// Output: Solar wind [408.5 574] km/s <nil>
}

func TestTheSameFileGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	f := cdftest.File{
		Globals: []cdftest.Attribute{{Name: "A", Values: []any{"x"}}, {Name: "B", Values: []any{1, 2.5}}},
		Variables: []cdftest.Variable{
			{Name: "v", Type: cdf.Int4, Compression: cdf.GZIP, Values: make([]int, 1000), Attributes: []cdftest.Attribute{{Name: "UNITS", Values: []any{"nT"}}, {Name: "SCALETYP", Values: []any{"linear"}}}},
		},
	}
	first, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if again, err := f.Bytes(); err != nil || !bytes.Equal(again, first) {
			t.Fatalf("the bytes differ, %v", err)
		}
	}
}

func TestWhatDoesNotFitIsAnError(t *testing.T) {
	t.Parallel()
	one := func(v cdftest.Variable) cdftest.File { return cdftest.File{Variables: []cdftest.Variable{v}} }
	global := func(v any) cdftest.File {
		return cdftest.File{Globals: []cdftest.Attribute{{Name: "A", Values: []any{v}}}}
	}
	for _, c := range []struct {
		file cdftest.File
		want string
	}{
		{cdftest.File{Version: "three"}, `version "three"`},
		{cdftest.File{Compression: 9}, "compression 9 is not known"},
		{one(cdftest.Variable{Name: strings.Repeat("n", 257), Type: cdf.Int4}), "longer than 256"},
		{one(cdftest.Variable{Name: "v", Type: cdf.Int4, Values: 5}), "int is no slice"},
		{one(cdftest.Variable{Name: "v", Type: cdf.Int4, Values: []string{"x"}}), "CDF_INT4 cannot hold a string"},
		{one(cdftest.Variable{Name: "v", Type: cdf.Char, Values: []int{1}}), "CDF_CHAR cannot hold a int"},
		{one(cdftest.Variable{Name: "v", Type: cdf.Char, NumElems: 2, Values: []string{"long"}}), "longer than 2"},
		{one(cdftest.Variable{Name: "v", Type: cdf.Int4, Dims: []int{3}, Values: []int{1, 2}}), "no whole records"},
		{one(cdftest.Variable{Name: "v", Type: cdf.Int4, Records: []int{1}, Values: []int{1, 2}}), "no whole records"},
		{one(cdftest.Variable{Name: "v", Type: cdf.Int4, Pad: "x", Values: []int{1}}), "cannot hold"},
		{one(cdftest.Variable{Name: "v", Type: cdf.Int4, Compression: 9, Values: []int{1}}), "compression 9"},
		{one(cdftest.Variable{Name: "v", Type: cdf.Int4, Attributes: []cdftest.Attribute{{Name: "A", Values: []any{true}}}}), "cannot be a bool"},
		{global(true), "cannot be a bool"},
		{global(cdftest.Typed{Type: cdf.Real4, Values: []string{"x"}}), "cannot hold"},
		{cdftest.File{Version: "2.7.2", Globals: []cdftest.Attribute{{Name: strings.Repeat("n", 65)}}}, "longer than 64"},
	} {
		if b, err := c.file.Bytes(); err == nil || b != nil || !strings.HasPrefix(err.Error(), "write CDF: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %d bytes, %v, want an error with %q", len(b), err, c.want)
		}
	}
}

func TestUnsignedAndFloatValuesFillIntegers(t *testing.T) {
	t.Parallel()
	b, err := cdftest.File{Variables: []cdftest.Variable{
		{Name: "a", Type: cdf.Uint4, Values: []uint32{1, 1<<32 - 1}},
		{Name: "b", Type: cdf.Int2, Values: []float64{3, -4}},
		{Name: "c", Type: cdf.Real8, Values: []int{5, 6}},
	}}.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "f.cdf")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := cdf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, want := range map[string]string{"a": "[1 4.294967295e+09]", "b": "[3 -4]", "c": "[5 6]"} {
		v, _ := f.Variable(name)
		got, err := v.Float64s()
		if fmt.Sprint(got) != want || err != nil {
			t.Errorf("%s = %v, %v, want %s", name, got, err, want)
		}
	}
}
