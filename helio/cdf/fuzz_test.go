package cdf_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
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
//
// The input is one of the seed files, changed in some places: three bytes of
// change say where, with the highest bit set that the file ends there, and which
// value the byte gets. So inputs stay short, which the fuzzer needs to be quick.
// Beyond the last seed, change is the file itself.
func FuzzRead(f *testing.F) {
	files := seeds(f)
	for i := range files {
		f.Add(uint8(i), []byte{})
		f.Add(uint8(i), []byte{0, 60, 255})
	}
	f.Add(uint8(len(files)), build(f, cdftest.File{Version: "2.6.0"}))
	f.Fuzz(func(t *testing.T, seed uint8, change []byte) {
		b := change
		if int(seed) < len(files) {
			b = changed(files[seed], change)
		}
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

func changed(file, change []byte) []byte {
	b := bytes.Clone(file)
	for ; len(change) >= 3 && len(b) > 0; change = change[3:] {
		at := (int(change[0]&0x7f)<<8 | int(change[1])) % len(b)
		if change[0]&0x80 != 0 {
			b = b[:at]
		} else {
			b[at] = change[2]
		}
	}
	return b
}
