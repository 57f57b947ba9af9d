package openai

import (
	"encoding/json"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
)

// A body is a request as the server wants it.
type body struct {
	Model          string     `json:"model"`
	Instructions   string     `json:"instructions,omitempty"`
	Previous       string     `json:"previous_response_id,omitempty"`
	Input          []any      `json:"input"`
	Tools          []function `json:"tools,omitempty"`
	Choice         any        `json:"tool_choice,omitempty"`
	Text           *format    `json:"text,omitempty"`
	Reasoning      *reasoning `json:"reasoning,omitempty"`
	MaxTokens      int64      `json:"max_output_tokens,omitempty"`
	Temperature    *float64   `json:"temperature,omitempty"`
	TopP           *float64   `json:"top_p,omitempty"`
	Include        []string   `json:"include,omitempty"`
	PromptCacheKey string     `json:"prompt_cache_key,omitempty"`
	Store          bool       `json:"store"`
	Stream         bool       `json:"stream"`
}

type reasoning struct {
	Effort  string `json:"effort"`
	Summary string `json:"summary,omitempty"`
}

// A call is one request under way: what is sent, and what the decoder needs to
// understand the answer.
type call struct {
	body     body
	extra    json.RawMessage // the caller's own fields
	messages []llm.Message
	whole    []any // the input if the server does not know the previous answer

	names  *adapt.Names
	tools  map[string]*adapt.Adapted // by the names of ours
	output *adapt.Adapted
	before string // see notes
}

// call translates a request. Its errors are those of a request that could not
// succeed.
func (m *Model) call(req *llm.Request) (*call, error) {
	c := &call{names: adapt.NewNames(req.Tools, req.Messages, 0), extra: req.Options.Provider[providerName], messages: req.Messages}
	c.body = body{
		Model: m.id, Stream: true, Store: m.opts.Continuation,
		MaxTokens: req.Options.MaxTokens, PromptCacheKey: m.opts.PromptCacheKey,
	}
	if m.reasons() {
		c.body.Include = []string{"reasoning.encrypted_content"}
	}
	var err error
	if c.body.Instructions, err = m.instructions(req.System); err != nil {
		return nil, err
	}
	if err := m.options(&c.body, &req.Options); err != nil {
		return nil, err
	}
	if err := m.functions(c, req); err != nil {
		return nil, err
	}
	m.input(c, c.messages)
	return c, nil
}

// instructions are the system's texts.
func (m *Model) instructions(parts []llm.Part) (string, error) {
	texts := make([]string, 0, len(parts))
	for i := range parts {
		switch {
		case parts[i].Kind != llm.PartText:
			return "", m.conn.Invalid("instructions hold texts only, and Request.System[%d] is a %s; put it into a message of the user", i, parts[i].Kind)
		case strings.TrimSpace(parts[i].Text) != "":
			texts = append(texts, parts[i].Text)
		}
	}
	return strings.Join(texts, "\n\n"), nil
}

// options translates how an answer is to be made.
func (m *Model) options(b *body, o *llm.Options) error {
	switch {
	case len(o.Stop) > 0:
		return m.conn.Invalid("the Responses API has no stop texts; leave Options.Stop empty")
	case o.Seed != nil:
		return m.conn.Invalid("the Responses API has no seed; leave Options.Seed nil")
	}
	effort, err := m.effort(o.Thinking)
	if err != nil {
		return err
	}
	if effort != "" {
		b.Reasoning = &reasoning{Effort: effort, Summary: m.summary(effort)}
	}
	b.TopP = o.TopP
	if !m.thinks(effort) {
		b.Temperature = o.Temperature
	} else if o.TopP != nil && m.known {
		return m.conn.Invalid("%s takes no top_p while it reasons; leave Options.TopP nil", m.id)
	}
	return nil
}

// summary is how the reasoning is to be told.
func (m *Model) summary(effort string) string {
	switch {
	case effort == levels[llm.ThinkingNone], m.opts.Summary == "none":
		return ""
	case m.opts.Summary == "":
		return "auto"
	}
	return m.opts.Summary
}
