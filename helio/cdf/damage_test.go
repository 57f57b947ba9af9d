package cdf_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/internal/testdata"
)

// sample is a file with a bit of everything, of some tens of kilobytes.
func sample() cdftest.File {
	const n = 1500
	floats, ints, noise := make([]float64, 3*n), make([]int64, n), make([]float64, n)
	seed := uint64(1)
	for i := range floats {
		floats[i] = math.Sin(float64(i) / 50)
	}
	for i := range ints {
		seed = seed*6364136223846793005 + 1442695040888963407
		ints[i], noise[i] = int64(i), float64(seed>>40)
	}
	return cdftest.File{
		Globals: []cdftest.Attribute{{Name: "TEXT", Values: []any{strings.Repeat("A long description. ", 100), "more"}}},
		Variables: []cdftest.Variable{
			{Name: "Epoch", Type: cdf.TT2000, Values: ints, BlockRecords: 400, IndexEntries: 2, Attributes: []cdftest.Attribute{attr("UNITS", "ns")}},
			{Name: "B", Type: cdf.Real4, Dims: []int{3}, Compression: cdf.GZIP, BlockRecords: 500, Values: floats, Attributes: []cdftest.Attribute{attr("DEPEND_0", "Epoch"), attr("FILLVAL", float32(-1e31))}},
			{Name: "noise", Type: cdf.Real8, Values: noise, IndexEntries: 1, IndexLevels: 2, BlockRecords: 700},
			{Name: "flag", Type: cdf.Uint1, Compression: cdf.RLE, Values: make([]int64, n)},
			{Name: "sparse", Type: cdf.Int4, Sparse: cdf.SparsePrevious, Records: []int{3, 4, 900}, Values: []int{1, 2, 3}},
			{Name: "label", Type: cdf.Char, Dims: []int{3}, NoRecordVariance: true, Values: []string{"Bx", "By", "Bz"}},
		},
	}
}

// samples are files of the layouts that store values in different ways.
func samples(tb testing.TB) map[string][]byte {
	files := make(map[string][]byte)
	for _, c := range []struct {
		version  string
		encoding cdf.Encoding
		whole    cdf.Compression
		checksum bool
	}{
		{"3.9.0", cdf.IBMPC, cdf.None, false},
		{"3.9.0", cdf.Network, cdf.None, true},
		{"3.9.0", cdf.IBMPC, cdf.GZIP, false},
		{"3.9.0", cdf.IBMPC, cdf.GZIP, true},
		{"3.9.0", cdf.IBMPC, cdf.RLE, false},
		{"2.7.2", cdf.Network, cdf.None, false},
		{"2.4.6", cdf.Sun, cdf.None, false},
	} {
		f := sample()
		f.Version, f.Encoding, f.Compression, f.Checksum = c.version, c.encoding, c.whole, c.checksum
		files[fmt.Sprintf("%s %s checksum=%v", c.version, c.whole, c.checksum)] = build(tb, f)
	}
	return files
}

// readEverything reads all that a file offers and returns the values' bytes, or
// the first error.
func readEverything(f *cdf.File) (map[string][]byte, error) {
	all := make(map[string][]byte)
	for _, v := range f.Variables() {
		b, err := v.Bytes()
		if err != nil {
			return nil, err
		}
		if want := v.Records * v.PerRecord() * v.NumElems * v.Type.Size(); len(b) != want {
			return nil, fmt.Errorf("short data: %d bytes of %d", len(b), want)
		}
		all[v.Name] = b
	}
	return all, nil
}

func TestAFileCutAnywhereIsRefused(t *testing.T) {
	t.Parallel()
	for name, b := range samples(t) {
		for _, n := range []int{0, 1, 7, 8, 9, 20, 300, len(b) - 17, len(b) - 16, len(b) - 1} {
			refuseCut(t, name, b, n)
		}
		for n := 1 << 10; n < len(b); n += 1 << 10 {
			refuseCut(t, name, b, n)
		}
	}
}

func TestARealFileCutAtEachKiBIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range realFiles {
		b, err := os.ReadFile(testdata.File(t, name))
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(b); n += 1 << 10 {
			refuseCut(t, name, b, n)
		}
	}
}

func refuseCut(t *testing.T, name string, b []byte, n int) {
	t.Helper()
	_, err := cdf.New(bytes.NewReader(b[:n]), int64(n))
	if n < 8 && errors.Is(err, cdf.ErrNotCDF) || errors.Is(err, cdf.ErrDamaged) {
		return
	}
	t.Errorf("%s, cut at %d of %d: %v, want ErrDamaged", name, n, len(b), err)
}

// TestAFileThatShrinksIsNeverShortData cuts what can be read, but not the size
// that was announced: as when a file is replaced while it is open.
func TestAFileThatShrinksIsNeverShortData(t *testing.T) {
	t.Parallel()
	for name, b := range samples(t) {
		want, err := readEverything(openBytes(t, b))
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(b); n += 1 << 10 {
			f, err := cdf.New(bytes.NewReader(b[:n]), int64(len(b)))
			if err != nil {
				continue
			}
			for _, v := range f.Variables() {
				got, err := v.Bytes()
				if err == nil && !bytes.Equal(got, want[v.Name]) {
					t.Errorf("%s, cut at %d: %q has %d bytes and no error, want %d", name, n, v.Name, len(got), len(want[v.Name]))
				}
				if err != nil && !errors.Is(err, cdf.ErrDamaged) {
					t.Errorf("%s, cut at %d: %q: %v, want ErrDamaged", name, n, v.Name, err)
				}
			}
		}
	}
}

// TestAnyByteMayBeWrong changes each byte of a small file in turn: what comes is
// an error or some result, but never a panic and never a short result.
func TestAnyByteMayBeWrong(t *testing.T) {
	t.Parallel()
	small := cdftest.File{
		Globals: []cdftest.Attribute{attr("TITLE", "x")},
		Variables: []cdftest.Variable{
			{Name: "a", Type: cdf.Int4, Dims: []int{2}, Values: []int{1, 2, 3, 4}, BlockRecords: 1, IndexLevels: 2, Attributes: []cdftest.Attribute{attr("UNITS", "s")}},
			{Name: "b", Type: cdf.Int4, Compression: cdf.GZIP, Values: make([]int, 40)},
		},
	}
	for _, version := range []string{"2.4.6", "3.9.0"} {
		small.Version = version
		b := build(t, small)
		for i := range b {
			for _, x := range []byte{0x00, 0x01, 0x7f, 0x80, 0xff} {
				was := b[i]
				b[i] = x
				if f, err := cdf.New(bytes.NewReader(b), int64(len(b))); err == nil {
					readSome(t, f)
				}
				b[i] = was
			}
		}
	}
}

// readSome reads what a file offers, of each variable at most some 100,000 values.
func readSome(t testing.TB, f *cdf.File) {
	f.Warnings()
	for _, a := range f.Global() {
		f.GlobalString(a.Name)
	}
	for _, v := range f.Variables() {
		n := min(v.Records, max(1, 100_000/v.PerRecord()))
		for _, first := range []int{0, v.Records - n} {
			r := v.Range(first, n)
			want := n * v.PerRecord()
			check(t, v, want, r.Float64s)
			check(t, v, want, r.Int64s)
			check(t, v, want, r.Times)
			check(t, v, want, r.Strings)
			check(t, v, want*v.NumElems*v.Type.Size(), r.Bytes)
		}
		for _, a := range v.Attributes() {
			v.AttributeString(a.Name)
		}
		_, _ = v.Labels()
		_, _ = v.Units()
		_, _ = v.TimeAxis()
		v.FillValue()
	}
}

func check[T any](t testing.TB, v *cdf.Variable, want int, read func() ([]T, error)) {
	if got, err := read(); err == nil && len(got) != want {
		t.Fatalf("%q gives %d values and no error, want %d", v.Name, len(got), want)
	}
}

