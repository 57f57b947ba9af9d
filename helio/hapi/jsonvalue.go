package hapi

import "bytes"

// value finds the end of the JSON value that the window begins with, which is made
// large enough for it, and returns its size; below 0 where the stream ends before. What
// is in the value is not looked at beyond its brackets and quotes.
func (s *source) value() int {
	v := jsonScan{}
	for {
		if v.scan(s.buf[s.at:s.end]) {
			return v.i
		}
		if !s.more() {
			return -1
		}
	}
}

// maxDepth is how deep brackets may lie in one another.
const maxDepth = 10_000

// jsonScan looks for the end of a value in bytes of which more come each time.
type jsonScan struct {
	i      int // how far they were looked at
	depth  int
	quoted bool
}

// scan reports whether the end was found, at i.
func (v *jsonScan) scan(b []byte) bool {
	for v.i < len(b) {
		if v.quoted {
			if !v.quote(b) {
				return false
			}
			if v.depth == 0 {
				return true
			}
			continue
		}
		switch c := b[v.i]; c {
		case '"':
			if v.depth == 0 && v.i > 0 {
				return true
			}
			v.quoted = true
		case '[', '{':
			if v.depth++; v.depth > maxDepth {
				v.i++
				return true // whoever reads it finds that it is none
			}
		case ']', '}':
			if v.depth--; v.depth <= 0 {
				if v.depth == 0 {
					v.i++
				}
				return true
			}
		case ',', ' ', '\t', '\r', '\n', ':':
			if v.depth == 0 {
				return true
			}
		}
		v.i++
	}
	return false
}

// quote goes behind the end of a text and reports whether it is there.
func (v *jsonScan) quote(b []byte) bool {
	for v.i < len(b) {
		switch b[v.i] {
		case '"':
			v.quoted = false
			v.i++
			return true
		case '\\':
			if v.i+1 == len(b) {
				return false
			}
			v.i++
		}
		n := bytes.IndexAny(b[v.i+1:], `"\`)
		if n < 0 {
			v.i = len(b)
			return false
		}
		v.i += 1 + n
	}
	return false
}
