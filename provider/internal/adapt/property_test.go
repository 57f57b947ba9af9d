package adapt_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
)

type dict = map[string]any

// A drawing draws JSON Schemas, and values that they may allow.
type drawing struct {
	*rapid.T
	strict bool // only what strict mode can say
	exact  bool // and say exactly
}

func (d drawing) pick(of ...string) string { return rapid.SampledFrom(of).Draw(d.T, "pick") }
func (d drawing) coin() bool               { return rapid.Bool().Draw(d.T, "coin") }
func (d drawing) upTo(n int) int           { return rapid.IntRange(0, n).Draw(d.T, "n") }

// schema draws one of every keyword that adapting looks at.
func (d drawing) schema(depth int) any {
	kinds := []string{"string", "integer", "number", "boolean", "enum", "const", "nullable", "types", "null"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "object", "array", "anyOf", "ref", "values", "refs")
		if !d.exact {
			kinds = append(kinds, "oneOf", "allOf", "base")
		}
	}
	if !d.strict {
		kinds = append(kinds, "any", "true", "text", "mixed", "openapi")
		if depth > 0 {
			kinds = append(kinds, "tuple", "not", "if", "map", "demand", "wrong", "dependent")
		}
	}
	kind := d.pick(kinds...)
	s := dict{}
	if d.coin() {
		s["description"] = "words"
	}
	switch kind {
	case "string", "integer", "number", "boolean", "null":
		s["type"] = kind
		if kind == "integer" && d.coin() {
			s["minimum"], s["maximum"] = 0, 7
		}
	case "text":
		s["type"], s[d.pick("minLength", "maxLength")] = "string", 1
		s["format"], s["default"] = d.pick("uri", "date-time", "odd"), "x"
	case "enum":
		s["enum"] = rapid.SampledFrom([][]any{{"x", "y"}, {1, 2}, {"x", nil}, {1, "x"}, {"x", "x", "z"}, {true}, {nil}}).Draw(d.T, "values")
	case "mixed":
		s["enum"] = rapid.SampledFrom([][]any{{"", "y"}, {1.5, []any{1}}, {dict{"a": 1}}, {1e3, 7}}).Draw(d.T, "values")
	case "const":
		s["const"] = rapid.SampledFrom([]any{"x", 1, nil, false}).Draw(d.T, "value")
	case "nullable":
		s["type"] = []any{d.pick("string", "integer", "boolean"), "null"}
	case "types":
		s["type"] = rapid.SampledFrom([][]any{{"string", "integer"}, {"number", "integer", "null"}, {"boolean", "string"}}).Draw(d.T, "types")
		if d.coin() {
			s["enum"] = []any{"x", 1, nil}
		}
	case "openapi":
		s["type"], s["nullable"] = d.pick("string", "integer"), true
	case "wrong":
		s["type"], s["properties"], s["required"] = "object", dict{"a": d.schema(0)}, []any{"a", "elsewhere"}
	case "any":
	case "true":
		return true
	case "object":
		d.object(s, depth)
	case "map":
		s["type"], s["additionalProperties"] = "object", d.schema(depth-1)
		if d.coin() {
			s["patternProperties"] = dict{"^a": d.schema(depth - 1)}
		}
	case "array":
		s["type"], s["items"] = "array", d.schema(depth-1)
		if d.coin() {
			s["maxItems"] = 3
		}
	case "tuple":
		s["type"] = "array"
		list := []any{d.schema(depth - 1), d.schema(depth - 1)}
		s["prefixItems"] = list
		if d.coin() {
			s["items"] = rapid.SampledFrom([]any{false, true, dict{"type": "string"}}).Draw(d.T, "rest")
		}
	case "anyOf", "oneOf":
		s[kind] = []any{d.schema(depth - 1), d.schema(depth - 1)}
	case "values":
		s[d.pick("anyOf", "oneOf")] = []any{dict{"const": "x", "description": "the x"}, dict{"const": "y"}, dict{"type": "null"}}[:2+d.upTo(1)]
	case "base": // alternatives beside what all have
		d.object(s, depth)
		one, two := dict{}, dict{"type": "object", "properties": dict{"b": d.schema(0)}}
		d.object(one, depth-1)
		s[d.pick("anyOf", "oneOf")] = []any{one, two}
	case "demand":
		d.object(s, depth)
		s["anyOf"] = []any{dict{"required": []any{"a"}}, dict{"required": []any{"b"}}}
	case "allOf":
		s["allOf"] = []any{d.schema(depth - 1), d.schema(depth - 1)}
		if d.coin() {
			d.object(s, depth-1)
		}
	case "not":
		s["not"] = d.schema(0)
	case "if":
		d.object(s, depth-1)
		s["if"], s["then"] = dict{"required": []any{"a"}}, dict{"required": []any{"b"}}
	case "dependent":
		d.object(s, depth-1)
		s["dependentRequired"] = dict{"a": []any{"b"}}
	case "ref", "refs":
		s["$ref"] = "#/$defs/" + d.pick("one", "two", "three")
		if kind == "refs" {
			s[d.pick("default", "title")] = "x"
		}
	}
	return s
}

