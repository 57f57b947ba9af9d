package adapt

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/helios-go/helios/llm"
)

// A Dialect says what of JSON Schema a provider takes. The zero value takes what
// all do.
type Dialect struct {
	Refs bool // references within the schema, also recursive ones
	All  bool // every keyword of the standard; the others take those of Keywords
	// Keywords are taken beside those that all take: type, description, properties,
	// required, items, enum, anyOf, additionalProperties.
	Keywords []string
	Formats  []string // values of format; nil: any, if format is a keyword
	Texts    bool     // enums hold texts only
	Open     bool     // additionalProperties is not taken: objects are open
	// Closed wants additionalProperties:false in every object. Where an object has
	// to be open the schema cannot be had, see [Adapted].Strict.
	Closed bool
	// Strict is Closed, and wants every property to be required: an optional one
	// may be null instead.
	Strict bool
}

// The dialects, with where they are described:
var (
	// Anthropic tools take the standard.
	Anthropic = &Dialect{Refs: true, All: true}
	// AnthropicOutput is for output_config.format
	// (platform.claude.com/docs/en/build-with-claude/structured-outputs).
	AnthropicOutput = &Dialect{Closed: true, Keywords: []string{"title", "default", "const", "format"}, Formats: []string{
		"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid",
	}}
	// OpenAI is for functions that are not strict.
	OpenAI = &Dialect{Keywords: common}
	// OpenAIStrict is for strict functions and outputs
	// (platform.openai.com/docs/guides/structured-outputs).
	OpenAIStrict = &Dialect{Strict: true, Refs: true, Keywords: []string{
		"title", "const", "pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
	}, Formats: []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}}
	// Gemini is for functions and outputs (ai.google.dev/gemini-api/docs/structured-output).
	Gemini = &Dialect{Texts: true, Open: true, Keywords: []string{"title", "format", "minimum", "maximum", "minItems", "maxItems"}, Formats: []string{"date-time", "date", "time"}}
	// Chat is for servers of chat completions. Ollama reads it into a Go struct
	// that has no references, llama.cpp makes a grammar of it.
	Chat = &Dialect{Keywords: common}
)

var common = []string{
	"title", "default", "const", "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
}

// base are the keywords that all take.
var base = []string{"type", "description", "properties", "required", "items", "enum", "anyOf", "additionalProperties"}

func (d *Dialect) takes(keyword string) bool {
	return d.All || slices.Contains(base, keyword) || slices.Contains(d.Keywords, keyword) || d.Refs && (keyword == "$ref" || keyword == "$defs")
}

// An Adapted is a schema in a dialect. It is read only, and safe for concurrent
// use.
type Adapted struct {
	JSON json.RawMessage
	// Strict says that Closed or Strict could be had. Where it could not, JSON is
	// of the dialect in all else.
	Strict bool

	nulls *nulls // nil: nothing to take back
}

// What a schema may become.
const (
	maxNodes = 20_000 // subschemas, references resolved
	maxDepth = 200    // levels of JSON
)

// Schema says a schema in a dialect. What the dialect cannot express is left out,
// or told in the description: the schema gets weaker and never stronger, since
// whoever gets the value checks it anyway. (Closed and Strict are the exception:
// they close objects that were open by default.) Of a schema that is no JSON
// object, or that grows beyond all use when its references are resolved, it is an
// error. The result is of type object, as arguments and outputs are.
func Schema(data json.RawMessage, d *Dialect) (*Adapted, error) {
	if len(data) == 0 {
		data = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	}
	if llm.Deeper(data, maxDepth) {
		return nil, fmt.Errorf("the schema nests more than %d levels deep", maxDepth)
	}
	tree, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	root, ok := tree.(*object)
	if tree == true {
		root, ok = newObject(0), true
	}
	if !ok {
		return nil, errors.New("the schema is not an object")
	}
	a := &adapter{d: d, root: root, possible: true}
	out := a.top(root)
	if a.err != nil {
		return nil, a.err
	}
	adapted := &Adapted{Strict: a.possible && (d.Closed || d.Strict)}
	if d.Strict && a.possible {
		s := &strict{defs: out.object("$defs"), refs: map[string]*nulls{}}
		out, adapted.nulls = s.top(out)
		if !s.possible() {
			adapted.Strict, adapted.nulls = false, nil
			out = a.top(root)
		}
	} else if d.Closed && a.possible {
		closeObjects(out)
	}
	adapted.JSON = encode(out)
	return adapted, nil
}

