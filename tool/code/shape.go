package code

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// shape is the part of a JSON Schema that is shown to a model as a type.
type shape struct {
	Type        typeNames         `json:"type"`
	Properties  properties        `json:"properties"`
	Required    []string          `json:"required"`
	Items       *shape            `json:"items"`
	Additional  json.RawMessage   `json:"additionalProperties"`
	Enum        []json.RawMessage `json:"enum"`
	Description string            `json:"description"`
}

// typeNames are the types but for null, which is what any value may be when it is
// not given.
type typeNames []string

func (t *typeNames) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = typeNames{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(data, &many); err != nil {
		return err
	}
	*t = slices.DeleteFunc(many, func(s string) bool { return s == "null" })
	return nil
}

type property struct {
	Name string
	shape
}

// properties are in the order in which the schema names them, which is that of
// the fields of a struct.
type properties []property

func (p *properties) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("properties are %s and not an object", data[:min(len(data), 20)])
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		name, ok := t.(string)
		if !ok {
			return fmt.Errorf("the name of a property is %v", t)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		*p = append(*p, property{name, shapeOf(raw)})
	}
	return nil
}

// shapeOf reads a schema. What it cannot make out is any value.
func shapeOf(schema json.RawMessage) shape {
	var s shape
	if json.Unmarshal(schema, &s) != nil {
		return shape{}
	}
	return s
}

// A dialect writes types as a language does.
type dialect struct {
	names    map[string]string // of JSON's simple types
	any      string
	list     func(of string) string
	table    func(of string) string
	field    func(name, typ string, optional bool) string
	record   func(fields []string) string
	optional func(name, typ string) string // a parameter that may be left out
	result   string                        // between a signature and its type
}

var javascript = dialect{
	names: map[string]string{"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "object": "object", "array": "any[]", "null": "null"},
	any:   "any",
	list: func(of string) string {
		if strings.ContainsAny(of, " |") && !strings.HasPrefix(of, "{") {
			of = "(" + of + ")"
		}
		return of + "[]"
	},
	table: func(of string) string { return "Record<string, " + of + ">" },
	field: func(name, typ string, optional bool) string {
		if optional {
			name += "?"
		}
		return name + ": " + typ
	},
	record:   func(fields []string) string { return "{" + strings.Join(fields, ", ") + "}" },
	optional: func(name, typ string) string { return name + "?: " + typ },
	result:   ": ",
}

var python = dialect{
	names: map[string]string{"string": "str", "number": "float", "integer": "int", "boolean": "bool", "object": "dict", "array": "list", "null": "None"},
	any:   "Any",
	list:  func(of string) string { return "list[" + of + "]" },
	table: func(of string) string { return "dict[str, " + of + "]" },
	field: func(name, typ string, optional bool) string {
		if optional {
			typ += " | None"
		}
		return `"` + name + `": ` + typ
	},
	record:   func(fields []string) string { return "{" + strings.Join(fields, ", ") + "}" },
	optional: func(name, typ string) string { return name + ": " + typ + " = None" },
	result:   " -> ",
}

// dialectOf is that of a runtime; of one that is not known it is JavaScript's,
// which reads as anybody would write it.
func dialectOf(runtime string) *dialect {
	if runtime == "python" {
		return &python
	}
	return &javascript
}

// maxTypeDepth is how deep a type is spelt out for a model.
const maxTypeDepth = 4

// typ writes the type of a value.
func (d *dialect) typ(s *shape, depth int) string {
	switch {
	case s == nil:
		return d.any
	case len(s.Enum) > 0:
		values := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			values[i] = string(v)
		}
		return strings.Join(values, " | ")
	case len(s.Type) == 0:
		return d.any
	case len(s.Type) > 1:
		alternatives := make([]string, len(s.Type))
		for i, t := range s.Type {
			one := *s
			one.Type = typeNames{t}
			alternatives[i] = d.typ(&one, depth)
		}
		return strings.Join(alternatives, " | ")
	}
	switch t := s.Type[0]; {
	case t == "array" && s.Items != nil && depth < maxTypeDepth:
		return d.list(d.typ(s.Items, depth+1))
	case t == "object" && len(s.Properties) > 0 && depth < maxTypeDepth:
		fields := make([]string, len(s.Properties))
		for i := range s.Properties {
			p := &s.Properties[i]
			fields[i] = d.field(p.Name, d.typ(&p.shape, depth+1), !slices.Contains(s.Required, p.Name))
		}
		return d.record(fields)
	case t == "object" && bytes.HasPrefix(bytes.TrimSpace(s.Additional), []byte("{")) && depth < maxTypeDepth:
		of := shapeOf(s.Additional)
		return d.table(d.typ(&of, depth+1))
	case d.names[t] != "":
		return d.names[t]
	}
	return d.any
}
