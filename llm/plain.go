package llm

import (
	"encoding/json"
	"math"
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

// shapeOf is the shape of a schema, nil if it has others than the plain keywords.
func shapeOf(s *jsonschema.Schema) *shape {
	rest := *s
	rest.Type, rest.Types, rest.Enum, rest.Properties, rest.Required, rest.Items = "", nil, nil, nil, nil, nil
	rest.AdditionalProperties, rest.PropertyOrder = nil, nil
	rest.Title, rest.Description, rest.Format, rest.ContentEncoding = "", "", "", "" // they assert nothing
	if !reflect.ValueOf(rest).IsZero() {
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

// has reports whether the value surely has the shape.
func (sh *shape) has(value any) bool {
	var t typeSet
	ok := true
	switch v := value.(type) {
	case nil:
		t = typeNull
	case bool:
		t = typeBoolean
	case float64:
		if t = typeNumber; v == math.Trunc(v) && !math.IsInf(v, 0) {
			t = typeInteger
		}
	case string:
		t = typeString
	case []any:
		t, ok = typeArray, sh.items == nil || !slices.ContainsFunc(v, func(item any) bool { return !sh.items.has(item) })
	case map[string]any:
		t, ok = typeObject, sh.hasMembers(v)
	default:
		return false
	}
	if sh.enum != nil {
		text, isString := value.(string)
		ok = ok && isString && slices.Contains(sh.enum, text)
	}
	return ok && (sh.types == 0 || sh.types&t != 0)
}

func (sh *shape) hasMembers(v map[string]any) bool {
	for _, name := range sh.required {
		if _, ok := v[name]; !ok {
			return false
		}
	}
	for name, member := range v {
		prop := sh.props[name]
		switch {
		case prop != nil:
			if !prop.has(member) {
				return false
			}
		case sh.closed:
			return false
		case sh.others != nil && !sh.others.has(member):
			return false
		}
	}
	return true
}

// forbids reports whether s is the schema that nothing satisfies.
func forbids(s *jsonschema.Schema) bool {
	if s == nil || s.Not == nil {
		return false
	}
	data, err := json.Marshal(s.Not)
	return err == nil && (string(data) == "{}" || string(data) == "true")
}