// A place is a field of a version 3 record that a test overwrites.
type place struct {
	kind, at, size int
}

var (
	recordSize = func(kind int) place { return place{kind, 0, 8} }
	gdrEOF     = place{2, 36, 8}
	gdrZVars   = place{2, 60, 4}
	gdrAttrs   = place{2, 48, 4}
	vdrNext    = place{8, 12, 8}
	vdrType    = place{8, 20, 4}
	vdrLast    = place{8, 24, 4}
	vdrIndex   = place{8, 28, 8}
	vdrSparse  = place{8, 48, 4}
	vdrElems   = place{8, 64, 4}
	vdrNum     = place{8, 68, 4}
	vdrCPR     = place{8, 72, 8}
	vdrNumDims = place{8, 340, 4}
	vdrDim0    = place{8, 344, 4}
	adrNext    = place{4, 12, 8}
	adrEntries = place{4, 36, 4}
	aedrNext   = place{5, 12, 8}
	aedrType   = place{5, 24, 4}
	aedrElems  = place{5, 32, 4}
	vxrNext    = place{6, 12, 8}
	vxrCount   = place{6, 20, 4}
	vxrUsed    = place{6, 24, 4}
	vxrFirst   = place{6, 28, 4}
	vxrLast    = place{6, 32, 4} // of an index record with one entry
	vxrOffset  = place{6, 36, 8}
	cvvrSize   = place{13, 16, 8}
	cprKind    = place{11, 12, 4}
	ccrSize    = place{10, 0, 8}
	ccrPlain   = place{10, 20, 8}
	ccrCPR     = place{10, 12, 8}
)

// find returns where the nth record of a kind is in a version 3 file.
func find(t testing.TB, b []byte, kind, n int) int {
	t.Helper()
	for at := 8; at < len(b)-12; at += int(binary.BigEndian.Uint64(b[at:])) {
		if int(binary.BigEndian.Uint32(b[at+8:])) != kind {
			continue
		}
		if n == 0 {
			return at
		}
		n--
	}
	t.Fatalf("no record of type %d", kind)
	return 0
}

// put overwrites a field of the first record of its kind; a value of "self" is
// where that record is.
func put(t testing.TB, b []byte, p place, value int64) {
	at := find(t, b, p.kind, 0)
	if value == self {
		value = int64(at)
	}
	if p.size == 4 {
		binary.BigEndian.PutUint32(b[at+p.at:], uint32(value))
	} else {
		binary.BigEndian.PutUint64(b[at+p.at:], uint64(value))
	}
}

const self = math.MinInt64

