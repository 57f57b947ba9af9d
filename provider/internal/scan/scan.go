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
package scan

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/helios-go/helios/llm"
)

// A Scanner reads one JSON text from its front to its end, taking what is asked
// for and skipping the rest, without a tree and nearly without copies. What is not
// JSON makes it bad: it then yields nothing more, so that loops end.
// The zero value is ready for Reset. It is not safe for concurrent use.
type Scanner struct {
	// Lone says that the last string holds half of a surrogate pair.
	Lone bool

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

// Str is the next value if it is a string, valid until the next one; nil with the
// value skipped if it is something else. Half of a surrogate pair is in it as three
// bytes that are no UTF-8, with s.Lone set.
func (s *Scanner) Str() []byte {
	if s.Peek() != '"' {
		s.Skip()
		return nil
	}
	s.pos++
	s.Lone = false
	rest := s.data[s.pos:]
	for i, c := range rest {
		switch {
		case c == '"':
			s.pos += i + 1
			return rest[:i:i]
		case c == '\\':
			return s.unescape(i)
		case c < ' ':
			s.bad = true
			return nil
		}
	}
	s.bad = true
	return nil
}

// unescape reads on in a string whose first escape is n bytes on.
func (s *Scanner) unescape(n int) []byte {
	s.buf = append(s.buf[:0], s.data[s.pos:s.pos+n]...)
	s.pos += n
	for s.pos < len(s.data) {
		c := s.data[s.pos]
		s.pos++
		switch {
		case c == '"':
			return s.buf
		case c == '\\':
			s.escape()
		case c < ' ':
			s.bad = true
		default:
			s.buf = append(s.buf, c)
		}
		if s.bad {
			return nil
		}
	}
	s.bad = true
	return nil
}

// escape reads what stands behind a backslash.
func (s *Scanner) escape() {
	if s.pos >= len(s.data) {
		s.bad = true
		return
	}
	c := s.data[s.pos]
	s.pos++
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		s.unicode()
		return
	default:
		s.bad = true
		return
	}
	s.buf = append(s.buf, c)
}

// unicode reads the four digits behind \u, and the other half of a pair.
func (s *Scanner) unicode() {
	r := hex4(s.data[s.pos:])
	if r < 0 {
		s.bad = true
		return
	}
	s.pos += 4
	if !utf16.IsSurrogate(r) {
		s.buf = utf8.AppendRune(s.buf, r)
		return
	}
	if rest := s.data[s.pos:]; len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u' {
		if whole := utf16.DecodeRune(r, hex4(rest[2:])); whole != utf8.RuneError {
			s.pos += 6
			s.buf = utf8.AppendRune(s.buf, whole)
			return
		}
	}
	s.Lone = true
	s.buf = append(s.buf, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
}

// hex4 is the number of four hexadecimal digits, else -1.
func hex4(data []byte) rune {
	if len(data) < 4 {
		return -1
	}
	var r rune
	for _, c := range data[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// Text is the next value if it is a string, else "". What is not UTF-8 in it
// becomes the replacement character.
func (s *Scanner) Text() string {
	b := s.Str()
	if utf8.Valid(b) {
		return string(b)
	}
	return string(bytes.ToValidUTF8(b, []byte("\uFFFD")))
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
		s.Str()
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
