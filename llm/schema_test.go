package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
)

// hexColor decodes itself from text.
type hexColor struct{}

func (c *hexColor) UnmarshalText([]byte) error  { return nil }
func (c hexColor) MarshalText() ([]byte, error) { return nil, nil }

// anything decodes itself from JSON.
type anything struct{ v any }

func (a *anything) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &a.v) }

type embedded struct {
	Zone string `json:"zone"`
}

type everything struct {
	Name   string           `json:"name" jsonschema:"the name"`
	N      int              `json:"n"`
	Small  uint8            `json:"small,omitempty"`
	X      float64          `json:"x"`
	Yes    bool             `json:"yes"`
	Unit   string           `json:"unit,omitempty" enum:"km, mile"`
	Level  int              `json:"level,omitempty" enum:"1,2,3"`
	Days   []string         `json:"days,omitempty" enum:"mon,tue"`
	Opt    *float64         `json:"opt,omitempty"`
	Map    map[string]int   `json:"map,omitempty"`
	When   time.Time        `json:"when,omitzero"`
	Raw    json.RawMessage  `json:"raw,omitempty"`
	Bytes  []byte           `json:"bytes,omitempty"`
	Color  hexColor         `json:"color,omitzero"`
	Any    any              `json:"any,omitempty"`
	Odd    anything         `json:"odd,omitzero"`
	Big    *big.Int         `json:"big,omitempty"`
	Items  []embedded       `json:"items,omitempty"`
	Nested map[string][]int `json:"nested,omitempty"`
	Twice  [2]float64       `json:"twice,omitzero"`
	Hidden string           `json:"-"`
	embedded
}