func (d drawing) object(s dict, depth int) {
	props := dict{}
	var required []any
	for _, name := range []string{"a", "b", "c"}[:d.upTo(3)] {
		props[name] = d.schema(max(depth-1, 0))
		if d.coin() {
			required = append(required, name)
		}
	}
	s["type"], s["properties"] = "object", props
	if required != nil {
		s["required"] = required
	}
	if d.strict || d.coin() {
		s["additionalProperties"] = false
	}
}

// root draws the schema of arguments, and what it refers to.
func (d drawing) root() (schema dict) {
	schema = dict{}
	d.object(schema, 3)
	if !d.strict && d.coin() {
		schema["allOf"] = []any{dict{"required": []any{}}, dict{"description": "all"}}
	}
	closed := dict{"n": dict{"$ref": "#/$defs/two"}, "a": dict{"type": "integer"}}
	schema["$defs"] = dict{
		"one":   dict{"type": "string", "enum": []any{"x", "y", "z"}},
		"two":   dict{"type": "object", "properties": closed, "additionalProperties": false},
		"three": dict{"type": "array", "items": d.schema(1)},
	}
	return schema
}

// value draws what a schema may allow, and sometimes something else.
func (d drawing) value(v any, defs dict, depth int) any {
	s, _ := v.(dict)
	if depth == 0 || s == nil || d.upTo(15) == 0 {
		return rapid.SampledFrom([]any{"", "x", "y", 0, 1, 1.5, true, nil, []any{}, dict{}, dict{"a": "x"}}).Draw(d.T, "any")
	}
	if ref, ok := s["$ref"].(string); ok {
		return d.value(defs[strings.TrimPrefix(ref, "#/$defs/")], defs, depth-1)
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		list, ok := s[key].([]any)
		if !ok {
			continue
		}
		own := d.value(list[d.upTo(len(list)-1)], defs, depth)
		if s["type"] != "object" {
			return own
		}
		base := d.value(without(s, key), defs, depth)
		if o, ok := own.(dict); ok {
			if b, ok := base.(dict); ok {
				maps.Copy(o, b)
				return o
			}
		}
		return base
	}
	if list, ok := s["enum"].([]any); ok {
		return list[d.upTo(len(list)-1)]
	}
	if one, ok := s["const"]; ok {
		return one
	}
	types, ok := s["type"].([]any)
	if !ok {
		types = []any{s["type"]}
	}
	switch types[d.upTo(len(types)-1)] {
	case "object":
		out := dict{}
		required, _ := s["required"].([]any)
		props, _ := s["properties"].(dict)
		for _, name := range slices.Sorted(maps.Keys(props)) {
			if slices.Contains(required, any(name)) || d.coin() {
				out[name] = d.value(props[name], defs, depth-1)
			}
		}
		if s["additionalProperties"] != false && d.coin() {
			out[d.pick("b", "z", "ab", "elsewhere")] = d.value(s["additionalProperties"], defs, depth-1)
		}
		return out
	case "array":
		out := []any{}
		prefix, _ := s["prefixItems"].([]any)
		for i := range d.upTo(3) {
			if i < len(prefix) {
				out = append(out, d.value(prefix[i], defs, depth-1))
			} else {
				out = append(out, d.value(s["items"], defs, depth-1))
			}
		}
		return out
	case "string":
		return d.pick("", "x", "y", "longer")
	case "integer":
		return rapid.SampledFrom([]any{0, 1, 7, 9, -1, 3.0}).Draw(d.T, "integer")
	case "number":
		return rapid.SampledFrom([]any{0, 1.5, -2}).Draw(d.T, "number")
	case "boolean":
		return d.coin()
	case "null":
		return nil
	}
	return d.value(nil, nil, 0)
}

func without(s dict, key string) dict {
	s = maps.Clone(s)
	delete(s, key)
	return s
}

