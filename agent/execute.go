package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/helios-go/helios/fault"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// execute notes the start of the calls and runs them, side by side if there are
// several, each with its end in the log as soon as it has one.
func (r *run) execute(calls []openCall, verdicts []verdict, ready []int) error {
	var room [4]EventData
	starts := room[:0]
	for _, i := range ready {
		v := &verdicts[i]
		calls[i].started = &ToolStarted{
			Index: i, Call: startedCall(calls[i].call, v.call), Effect: v.call.Effect, ToolKind: v.call.Kind,
			Key: v.call.Key, Decision: v.decision, IdempotencyKey: v.call.IdempotencyKey,
		}
		starts = append(starts, calls[i].started)
	}
	if err := r.s.append(r.l, starts...); err != nil {
		return err
	}
	if len(ready) == 1 {
		return r.complete(&calls[ready[0]], &verdicts[ready[0]], ready[0])
	}
	var (
		group  sync.WaitGroup
		places = make(chan struct{}, r.s.agent.Limits.Parallel)
		errs   = make([]error, len(ready))
	)
	for n, i := range ready {
		places <- struct{}{}
		group.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					r.s.panicked("the end of a call", p)
					errs[n] = &panicError{p}
				}
				<-places
			}()
			errs[n] = r.complete(&calls[i], &verdicts[i], i)
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// startedCall is the call with the arguments that the tool gets; the model's own
// where they are the same.
func startedCall(asked *llm.ToolCall, got *tool.Call) *llm.ToolCall {
	if string(asked.Args) == string(got.Args) {
		return asked
	}
	return &llm.ToolCall{ID: asked.ID, Name: asked.Name, Args: got.Args}
}

// complete runs one call and appends its end. A result that ends the run does so
// in the same append.
func (r *run) complete(c *openCall, v *verdict, i int) error {
	if r.ctx.Err() != nil {
		return nil // the end of the run closes the call
	}
	began := time.Now()
	res, err := r.invoke(v)
	if err != nil && r.s.isLeaving() && (r.ctx.Err() != nil || errors.Is(err, ErrDetached)) {
		return nil // whoever takes the run over decides about the call
	}
	end := &ToolEnded{Index: i, Outcome: OutcomeOK, Duration: time.Since(began)}
	if err != nil {
		end.Outcome, res = r.outcome(c, v, err)
	} else if res.IsError {
		end.Outcome = OutcomeError
	}
	events := []EventData{end}
	final := v.tool.IsFinal
	if len(r.s.agent.Hooks) > 0 {
		wasError := res.IsError
		var fired []EventData
		var ends bool
		res, ends, fired = r.afterTool(v.call, res)
		final = final || ends
		events = append(events, fired...)
		if end.Outcome == OutcomeOK && res.IsError {
			end.Outcome = OutcomeError
		}
		res.IsError = res.IsError || wasError && end.Outcome != OutcomeOK
	}
	if red := r.s.redactor(); red != nil {
		end.Redactions = redactWhole(red, &res) // before the cut, which could leave half a secret
	}
	clean(&res, r.s.agent.Limits.ResultBytes)
	end.Data = res.Data
	end.Result = &llm.ToolResult{ID: c.call.ID, Name: c.call.Name, Parts: res.Parts, IsError: res.IsError}
	end.Final = final && end.Outcome == OutcomeOK && !injects(events)
	if end.Final && r.s.agent.output != nil {
		run := r.s.view()
		data, correction, err := r.hold(&run, string(end.Data))
		switch {
		case err != nil:
			end.Final = false
			return r.end(StopFailed, err, events...)
		case correction != nil:
			end.Final, events = false, append(events, correction)
		default:
			end.Data = data
		}
	}
	switch {
	case end.Outcome == OutcomeAborted:
		r.abort(err)
	case end.Final && r.lastOpen(i):
		_, err := r.stopWell(events...)
		return err
	}
	return r.s.append(r.l, events...)
}

// lastOpen reports whether all other calls of the message are over. If not, the run
// ends when they are.
func (r *run) lastOpen(i int) bool {
	v := r.s.view()
	for k := range v.open {
		if k != i && v.open[k].result == nil {
			return false
		}
	}
	return true
}

// injects reports whether a hook has a message for the model among the events.
func injects(events []EventData) bool {
	for _, d := range events {
		if _, ok := d.(*UserMessage); ok {
			return true
		}
	}
	return false
}

// abort stops the calls beside one that has ended the run. The first one counts.
func (r *run) abort(err error) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if r.aborted == nil {
		r.aborted = err
		r.l.cancel(err)
	}
}

// outcome words the error of a call for the model.
func (r *run) outcome(c *openCall, v *verdict, err error) (Outcome, tool.Result) {
	outcome, text := OutcomeError, err.Error()
	stopped := context.Cause(r.ctx)
	var abort *tool.AbortError
	var panicked *panicError
	switch {
	case errors.As(err, &abort) && !errors.Is(err, stopped): // not just told of a sibling's
		outcome = OutcomeAborted
	case errors.As(err, &panicked):
		outcome = OutcomePanic
	case errors.Is(err, errTimeout):
		outcome = OutcomeTimeout
		if !v.call.Effect.Repeatable() {
			text += "; it may or may not have taken effect"
		}
	case stopped != nil && c.doubtful():
		outcome, text = OutcomeUnknown, "interrupted, outcome unknown: the call may or may not have taken effect"
	case stopped != nil:
		outcome, text = OutcomeInterrupted, "interrupted"
	}
	res := tool.Text(text)
	res.IsError = true
	return outcome, res
}

