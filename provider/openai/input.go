package openai

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
)

// A builder makes the items of a request out of a conversation.
type builder struct {
	model string // Model.Name of whom it is for
	named bool   // items have the ids that the server gave them
	names *adapt.Names
	tools map[string]*adapt.Adapted
	ids   *adapt.IDs
	items []any
}

type message struct {
	Type    string `json:"type"`
	Role    string `json:"role"`
	Content any    `json:"content"`
}

type output struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output any    `json:"output"`
}

// message appends the items of one message.
func (b *builder) message(m *llm.Message) {
	switch m.Role {
	case llm.RoleAssistant:
		b.assistant(m.Parts)
	case llm.RoleTool:
		for i := range m.Parts {
			if r := m.Parts[i].Result; r != nil {
				b.items = append(b.items, output{"function_call_output", b.ids.Out(r.ID), result(r)})
			}
		}
	default:
		if len(m.Parts) > 0 {
			b.items = append(b.items, message{"message", "user", contents(m.Parts)})
		}
	}
}

// result is what a tool said. The API has no mark for a failure, so its text has to
// tell.
func result(r *llm.ToolResult) any {
	const mark = "Error: "
	parts := r.Parts
	if !r.IsError {
		return contents(parts)
	}
	if len(parts) > 0 && parts[0].Kind == llm.PartText {
		if text := parts[0].Text; !strings.HasPrefix(strings.ToLower(text), "error") {
			parts = append([]llm.Part{llm.Text(mark + text)}, parts[1:]...)
		}
		return contents(parts)
	}
	return contents(append([]llm.Part{llm.Text(mark + "the tool failed")}, parts...))
}

// assistant appends the items of an answer. Reasoning is only sent right before the
// item that followed it: it is held back until that is known.
func (b *builder) assistant(parts []llm.Part) {
	var thoughts []*thought
	var texts *said // the message item under way
	for i := range parts {
		p := &parts[i]
		if p.Kind == llm.PartThinking {
			texts = nil
			if t := b.thought(p); t != nil {
				thoughts = append(thoughts, t)
			}
			continue
		}
		if p.Kind == llm.PartText && texts.goesOn(p) {
			texts.add(p)
			continue
		}
		texts = nil
		id, item, ok := b.item(p)
		if !ok {
			continue
		}
		before := len(b.items)
		b.thoughts(thoughts, id)
		thoughts = nil
		// By its id the server finds out that reasoning led to an item, and refuses the
		// one without the other.
		if f, isMap := item.(map[string]any); isMap && (!b.named || len(b.items) == before) {
			delete(f, "id")
			delete(f, "status") // which only an item with an id has
		}
		if f, isMap := item.(map[string]any); isMap && p.Kind == llm.PartText {
			texts = &said{item: f, id: id}
		}
		b.items = append(b.items, item)
	}
}

// A thought is reasoning that waits for what follows it.
type thought struct {
	id, next string
	item     map[string]any
}

// thought is a part of reasoning as an item, nil where it cannot be sent: it is
// another model's, or the server would not know what to do with its text alone.
func (b *builder) thought(p *llm.Part) *thought {
	if p.Model != "" && p.Model != b.model || !ours(p) {
		return nil
	}
	f, n := extras(p)
	if p.Signature == "" && n.Content == nil && f["content"] == nil {
		return nil
	}
	t := &thought{id: f.text("id"), next: n.Next, item: merged(f)}
	t.item["type"] = "reasoning"
	if p.Signature != "" {
		t.item["encrypted_content"] = p.Signature
	}
	t.item["summary"] = []any{} // wanted even if there is none
	if n.Content != nil {
		t.item["content"] = typed("reasoning_text", pieces(p.Text, n.Content))
	} else if p.Text != "" {
		t.item["summary"] = typed("summary_text", pieces(p.Text, n.Summary))
	}
	if !b.named {
		delete(t.item, "id")
	}
	return t
}

// thoughts appends reasoning that the item of this id directly follows; of several
// in a row each is followed by the next.
func (b *builder) thoughts(list []*thought, id string) {
	keep := len(list)
	for keep > 0 && (list[keep-1].next == "" || list[keep-1].next == id) {
		keep--
		id = list[keep].id
	}
	for _, t := range list[keep:] {
		b.items = append(b.items, t.item)
	}
}

// typed are texts with a type.
func typed(kind string, texts []string) []any {
	list := make([]any, len(texts))
	for i, t := range texts {
		list[i] = map[string]any{"type": kind, "text": t}
	}
	return list
}

// merged are the further fields of an item, to which its own are added.
func merged(f fields) map[string]any {
	item := make(map[string]any, len(f)+4)
	for name, value := range f {
		item[name] = json.RawMessage(value)
	}
	return item
}

// item is a part of an answer as an item of its own, with the id that it had.
func (b *builder) item(p *llm.Part) (id string, item any, ok bool) {
	switch {
	case p.Kind == llm.PartText && p.Text != "":
		s := newSaid(p)
		return s.id, s.item, true
	case p.Kind == llm.PartCall && p.Call != nil:
		f, _ := extras(p)
		args := adapt.Args(p.Call)
		if a := b.tools[p.Call.Name]; a != nil {
			args = a.Out(args)
		}
		call := merged(f)
		call["type"], call["call_id"] = "function_call", b.ids.Out(p.Call.ID)
		call["name"], call["arguments"] = b.names.Out(p.Call.Name), string(args)
		return f.text("id"), call, true
	case p.Kind == llm.PartOpaque:
		data, valid := verbatim(p)
		if !valid {
			return "", nil, false
		}
		return head(data), data, true
	case p.Kind == llm.PartMedia && p.Media != nil:
		s := newSaid(&llm.Part{Kind: llm.PartText, Text: "[" + p.Media.String() + "]"})
		return "", s.item, true
	}
	return "", nil, false
}

// said is a message of the model's.
type said struct {
	item map[string]any
	id   string
}

func newSaid(p *llm.Part) *said {
	f, _ := extras(p)
	delete(f, "content")
	s := &said{item: merged(f), id: f.text("id")}
	s.item["type"], s.item["role"] = "message", "assistant"
	s.add(p)
	return s
}

// goesOn reports whether a text is of the same message as the one before: then both
// have its id.
func (s *said) goesOn(p *llm.Part) bool {
	if s == nil || s.id == "" || p.Text == "" {
		return false
	}
	f, _ := extras(p)
	return f.text("id") == s.id
}

// add appends a text to the message.
func (s *said) add(p *llm.Part) {
	piece := map[string]any{"type": "output_text"}
	f, _ := extras(p)
	var more map[string]any
	if raw := f["content"]; raw != nil && json.Unmarshal(raw, &more) == nil {
		maps.Copy(piece, more)
	}
	if piece["type"] == "refusal" {
		piece["refusal"] = p.Text
	} else {
		piece["text"] = p.Text
	}
	list, _ := s.item["content"].([]any)
	s.item["content"] = append(list, piece)
}
