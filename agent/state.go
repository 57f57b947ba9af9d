package agent

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// state is the fold over a session's log: all that the loop knows. Whatever
// point a process dies at, folding the log again gives the state to go on from,
// so a resumed run and one that never stopped take the same steps.
type state struct {
	seq     Seq
	opened  bool
	warned  bool          // that it has nearly filled the window
	history []llm.Message // what the model sees; only ever appended to, or replaced
	inbox   []waiting     // accepted messages that no turn has taken
	run     *runState     // the run that is going on, nil when idle
	last    *Result       // of the last run that ended
	once    *once         // messages that were sent with a key

	grants *[]Grant // that answers have made, nil for none

	early *interruption // that came before the run it is for
}

// interruption is the wish to stop a run.
type interruption struct {
	at     SafePoint
	reason string
}

// waiting is a message in the inbox.
type waiting struct {
	seq Seq
	msg *UserMessage
	own bool // of the run itself: it starts no other
}

// openCall is a call of the last message.
type openCall struct {
	call    *llm.ToolCall
	started *ToolStarted
	result  *llm.ToolResult // nil: none yet
}

// asked is a question and, once there is one, its answer.
type asked struct {
	q      *tool.Question
	answer *QuestionAnswered
}

// phase is what a run does next.
type phase uint8

const (
	phaseTurn   phase = iota // begin a turn
	phaseModel               // call the model
	phaseTools               // run the calls of its message
	phaseAnswer              // the answer is there: end
)

// runState is the part of the fold that one run owns.
type runState struct {
	id        string
	phase     phase
	turns     int
	calls     int
	usage     llm.Usage
	cost      llm.Micros
	left      Left
	final     bool // the last turn was the final one
	text      string
	output    json.RawMessage
	answered  bool // by the result of a tool
	finish    llm.FinishReason
	aborted   string // the error of the tool that ended the run
	interrupt SafePoint
	reason    string
	preempted bool
	children  []child    // the sub-agents' sessions
	open      []openCall // of the last message, while one of them lacks a result
	asked     []asked    // questions of the open calls

	corrections int      // that the output needed
	hidden      []string // tools that hooks keep from the model in this turn
}

// child is a sub-agent's session that works, or has worked, for a run.
type child struct {
	session string
	ended   bool
}

// apply folds the next event.
func (s *state) apply(e *Event) {
	s.seq = e.Seq
	if s.run == nil && ofRun(e.Data) {
		return // not in a log that was written here
	}
	switch d := e.Data.(type) {
	case *SessionOpened:
		s.opened = true
	case *SessionForked:
		s.history = append(s.history, d.Messages...)
		s.grant(d.Grants...)
	case *UserMessage:
		s.userMessage(e.Seq, d)
	case *MessageBlocked:
		s.once.drop(d.Message)
		s.inbox = slices.DeleteFunc(s.inbox, func(w waiting) bool { return w.seq == d.Message })
		if len(s.inbox) == 0 && s.run == nil {
			s.inbox, s.early = nil, nil // the run that it was for never comes
		}
	case *RunStarted:
		s.run = &runState{id: e.Run, left: d.Left}
		if s.early != nil {
			s.run.interrupt, s.run.reason, s.early = s.early.at, s.early.reason, nil
		}
	case *TurnStarted:
		s.turnStarted(e.Turn, d)
	case *ModelMessage:
		s.modelMessage(d)
	case *ModelRetried:
		s.run.spend(d.Usage, d.Cost)
	case *ToolStarted:
		if d.Index < len(s.run.open) {
			s.run.open[d.Index].started = d
		}
	case *ToolEnded:
		s.toolEnded(d)
	case *QuestionAsked:
		if !slices.ContainsFunc(s.run.asked, func(a asked) bool { return a.q.ID == d.Question.ID }) {
			s.run.asked = append(s.run.asked, asked{q: d.Question})
		}
	case *QuestionAnswered:
		s.answer(d)
	case *HookFired:
		if d.Verdict == verdictHide && s.run != nil {
			s.run.hidden = d.Tools
		}
	case *ContextWarning:
		s.warned = true
	case *ContextEdited:
		s.history, s.warned = slices.Clone(d.Messages), false
		s.run.spend(d.Usage, d.Cost)
	case *ChildStarted, *ChildEnded:
		s.run.child(d)
	case *RunEnded:
		s.runEnded(d)
	}
}

// ofRun reports whether an event makes sense only while a run goes on.
func ofRun(d EventData) bool {
	switch d.(type) {
	case *TurnStarted, *ModelMessage, *ModelRetried, *ToolStarted, *ToolEnded, *QuestionAsked,
		*ContextWarning, *ContextEdited, *ChildStarted, *ChildEnded, *RunEnded:
		return true
	}
	return false
}

// current is the run that is going on, or the zero one.
func (s *state) current() runState {
	if s.run == nil {
		return runState{}
	}
	return *s.run
}

