package gemini

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A delta is the kind of event that streams are made of: more of a text, of a
// thought, or of a call's arguments.
type delta struct {
	index int
	kind  deltaKind
	text  string
}

type deltaKind uint8

const (
	textDelta deltaKind = iota + 1
	thoughtDelta
	argsDelta
)

// scanDelta reads the usual form of a delta without encoding/json, which takes
// several times as long and allocates more than the text. What is not exactly of
// that form, valid or not, is false, and encoding/json has the word.
func scanDelta(data []byte) (d delta, ok bool) {
	s := scanner{data: data}
	var named, indexed, held bool
	ok = s.object(func(key string) bool {
		switch key {
		case "event_type":
			value, ok := s.plain()
			if !ok || named || string(value) != "step.delta" {
				return false
			}
			named = true
		case "index":
			n, ok := s.integer()
			if !ok || indexed {
				return false
			}
			d.index, indexed = n, true
		case "delta":
			if held || !s.delta(&d) {
				return false
			}
			held = true
		case "event_id":
			_, ok := s.plain()
			return ok
		default:
			return false
		}
		return true
	})
	s.blanks()
	return d, ok && named && indexed && held && s.at == len(data)
}

// A scanner reads JSON of few forms.
type scanner struct {
	data []byte
	at   int
}

func (s *scanner) delta(d *delta) bool {
	var kind []byte
	var value span
	var field string
	ok := s.object(func(key string) bool {
		switch key {
		case "type":
			if kind != nil {
				return false
			}
			word, ok := s.plain()
			kind = word
			return ok
		case "text", "arguments", "content":
			if field != "" {
				return false
			}
			field = key
			var ok bool
			if key == "content" {
				value, ok = s.summary()
			} else {
				value, ok = s.text()
			}
			return ok
		}
		return false
	})
	if !ok {
		return false
	}
	switch {
	case string(kind) == "text" && field == "text":
		d.kind = textDelta
	case string(kind) == "thought_summary" && field == "content":
		d.kind = thoughtDelta
	case string(kind) == "arguments_delta" && field == "arguments":
		d.kind = argsDelta
	default:
		return false
	}
	d.text, ok = s.unquoted(value)
	return ok
}

// summary is the text of {"type":"text","text":"..."}.
func (s *scanner) summary() (text span, ok bool) {
	var typed, said bool
	ok = s.object(func(key string) bool {
		switch key {
		case "type":
			word, ok := s.plain()
			if !ok || typed || string(word) != "text" {
				return false
			}
			typed = true
			return true
		case "text":
			var ok bool
			again := said
			text, ok = s.text()
			said = true
			return ok && !again
		}
		return false
	})
	return text, ok && typed && said
}

// object reads an object whose keys are plain. The function reads the value of each.
func (s *scanner) object(value func(key string) bool) bool {
	if !s.take('{') {
		return false
	}
	if s.take('}') {
		return true
	}
	for {
		key, ok := s.plain()
		if !ok || !s.take(':') || !value(field(key)) {
			return false
		}
		if s.take('}') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// field is a key as a string that costs nothing; "" is any other.
func field(key []byte) string {
	switch string(key) {
	case "event_type":
		return "event_type"
	case "event_id":
		return "event_id"
	case "index":
		return "index"
	case "delta":
		return "delta"
	case "type":
		return "type"
	case "text":
		return "text"
	case "arguments":
		return "arguments"
	case "content":
		return "content"
	}
	return ""
}

func (s *scanner) blanks() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// take takes one character, with blanks before it.
func (s *scanner) take(c byte) bool {
	s.blanks()
	if s.at < len(s.data) && s.data[s.at] == c {
		s.at++
		return true
	}
	return false
}

// plain is a string of ASCII without escapes.
func (s *scanner) plain() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	from := s.at
	for s.at < len(s.data) {
		switch c := s.data[s.at]; {
		case c == '"':
			s.at++
			return s.data[from : s.at-1], true
		case c < ' ', c == '\\', c >= utf8.RuneSelf:
			return nil, false
		}
		s.at++
	}
	return nil, false
}

// integer is a small whole number without a sign.
func (s *scanner) integer() (int, bool) {
	s.blanks()
	from := s.at
	for s.at < len(s.data) && '0' <= s.data[s.at] && s.data[s.at] <= '9' {
		s.at++
	}
	digits := s.data[from:s.at]
	if len(digits) == 0 || len(digits) > 9 || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	n, err := strconv.Atoi(string(digits))
	return n, err == nil
}

// A span is a string's inside, still quoted.
type span struct {
	from, to int
	escaped  bool
	wide     bool // it holds more than ASCII
}

func (s *scanner) text() (span, bool) {
	if !s.take('"') {
		return span{}, false
	}
	t := span{from: s.at}
	for s.at < len(s.data) {
		switch c := s.data[s.at]; {
		case c == '"':
			t.to = s.at
			s.at++
			return t, true
		case c < ' ':
			return t, false
		case c == '\\':
			t.escaped = true
			s.at++
		case c >= utf8.RuneSelf:
			t.wide = true
		}
		s.at++
	}
	return t, false
}

// unquoted is a string's text. It is false for what is not UTF-8 and for escapes
// that JSON does not have.
func (s *scanner) unquoted(t span) (string, bool) {
	raw := s.data[t.from:t.to]
	if t.wide && !utf8.Valid(raw) {
		return "", false
	}
	if !t.escaped {
		return string(raw), true
	}
	var room [256]byte
	out := room[:0]
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c != '\\' {
			out = append(out, c)
			continue
		}
		i++
		switch raw[i] {
		case '"', '\\', '/':
			out = append(out, raw[i])
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			r, ok := hex4(raw[i+1:])
			if !ok {
				return "", false
			}
			i += 4
			if utf16.IsSurrogate(r) {
				low, ok := rune(0), false
				if len(raw) > i+6 && raw[i+1] == '\\' && raw[i+2] == 'u' {
					low, ok = hex4(raw[i+3:])
				}
				if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
					return "", false // half a pair: rare enough
				}
				i += 6
			}
			out = utf8.AppendRune(out, r)
		default:
			return "", false
		}
	}
	return string(out), true
}

func hex4(digits []byte) (rune, bool) {
	if len(digits) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range digits[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
