package cdf_test

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/internal/testdata"
)

// seeds are small files of every layout.
func seeds(tb testing.TB) [][]byte {
	var list [][]byte
	for _, version := range []string{"2.4.6", "2.6.0", "3.9.0"} {
		for _, whole := range []cdf.Compression{cdf.None, cdf.RLE, cdf.GZIP} {
			for _, column := range []bool{false, true} {
				list = append(list, build(tb, cdftest.File{
					Version: version, Compression: whole, ColumnMajor: column, Checksum: column, Dims: []int{2},
					Globals: []cdftest.Attribute{{Name: "TITLE", Values: []any{"a", nil, []string{"b", "c"}, 1.5}}},
					Variables: []cdftest.Variable{
						{Name: "Epoch", Type: cdf.TT2000, Values: []int64{1, 2, 3}},
						{Name: "E", Type: cdf.Epoch, Values: []float64{63113904000000}},
						{Name: "E16", Type: cdf.Epoch16, Values: [][2]float64{{63113904000, 5}}},
						{Name: "B", Type: cdf.Real4, Dims: []int{2, 3}, Values: make([]float64, 18), Compression: cdf.GZIP,
							BlockRecords: 1, IndexEntries: 2, IndexLevels: 2, Attributes: []cdftest.Attribute{attr("DEPEND_0", "Epoch"), attr("LABL_PTR_1", "l"), attr("FILLVAL", float32(-1e31))}},
						{Name: "r", R: true, Type: cdf.Int2, Values: make([]int, 60), Compression: cdf.RLE, Pad: 3},
						{Name: "s", Type: cdf.Int4, Sparse: cdf.SparsePrevious, Records: []int{2, 3, 9}, Values: []int{1, 2, 3}},
						{Name: "l", Type: cdf.Char, Dims: []int{2}, NoRecordVariance: true, Values: []string{"x", "yy"}},
					},
				}))
			}
		}
	}
	return list
}

// FuzzRead opens whatever it is given and reads all of it: an error or a result
// of the right length, never a panic, a hang or memory without bound.
func FuzzRead(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b)
	}
	for _, name := range realFiles {
		if b, err := os.ReadFile(testdata.Dir() + "/" + name); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := cdf.New(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if !errors.Is(err, cdf.ErrNotCDF) && !errors.Is(err, cdf.ErrDamaged) && !errors.Is(err, cdf.ErrUnsupported) {
				t.Fatalf("the error is of no kind: %v", err)
			}
			return
		}
		readSome(t, file)
		_ = file.Verify()
	})
}
