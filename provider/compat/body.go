package compat

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
	"github.com/helios-go/helios/provider/internal/wire"
)

// A builder says one request in a dialect.
type builder struct {
	d     *Dialect
	m     *Model
	req   *llm.Request
	names *adapt.Names
	ids   *adapt.IDs

	submit string   // the tool that stands for the schema of the answer
	told   []string // what the instructions have to say besides
}

// body is the members of a request.
type body struct {
	Model         string          `json:"model"`
	Messages      []message       `json:"messages"`
	Stream        bool            `json:"stream"`
	StreamOptions json.RawMessage `json:"stream_options,omitempty"`
	Tools         []tool          `json:"tools,omitempty"`
	ToolChoice    any             `json:"tool_choice,omitempty"`
	Parallel      *bool           `json:"parallel_tool_calls,omitempty"`
	Format        *format         `json:"response_format,omitempty"`
	Temperature   *float64        `json:"temperature,omitempty"`
	TopP          *float64        `json:"top_p,omitempty"`
	Stop          []string        `json:"stop,omitempty"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// A named is the choice of one function.
type named struct {
	Type     string `json:"type"`
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

type format struct {
	Type   string  `json:"type"`
	Schema *schema `json:"json_schema,omitempty"`
}

type schema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict,omitempty"`
}

// usageToo asks for the tokens in a stream.
var usageToo = json.RawMessage(`{"include_usage":true}`)

// rule is what the dialect takes for the id of a call.
func (d *Dialect) rule() adapt.IDRule {
	switch d.IDs {
	case IDsNine:
		return adapt.MistralIDs
	case IDsPlain:
		return adapt.IDRule{Min: 1, Max: 40, Dashes: true}
	}
	return adapt.IDRule{Min: 1, Max: 64, Any: true}
}

// body is the request as it is sent.
func (b *builder) body() ([]byte, error) {
	b.names = adapt.NewNames(b.req.Tools, b.req.Messages, 0)
	b.ids = adapt.NewIDs(b.d.rule(), b.req.Messages)
	out := &body{Model: b.m.id, Stream: true, Temperature: b.req.Options.Temperature, TopP: b.req.Options.TopP, Stop: b.req.Options.Stop}
	if b.d.Usage {
		out.StreamOptions = usageToo
	}
	if err := b.tools(out); err != nil {
		return nil, err
	}
	messages, err := b.messages()
	if err != nil {
		return nil, err
	}
	out.Messages = messages
	extra, err := b.extra()
	if err != nil {
		return nil, err
	}
	data, err := b.m.conn.Body(out, nil)
	if err != nil {
		return nil, err
	}
	if len(extra) > 0 { // none of them has a name that out has
		data = append(append(data[:len(data)-1], ','), extra[1:]...)
	}
	if own := b.req.Options.Provider[b.d.Name]; len(own) > 0 {
		return b.m.conn.Body(json.RawMessage(data), own)
	}
	return data, nil
}

// extra are the members whose name is the dialect's.
func (b *builder) extra() (json.RawMessage, error) {
	o := &b.req.Options
	members := map[string]any{}
	if o.MaxTokens > 0 {
		members[or(b.d.MaxTokens, "max_tokens")] = o.MaxTokens
	}
	if o.Seed != nil {
		members[or(b.d.Seed, "seed")] = *o.Seed
	}
	if err := b.thinking(members); err != nil {
		return nil, err
	}
	if len(members) == 0 {
		return nil, nil
	}
	return wire.Marshal(members)
}

func or(name, by string) string {
	if name == "" {
		return by
	}
	return name
}

// thinking says how much the model is to think.
func (b *builder) thinking(members map[string]any) error {
	level, t := b.req.Options.Thinking, &b.d.Thinking
	if level == llm.ThinkingDefault {
		return nil
	}
	name, known := t.Names[level]
	off := level == llm.ThinkingNone && len(t.Off) > 0
	if t.Field == "" && !off || !known && !off {
		return b.m.conn.Invalid("%s has no way to be told to think at level %s; leave Options.Thinking at its default, or use Options.Provider[%q]", b.m.Name(), level, b.d.Name)
	}
	more := t.On
	if level == llm.ThinkingNone {
		more = t.Off
	}
	if len(more) > 0 {
		var added map[string]any
		if err := json.Unmarshal(more, &added); err != nil {
			return b.m.conn.Invalid("Dialect.Thinking of %s: not a JSON object", b.d.Name)
		}
		maps.Copy(members, added)
	}
	if !known {
		return nil
	}
	at := members
	path := strings.Split(t.Field, ".")
	for _, step := range path[:len(path)-1] {
		inner, ok := at[step].(map[string]any)
		if !ok {
			inner = map[string]any{}
			at[step] = inner
		}
		at = inner
	}
	at[path[len(path)-1]] = name
	return nil
}
