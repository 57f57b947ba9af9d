package cdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
)

func TestWhatIsNoCDFIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct{ content, want string }{
		{"", "it has only 0 bytes"},
		{"CDF", "it has only 3 bytes"},
		{"CDF\x01and more", "it is a netCDF file"},
		{"\x89HDF\r\n\x1a\nxxxx", "it is an HDF5 or netCDF-4 file"},
		{"\x1f\x8b\x08\x00\x00\x00\x00\x00", "it is a gzip file; decompress it first"},
		{"PK\x03\x04xxxxxxx", "it is a zip file; unpack it first"},
		{"SIMPLE  =                    T", "it is a FITS file"},
		{"<!DOCTYPE html><html>", "it is a web page or an XML file"},
		{"Time,B\n2023-01-01,5\n", `it begins with "Time"`},
		{"\xcd\xf3\x00\x01\x00\x00\x00\x00", "its second word is 00000000"},
	} {
		path := filepath.Join(dir, "file.cdf")
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := cdf.Open(path)
		if want := fmt.Sprintf("open CDF %q: not a CDF: %s", path, c.want); !errors.Is(err, cdf.ErrNotCDF) || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if _, err := cdf.Open(dir); !errors.Is(err, cdf.ErrNotCDF) {
		t.Errorf("a directory: %v, want ErrNotCDF", err)
	}
	if _, err := cdf.Open(filepath.Join(dir, "absent.cdf")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent file: %v, want fs.ErrNotExist", err)
	}
	if _, err := cdf.New(strings.NewReader(""), -5); !errors.Is(err, cdf.ErrNotCDF) {
		t.Errorf("a negative size: %v, want ErrNotCDF", err)
	}
}

func TestWhatIsNotSupportedIsSaid(t *testing.T) {
	t.Parallel()
	for _, e := range []cdf.Encoding{cdf.VAX, cdf.AlphaVMSd, cdf.AlphaVMSg, cdf.IA64VMSd, cdf.IA64VMSg, 99} {
		b := build(t, cdftest.File{Encoding: e})
		_, err := cdf.New(bytes.NewReader(b), int64(len(b)))
		if !errors.Is(err, cdf.ErrUnsupported) || !strings.Contains(err.Error(), e.String()) {
			t.Errorf("%s: %v, want ErrUnsupported that names it", e, err)
		}
	}
	b := build(t, cdftest.File{})
	b[8+32+3] &^= 2 // the flag of a single file
	if _, err := cdf.New(bytes.NewReader(b), int64(len(b))); !errors.Is(err, cdf.ErrUnsupported) || !strings.Contains(err.Error(), "separate files") {
		t.Errorf("several files: %v, want ErrUnsupported", err)
	}
	b = build(t, cdftest.File{})
	b[8+20+3] = 4
	if _, err := cdf.New(bytes.NewReader(b), int64(len(b))); !errors.Is(err, cdf.ErrUnsupported) || !strings.Contains(err.Error(), "version 4") {
		t.Errorf("version 4: %v, want ErrUnsupported", err)
	}
	b[8+20+3] = 2
	if _, err := cdf.New(bytes.NewReader(b), int64(len(b))); !errors.Is(err, cdf.ErrDamaged) {
		t.Errorf("version 2 in the layout of 3: %v, want ErrDamaged", err)
	}
}

