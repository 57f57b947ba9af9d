package adapt

import (
	"encoding/json"
	"slices"
	"strings"
)

// keywords adapts a schema without a reference.
func (a *adapter) keywords(s *object) *object {
	var rest *object  // what holds for each of its alternatives
	var told []string // what only the description can say
	entered := len(a.stack)
	defer func() { a.stack = a.stack[:entered] }()
	if !a.d.All {
		if s = a.joined(s); s.has("$ref") { // that all of it was
			return a.schema(s)
		}
	}
	s = modern(s)
	if !a.d.All {
		s = a.demanded(a.listed(s, &told), &told)
		s, rest = a.beside(s)
	}
	out := newObject(len(s.keys))
	for _, key := range s.keys {
		switch v := s.m[key]; key {
		case "anyOf", "oneOf":
			if list, ok := v.([]any); ok && !a.d.All {
				a.alternatives(s, rest, out, list)
				continue
			}
			a.keyword(s, out, key, &told)
		default:
			a.keyword(s, out, key, &told)
		}
	}
	if kinds := out.m["anyOf"]; kinds != nil && !a.d.All { // they may have become single values
		either := newObject(1)
		either.set("anyOf", kinds)
		if either = a.listed(either, &told); !either.has("anyOf") {
			out.drop("anyOf")
			s = either
			a.enum(s, out, &told)
		}
	}
	a.typed(s, out)
	tell(out, told)
	return sole(out)
}

// sole is the alternative itself where there is but one, and nothing beside.
func sole(o *object) *object {
	if kinds := o.list("anyOf"); len(kinds) == 1 && len(o.keys) == 1 {
		if kind, ok := kinds[0].(*object); ok {
			return kind
		}
	}
	return o
}

func (a *adapter) keyword(s, out *object, key string, told *[]string) {
	switch v := s.m[key]; key {
	case "$defs", "definitions", "$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor", "$vocabulary",
		"$ref", "type", "nullable":
	case "description":
		if text, ok := v.(string); ok && text != "" {
			out.set(key, text)
		}
	case "enum", "const":
		switch values := valuesOf(s); {
		case !a.d.All:
			a.enum(s, out, told)
		case key == "const":
			out.set(key, v)
		case s.has("const"):
		case len(values) > 0:
			out.set(key, values)
		}
	case "properties":
		if _, ok := v.(*object); ok || !a.d.All {
			out.set(key, a.properties(v))
		}
	case "required":
		a.required(s, out, v)
	case "additionalProperties":
		a.additional(s, out, v)
	case "items", "prefixItems":
		switch {
		case a.d.All:
			a.other(out, key, v, told)
		case !out.has("items"):
			out.set("items", a.items(s))
		}
	case "patternProperties":
		a.possible = false
		a.other(out, key, v, told)
	default:
		a.other(out, key, v, told)
	}
}

// other is for a keyword that some dialects have and others have not.
func (a *adapter) other(out *object, key string, v any, told *[]string) {
	if v = a.sound(key, v); v == nil && key != "default" {
		return
	}
	format, _ := v.(string) // or a pattern
	switch {
	case key == "pattern" && !a.d.All && !regular(format):
		*told = append(*told, key+" "+string(encode(v)))
	case key == "format" && a.d.takesFormat(format), key != "format" && a.d.takes(key):
		out.set(key, v)
	case key == "format":
		*told = append(*told, "format "+format)
	case tellable[key]:
		*told = append(*told, key+" "+string(encode(v)))
	}
}

// regular reports whether a pattern is one that a grammar can be made of: none that
// looks around or back.
func regular(pattern string) bool {
	for i := 0; i+1 < len(pattern); i++ {
		switch next := pattern[i+1]; {
		case pattern[i] == '\\':
			if '1' <= next && next <= '9' || next == 'b' || next == 'B' || next == 'k' {
				return false
			}
			i++
		case pattern[i] == '(' && next == '?' && !strings.HasPrefix(pattern[i:], "(?:"):
			return false
		}
	}
	return true
}

// tellable are the keywords that a model understands in a description too.
var tellable = map[string]bool{
	"pattern": true, "minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true, "multipleOf": true,
	"minLength": true, "maxLength": true, "minItems": true, "maxItems": true, "uniqueItems": true, "minProperties": true, "maxProperties": true,
	"contentEncoding": true, "contentMediaType": true, "default": true, "not": true, "dependentRequired": true, "propertyNames": true,
	"contains": true, "if": true, "then": true, "else": true, "patternProperties": true,
}

// tell adds to the description what a dialect has no keyword for, unless it is
// long or refers to what is not there.
func tell(out *object, told []string) {
	const most = 2000
	text := out.text("description")
	var short []string
	for _, t := range told {
		if len(t) <= most && !strings.Contains(t, `"$ref":`) {
			short = append(short, t)
		}
	}
	if len(short) == 0 {
		return
	}
	if text != "" {
		text += " "
	}
	out.set("description", text+"("+strings.Join(short, ", ")+")")
}

