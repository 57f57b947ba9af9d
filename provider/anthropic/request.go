package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
	"github.com/helios-go/helios/provider/internal/wire"
)

// request is the body of a call, in the order of the API's documentation.
type request struct {
	Model     string        `json:"model"`
	MaxTokens int64         `json:"max_tokens"`
	Stream    bool          `json:"stream"`
	System    []*block      `json:"-"`
	SystemAny any           `json:"system,omitempty"` // a text, or System
	Messages  []*message    `json:"messages"`
	Tools     []*toolSpec   `json:"tools,omitempty"`
	Choice    *toolChoice   `json:"tool_choice,omitempty"`
	Stop      []string      `json:"stop_sequences,omitempty"`
	Temp      *float64      `json:"temperature,omitempty"`
	TopP      *float64      `json:"top_p,omitempty"`
	Thinking  *thinking     `json:"thinking,omitempty"`
	Output    *outputConfig `json:"output_config,omitempty"`
	Container string        `json:"container,omitempty"`
}

type message struct {
	Role    string   `json:"role"`
	Content []*block `json:"content"`
}

type toolSpec struct {
	Type        string          `json:"type,omitempty"` // of the API's own tools
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input_schema,omitempty"`
	Strict      bool            `json:"strict,omitempty"`
	Cache       *cacheControl   `json:"cache_control,omitempty"`
}

type toolChoice struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

type outputConfig struct {
	Effort string        `json:"effort,omitempty"`
	Format *outputFormat `json:"format,omitempty"`
}

type outputFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// An encoder makes the requests of one stream.
type encoder struct {
	model       *Model
	req         *llm.Request
	request     request
	names       *adapt.Names
	args        map[string]*adapt.Adapted // of the tools by their names, where the API gets other names of arguments
	ids         *adapt.IDs
	clientTools int
	marked      []*block // where the caller wants marks
	served      *served
	resumed     []llm.Part
}

