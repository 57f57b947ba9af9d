// Package scan reads the JSON of events without encoding/json: an event of a stream
// costs the strings that are taken out of it, and nothing else.
//
//	var s scan.Scanner // one for a stream
//	s.Reset(event.Data)
//	if s.Enter('{') {
//		for s.More('}') {
//			switch string(s.Key()) {
//			case "id":
//				id = s.Text()
//			default:
//				s.Skip()
//			}
//		}
//	}
//	if !s.End() {
//		return errors.New("not JSON")
//	}
//
// It takes exactly what encoding/json takes, but for texts that nest more than
// [llm.MaxDepth] levels deep. Of members with the same name the last counts if the
// caller lets it; encoding/json does the same.
package scan

import (
	"bytes"
	"math"
	"strconv"

	"github.com/helios-go/helios/llm"
)

// A Scanner reads one JSON text from its front to its end, taking what is asked
// for and skipping the rest, without a tree and nearly without copies. What is not
// JSON makes it bad: it then yields nothing more, so that loops end.
// The zero value is ready for Reset. It is not safe for concurrent use.
type Scanner struct {
	data  []byte
	pos   int
	depth int
	first bool   // no element of the open array or object was read
	bad   bool   // this is no JSON
	buf   []byte // the last string that had escapes
}

// Reset begins another text. The room for strings is kept.
func (s *Scanner) Reset(data []byte) { *s = Scanner{data: data, buf: s.buf[:0]} }

// End reports whether nothing follows and all of it was JSON.
func (s *Scanner) End() bool { return s.Peek() == 0 && !s.bad && s.pos == len(s.data) }

// Bad reports whether what was read up to here is no JSON.
func (s *Scanner) Bad() bool { return s.bad }

// Ahead is a copy to look ahead with: the scanner itself stays where it is.
func (s *Scanner) Ahead() Scanner {
	ahead := *s
	ahead.buf = nil // strings of both may be in use
	return ahead
}

// Peek is the next byte that is no blank, 0 at the end.
func (s *Scanner) Peek() byte {
	for !s.bad && s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			if c == 0 {
				s.bad = true
			}
			return c
		}
	}
	return 0
}

// Enter goes into an array or object; false, with nothing read, if the next value
// is none.
func (s *Scanner) Enter(open byte) bool {
	if s.Peek() != open {
		return false
	}
	s.pos++
	s.first = true
	if s.depth++; s.depth > llm.MaxDepth {
		s.bad = true
	}
	return !s.bad
}

// More goes to the next element, or past the end of the array or object.
func (s *Scanner) More(end byte) bool {
	switch c := s.Peek(); {
	case c == end && !s.bad:
		s.pos++
		s.depth--
		s.first = false
		return false
	case s.first && c != 0:
		s.first = false
		return true
	case c == ',':
		s.pos++
		if s.Peek() != end {
			return !s.bad
		}
	}
	s.bad = true
	return false
}

// Key is the name of the next member, valid until the next key or string. Its
// value must be read or skipped.
func (s *Scanner) Key() []byte {
	key := s.Str()
	if s.Peek() != ':' {
		s.bad = true
		return nil
	}
	s.pos++
	return key
}

// Int is the next value if it is a number, without its fraction, else 0. It is
// false for what is no number.
func (s *Scanner) Int() (int64, bool) {
	raw := s.Raw()
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err != nil || f >= math.MaxInt64:
		return math.MaxInt64, f > 0
	case f <= math.MinInt64:
		return math.MinInt64, true
	}
	return int64(f), true
}

// Raw is the next value as it is written.
func (s *Scanner) Raw() []byte {
	s.Peek()
	from := s.pos
	s.Skip()
	if s.bad {
		return nil
	}
	return s.data[from:s.pos:s.pos]
}

// Skip goes past the next value.
func (s *Scanner) Skip() {
	switch c := s.Peek(); c {
	case '"':
		s.skipString()
	case '{':
		s.Enter('{')
		for s.More('}') {
			s.Key()
			s.Skip()
		}
	case '[':
		s.Enter('[')
		for s.More(']') {
			s.Skip()
		}
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	case 'n':
		s.word("null")
	default:
		s.number()
	}
}

// word goes past a literal.
func (s *Scanner) word(w string) {
	if !bytes.HasPrefix(s.data[s.pos:], []byte(w)) {
		s.bad = true
		return
	}
	s.pos += len(w)
}

// number goes past a number.
func (s *Scanner) number() {
	s.has('-')
	if !s.has('0') && s.digits() == 0 {
		s.bad = true
	}
	if s.has('.') && s.digits() == 0 {
		s.bad = true
	}
	if s.has('e') || s.has('E') {
		if !s.has('-') {
			s.has('+')
		}
		if s.digits() == 0 {
			s.bad = true
		}
	}
}

// has goes past a byte if it is the next one.
func (s *Scanner) has(c byte) bool {
	if s.pos < len(s.data) && s.data[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

// digits goes past digits and counts them.
func (s *Scanner) digits() (n int) {
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		s.pos++
		n++
	}
	return n
}
