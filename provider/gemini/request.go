package gemini

import (
	"encoding/json"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
)

// A body is a request to create an interaction.
type body struct {
	Model      string            `json:"model"`
	Input      []json.RawMessage `json:"input,omitempty"`
	Previous   string            `json:"previous_interaction_id,omitempty"`
	Token      string            `json:"continuation_token,omitempty"`
	System     string            `json:"system_instruction,omitempty"`
	Tools      []tool            `json:"tools,omitempty"`
	Generation *generation       `json:"generation_config,omitempty"`
	Format     *format           `json:"response_format,omitempty"`
	Store      *bool             `json:"store,omitempty"` // nil: the server's default, which is to keep it
	Stream     bool              `json:"stream"`
}

type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

type generation struct {
	MaxTokens   int64    `json:"max_output_tokens,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"top_p,omitempty"`
	Seed        *int64   `json:"seed,omitempty"`
	Stop        []string `json:"stop_sequences,omitempty"`
	Level       string   `json:"thinking_level,omitempty"`
	Summaries   string   `json:"thinking_summaries,omitempty"`
	Choice      any      `json:"tool_choice,omitempty"` // a word, or *allowed
}

type allowed struct {
	Tools struct {
		Mode  string   `json:"mode"`
		Tools []string `json:"tools"`
	} `json:"allowed_tools"`
}

type format struct {
	Type   string          `json:"type"`
	MIME   string          `json:"mime_type"`
	Schema json.RawMessage `json:"schema"`
}

// A call is one request of a model, and what its answer has to be read with.
type call struct {
	body    body
	steps   []json.RawMessage // the whole history
	names   *adapt.Names
	args    map[string]*adapt.Adapted // by the name that the server knows
	history string                    // fingerprint of steps, where the server keeps them
	extra   json.RawMessage
}

// call translates a request.
func (m *Model) call(req *llm.Request) (*call, error) {
	c := &call{names: adapt.NewNames(req.Tools, req.Messages, adapt.MaxName), extra: req.Options.Provider[vendor]}
	c.body = body{Model: m.id, Stream: true, System: system(req.System)}
	if !m.o.Continuation {
		c.body.Store = new(false)
	}
	if err := m.tools(c, req); err != nil {
		return nil, err
	}
	if err := m.generation(c, req); err != nil {
		return nil, err
	}
	if req.Output != nil {
		adapted, err := m.schemas.Schema(req.Output.JSON, adapt.Gemini)
		if err != nil {
			return nil, m.conn.Invalid("the schema of the output: %w", err)
		}
		c.body.Format = &format{Type: "text", MIME: "application/json", Schema: adapted.JSON}
	}
	return c, m.input(c, req)
}

// input translates the conversation: all of it, or what came since the last answer
// that the server keeps.
func (m *Model) input(c *call, req *llm.Request) error {
	h := history{model: m.Name(), names: c.names, ids: adapt.NewIDs(adapt.AnyIDs, req.Messages)}
	last, before := -1, 0
	var ref reference
	for i := range req.Messages {
		msg := &req.Messages[i]
		if r, ok := referenceIn(msg, h.model); ok && m.o.Continuation && msg.Role == llm.RoleAssistant {
			last, before, ref = i, len(h.steps), r
		}
		h.message(msg)
	}
	if h.err != nil {
		return m.conn.Invalid("the conversation cannot be written as JSON: %w", h.err)
	}
	c.steps, c.body.Input = h.steps, h.steps
	if !m.o.Continuation {
		return nil
	}
	c.history = fingerprint(c.steps)
	if last < 0 || fingerprint(c.steps[:before]) != ref.History {
		return nil
	}
	answer := history{model: h.model, names: h.names, ids: h.ids}
	answer.message(&req.Messages[last])
	if since := c.steps[before+len(answer.steps):]; len(since) > 0 {
		c.body.Previous, c.body.Input = ref.ID, since
	}
	return nil
}

// system joins the instructions.
func system(parts []llm.Part) string {
	var texts []string
	for i := range parts {
		if parts[i].Kind == llm.PartText && parts[i].Text != "" {
			texts = append(texts, parts[i].Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

func (m *Model) tools(c *call, req *llm.Request) error {
	if m.o.WebFetch && len(req.Tools) > 0 {
		return invalid("unset Options.WebFetch, or the request's Tools", "the API does not take web pages together with tools")
	}
	c.args = make(map[string]*adapt.Adapted, len(req.Tools))
	for i := range req.Tools {
		spec := &req.Tools[i]
		schema, err := m.schemas.Schema(spec.Input, adapt.Gemini)
		if err != nil {
			return m.conn.Invalid("the schema of the tool %q: %w", spec.Name, err)
		}
		known := c.names.Out(spec.Name)
		c.args[known] = schema
		c.body.Tools = append(c.body.Tools, tool{Type: "function", Name: known, Description: spec.Description, Parameters: schema.JSON})
	}
	if m.o.WebSearch {
		c.body.Tools = append(c.body.Tools, tool{Type: "google_search"})
	}
	if m.o.WebFetch {
		c.body.Tools = append(c.body.Tools, tool{Type: "url_context"})
	}
	return nil
}

func (m *Model) generation(c *call, req *llm.Request) error {
	o := &req.Options
	g := generation{MaxTokens: o.MaxTokens, Temperature: o.Temperature, TopP: o.TopP, Seed: o.Seed, Stop: o.Stop, Summaries: m.o.Summary}
	switch o.Thinking {
	case llm.ThinkingDefault:
	case llm.ThinkingNone:
		return invalid("set Thinking to minimal, or leave it unset", "the thinking of Gemini's models cannot be turned off")
	case llm.ThinkingMinimal:
		g.Level = leastThinking(m.id)
	case llm.ThinkingXHigh, llm.ThinkingMax: // there is nothing above
		g.Level = "high"
	default:
		g.Level = o.Thinking.String()
	}
	if g.Level != "" && g.Summaries == "" {
		g.Summaries = "auto"
	}
	if len(c.body.Tools) > 0 {
		g.Choice = choice(&req.Choice, c.names)
	}
	if g.set() {
		c.body.Generation = &g
	}
	return nil
}

// set reports whether there is anything to say.
func (g *generation) set() bool {
	return g.MaxTokens != 0 || g.Temperature != nil || g.TopP != nil || g.Seed != nil || len(g.Stop) > 0 || g.Level != "" || g.Summaries != "" || g.Choice != nil
}

func choice(c *llm.ToolChoice, names *adapt.Names) any {
	switch c.Mode {
	case llm.ChoiceNone:
		return "none"
	case llm.ChoiceAny:
		return "any"
	case llm.ChoiceNamed:
		var a allowed
		a.Tools.Mode = "any" // "validated" would let the model answer in words
		for _, n := range c.Names {
			a.Tools.Tools = append(a.Tools.Tools, names.Out(n))
		}
		return &a
	}
	return nil // the model decides
}
