package secret

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// JSON returns a JSON text redacted, and still JSON: src itself when it holds no
// secret. In a string a secret is found however its characters are escaped; a
// number that is one becomes a string. Where a match crosses from one value into
// the next, and where src was no JSON, the whole text becomes one string.
func (r *Redactor) JSON(src json.RawMessage) (json.RawMessage, Counts) {
	if r.matcher() == nil {
		return src, nil
	}
	if !bytes.Contains(src, []byte(`\u`)) && !bytes.Contains(src, []byte(`\/`)) {
		if _, n := find(r.m, src, 0, len(src)); n == nil {
			return src, nil
		}
		if out, counts := r.Bytes(src); json.Valid(out) {
			return out, counts
		}
	}
	out, counts := r.literals(src)
	out, more := r.Bytes(out)
	if counts = counts.Plus(more); counts == nil {
		return src, nil
	}
	if !json.Valid(out) {
		out = quote(string(out))
	}
	return out, counts
}

// literals redacts each string as the text that it means, and each number and
// word by itself.
func (r *Redactor) literals(src []byte) ([]byte, Counts) {
	var counts Counts
	out := make([]byte, 0, len(src))
	for i := 0; i < len(src); {
		stop := i + literal(src[i:])
		if stop == i {
			out = append(out, src[i])
			i++
			continue
		}
		text := string(src[i:stop])
		if src[i] == '"' && json.Unmarshal(src[i:stop], &text) != nil {
			text = string(src[i:stop]) // no string of JSON, so it is what it is
		}
		shown, found := r.Text(text)
		if found == nil {
			out = append(out, src[i:stop]...)
		} else {
			out = append(out, quote(shown)...)
		}
		counts = counts.Plus(found)
		i = stop
	}
	return out, counts
}

// literal is the length of the string, number or word at the beginning of src, 0
// when there is none.
func literal(src []byte) int {
	if src[0] != '"' {
		n := bytes.IndexAny(src, "\"{}[],: \t\r\n")
		if n < 0 {
			return len(src)
		}
		return n
	}
	for i := 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(src)
}

// quote writes a string of JSON without the escapes for HTML, which would change
// the tokens.
func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if !utf8.ValidString(s) {
		s = string(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD")))
	}
	if err := enc.Encode(s); err != nil { // a valid string always encodes
		return []byte(`"` + hidden + `"`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
