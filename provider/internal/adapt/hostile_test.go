package adapt_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
)

func TestSchemasThatCannotBeAdaptedAreErrors(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"no JSON": `{"type":`, "no object": `[1]`, "false": `false`, "more behind": `{} {}`,
		"too deep":  strings.Repeat(`{"not":`, 300) + `{}` + strings.Repeat(`}`, 300),
		"too many":  `{"properties":{` + many(20_001) + `}}`,
		"too large": `{"description":"` + strings.Repeat("x", 1<<20) + `"}`,
	} {
		if _, err := adapt.Schema(json.RawMessage(schema), adapt.Chat); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// many are so many properties.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"p%d":{},`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// list is n things, made from their numbers.
func list(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(format, "%d", fmt.Sprint(i))
	}
	return strings.Join(parts, ",")
}

// graph is n schemas of which each refers to all of them.
func graph(n int, format string) string {
	return `{"type":"object","properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{` +
		list(n, `"d%d":`+fmt.Sprintf(format, list(n, `"p%d":{"$ref":"#/$defs/d%d"}`))) + `}}`
}

var hostile = map[string]string{
	"itself":                           `{"$ref":"#"}`,
	"all of itself":                    `{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`,
	"any of itself":                    `{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`,
	"a part of itself":                 `{"type":"object","properties":{"p":{"anyOf":[{"$ref":"#/properties/p"},{"$ref":"#/properties/p"}]}}}`,
	"a part of all of itself":          `{"type":"object","properties":{"p":{"allOf":[{"$ref":"#/properties/p"},{"$ref":"#/properties/p"}]}}}`,
	"two that are each other":          `{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}],"$defs":{"a":{"properties":{"n":{"$ref":"#/$defs/b"},"m":{"$ref":"#/$defs/a"}}},"b":{"properties":{"n":{"$ref":"#/$defs/a"},"m":{"$ref":"#/$defs/b"}}}}}`,
	"alternatives within alternatives": `{"type":"object","properties":{"p":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"object","properties":{"x":{"type":"object","properties":{"y":{"type":"string"}},"anyOf":[{"$ref":"#/$defs/a"},{"properties":{"z":{"$ref":"#/$defs/a"}}}]}}}}}`,
	"keywords of the wrong kind":       `{"type":7,"properties":[],"required":{"a":1},"items":3,"enum":{},"anyOf":{},"allOf":7,"additionalProperties":[],"minLength":"3","pattern":5,"format":[],"not":4,"if":[],"$defs":3,"description":{},"nullable":3,"const":{},"prefixItems":{},"dependentRequired":{"a":3},"patternProperties":[],"oneOf":[3,null,"x"]}`,
	"properties of the wrong kind":     `{"type":"object","properties":{"a":null,"b":3,"c":[],"d":"string","e":{"type":["x",3,null]},"f":{"type":[]}},"required":[null,3,"a"]}`,
	"odd references":                   `{"type":"object","properties":{"a":{"$ref":"#/properties/%zz~2"},"b":{"$ref":7},"c":{"$ref":""},"d":{"$ref":"#/"},"e":{"$ref":"#a"},"f":{"$ref":"x#/y"},"g":{"$ref":"#/properties/g/anyOf/9","anyOf":[]}}}`,
	"a reference into a keyword":       `{"type":"object","properties":{"a":{"$ref":"#/required"},"b":{"$ref":"#/properties"}},"required":["a"]}`,
	"odd names":                        `{"type":"object","properties":{"":{"$ref":"#/$defs/a~1b"},"\u0000":{"$ref":"#/$defs/%25"},"\ud800":{}},"$defs":{"a/b":{"$ref":"#/$defs/a b"},"a b":{"type":"string"},"%":{"type":"null"}}}`,
	"numbers without end":              `{"type":"object","properties":{"a":{"minLength":1e999999999,"multipleOf":1e-999999999,"minimum":-1e999999999,"enum":[1e999999999],"const":1e99999999}}}`,
	"a doubling":                       `{"type":"object","properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{"d40":{"type":"string"},` + doubling(40) + `}}`,
	"a doubling of all":                `{"type":"object","allOf":[{"$ref":"#/$defs/d0"}],"$defs":{"d40":{"type":"object"},` + chain(40, `{"allOf":[{"$ref":"#/$defs/d%[1]s"},{"$ref":"#/$defs/d%[1]s"}]}`) + `}}`,
	"each refers to each":              graph(30, `{"type":"object","properties":{%s}}`),
	"all of each":                      `{"type":"object","allOf":[` + list(40, `{"$ref":"#/$defs/d%d"}`) + `],"$defs":{` + list(40, `"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"allOf":[{"$ref":"#/$defs/d1"},{"$ref":"#/$defs/d2"}]}}}`) + `}}`,
	"many alternatives":                `{"type":"object","properties":{"a":{"type":"object","properties":{"x":{}},"anyOf":[` + list(5000, `{"properties":{"k":{"const":%d}},"required":["k"]}`) + `]}}}`,
	"many alternatives at the top":     `{"type":"object","anyOf":[` + list(9000, `{"properties":{"k":{"const":%d},"p%d":{}},"required":["k","p%d"]}`) + `]}`,
	"many of all":                      `{"type":"object","allOf":[` + list(15000, `{"properties":{"p%d":{"type":"string"}}}`) + `]}`,
	"many names":                       `{"type":"object","properties":{"a":{}},"required":[` + list(80_000, `"n%d"`) + `]}`,
	"many values":                      `{"type":"object","properties":{"a":{"enum":[` + list(120_000, `%d`) + `]}}}`,
	"many values of both":              `{"type":"object","properties":{"a":{"allOf":[{"enum":[` + list(50_000, `%d`) + `]},{"enum":[` + list(50_000, `%d`) + `]}]}}}`,
	"many anchors":                     `{"type":"object","properties":{` + list(9000, `"p%d":{"$ref":"#a%d"}`) + `},"$defs":{` + list(9000, `"d%d":{"$anchor":"a%d","type":"string"}`) + `}}`,
	"many bases":                       `{"type":"object","properties":{` + list(9000, `"p%d":{"$ref":"#/$defs/d%d"}`) + `},"$defs":{` + list(9000, `"d%d":{"$id":"i%d","type":"string"}`) + `}}`,
	"many tuples":                      `{"type":"object","properties":{"a":{"prefixItems":[` + list(9000, `{"type":"string","maxLength":%d}`) + `],"items":false}}}`,
	"a chain of references":            `{"type":"object","properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{"d9000":{"type":"string"},` + chain(9000, `{"type":"object","properties":{"n":{"$ref":"#/$defs/d%s"}}}`) + `}}`,
	"a chain of the same place":        `{"type":"object","properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{"d9000":{"type":"string"},` + chain(9000, `{"$ref":"#/$defs/d%s"}`) + `}}`,
	"a chain with descriptions":        `{"type":"object","properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{"d9000":{"type":"string"},` + chain(9000, `{"description":"d","$ref":"#/$defs/d%s"}`) + `}}`,
	"deep":                             strings.Repeat(`{"type":"object","properties":{"a":`, 99) + `{}` + strings.Repeat(`}}`, 99),
	"deep alternatives":                strings.Repeat(`{"type":"object","properties":{"x":{"type":"string"}},"anyOf":[{"type":"string"},`, 90) + `{}` + strings.Repeat(`]}`, 90),
	"a long description":               `{"type":"object","description":"` + strings.Repeat("x", 1<<19) + `","properties":{"a":{"pattern":"` + strings.Repeat("y", 1<<18) + `"}}}`,
}

