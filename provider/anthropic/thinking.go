package anthropic

import (
	"github.com/helios-go/helios/llm"
)

// thinking is the field of that name in a request.
type thinking struct {
	Type    string `json:"type"`
	Budget  int64  `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

// budgets are how many tokens a model with a budget may think, by level.
var budgets = map[llm.Thinking]int64{
	llm.ThinkingMinimal: 1024, llm.ThinkingLow: 4096, llm.ThinkingMedium: 10_000, llm.ThinkingHigh: 32_000,
}

var efforts = map[llm.Thinking]string{
	llm.ThinkingMinimal: "low", llm.ThinkingLow: "low", llm.ThinkingMedium: "medium", llm.ThinkingHigh: "high", llm.ThinkingXHigh: "xhigh", llm.ThinkingMax: "max",
}

// think sets how much the model is to think.
func (e *encoder) think(level llm.Thinking) error {
	s := &e.model.shape
	switch {
	case level == llm.ThinkingDefault:
		return nil
	case level == llm.ThinkingNone:
		switch s.kind {
		case adaptiveOn:
			e.request.Thinking = &thinking{Type: "disabled"}
		case between:
			e.request.Thinking = &thinking{Type: "between_tools"}
		}
		return nil
	case s.kind == budgeted:
		budget, ok := budgets[level]
		if !ok {
			return e.model.conn.Invalid("%s thinks at most at the level high, not %s; change Options.Thinking", e.model.id, level)
		}
		// A history whose last calls were another model's has no thought in front of
		// them, and a call that is wanted leaves no room for one: the API refuses both.
		if e.foreignCalls() || e.forced() {
			return nil
		}
		e.request.Thinking = &thinking{Type: "enabled", Budget: budget}
		e.request.MaxTokens = max(e.request.MaxTokens, budget+1024)
		return nil
	}
	if s.kind != always || s.shown {
		e.request.Thinking = &thinking{Type: "adaptive", Display: "summarized"}
	}
	e.config().Effort = efforts[level]
	return nil
}

func (e *encoder) forced() bool {
	return e.req.Choice.Mode == llm.ChoiceAny || e.req.Choice.Mode == llm.ChoiceNamed
}

// foreignCalls reports whether the answer under way, the calls since the user last
// spoke, has a call with no thought of this model's in front.
func (e *encoder) foreignCalls() bool {
	for i := len(e.req.Messages) - 1; i >= 0; i-- {
		m := &e.req.Messages[i]
		switch m.Role {
		case llm.RoleUser:
			return false
		case llm.RoleAssistant:
			if len(m.Calls()) > 0 && !e.beginsWithThought(m) {
				return true
			}
		}
	}
	return false
}

func (e *encoder) beginsWithThought(m *llm.Message) bool {
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case llm.PartThinking, llm.PartOpaque:
			if block, ok := e.own(p); ok {
				return block.Type == "thinking" || block.Type == "redacted_thinking"
			}
		case llm.PartText:
			if p.Text != "" {
				return false
			}
		case llm.PartCall:
			return false
		}
	}
	return false
}
