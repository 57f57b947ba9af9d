package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/helios-go/helios/llm"
)

// A head is what tells a block of the API's own from others.
type head struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	ToolUseID string `json:"tool_use_id"`
}

// headOf is the head of a part that is such a block, zero of what is none.
func headOf(p *llm.Part) head {
	var h head
	if p.Kind != llm.PartOpaque || p.Opaque == nil || json.Unmarshal(p.Opaque.Data, &h) != nil {
		return head{}
	}
	return h
}

// asks reports whether a block asks a tool that the API runs itself.
func (h *head) asks() bool { return strings.HasSuffix(h.Type, "tool_use") && h.ID != "" }

// served are the ids of what the API's own tools were asked in a history, and of
// what they have answered, which may be in a later message.
type served struct {
	asked, answered map[string]bool
}

func (e *encoder) serve() *served {
	s := &served{asked: map[string]bool{}, answered: map[string]bool{}}
	for i := range e.req.Messages {
		for j := range e.req.Messages[i].Parts {
			p := &e.req.Messages[i].Parts[j]
			h := headOf(p)
			if ours, _ := e.ours(p); !ours {
				continue
			}
			if h.asks() {
				s.asked[h.ID] = true
			}
			if h.ToolUseID != "" {
				s.answered[h.ToolUseID] = true
			}
		}
	}
	return s
}

// paired leaves out what was asked without an answer, and answers without what was
// asked: the API refuses both. What waits for the results of calls beside it stays.
func (s *served) paired(blocks []*block) []*block {
	waits := false
	for _, b := range blocks {
		waits = waits || b.Type == "tool_use"
	}
	kept := blocks[:0]
	for _, b := range blocks {
		if b.raw != nil {
			h := head{Type: b.Type, ID: b.ID}
			if b.ToolUseID != "" && !s.asked[b.ToolUseID] || h.asks() && !s.answered[b.ID] && !waits {
				continue
			}
		}
		kept = append(kept, b)
	}
	return kept
}
