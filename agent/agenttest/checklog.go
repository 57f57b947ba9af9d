package agenttest

import (
	"errors"
	"fmt"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
)

// CheckLog reports where the events of a session, from its first one on, break
// the invariants of a log:
//
//   - Seq counts from 1 without gaps, the first event opens the session. (Two
//     processes that open a new session at the same time may both say so.)
//   - Runs do not overlap; turns count from 1 within their run.
//   - A message is taken by one turn at most, and only after it was sent.
//   - Each call has exactly one end, before the next turn and the run's end. It
//     starts at most once, or, if its effect allows it, again after a crash, and
//     never after its end.
//   - A run's result adds up: turns, calls, usage and cost of its events.
//
// A run that is still open at the end is no error.
func CheckLog(events []agent.Event) error {
	c := checker{taken: map[agent.Seq]bool{}, children: map[string]bool{}}
	for i, e := range events {
		c.seq = e.Seq
		if e.Seq != agent.Seq(i+1) {
			c.bad("its seq is not %d", i+1)
		}
		if _, ok := e.Data.(*agent.SessionOpened); i == 0 && !ok {
			c.bad("the first event is of kind %s", e.Kind())
		}
		c.event(e)
	}
	return errors.Join(c.errs...)
}

type checker struct {
	errs  []error
	seq   agent.Seq
	taken map[agent.Seq]bool // messages sent: taken or not
	run   string
	turn  int
	calls []callCheck
	want  agent.Result // what the run's result should count

	children map[string]bool // sub-agents' sessions: ended or not
}

type callCheck struct {
	id string

	starts int

	ended bool
}

func (c *checker) bad(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("event %d: "+format, append([]any{c.seq}, args...)...))
}

func (c *checker) event(e agent.Event) {
	switch d := e.Data.(type) {
	case *agent.UserMessage:
		if d.Origin != agent.OriginInterrupt && d.Replaces == 0 {
			c.taken[e.Seq] = false
		}
		return
	case *agent.MessageBlocked:
		if taken, sent := c.taken[d.Message]; !sent || taken {
			c.bad("it blocks message %d (sent before: %t, taken before: %t)", d.Message, sent, taken)
		}
		c.taken[d.Message] = true
		return
	case *agent.HookFired, *agent.SessionOpened, *agent.SessionForked, *agent.Custom, *agent.QuestionAnswered:
		return
	case *agent.RunStarted:
		if c.run != "" {
			c.bad("run %s starts, but %s has not ended", e.Run, c.run)
		}
		c.run, c.turn, c.calls, c.want = e.Run, 0, nil, agent.Result{}
	}
	if e.Run != c.run || c.run == "" {
		c.bad("%s of run %q, but the open run is %q", e.Kind(), e.Run, c.run)
	}
	switch d := e.Data.(type) {
	case *agent.TurnStarted:
		c.turnStarted(e, d)
	case *agent.ModelMessage:
		c.modelMessage(d)
	case *agent.ModelRetried:
		c.want.Usage = c.want.Usage.Add(d.Usage)
		c.want.Cost += d.Cost
	case *agent.ContextEdited:
		c.want.Usage = c.want.Usage.Add(d.Usage)
		c.want.Cost += d.Cost
		if err := llm.CheckConversation(d.Messages); err != nil {
			c.bad("the conversation that it makes: %v", err)
		}
	case *agent.ChildStarted:
		if _, known := c.children[d.Session]; !known {
			c.children[d.Session] = false
		}
	case *agent.ChildEnded:
		ended, started := c.children[d.Session]
		if !started {
			c.bad("child %s ends, but never started", d.Session)
		}
		if !ended {
			c.children[d.Session] = true
			c.want.Usage = c.want.Usage.Add(d.Result.Usage)
			c.want.Cost += d.Result.Cost
		}
	case *agent.ToolStarted:
		c.toolStarted(d)
	case *agent.ToolEnded:
		c.toolEnded(d)
	case *agent.RunEnded:
		c.runEnded(d)
	}
}

