package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// explain finds the problems of a value that the schema library has refused.
// It knows the keywords that inferred and usual schemas are made of; the
// library stays the judge, and its own words serve where this finds nothing.
func (e *SchemaError) explain(s *jsonschema.Schema, value any, path string) {
	if s == nil {
		return
	}
	if want := types(s); len(want) > 0 && !hasType(want, value) {
		e.add(path, "must be %s, not %s", strings.Join(want, " or "), jsonType(value))
		return
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(x any) bool { return jsonschema.Equal(x, value) }) {
		e.add(path, "must be one of %s%s", list(s.Enum), nearestHint(value, s.Enum))
	}
	switch v := value.(type) {
	case float64:
		if s.Minimum != nil && v < *s.Minimum {
			e.add(path, "must be at least %v", *s.Minimum)
		}
		if s.Maximum != nil && v > *s.Maximum {
			e.add(path, "must be at most %v", *s.Maximum)
		}
	case []any:
		if s.MinItems != nil && len(v) < *s.MinItems || s.MaxItems != nil && len(v) > *s.MaxItems {
			e.add(path, "has %d items, which is not allowed", len(v))
		}
		for i, item := range v {
			e.explain(s.Items, item, fmt.Sprintf("%s[%d]", path, i))
		}
	case map[string]any:
		e.explainObject(s, v, path)
	}
}

func (e *SchemaError) explainObject(s *jsonschema.Schema, v map[string]any, path string) {
	for _, name := range s.Required {
		if member, ok := v[name]; !ok || member == nil && !hasType(types(s.Properties[name]), nil) {
			e.add(join(path, name), "is required but missing")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if prop := s.Properties[name]; prop != nil {
			if v[name] != nil || !slices.Contains(s.Required, name) {
				e.explain(prop, v[name], join(path, name))
			}
			continue
		}
		shown := label(name)
		if e.hide {
			shown = "*"
		}
		if !forbids(s.AdditionalProperties) {
			e.explain(s.AdditionalProperties, v[name], join(path, shown))
			continue
		}
		e.unknown(join(path, shown), name, slices.Sorted(maps.Keys(s.Properties)))
	}
}

func (e *SchemaError) unknown(path, name string, known []string) {
	if near := Nearest(name, known); near != "" {
		e.add(path, "is unknown; did you mean %q?", near)
	} else if len(known) > 0 {
		e.add(path, "is unknown; known are %s", strings.Join(known, ", "))
	} else {
		e.add(path, "is unknown; there are no arguments")
	}
}

// label is a name that somebody else chose, fit to be shown.
func label(name string) string {
	const most = 64
	if len(name) > most {
		name = cutText(name, most) + "..."
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return '\uFFFD'
		}
		return r
	}, name)
}

func (e *SchemaError) add(path, format string, args ...any) {
	if path == "" {
		path = "the value"
	}
	e.Problems = append(e.Problems, path+" "+fmt.Sprintf(format, args...))
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func types(s *jsonschema.Schema) []string {
	switch {
	case s == nil:
		return nil
	case s.Type != "":
		return []string{s.Type}
	}
	return s.Types
}

// hasType reports whether the value is of one of the types; no types admit all.
func hasType(want []string, value any) bool {
	got := jsonType(value)
	return len(want) == 0 || slices.Contains(want, got) || got == "integer" && slices.Contains(want, "number")
}

func jsonType(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		if v == math.Trunc(v) && !math.IsInf(v, 0) {
			return "integer"
		}
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func list(values []any) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		data, err := json.Marshal(v)
		if err != nil {
			fmt.Fprint(&b, v)
			continue
		}
		b.Write(data)
	}
	return b.String()
}

func nearestHint(value any, among []any) string {
	text, ok := value.(string)
	if !ok {
		return ""
	}
	var names []string
	for _, a := range among {
		if s, ok := a.(string); ok {
			names = append(names, s)
		}
	}
	if near := Nearest(text, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}
