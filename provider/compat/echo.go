package compat

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/helios-go/helios/llm"
)

// lastUser is the index of the last message that is the user's; -1 without one.
func (b *builder) lastUser() int {
	for i, m := range slices.Backward(b.req.Messages) {
		if m.Role == llm.RoleUser {
			return i
		}
	}
	return -1
}

// echoes reports whether the thoughts of message i go back.
func (b *builder) echoes(i, last int) bool {
	switch b.d.Echo {
	case EchoAll:
		return true
	case EchoLoop:
		return i > last
	case EchoTurns:
		return b.called(i)
	}
	return false
}

// called reports whether a tool was called in the turn that message i is of: from
// one message of the user's to the next.
func (b *builder) called(i int) bool {
	from := i
	for from > 0 && b.req.Messages[from-1].Role != llm.RoleUser {
		from--
	}
	for _, m := range b.req.Messages[from:] {
		if m.Role == llm.RoleUser {
			return false
		}
		for j := range m.Parts {
			if m.Parts[j].Kind == llm.PartCall {
				return true
			}
		}
	}
	return false
}

// echo puts the thoughts into a message.
func (b *builder) echo(msg *message, thoughts string, content []part) {
	switch {
	case b.d.EchoField == contentField:
		if thoughts != "" {
			msg.Content = content
		}
	case thoughts != "", b.d.Echo == EchoTurns:
		msg.field, msg.thought = b.d.EchoField, thoughts
	}
}

// sends reports whether a thought is one that this server may see: its own, or one
// that nobody has signed for.
func (b *builder) sends(p *llm.Part) bool {
	if b.d.EchoModel {
		return p.Model == b.m.Name()
	}
	return p.Model == "" || b.ours(p.Model)
}

// ours reports whether a model is of the same provider.
func (b *builder) ours(model string) bool {
	provider, _, _ := strings.Cut(model, "/")
	return provider == b.d.Name
}

// own is a member of what the provider itself said of a part, nil without one.
func (b *builder) own(p *llm.Part, member string) json.RawMessage {
	if p.Opaque == nil || p.Model != "" && !b.ours(p.Model) || p.Opaque.Provider != b.d.Name {
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(p.Opaque.Data, &members) != nil {
		return nil
	}
	return members[member]
}
