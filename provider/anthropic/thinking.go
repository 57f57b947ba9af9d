package anthropic

import (
	"net/http"
	"slices"
	"strings"

	"github.com/helios-go/helios/llm"
)

// thinking is the field of that name in a request.
type thinking struct {
	Type    string   `json:"type"`
	Budget  int64    `json:"budget_tokens,omitempty"`
	Display string   `json:"display,omitempty"`
	Binding *binding `json:"block_binding,omitempty"`
}

// binding says what is to happen to a thought whose conversation has changed.
type binding struct {
	Mismatch string `json:"prefix_mismatch_behavior"`
}

// betaBinding is the name of the beta that binding belongs to.
const betaBinding = "thinking-binding-controls-2026-08-01"

// mayHave reports whether a beta can be asked for: the caller's own header, which is
// sent in the place of ours, has it too, or is not there.
func mayHave(header http.Header, beta string) bool {
	for name, values := range header {
		if http.CanonicalHeaderKey(name) == "Anthropic-Beta" {
			return strings.Contains(strings.Join(values, ","), beta)
		}
	}
	return true
}

// budgets are how many tokens a model with a budget may think, by level.
var budgets = map[llm.Thinking]int64{
	llm.ThinkingMinimal: 1024, llm.ThinkingLow: 4096, llm.ThinkingMedium: 10_000, llm.ThinkingHigh: 32_000,
}

var efforts = map[llm.Thinking]string{
	llm.ThinkingMinimal: "low", llm.ThinkingLow: "low", llm.ThinkingMedium: "medium", llm.ThinkingHigh: "high", llm.ThinkingXHigh: "xhigh", llm.ThinkingMax: "max",
}

// think sets how much the model is to think.
func (e *encoder) think() error {
	s, level := &e.model.shape, e.req.Options.Thinking
	switch {
	case level == llm.ThinkingDefault:
	case level == llm.ThinkingNone:
		switch s.kind {
		case adaptiveOn:
			e.request.Thinking = &thinking{Type: "disabled"}
		case between:
			e.request.Thinking = &thinking{Type: "between_tools"}
		}
	case s.kind == budgeted:
		return e.budget(level)
	default:
		if s.kind != always || s.shown {
			e.request.Thinking = &thinking{Type: "adaptive", Display: "summarized"}
		}
		e.config().Effort = efforts[level]
	}
	e.bind()
	return nil
}

// budget sets how many tokens an older model may think.
func (e *encoder) budget(level llm.Thinking) error {
	budget, ok := budgets[level]
	if !ok {
		return e.model.conn.Invalid("%s thinks at most at the level high, not %s; change Options.Thinking", e.model.id, level)
	}
	// A turn that another model has begun has no thought in front of its calls, and a
	// call that is wanted leaves no room for one: the API refuses both.
	if e.thoughtless() || e.request.Choice != nil && e.request.Choice.Type != "none" {
		return nil
	}
	e.request.Thinking = &thinking{Type: "enabled", Budget: budget}
	e.request.MaxTokens = max(e.request.MaxTokens, budget+1024)
	return nil
}

// bind lets the API leave a thought out when what stood before it has changed, as
// after a history was shortened. Newer models refuse the whole request otherwise,
// and would for ever, as the thought stays in the history.
func (e *encoder) bind() {
	if !e.model.binds || !slices.ContainsFunc(e.request.Messages, func(m *message) bool {
		return slices.ContainsFunc(m.Content, (*block).thought)
	}) {
		return
	}
	if e.request.Thinking == nil {
		e.request.Thinking = &thinking{Type: "adaptive"} // which is what these do by themselves
	}
	if e.request.Thinking.Type == "adaptive" {
		e.request.Thinking.Binding = &binding{Mismatch: "drop_block"}
	}
}

// thoughtless reports whether the answer is to go on with a turn that has calls and
// no thought: results come last, and of the answers before them, back to where the
// user has spoken, none begins with a thought.
func (e *encoder) thoughtless() bool {
	messages := e.request.Messages
	if n := len(messages); n < 2 || !has(messages[n-1], "tool_result") {
		return false
	}
	for i := len(messages) - 2; i >= 0; i -= 2 {
		if kind := messages[i].Content[0].Type; kind == "thinking" || kind == "redacted_thinking" {
			return false
		}
		if i == 0 || !only(messages[i-1], "tool_result") {
			break
		}
	}
	return true
}

func has(m *message, kind string) bool {
	return slices.ContainsFunc(m.Content, func(b *block) bool { return b.Type == kind })
}

func only(m *message, kind string) bool {
	return !slices.ContainsFunc(m.Content, func(b *block) bool { return b.Type != kind })
}
