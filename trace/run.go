package trace

import (
	"errors"
	"strings"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
)

// run is the part of the fold that one run owns.
type run struct {
	s        *session
	span     *Span
	turn     *Span   // that is going on
	model    *Span   // the turn's model call, while it goes on
	unmade   *Span   // it, when a hook seems to have forestalled it
	failed   int     // the number that its last failed attempt had
	tools    []*Span // of the turn, by the call's place in the message; nil: not started
	children []*subagent
	input    []llm.Message      // what joins the conversation with the next model call
	results  []*agent.ToolEnded // since the last message
	last     time.Time          // of the latest event
}

// subagent is a session that works for the run.
type subagent struct {
	span  *Span
	ended bool
}

// apply folds an event of the run.
func (r *run) apply(f *Fold, e *agent.Event) {
	if d, ok := e.Data.(*agent.RunEnded); ok {
		r.end(e, d.Result)
		return
	}
	if e.Turn > 0 && (r.turn == nil || r.turn.Turn != e.Turn) {
		r.begin(e)
	}
	if r.turn == nil {
		r.s.note(e, nil)
		return
	}
	switch d := e.Data.(type) {
	case *agent.TurnStarted: // begun above
	case *agent.ModelMessage:
		r.message(e, d)
	case *agent.ModelRetried:
		r.retried(e, d)
	case *agent.ToolStarted:
		r.toolStarted(e, d)
	case *agent.ToolEnded:
		r.toolEnded(e, d)
	case *agent.QuestionAsked:
		r.asked(e, d)
	case *agent.ChildStarted:
		r.childStarted(f, e, d)
	case *agent.ChildEnded:
		r.childEnded(e, d)
	case *agent.ContextEdited:
		r.edited(e, d)
	case *agent.ContextWarning:
		r.s.note(e, map[string]string{"tokens": itoa(d.Tokens), "ceiling": itoa(d.Ceiling)})
	case *agent.HookFired:
		r.s.note(e, map[string]string{"hook": d.Hook, "phase": d.Phase, "verdict": d.Verdict})
		if d.Phase == "before_model" && (d.Verdict == "answer" || d.Verdict == "inject" || d.Verdict == "error") {
			r.notMade()
		}
	default:
		r.s.note(e, nil)
	}
}

// child makes a span below another one.
func (r *run) child(of *Span, e *agent.Event, k Kind, key ...string) *Span {
	s := &Span{
		ID: spanID(append([]string{string(k), r.s.id, r.span.Run, itoa(e.Turn)}, key...)...), Kind: k,
		Start: later(e.Time, of.Start), Session: r.s.id, Run: r.span.Run, Turn: e.Turn, Seq: e.Seq,
	}
	of.Children = append(of.Children, s)
	return s
}

// begin begins a turn, and its model call, which only an event that is not the
// turn's first shows to be over.
func (r *run) begin(e *agent.Event) {
	if r.turn != nil {
		r.turn.close(e.Time, OK, "")
	}
	r.turn, r.model, r.unmade, r.failed, r.tools = r.child(r.span, e, KindTurn), nil, nil, 0, nil
	r.turn.Name = "turn " + itoa(e.Turn)
	for _, d := range r.results {
		r.input = append(r.input, llm.Message{Role: llm.RoleTool, Parts: []llm.Part{{Kind: llm.PartResult, Result: d.Result}}})
	}
	r.results = nil
	d, ok := e.Data.(*agent.TurnStarted)
	if !ok {
		r.turn.Seq = 0
		return
	}
	for _, seq := range d.Took {
		if m, ok := r.s.inbox[seq]; ok {
			r.input = append(r.input, m)
			delete(r.s.inbox, seq)
		}
	}
	if e.Turn == 1 && len(r.input) > 0 {
		r.span.content().Input = r.input
	}
	r.call(e)
}

// call begins the turn's model call.
func (r *run) call(e *agent.Event) {
	r.model = r.child(r.turn, e, KindModel)
	if r.s.opened != nil {
		r.model.Name, r.model.Model = r.s.opened.Model, r.s.opened.Model
	}
	if len(r.input) > 0 {
		r.model.content().Input = r.input
	}
	r.input = nil
}

// notMade takes back the model call that a hook has forestalled.
func (r *run) notMade() {
	if r.model == nil || len(r.model.Children) > 0 {
		return
	}
	if r.model.Content != nil {
		r.input = r.model.Content.Input
	}
	r.turn.Children = without(r.turn.Children, r.model)
	r.model, r.unmade = nil, r.model
}

// made sees to it that there is a span for a model call that was made: the one that
// was taken back too early, or a new one where the call's beginning was not seen.
func (r *run) made(e *agent.Event) {
	switch {
	case r.model != nil:
	case r.unmade != nil:
		r.model, r.unmade, r.input = r.unmade, nil, nil
		r.turn.Children = append(r.turn.Children, r.model)
	default:
		r.call(e)
	}
}

func without(spans []*Span, s *Span) []*Span {
	kept := spans[:0]
	for _, c := range spans {
		if c != s {
			kept = append(kept, c)
		}
	}
	return kept
}