func (m *Model) encoder(req *llm.Request) (*encoder, error) {
	req = adapt.Distinct(req)
	e := &encoder{model: m, req: req, names: adapt.NewNames(req.Tools, req.Messages, 0), ids: adapt.NewIDs(adapt.AnthropicIDs, req.Messages)}
	e.request = request{Model: m.id, Stream: true, MaxTokens: req.Options.MaxTokens, Stop: req.Options.Stop}
	if e.request.MaxTokens == 0 {
		e.request.MaxTokens = m.shape.output
	}
	e.system(req.System)
	for _, step := range []func() error{e.tools, e.choice, e.output, e.messages, e.think, e.sampling} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// sampling sets temperatures where there are any: with the old version of the API,
// for older models, while they do not think.
func (e *encoder) sampling() error {
	o := &e.req.Options
	if e.model.opts.version() != oldVersion || e.model.shape.kind != budgeted || e.request.Thinking != nil {
		return nil
	}
	if o.Temperature != nil && *o.Temperature > 1 {
		return e.model.conn.Invalid("Anthropic's temperatures go to 1, not to %v; change Options.Temperature", *o.Temperature)
	}
	e.request.Temp, e.request.TopP = o.Temperature, o.TopP
	return nil
}

// body is the request as JSON.
func (e *encoder) body() ([]byte, error) {
	e.mark()
	if e.request.SystemAny = nil; len(e.request.System) > 0 {
		e.request.SystemAny = e.request.System
		if e.model.opts.Cache == CacheNone {
			e.request.SystemAny = e.systemText()
		}
	}
	return e.model.conn.Body(&e.request, e.req.Options.Provider["anthropic"])
}

// system keeps the instructions as one block, or as several where the caller has
// marked the end of one.
func (e *encoder) system(parts []llm.Part) {
	var b strings.Builder
	flush := func(marked bool) {
		if strings.TrimSpace(b.String()) != "" {
			e.request.System = append(e.request.System, &block{Type: "text", Text: new(b.String()), marked: marked})
		}
		b.Reset()
	}
	for i := range parts {
		if parts[i].Kind != llm.PartText || parts[i].Text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(parts[i].Text)
		if parts[i].Cache {
			flush(true)
		}
	}
	flush(false)
}

func (e *encoder) systemText() string {
	texts := make([]string, len(e.request.System))
	for i, b := range e.request.System {
		texts[i] = *b.Text
	}
	return strings.Join(texts, "\n\n")
}

// maxStrict is how many tools of one request the API holds to their schemas.
const maxStrict = 20

func (e *encoder) tools() error {
	strict := 0
	for i := range e.req.Tools {
		spec := &e.req.Tools[i]
		if spec.Name == "web_search" && e.model.opts.WebSearch || spec.Name == "web_fetch" && e.model.opts.WebFetch {
			return e.model.conn.Invalid("the tool %s has the name of one of Anthropic's own; rename it, or leave Options.WebSearch and WebFetch out", spec.Name)
		}
		schema, err := e.model.schemas.Schema(spec.Input, adapt.Anthropic)
		if err != nil {
			return e.model.conn.Invalid("the tool %s cannot be offered: %w", spec.Name, err)
		}
		t := &toolSpec{Name: e.names.Out(spec.Name), Description: spec.Description, Input: schema.JSON}
		if schema.Renames() {
			if e.args == nil {
				e.args = map[string]*adapt.Adapted{}
			}
			e.args[spec.Name] = schema
		} else if e.model.opts.StrictTools && strict < maxStrict {
			if tight, err := e.model.schemas.Schema(spec.Input, adapt.AnthropicOutput); err == nil && tight.Strict {
				t.Input, t.Strict = tight.JSON, true
				strict++
			}
		}
		e.request.Tools = append(e.request.Tools, t)
	}
	e.clientTools = len(e.request.Tools)
	if e.model.opts.WebSearch {
		e.request.Tools = append(e.request.Tools, &toolSpec{Type: "web_search_20260318", Name: "web_search"})
	}
	if e.model.opts.WebFetch {
		e.request.Tools = append(e.request.Tools, &toolSpec{Type: "web_fetch_20260318", Name: "web_fetch"})
	}
	return nil
}

// choice says what has to be called. A model that refuses to be forced is told in
// words, behind everything else: see [encoder.urge].
func (e *encoder) choice() error {
	c := &e.req.Choice
	switch c.Mode {
	case llm.ChoiceNone:
		if len(e.request.Tools) > 0 {
			e.request.Choice = &toolChoice{Type: "none"}
		}
	case llm.ChoiceAny:
		if e.model.shape.free {
			return e.model.conn.Invalid("%s cannot be made to call a tool; leave the tool choice to it, or name the tool", e.model.id)
		}
		e.request.Choice = &toolChoice{Type: "any"}
	case llm.ChoiceNamed:
		switch {
		case e.model.shape.free:
		case len(c.Names) > 1:
			return e.model.conn.Invalid("the tool choice names %d tools and Anthropic takes one; name one, or leave the others out of the request", len(c.Names))
		default:
			e.request.Choice = &toolChoice{Type: "tool", Name: e.names.Out(c.Names[0])}
		}
	}
	return nil
}

// urge tells a model that cannot be forced what it has to call. Tools and system
// prompt stay as they are: the prompt cache goes by them, and so do the signatures
// of thoughts.
func (e *encoder) urge() {
	c := &e.req.Choice
	if c.Mode != llm.ChoiceNamed || !e.model.shape.free {
		return
	}
	names := make([]string, len(c.Names))
	for i, name := range c.Names {
		names[i] = e.names.Out(name)
	}
	text := "Now call the tool " + strings.Join(names, " or ") + ", and say nothing else."
	e.add("user", []*block{{Type: "text", Text: &text}})
}

func (e *encoder) config() *outputConfig {
	if e.request.Output == nil {
		e.request.Output = &outputConfig{}
	}
	return e.request.Output
}

// output asks for JSON: by the API where it can hold to the schema, else in words.
// What it finds in the web it cites, and it does not cite within a schema.
func (e *encoder) output() error {
	if e.req.Output == nil {
		return nil
	}
	schema, err := e.model.schemas.Schema(e.req.Output.JSON, adapt.AnthropicOutput)
	if err != nil {
		return e.model.conn.Invalid("the output %s cannot be asked for: %w", e.req.Output.Name, err)
	}
	if e.model.home && e.model.info.Output && schema.Strict && !e.model.opts.WebSearch {
		e.config().Format = &outputFormat{Type: "json_schema", Schema: schema.JSON}
		return nil
	}
	rule := "Your answer is one JSON value that fits this schema, and nothing else: no prose, no code fence."
	if len(e.req.Tools) > 0 {
		rule = "You may call tools first. Your last message is one JSON value that fits this schema, and nothing else: no prose, no code fence."
	}
	e.request.System = append(e.request.System, &block{Type: "text", Text: new(rule + "\n" + string(e.req.Output.JSON))})
	return nil
}

// A block is a piece of a message.
type block struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"`
	Signature string          `json:"signature,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   []*block        `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Source    *source         `json:"source,omitempty"`
	Title     string          `json:"title,omitempty"`
	Cache     *cacheControl   `json:"cache_control,omitempty"`

	raw    json.RawMessage // sent as it is instead
	extra  json.RawMessage // an object of further fields
	marked bool            // by the caller
}

type source struct {
	Type   string `json:"type"`
	MIME   string `json:"media_type,omitempty"`
	Data   []byte `json:"data,omitempty"` // base64 in JSON
	URL    string `json:"url,omitempty"`
	FileID string `json:"file_id,omitempty"`
}

// MarshalJSON writes the block.
func (b *block) MarshalJSON() ([]byte, error) {
	if b.raw != nil {
		return b.raw, nil
	}
	type fields block
	data, err := wire.Marshal((*fields)(b))
	if err != nil || len(b.extra) <= len("{}") {
		return data, err
	}
	return append(append(data[:len(data)-1], ','), b.extra[1:]...), nil
}
