package llm

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// shape is a schema of the plainest keywords, which is what Go types are
// inferred to. It only ever accepts: a value that has the shape is valid, and any
// other is for the schema library to judge. That takes most values out of the
// library's way, which spends some twenty allocations on each.
type shape struct {
	types    typeSet
	enum     []string // of strings only
	props    map[string]*shape
	required []string
	closed   bool // no other properties
	others   *shape
	items    *shape
}

type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeInteger
	typeNumber
	typeString
	typeArray
	typeObject
)

var typeNames = map[string]typeSet{
	"null": typeNull, "boolean": typeBoolean, "integer": typeInteger, "number": typeNumber | typeInteger,
	"string": typeString, "array": typeArray, "object": typeObject,
}

// maxRequired is how many names fit in what an object is checked with.
const maxRequired = 63

// shapeOf is the shape of a schema, nil if it has others than the plain keywords.
func shapeOf(s *jsonschema.Schema) *shape {
	rest := *s
	rest.Type, rest.Types, rest.Enum, rest.Properties, rest.Required, rest.Items = "", nil, nil, nil, nil, nil
	rest.AdditionalProperties, rest.PropertyOrder = nil, nil
	rest.Title, rest.Description, rest.Format, rest.ContentEncoding = "", "", "", "" // they assert nothing
	if !reflect.ValueOf(rest).IsZero() || len(s.Required) > maxRequired {
		return nil
	}
	sh := &shape{required: s.Required}
	for _, name := range types(s) {
		sh.types |= typeNames[name]
	}
	for _, v := range s.Enum {
		text, ok := v.(string)
		if !ok {
			return nil
		}
		sh.enum = append(sh.enum, text)
	}
	if s.Properties != nil {
		sh.props = make(map[string]*shape, len(s.Properties))
	}
	for name, prop := range s.Properties {
		if sh.props[name] = shapeOf(prop); sh.props[name] == nil {
			return nil
		}
	}
	switch {
	case s.AdditionalProperties == nil:
	case forbids(s.AdditionalProperties):
		sh.closed = true
	default:
		if sh.others = shapeOf(s.AdditionalProperties); sh.others == nil {
			return nil
		}
	}
	if s.Items != nil {
		if sh.items = shapeOf(s.Items); sh.items == nil {
			return nil
		}
	}
	return sh
}

// fits reports whether a JSON value surely has the shape. It reads the text as it
// is, once, without making values of it.
func (sh *shape) fits(data []byte) bool {
	if !json.Valid(data) {
		return false
	}
	s := scan{data}
	return s.value(sh)
}

// A scan is what is left to read of a text that is known to be JSON.
type scan struct{ rest []byte }

// next returns the next character, past white space.
func (s *scan) next() byte {
	for {
		switch c := s.rest[0]; c {
		case ' ', '\t', '\n', '\r':
			s.rest = s.rest[1:]
		default:
			return c
		}
	}
}

// value reads a value and reports whether it surely has a shape; nil is any.
// Where it has not, the rest is not read.
func (s *scan) value(sh *shape) bool {
	if sh == nil {
		sh = &anyShape
	}
	switch s.next() {
	case '{':
		return sh.admits(typeObject) && sh.enum == nil && s.object(sh)
	case '[':
		return sh.admits(typeArray) && sh.enum == nil && s.array(sh)
	case '"':
		text, plain := s.text()
		return sh.admits(typeString) && (sh.enum == nil || plain && has(sh.enum, text))
	case 'n':
		s.rest = s.rest[len("null"):]
		return sh.admits(typeNull) && sh.enum == nil
	case 't':
		s.rest = s.rest[len("true"):]
		return sh.admits(typeBoolean) && sh.enum == nil
	case 'f':
		s.rest = s.rest[len("false"):]
		return sh.admits(typeBoolean) && sh.enum == nil
	default:
		return sh.admits(s.number()) && sh.enum == nil
	}
}

var anyShape shape

func (sh *shape) admits(t typeSet) bool { return sh.types == 0 || sh.types&t != 0 }

func has(list []string, text []byte) bool {
	return slices.Contains(list, string(text))
}

// text reads a string and returns what is between the quotes. It is not plain if
// escapes stand for some of it.
func (s *scan) text() (text []byte, plain bool) {
	plain = true
	for i := 1; ; i++ {
		switch s.rest[i] {
		case '\\':
			plain = false
			i++
		case '"':
			text, s.rest = s.rest[1:i], s.rest[i+1:]
			return text, plain
		}
	}
}

// number reads a number. It has no type if it takes some thought to tell which.
func (s *scan) number() typeSet {
	const long = 30 // such a number may be too large, or so precise that it rounds to an integer
	t, i := typeInteger, 0
	for ; i < len(s.rest); i++ {
		c := s.rest[i]
		switch {
		case c == '-', '0' <= c && c <= '9':
			continue
		case c == '.' && t == typeInteger:
			t = typeNumber
			continue
		case c == 'e', c == 'E', c == '+':
			t = 0
			continue
		}
		break
	}
	s.rest = s.rest[i:]
	if i > long {
		t = 0
	}
	return t
}

func (s *scan) array(sh *shape) bool {
	for s.rest = s.rest[1:]; s.next() != ']'; {
		if s.rest[0] == ',' {
			s.rest = s.rest[1:]
		}
		if !s.value(sh.items) {
			return false
		}
	}
	s.rest = s.rest[1:]
	return true
}

func (s *scan) object(sh *shape) bool {
	var given uint64 // which of the required ones
	for s.rest = s.rest[1:]; s.next() != '}'; {
		if s.rest[0] == ',' {
			s.rest = s.rest[1:]
			s.next()
		}
		name, plain := s.text()
		if !plain {
			return false
		}
		for i := range sh.required {
			if sh.required[i] == string(name) {
				given |= 1 << i
			}
		}
		member := sh.props[string(name)]
		if member == nil {
			if sh.closed {
				return false
			}
			member = sh.others
		}
		s.next()
		s.rest = s.rest[1:] // the colon
		if !s.value(member) {
			return false
		}
	}
	s.rest = s.rest[1:]
	return given == 1<<len(sh.required)-1
}

// forbids reports whether s is the schema that nothing satisfies.
func forbids(s *jsonschema.Schema) bool {
	if s == nil || s.Not == nil {
		return false
	}
	data, err := json.Marshal(s.Not)
	return err == nil && (string(data) == "{}" || string(data) == "true")
}