func TestHostileFields(t *testing.T) {
	t.Parallel()
	file := cdftest.File{
		Globals: []cdftest.Attribute{{Name: "A", Values: []any{"one", "two"}}, attr("B", "x")},
		Variables: []cdftest.Variable{
			{Name: "v", Type: cdf.Int4, Dims: []int{4}, Compression: cdf.GZIP, Values: make([]int, 400)},
			{Name: "w", Type: cdf.Int4, Values: make([]int, 10)},
		},
	}
	const max32, max64 = math.MaxInt32, math.MaxInt64
	for _, c := range []struct {
		place place
		value int64
	}{
		{recordSize(1), 0}, {recordSize(1), -1}, {recordSize(1), 20}, {recordSize(1), max64},
		{recordSize(2), 0}, {recordSize(2), -5}, {recordSize(2), 30}, {recordSize(2), max64},
		{recordSize(8), 0}, {recordSize(8), -8}, {recordSize(8), 100}, {recordSize(8), 343}, {recordSize(8), max64},
		{recordSize(6), 0}, {recordSize(6), 27}, {recordSize(6), 43}, {recordSize(6), max64},
		{recordSize(13), 0}, {recordSize(13), 13}, {recordSize(13), max64},
		{recordSize(5), 0}, {recordSize(5), 40}, {recordSize(5), max64},
		{recordSize(4), 0}, {recordSize(4), 60}, {recordSize(4), max64},
		{recordSize(11), 0}, {recordSize(11), 15}, {recordSize(11), max64},
		{gdrEOF, max64}, {gdrZVars, 3}, {gdrZVars, -1}, {gdrZVars, max32}, {gdrAttrs, 9}, {gdrAttrs, -2}, {gdrAttrs, max32},
		{vdrNext, self}, {vdrNext, 1}, {vdrNext, -1}, {vdrNext, max64}, {vdrNext, 0},
		{vdrType, 0}, {vdrType, 99}, {vdrType, -1},
		{vdrLast, -2}, {vdrLast, max32}, {vdrLast, max32 - 1}, {vdrLast, 1000},
		{vdrIndex, self}, {vdrIndex, 0}, {vdrIndex, 8}, {vdrIndex, max64}, {vdrIndex, -12},
		{vdrSparse, 7}, {vdrElems, 0}, {vdrElems, -1}, {vdrElems, 2}, {vdrElems, max32}, {vdrNum, 1}, {vdrNum, 2}, {vdrNum, -1},
		{vdrCPR, 0}, {vdrCPR, self}, {vdrCPR, max64},
		{vdrNumDims, -1}, {vdrNumDims, 11}, {vdrNumDims, 9}, {vdrNumDims, max32},
		{vdrDim0, 0}, {vdrDim0, -4}, {vdrDim0, max32}, {vdrDim0, 400},
		{adrNext, self}, {adrNext, 0}, {adrNext, max64}, {adrEntries, 3}, {adrEntries, -1}, {adrEntries, max32},
		{aedrNext, 0}, {aedrNext, -1}, {aedrType, 0}, {aedrType, 3}, {aedrElems, -1}, {aedrElems, 1000}, {aedrElems, max32},
		{vxrNext, self}, {vxrNext, 3}, {vxrNext, max64}, {vxrCount, -1}, {vxrCount, 0}, {vxrCount, max32}, {vxrUsed, 2}, {vxrUsed, 0}, {vxrUsed, -1},
		{vxrFirst, 1}, {vxrFirst, -1}, {vxrFirst, 200}, {vxrLast, 50}, {vxrLast, -7}, {vxrOffset, self}, {vxrOffset, 8}, {vxrOffset, 0}, {vxrOffset, max64},
		{cvvrSize, -1}, {cvvrSize, 5}, {cvvrSize, max64}, {cprKind, 1},
	} {
		b := build(t, file)
		put(t, b, c.place, c.value)
		f, err := cdf.New(bytes.NewReader(b), int64(len(b)))
		if err == nil {
			_, err = readEverything(f)
		}
		if !errors.Is(err, cdf.ErrDamaged) {
			t.Errorf("%+v = %d: %v, want ErrDamaged", c.place, c.value, err)
		}
	}
}

// TestRecordsCutShort gives each kind of record every size from nothing to what
// it has, with all that follows in place: fields are missing at every point.
func TestRecordsCutShort(t *testing.T) {
	t.Parallel()
	file := cdftest.File{
		Dims:    []int{2},
		Globals: []cdftest.Attribute{attr("A", "one")},
		Variables: []cdftest.Variable{
			{Name: "r", R: true, Type: cdf.Int4, Pad: 7, Values: []int{1, 2}, Attributes: []cdftest.Attribute{attr("B", 1.5)}},
			{Name: "z", Type: cdf.Int4, Dims: []int{2}, Pad: 7, Compression: cdf.GZIP, Values: make([]int, 40), Attributes: []cdftest.Attribute{attr("B", "x")}},
		},
	}
	b := build(t, file)
	for _, kind := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13} {
		at := find(t, b, kind, 0)
		size := binary.BigEndian.Uint64(b[at:])
		for n := range size {
			c := bytes.Clone(b)
			binary.BigEndian.PutUint64(c[at:], n)
			f, err := cdf.New(bytes.NewReader(c), int64(len(c)))
			if err == nil {
				_, err = readEverything(f)
			}
			// The copyright notice and the parameters of a compression are not needed.
			if err == nil && (kind == 1 && n >= 48 || kind == 11 && n >= 16) {
				continue
			}
			if !errors.Is(err, cdf.ErrDamaged) {
				t.Errorf("record of type %d with %d of %d bytes: %v, want ErrDamaged", kind, n, size, err)
			}
		}
	}
}

