package openai

import (
	"encoding/json"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
)

type function struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"` // always said: the server's own default is not ours
}

type format struct {
	Format schema `json:"format"`
}

type schema struct {
	Type   string          `json:"type"`
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

type named struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

type allowed struct {
	Type  string  `json:"type"`
	Mode  string  `json:"mode"`
	Tools []named `json:"tools"`
}

// functions translates the tools, which of them must be called, and the schema of
// the output.
func (m *Model) functions(c *call, req *llm.Request) error {
	for i := range req.Tools {
		t := &req.Tools[i]
		a, err := m.schema(t.Input)
		if err != nil {
			return m.conn.Invalid("the schema of the tool %s cannot be sent: %w", t.Name, err)
		}
		if c.tools == nil {
			c.tools = make(map[string]*adapt.Adapted, len(req.Tools))
		}
		c.tools[t.Name] = a
		c.body.Tools = append(c.body.Tools, function{"function", c.names.Out(t.Name), t.Description, a.JSON, a.Strict})
	}
	if len(req.Tools) > 0 {
		c.body.Choice = choice(&req.Choice, c.names)
	}
	if req.Output == nil {
		return nil
	}
	a, err := m.schema(req.Output.JSON)
	if err != nil {
		return m.conn.Invalid("the schema of the output cannot be sent: %w", err)
	}
	c.output = a
	c.body.Text = &format{schema{"json_schema", outputName(req.Output.Name), a.JSON, a.Strict}}
	return nil
}

// choice says which tools must be called; nil leaves it to the model.
func choice(c *llm.ToolChoice, names *adapt.Names) any {
	switch c.Mode {
	case llm.ChoiceNone:
		return "none"
	case llm.ChoiceAny:
		return "required"
	case llm.ChoiceNamed:
		list := make([]named, len(c.Names))
		for i, name := range c.Names {
			list[i] = named{"function", names.Out(name)}
		}
		if len(list) == 1 {
			return list[0]
		}
		return allowed{"allowed_tools", "required", list}
	}
	return nil
}

// outputName is a name that the server takes for the schema of an output.
func outputName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "output"
	}
	return name[:min(len(name), adapt.MaxName)]
}

// schema is a schema as the server takes it: a strict one where that is possible.
func (m *Model) schema(data json.RawMessage) (*adapt.Adapted, error) {
	a, err := m.schemas.Schema(data, adapt.OpenAIStrict)
	if err == nil && !a.Strict {
		a, err = m.schemas.Schema(data, adapt.OpenAI)
	}
	return a, err
}