func (s *state) userMessage(seq Seq, d *UserMessage) {
	if d.Replaces > 0 {
		if w := s.message(d.Replaces); w != nil {
			w.msg = d
		}
		return
	}
	if d.Key != "" {
		if s.once == nil {
			s.once = new(once)
		}
		if !s.once.add(d.Key, seq) {
			return
		}
	}
	if d.Origin != OriginInterrupt {
		own := d.Origin == OriginHook || d.Origin == OriginCorrection
		s.inbox = append(s.inbox, waiting{seq, d, own})
		if d.Origin == OriginCorrection && s.run != nil {
			s.run.corrections++
		}
		if own && s.run != nil && (s.run.phase == phaseModel || s.run.phase == phaseAnswer) {
			s.run.phase = phaseTurn // the model has to hear this first
		}
		if at := d.Delivery.preempts(); s.run != nil && at.urgency() > s.run.interrupt.urgency() {
			s.run.preempted = s.run.preempted || s.run.interrupt == ""
			s.run.interrupt = at
		}
		return
	}
	if s.run == nil && len(s.inbox) == 0 {
		return // it came when there was nothing left to interrupt
	}
	var at *SafePoint
	var reason *string
	if s.run != nil {
		at, reason, s.run.preempted = &s.run.interrupt, &s.run.reason, false
	} else {
		if s.early == nil {
			s.early = &interruption{}
		}
		at, reason = &s.early.at, &s.early.reason
	}
	if d.At.urgency() > at.urgency() {
		*at = d.At
	}
	if text := d.Message.Text(); text != "" {
		*reason = text
	}
}

// message is the one of a seq in the inbox, nil if it is not there.
func (s *state) message(seq Seq) *waiting {
	for i := range s.inbox {
		if s.inbox[i].seq == seq {
			return &s.inbox[i]
		}
	}
	return nil
}

func (s *state) turnStarted(turn int, d *TurnStarted) {
	for _, seq := range d.Took {
		i := slices.IndexFunc(s.inbox, func(w waiting) bool { return w.seq == seq })
		if i < 0 {
			continue
		}
		msg := s.inbox[i].msg.Message
		if s.history == nil {
			s.history = make([]llm.Message, 0, 4) // a question, a call, its result, the answer
		}
		if msg.Origin == "" && s.inbox[i].msg.Origin != OriginUser {
			msg.Origin = s.inbox[i].msg.Origin
		}
		s.history = append(s.history, msg)
		s.inbox = slices.Delete(s.inbox, i, i+1)
	}
	if len(s.inbox) == 0 {
		s.inbox = nil
	}
	if d.Final && turn > 1 {
		s.history = append(s.history, note(OriginLimit,
			"[This is the last turn: no more tools can be used. Answer now with what you have, and say what is missing.]"))
	}
	s.run.turns, s.run.left, s.run.final, s.run.phase = turn, d.Left, d.Final, phaseModel
	s.run.hidden = nil
}

func note(origin, text string) llm.Message {
	m := llm.User(text)
	m.Origin = origin
	return m
}

func (s *state) modelMessage(d *ModelMessage) {
	s.run.modelMessage(d)
	if len(d.Message.Parts) > 0 {
		s.history = append(s.history, d.Message)
	}
	s.run.phase = phaseAnswer
	if s.run.open = callsOf(&d.Message); s.run.open != nil {
		s.run.phase = phaseTools
	}
}

// callsOf are the calls of a message, none of them closed.
func callsOf(m *llm.Message) []openCall {
	n := countCalls(m)
	if n == 0 {
		return nil
	}
	calls := make([]openCall, 0, n)
	for i := range m.Parts {
		if p := &m.Parts[i]; isCall(p) {
			calls = append(calls, openCall{call: p.Call})
		}
	}
	return calls
}

// modelMessage counts a message in.
func (r *runState) modelMessage(d *ModelMessage) {
	r.spend(d.Usage, d.Cost)
	r.finish, r.output, r.answered = d.Finish, nil, false // what a final tool gave before was not the end
	r.calls += countCalls(&d.Message)
	if text := d.Message.Text(); text != "" {
		r.text = text
	}
}

// spend counts what a model was used for.
func (r *runState) spend(u llm.Usage, cost llm.Micros) {
	r.usage = r.usage.Add(u)
	r.cost = r.cost.Add(cost)
}

func isCall(p *llm.Part) bool { return p.Kind == llm.PartCall && p.Call != nil }

func countCalls(m *llm.Message) int {
	n := 0
	for i := range m.Parts {
		if isCall(&m.Parts[i]) {
			n++
		}
	}
	return n
}

func (s *state) toolEnded(d *ToolEnded) {
	if d.Index >= len(s.run.open) || s.run.open[d.Index].result != nil {
		return
	}
	s.run.open[d.Index].result = d.Result
	s.run.asked = slices.DeleteFunc(s.run.asked, func(a asked) bool { return a.q.Call == s.run.open[d.Index].call.ID })
	s.run.toolEnded(d)
	for i := range s.run.open {
		if s.run.open[i].result == nil {
			return
		}
	}
	parts := make([]llm.Part, len(s.run.open))
	for i := range s.run.open {
		parts[i] = llm.Part{Kind: llm.PartResult, Result: s.run.open[i].result}
	}
	s.history = append(s.history, llm.Message{Role: llm.RoleTool, Parts: parts})
	s.run.open, s.run.asked = nil, nil
	s.run.phase = phaseTurn
	if s.run.answered {
		s.run.phase = phaseAnswer
	}
}

