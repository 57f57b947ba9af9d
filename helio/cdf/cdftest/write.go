package cdftest

import (
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/helios-go/helios/helio/cdf"
)

// The types of the records; package cdf says what they are.
const (
	recordCDR = iota + 1
	recordGDR
	recordRVDR
	recordADR
	recordAGR
	recordVXR
	recordVVR
	recordZVDR
	recordAZ
	recordCCR
	recordCPR
	_
	recordCVVR
)

// A writer appends records; where a record needs the place of a later one, it
// leaves a hole that is filled in afterwards.
type writer struct {
	f                           File
	version, release, increment int
	wide                        bool // 8-byte offsets
	order                       binary.AppendByteOrder
	b                           []byte
}

func newWriter(f File) (*writer, error) {
	w := &writer{f: f, version: 3, release: 9}
	if f.Version != "" {
		if _, err := fmt.Sscanf(f.Version, "%d.%d.%d", &w.version, &w.release, &w.increment); err != nil {
			return nil, fmt.Errorf("write CDF: version %q is not like 3.9.0", f.Version)
		}
	}
	if w.f.Encoding == 0 {
		w.f.Encoding = cdf.IBMPC
	}
	for _, v := range f.Variables {
		if v.Values != nil && reflect.TypeOf(v.Values).Kind() != reflect.Slice {
			return nil, fmt.Errorf("write CDF: variable %q: values: %T is no slice", v.Name, v.Values)
		}
	}
	w.wide = w.version >= 3
	switch w.f.Encoding {
	case cdf.DECStation, cdf.IBMPC, cdf.AlphaOSF1, cdf.AlphaVMSi, cdf.ARMLittle, cdf.IA64VMSi:
		w.order = binary.LittleEndian
	default:
		w.order = binary.BigEndian
	}
	return w, nil
}

// file writes everything.
func (w *writer) file() ([]byte, error) {
	w.magic(0x0000FFFF)
	gdr := w.cdr()
	if err := w.everything(gdr); err != nil {
		return nil, fmt.Errorf("write CDF: %w", err)
	}
	if w.f.Compression != cdf.None {
		if err := w.compressWhole(); err != nil {
			return nil, fmt.Errorf("write CDF: %w", err)
		}
	}
	if w.f.Checksum {
		sum := md5.Sum(w.b)
		w.b = append(w.b, sum[:]...)
	}
	return w.b, nil
}

func (w *writer) magic(second uint32) {
	first := uint32(0xCDF30001)
	switch {
	case w.version < 2 || w.version == 2 && w.release < 6:
		first = 0x0000FFFF
	case w.version == 2:
		first = 0xCDF26002
	}
	w.b = binary.BigEndian.AppendUint32(w.b, first)
	w.b = binary.BigEndian.AppendUint32(w.b, second)
}

// begin starts a record; end, given what begin returned, fills in its size.
func (w *writer) begin(kind int) (start int) {
	start = len(w.b)
	w.offset(0)
	w.ints(kind)
	return start
}

func (w *writer) end(start int) { w.patch(start, len(w.b)-start) }

func (w *writer) ints(list ...int) {
	for _, n := range list {
		w.b = binary.BigEndian.AppendUint32(w.b, uint32(n))
	}
}

// offset writes an offset and returns where it is, for patch.
func (w *writer) offset(n int) (hole int) {
	hole = len(w.b)
	if w.wide {
		w.b = binary.BigEndian.AppendUint64(w.b, uint64(n))
	} else {
		w.ints(n)
	}
	return hole
}

func (w *writer) patch(hole, n int) {
	if w.wide {
		binary.BigEndian.PutUint64(w.b[hole:], uint64(n))
	} else {
		binary.BigEndian.PutUint32(w.b[hole:], uint32(n))
	}
}

func (w *writer) name(s string) error {
	width := 64
	if w.wide {
		width = 256
	}
	if len(s) > width {
		return fmt.Errorf("the name %q is longer than %d bytes", s, width)
	}
	w.padded(s, width)
	return nil
}

func (w *writer) padded(s string, width int) {
	w.b = append(w.b, s...)
	w.b = append(w.b, make([]byte, width-len(s))...)
}

// old reports the layout before version 2.5.
func (w *writer) old() bool { return w.version < 2 || w.version == 2 && w.release < 5 }

func (w *writer) cdr() (gdr int) {
	start := w.begin(recordCDR)
	gdr = w.offset(0)
	flags := 2 // a single file
	if !w.f.ColumnMajor {
		flags |= 1
	}
	if w.f.Checksum {
		flags |= 4 | 8
	}
	w.ints(w.version, w.release, int(w.f.Encoding), flags, 0, 0, w.increment, -1, -1)
	copyright := 256
	if w.old() {
		copyright = 1945
	}
	w.padded("Written by a test.", copyright)
	w.end(start)
	return gdr
}

// everything writes the global description and all that it leads to.
func (w *writer) everything(gdr int) error {
	w.patch(gdr, len(w.b))
	start := w.begin(recordGDR)
	rHead, zHead, aHead, eof := w.offset(0), w.offset(0), w.offset(0), w.offset(0)
	var r, z []Variable
	rLast := -1
	for _, v := range w.f.Variables {
		if v.R {
			r = append(r, v)
			rLast = max(rLast, recordCount(v, w.f.Dims)-1)
		} else {
			z = append(z, v)
		}
	}
	names := w.attributeNames(r, z)
	w.ints(len(r), len(w.f.Globals)+len(names), rLast, len(w.f.Dims), len(z))
	w.offset(0)
	w.ints(0, w.f.LeapTable, -1)
	w.ints(w.f.Dims...)
	w.end(start)
	if err := w.variables(rHead, recordRVDR, r); err != nil {
		return err
	}
	if err := w.variables(zHead, recordZVDR, z); err != nil {
		return err
	}
	if err := w.attributes(aHead, names, r, z); err != nil {
		return err
	}
	w.patch(eof, len(w.b))
	return nil
}

func (w *writer) compressWhole() error {
	plain := w.b[8:]
	packed, err := compress(w.f.Compression, plain)
	if err != nil {
		return err
	}
	w.b = nil
	w.magic(0xCCCC0001)
	start := w.begin(recordCCR)
	hole := w.offset(0)
	w.offset(len(plain))
	w.ints(0)
	w.b = append(w.b, packed...)
	w.end(start)
	w.patch(hole, len(w.b))
	w.cpr(w.f.Compression)
	return nil
}

func (w *writer) cpr(c cdf.Compression) {
	start := w.begin(recordCPR)
	parameter := 0
	if c == cdf.GZIP {
		parameter = gzipLevel
	}
	w.ints(int(c), 0, 1, parameter)
	w.end(start)
}