// An adapter says one schema in its dialect.
type adapter struct {
	d        *Dialect
	root     *object
	nodes    int
	stack    []string // references that are being resolved
	defs     *object  // of references that are kept
	possible bool     // Closed or Strict can be had
	err      error
}

// top adapts the whole schema, which has to be an object's.
func (a *adapter) top(root *object) *object {
	a.nodes, a.defs = 0, nil
	whole := a.resolved(root)
	if all := whole.list("allOf"); all != nil && !a.d.All {
		whole = a.joined(whole)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if alternatives := whole.list(key); alternatives != nil {
			whole = a.united(whole, key, alternatives)
		}
	}
	if a.d.All {
		for _, key := range []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else"} { // refused at the top, all in all
			if key == "allOf" && whole.has(key) {
				whole = a.joined(whole)
			}
			whole = without(whole, key)
		}
	}
	out := a.schema(whole)
	out.set("type", "object")
	if !out.has("properties") {
		out.set("properties", newObject(0))
	}
	if a.defs != nil {
		out.set("$defs", a.defs)
	}
	return front(out, "type")
}

// front is an object with a key before all others.
func front(o *object, key string) *object {
	if o.keys[0] == key {
		return o
	}
	c := newObject(len(o.keys))
	c.set(key, o.m[key])
	for _, k := range o.keys {
		c.set(k, o.m[k])
	}
	return c
}

func without(o *object, key string) *object {
	if !o.has(key) {
		return o
	}
	o = o.clone()
	o.drop(key)
	return o
}

// room counts one more part, and is false when there are too many.
func (a *adapter) room() bool {
	if a.nodes++; a.nodes > maxNodes && a.err == nil {
		a.err = fmt.Errorf("the schema has more than %d parts once its references are resolved", maxNodes)
	}
	return a.err == nil
}

// any adapts a subschema.
func (a *adapter) any(v any) any {
	switch v := v.(type) {
	case *object:
		return a.schema(v)
	default: // true, false, and what is no schema: anything
		a.possible = false
		return newObject(0)
	}
}

func (a *adapter) schema(s *object) *object {
	if !a.room() {
		return newObject(0)
	}
	if ref, ok := s.m["$ref"].(string); ok {
		if out := a.ref(s, ref); out != nil {
			return out
		}
		s = without(s, "$ref")
	}
	if a.d.All {
		return a.plain(s)
	}
	s = a.joined(s)
	out := newObject(len(s.keys))
	var told []string // what only the description can say
	types := typesOf(s)
	for _, key := range s.keys {
		v := s.m[key]
		switch key {
		case "$defs", "definitions", "$schema", "$id", "id", "$comment", "$anchor", "$dynamicAnchor", "examples", "example", "readOnly", "writeOnly",
			"deprecated", "nullable", "type", "not", "if", "then", "else", "unevaluatedProperties", "unevaluatedItems", "additionalItems", "$vocabulary":
		case "properties":
			out.set(key, a.properties(v))
		case "required":
			if names := texts(v); len(names) > 0 {
				out.set(key, names)
			}
		case "items", "prefixItems":
			if !out.has("items") {
				out.set("items", a.items(s))
			}
		case "enum", "const":
			a.enum(s, out, &told)
		case "anyOf", "oneOf":
			a.alternatives(out, v)
		case "additionalProperties":
			a.additional(s, out, v)
		case "patternProperties":
			a.possible = false
		case "format":
			if f, _ := v.(string); a.d.takes(key) && (a.d.Formats == nil || slices.Contains(a.d.Formats, f)) {
				out.set(key, v)
			} else if f != "" {
				told = append(told, "format "+f)
			}
		case "exclusiveMinimum", "exclusiveMaximum", "minimum", "maximum", "multipleOf":
			if _, number := v.(json.Number); number && a.d.takes(key) {
				out.set(key, v)
			} else if number {
				told = append(told, key+" "+string(encode(v)))
			}
		default:
			switch {
			case a.d.takes(key):
				out.set(key, v)
			case key == "pattern", key == "minLength", key == "maxLength", key == "minItems", key == "maxItems", key == "uniqueItems",
				key == "minProperties", key == "maxProperties", key == "contentEncoding", key == "default":
				told = append(told, key+" "+string(encode(v)))
			}
		}
	}
	a.typed(out, types, s)
	tell(out, told)
	return out
}

