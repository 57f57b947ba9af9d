// Package sse reads server-sent events as the WHATWG HTML standard defines them,
// section 9.2.6, from servers that keep to it more or less.
//
//	events := sse.NewReader(resp.Body, 0)
//	for {
//		e, err := events.Next()
//		if errors.Is(err, io.EOF) {
//			break
//		}
//		if err != nil {
//			return err
//		}
//		handle(e.Name, e.Data)
//	}
//
// Lines end in LF, CRLF or CR, also when the two bytes of a CRLF come in different
// reads. Comments, ids and retry times are skipped, a byte order mark at the start
// too. An event without data is not reported. Bytes are only looked at in whole
// events, so that no character is ever cut in two.
package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxEvent is how long an event may be when [NewReader] is not told otherwise.
const MaxEvent = 16 << 20

// ErrTooLong marks an event that is longer than the reader may keep.
var ErrTooLong = errors.New("an event of the stream is too long")

// An Event is one message of a stream.
type Event struct {
	Name []byte // of the event field; nil without one
	Data []byte // the data fields, joined by line feeds
	// Cut says that the stream ended inside of this event: without the blank line
	// that ends an event, and maybe in the middle of a line. Servers that forget the
	// last line feeds send whole data that way, a broken connection does not.
	Cut bool
}

// A Reader reads the events of one stream. It is not safe for concurrent use.
type Reader struct {
	src   io.Reader
	limit int

	buf        []byte // what was read; the event under way begins at from
	from, next int    // next is the first byte that no line was made of
	seen       int    // no line ends in buf[next:seen]
	err        error  // of src, once it has one
	skipLF     bool   // the last line ended in a CR, whose LF may come
	begun      bool   // a byte order mark is no longer possible

	name   span
	data   span // the data, when it is one line
	joined []byte
	lines  int // data lines of the event
}

// A span is a piece of buf, relative to the event's first byte.
type span struct{ from, to int }

// NewReader reads events of at most limit bytes from src; 0 is [MaxEvent].
func NewReader(src io.Reader, limit int) *Reader {
	if limit <= 0 {
		limit = MaxEvent
	}
	return &Reader{src: src, limit: limit}
}

// Next returns the next event, whose bytes are valid until the next call. At the
// end of the stream the error is [io.EOF]; any other error of the source, and one
// that matches [ErrTooLong], ends the stream too. What was read of an event before
// an error is lost.
func (r *Reader) Next() (Event, error) {
	r.begin()
	for {
		line, ok := r.line()
		if ok {
			if len(line) > 0 {
				r.field(line)
				continue
			}
			if e, ok := r.event(); ok {
				return e, nil
			}
			r.begin()
			continue
		}
		if r.err != nil {
			return r.last()
		}
		if err := r.fill(); err != nil {
			return Event{}, err
		}
	}
}

// begin makes ready for an event that starts at the next line.
func (r *Reader) begin() {
	r.from = r.next
	r.name, r.data, r.lines, r.joined = span{}, span{}, 0, r.joined[:0]
}

// line takes the next whole line out of the buffer, without its end.
func (r *Reader) line() ([]byte, bool) {
	if r.skipLF && r.next < len(r.buf) {
		r.skipLF = false
		if r.buf[r.next] == '\n' {
			r.next++
			if r.next-1 == r.from {
				r.from = r.next
			}
			r.seen = max(r.seen, r.next)
		}
	}
	end := lineEnd(r.buf[r.seen:])
	if end < 0 {
		r.seen = len(r.buf)
		return nil, false
	}
	end += r.seen
	line := r.buf[r.next:end]
	r.skipLF = r.buf[end] == '\r'
	r.next = end + 1
	r.seen = r.next
	if !r.begun {
		line = r.unmarked(line)
	}
	return line, true
}

