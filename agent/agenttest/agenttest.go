// Package agenttest checks what package agent promises, for its own tests and
// for those of whoever builds on it: a store, a model, an application.
//
//	events, err := agenttest.Log(ctx, store, session.ID())
//	if err := agenttest.CheckLog(events); err != nil {
//		t.Error(err)
//	}
//
// [CheckLog] holds a whole log to its invariants, [CheckRequest] one request to
// a model, and [Checked] wraps a model so that each request is held to them.
// [TestStore] tests an implementation of [agent.Store], and [Crash] makes a
// store that fails at a chosen write, as a process does that is killed there.
package agenttest

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
)

// Log reads the whole log of a session.
func Log(ctx context.Context, st agent.Store, session string) ([]agent.Event, error) {
	var events []agent.Event
	for e, err := range st.Read(ctx, session, 1) {
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
	return events, nil
}

// CheckRequest reports where a request breaks the rule that each tool call is
// followed by exactly one result: an assistant's message with calls comes right
// before one message that holds their results, in the order of the calls, and
// results are nowhere else. The last message is not the assistant's.
func CheckRequest(req *llm.Request) error {
	var errs []error
	bad := func(i int, format string, args ...any) {
		errs = append(errs, fmt.Errorf("message %d: "+format, append([]any{i}, args...)...))
	}
	var open []*llm.ToolCall
	for i, m := range req.Messages {
		results := results(m)
		if m.Role == llm.RoleTool {
			if len(results) != len(m.Parts) {
				bad(i, "a tool message holds other parts than results")
			}
			if len(results) != len(open) {
				bad(i, "%d results for %d calls", len(results), len(open))
			}
			for j, r := range results {
				if j < len(open) && r.ID != open[j].ID {
					bad(i, "result %d is for call %s, want %s", j, r.ID, open[j].ID)
				}
			}
			open = nil
			continue
		}
		if len(results) > 0 {
			bad(i, "results in a message of role %s", m.Role)
		}
		if len(open) > 0 {
			bad(i, "%d calls before it have no result", len(open))
		}
		if open = m.Calls(); len(open) > 0 && m.Role != llm.RoleAssistant {
			bad(i, "calls in a message of role %s", m.Role)
		}
	}
	switch n := len(req.Messages); {
	case len(open) > 0:
		bad(n-1, "its %d calls have no result", len(open))
	case n == 0:
		errs = append(errs, errors.New("the request has no messages"))
	case req.Messages[n-1].Role == llm.RoleAssistant:
		bad(n-1, "the last message is the assistant's")
	}
	return errors.Join(errs...)
}

func results(m llm.Message) []*llm.ToolResult {
	var all []*llm.ToolResult
	for _, p := range m.Parts {
		if p.Kind == llm.PartResult && p.Result != nil {
			all = append(all, p.Result)
		}
	}
	return all
}

// Checked returns a model that passes each request on to m, and to report what
// [CheckRequest] says about it when that is not nil.
func Checked(m llm.Model, report func(error)) llm.Model { return &checked{m, report} }

type checked struct {
	llm.Model
	report func(error)
}

func (c *checked) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	if err := CheckRequest(req); err != nil {
		c.report(err)
	}
	return c.Model.Stream(ctx, req)
}
