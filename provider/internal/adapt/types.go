package adapt

import (
	"encoding/json"
	"slices"
	"strings"
)

func known(t string) bool {
	return slices.Contains([]string{"object", "array", "string", "number", "integer", "boolean", "null"}, t)
}

// explicit are the types that a schema names, of those that there are.
func explicit(s *object) []string {
	switch t := s.m["type"].(type) {
	case string:
		if known(t) {
			return []string{t}
		}
	case []any:
		var types []string
		for _, v := range t {
			if name, ok := v.(string); ok && known(name) && !slices.Contains(types, name) {
				types = append(types, name)
			}
		}
		return types
	}
	return nil
}

// valuesOf are the values that a schema lists, each once. None is no list.
func valuesOf(s *object) []any {
	if one, ok := s.m["const"]; ok {
		return []any{one}
	}
	return once(s.list("enum"))
}

// fitting are the values that a schema lists and that are of its type.
func fitting(s *object) []any {
	values, types := valuesOf(s), explicit(s)
	if len(types) > 0 {
		values = slices.DeleteFunc(values, func(v any) bool {
			return !slices.ContainsFunc(types, func(t string) bool { return admits(t, v) })
		})
	}
	if s.m["nullable"] == true && len(values) > 0 && !slices.Contains(values, nil) {
		values = append(values, nil)
	}
	return values
}

// typesOf are the types that a schema allows, as far as it says: its type, or what
// its keywords are about. Nil is any.
func typesOf(s *object) []string {
	types := explicit(s)
	switch {
	case len(types) > 0:
	case s.has("const") || len(s.list("enum")) > 0:
		values := s.list("enum")
		if one, ok := s.m["const"]; ok {
			values = []any{one}
		}
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

// admits reports whether a value that is listed is of a type.
func admits(t string, v any) bool {
	own := typeOf(v)
	return own == t || t == "number" && own == "integer" || t == "integer" && own == "number"
}

// enum lists the values that may be listed, or tells them.
func (a *adapter) enum(s, out *object, told *[]string) {
	values := fitting(s)
	if out.has("enum") {
		return
	}
	if len(values) > 0 && !slices.ContainsFunc(values, func(v any) bool { return !a.lists(v) }) {
		out.set("enum", values)
		return
	}
	if len(values) == 0 { // as people write who take a flag for a text
		values = valuesOf(s)
	}
	if text := "one of " + strings.Trim(string(encode(values)), "[]"); len(values) > 0 && !slices.Contains(*told, text) {
		*told = append(*told, text)
	}
}

// lists reports whether the dialect takes a value in a list.
func (a *adapter) lists(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v != "" || !a.d.Texts
	case json.Number, bool:
		return !a.d.Texts
	}
	return false
}

// typed sets the types, and what providers want beside some of them.
func (a *adapter) typed(s, out *object) {
	if a.d.All {
		if types := explicit(s); len(types) == 1 {
			out.set("type", types[0])
		} else if len(types) > 1 {
			out.set("type", list(types))
		}
		if out.has("type") {
			*out = *front(out, "type")
		}
		return
	}
	types := typesOf(s)
	values := fitting(s)
	if len(types) > 1 && len(values) > 0 { // of which none needs to be told that no value has
		own := slices.DeleteFunc(slices.Clone(types), func(t string) bool { return !slices.ContainsFunc(values, func(v any) bool { return admits(t, v) }) })
		if len(own) > 0 {
			types = own
		}
	}
	if slices.Contains(types, "integer") && slices.Contains(types, "number") {
		types = slices.DeleteFunc(types, func(t string) bool { return t == "integer" })
	}
	if len(types) == 0 {
		if !out.has("anyOf") {
			a.possible = false
		}
		return
	}
	if slices.Contains(types, "array") && !out.has("items") {
		out.set("items", newObject(0))
		a.possible = false
	}
	if slices.Contains(types, "object") && !out.has("properties") && s.m["additionalProperties"] != false && !out.has("anyOf") {
		a.possible = false // free in its form
	}
	a.setTypes(out, types)
}

func (a *adapter) setTypes(out *object, types []string) {
	null := slices.Contains(types, "null")
	some := len(types)
	if null {
		some--
	}
	enum := out.list("enum")
	switch {
	case out.has("anyOf"):
	case a.d.Texts && slices.Contains(enum, nil):
		if len(enum) == 1 {
			out.drop("enum")
			out.set("type", "null")
			break
		}
		out.set("enum", slices.DeleteFunc(slices.Clone(enum), func(v any) bool { return v == nil }))
		split(out, types)
		return
	case a.d.OneType && some > 1:
		split(out, types)
		return
	}
	if len(types) == 1 {
		out.set("type", types[0])
	} else if !out.has("type") {
		out.set("type", list(types))
	}
	*out = *front(out, "type")
}

func list(types []string) []any {
	out := make([]any, len(types))
	for i, t := range types {
		out[i] = t
	}
	return out
}

// about says which type a keyword is about.
var about = map[string]string{
	"properties": "object", "required": "object", "additionalProperties": "object", "minProperties": "object", "maxProperties": "object",
	"items": "array", "minItems": "array", "maxItems": "array", "uniqueItems": "array",
	"format": "string", "pattern": "string", "minLength": "string", "maxLength": "string",
	"minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number", "multipleOf": "number",
}

// split makes an alternative of each type.
func split(out *object, types []string) {
	kinds := make([]any, len(types))
	for i, t := range types {
		kind := newObject(2)
		kind.set("type", t)
		for _, key := range out.keys {
			if about[key] == t || about[key] == "number" && t == "integer" || key == "enum" && t != "null" {
				kind.set(key, out.m[key])
			}
		}
		kinds[i] = kind
	}
	for _, key := range slices.Clone(out.keys) {
		if about[key] != "" || key == "enum" {
			out.drop(key)
		}
	}
	out.set("anyOf", kinds)
	*out = *front(out, "anyOf")
}
