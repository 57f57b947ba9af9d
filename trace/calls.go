package trace

import (
	"slices"
	"strconv"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/secret"
)

// tool is the span of the call at a place in the message, nil while it has not
// started.
func (r *run) tool(i int) *Span {
	if i < 0 || i >= len(r.tools) {
		return nil
	}
	return r.tools[i]
}

func (r *run) newTool(e *agent.Event, i int, name, call string) *Span {
	if i >= 0 && i < maxCalls {
		for i >= len(r.tools) {
			r.tools = append(r.tools, nil)
		}
	}
	t := r.child(r.turn, e, KindTool, itoa(i))
	t.Name, t.Call = unknownTool, call
	if r.s.tools[name] {
		t.Name = name
	}
	t.set("index", itoa(i))
	if i >= 0 && i < maxCalls {
		r.tools[i] = t
	}
	return t
}

// unknownTool is the name of a call that never started, unless the log has shown
// before that there is such a tool: what a model makes up is something that was
// said. The result, in the content, has the name that it called.
const unknownTool = "unknown tool"

// maxCalls bounds what a log that is not to be trusted makes the fold allocate.
const maxCalls = 1 << 16

// toolStarted begins a call, or an attempt at one that was cut by a crash.
func (r *run) toolStarted(e *agent.Event, d *agent.ToolStarted) {
	r.s.tools[d.Call.Name] = true
	t := r.tool(d.Index)
	if t == nil {
		t = r.newTool(e, d.Index, d.Call.Name, d.Call.ID)
		t.set("effect", d.Effect.String())
		t.set("tool_kind", d.ToolKind.String())
		t.set("decision", d.Decision.String())
		t.content().Args = d.Call.Args
		redacted(t, d.Redactions)
		return
	}
	if !t.IsOpen() {
		return
	}
	last := lastAttempt(t)
	if last == nil {
		r.attempt(t, t.Start, t.Seq)
		last = t.Children[len(t.Children)-1]
	}
	last.close(e.Time, Lost, "the process died in it")
	t.set("resumed", "true")
	r.attempt(t, later(e.Time, t.Start), e.Seq)
}

func lastAttempt(t *Span) *Span {
	for _, c := range slices.Backward(t.Children) {
		if c.Kind == KindAttempt {
			return c
		}
	}
	return nil
}

// toolEnded ends a call. One that was never made has a span of no length.
func (r *run) toolEnded(e *agent.Event, d *agent.ToolEnded) {
	t := r.tool(d.Index)
	if t == nil {
		t = r.newTool(e, d.Index, d.Result.Name, d.Result.ID)
		t.set("made", "false")
	}
	if !t.IsOpen() {
		return
	}
	if d.Final {
		t.set("final", "true")
	}
	t.content().Result = d.Result
	redacted(t, d.Redactions)
	err := ""
	if d.Outcome != agent.OutcomeOK {
		err = d.Result.Text()
	}
	r.results = append(r.results, d)
	t.close(e.Time, Outcome(d.Outcome), err)
	for _, q := range r.turn.Children { // about permission for the call
		if q.Kind == KindQuestion && q.Call == t.Call && q.IsOpen() {
			q.close(e.Time, Unanswered, "the call ended before there was an answer")
		}
	}
}

// redacted counts the secrets that were taken out of a call and its result.
func redacted(t *Span, c secret.Counts) {
	if n := c.Total(); n > 0 {
		before, _ := strconv.Atoi(t.Attrs["redactions"])
		t.set("redactions", itoa(before+n))
	}
}

// callOf is the span of a call by its id, or the turn while it has not started.
func (r *run) callOf(call string) *Span {
	for _, t := range r.tools {
		if t != nil && t.Call == call && t.IsOpen() {
			return t
		}
	}
	return r.turn
}

// asked begins a question: below the call that asks, or below the turn when it is
// asked whether the call may be made.
func (r *run) asked(e *agent.Event, d *agent.QuestionAsked) {
	q := d.Question
	r.s.tools[q.Tool] = true // the model's call of no tool is not asked about
	if r.s.questions[q.ID] != nil {
		return // a process that died had asked it before
	}
	s := r.child(r.callOf(q.Call), e, KindQuestion, q.ID)
	s.Name, s.Call = q.Tool, q.Call
	if q.Permission {
		s.set("permission", "true")
	}
	r.s.questions[q.ID] = s
}

// childStarted begins the span that stands for a sub-agent's session.
func (r *run) childStarted(f *Fold, e *agent.Event, d *agent.ChildStarted) {
	if r.sub(d.Session) != nil || d.Session == "" || d.Session == r.s.id {
		return
	}
	of := r.callOf(d.Call)
	s := &Span{
		ID: spanID("child", d.Session), Kind: KindRun, Name: d.Agent, Start: later(e.Time, of.Start),
		Session: d.Session, Seq: 0, child: d.Session,
	}
	s.set("parent_session", r.s.id)
	s.set("parent_call", d.Call)
	of.Children = append(of.Children, s)
	r.children = append(r.children, &subagent{span: s})
	if !f.above(d.Session, r.s.id) {
		f.adopted[d.Session] = true
	} else {
		s.child = "" // a log that is not to be trusted makes a session its own ancestor
	}
}

func (r *run) sub(session string) *subagent {
	for _, c := range r.children {
		if c.span.Session == session {
			return c
		}
	}
	return nil
}

// childEnded ends it, and counts what it used, once.
func (r *run) childEnded(e *agent.Event, d *agent.ChildEnded) {
	c := r.sub(d.Session)
	if c == nil || c.ended {
		return
	}
	c.ended = true
	res, s := d.Result, c.span
	s.Run = res.Run
	s.spend(res.Usage, res.Cost)
	s.set("turns", itoa(res.Turns))
	s.set("tool_calls", itoa(res.ToolCalls))
	outcome, err := Outcome(res.Stop), ""
	if res.Stop == agent.StopDone {
		outcome = OK
	}
	if res.Err != nil {
		err = res.Err.Error()
		s.set("error", category(res.Err))
	}
	s.close(e.Time, outcome, err)
}

// above reports whether one session is another one or works for it, directly or
// not, as far as the fold knows.
func (f *Fold) above(session, of string) bool {
	if session == of {
		return true
	}
	s := f.sessions[session]
	if s == nil {
		return false
	}
	for _, r := range s.runs {
		for _, c := range r.children {
			if c.span.child != "" && f.above(c.span.child, of) {
				return true
			}
		}
	}
	return false
}
