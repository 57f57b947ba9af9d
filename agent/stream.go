package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
)

// errSilent is why a stream was given up that said nothing for too long.
var errSilent = errors.New("the stream was silent for too long")

// callModel makes the turn's model call and appends what came of it.
func (r *run) callModel(v *runState) (bool, error) {
	whole := r.turnRequest(v)
	if done, err := r.admit(whole, false); done || err != nil {
		return done, err
	}
	req, done, err := r.hooked(whole)
	if req == nil {
		return done, err
	}
	refused := false
	for attempt := 1; ; attempt++ {
		if r.s.agent.Limits.broke(r.s.view().cost, 0) { // on a summary, or on attempts that failed
			return true, r.end(StopMoney, nil)
		}
		resp, emitted, err := r.attempt(req, attempt)
		msg := r.message(&resp, v.turns, attempt)
		if err == nil {
			r.s.calibrate(r.estimate, msg.Usage)
			return r.answer(msg)
		}
		if errors.Is(err, llm.ErrContextTooLong) && !refused && !emitted {
			refused = true
			before, tokens := len(whole.Messages), EstimateTokens(whole.Messages)
			if done, err := r.admit(whole, true); done || err != nil {
				return done, err
			}
			if len(whole.Messages) < before || EstimateTokens(whole.Messages) < tokens {
				if req, done, err = r.hooked(whole); req == nil {
					return done, err
				}
				continue
			}
		}
		if again, err := r.failed(msg, err, attempt, emitted); !again {
			return true, err
		}
		if r.stream == nil { // the one before may still be read
			copied := *req
			req = &copied
		}
	}
}

// hooked is the request as the hooks leave it for this call. It is nil if they
// leave none; what they want instead is in the log.
func (r *run) hooked(req *llm.Request) (_ *llm.Request, done bool, err error) {
	if len(r.s.agent.Hooks) == 0 {
		return req, false, nil
	}
	seen := *req
	call, done, err := r.beforeModel(&seen)
	if !call || err != nil {
		return nil, done, err
	}
	r.estimate = estimateRequest(&seen)
	return &seen, false, nil
}

// failed appends what came of an attempt that failed, and waits if another one is
// to be made, which it reports. Otherwise the run is over, or left as it is.
func (r *run) failed(msg *ModelMessage, err error, attempt int, emitted bool) (again bool, _ error) {
	if r.s.isLeaving() {
		return false, r.s.append(r.l, leftBehind(msg)...)
	}
	msg.Partial = true
	var before []EventData
	if len(msg.Message.Parts) > 0 || msg.Usage != (llm.Usage{}) {
		before = append(before, msg)
	}
	if cause := context.Cause(r.ctx); cause != nil {
		return false, r.stopped(cause, before...)
	}
	wait, again := r.retry(err, attempt)
	if emitted || !again {
		stop := StopFailed
		switch {
		case errors.Is(err, llm.ErrRefused):
			stop = StopRefused
		case errors.Is(err, llm.ErrContextTooLong):
			stop = StopContext
		}
		if wait > maxAskedWait {
			err = fmt.Errorf("%w; the provider asks to wait %s", err, wait)
		}
		return false, r.end(stop, err, before...)
	}
	retried := &ModelRetried{Reason: err.Error(), Attempt: attempt, Wait: wait, Usage: msg.Usage, Cost: msg.Cost}
	if err := r.s.append(r.l, retried); err != nil {
		return false, err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true, nil
	case <-r.ctx.Done():
	}
	if r.s.isLeaving() {
		return false, nil
	}
	return false, r.stopped(context.Cause(r.ctx))
}

// answer appends a whole message. One without calls ends the run.
func (r *run) answer(msg *ModelMessage) (bool, error) {
	stop := stopOf(msg.Finish)
	if stop != StopDone {
		return true, r.end(stop, nil, msg)
	}
	if len(r.s.agent.Hooks) > 0 {
		if goOn, done, err := r.afterModel(msg); !goOn || err != nil {
			return done, err
		}
	}
	if countCalls(&msg.Message) == 0 {
		return r.stopWell(msg)
	}
	if r.s.agent.Limits.broke(r.s.view().cost.Add(msg.Cost), msg.Cost) {
		return true, r.end(StopMoney, nil, msg)
	}
	return false, r.s.append(r.l, msg)
}

// turnRequest builds what the model is asked in this turn.
func (r *run) turnRequest(v *runState) *llm.Request {
	req := r.request
	req.Messages = r.s.History()
	switch {
	case v.final && len(r.finals) > 0:
		req.Choice = llm.ToolChoice{Mode: llm.ChoiceNamed, Names: r.finals}
	case v.final && len(req.Tools) > 0:
		req.Choice = llm.ToolChoice{Mode: llm.ChoiceNone}
	case v.turns == 1:
		req.Choice = r.s.agent.Choice
	}
	return &req
}