func encoded(t *rapid.T, v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// judge reads a schema to the letter: without the nulls that llm tolerates at the
// top.
func judge(t *rapid.T, schema json.RawMessage) *llm.Schema {
	var s dict
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	strict := dict{"anyOf": []any{without(s, "$defs")}}
	if defs, ok := s["$defs"]; ok {
		strict["$defs"] = defs
	}
	j, err := llm.ParseSchema("s", encoded(t, strict))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return j
}

func inDialect(t *rapid.T, schema json.RawMessage, name string) *adapt.Adapted {
	a, err := adapt.Schema(schema, dialects[name])
	if err != nil {
		t.Fatalf("%s in %s: %v", schema, name, err)
	}
	again, err := adapt.Schema(schema, dialects[name])
	if err != nil || string(again.JSON) != string(a.JSON) || again.Strict != a.Strict {
		t.Fatalf("%s in %s is %s, and another time %s, %v", schema, name, a.JSON, again.JSON, err)
	}
	if d := dialects[name]; (d.Strict || d.Closed) && !a.Strict {
		return a // what could not be closed may be now that it says less
	}
	again, err = adapt.Schema(a.JSON, dialects[name])
	if err != nil || string(again.JSON) != string(a.JSON) {
		t.Fatalf("%s\nin %s is %s,\nand adapted again %s, %v", schema, name, a.JSON, again.JSON, err)
	}
	return a
}

// What was valid stays valid: a provider never keeps a model from saying what the
// tool would take.
func TestAnAdaptedSchemaIsWeaker(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"anthropic", "chat", "gemini", "openai"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			valid := 0
			rapid.Check(t, func(t *rapid.T) {
				d := drawing{T: t}
				schema := d.root()
				data := encoded(t, schema)
				before, a := judge(t, data), inDialect(t, data, name)
				after := judge(t, a.JSON)
				for range 10 {
					value := encoded(t, d.value(schema, schema["$defs"].(dict), 6))
					if before.Validate(value) != nil {
						continue
					}
					valid++
					if err := after.Validate(a.Out(value)); err != nil {
						t.Fatalf("%s\nin %s is %s,\nwhich refuses %s: %v", data, name, a.JSON, value, err)
					}
				}
			})
			t.Logf("%d values were valid", valid)
		})
	}
}

// Closed objects are weaker too, apart from what was open.
func TestAClosedSchemaIsWeaker(t *testing.T) {
	t.Parallel()
	valid := 0
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{T: t, strict: true}
		schema := d.root()
		data := encoded(t, schema)
		before, a := judge(t, data), inDialect(t, data, "anthropic output")
		after := judge(t, a.JSON)
		for range 10 {
			value := encoded(t, d.value(schema, schema["$defs"].(dict), 6))
			if before.Validate(value) != nil {
				continue
			}
			valid++
			if err := after.Validate(value); err != nil {
				t.Fatalf("%s\nis %s,\nwhich refuses %s: %v", data, a.JSON, value, err)
			}
		}
	})
	t.Logf("%d values were valid", valid)
}

// What a model says in strict mode is, without the nulls, what the tool takes; and
// it can say everything that the tool takes.
func TestAStrictValueFitsTheSchemaItself(t *testing.T) {
	t.Parallel()
	var possible, there, back int
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{T: t, strict: true, exact: rapid.Bool().Draw(t, "exact")}
		schema := d.root()
		data := encoded(t, schema)
		before, a := judge(t, data), inDialect(t, data, "openai strict")
		if !a.Strict {
			return
		}
		possible++
		after := judge(t, a.JSON)
		var strict dict
		if err := json.Unmarshal(a.JSON, &strict); err != nil {
			t.Fatal(err)
		}
		defs, _ := strict["$defs"].(dict)
		for range 10 {
			drawn := d.value(schema, schema["$defs"].(dict), 6)
			if value := encoded(t, drawn); before.Validate(value) == nil {
				there++
				filled, ok := fill(t, strict, defs, generic(t, value))
				if !ok || after.Validate(encoded(t, filled)) != nil {
					t.Fatalf("%s\nis strictly %s,\nwhich has no way to say %s", data, a.JSON, value)
				}
				if got := a.Back(encoded(t, filled)); d.exact && before.Validate(got) != nil {
					t.Fatalf("%s\nis strictly %s,\nwhere %s is %s; that comes back as %s: %v", data, a.JSON, value, encoded(t, filled), got, before.Validate(got))
				}
			}
			value := encoded(t, d.value(strict, defs, 6))
			if after.Validate(value) != nil || !d.exact {
				continue
			}
			back++
			if got := a.Back(value); before.Validate(got) != nil {
				t.Fatalf("%s\nis strictly %s,\nwhich takes %s; that comes back as %s: %v", data, a.JSON, value, got, before.Validate(got))
			}
		}
	})
	t.Logf("%d schemas, %d values there, %d back", possible, there, back)
}

