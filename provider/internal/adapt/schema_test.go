package adapt_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helios-go/helios/provider/internal/adapt"
)

var dialects = map[string]*adapt.Dialect{
	"anthropic": adapt.Anthropic, "anthropic output": adapt.AnthropicOutput, "openai": adapt.OpenAI, "openai strict": adapt.OpenAIStrict,
	"gemini": adapt.Gemini, "chat": adapt.Chat,
}

func adapted(t testing.TB, schema string, d *adapt.Dialect) *adapt.Adapted {
	t.Helper()
	a, err := adapt.Schema(json.RawMessage(schema), d)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return a
}

func TestSchemasInADialect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		dialect *adapt.Dialect
		schema  string
		want    string
	}{
		{"nothing", adapt.Chat, ``, `{"type":"object","properties":{},"additionalProperties":false}`},
		{"a reference in anyOf (G13)", adapt.Gemini, `{"type":"object","$defs":{"P":{"type":"object","properties":{"x":{"type":"number"}}}},"properties":{"p":{"anyOf":[{"$ref":"#/$defs/P"},{"type":"null"}]}}}`,
			`{"type":"object","properties":{"p":{"anyOf":[{"type":"object","properties":{"x":{"type":"number"}}},{"type":"null"}]}}}`},
		{"a reference with siblings (G13)", adapt.Chat, `{"type":"object","$defs":{"P":{"type":"string","description":"old","enum":["a","b"]}},"properties":{"p":{"$ref":"#/$defs/P","description":"new","default":"a"}}}`,
			`{"type":"object","properties":{"p":{"type":"string","description":"new","enum":["a","b"],"default":"a"}}}`},
		{"items that refer to a property (G13)", adapt.Chat, `{"type":"object","properties":{"headers":{"type":"object","properties":{"k":{"type":"string"}}},"more":{"type":"array","items":{"$ref":"#/properties/headers"}}}}`,
			`{"type":"object","properties":{"headers":{"type":"object","properties":{"k":{"type":"string"}}},"more":{"type":"array","items":{"type":"object","properties":{"k":{"type":"string"}}}}}}`},
		{"an enum of integers (G14)", adapt.Gemini, `{"type":"object","properties":{"m":{"type":"integer","enum":[60,1440]}}}`,
			`{"type":"object","properties":{"m":{"type":"integer","description":"(one of 60,1440)"}}}`},
		{"an enum of integers is fine elsewhere", adapt.Chat, `{"type":"object","properties":{"m":{"enum":[60,1440]}}}`,
			`{"type":"object","properties":{"m":{"type":"integer","enum":[60,1440]}}}`},
		{"an empty enum (G14)", adapt.Anthropic, `{"type":"object","properties":{"m":{"type":"string","enum":[]}}}`, `{"type":"object","properties":{"m":{"type":"string"}}}`},
		{"an empty enum (G14)", adapt.OpenAIStrict, `{"type":"object","properties":{"m":{"type":"string","enum":[]}},"required":["m"]}`,
			`{"type":"object","properties":{"m":{"type":"string"}},"required":["m"],"additionalProperties":false}`},
		{"a recursive schema", adapt.Chat, `{"type":"object","properties":{"next":{"$ref":"#"}}}`,
			`{"type":"object","properties":{"next":{"type":"object","properties":{"next":{"type":"object","properties":{"next":{"type":"object","description":"(as above)"}}}}}}}`},
		{"a recursive schema, kept", adapt.OpenAIStrict, `{"type":"object","properties":{"next":{"$ref":"#/definitions/n"}},"definitions":{"n":{"type":"object","properties":{"next":{"$ref":"#/definitions/n"}}}}}`,
			`{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}},"$defs":{"n":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}},"required":["next"],"additionalProperties":false}},"required":["next"],"additionalProperties":false}`},
		{"optional is nullable", adapt.OpenAIStrict, `{"type":"object","properties":{"a":{"type":"string","enum":["x"]},"b":{"type":"integer"}},"required":["b"]}`,
			`{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",null]},"b":{"type":"integer"}},"required":["a","b"],"additionalProperties":false}`},
		{"an open map is not strict", adapt.OpenAIStrict, `{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"string"}}}}`,
			`{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"string"}}}}`},
		{"alternatives at the top", adapt.OpenAI, `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"},"k":{"const":1}},"required":["a","k"]},{"type":"object","properties":{"b":{"type":"string"},"k":{"const":2}},"required":["b","k"]}]}`,
			`{"type":"object","properties":{"a":{"type":"string"},"k":{"type":"integer","enum":[1,2]},"b":{"type":"string"}},"required":["k"],"description":"(needs a, or b)"}`},
		{"all of several", adapt.Chat, `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"number"}}}],"description":"d"}`,
			`{"type":"object","description":"d","properties":{"a":{"type":"string"},"b":{"type":"number"}},"required":["a"]}`},
		{"a tuple", adapt.Chat, `{"type":"object","properties":{"p":{"type":"array","prefixItems":[{"type":"number"},{"type":"string"}],"items":false}}}`,
			`{"type":"object","properties":{"p":{"type":"array","items":{"anyOf":[{"type":"number"},{"type":"string"}]}}}}`},
		{"what only words can say", adapt.Gemini, `{"type":"object","properties":{"p":{"type":"string","description":"A name.","pattern":"^a","format":"uri","minLength":2}}}`,
			`{"type":"object","properties":{"p":{"type":"string","description":"A name. (pattern \"^a\", format uri, minLength 2)"}}}`},
		{"names and remarks of the schema", adapt.OpenAI, `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"x","$comment":"c","type":"object","properties":{}}`, `{"type":"object","properties":{}}`},
		{"nullable as OpenAPI writes it", adapt.OpenAI, `{"type":"object","properties":{"a":{"type":"string","nullable":true,"enum":["x"]}}}`,
			`{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",null]}}}`},
		{"an array of anything", adapt.Chat, `{"type":"object","properties":{"a":{"type":"array"}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{}}}}`},
		{"a reference to nowhere", adapt.Chat, `{"type":"object","properties":{"a":{"$ref":"https://elsewhere.example/x","description":"d"}}}`, `{"type":"object","properties":{"a":{"description":"d"}}}`},
		{"closed objects", adapt.AnthropicOutput, `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"integer","minimum":1}},"required":["b"]}}}`,
			`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"integer","description":"(minimum 1)"}},"required":["b"],"additionalProperties":false}},"additionalProperties":false}`},
		{"values with descriptions", adapt.Chat, `{"type":"object","properties":{"o":{"oneOf":[{"const":"asc","description":"upwards"},{"const":"desc","description":"downwards"}]}}}`,
			`{"type":"object","properties":{"o":{"type":"string","enum":["asc","desc"],"description":"(\"asc\": upwards, \"desc\": downwards)"}}}`},
		{"one of several has to be given", adapt.Gemini, `{"type":"object","properties":{"q":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}},"anyOf":[{"required":["id"]},{"required":["name"]}]}}}`,
			`{"type":"object","properties":{"q":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}},"description":"(needs id, or name)"}}}`},
		{"alternatives and what all have", adapt.AnthropicOutput, `{"type":"object","properties":{"q":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"],"oneOf":[{"properties":{"x":{"type":"string"}},"required":["x"]},{"properties":{"y":{"type":"string"}}}]}}}`,
			`{"type":"object","properties":{"q":{"anyOf":[{"type":"object","properties":{"id":{"type":"integer"},"x":{"type":"string"}},"required":["id","x"],"additionalProperties":false},{"type":"object","properties":{"id":{"type":"integer"},"y":{"type":"string"}},"required":["id"],"additionalProperties":false}]}},"additionalProperties":false}`},
		{"null and no text in an enum of texts", adapt.Gemini, `{"type":"object","properties":{"a":{"enum":["x",null]},"b":{"type":"string","enum":["x",""]}}}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string","enum":["x"]},{"type":"null"}]},"b":{"type":"string","description":"(one of \"x\",\"\")"}}}`},
		{"several types", adapt.Gemini, `{"type":"object","properties":{"a":{"type":["string","integer","null"],"description":"d","minimum":1}}}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer","minimum":1},{"type":"null"}],"description":"d"}}}`},
		{"a type that no listed value has", adapt.OpenAIStrict, `{"type":"object","properties":{"a":{"type":"boolean","enum":["True","False"]}},"required":["a"]}`,
			`{"type":"object","properties":{"a":{"type":"boolean","description":"(one of \"True\",\"False\")"}},"required":["a"],"additionalProperties":false}`},
		{"two definitions of one name", adapt.OpenAI, `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"},"b":{"$ref":"#/definitions/x"}},"$defs":{"x":{"type":"string"}},"definitions":{"x":{"type":"integer"}}}`,
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"},"b":{"$ref":"#/$defs/x_hsfggnaq"}},"$defs":{"x":{"type":"string"},"x_hsfggnaq":{"type":"integer"}}}`},
		{"a kept reference with a description", adapt.OpenAIStrict, `{"type":"object","properties":{"a":{"$ref":"#/$defs/x","description":"the first"},"b":{"$ref":"#","description":"again"}},"required":["a","b"],"$defs":{"x":{"type":"string","description":"any"}}}`,
			`{"type":"object","properties":{"a":{"type":"string","description":"the first"},"b":{"anyOf":[{"$ref":"#"}],"description":"again"}},"required":["a","b"],"additionalProperties":false}`},
		{"older drafts", adapt.Anthropic, `{"type":"object","definitions":{"d":{"type":"string"}},"properties":{"a":{"type":"array","items":[{"$ref":"#/definitions/d"}],"additionalItems":false},"b":{"type":"number","minimum":1,"exclusiveMinimum":true},"c":{"type":"object","dependencies":{"x":["y"]}}}}`,
			`{"type":"object","properties":{"a":{"type":"array","prefixItems":[{"$ref":"#/$defs/d"}],"items":false},"b":{"type":"number","exclusiveMinimum":1},"c":{"type":"object","dependentRequired":{"x":["y"]}}},"$defs":{"d":{"type":"string"}}}`},
		{"what is no JSON Schema", adapt.Anthropic, `{"type":"object","properties":{"a":{"type":"dict","required":true,"minLength":"3","enum":[]},"b":"string"}}`, `{"type":"object","properties":{"a":{},"b":{}}}`},
		{"names of arguments", adapt.Anthropic, `{"type":"object","properties":{"$top":{"type":"integer"},"filter[id]":{"type":"string","description":"An id."}},"required":["$top"]}`,
			`{"type":"object","properties":{"_top":{"type":"integer","description":"(that is, \"$top\")"},"filter_id_":{"type":"string","description":"An id. (that is, \"filter[id]\")"}},"required":["_top"]}`},
		{"alternatives at the top of the standard", adapt.Anthropic, `{"type":"object","oneOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"description":"(needs a, or b)"}`},
		{"patterns of which no grammar is made", adapt.OpenAIStrict, `{"type":"object","properties":{"a":{"type":"string","pattern":"^(?:a|b)+\\d$"},"b":{"type":"string","pattern":"^(?!x)"}},"required":["a","b"]}`,
			`{"type":"object","properties":{"a":{"type":"string","pattern":"^(?:a|b)+\\d$"},"b":{"type":"string","description":"(pattern \"^(?!x)\")"}},"required":["a","b"],"additionalProperties":false}`},
		{"big numbers", adapt.Chat, `{"type":"object","properties":{"n":{"const":9007199254740993}}}`, `{"type":"object","properties":{"n":{"type":"integer","enum":[9007199254740993]}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := adapted(t, tt.schema, tt.dialect).JSON; string(got) != tt.want {
				t.Errorf("%s\nbecomes %s\nwant    %s", tt.schema, got, tt.want)
			}
		})
	}
}

func TestStrictIsToldWhereItCannotBe(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string"}}}`:                                                      true,
		`{"type":"object","properties":{}}`:                                                                           true,
		`{"type":"object","properties":{"a":{}}}`:                                                                     false,
		`{"type":"object","properties":{"a":true}}`:                                                                   false,
		`{"type":"object"}`:                                                                                           false,
		`{"type":"object","additionalProperties":{"type":"string"}}`:                                                  false,
		`{"type":"object","properties":{"a":{"type":"array"}}}`:                                                       false,
		`{"type":"object","properties":{"a":{"type":"object"}}}`:                                                      false,
		`{"type":"object","properties":{"a":{"type":"object","patternProperties":{"x":{}}}}}`:                         false,
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"null"}}]}}}`: true,
		deep(12): false,
	} {
		if got := adapted(t, schema, adapt.OpenAIStrict).Strict; got != want {
			t.Errorf("%s: strict is %t, want %t", schema, got, want)
		}
	}
}

// TestAnthropicCountsOptionalProperties: its grammars take 24 of them, and 16 that
// may be of several types.
func TestAnthropicCountsOptionalProperties(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]bool{
		list(24, `"p%d":{"type":"string"}`):                             true,
		list(25, `"p%d":{"type":"string"}`):                             false,
		list(16, `"p%d":{"type":["string","null"]}`):                    true,
		list(17, `"p%d":{"anyOf":[{"type":"string"},{"type":"null"}]}`): false,
	} {
		a := adapted(t, `{"type":"object","properties":{`+schema+`}}`, adapt.AnthropicOutput)
		if a.Strict != want || strings.Contains(string(a.JSON), "additionalProperties") != want {
			t.Errorf("%s: strict is %t, want %t: %s", schema, a.Strict, want, a.JSON)
		}
	}
}

func deep(n int) string {
	return strings.Repeat(`{"type":"object","properties":{"a":`, n) + `{"type":"string"}` + strings.Repeat(`}}`, n)
}

func TestNullsOfOptionalPropertiesAreTakenBack(t *testing.T) {
	t.Parallel()
	a := adapted(t, `{"type":"object","properties":{
		"id":{"type":"integer"},"note":{"type":"string"},"gone":{"type":["string","null"]},
		"list":{"type":"array","items":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x"]}},
		"next":{"$ref":"#"}},"required":["id"]}`, adapt.OpenAIStrict)
	if !a.Strict {
		t.Fatalf("not strict: %s", a.JSON)
	}
	for value, want := range map[string]string{
		`{"id":9007199254740993, "note":null,"gone":null,"list":[{"x":1.0,"y":null},{"x":2,"y":3}],"next":null}`: `{"id":9007199254740993,"gone":null,"list":[{"x":1.0},{"x":2,"y":3}]}`,
		`{"id":1,"next":{"id":2,"note":null,"next":null}}`:                                                       `{"id":1,"next":{"id":2}}`,
		`{"id": 1, "note": "null"}`: `{"id": 1, "note": "null"}`,
		`{"id":null}`:               `{"id":null}`,
		`{"id":nul`:                 `{"id":nul`,
		`null`:                      `null`,
	} {
		if got := a.Back(json.RawMessage(value)); string(got) != want {
			t.Errorf("%s comes back as %s, want %s", value, got, want)
		}
	}
}

// TestMoreThanCanBeShownIsLeftOut: a schema whose references multiply becomes one that
// says less, and one that is large in itself stays.
func TestMoreThanCanBeShownIsLeftOut(t *testing.T) {
	t.Parallel()
	a := adapted(t, hostile["each refers to each"], adapt.Chat)
	if len(a.JSON) > 200_000 || !strings.Contains(string(a.JSON), "as above") {
		t.Errorf("%d bytes: %.200s", len(a.JSON), a.JSON)
	}
	large := `{"type":"object","properties":{` + list(5000, `"p%d":{"type":"string"}`) + `}}`
	if a := adapted(t, large, adapt.Chat); string(a.JSON) != large {
		t.Errorf("a large schema becomes %.200s", a.JSON)
	}
}

// TestNullsOfAlternatives: which null means nothing depends on which
// alternative a value is.
func TestNullsOfAlternatives(t *testing.T) {
	t.Parallel()
	a := adapted(t, `{"type":"object","properties":{"p":{"anyOf":[
		{"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"string"}},"required":["kind"]},
		{"type":"object","properties":{"kind":{"const":"b"},"x":{"type":["string","null"]}},"required":["kind","x"]}]}},"required":["p"]}`, adapt.OpenAIStrict)
	for value, want := range map[string]string{
		`{"p":{"kind":"a","x":null}}`: `{"p":{"kind":"a"}}`,
		`{"p":{"kind":"b","x":null}}`: `{"p":{"kind":"b","x":null}}`,
	} {
		if got := string(a.Back(json.RawMessage(value))); got != want {
			t.Errorf("%s comes back as %s, want %s", value, got, want)
		}
	}
}