// An attempt is one stream of the model. It is guarded by Session.mu while the
// model has it.
type attempt struct {
	n       int // from 1
	acc     llm.Accumulator
	emitted bool  // something of it could have been shown
	err     error // that the stream yielded
	veil    *veil // over what readers are shown, nil for none
	left    bool  // the model does not come to an end, and nobody waits for it

	ended chan struct{}               // gets one when the model has returned
	taker func(llm.Chunk, error) bool // take
}

// take is the body of the loop over the stream.
func (r *run) take(a *attempt, c llm.Chunk, err error) bool {
	r.s.mu.Lock() // readers that come later look at what there is by then
	defer r.s.mu.Unlock()
	switch {
	case a.left:
		return false
	case err != nil:
		a.err = sound(err)
		return false
	}
	at := r.alarm.hear()
	a.emitted = a.emitted || c.Kind != llm.ChunkUsage && c.Kind != llm.ChunkDone
	a.acc.Add(c)
	switch {
	case a.veil != nil:
		for shown := range a.veil.lift(&c) {
			r.showDelta(a, &shown, at)
		}
	case isDelta(&c):
		r.showDelta(a, &c, at)
	}
	return !a.acc.Done()
}

// showDelta gives the readers a chunk that has just come. Called with mu held.
func (r *run) showDelta(a *attempt, c *llm.Chunk, at time.Duration) {
	if r.s.above != nil {
		r.s.raise(func() Event { return r.s.event(deltaOf(c, a.n)) })
	}
	if !r.s.watched() {
		return
	}
	e := shown{text: c.Text, index: int32(c.Index), attempt: int32(a.n), kind: c.Kind}
	if c.Kind == llm.ChunkCall {
		e.data = deltaOf(c, a.n)
	}
	if r.s.opts.Clock == nil {
		e.nanos = r.alarm.began.Add(at).Truncate(time.Millisecond).UnixNano()
	} else {
		e.nanos = nanos(r.s.now())
	}
	if run := r.s.st.run; run != nil {
		e.run, e.turn = run.id, run.turns
	}
	r.s.feed.add(e)
}

// isDelta reports whether readers are shown a chunk.
func isDelta(c *llm.Chunk) bool {
	switch c.Kind {
	case llm.ChunkText, llm.ChunkThinking, llm.ChunkArgs:
		return true
	case llm.ChunkCall:
		return c.Call != nil
	}
	return false
}

// deltaOf is what readers are shown of a chunk.
func deltaOf(c *llm.Chunk, attempt int) EventData {
	switch c.Kind {
	case llm.ChunkText:
		return &TextDelta{Text: c.Text, Index: c.Index, Attempt: attempt}
	case llm.ChunkThinking:
		return &ThinkingDelta{Text: c.Text, Index: c.Index, Attempt: attempt}
	}
	d := &ToolArgsDelta{Args: c.Text, Index: c.Index, Attempt: attempt}
	if c.Call != nil {
		d.Call, d.Name = c.Call.ID, c.Call.Name
	}
	return d
}

// listen begins an attempt, which silence may end from now on.
func (r *run) listen(n int) *attempt {
	r.s.mu.Lock()
	if r.stream == nil {
		a := &attempt{ended: make(chan struct{}, 1)}
		a.taker = func(c llm.Chunk, err error) bool { return r.take(a, c, err) }
		r.stream = a
	}
	a := r.stream
	a.acc.Reset()
	a.n, a.emitted, a.err, a.veil = n, false, nil, nil
	if red := r.s.redactor(); red != nil && r.s.opts.RedactLog {
		a.veil = &veil{red: red}
	}
	r.l.streaming = a
	r.s.mu.Unlock()
	r.alarm.listen(r.s.agent.Limits.Idle) // which may take the session's lock itself
	return a
}

