package scan

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Str is the next value if it is a string, valid until the next one; nil with the
// value skipped if it is something else. What is not UTF-8 in it, and each half of a
// surrogate pair, becomes a replacement character, as in encoding/json.
func (s *Scanner) Str() []byte {
	b := s.str()
	if utf8.Valid(b) {
		return b
	}
	return []byte(string([]rune(string(b))))
}

func (s *Scanner) str() []byte {
	if s.Peek() != '"' {
		s.Skip()
		return nil
	}
	s.pos++
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

// skipString goes past a string, of which nothing is kept: it may be a whole answer.
func (s *Scanner) skipString() {
	for i := s.pos + 1; i < len(s.data); i++ {
		switch c := s.data[i]; {
		case c == '"':
			s.pos = i + 1
			return
		case c == '\\':
			s.pos, s.buf = i+1, s.buf[:0]
			if s.escape(); s.bad {
				return
			}
			i = s.pos - 1
		case c < ' ':
			s.bad = true
			return
		}
	}
	s.bad = true
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
	s.buf = utf8.AppendRune(s.buf, utf8.RuneError)
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

// Text is [Scanner.Str] as a string of its own, "" for what is no string.
func (s *Scanner) Text() string { return string(s.Str()) }
