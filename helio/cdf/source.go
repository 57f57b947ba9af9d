package cdf

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
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
		if err == nil || errors.Is(err, io.EOF) {
			err = damaged("it ends at byte %d, before its %d", offset+int64(n), s.size)
		}
		return err
	}
	return nil
}

const (
	pageSize    = 16 << 10
	cachedPages = 32
)

// A walker reads records for one purpose, and remembers the pages that it saw
// last. It must be given back by done.
type walker struct {
	*source
	*pages
	arena  []byte
	values []Value
}

// pages is what a walker needs only while it walks.
type pages struct {
	list [cachedPages]struct {
		number int64 // counted from 1; 0 is none
		b      []byte
	}
	last int // the page used last
	next int // the page to be overwritten next
	buf  []byte
}

var pagePool = sync.Pool{New: func() any { return new(pages) }}

func (s *source) walk() *walker {
	return &walker{source: s, pages: pagePool.Get().(*pages)}
}

// done gives the pages back. What keep returned stays.
func (w *walker) done() {
	for i := range w.list {
		w.list[i].number = 0
	}
	if cap(w.buf) > 16*pageSize {
		w.buf = nil
	}
	pagePool.Put(w.pages)
	w.pages = nil
}

// bytes returns n bytes at offset, valid until the next call.
func (w *walker) bytes(offset int64, n int) ([]byte, error) {
	if offset < 0 || offset > w.size-int64(n) {
		return nil, damaged("%d bytes at offset %d lie outside the file of %d bytes", n, offset, w.size)
	}
	number, in := offset/pageSize, offset%pageSize
	if in+int64(n) <= pageSize {
		p, err := w.page(number)
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
	if p := &w.list[w.last]; p.number == number+1 {
		return p.b, nil
	}
	for i := range w.list {
		if p := &w.list[i]; p.number == number+1 {
			w.last = i
			return p.b, nil
		}
	}
	w.last = w.next
	w.next = (w.next + 1) % cachedPages
	p := &w.list[w.last]
	if p.b == nil {
		p.b = make([]byte, pageSize)
	}
	p.number, p.b = 0, p.b[:min(pageSize, w.size-number*pageSize)]
	if err := w.readAt(p.b, number*pageSize); err != nil {
		return nil, err
	}
	p.number = number + 1
	return p.b, nil
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

// keepValue is keep for a single value.
func (w *walker) keepValue(v Value) []Value {
	if len(w.values) == cap(w.values) {
		w.values = make([]Value, 0, 64)
	}
	n := len(w.values)
	w.values = append(w.values, v)
	return w.values[n : n+1 : n+1]
}