// sound is a keyword's value if it is what the standard says, and nil if not:
// providers refuse a request over what is of no use to anybody.
func (a *adapter) sound(key string, v any) any {
	switch key {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		if _, ok := v.(json.Number); ok {
			return v
		}
		return nil
	case "multipleOf":
		if n, ok := v.(json.Number); ok && !strings.HasPrefix(string(n), "-") && strings.Trim(string(n), "0.eE+-") != "" {
			return v
		}
		return nil
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		if n, ok := v.(json.Number); ok {
			return whole64(n)
		}
		return nil
	case "uniqueItems", "deprecated", "readOnly", "writeOnly":
		if _, ok := v.(bool); ok {
			return v
		}
		return nil
	case "title", "pattern", "format", "contentEncoding", "contentMediaType", "$comment":
		if text, ok := v.(string); ok && text != "" {
			return v
		}
		return nil
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if list, _ := v.([]any); len(list) > 0 {
			return a.each(list)
		}
		return nil
	case "not", "if", "then", "else", "contains", "propertyNames", "items", "unevaluatedProperties", "unevaluatedItems", "contentSchema":
		return a.sub(v)
	case "patternProperties", "dependentSchemas":
		if _, ok := v.(*object); ok {
			return a.members(v)
		}
		return nil
	case "dependentRequired":
		return lists(v)
	case "examples":
		if _, ok := v.([]any); ok {
			return v
		}
		return nil
	}
	return v
}

// whole64 is a count as it is written in the standard: without a point.
func whole64(n json.Number) any {
	r, ok := rational(string(n))
	if !ok || !r.IsInt() || r.Sign() < 0 || !r.Num().IsInt64() {
		return nil
	}
	return json.Number(r.Num().String())
}

// sub adapts a subschema of a keyword that only the standard has, and leaves it as
// it is where it can be told at most.
func (a *adapter) sub(v any) any {
	switch v := v.(type) {
	case *object:
		if a.d.All {
			return a.schema(v)
		}
		return v
	case bool:
		return v
	}
	return nil
}

func (a *adapter) each(list []any) any {
	out := make([]any, 0, len(list))
	for i := range list {
		if v := a.sub(list[i]); v != nil {
			out = append(out, v)
		} else {
			out = append(out, true)
		}
	}
	return out
}

func (a *adapter) members(v any) any {
	in := v.(*object) //nolint:forcetypeassert // the caller has looked
	out := newObject(len(in.keys))
	for _, name := range in.keys {
		if sub := a.sub(in.m[name]); sub != nil {
			out.set(name, sub)
		}
	}
	return out
}

// lists are the members of an object that are lists of texts.
func lists(v any) any {
	in, ok := v.(*object)
	if !ok {
		return nil
	}
	out := newObject(len(in.keys))
	for _, name := range in.keys {
		if list, ok := in.m[name].([]any); ok {
			out.set(name, append([]any{}, texts(list)...))
		}
	}
	return out
}

func (a *adapter) properties(v any) *object {
	in, ok := v.(*object)
	if !ok {
		return newObject(0)
	}
	out := newObject(len(in.keys))
	for _, name := range in.keys {
		out.set(name, a.any(in.m[name]))
	}
	return out
}

func (a *adapter) required(s, out *object, v any) {
	names := texts(v)
	props := s.object("properties")
	for _, name := range names {
		if props == nil || !props.has(name.(string)) { //nolint:forcetypeassert // texts
			a.possible = false // nothing may be called so in a closed object
		}
	}
	if len(names) > 0 {
		out.set("required", names)
	}
}

// items is what the elements of an array are. Those of a tuple are any of its
// kinds.
func (a *adapter) items(s *object) any {
	prefix, tuple := s.m["prefixItems"].([]any)
	if !tuple {
		return a.any(s.m["items"])
	}
	switch rest := s.m["items"].(type) {
	case *object:
		prefix = append(slices.Clip(prefix), rest)
	case bool:
		if rest {
			a.possible = false
			return newObject(0)
		}
	default: // anything may come behind
		a.possible = false
		return newObject(0)
	}
	either := newObject(1)
	either.set("anyOf", prefix)
	return a.schema(either)
}

func (a *adapter) additional(s, out *object, v any) {
	switch sub := v.(type) {
	case bool:
		if sub {
			a.possible = false
		}
		if !a.d.Open && (sub || a.d.All || !s.has("patternProperties")) {
			out.set("additionalProperties", sub)
		}
	case *object:
		a.possible = false
		if !a.d.Open && (a.d.All || !s.has("patternProperties")) {
			out.set("additionalProperties", a.schema(sub))
		}
	}
}

// modern is a schema in the words of draft 2020-12, if it was in older ones.
func modern(s *object) *object {
	if list, ok := s.m["items"].([]any); ok {
		rest, more := s.m["additionalItems"], s.has("additionalItems")
		s = without(s.clone(), "additionalItems")
		if s.drop("items"); !s.has("prefixItems") {
			s.set("prefixItems", list)
		}
		if more {
			s.set("items", rest)
		}
	} else {
		s = without(s, "additionalItems")
	}
	for _, limit := range []string{"minimum", "maximum"} {
		strictly := "exclusive" + strings.ToUpper(limit[:1]) + limit[1:]
		on, old := s.m[strictly].(bool)
		if !old {
			continue
		}
		s = without(s, strictly)
		if n, ok := s.m[limit].(json.Number); on && ok {
			s = without(s, limit)
			s.set(strictly, n)
		}
	}
	if d, ok := s.m["dependencies"].(*object); ok {
		s = without(s, "dependencies")
		required, schemas := newObject(0), newObject(0)
		for _, name := range d.keys {
			if list, ok := d.m[name].([]any); ok {
				required.set(name, list)
			} else {
				schemas.set(name, d.m[name])
			}
		}
		if len(required.keys) > 0 && !s.has("dependentRequired") {
			s.set("dependentRequired", required)
		}
		if len(schemas.keys) > 0 && !s.has("dependentSchemas") {
			s.set("dependentSchemas", schemas)
		}
	}
	return s
}

// texts are the texts in a list, each once.
func texts(v any) []any {
	list, _ := v.([]any)
	seen := make(map[string]bool, len(list))
	var out []any
	for _, v := range list {
		if text, ok := v.(string); ok && !seen[text] {
			seen[text] = true
			out = append(out, v)
		}
	}
	return out
}
