package openai

import (
	"bytes"
	"iter"
	"unicode/utf16"
	"unicode/utf8"
)

// A scanner goes through the members of one JSON object that is known to be valid
// JSON, without a tree and without copies: events come by the thousand, and most
// of each is of no interest.
//
//	for s := scan(data); s.next(); {
//		switch string(s.key) {
//		case "delta":
//			text = unquote(s.value)
//		}
//	}
type scanner struct {
	data []byte
	pos  int

	key   []byte // as it is written, without the quotes
	value []byte // as it is written
}

// scan begins an object. Of what is no object there are no members.
func scan(data []byte) scanner {
	s := scanner{data: data}
	s.blanks()
	if s.pos < len(data) && data[s.pos] == '{' {
		s.pos++
	} else {
		s.pos = len(data)
	}
	return s
}

// name is the key as a text.
func (s *scanner) name() string {
	if bytes.IndexByte(s.key, '\\') < 0 {
		return string(s.key)
	}
	return string(appendUnquoted(nil, s.key))
}

// elements are the values of a JSON array that is known to be valid JSON.
func elements(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		s := scanner{data: data}
		if s.blanks(); s.pos >= len(data) || data[s.pos] != '[' {
			return
		}
		s.pos++
		for s.blanks(); s.pos < len(data) && data[s.pos] != ']'; s.blanks() {
			n := skipValue(data[s.pos:])
			if n == 0 || !yield(data[s.pos:s.pos+n]) {
				return
			}
			s.pos += n
		}
	}
}

func (s *scanner) blanks() {
	for s.pos < len(s.data) && (s.data[s.pos] <= ' ' || s.data[s.pos] == ',') {
		s.pos++
	}
}

// next goes to the next member, if there is one.
func (s *scanner) next() bool {
	s.blanks()
	if s.pos >= len(s.data) || s.data[s.pos] != '"' {
		return false
	}
	end := s.pos + skipString(s.data[s.pos:])
	s.key = s.data[s.pos+1 : max(s.pos+1, end-1)]
	s.pos = end
	for s.pos < len(s.data) && (s.data[s.pos] <= ' ' || s.data[s.pos] == ':') {
		s.pos++
	}
	end = s.pos + skipValue(s.data[s.pos:])
	s.value = s.data[s.pos:end]
	s.pos = end
	return true
}

// skipString is the length of the string that data begins with.
func skipString(data []byte) int {
	for i := 1; i < len(data); {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			break
		}
		// The quote ends the string unless an odd number of backslashes is before it.
		slashes := 0
		for at := i + n - 1; at > 0 && data[at] == '\\'; at-- {
			slashes++
		}
		i += n + 1
		if slashes%2 == 0 {
			return i
		}
	}
	return len(data)
}

// skipValue is the length of the value that data begins with.
func skipValue(data []byte) int {
	depth := 0
	for i := 0; i < len(data); {
		switch data[i] {
		case '"':
			i += skipString(data[i:])
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
			i++
			continue
		default: // of a number, true, false or null
			for i < len(data) && !ends(data[i]) {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
	return len(data)
}

// ends reports whether a number, true, false or null ends before a byte.
func ends(c byte) bool { return c <= ' ' || c == ',' || c == ':' || c == ']' || c == '}' }

// number is a JSON number as a small integer, or -1.
func number(value []byte) int {
	n := 0
	for _, c := range value {
		if c < '0' || c > '9' || n > 1<<24 {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	if len(value) == 0 {
		return -1
	}
	return n
}

// unquote is the text of a JSON string, "" of anything else. What is no character
// becomes U+FFFD, half of a surrogate pair too.
func unquote(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	in := value[1 : len(value)-1]
	if bytes.IndexByte(in, '\\') < 0 && utf8.Valid(in) {
		return string(in)
	}
	return string(appendUnquoted(make([]byte, 0, len(in)), in))
}

// appendUnquoted appends what stands between the quotes of a JSON string.
func appendUnquoted(out, in []byte) []byte {
	for i := 0; i < len(in); {
		c := in[i]
		switch {
		case c == '\\' && i+1 < len(in):
			var n int
			out, n = appendEscape(out, in[i:])
			i += n
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			r, n := utf8.DecodeRune(in[i:])
			out = utf8.AppendRune(out, r)
			i += n
		}
	}
	return out
}

// appendEscape appends the character of the escape that in begins with, and
// returns how long that is.
func appendEscape(out, in []byte) ([]byte, int) {
	switch in[1] {
	case 'n':
		return append(out, '\n'), 2
	case 't':
		return append(out, '\t'), 2
	case 'r':
		return append(out, '\r'), 2
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'u':
		r := escaped(in)
		if utf16.IsSurrogate(r) && len(in) > 6 {
			if pair := utf16.DecodeRune(r, escaped(in[6:])); pair != utf8.RuneError {
				return utf8.AppendRune(out, pair), 12
			}
		}
		return utf8.AppendRune(out, r), min(6, len(in))
	}
	return append(out, in[1]), 2
}

// escaped is the number of the escape \uXXXX that in begins with, else U+FFFD.
func escaped(in []byte) rune {
	if len(in) < 6 || in[0] != '\\' || in[1] != 'u' {
		return utf8.RuneError
	}
	var r rune
	for _, c := range in[2:6] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return utf8.RuneError
		}
	}
	return r
}
