package series

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/flate"
)

// WriteNPZ writes the series as numpy's .npz, which np.load reads without
// pickle: the arrays
//
//	time     datetime64[ns], shape (N,): UTC; a leap second as [tt.Time.UTC] holds it
//	tt2000   int64, shape (N,): nanoseconds since J2000, the exact axis
//	values   float64, shape (N,) for a scalar, (N,3) for a vector, (N, dims...) in general
//	columns  unicode, shape (C,): the labels
//
// and for each dimension of a record that has bins, counted as numpy counts
// the dimensions of values, from 1:
//
//	axis1_centers  float64, shape (n,), or (N,n) where they vary with time
//	axis1_ranges   float64, shape (n,2), or (N,n,2): lower and upper limits
//	axis1_label    unicode, shape (2,): the axis' name and its units
//
// Equal series give equal bytes.
func (s *Series) WriteNPZ(w io.Writer) error {
	n := s.Len()
	if len(s.Values) != n*s.Width() {
		return fmt.Errorf("write %s as npz: %d values do not fill %d records of %d", s.ID, len(s.Values), n, s.Width())
	}
	z := zip.NewWriter(w)
	// One compressor serves all members, which are written one after another.
	deflate, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	if err != nil {
		return fmt.Errorf("write %s as npz: %w", s.ID, err)
	}
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		deflate.Reset(w)
		return deflate, nil
	})
	err = write64(z, "time", "<M8[ns]", []int{n}, n, func(i int) uint64 { return uint64(s.Time[i].UnixNanoUTC()) })
	if err == nil {
		err = write64(z, "tt2000", "<i8", []int{n}, n, func(i int) uint64 { return uint64(s.Time[i]) })
	}
	if err == nil {
		err = write64(z, "values", "<f8", append([]int{n}, s.dims()...), len(s.Values), func(i int) uint64 { return math.Float64bits(s.Values[i]) })
	}
	if err == nil {
		err = writeStrings(z, "columns", s.Columns)
	}
	for i, a := range s.Axes {
		if err == nil {
			err = s.writeAxis(z, fmt.Sprintf("axis%d_", i+1), a)
		}
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("write %s as npz: %w", s.ID, err)
	}
	return nil
}

// writeAxis writes what there is of an axis.
func (s *Series) writeAxis(z *zip.Writer, prefix string, a Axis) error {
	if !a.Binned() {
		return nil
	}
	var records []int
	per := 1
	if a.Varying {
		records, per = []int{s.Len()}, s.Len()
	}
	each := func(name string, values []float64, pair ...int) error {
		width := per
		for _, p := range pair {
			width *= p
		}
		switch {
		case len(values) == 0:
			return nil
		case width == 0 || len(values)%width != 0:
			return fmt.Errorf("axis %q has %d numbers for %d records; correct the axis", a.Name, len(values), s.Len())
		}
		shape := append(append(slices.Clip(records), len(values)/width), pair...)
		return write64(z, prefix+name, "<f8", shape, len(values), func(i int) uint64 { return math.Float64bits(values[i]) })
	}
	if err := each("centers", a.Centers); err != nil {
		return err
	}
	if err := each("ranges", a.Ranges, 2); err != nil {
		return err
	}
	return writeStrings(z, prefix+"label", []string{a.Name, a.Units})
}

// write64 writes an array of n cells of 8 bytes.
func write64(z *zip.Writer, name, descr string, shape []int, n int, cell func(int) uint64) error {
	return writeArray(z, name, descr, shape, func(b *bufio.Writer) error {
		var bytes [8]byte
		for i := range n {
			binary.LittleEndian.PutUint64(bytes[:], cell(i))
			if _, err := b.Write(bytes[:]); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeStrings writes labels as UTF-32 of one length, numpy's <U.
func writeStrings(z *zip.Writer, name string, labels []string) error {
	longest := 1
	for _, l := range labels {
		longest = max(longest, utf8.RuneCountInString(l))
	}
	return writeArray(z, name, fmt.Sprintf("<U%d", longest), []int{len(labels)}, func(b *bufio.Writer) error {
		cell := make([]byte, 4*longest)
		for _, l := range labels {
			clear(cell)
			i := 0
			for _, r := range l {
				binary.LittleEndian.PutUint32(cell[i:], uint32(r))
				i += 4
			}
			if _, err := b.Write(cell); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeArray writes one member of the archive: an .npy header of version 1.0
// and what write puts after it.
//
// The header is written here and not by npyio, which has no datetime64, no
// array without rows such as (0,3), no record of more than one dimension, and
// does not read back the labels it writes; for the one array left it would be
// a second way of doing the same. The tests read that one back with it.
func writeArray(z *zip.Writer, name, descr string, shape []int, write func(*bufio.Writer) error) error {
	w, err := z.Create(name + ".npy")
	if err != nil {
		return err
	}
	var dims strings.Builder
	for i, d := range shape {
		if i > 0 {
			dims.WriteByte(' ')
		}
		fmt.Fprintf(&dims, "%d,", d)
	}
	text := dims.String()
	if len(shape) > 1 {
		text = strings.TrimSuffix(text, ",")
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, text)
	// Magic, version and length take 10 bytes; the data begin at a multiple of 64.
	pad := 64 - (10+len(header)+1)%64
	header += strings.Repeat(" ", pad%64) + "\n"
	b := bufio.NewWriterSize(w, 1<<16)
	prefix := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	if _, err := b.Write(append(prefix, header...)); err != nil {
		return err
	}
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}
