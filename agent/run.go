package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/helios-go/helios/llm"
)

// A run is driven by the state that its log folds to: each step looks at the
// phase, does one thing and appends what came of it. That is why a run can go on
// after a crash between any two steps.
type run struct {
	s        *Session
	l        *loop
	id       string
	ctx      context.Context // ends with the run's time, an interrupt, the session
	deadline time.Time
	alarm    alarm           // ends what takes too long
	stream   *attempt        // the latest, unless it was left behind
	request  llm.Request     // what is the same in each of the run's requests
	finals   []string        // the tools that end a run
	text     string          // not empty: what a hook makes of the answer
	estimate int64           // tokens of the last request
	futile   int64           // up to so many tokens, making room is of no use
	output   json.RawMessage // the answer as the output that was asked for
	aborted  error           // of the tool that ended the run; guarded by Session.mu
}

// drive begins a run, or takes up the one that is open, and drives it until it
// ends or is parked. An error means that the log could not be written.
func (s *Session) drive(l *loop) error {
	r := &run{s: s, l: l}
	v := s.view()
	if v.id == "" {
		if err := r.begin(); err != nil {
			return err
		}
		if v = s.view(); v.id == "" {
			return nil // hooks have blocked all that there was
		}
	}
	r.id = v.id
	r.prepare()
	r.deadline = time.Now().Add(v.left.Wall)
	r.renew()
	r.alarm.start(r, v.left.Wall)
	defer func() {
		r.alarm.stop()
		s.stopRun(l, nil)
		s.mu.Lock()
		l.cancel, l.streaming, l.purse = nil, nil, nil
		s.mu.Unlock()
	}()
	for {
		done, err := r.step()
		if done || err != nil {
			return err
		}
	}
}

// prepare makes what the run's requests have in common. It is not kept longer,
// since idle sessions are many.
func (r *run) prepare() {
	a := &r.s.agent
	r.request.Options = a.Options
	if a.output != nil {
		r.request.Output = a.output.schema
	}
	if a.Instructions != "" {
		r.request.System = []llm.Part{{Kind: llm.PartText, Text: a.Instructions, Cache: true}}
	}
	if len(a.Tools) > 0 {
		r.request.Tools = make([]llm.ToolSpec, len(a.Tools))
	}
	for i := range a.Tools {
		t := &a.Tools[i]
		r.request.Tools[i] = t.Spec
		if t.IsFinal {
			r.finals = append(r.finals, t.Spec.Name)
		}
	}
}

// renew gives the run a context: at its beginning, and after a silent stream was
// given up, which takes the run's context with it.
func (r *run) renew() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.ctx, r.l.cancel = context.WithCancelCause(r.s.ctx)
	switch {
	case r.s.leaving:
		r.l.cancel(ErrDetached)
	case r.s.closed:
		r.l.cancel(ErrClosed)
	case time.Until(r.deadline) <= 0:
		r.l.cancel(ErrWall)
	default:
		r.s.react()
	}
}

// stopRun cancels the run that a loop drives, if there is one.
func (s *Session) stopRun(l *loop, cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.cancel != nil {
		l.cancel(cause)
	}
}

// view copies the run's part of the state.
func (s *Session) view() runState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.st.current()
}

// begin appends the start of the run and of its first turn, if there are messages
// for one.
func (r *run) begin() error {
	took, err := r.choose(r.s.ctx, (*state).nextRun)
	if err != nil || len(took) == 0 {
		return err
	}
	l := &r.s.agent.Limits
	left := l.left()
	return r.s.append(r.l, &RunStarted{Left: left}, &TurnStarted{Took: took, Final: l.Turns == 1, Left: left})
}

// choose picks the messages to take, and picks again when hooks have changed what there is.
func (r *run) choose(ctx context.Context, from func(*state) []Seq) ([]Seq, error) {
	for {
		r.s.mu.Lock()
		took, repeats := from(&r.s.st), slices.Clone(r.s.st.once.repeats())
		r.s.mu.Unlock()
		for _, seq := range repeats {
			if err := r.s.append(r.l, &MessageBlocked{Message: seq, Reason: "a message with its key was sent before"}); err != nil {
				return nil, err
			}
		}
		if len(r.s.agent.Hooks) == 0 || len(took) == 0 {
			return took, nil
		}
		news, err := r.s.vet(ctx, r.l, took)
		if err != nil || !news {
			return took, err
		}
	}
}

// step does what the phase asks for and reports whether the run is over, or has
// to wait.
func (r *run) step() (bool, error) {
	if r.s.isLeaving() {
		return true, nil
	}
	v := r.s.view()
	if v.aborted != "" {
		return true, r.end(StopFailed, r.abortCause(v.aborted))
	}
	if cause := context.Cause(r.ctx); cause != nil {
		return true, r.stopped(cause)
	}
	if v.interrupt != "" && (v.phase != phaseTools || v.interrupt != AfterTools || r.s.asking()) {
		return true, r.stopped(ErrInterrupted)
	}
	switch v.phase {
	case phaseModel:
		return r.callModel(&v)
	case phaseTools:
		return r.callTools(&v)
	case phaseAnswer:
		if stop := stopOf(v.finish); stop != StopDone && !v.answered {
			return true, r.end(stop, nil)
		}
		return r.stopWell()
	}
	return r.turn(&v)
}

