package llm

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Schema is a named JSON Schema (draft 2020-12 or draft 7). It says what a
// tool's arguments or a model's structured output look like, and checks them.
// Make one with [SchemaFor] or [ParseSchema]; it is safe for concurrent use.
type Schema struct {
	Name string          `json:"name"`
	JSON json.RawMessage `json:"schema"` // properties in declaration order

	root     *jsonschema.Schema
	resolved *jsonschema.Resolved
	shape    *shape               // nil: only the library can tell
	folded   []*jsonschema.Schema // strings that are read whatever their case
}

// SchemaFor infers the schema of T, a struct or a map with string keys, from
// its fields:
//
//	type query struct {
//		City string   `json:"city" jsonschema:"the city to look up"`
//		Unit string   `json:"unit,omitempty" enum:"celsius,kelvin"`
//		Days []string `json:"days,omitempty" enum:"today,tomorrow"`
//	}
//
// A field is required unless its json tag says omitempty or omitzero. The
// jsonschema tag is its description; enum lists the values it may take (of the
// items, for a slice). time.Time is a date-time string, []byte base64,
// json.RawMessage and any are unconstrained, a type with UnmarshalText is a
// string. Unknown properties of a struct are refused. Recursive types and
// fields that JSON cannot hold (functions, channels) are an error.
func SchemaFor[T any](name string) (*Schema, error) {
	t := reflect.TypeFor[T]()
	opts := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[[]byte]():          {Type: "string", ContentEncoding: "base64"},
	}}
	addCustomTypes(t, opts.TypeSchemas, map[reflect.Type]bool{})
	root, err := jsonschema.ForType(t, opts)
	if err != nil {
		return nil, fmt.Errorf("schema %q: cannot describe %v in JSON Schema: %w", name, t, err)
	}
	if root.Type != "object" {
		return nil, fmt.Errorf("schema %q: %v is not an object; use a struct or a map with string keys", name, t)
	}
	r := refiner{}
	if err := r.refine(t, root); err != nil {
		return nil, fmt.Errorf("schema %q: %w", name, err)
	}
	if own, ok := any(new(T)).(interface{ refineSchema(s *jsonschema.Schema) }); ok {
		own.refineSchema(root)
	}
	data, err := json.Marshal(root)
	if err != nil {
		return nil, fmt.Errorf("schema %q of %v: %w", name, t, err)
	}
	s, err := newSchema(name, data, root)
	if err != nil {
		return nil, fmt.Errorf("schema %q: %w", name, err)
	}
	s.folded = r.folded
	return s, nil
}

// ParseSchema compiles a hand-written JSON Schema. Empty data is the schema of
// an object without properties. The bytes are kept as they are. References within
// the schema work, recursive ones too; one that leads to itself without going into
// the value, and those that multiply beyond all use, are an error.
func ParseSchema(name string, data json.RawMessage) (*Schema, error) {
	if len(data) == 0 {
		data = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	}
	root := new(jsonschema.Schema)
	if err := json.Unmarshal(data, root); err != nil {
		return nil, fmt.Errorf("schema %q: not a JSON Schema: %w", name, err)
	}
	s, err := newSchema(name, data, root)
	if err == nil {
		err = checkRefs(root)
	}
	if err != nil {
		return nil, fmt.Errorf("schema %q: %w", name, err)
	}
	return s, nil
}

func newSchema(name string, data json.RawMessage, root *jsonschema.Schema) (s *Schema, err error) {
	defer func() {
		if p := recover(); p != nil { // the library asserts what it has not checked
			err = fmt.Errorf("it cannot be compiled: %v", p)
		}
	}()
	resolved, err := root.Resolve(nil)
	if err != nil {
		return nil, err
	}
	return &Schema{Name: name, JSON: data, root: root, resolved: resolved, shape: shapeOf(root)}, nil
}

var (
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

// addCustomTypes finds the types below t that decode themselves: as text they
// are strings, as JSON anything. Those that the schema library knows stay.
func addCustomTypes(t reflect.Type, into map[reflect.Type]*jsonschema.Schema, seen map[reflect.Type]bool) {
	if seen[t] || into[t] != nil {
		return
	}
	seen[t] = true
	if p := reflect.PointerTo(t); t.Name() != "" && !strings.HasPrefix(t.PkgPath(), "math/big") && t.Kind() != reflect.Interface {
		switch {
		case p.Implements(jsonUnmarshaler):
			into[t] = &jsonschema.Schema{}
			return
		case p.Implements(textUnmarshaler):
			into[t] = &jsonschema.Schema{Type: "string"}
			return
		}
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		addCustomTypes(t.Elem(), into, seen)
	case reflect.Struct:
		for f := range t.Fields() {
			addCustomTypes(f.Type, into, seen)
		}
	}
}

// refiner walks a type beside its inferred schema: it applies enum tags, and
// shows slices as plain arrays (null is tolerated when validating).
type refiner struct{ folded []*jsonschema.Schema }

func (r *refiner) refine(t reflect.Type, s *jsonschema.Schema) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[Confidence]() {
		for _, level := range confidences {
			s.Enum = append(s.Enum, string(level))
		}
		if slices.Contains(s.Types, "null") {
			s.Enum = append(s.Enum, nil)
		}
		r.folded = append(r.folded, s)
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		if s.Items == nil {
			return nil
		}
		if slices.Equal(s.Types, []string{"null", "array"}) {
			s.Type, s.Types = "array", nil
		}
		return r.refine(t.Elem(), s.Items)
	case reflect.Map:
		if s.AdditionalProperties != nil {
			return r.refine(t.Elem(), s.AdditionalProperties)
		}
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = f.Name
			}
			prop := s.Properties[name]
			if f.Anonymous || !f.IsExported() || prop == nil {
				continue
			}
			if err := r.refine(f.Type, prop); err != nil {
				return err
			}
			if tag, ok := f.Tag.Lookup("enum"); ok {
				if err := setEnum(f, prop, tag); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func setEnum(f reflect.StructField, prop *jsonschema.Schema, tag string) error {
	if prop.Items != nil {
		prop = prop.Items
	}
	t := f.Type
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	nullable := slices.Contains(prop.Types, "null")
	for value := range strings.SplitSeq(tag, ",") {
		value = strings.TrimSpace(value)
		if t.Kind() == reflect.String {
			prop.Enum = append(prop.Enum, value)
			continue
		}
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			return fmt.Errorf("field %s: enum value %q is not a %v", f.Name, value, t)
		}
		prop.Enum = append(prop.Enum, v)
	}
	if nullable {
		prop.Enum = append(prop.Enum, nil)
	}
	return nil
}
