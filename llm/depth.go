package llm

import "bytes"

// MaxDepth is how many levels deep JSON may nest that a model, a tool or an
// application hands on. Nobody means more than that, and encoding/json reads
// nothing beyond 10,000 levels: what is put into something else has to stay well
// below, or what was written could not be read again.
const MaxDepth = 1000

// Deeper reports whether arrays and objects nest more than n levels deep in a JSON
// text. Of what is no JSON it reports something; it never panics.
func Deeper(data []byte, n int) bool {
	if bytes.Count(data, []byte{'['})+bytes.Count(data, []byte{'{'}) <= n {
		return false // which is so as a rule, and soon found
	}
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[', c == '{':
			if depth++; depth > n {
				return true
			}
		case c == ']', c == '}':
			depth--
		}
	}
	return false
}