func generic(t *rapid.T, data json.RawMessage) any {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// fill gives null for what is not given, as a model in strict mode has to.
func fill(t *rapid.T, schema any, defs dict, v any) (any, bool) {
	s, _ := schema.(dict)
	if ref, ok := s["$ref"].(string); ok {
		return fill(t, defs[strings.TrimPrefix(ref, "#/$defs/")], defs, v)
	}
	if list, ok := s["anyOf"].([]any); ok {
		for _, sub := range list {
			if filled, ok := fill(t, sub, defs, v); ok {
				return filled, true
			}
		}
		return v, false
	}
	switch v := v.(type) {
	case dict:
		out := dict{}
		props, ok := s["properties"].(dict)
		for name, prop := range props {
			given, there := v[name]
			filled, fits := fill(t, prop, defs, given)
			if !there && !fits {
				return v, false
			}
			ok = ok && fits
			out[name] = filled
		}
		for name := range v {
			if props[name] == nil {
				return v, false
			}
		}
		return out, ok
	case []any:
		out := make([]any, len(v))
		for i := range v {
			filled, ok := fill(t, s["items"], defs, v[i])
			if !ok {
				return v, false
			}
			out[i] = filled
		}
		return out, s["items"] != nil
	}
	j, err := llm.ParseSchema("s", encoded(t, dict{"anyOf": []any{s}, "$defs": defs}))
	return v, err == nil && j.Validate(encoded(t, v)) == nil
}

// TestBackIsByteForByte: what a model wrote is the tool's, but for the nulls.
func TestBackIsByteForByte(t *testing.T) {
	t.Parallel()
	a := adapted(t, `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"},"c":{"type":"array","items":{"type":"object","properties":{"d":{"type":"number"},"e":{"type":"string"}}}}}}`, adapt.OpenAIStrict)
	rapid.Check(t, func(t *rapid.T) {
		space := func() string { return rapid.SampledFrom([]string{"", " ", "\n\t"}).Draw(t, "space") }
		object := func(names []string, values map[string][]string) (sent, want string) {
			names = rapid.Permutation(names).Draw(t, "order")
			sent = "{" + space()
			want = sent
			kept := false
			for i, name := range names {
				s := rapid.SampledFrom(values[name]).Draw(t, name)
				key := fmt.Sprintf(`"%s"%s:%s`, name, space(), space())
				gap := ""
				if i > 0 {
					gap = space() + "," + space()
				}
				sent += gap + key + s
				if s == "null" {
					continue
				}
				if kept {
					want += gap
				}
				kept = true
				want += key + s
			}
			end := space() + "}"
			return sent + end, want + end
		}
		inner, wantInner := object([]string{"d", "e"}, map[string][]string{"d": {"null", "1.0", "1e400", "9007199254740993"}, "e": {"null", `"null"`, `"\u00e9\ud83d\ude00"`}})
		sent, want := object([]string{"a", "b", "c"}, map[string][]string{"a": {"null", "1", "-0"}, "b": {"null", `"<&>"`}, "c": {"null", "[]", "[ " + inner + " ]"}})
		want = strings.ReplaceAll(want, inner, wantInner)
		if got := string(a.Back(json.RawMessage(sent))); got != want {
			t.Fatalf("%s\ncomes back as %s,\nwant          %s", sent, got, want)
		}
	})
}

// TestArgumentsOfAnyName: names that a provider refuses are others on the wire.
func TestArgumentsOfAnyName(t *testing.T) {
	t.Parallel()
	name := rapid.OneOf(rapid.StringMatching(`[$a_.]{1,3}`), rapid.StringMatching(`[a$]{63,70}`), rapid.StringN(0, 5, -1))
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(name, 0, 8, rapid.ID).Draw(t, "names")
		props, value := dict{}, dict{}
		for i, name := range names {
			props[name], value[name] = dict{"type": "integer"}, float64(i)
		}
		schema := encoded(t, dict{"type": "object", "properties": props, "required": names, "additionalProperties": false})
		a := inDialect(t, schema, "anthropic")
		var wire struct{ Properties dict }
		if err := json.Unmarshal(a.JSON, &wire); err != nil {
			t.Fatal(err)
		}
		for name := range wire.Properties {
			if len(name) > 64 || len(name) == 0 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") != "" {
				t.Fatalf("%s is %s", schema, a.JSON)
			}
		}
		out := a.Out(encoded(t, value))
		if err := judge(t, a.JSON).Validate(out); err != nil {
			t.Fatalf("%s is %s, which refuses %s: %v", schema, a.JSON, out, err)
		}
		if back := generic(t, a.Back(out)); !reflect.DeepEqual(back, any(value)) {
			t.Fatalf("%v goes out as %s and comes back as %v", value, out, back)
		}
	})
}