func doubling(n int) string {
	return chain(n, `{"type":"object","properties":{"a":{"$ref":"#/$defs/d%[1]s"},"b":{"$ref":"#/$defs/d%[1]s"}}}`)
}

// chain is n definitions of which each refers to the next.
func chain(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(`"d%d":`, i) + fmt.Sprintf(format, fmt.Sprint(i+1))
	}
	return strings.Join(parts, ",")
}

// TestHostileSchemasEnd: whatever a stranger sends as the schema of a tool comes to
// an end soon, and to one that can be sent: of bounded size and depth, and a JSON
// Schema.
func TestHostileSchemasEnd(t *testing.T) {
	t.Parallel()
	for what, schema := range hostile {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			for name, d := range dialects {
				a, err := adapt.Schema(json.RawMessage(schema), d)
				if err != nil {
					if strings.HasPrefix(what, "many") || strings.HasPrefix(what, "a doubling of all") {
						continue // too much is an error
					}
					t.Errorf("in %s: %v", name, err)
					continue
				}
				if !json.Valid(a.JSON) || llm.Deeper(a.JSON, 200) || len(a.JSON) > 8*len(schema)+200_000 {
					t.Errorf("in %s: %d bytes, deeper than 100: %t, %.300s", name, len(a.JSON), llm.Deeper(a.JSON, 100), a.JSON)
				}
				for _, arg := range []string{`{"p":{"p":null,"x":{"x":{"x":null}}},"a":null}`, strings.Repeat(`{"p":`, 900) + `null` + strings.Repeat(`}`, 900), `{"a":[` + strings.Repeat(`null,`, 10_000) + `null]}`} {
					if back := a.Back(json.RawMessage(arg)); !json.Valid(back) {
						t.Errorf("in %s: %.100s comes back as %.100s", name, arg, back)
					}
				}
			}
		})
	}
}

