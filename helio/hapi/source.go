package hapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	// maxRecord is how long a record, or the header before the data, may be in bytes.
	maxRecord = 64 << 20
	// chunk is how much is asked of a reader at a time, at most: at first less, and more
	// as long as it gives all that was asked for.
	chunk      = 64 << 10
	firstChunk = 4 << 10
	// slack is how many bytes there are in the buffer behind what was read, so that
	// several can be looked at together; what is in them means nothing.
	slack = 32
)

var errLong = errors.New("longer than a record may be")

// A source is a stream of which a window is in memory: what was read and is not used.
type source struct {
	r       io.Reader
	buf     []byte // the window is buf[at:end]; len(buf) is at least end+slack
	at, end int
	passed  int64 // bytes of the stream before buf
	err     error // of the reader, for what follows the window
}

// offset is where a place of the buffer lies in the stream.
func (s *source) offset(i int) int64 { return s.passed + int64(i) }

// more reads some more bytes into the window. It is false where there are none: err
// says why, io.EOF at the end of the stream.
func (s *source) more() bool {
	if s.err != nil {
		return false
	}
	s.room()
	if s.err != nil {
		return false
	}
	for range 100 {
		n, err := s.r.Read(s.buf[s.end : len(s.buf)-slack])
		s.end += n
		s.err = err
		if n > 0 || err != nil {
			return n > 0
		}
	}
	s.err = io.ErrNoProgress
	return false
}

// room makes some behind the window, which goes to the front of the buffer, or to one of
// twice the size.
func (s *source) room() {
	kept, size := s.buf[s.at:s.end], len(s.buf)-slack
	switch {
	case s.buf == nil:
		s.buf = make([]byte, firstChunk+slack)
	case len(kept) == maxRecord:
		s.err = fmt.Errorf("%w: more than %d bytes", errLong, maxRecord)
		return
	case len(kept) == size, s.end == size && size < chunk:
		s.buf = make([]byte, 2*size+slack)
	}
	copy(s.buf, kept)
	s.passed += int64(s.at)
	s.at, s.end = 0, len(kept)
}

// line finds the end of the line at the place from of the window, which is made large
// enough for it: the number of bytes from the window's beginning to the line feed.
// Without one it is below 0.
func (s *source) line(from int) int {
	for {
		if i := bytes.IndexByte(s.buf[s.at+from:s.end], '\n'); i >= 0 {
			return from + i
		}
		from = s.end - s.at
		if !s.more() {
			return -1
		}
	}
}

// blank skips white space and reports whether something follows.
func (s *source) blank() bool {
	for {
		for ; s.at < s.end; s.at++ {
			switch s.buf[s.at] {
			case ' ', '\t', '\r', '\n':
			default:
				return true
			}
		}
		if !s.more() {
			return false
		}
	}
}