// toolEnded notes the answer of a final tool, and the error of one that aborts.
func (r *runState) toolEnded(d *ToolEnded) {
	if d.Final {
		r.text, r.output, r.answered = d.Result.Text(), d.Data, true
	}
	if d.Outcome == OutcomeAborted {
		r.aborted = d.Result.Text()
	}
}

// child notes the start and the end of a sub-agent's session. Each counts once,
// however often a crash had it written.
func (r *runState) child(d EventData) {
	switch d := d.(type) {
	case *ChildStarted:
		if r.find(d.Session) == nil {
			r.children = append(r.children, child{session: d.Session})
		}
	case *ChildEnded:
		if c := r.find(d.Session); c != nil && !c.ended {
			c.ended = true
			r.usage = r.usage.Add(d.Result.Usage)
			r.cost = r.cost.Add(d.Result.Cost)
		}
	}
}

func (r *runState) find(session string) *child {
	for i := range r.children {
		if r.children[i].session == session {
			return &r.children[i]
		}
	}
	return nil
}

// result is what the run amounts to when it stops here.
func (r *runState) result(session string, stop StopReason, err error) *Result {
	return &Result{
		Session: session, Run: r.id, Text: r.text, Output: r.output, Stop: stop,
		Usage: r.usage, Cost: r.cost, Turns: r.turns, ToolCalls: r.calls, Err: err,
	}
}

func (s *state) runEnded(d *RunEnded) {
	if d.Result.Stop == StopInterrupted && !s.run.preempted {
		text := "[interrupted by the user]"
		if s.run.reason != "" {
			text = "[interrupted by the user: " + s.run.reason + "]"
		}
		s.history = append(s.history, note(OriginInterrupt, text))
	}
	s.inbox = slices.DeleteFunc(s.inbox, func(w waiting) bool { return slices.Contains(d.Dropped, w.seq) })
	if len(s.inbox) == 0 {
		s.inbox = nil
	}
	s.last, s.run = d.Result, nil
}

func (s *state) question(id string) *asked {
	if s.run == nil {
		return nil
	}
	for i := range s.run.asked {
		if s.run.asked[i].q.ID == id {
			return &s.run.asked[i]
		}
	}
	return nil
}

// openCalls are those of the last message, while one of them lacks a result.
func (s *state) openCalls() []openCall {
	if s.run == nil {
		return nil
	}
	return s.run.open
}

// runs reports whether a call has started and has no result yet. A question about
// one that has not parks the run, once all that can be asked has been.
func (s *state) runs(call string) bool {
	return slices.ContainsFunc(s.openCalls(), func(c openCall) bool { return c.call.ID == call && c.started != nil && c.result == nil })
}

// isOpen reports whether a call has no result yet.
func (s *state) isOpen(call string) bool {
	return slices.ContainsFunc(s.openCalls(), func(c openCall) bool { return c.call.ID == call && c.result == nil })
}

// openQuestion is the first one without an answer.
func (s *state) openQuestion() *tool.Question {
	if s.run == nil {
		return nil
	}
	for i := range s.run.asked {
		if s.run.asked[i].answer == nil {
			return s.run.asked[i].q
		}
	}
	return nil
}

// hasWork reports whether there is something to do for an owner: a run to go on
// with that does not only wait for answers, or messages to start one.
func (s *state) hasWork() bool {
	if s.run == nil {
		return len(s.inbox) > 0 || len(s.once.repeats()) > 0
	}
	return s.run.interrupt != "" || !s.parked()
}

// parked reports whether the run only waits for an answer: the next call in
// order that has no result, and has not started, has an open question.
func (s *state) parked() bool {
	if s.run == nil || s.run.phase != phaseTools {
		return false
	}
	for i := range s.run.open {
		c := &s.run.open[i]
		if c.result != nil {
			continue
		}
		for _, a := range s.run.asked {
			if a.q.Call == c.call.ID && a.answer == nil && !a.q.Expired(time.Now()) {
				return c.started == nil
			}
		}
		return false
	}
	return false
}

// nextRun chooses the messages that the next run begins with: those that
// preempt, else those that steer, else the first that is queued. Messages that
// steer join in any case, since they would be seen at once.
func (s *state) nextRun() []Seq {
	var took []Seq
	for _, w := range s.inbox {
		if w.msg.Delivery != Queue {
			took = append(took, w.seq)
		}
	}
	if len(took) == 0 && len(s.inbox) > 0 {
		took = append(took, s.inbox[0].seq)
	}
	return took
}

// own are the messages of the run itself that no turn has taken.
func (s *state) own() []Seq {
	var seqs []Seq
	for _, w := range s.inbox {
		if w.own {
			seqs = append(seqs, w.seq)
		}
	}
	return seqs
}

// steers are the messages that the next turn of a run takes.
func (s *state) steers() []Seq {
	var took []Seq
	for _, w := range s.inbox {
		if w.msg.Delivery == Steer {
			took = append(took, w.seq)
		}
	}
	return took
}