func TestSchemaOfAType(t *testing.T) {
	t.Parallel()
	s, err := SchemaFor[everything]("everything")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{` +
		`"name":{"type":"string","description":"the name"},` +
		`"n":{"type":"integer"},` +
		`"small":{"type":"integer","minimum":0,"maximum":255},` +
		`"x":{"type":"number"},` +
		`"yes":{"type":"boolean"},` +
		`"unit":{"type":"string","enum":["km","mile"]},` +
		`"level":{"type":"integer","enum":[1,2,3]},` +
		`"days":{"type":"array","items":{"type":"string","enum":["mon","tue"]}},` +
		`"opt":{"type":["null","number"]},` +
		`"map":{"type":"object","additionalProperties":{"type":"integer"}},` +
		`"when":{"type":"string","format":"date-time"},` +
		`"raw":true,` +
		`"bytes":{"type":"string","contentEncoding":"base64"},` +
		`"color":{"type":"string"},` +
		`"any":true,` +
		`"odd":true,` +
		`"big":{"type":["null","string"]},` +
		`"items":{"type":"array","items":{"type":"object","properties":{"zone":{"type":"string"}},"required":["zone"],"additionalProperties":false}},` +
		`"nested":{"type":"object","additionalProperties":{"type":"array","items":{"type":"integer"}}},` +
		`"twice":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},` +
		`"zone":{"type":"string"}` +
		`},"required":["name","n","x","yes","zone"],"additionalProperties":false}`
	if got := string(s.JSON); got != want {
		t.Errorf("schema:\n%s\nwant:\n%s", got, want)
	}
}

func TestTypesThatHaveNoSchema(t *testing.T) {
	t.Parallel()
	type cycle struct {
		Next []*cycle `json:"next"`
	}
	type badEnum struct {
		N int `json:"n" enum:"1,two"`
	}
	check := func(name string, err error, want string) {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
	_, err := SchemaFor[string]("s")
	check("string", err, "not an object")
	_, err = SchemaFor[[]int]("s")
	check("slice", err, "not an object")
	_, err = SchemaFor[struct{ C chan int }]("s")
	check("channel", err, "chan int")
	_, err = SchemaFor[map[int]string]("s")
	check("map of int", err, "map")
	_, err = SchemaFor[cycle]("s")
	check("cycle", err, "cycle")
	_, err = SchemaFor[badEnum]("s")
	check("enum", err, `"two"`)
	_, err = ParseSchema("s", json.RawMessage(`{"type":"objekt"`))
	check("cut", err, `"s"`)
	_, err = ParseSchema("s", json.RawMessage(`{"$ref":"#/nowhere"}`))
	check("ref", err, "nowhere")
}

func TestValidationListsAllProblemsWithTheirPaths(t *testing.T) {
	t.Parallel()
	type item struct {
		Name string `json:"name"`
		Size int    `json:"size,omitempty"`
	}
	type in struct {
		City  string            `json:"city"`
		Unit  string            `json:"unit,omitempty" enum:"celsius,kelvin"`
		Items []item            `json:"items,omitempty"`
		Tags  map[string]string `json:"tags,omitempty"`
		Small uint8             `json:"small,omitempty"`
		Pair  [2]int            `json:"pair,omitzero"`
	}
	s, err := SchemaFor[in]("in")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{`{"city":"a"}`, nil},
		{`{"city":"a","unit":null,"items":null,"tags":null}`, nil},
		{`{"city":"a","items":[{"name":"x","size":null}]}`, nil},
		{`{"city":"a","small":3.0}`, nil},
		{`{}`, []string{"city is required but missing"}},
		{`{"city":null}`, []string{"city is required but missing"}},
		{`{"city":"a","small":3.5}`, []string{"small must be integer, not number"}},
		{`{"city":"a","small":300}`, []string{"small must be at most 255"}},
		{`{"city":"a","small":-1}`, []string{"small must be at least 0"}},
		{`{"city":"a","pair":[1]}`, []string{"pair has 1 items, which is not allowed"}},
		{`{"cty":"a","unit":"Kelvin"}`, []string{
			"city is required but missing", `cty is unknown; did you mean "city"?`,
			`unit must be one of "celsius", "kelvin"; did you mean "kelvin"?`,
		}},
		{`{"city":"a","items":[{"name":"x"},{"name":5},{"nam":"y"}],"tags":{"k":1}}`, []string{
			"items[1].name must be string, not integer", "items[2].name is required but missing",
			`items[2].nam is unknown; did you mean "name"?`, "tags.k must be string, not integer",
		}},
		{`{"city":"a","wholly_different":1}`, []string{"wholly_different is unknown; known are city, items, pair, small, tags, unit"}},
		{`[1]`, []string{"the value must be object, not array"}},
		{``, []string{"not valid JSON: it is empty"}},
		{`{"city":"a`, []string{"not valid JSON: it ends in the middle, after 10 bytes"}},
		{`{"city":"a"} x`, []string{"not valid JSON: invalid character 'x' after top-level value at byte 14"}},
	} {
		err := s.Validate(json.RawMessage(tt.in))
		var got []string
		if e := (*SchemaError)(nil); errors.As(err, &e) {
			got = e.Problems
		}
		if !slices.Equal(got, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%s: problems %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestSchemasByHandAreJudgedByTheLibrary(t *testing.T) {
	t.Parallel()
	s, err := ParseSchema("s", json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","pattern":"^x"},"b":{"oneOf":[{"type":"string"},{"minimum":3}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		`{"a":"xy","b":5}`: "",
		`{"a":"y"}`:        "pattern",
		`{"b":1}`:          "oneOf",
	} {
		err := s.Validate(json.RawMessage(in))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", in, err, want)
		}
	}
	literal := Schema{Name: "s", JSON: json.RawMessage(`{"type":"object","required":["a"]}`)} // not compiled
	if err := literal.Validate(json.RawMessage(`{}`)); err == nil || err.Error() != "a is required but missing" {
		t.Errorf("a literal schema says %v", err)
	}
	none, err := ParseSchema("none", nil)
	if err != nil || none.Validate(json.RawMessage(`{}`)) != nil || none.Validate(json.RawMessage(`{"a":1}`)) == nil {
		t.Errorf("the empty schema admits arguments, or not even none: %v", err)
	}
}

// What the fast path accepts, the library accepts too.
func FuzzShape(f *testing.F) {
	everything, err := SchemaFor[struct {
		Name string         `json:"name"`
		Unit string         `json:"unit,omitempty" enum:"km,mile"`
		N    []int          `json:"n,omitempty"`
		Opt  *float64       `json:"opt,omitempty"`
		Map  map[string]any `json:"map,omitempty"`
		In   []embedded     `json:"in,omitempty"`
	}]("fuzz")
	if err != nil {
		f.Fatal(err)
	}
	if everything.shape == nil {
		f.Fatal("the schema has no shape")
	}
	for _, seed := range []string{
		`{"name":"a"}`, `{"name":1}`, `{"name":"a","unit":"km","n":[1,2.5],"opt":null}`, `{"name":"a","n":[1e30,-0.0]}`,
		`{"name":"a","map":{"x":[]},"in":[{"zone":"z"}]}`, `{"name":"a","in":[{}]}`, `null`, `[]`, `{"name":null}`, `{"name":"a","x":1}`,
		` { "name" : "a" , "n" : [ 1 , 2 ] } `, `{"name":"a","name":1}`, `{"n\u0061me":"a"}`, `{"name":"\\\"","unit":"k\u006d"}`, `{"name":"a","n":[1e400]}`, `{"name":"a","opt":true}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		value, err := decodeAny(data)
		if err != nil {
			return
		}
		if everything.shape.fits(data) {
			if err := everything.resolved.Validate(value); err != nil {
				t.Errorf("%s has the shape, but %v", data, err)
			}
		} else if err := everything.Validate(data); err != nil && err.Error() == "" {
			t.Errorf("%s is refused without a word", data)
		}
	})
}

// Schemas of strangers can be recursive, and cannot keep the validator busy.
func TestReferencesEnd(t *testing.T) {
	t.Parallel()
	laughs := `{"$defs":{"a0":{"type":"object"}`
	for i := range 30 {
		laughs += fmt.Sprintf(`,"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i+1, i, i)
	}
	laughs += `},"$ref":"#/$defs/a30"}`
	for schema, want := range map[string]string{
		`{"$ref":"#"}`: "refers to itself without end",
		`{"$REF":"#"}`: "refers to itself without end",
		`{"properties":{"a":{"$ref":"#/properties/a"}}}`:                                                                 `"#/properties/a"`,
		`{"$defs":{"a":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`:                          "without end",
		`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"not":{"$ref":"#/$defs/a"}}}}`:                                          "without end",
		`{"$defs":{"a":{"$anchor":"x","if":{"$ref":"#x"}}}}`:                                                             "without end",
		`{"$defs":{"a":{"$dynamicAnchor":"x","dependentSchemas":{"p":{"$dynamicRef":"#x"}}}}}`:                           "without end",
		`{"$id":"https://x/root","$defs":{"a~/b":{"$ref":"root#/$defs/a~0~1b"}}}`:                                        "without end",
		`{"$defs":{"a":{"$ref":"#/%24defs/a"}}}`:                                                                         "without end",
		laughs:                                                                                                           "multiply",
		`{"$defs":{"n":{"properties":{"next":{"$ref":"#/$defs/n"},"all":{"items":{"$ref":"#"}}}}},"$ref":"#/$defs/n"}`:   "",
		`{"$defs":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a"},"y":{"allOf":[{"$ref":"#/$defs/a"}]}}}`: "",
		`{"properties":{"$ref":{"type":"string"}},"default":{"$ref":"#"}}`:                                               "",
	} {
		s, err := ParseSchema("s", json.RawMessage(schema))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: %v, want %q", schema, err, want)
		}
		if err == nil {
			if err := s.Validate(json.RawMessage(`{"next":{"next":{"all":[{"next":null}]}},"x":"a","y":"b"}`)); err != nil && !strings.Contains(err.Error(), "next") {
				t.Errorf("%.100s: %v", schema, err)
			}
		}
	}
}

// Any schema is refused or judges any value, and a refusal says why, hidden or not.
func FuzzParseSchema(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"string","pattern":"^x"}},"required":["a"]}`), []byte(`{"a":"y","b":1}`))
	f.Add([]byte(`{"$defs":{"n":{"type":"array","items":{"$ref":"#/$defs/n"}}},"$ref":"#/$defs/n"}`), []byte(`[[],[[]]]`))
	f.Add([]byte(`{"oneOf":[{"minimum":3},{"enum":[1,null]}],"not":{},"items":false}`), []byte(`[null]`))
	f.Add([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#","type":["null","object"],"additionalProperties":{"type":"integer","maximum":1}}`), []byte(`{"x":2.5}`))
	f.Add([]byte(``), []byte(`{"a":1}`))
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		s, err := ParseSchema("fuzz", schema)
		if err != nil {
			return
		}
		for _, hide := range []bool{false, true} {
			var bad *SchemaError
			if err := s.validate(value, hide); err != nil && (!errors.As(err, &bad) || len(bad.Problems) == 0 || err.Error() == "") {
				t.Errorf("%s refuses %s without a word: %v", schema, value, err)
			}
		}
	})
}

func TestNearestName(t *testing.T) {
	t.Parallel()
	names := []string{"search_parameters", "get_timeseries", "run_python", "read"}
	for in, want := range map[string]string{
		"searchParameters": "search_parameters", "get_time_series": "get_timeseries", "run_pyhton": "run_python",
		"raed": "read", "reed": "read", "x": "", "delete_everything": "", "": "",
	} {
		if got := Nearest(in, names); got != want {
			t.Errorf("nearest of %q = %q, want %q", in, got, want)
		}
	}
}
