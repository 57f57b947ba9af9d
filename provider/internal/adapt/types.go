package adapt

import (
	"encoding/json"
	"slices"
	"strings"
)

// typesOf are the types that a schema allows, as far as it says: its type, or what
// its keywords are about. Nil is any.
func typesOf(s *object) []string {
	var types []string
	switch t := s.m["type"].(type) {
	case string:
		types = []string{t}
	case []any:
		for _, v := range t {
			if name, ok := v.(string); ok && !slices.Contains(types, name) {
				types = append(types, name)
			}
		}
	}
	values, listed := s.m["enum"].([]any)
	if one, ok := s.m["const"]; ok {
		values, listed = []any{one}, true
	}
	switch {
	case len(types) > 0:
	case listed && len(values) > 0:
		for _, v := range values {
			if t := typeOf(v); !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	case s.has("properties"), s.has("additionalProperties"), s.has("required"):
		types = []string{"object"}
	case s.has("items"), s.has("prefixItems"):
		types = []string{"array"}
	}
	if s.m["nullable"] == true && len(types) > 0 && !slices.Contains(types, "null") {
		types = append(types, "null")
	}
	return types
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if strings.ContainsAny(string(v), ".eE") {
			return "number"
		}
		return "integer"
	case []any:
		return "array"
	}
	return "object"
}

// typed sets the types, and what providers want beside some of them.
func (a *adapter) typed(out *object, types []string, s *object) {
	known := slices.DeleteFunc(slices.Clone(types), func(t string) bool {
		return !slices.Contains([]string{"object", "array", "string", "number", "integer", "boolean", "null"}, t)
	})
	switch len(known) {
	case 0:
		if !out.has("anyOf") {
			a.possible = false
		}
		return
	case 1:
		out.set("type", known[0])
	default:
		list := make([]any, len(known))
		for i, t := range known {
			list[i] = t
		}
		out.set("type", list)
	}
	if slices.Contains(known, "null") {
		if values := out.list("enum"); values != nil && !a.d.Texts && !slices.Contains(values, any(nil)) && s.m["nullable"] == true {
			out.set("enum", append(slices.Clip(values), nil))
		}
	}
	if slices.Contains(known, "array") && !out.has("items") {
		out.set("items", newObject(0))
		a.possible = false
	}
	if slices.Contains(known, "object") && !out.has("properties") && s.m["additionalProperties"] != false && !out.has("anyOf") {
		a.possible = false // free in its form
	}
	if moved := front(out, "type"); moved != out {
		*out = *moved
	}
}