var errTimeout = errors.New("timed out")

// A panicError is a tool's panic.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("the tool panicked: %v", e.value) }

func (s *Session) panicked(what string, value any) {
	if s.opts.Logger != nil {
		s.opts.Logger.Error("panic in "+what, "session", s.id, "panic", value, "stack", string(debug.Stack()))
	}
}

// invoke runs the tool in a goroutine, so that one that ignores its context
// cannot hold up the run for longer than the grace.
func (r *run) invoke(v *verdict) (tool.Result, error) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	h := &host{r: r, call: v.call, cancel: cancel}
	h.limit = v.tool.Timeout
	if h.limit == 0 {
		h.limit = r.s.agent.Limits.ToolTime
	}
	h.resume()
	defer h.pause()
	v.call.Host = h
	type reply struct {
		res tool.Result
		err error
	}
	done := make(chan reply, 1)
	go func() {
		deepenCall(0)
		got := reply{err: errExited}
		defer func() { done <- got }()
		got.res, got.err = r.guard(tool.WithCall(ctx, v.call), v)
	}()
	var got reply
	select {
	case got = <-done:
	case <-ctx.Done():
		patience := r.s.agent.Limits.Grace
		if h.delegates.Load() { // it waits for others to give up, and has to tell what that has cost
			patience *= 8
		}
		grace := time.NewTimer(patience)
		defer grace.Stop()
		select {
		case got = <-done:
		case <-grace.C:
			got.err = context.Cause(ctx)
			r.s.warn("leave a tool behind that goes on after its call has ended", fmt.Errorf("%s: %w", v.call.Name, got.err))
		}
	}
	if got.err != nil && errors.Is(context.Cause(ctx), errTimeout) {
		got.err = context.Cause(ctx)
	}
	return got.res, got.err
}

// guard turns a panic of the tool into an error.
func (r *run) guard(ctx context.Context, v *verdict) (res tool.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.s.panicked("tool "+v.call.Name, p)
			err = &panicError{p}
		}
	}()
	if r.s.agent.Faults == nil {
		res, err = v.tool.Run(ctx, v.call.Args)
		return res, sound(err)
	}
	return fault.Do(ctx, r.s.agent.faults(v.call), func(ctx context.Context) (tool.Result, error) {
		res, err := v.tool.Run(ctx, v.call.Args)
		return res, sound(err)
	})
}

// faults is the policy for a call, as far as its effect allows it.
func (a *Agent) faults(c *tool.Call) fault.Policy {
	p := a.Faults(c)
	if p.Retry == nil || !c.Effect.Repeatable() {
		return p.WithoutRetry()
	}
	retry := *p.Retry
	curable := retry.If
	retry.If = func(err error) bool {
		return !errors.As(err, new(*tool.AbortError)) && (curable == nil || curable(err))
	}
	p.Retry = &retry
	return p
}

// host is what a running call talks to.
type host struct {
	delegates atomic.Bool // the call is a sub-agent at work

	r      *run
	call   *tool.Call
	cancel context.CancelCauseFunc

	limit time.Duration // what is left of the call's time; none below 0; guarded by the alarm
	due   time.Duration // when it is up
	next  *host         // of the alarm's

	mu      sync.Mutex
	asked   int // questions so far, which number them
	waiting int // questions that wait; the call's time stands still
}

// resume lets the call's time run.
func (h *host) resume() {
	if h.limit >= 0 {
		h.r.alarm.add(h)
	}
}

// pause stops the call's time.
func (h *host) pause() { h.r.alarm.remove(h) }

// Progress implements [tool.Host].
func (h *host) Progress(part llm.Part) {
	h.r.s.show(func() EventData {
		if red := h.r.s.redactor(); red != nil {
			part, _ = redactPart(red, part)
		}
		return &ToolProgress{Call: h.call.ID, Name: h.call.Name, Part: part}
	})
}

// Ask implements [tool.Host]. Questions are numbered within their call, so that
// a call that is made again after a crash finds the answers it got before.
func (h *host) Ask(ctx context.Context, q tool.Question) (tool.Answer, error) {
	h.mu.Lock()
	h.asked++
	q.ID = fmt.Sprintf("ask_%s/%d", h.call.IdempotencyKey, h.asked)
	h.waiting++
	first := h.waiting == 1
	h.mu.Unlock()
	if first {
		h.pause()
	}
	q.Call, q.Tool, q.Permission = h.call.ID, h.call.Name, false
	a, err := h.r.ask(ctx, &q, true)
	h.mu.Lock()
	h.waiting--
	last := h.waiting == 0
	h.mu.Unlock()
	if last {
		h.resume()
	}
	return a, err
}