func (c *checker) turnStarted(e agent.Event, d *agent.TurnStarted) {
	c.closed("turn starts")
	if e.Turn != c.turn+1 {
		c.bad("turn %d follows turn %d", e.Turn, c.turn)
	}
	c.turn = e.Turn
	c.want.Turns++
	for _, seq := range d.Took {
		taken, sent := c.taken[seq]
		if !sent || taken {
			c.bad("it takes message %d (sent before: %t, taken before: %t)", seq, sent, taken)
		}
		c.taken[seq] = true
	}
}

// closed checks that each call of the last message has ended.
func (c *checker) closed(what string) {
	for i, call := range c.calls {
		if !call.ended {
			c.bad("%s, but call %d (%s) has no result", what, i, call.id)
		}
	}
	c.calls = nil
}

func (c *checker) modelMessage(d *agent.ModelMessage) {
	c.closed("a message comes")
	for _, call := range d.Message.Calls() {
		c.calls = append(c.calls, callCheck{id: call.ID})
	}
	if d.Partial && len(c.calls) > 0 {
		c.bad("a partial message holds calls")
	}
	c.want.ToolCalls += len(c.calls)
	c.want.Usage = c.want.Usage.Add(d.Usage)
	c.want.Cost += d.Cost
}

func (c *checker) call(index int, id string) *callCheck {
	if index < 0 || index >= len(c.calls) {
		c.bad("there is no call %d", index)
		return nil
	}
	if call := &c.calls[index]; call.id == id {
		return call
	}
	c.bad("call %d is %s, not %s", index, c.calls[index].id, id)
	return nil
}

func (c *checker) toolStarted(d *agent.ToolStarted) {
	call := c.call(d.Index, d.Call.ID)
	switch {
	case call == nil:
		return
	case call.ended:
		c.bad("call %d starts after its end", d.Index)
	case call.starts > 0 && !d.Effect.Repeatable():
		c.bad("call %d, which is %s, starts again", d.Index, d.Effect)
	}
	call.starts++
}

func (c *checker) toolEnded(d *agent.ToolEnded) {
	call := c.call(d.Index, d.Result.ID)
	if call == nil {
		return
	}
	if call.ended {
		c.bad("call %d ends twice", d.Index)
	}
	if d.Outcome == agent.OutcomeOK && call.starts == 0 {
		c.bad("call %d is ok, but never started", d.Index)
	}
	if (d.Outcome == agent.OutcomeOK) == d.Result.IsError {
		c.bad("call %d ends as %s with IsError %t", d.Index, d.Outcome, d.Result.IsError)
	}
	call.ended = true
}

func (c *checker) runEnded(d *agent.RunEnded) {
	c.closed("the run ends")
	for _, seq := range d.Dropped {
		if taken, sent := c.taken[seq]; !sent || taken {
			c.bad("it drops message %d (sent before: %t, taken before: %t)", seq, sent, taken)
		}
		c.taken[seq] = true
	}
	got := d.Result
	if got.Turns != c.want.Turns || got.ToolCalls != c.want.ToolCalls || got.Usage != c.want.Usage || got.Cost != c.want.Cost {
		c.bad("the result counts %d turns, %d calls, %+v, %d; the log %d, %d, %+v, %d",
			got.Turns, got.ToolCalls, got.Usage, got.Cost, c.want.Turns, c.want.ToolCalls, c.want.Usage, c.want.Cost)
	}
	if got.Run != c.run {
		c.bad("the result is of run %s", got.Run)
	}
	if (got.Err == nil) != (got.Stop == agent.StopDone) {
		c.bad("it stops as %s with error %v", got.Stop, got.Err)
	}
	c.run = ""
}

// Untaken returns the user's messages that no turn has taken and no hook has blocked, by
// their seq: those that an idle session must not have.
func Untaken(events []agent.Event) []agent.Seq {
	var left []agent.Seq
	taken := map[agent.Seq]bool{}
	for _, e := range events {
		switch d := e.Data.(type) {
		case *agent.TurnStarted:
			for _, seq := range d.Took {
				taken[seq] = true
			}
		case *agent.MessageBlocked:
			taken[d.Message] = true
		}
	}
	for _, e := range events {
		if d, ok := e.Data.(*agent.UserMessage); ok && d.Origin == agent.OriginUser && !taken[e.Seq] {
			left = append(left, e.Seq)
		}
	}
	return left
}
