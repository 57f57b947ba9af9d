package cdf

import (
	"encoding/binary"
	"io"
	"sync/atomic"
)

// The types of the records that a CDF consists of.
const (
	recordCDR   = 1  // file description
	recordGDR   = 2  // where everything is
	recordRVDR  = 3  // an r variable
	recordADR   = 4  // an attribute
	recordAGR   = 5  // a global entry, or one for an r variable
	recordVXR   = 6  // index of a variable's blocks
	recordVVR   = 7  // a block of values
	recordZVDR  = 8  // a z variable
	recordAZ    = 9  // an entry for a z variable
	recordCCR   = 10 // a whole compressed file
	recordCPR   = 11 // how something is compressed
	recordCVVR  = 13 // a compressed block of values
	pageSize    = 16 << 10
	cachedPages = 32
)

// A source is the file, expanded where it was compressed as a whole.
type source struct {
	r    io.ReaderAt
	size int64 // records end before it
	wide bool  // offsets have 8 bytes (version 3), not 4
	old  bool  // older than 2.5, with a gap in the variable records

	// left is how many bytes of records may still be visited. Records do not
	// overlap and each has one owner, so all visits together, whenever they are
	// made, cannot exceed the size of the file: more would mean a circle, or one
	// block that many variables claim.
	left atomic.Int64
}

func newSource(r io.ReaderAt, size int64) *source {
	s := &source{r: r, size: size}
	s.left.Store(size)
	return s
}

// headSize is the length of what every record begins with: size and type.
func (s *source) headSize() int64 {
	if s.wide {
		return 12
	}
	return 8
}

// readAt fills b from offset, or fails.
func (s *source) readAt(b []byte, offset int64) error {
	if offset < 0 || offset > s.size-int64(len(b)) {
		return damaged("%d bytes at offset %d lie outside the file of %d bytes", len(b), offset, s.size)
	}
	if n, err := s.r.ReadAt(b, offset); n < len(b) {
		if err == nil || err == io.EOF {
			err = damaged("it ends at byte %d, before its %d", offset+int64(n), s.size)
		}
		return err
	}
	return nil
}

// A walker reads records for one purpose, and remembers the pages that it saw
// last.
type walker struct {
	*source
	pages map[int64][]byte
	arena []byte
	buf   []byte
}

func (s *source) walk() *walker {
	return &walker{source: s, pages: make(map[int64][]byte)}
}

// bytes returns n bytes at offset, valid until the next call.
func (w *walker) bytes(offset int64, n int) ([]byte, error) {
	if offset < 0 || offset > w.size-int64(n) {
		return nil, damaged("%d bytes at offset %d lie outside the file of %d bytes", n, offset, w.size)
	}
	page := offset / pageSize
	if in := offset % pageSize; in+int64(n) <= pageSize {
		p, err := w.page(page)
		if err != nil {
			return nil, err
		}
		return p[in : in+int64(n)], nil
	}
	if cap(w.buf) < n {
		w.buf = make([]byte, n)
	}
	w.buf = w.buf[:n]
	if n > 4*pageSize {
		return w.buf, w.readAt(w.buf, offset)
	}
	for done := 0; done < n; {
		at := offset + int64(done)
		p, err := w.page(at / pageSize)
		if err != nil {
			return nil, err
		}
		done += copy(w.buf[done:], p[at%pageSize:])
	}
	return w.buf, nil
}

func (w *walker) page(number int64) ([]byte, error) {
	if p, ok := w.pages[number]; ok {
		return p, nil
	}
	var p []byte
	if len(w.pages) >= cachedPages {
		for old, page := range w.pages {
			delete(w.pages, old)
			p = page[:cap(page)]
			break
		}
	}
	n := min(pageSize, w.size-number*pageSize)
	if int64(cap(p)) < n {
		p = make([]byte, n)
	}
	p = p[:n]
	if err := w.readAt(p, number*pageSize); err != nil {
		return nil, err
	}
	w.pages[number] = p
	return p, nil
}

// keep copies b to memory that stays.
func (w *walker) keep(b []byte) []byte {
	if len(b) > cap(w.arena)-len(w.arena) {
		if len(b) > 1<<10 {
			return append([]byte(nil), b...)
		}
		w.arena = make([]byte, 0, 8<<10)
	}
	start := len(w.arena)
	w.arena = append(w.arena, b...)
	return w.arena[start:len(w.arena):len(w.arena)]
}

// head reads the size and type of the record at offset, and counts the record
// as visited.
func (w *walker) head(offset int64) (size int64, kind int, err error) {
	b, err := w.bytes(offset, int(w.headSize()))
	if err != nil {
		return 0, 0, err
	}
	f := fields{b: b, wide: w.wide}
	size, kind = f.offset(), f.int()
	if size < w.headSize() || size > w.size-offset {
		return 0, 0, damaged("the record at offset %d claims %d bytes", offset, size)
	}
	if w.left.Add(-size) < 0 {
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
	f := fields{b: b, wide: w.wide, offsetInFile: offset}
	f.offset()
	f.int()
	return f, nil
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

func (f *fields) name() string {
	if f.wide {
		return text(f.take(256))
	}
	return text(f.take(64))
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
