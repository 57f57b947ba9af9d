package cdf

import (
	"bytes"
	"encoding/binary"
)

// The types of the records that a CDF consists of.
const (
	recordCDR  = 1  // file description
	recordGDR  = 2  // where everything is
	recordRVDR = 3  // an r variable
	recordADR  = 4  // an attribute
	recordAGR  = 5  // a global entry, or one for an r variable
	recordVXR  = 6  // index of a variable's blocks
	recordVVR  = 7  // a block of values
	recordZVDR = 8  // a z variable
	recordAZ   = 9  // an entry for a z variable
	recordCCR  = 10 // a whole compressed file
	recordCPR  = 11 // how something is compressed
	recordCVVR = 13 // a compressed block of values
)

// head reads the size and type of the record at offset, and counts the record
// as visited.
func (w *walker) head(offset int64) (size int64, kind int, err error) {
	b, err := w.bytes(offset, int(w.headSize()))
	if err != nil {
		return 0, 0, err
	}
	if w.wide {
		size, kind = int64(binary.BigEndian.Uint64(b)), int(int32(binary.BigEndian.Uint32(b[8:])))
	} else {
		size, kind = int64(int32(binary.BigEndian.Uint32(b))), int(int32(binary.BigEndian.Uint32(b[4:])))
	}
	if size < w.headSize() || size > w.size-offset {
		return 0, 0, damaged("the record at offset %d claims %d bytes", offset, size)
	}
	if size <= w.allowance {
		w.allowance -= size
	} else if w.left.Add(-size) < 0 {
		return 0, 0, damaged("the record at offset %d is reached twice, or records overlap", offset)
	}
	return size, kind, nil
}

// record reads the record at offset, which must be of that kind. The fields are
// valid until the next call.
func (w *walker) record(offset int64, kind int) (fields, error) {
	size, got, err := w.head(offset)
	if err != nil {
		return fields{}, err
	}
	if got != kind {
		return fields{}, damaged("the record at offset %d has type %d where %d belongs", offset, got, kind)
	}
	b, err := w.bytes(offset, int(size))
	if err != nil {
		return fields{}, err
	}
	return fields{b: b, at: int(w.headSize()), wide: w.wide, offsetInFile: offset}, nil
}

// fields takes the fields of a record one after the other. Versions 2 and 3 have
// the same fields in the same order and differ in the width of offsets and names.
// After the end of the record every field is zero, and err says so.
type fields struct {
	b            []byte
	at           int
	wide         bool
	short        bool
	offsetInFile int64
}

func (f *fields) take(n int) []byte {
	if f.short || n < 0 || n > len(f.b)-f.at {
		f.short = true
		return nil
	}
	f.at += n
	return f.b[f.at-n : f.at]
}

func (f *fields) int() int {
	if b := f.take(4); b != nil {
		return int(int32(binary.BigEndian.Uint32(b)))
	}
	return 0
}

func (f *fields) offset() int64 {
	if !f.wide {
		return int64(f.int())
	}
	if b := f.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

func (f *fields) skip(n int) { f.take(n) }

// name returns a name as it is in the file, without the zeros after it.
func (f *fields) name() []byte {
	n := 64
	if f.wide {
		n = 256
	}
	b := f.take(n)
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	return b
}

// rest returns what is left of the record.
func (f *fields) rest() []byte { return f.b[f.at:] }

// err reports a record that was too short for its fields.
func (f *fields) err() error {
	if f.short {
		return damaged("the record at offset %d is too short", f.offsetInFile)
	}
	return nil
}