// message ends the model call. A message that a hook wrote is no model's.
func (r *run) message(e *agent.Event, d *agent.ModelMessage) {
	if strings.HasPrefix(d.Model, "hook/") {
		r.s.note(e, map[string]string{"model": d.Model})
		return
	}
	r.made(e)
	m := r.model
	m.Name, m.Model, r.span.Model = d.Model, d.Model, d.Model
	m.set("finish", string(d.Finish))
	if len(d.Message.Parts) > 0 {
		m.content().Output = &d.Message
	}
	spender := m
	if n := len(m.Children); n > 0 {
		spender = m.Children[n-1]
		spender.Start = earlier(spender.Start, e.Time)
	}
	spender.spend(d.Usage, d.Cost)
	if d.Attempt > 0 && d.Attempt <= r.failed {
		m.set("resumed", "true")
	}
	if d.Partial {
		m.close(e.Time, Partial, "the stream was cut or broke")
	} else {
		m.close(e.Time, OK, "")
	}
	r.model = nil
}

func earlier(a, b time.Time) time.Time {
	if a.After(b) {
		return b
	}
	return a
}

// retried ends an attempt and begins the next one, after the wait.
func (r *run) retried(e *agent.Event, d *agent.ModelRetried) {
	r.made(e)
	m := r.model
	if len(m.Children) == 0 {
		r.attempt(m, m.Start, e.Seq)
	}
	failed := m.Children[len(m.Children)-1]
	failed.Start = earlier(failed.Start, e.Time)
	failed.spend(d.Usage, d.Cost)
	failed.close(e.Time, Retried, d.Reason)
	if d.Attempt <= r.failed { // the count begins anew with each process
		m.set("resumed", "true")
	}
	r.failed = d.Attempt
	r.attempt(m, e.Time.Add(max(d.Wait, 0)), e.Seq)
}

// attempt begins another attempt at what a span is about.
func (r *run) attempt(of *Span, start time.Time, seq agent.Seq) {
	n := len(of.Children) + 1
	if of.Kind == KindTool {
		n = 1
		for _, c := range of.Children {
			if c.Kind == KindAttempt {
				n++
			}
		}
	}
	of.Children = append(of.Children, &Span{
		ID: spanID("attempt", of.ID, itoa(n)), Kind: KindAttempt, Name: "attempt " + itoa(n), Start: start,
		Session: of.Session, Run: of.Run, Turn: of.Turn, Seq: seq, Call: of.Call, Attempt: n,
	})
}

// edited is a compaction, from the event before it on. The model call comes after
// it.
func (r *run) edited(e *agent.Event, d *agent.ContextEdited) {
	c := r.child(r.turn, e, KindCompaction, itoa(e.Seq))
	c.Start = later(earlier(r.last, e.Time), r.turn.Start)
	c.Name, c.Model = "compaction", d.Model
	c.set("removed", itoa(d.Removed))
	c.set("tokens_before", itoa(d.TokensBefore))
	c.set("tokens_after", itoa(d.TokensAfter))
	c.spend(d.Usage, d.Cost)
	c.close(e.Time, OK, "")
	if r.model == nil {
		return
	}
	if n := len(r.model.Children); n > 0 {
		r.model.Children[n-1].Start = later(r.model.Children[n-1].Start, e.Time)
		return
	}
	r.model.Start = later(e.Time, r.model.Start)
}

// end ends the run, and fails what is still open in it.
func (r *run) end(e *agent.Event, res *agent.Result) {
	outcome, err := Outcome(res.Stop), ""
	if res.Stop == agent.StopDone {
		outcome = OK
	}
	if res.Err != nil {
		err = res.Err.Error()
	}
	if r.model != nil && outcome != OK {
		r.model.close(e.Time, outcome, err) // what stopped the run stopped it
		r.model.set("error", category(res.Err))
	}
	if r.turn != nil {
		last := outcome
		if outcome != OK && !r.inTurn() {
			last = OK
		}
		turnErr := ""
		if last != OK {
			turnErr = err
		}
		r.turn.close(e.Time, last, turnErr)
	}
	r.span.set("turns", itoa(res.Turns))
	r.span.set("tool_calls", itoa(res.ToolCalls))
	r.span.set("error", category(res.Err))
	if res.Text != "" {
		m := llm.Assistant(res.Text)
		r.span.content().Output = &m
	}
	r.span.close(e.Time, outcome, err)
	for id, q := range r.s.questions {
		if !q.IsOpen() {
			delete(r.s.questions, id)
		}
	}
	r.model, r.tools, r.input, r.results = nil, nil, nil, nil
}

// inTurn reports whether the turn has a part that failed as the run did: a limit
// that is reached between turns is no failure of the last one.
func (r *run) inTurn() bool {
	for _, c := range r.turn.Children {
		if c.IsOpen() || c.Failed() && c.Kind == KindModel || c.Outcome == Outcome(agent.OutcomeAborted) ||
			c.Outcome == Outcome(agent.OutcomeInterrupted) || c.Outcome == Outcome(agent.OutcomeUnknown) {
			return true
		}
	}
	return false
}

// category names the kind of an error, without its text; "" for none.
func category(err error) string {
	if err == nil {
		return ""
	}
	for _, c := range []struct {
		err  error
		name string
	}{
		{llm.ErrContextTooLong, "context_too_long"}, {llm.ErrRefused, "refused"}, {llm.ErrAuth, "auth"},
		{llm.ErrInvalidRequest, "invalid_request"}, {llm.ErrTransient, "transient"},
		{agent.ErrInterrupted, "interrupted"}, {agent.ErrClosed, "closed"}, {agent.ErrTurns, "turns"},
		{agent.ErrToolCalls, "tool_calls"}, {agent.ErrMoney, "money"}, {agent.ErrWall, "wall"}, {agent.ErrLength, "length"},
	} {
		if errors.Is(err, c.err) {
			return c.name
		}
	}
	return "other"
}