// TestValuesOfEndlessAlternatives: what a value may be has no end here, so
// that it takes care to see which alternatives it is.
func TestValuesOfEndlessAlternatives(t *testing.T) {
	t.Parallel()
	a := adapted(t, `{"type":"object","properties":{"p":{"$ref":"#/$defs/a"}},"$defs":{
		"a":{"anyOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/c"},{"type":"object","properties":{"n":{"$ref":"#/$defs/a"},"o":{"type":"string"}},"required":["n"]}]},
		"b":{"type":"object","properties":{"n":{"$ref":"#/$defs/a"},"x":{"type":"integer"}},"required":["n"]},
		"c":{"type":"object","properties":{"n":{"$ref":"#/$defs/b"},"y":{"type":"integer"}},"required":["n"]}}}`, adapt.OpenAIStrict)
	if !a.Strict {
		t.Fatalf("not strict: %s", a.JSON)
	}
	for _, name := range []string{"o", "x", "y", "z"} {
		value := `{"p":` + strings.Repeat(`{"`+name+`":null,"n":`, 300) + `null` + strings.Repeat(`}`, 301)
		if back := a.Back(json.RawMessage(value)); !json.Valid(back) {
			t.Errorf("%.60s comes back as %.60s", value, back)
		}
	}
	shallow := `{"p":{"n":{"x":null,"n":{"o":null,"n":{"y":1,"n":{"x":2,"n":{"o":"","n":{}}}}}},"o":null}}`
	if back := a.Back(json.RawMessage(shallow)); !json.Valid(back) {
		t.Errorf("%s comes back as %s", shallow, back)
	}
}

func FuzzSchema(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"enum":[1,null]}},"allOf":[{"required":["a"]}]}`), []byte(`{"a":null}`))
	f.Add([]byte(`{"anyOf":[{"properties":{"a":{"type":["string","null"]}}},{"$ref":"#"}]}`), []byte(`{}`))
	f.Add([]byte(`{"type":"array","items":[{"type":"number"}],"additionalItems":false}`), []byte(`[null]`))
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		for name, d := range dialects {
			a, err := adapt.Schema(schema, d)
			if err != nil {
				continue
			}
			if !json.Valid(a.JSON) || bytes.Contains(a.JSON, []byte(`"enum":[]`)) {
				t.Errorf("%q in %s is %q", schema, name, a.JSON)
			}
			again, err := adapt.Schema(a.JSON, d)
			if err != nil {
				t.Errorf("%q in %s is %q, which is refused: %v", schema, name, a.JSON, err)
			} else if (a.Strict || !d.Strict && !d.Closed) && !bytes.Equal(again.JSON, a.JSON) {
				t.Errorf("%q in %s is %q, and again %q", schema, name, a.JSON, again.JSON)
			}
			if back := a.Back(value); json.Valid(value) && !json.Valid(back) {
				t.Errorf("%q comes back as %q", value, back)
			}
		}
	})
}