// plain is a schema of the standard, in which only references are looked after
// and empty enums taken out.
func (a *adapter) plain(s *object) *object {
	out := newObject(len(s.keys))
	for _, key := range s.keys {
		switch v := s.m[key].(type) {
		case *object:
			switch key {
			case "properties", "patternProperties", "dependentSchemas":
				out.set(key, a.properties(v))
			case "default", "const", "example":
				out.set(key, v)
			case "$defs", "definitions": // those that are referred to come back
			default:
				out.set(key, a.schema(v))
			}
		case []any:
			switch {
			case key == "enum" && len(v) == 0:
			case key == "anyOf" || key == "oneOf" || key == "allOf" || key == "prefixItems":
				list := make([]any, 0, len(v))
				for i := range v {
					if sub, ok := v[i].(*object); ok {
						list = append(list, a.schema(sub))
					} else {
						list = append(list, v[i])
					}
				}
				if len(list) > 0 {
					out.set(key, list)
				}
			default:
				out.set(key, v)
			}
		default:
			if key != "$schema" && key != "$id" && key != "id" && key != "$anchor" {
				out.set(key, v)
			}
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

// items is what the elements of an array are. Those of a tuple are any of its
// kinds.
func (a *adapter) items(s *object) any {
	prefix, tuple := s.m["prefixItems"].([]any)
	rest, more := s.m["items"], s.has("items")
	if list, old := rest.([]any); old { // as drafts before 2020-12 wrote tuples
		prefix, tuple = list, true
		rest, more = s.m["additionalItems"], s.has("additionalItems")
	}
	if !tuple {
		return a.any(rest)
	}
	if sub, ok := rest.(*object); ok {
		prefix = append(slices.Clip(prefix), sub)
	} else if rest != false || !more { // anything may come behind
		a.possible = false
		return newObject(0)
	}
	var kinds []any
	for i := range prefix {
		kind := a.any(prefix[i])
		if !slices.ContainsFunc(kinds, func(k any) bool { return equal(k, kind) }) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 1 {
		return kinds[0]
	}
	if len(kinds) == 0 {
		return newObject(0)
	}
	out := newObject(1)
	out.set("anyOf", kinds)
	return out
}

// enum keeps the values that may be listed, or tells them.
func (a *adapter) enum(s, out *object, told *[]string) {
	values, isList := s.m["enum"].([]any)
	if one, ok := s.m["const"]; ok {
		values, isList = []any{one}, true
	}
	if !isList || len(values) == 0 || out.has("enum") {
		return
	}
	if a.d.Texts {
		for _, v := range values {
			if _, text := v.(string); !text && v != nil {
				*told = append(*told, "one of "+strings.Trim(string(encode(values)), "[]"))
				return
			}
		}
		values = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return v == nil || v == "" })
		if len(values) == 0 {
			return
		}
	}
	out.set("enum", values)
}

func (a *adapter) alternatives(out *object, v any) {
	list, ok := v.([]any)
	if !ok || len(list) == 0 || out.has("anyOf") {
		return
	}
	kinds := make([]any, len(list))
	for i := range list {
		kinds[i] = a.any(list[i])
	}
	out.set("anyOf", kinds)
}

func (a *adapter) additional(s, out *object, v any) {
	switch sub := v.(type) {
	case bool:
		if sub {
			a.possible = false
		}
		if !a.d.Open && (sub || !s.has("patternProperties")) {
			out.set("additionalProperties", sub)
		}
	case *object:
		a.possible = false
		if kind := a.schema(sub); !a.d.Open && !s.has("patternProperties") {
			out.set("additionalProperties", kind)
		}
	}
}

// tell adds to the description what a dialect has no keyword for.
func tell(out *object, told []string) {
	if len(told) == 0 {
		return
	}
	text := out.text("description")
	if text != "" {
		text += " "
	}
	out.set("description", text+"("+strings.Join(told, ", ")+")")
}

func texts(v any) []any {
	list, _ := v.([]any)
	var out []any
	for _, v := range list {
		if _, ok := v.(string); ok && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
