package openai

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"

	"github.com/helios-go/helios/provider/internal/scan"
)

// fields are the members of an object as they are written.
type fields map[string][]byte

// members are an object's, nil of what is none. They share its bytes.
func members(object []byte) fields {
	var s scan.Scanner
	if s.Reset(object); !s.Enter('{') {
		return nil
	}
	f := fields{}
	for s.More('}') {
		name := string(s.Key())
		f[name] = s.Raw()
	}
	if !s.End() {
		return nil
	}
	return f
}

// text is a member that is a string.
func (f fields) text(name string) string { return unquote(f[name]) }

// without removes members, and what says nothing: nulls, empty lists, and that the
// item is completed.
func (f fields) without(names ...string) fields {
	for _, name := range names {
		delete(f, name)
	}
	for name, value := range f {
		switch string(value) {
		case "null", "[]", "":
			delete(f, name)
		case `"completed"`:
			if name == "status" {
				delete(f, name)
			}
		}
	}
	return f
}

// object is the object whose members these are, in the order of their names.
func (f fields) object() []byte {
	out := []byte{'{'}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		if key, err := json.Marshal(name); err == nil { // as of every string
			out = append(append(append(out, key...), ':'), f[name]...)
		}
	}
	return append(out, '}')
}

// elements are an array's, as they are written; none of what is no array.
func elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var s scan.Scanner
		if s.Reset(array); !s.Enter('[') {
			return
		}
		for s.More(']') {
			if element := s.Raw(); element == nil || !yield(element) {
				return
			}
		}
	}
}

// unquote is the text of a JSON string, "" of anything else.
func unquote(value []byte) string {
	var s scan.Scanner
	s.Reset(value)
	return s.Text()
}

// inner is what stands between the quotes of a string.
func inner(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		return nil
	}
	return value[1 : len(value)-1]
}

// head is the id of an item, which is near its beginning.
func head(object []byte) string {
	var s scan.Scanner
	s.Reset(object)
	for ok := s.Enter('{'); ok && s.More('}'); {
		if string(s.Key()) == "id" {
			return s.Text()
		}
		s.Skip()
	}
	return ""
}

// number is a JSON number as a small integer, -1 of anything else.
func number(value []byte) int {
	var s scan.Scanner
	s.Reset(value)
	if n, ok := s.Int(); ok && n >= 0 && n < 1<<24 {
		return int(n)
	}
	return -1
}
