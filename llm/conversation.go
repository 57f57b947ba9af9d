package llm

import (
	"errors"
	"fmt"
)

// CheckConversation reports where messages break the rule that each tool call is
// followed by exactly one result: an assistant's message with calls comes right
// before one message that holds their results, in the order of the calls, and
// results are nowhere else.
func CheckConversation(messages []Message) error {
	var errs []error
	bad := func(i int, format string, args ...any) {
		errs = append(errs, fmt.Errorf("message %d: "+format, append([]any{i}, args...)...))
	}
	open := 0 // the message whose calls wait for results, plus one
	for i := range messages {
		m := &messages[i]
		calls, results := count(m, PartCall), count(m, PartResult)
		switch {
		case m.Role == RoleTool && open == 0:
			bad(i, "results without calls before them")
		case m.Role == RoleTool:
			checkResults(&messages[open-1], m, func(format string, args ...any) { bad(i, format, args...) })
		case results > 0:
			bad(i, "results in a message of role %s", m.Role)
		}
		if open > 0 && m.Role != RoleTool {
			bad(i, "the calls of message %d have no results", open-1)
		}
		if open = 0; calls > 0 {
			if m.Role != RoleAssistant {
				bad(i, "calls in a message of role %s", m.Role)
			}
			open = i + 1
		}
	}
	if open > 0 {
		bad(open-1, "its calls have no results")
	}
	return errors.Join(errs...)
}

func count(m *Message, kind PartKind) int {
	n := 0
	for i := range m.Parts {
		if m.Parts[i].Kind == kind {
			n++
		}
	}
	return n
}

// checkResults holds a message of results to the calls that it answers.
func checkResults(asked, given *Message, bad func(string, ...any)) {
	calls := asked.Calls()
	if len(given.Parts) != len(calls) {
		bad("%d parts for %d calls", len(given.Parts), len(calls))
		return
	}
	for i, p := range given.Parts {
		switch {
		case p.Kind != PartResult || p.Result == nil:
			bad("part %d is no result", i)
		case p.Result.ID != calls[i].ID:
			bad("result %d is for call %s, want %s", i, p.Result.ID, calls[i].ID)
		}
	}
}
