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
// followed by exactly one result (see [llm.CheckConversation]), and whether there
// is something to answer: the last message is not the assistant's.
func CheckRequest(req *llm.Request) error {
	err := llm.CheckConversation(req.Messages)
	switch n := len(req.Messages); {
	case n == 0:
		return errors.Join(err, errors.New("the request has no messages"))
	case req.Messages[n-1].Role == llm.RoleAssistant:
		return errors.Join(err, errors.New("the last message is the assistant's"))
	}
	return err
}

// Checked returns a model that passes each request on to m, and to report what
// [CheckRequest] says about it when that is not nil.
//
// It has the size of m, if m has one.
func Checked(m llm.Model, report func(error)) llm.Model { return &checked{m, report} }

type checked struct {
	llm.Model
	report func(error)
}

func (c *checked) Size() llm.Size {
	if s, ok := c.Model.(llm.Sizer); ok {
		return s.Size()
	}
	return llm.Size{}
}

func (c *checked) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	if err := CheckRequest(req); err != nil {
		c.report(err)
	}
	return c.Model.Stream(ctx, req)
}