// lineEnd is where the first CR or LF is, -1 without one. It looks at ever longer
// pieces: the other of the two may be megabytes away, and not to be looked for again
// with each line.
func lineEnd(rest []byte) int {
	const first = 256
	for from, size := 0, first; from < len(rest); from, size = from+size, 2*size {
		piece := rest[from:min(from+size, len(rest))]
		end := bytes.IndexByte(piece, '\n')
		if end >= 0 {
			piece = piece[:end]
		}
		if cr := bytes.IndexByte(piece, '\r'); cr >= 0 {
			end = cr
		}
		if end >= 0 {
			return from + end
		}
	}
	return -1
}

var mark = []byte("\ufeff")

// unmarked is the first line without a byte order mark.
func (r *Reader) unmarked(line []byte) []byte {
	r.begun = true
	return bytes.TrimPrefix(line, mark)
}

// field keeps what a line says of the event.
func (r *Reader) field(line []byte) {
	colon := bytes.IndexByte(line, ':')
	if colon == 0 {
		return // a comment
	}
	key, value := line, line[len(line):]
	if colon > 0 {
		key, value = line[:colon], line[colon+1:]
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
	}
	switch string(key) {
	case "data":
		r.lines++
		switch r.lines {
		case 1:
			r.data = r.span(value)
		case 2:
			r.joined = append(r.joined, r.at(r.data)...)
			fallthrough
		default:
			r.joined = append(append(r.joined, '\n'), value...)
		}
	case "event":
		r.name = r.span(value)
	}
}

// span is where in the buffer a piece of the line is that ends at its end.
func (r *Reader) span(piece []byte) span {
	to := cap(r.buf) - cap(piece) + len(piece) // pieces of buf share its end
	return span{from: to - len(piece) - r.from, to: to - r.from}
}

func (r *Reader) at(s span) []byte { return r.buf[r.from+s.from : r.from+s.to] }

// event is what the lines before a blank one make, if they held data.
func (r *Reader) event() (Event, bool) {
	if r.lines == 0 {
		return Event{}, false
	}
	e := Event{Data: r.at(r.data)}
	if r.lines > 1 {
		e.Data = r.joined
	}
	if r.name.to > 0 {
		e.Name = r.at(r.name)
	}
	return e, true
}

// last is what the end of the source leaves: the event that no blank line ended,
// then the error.
func (r *Reader) last() (Event, error) {
	if errors.Is(r.err, io.EOF) {
		if line := r.buf[r.next:]; len(line) > 0 {
			if !r.begun {
				line = r.unmarked(line)
			}
			r.field(line)
			r.next = len(r.buf)
			r.seen = r.next
		}
		if e, ok := r.event(); ok {
			e.Cut = true
			r.lines = 0
			return e, nil
		}
	}
	return Event{}, r.err
}

// fill reads more, behind what there is of the event.
func (r *Reader) fill() error {
	if r.from > 0 {
		n := copy(r.buf, r.buf[r.from:])
		r.buf = r.buf[:n]
		r.next, r.seen, r.from = r.next-r.from, r.seen-r.from, 0
	}
	// What no event can be made of any more, comments above all, need not be kept.
	if r.lines == 0 && r.name.to == 0 && r.next > 0 {
		n := copy(r.buf, r.buf[r.next:])
		r.buf = r.buf[:n]
		r.seen, r.next = r.seen-r.next, 0
	}
	if len(r.buf)+len(r.joined) > r.limit {
		r.err = fmt.Errorf("%w: more than %d bytes", ErrTooLong, r.limit)
		return r.err
	}
	if len(r.buf) == cap(r.buf) {
		const first = 16 << 10
		grown := make([]byte, len(r.buf), max(first, 2*cap(r.buf)))
		copy(grown, r.buf)
		r.buf = grown
	}
	for range 100 { // as bufio does with readers that return nothing
		n, err := r.src.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		r.err = err
		if n > 0 || err != nil {
			return nil
		}
	}
	r.err = io.ErrNoProgress
	return nil
}
