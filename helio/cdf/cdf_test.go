package cdf_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
)

// build returns the bytes of a file.
func build(tb testing.TB, f cdftest.File) []byte {
	tb.Helper()
	b, err := f.Bytes()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// openBytes opens a file that must be sound.
func openBytes(tb testing.TB, b []byte) *cdf.File {
	tb.Helper()
	f, err := cdf.New(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func variable(tb testing.TB, f *cdf.File, name string) *cdf.Variable {
	tb.Helper()
	v, ok := f.Variable(name)
	if !ok {
		tb.Fatalf("there is no variable %q", name)
	}
	return v
}

// same compares numbers bit by bit, so that NaN equals itself.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y)
	})
}

func wantEqual[T comparable](tb testing.TB, what string, got, want []T) {
	tb.Helper()
	if !slices.Equal(got, want) {
		tb.Errorf("%s = %v, want %v", what, clip(got), clip(want))
	}
}

func clip[T any](list []T) []T { return list[:min(len(list), 24)] }
