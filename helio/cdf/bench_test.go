package cdf_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/internal/testdata"
)

const aceFile = "data/ac_h0_mfi_20230102_v07.cdf"

// list does what a listing needs: names, shapes, units, labels, axes.
func list(f *cdf.File) int {
	n := 0
	for _, v := range f.Variables() {
		n += len(v.Name) + v.Records + len(v.Attributes()) + len(v.AttributeString("UNITS")) + len(v.DependName(0)) + len(v.FillValue())
	}
	for _, a := range f.Global() {
		n += len(a.Entries)
	}
	return n
}

// BenchmarkOpenAndList opens the ACE file from disk, lists it and closes it.
func BenchmarkOpenAndList(b *testing.B) {
	path := testdata.File(b, aceFile)
	b.ReportAllocs()
	for b.Loop() {
		f, err := cdf.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if list(f) == 0 {
			b.Fatal("nothing listed")
		}
		f.Close()
	}
}

// readAll reads every variable in its natural form and returns the bytes that
// its values take in the file, expanded.
func readAll(tb testing.TB, f *cdf.File) (n int64) {
	for _, v := range f.Variables() {
		var err error
		switch {
		case v.Type.IsTime():
			_, err = v.Times()
		case v.Type.IsText():
			_, err = v.Strings()
		default:
			_, err = v.Float64s()
		}
		if err != nil {
			tb.Fatal(err)
		}
		n += int64(v.Records * v.PerRecord() * v.NumElems * v.Type.Size())
	}
	return n
}

// BenchmarkReadAll reads all variables of the open ACE file as numbers, times
// and texts.
func BenchmarkReadAll(b *testing.B) {
	f, err := cdf.Open(testdata.File(b, aceFile))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	b.ReportAllocs()
	b.SetBytes(readAll(b, f))
	for b.Loop() {
		readAll(b, f)
	}
}

// BenchmarkInflateOnly expands the same compressed blocks with the same library
// into one buffer that is used again, and copies what is not compressed: the
// least that reading could do.
func BenchmarkInflateOnly(b *testing.B) {
	whole, err := os.ReadFile(testdata.File(b, aceFile))
	if err != nil {
		b.Fatal(err)
	}
	blocks, plain := compressedBlocks(whole)
	var z gzip.Reader
	buf := make([]byte, 1<<20)
	b.ReportAllocs()
	total := int64(0)
	inflate := func() {
		total = int64(len(plain))
		copy(buf, plain)
		for _, block := range blocks {
			if err := z.Reset(bytes.NewReader(block)); err != nil {
				b.Fatal(err)
			}
			n, err := io.ReadFull(&z, buf)
			if err != io.ErrUnexpectedEOF {
				b.Fatal(n, err)
			}
			total += int64(n)
		}
	}
	inflate()
	b.SetBytes(total)
	for b.Loop() {
		inflate()
	}
}

// compressedBlocks finds the compressed and the plain blocks of a version 3 file
// by going from record to record.
func compressedBlocks(file []byte) (blocks [][]byte, plain []byte) {
	for at := 8; at < len(file); {
		size := int(binary.BigEndian.Uint64(file[at:]))
		switch binary.BigEndian.Uint32(file[at+8:]) {
		case 7:
			plain = append(plain, file[at+12:at+size]...)
		case 13:
			n := int(binary.BigEndian.Uint64(file[at+16:]))
			blocks = append(blocks, file[at+24:at+24+n])
		}
		at += size
	}
	return blocks, plain
}

// bigFile writes an uncompressed file of 100 MB: a time axis, a vector in
// float32 and one in float64.
func bigFile(tb testing.TB, encoding cdf.Encoding) string {
	const records = 100_000_000 / (8 + 3*4 + 3*8)
	small, large := make([]float32, 3*records), make([]float64, 3*records)
	epoch := make([]float64, records)
	for i := range small {
		small[i], large[i] = float32(i), float64(i)/3
		epoch[i/3] = 63840000000000 + float64(i/3)
	}
	b := build(tb, cdftest.File{Encoding: encoding, Variables: []cdftest.Variable{
		{Name: "Epoch", Type: cdf.Epoch, Values: epoch},
		{Name: "small", Type: cdf.Real4, Dims: []int{3}, Values: small},
		{Name: "large", Type: cdf.Real8, Dims: []int{3}, Values: large},
	}})
	path := filepath.Join(tb.TempDir(), "big.cdf")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// BenchmarkLarge compares reading all numbers of an uncompressed file of 100 MB,
// opened anew each time, with two ways to copy the file: into memory
// (os.ReadFile) and into another file (io.Copy). The file is in the page cache.
func BenchmarkLarge(b *testing.B) {
	big, little := bigFile(b, cdf.Network), bigFile(b, cdf.IBMPC)
	info, err := os.Stat(big)
	if err != nil {
		b.Fatal(err)
	}
	read := func(path string) func(*testing.B) {
		return func(b *testing.B) {
			b.SetBytes(info.Size())
			for b.Loop() {
				f, err := cdf.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				for _, v := range f.Variables() {
					if _, err := v.Float64s(); err != nil {
						b.Fatal(err)
					}
				}
				f.Close()
			}
		}
	}
	b.Run("ReadBigEndian", read(big))
	b.Run("ReadLittleEndian", read(little))
	b.Run("CopyToMemory", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			if _, err := os.ReadFile(big); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("CopyToFile", func(b *testing.B) {
		b.SetBytes(info.Size())
		to := filepath.Join(b.TempDir(), "copy")
		for b.Loop() {
			if err := copyFile(to, big); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}