// attempt makes the n-th attempt at the turn's model call. It returns what arrived,
// also with an error, and whether anything of it could have been shown. The model
// runs in a goroutine, so that one that ignores its context cannot hold up the run
// for longer than the grace.
func (r *run) attempt(req *llm.Request, n int) (resp llm.Response, emitted bool, err error) {
	a := r.listen(n)
	defer r.alarm.listen(0)
	go r.streamed(r.ctx, a, req)
	select {
	case <-a.ended:
	case <-r.ctx.Done():
		grace := time.NewTimer(r.s.agent.Limits.Grace)
		defer grace.Stop()
		select {
		case <-a.ended:
		case <-grace.C:
			r.leaveBehind(a)
		}
	}
	if err = a.err; err != nil || !a.acc.Done() {
		switch cause := context.Cause(r.ctx); {
		case errors.Is(cause, errSilent):
			provider, _, _ := strings.Cut(r.s.agent.Model.Name(), "/")
			err = &llm.Error{Kind: llm.KindTransient, Provider: provider, Err: fmt.Errorf("%w (%s)", errSilent, r.s.agent.Limits.Idle), Hint: "raise Limits.Idle"}
			r.renew()
		case cause != nil:
			err = cause
		case err == nil:
			err = llm.Incomplete(r.ctx, r.s.agent.Model)
		}
	}
	r.s.mu.Lock() // readers may look at it at the same time
	defer r.s.mu.Unlock()
	return *a.acc.Response(), a.emitted, err
}

// streamed has the model stream, and turns its panic into an error.
func (r *run) streamed(ctx context.Context, a *attempt, req *llm.Request) {
	deepenStream(0)
	returned := false
	defer func() {
		p := recover()
		switch {
		case p != nil:
			r.s.panicked("model", p)
			_ = r.take(a, llm.Chunk{}, fmt.Errorf("the model %s panicked: %v", r.s.agent.Model.Name(), p))
		case !returned:
			_ = r.take(a, llm.Chunk{}, fmt.Errorf("the model %s: %w", r.s.agent.Model.Name(), errExited))
		}
		a.ended <- struct{}{}
	}()
	r.s.agent.Model.Stream(ctx, req)(a.taker)
	returned = true
}

// leaveBehind gives up a model that goes on after its request was cancelled: nothing
// that it still says counts.
func (r *run) leaveBehind(a *attempt) {
	r.s.warn("leave a model behind that goes on after its request was cancelled", fmt.Errorf("%s: %w", r.s.agent.Model.Name(), context.Cause(r.ctx)))
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	a.left, r.stream, r.l.streaming = true, nil, nil
}

// message turns a response into what the log keeps: calls get ids that are
// unique in the message and hold no secret, as no name holds one that is no tool's,
// text is made valid UTF-8, the tokens get their price.
func (r *run) message(resp *llm.Response, turn, attempt int) *ModelMessage {
	a := &r.s.agent
	m := &ModelMessage{
		Model: a.Model.Name(), Message: resp.Message, Usage: resp.Usage,
		Finish: resp.Finish, Meta: resp.Meta, Attempt: attempt,
	}
	m.Cost = a.cost(m.Model, resp.Usage)
	if len(m.Meta) > 0 && (!json.Valid(m.Meta) || llm.Deeper(m.Meta, llm.MaxDepth)) {
		m.Meta = nil
	}
	red := r.s.redactor()
	parts := m.Message.Parts
	for i := range parts {
		p := &parts[i]
		p.Text = strings.ToValidUTF8(p.Text, "\uFFFD")
		if !isCall(p) {
			continue
		}
		id, name := p.Call.ID, r.s.callName(red, p.Call.Name)
		if _, leaks := red.Leaks(id); leaks || id == "" || sameID(parts[:i], id) {
			id = r.callID(turn, i)
		}
		if id != p.Call.ID || name != p.Call.Name {
			p.Call = &llm.ToolCall{ID: id, Name: name, Args: p.Call.Args}
		}
	}
	return m
}

// callID is an id that no other call of the conversation has.
func (r *run) callID(turn, part int) string {
	return fmt.Sprintf("call_%s_%d_%d", r.id[max(0, len(r.id)-12):], turn, part)
}

func sameID(parts []llm.Part, id string) bool {
	for i := range parts {
		if isCall(&parts[i]) && parts[i].Call.ID == id {
			return true
		}
	}
	return false
}

// Waits before a model call is made again stop growing at maxRetryWait; a
// provider that asks for more than maxAskedWait has failed.
const (
	maxRetryWait = 30 * time.Second
	maxAskedWait = time.Minute
)

// retry says whether a failed attempt is made again, and after which wait: a
// second, then four times as long each time, a quarter more or less, and at
// least what the provider asked for.
func (r *run) retry(err error, attempt int) (time.Duration, bool) {
	if !errors.Is(err, llm.ErrTransient) || attempt > r.s.agent.Limits.Retries {
		return 0, false
	}
	wait := time.Second
	for range attempt - 1 {
		wait = min(4*wait, maxRetryWait)
	}
	wait += time.Duration((rand.Float64() - 0.5) / 2 * float64(wait))
	var e *llm.Error
	if errors.As(err, &e) && e.RetryAfter > wait {
		return e.RetryAfter, e.RetryAfter <= maxAskedWait
	}
	return wait, true
}
