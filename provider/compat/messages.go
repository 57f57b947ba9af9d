package compat

import (
	"encoding/json"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
	"github.com/helios-go/helios/provider/internal/wire"
)

// A message is one of the conversation. Content is a string, a list of parts, or
// null beside calls.
type message struct {
	Role    string          `json:"role"`
	Content any             `json:"content"`
	Calls   []toolCall      `json:"tool_calls,omitempty"`
	ID      string          `json:"tool_call_id,omitempty"`
	Name    string          `json:"name,omitempty"`
	Details json.RawMessage `json:"reasoning_details,omitempty"`
	Extra   json.RawMessage `json:"extra_content,omitempty"`

	field, thought string // the thought that goes back, and as what; field "" for none
}

type toolCall struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Function calledFunction  `json:"function"`
	Extra    json.RawMessage `json:"extra_content,omitempty"`
}

type calledFunction struct {
	Name string `json:"name"`
	Args string `json:"arguments"`
}

// plainMessage is a message without what a dialect calls in its own way.
type plainMessage message

// MarshalJSON writes the thought under its name.
func (m message) MarshalJSON() ([]byte, error) {
	data, err := wire.Marshal(plainMessage(m))
	if err != nil || m.field == "" {
		return data, err
	}
	thought, err := wire.Marshal(map[string]string{m.field: m.thought})
	if err != nil {
		return nil, err
	}
	return append(append(data[:len(data)-1], ','), thought[1:]...), nil
}

const (
	assistant = "assistant"
	user      = "user"
	toolRole  = "tool"
)

// between stands between results and a user's message where a server wants an
// answer to the results first.
const between = "I have read the results."

// messages says the instructions and the conversation.
func (b *builder) messages() ([]message, error) {
	var out []message
	if system := b.system(); system != nil {
		out = append(out, message{Role: or(b.d.SystemRole, "system"), Content: system})
	}
	last := b.lastUser()
	var seen []part // what results showed, until it can be told
	for i := range b.req.Messages {
		m := &b.req.Messages[i]
		if m.Role != llm.RoleTool && len(seen) > 0 {
			out = b.say(out, seen)
			seen = nil
		}
		var err error
		switch m.Role {
		case llm.RoleAssistant:
			out = b.assistant(out, m, b.echoes(i, last))
		case llm.RoleTool:
			out, seen = b.results(out, m, seen)
		default:
			var parts []part
			if parts, err = b.parts(m.Parts); len(parts) > 0 {
				out = b.say(out, parts)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if len(seen) > 0 {
		out = b.say(out, seen)
	}
	return out, nil
}

// system is the instructions, nil for none.
func (b *builder) system() any {
	var parts []part
	for i := range b.req.System {
		if p := &b.req.System[i]; p.Kind == llm.PartText && p.Text != "" {
			parts = append(parts, b.text(p))
		}
	}
	for _, t := range b.told {
		parts = append(parts, part{Type: "text", Text: t})
	}
	if len(parts) == 0 {
		return nil
	}
	return flat(parts)
}

// say is something of the user's. It goes into the message before if that is the
// user's too: the templates of many models want the roles to take turns.
func (b *builder) say(out []message, parts []part) []message {
	if n := len(out); n > 0 {
		switch last := &out[n-1]; {
		case last.Role == user:
			last.Content = flat(append(list(last.Content), parts...))
			return out
		case last.Role == toolRole && b.d.Bridge:
			out = append(out, message{Role: assistant, Content: between})
		}
	}
	return append(out, message{Role: user, Content: flat(parts)})
}

// assistant is what the model said, with its thoughts if they go back. A message
// that would say nothing is left out.
func (b *builder) assistant(out []message, m *llm.Message, echo bool) []message {
	msg := message{Role: assistant}
	var texts, thoughts []string
	var content []part
	for i := range m.Parts {
		p := &m.Parts[i]
		switch p.Kind {
		case llm.PartText:
			if p.Text != "" {
				texts = append(texts, p.Text)
				content = append(content, part{Type: "text", Text: p.Text})
			}
		case llm.PartThinking:
			msg.Details = pick(msg.Details, b.own(p, "reasoning_details"))
			msg.Extra = pick(msg.Extra, b.own(p, "extra_content"))
			if p.Text != "" && b.sends(p) {
				thoughts = append(thoughts, p.Text)
				content = append(content, part{Type: "thinking", Thinking: []part{{Type: "text", Text: p.Text}}})
			}
		case llm.PartCall:
			if p.Call == nil {
				continue
			}
			msg.Calls = append(msg.Calls, toolCall{
				ID: b.ids.Out(p.Call.ID), Type: "function", Extra: b.own(p, "extra_content"),
				Function: calledFunction{Name: b.names.Out(p.Call.Name), Args: string(adapt.Args(p.Call))},
			})
		}
	}
	text := strings.Join(texts, "")
	if text != "" {
		msg.Content = text
	}
	switch {
	case !b.d.Details:
		msg.Details = nil
	case msg.Details != nil:
		echo = false
	}
	if echo {
		b.echo(&msg, strings.Join(thoughts, ""), content)
	}
	switch n := len(out); {
	case msg.Content == nil && len(msg.Calls) == 0:
		return out
	case n > 0 && out[n-1].Role == assistant && len(out[n-1].Calls) == 0 && len(msg.Calls) == 0:
		out[n-1].Content = joined(out[n-1].Content, msg.Content)
		return out
	}
	return append(out, msg)
}

// joined is the content of two messages of the assistant's in a row.
func joined(a, b any) any {
	first, plain := a.(string)
	second, too := b.(string)
	if plain && too {
		return first + "\n\n" + second
	}
	return append(list(a), list(b)...)
}

func pick(a, b json.RawMessage) json.RawMessage {
	if a != nil {
		return a
	}
	return b
}