func TestAnEmptyFileIsACDF(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		f := openBytes(t, build(t, cdftest.File{Version: version}))
		if len(f.Variables()) != 0 || len(f.Global()) != 0 {
			t.Errorf("version %s: %d variables, %d attributes", version, len(f.Variables()), len(f.Global()))
		}
		if _, ok := f.Variable("x"); ok {
			t.Error("there is no variable x")
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOfTwoVariablesOfOneNameTheFirstIsFound(t *testing.T) {
	t.Parallel()
	f := openBytes(t, build(t, cdftest.File{Variables: []cdftest.Variable{
		{Name: "v", Type: cdf.Int4}, {Name: "w", Type: cdf.Real4}, {Name: "v", Type: cdf.Real8},
	}}))
	if v := variable(t, f, "v"); v != f.Variables()[0] || len(f.Variables()) != 3 {
		t.Errorf("number %d of %d variables", v.Num, len(f.Variables()))
	}
}

func TestANewerLeapSecondTableIsAWarning(t *testing.T) {
	t.Parallel()
	for table, want := range map[int]int{0: 0, 20120701: 0, 20170101: 0, 20280101: 1} {
		f := openBytes(t, build(t, cdftest.File{LeapTable: table}))
		if got := f.Warnings(); len(got) != want || f.Info().LeapTable != table {
			t.Errorf("table of %d: %v", table, got)
		}
	}
}

// counting counts what is read through it.
type counting struct {
	*bytes.Reader
	bytes, calls atomic.Int64
}

func (c *counting) ReadAt(b []byte, at int64) (int, error) {
	c.bytes.Add(int64(len(b)))
	c.calls.Add(1)
	return c.Reader.ReadAt(b, at)
}

func TestOpeningAndListingReadNoValues(t *testing.T) {
	t.Parallel()
	describe := []cdftest.Attribute{attr("UNITS", "nT"), attr("FILLVAL", -1e31), attr("DEPEND_0", "v0"), attr("CATDESC", "a variable")}
	f := cdftest.File{Globals: describe}
	for i := range 20 {
		f.Variables = append(f.Variables, cdftest.Variable{
			Name: fmt.Sprint("v", i), Type: cdf.Real8, Values: make([]float64, 100_000), BlockRecords: 10_000, Attributes: describe,
		})
	}
	b := build(t, f)
	r := &counting{Reader: bytes.NewReader(b)}
	file, err := cdf.New(r, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	list(file)
	if got := r.bytes.Load(); got > int64(len(b))/20 {
		t.Errorf("opening and listing read %d of %d bytes in %d calls", got, len(b), r.calls.Load())
	}
	r.bytes.Store(0)
	if _, err := variable(t, file, "v7").Range(55_000, 10).Float64s(); err != nil {
		t.Fatal(err)
	}
	if got := r.bytes.Load(); got > 500_000 {
		t.Errorf("reading 10 records read %d bytes", got)
	}
}

func TestChecksum(t *testing.T) {
	t.Parallel()
	for _, whole := range []cdf.Compression{cdf.None, cdf.GZIP} {
		f := sample()
		f.Checksum, f.Compression = true, whole
		b := build(t, f)
		path := filepath.Join(t.TempDir(), "sum.cdf")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := cdf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Verify(); err != nil || !file.Info().Checksum {
			t.Errorf("%s: a sound file: %v", whole, err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		if err := file.Verify(); err == nil {
			t.Errorf("%s: a closed file verifies", whole)
		}
		b[100] ^= 1 // in the copyright notice, where nothing else would notice
		if whole != cdf.None {
			b[100] ^= 1
			b[len(b)-1] ^= 1
		}
		file = openBytes(t, b)
		if err := file.Verify(); !errors.Is(err, cdf.ErrDamaged) {
			t.Errorf("%s: a changed file: %v, want ErrDamaged", whole, err)
		}
	}
}

func TestOneFileServesManyAtOnce(t *testing.T) {
	t.Parallel()
	for _, b := range samples(t) {
		f := openBytes(t, b)
		want, err := readEverything(openBytes(t, b))
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				got, err := readEverything(f)
				if err != nil {
					t.Error(err)
				}
				for name, w := range want {
					if !bytes.Equal(got[name], w) {
						t.Errorf("%q differs when read at the same time", name)
					}
				}
				list(f)
			})
		}
		wg.Wait()
	}
}

// TestLargeVariablesAreReadInParts goes past the size from which on several
// goroutines share the work.
func TestLargeVariablesAreReadInParts(t *testing.T) {
	t.Parallel()
	const records = 300_000
	values := make([]float64, 4*records)
	for i := range values {
		values[i] = float64(i % 9973)
	}
	for _, c := range []cdf.Compression{cdf.None, cdf.GZIP} {
		for _, block := range []int{0, 40_001} {
			f := openBytes(t, build(t, cdftest.File{ColumnMajor: true, Variables: []cdftest.Variable{
				{Name: "v", Type: cdf.Real8, Dims: []int{2, 2}, Compression: c, BlockRecords: block, Values: values},
			}}))
			v := variable(t, f, "v")
			got, err := v.Float64s()
			if err != nil || !same(got, values) {
				t.Errorf("%s, %d records in a block: differs, %v", c, block, err)
			}
			got, err = v.Range(1000, records-2000).Float64s()
			if err != nil || !same(got, values[4000:4*(records-1000)]) {
				t.Errorf("%s, %d records in a block: a part differs, %v", c, block, err)
			}
		}
	}
}