func TestHostileWholeFileCompression(t *testing.T) {
	t.Parallel()
	for _, kind := range []cdf.Compression{cdf.GZIP, cdf.RLE} {
		for _, c := range []struct {
			place place
			value int64
		}{
			{ccrSize, 0}, {ccrSize, 31}, {ccrSize, -1}, {ccrSize, math.MaxInt64},
			{ccrPlain, -1}, {ccrPlain, 10}, {ccrPlain, 1 << 40}, {ccrPlain, math.MaxInt64},
			{ccrCPR, 0}, {ccrCPR, 8}, {ccrCPR, math.MaxInt64}, {ccrCPR, -1},
		} {
			f := sample()
			f.Compression = kind
			b := build(t, f)
			put(t, b, c.place, c.value)
			if _, err := cdf.New(bytes.NewReader(b), int64(len(b))); !errors.Is(err, cdf.ErrDamaged) {
				t.Errorf("%s: %+v = %d: %v, want ErrDamaged", kind, c.place, c.value, err)
			}
		}
	}
}

func TestABlockThatTwoVariablesClaimIsRefused(t *testing.T) {
	t.Parallel()
	file := cdftest.File{Variables: []cdftest.Variable{
		{Name: "a", Type: cdf.Int4, Values: make([]int, 1000)},
		{Name: "b", Type: cdf.Int4, Values: []int{1}},
	}}
	b := build(t, file)
	// Both point to the index of a, which alone fills most of the file.
	a, other := find(t, b, 8, 0), find(t, b, 8, 1)
	copy(b[other+24:other+44], b[a+24:a+44])
	_, err := readEverything(openBytes(t, b))
	if !errors.Is(err, cdf.ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
}

func TestAChangedGzipBlockIsNoticed(t *testing.T) {
	t.Parallel()
	file := cdftest.File{Variables: []cdftest.Variable{{Name: "v", Type: cdf.Int4, Compression: cdf.GZIP, Values: make([]int, 1000)}}}
	b := build(t, file)
	at := find(t, b, 13, 0)
	size := int(binary.BigEndian.Uint64(b[at+16:]))
	b[at+24+size-7] ^= 1 // in the sum at the end
	v := variable(t, openBytes(t, b), "v")
	if _, err := v.Int64s(); !errors.Is(err, cdf.ErrDamaged) {
		t.Errorf("all records: %v, want ErrDamaged", err)
	}
	if _, err := v.Range(0, 10).Int64s(); err != nil {
		t.Errorf("the first records do not need the sum: %v", err)
	}
}

func TestErrorsOfTheReaderComeThrough(t *testing.T) {
	t.Parallel()
	b := build(t, sample())
	broken := errors.New("the disk is gone")
	r := &failing{Reader: bytes.NewReader(b), after: math.MaxInt32, err: broken}
	f, err := cdf.New(r, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	r.after = 0
	if _, err := variable(t, f, "noise").Float64s(); !errors.Is(err, broken) {
		t.Errorf("reading: %v, want the reader's error", err)
	}
	if err := f.Verify(); err != nil {
		t.Errorf("there is no checksum to verify: %v", err)
	}
	if _, err := cdf.New(r, int64(len(b))); !errors.Is(err, broken) {
		t.Errorf("opening: %v, want the reader's error", err)
	}
}

// failing fails once that many reads were made.
type failing struct {
	*bytes.Reader
	after int
	err   error
}

func (f *failing) ReadAt(b []byte, at int64) (int, error) {
	if f.after--; f.after < 0 {
		return 0, f.err
	}
	return f.Reader.ReadAt(b, at)
}

var _ io.ReaderAt = (*failing)(nil)
