package cdf

import (
	"errors"
	"io"
	"strings"
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
	page      page  // the one used last
	allowance int64 // of left, for this walker alone
	texts     strings.Builder
}

// pages is what a walker needs only while it walks.
type pages struct {
	list [cachedPages]page
	next int // the page to be overwritten next
	buf  []byte
}

// page is some bytes of the file, from start on.
type page struct {
	start int64
	b     []byte
}

var pagePool = sync.Pool{New: func() any { return new(pages) }}

func (s *source) walk() *walker {
	return &walker{source: s, pages: pagePool.Get().(*pages)}
}

// alone lets w have all that is left until it is done, so that it need not ask for
// each record. There must be no other walker until then.
func (w *walker) alone() { w.allowance = w.left.Swap(0) }

// done gives the pages back. What keep returned stays.
func (w *walker) done() {
	w.left.Add(w.allowance)
	for i := range w.list {
		w.list[i].b = w.list[i].b[:0]
	}
	if cap(w.buf) > 16*pageSize {
		w.buf = nil
	}
	pagePool.Put(w.pages)
	w.pages, w.page, w.allowance = nil, page{}, 0
}

// bytes returns n bytes at offset, valid until the next call.
func (w *walker) bytes(offset int64, n int) ([]byte, error) {
	if in := offset - w.page.start; in >= 0 && in <= int64(len(w.page.b)-n) {
		return w.page.b[in : in+int64(n)], nil
	}
	return w.turn(offset, n)
}

// turn is bytes for what is not on the page used last.
func (w *walker) turn(offset int64, n int) ([]byte, error) {
	if offset < 0 || offset > w.size-int64(n) {
		return nil, damaged("%d bytes at offset %d lie outside the file of %d bytes", n, offset, w.size)
	}
	if offset%pageSize+int64(n) <= pageSize {
		if err := w.load(offset - offset%pageSize); err != nil {
			return nil, err
		}
		in := offset - w.page.start
		return w.page.b[in : in+int64(n)], nil
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
		if err := w.load(at - at%pageSize); err != nil {
			return nil, err
		}
		done += copy(w.buf[done:], w.page.b[at-w.page.start:])
	}
	return w.buf, nil
}

// load makes the page at start the one used last.
func (w *walker) load(start int64) error {
	for i := range w.list {
		if p := &w.list[i]; p.start == start && len(p.b) > 0 {
			w.page = *p
			return nil
		}
	}
	p := &w.list[w.next]
	w.next = (w.next + 1) % cachedPages
	if p.b == nil {
		p.b = make([]byte, pageSize)
	}
	p.start, p.b = start, p.b[:min(pageSize, w.size-start)]
	if err := w.readAt(p.b, start); err != nil {
		p.b, w.page = p.b[:0], page{}
		return err
	}
	w.page = *p
	return nil
}

// keep copies b to a string, of which many share one piece of memory.
func (w *walker) keep(b []byte) string {
	if len(b) > w.texts.Cap()-w.texts.Len() {
		if len(b) > 1<<10 {
			return string(b)
		}
		w.texts.Reset()
		w.texts.Grow(8 << 10)
	}
	start := w.texts.Len()
	w.texts.Write(b)
	return w.texts.String()[start:]
}