// abortCause is the error of the tool that ended the run, or what the log kept
// of it if that was in a process that died.
func (r *run) abortCause(text string) error {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if r.aborted != nil {
		return r.aborted
	}
	return errors.New(text)
}

// turn begins the next model call, if the limits allow one.
func (r *run) turn(v *runState) (bool, error) {
	l := &r.s.agent.Limits
	switch {
	case v.turns >= l.Turns:
		return true, r.end(StopTurns, nil)
	case v.final:
		return true, r.end(StopToolCalls, nil)
	case l.broke(v.cost, 0):
		return true, r.end(StopMoney, nil)
	}
	took, err := r.choose(r.ctx, (*state).steers)
	if err != nil {
		return false, err
	}
	left := Left{
		Turns:     l.Turns - v.turns,
		ToolCalls: max(0, l.ToolCalls-v.calls),
		Wall:      max(time.Until(r.deadline), 1),
	}
	if l.Money > 0 {
		left.Money = l.Money - v.cost
	}
	final := v.turns+1 == l.Turns || v.calls >= l.ToolCalls
	return false, r.s.append(r.l, &TurnStarted{Took: took, Final: final, Left: left})
}

// stopOf is why a run stops whose last message ended so.
func stopOf(f llm.FinishReason) StopReason {
	switch f {
	case llm.FinishLength:
		return StopLength
	case llm.FinishRefusal, llm.FinishContentFilter:
		return StopRefused
	}
	return StopDone
}

// stopped ends a run whose context has ended.
func (r *run) stopped(cause error, before ...EventData) error {
	switch {
	case errors.Is(cause, ErrFenced):
		return cause
	case errors.Is(cause, ErrDetached): // whoever opens it next goes on
		for _, d := range before {
			if msg, ok := d.(*ModelMessage); ok {
				return r.s.append(r.l, leftBehind(msg)...)
			}
		}
		return nil
	case errors.Is(cause, ErrInterrupted):
		reason := r.s.view().reason
		if reason == "" {
			return r.end(StopInterrupted, nil, before...)
		}
		return r.end(StopInterrupted, errors.New(reason), before...)
	case errors.Is(cause, ErrWall):
		return r.end(StopWall, nil, before...)
	}
	return r.end(StopCancelled, cause, before...)
}

// preview is the run, and the calls of its last message, as they will be once the
// events are in the log.
func (r *run) preview(events []EventData) (runState, []openCall) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	v, open := r.s.st.current(), r.s.st.openCalls()
	for _, d := range events {
		switch d := d.(type) {
		case *ModelMessage:
			v.modelMessage(d)
			open = callsOf(&d.Message)
		case *ToolEnded:
			v.toolEnded(d)
			open = closeCall(open, d)
		case *ContextEdited:
			v.spend(d.Usage, d.Cost)
		}
	}
	return v, open
}

// end appends the events before, a result for every call that has none, and the
// end of the run.
func (r *run) end(stop StopReason, cause error, before ...EventData) error {
	v, open := r.preview(before)
	var room [4]EventData
	events := append(room[:0], before...)
	for i := range open {
		if open[i].result == nil {
			events = append(events, open[i].close(i, stop))
		}
	}
	var err error
	if stop != StopDone {
		err = &StopError{Stop: stop, Err: cause}
	}
	res := v.result(r.s.id, stop, err)
	if stop == StopDone {
		if r.text != "" {
			res.Text = r.text
		}
		if len(res.Output) == 0 {
			res.Output = r.output
		}
	}
	r.s.mu.Lock()
	dropped := r.s.st.own()
	r.s.mu.Unlock()
	return r.s.append(r.l, append(events, &RunEnded{Result: res, Dropped: dropped})...)
}

func closeCall(open []openCall, d *ToolEnded) []openCall {
	closed := append([]openCall(nil), open...)
	closed[d.Index].result = d.Result
	return closed
}

// close ends a call that will not run, or that ran when the run stopped.
func (c *openCall) close(i int, stop StopReason) *ToolEnded {
	outcome, text := OutcomeInterrupted, "interrupted: the call was not made"
	switch {
	case c.doubtful():
		outcome, text = OutcomeUnknown, "interrupted, outcome unknown: the call may or may not have taken effect"
	case c.started != nil:
		text = "interrupted"
	case stop == StopLength:
		outcome, text = OutcomeLimit, "not run: the message was cut at the output limit"
	case stop == StopTurns, stop == StopToolCalls, stop == StopMoney:
		outcome, text = OutcomeLimit, fmt.Sprintf("not run: %v", stop.sentinel())
	case stop == StopRefused:
		text = "not run: the message ended in a refusal"
	}
	return c.failed(i, outcome, text)
}

// failed is the end of a call with an error result.
func (c *openCall) failed(i int, outcome Outcome, text string) *ToolEnded {
	return &ToolEnded{Index: i, Outcome: outcome, Result: &llm.ToolResult{
		ID: c.call.ID, Name: c.call.Name, Parts: []llm.Part{llm.Text(text)}, IsError: true,
	}}
}
