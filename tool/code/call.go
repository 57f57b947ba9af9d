package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// cell is a cell that runs. All but its clock is guarded by Code.mu.
type cell struct {
	clock  *stopwatch
	cancel context.CancelCauseFunc
	calls  map[string]int
	steps  int   // calls of any function so far, which number them
	abort  error // a function wants the run ended
	spent  Spent

	submitted json.RawMessage // what was accepted in it
}

// errNoCell is what a call gets that comes when no cell runs, from a thread that
// an earlier one has left behind for example.
var errNoCell = errors.New("functions of the host can be called only while a cell runs")

// call answers a call of a function from a session's cell.
func (c *Code) call(ctx context.Context, s *session, name string, args json.RawMessage) (json.RawMessage, error) {
	c.mu.Lock()
	running := s.cell
	if running == nil {
		c.mu.Unlock()
		return nil, errNoCell
	}
	running.steps++
	ctx = tool.Step(ctx, fmt.Sprintf("%s/%d", name, running.steps))
	f := c.byName[name]
	if f != nil {
		s.calls[name]++
		running.calls[name]++
	}
	c.mu.Unlock()
	running.clock.pause()
	defer running.clock.resume()

	var result json.RawMessage
	var err error
	switch {
	case f != nil:
		result, err = c.callFunction(ctx, f, args)
	case name == "predict" && c.opts.Predict != nil:
		result, err = c.callPredict(ctx, s, args)
	case name == "submit" && c.opts.Submit != nil:
		result, err = c.callSubmit(ctx, s, args)
	default:
		err = fmt.Errorf("there is no function %q", name)
	}
	if err == nil && len(result) > c.opts.ResultBytes {
		err = fmt.Errorf("the result of %s is %d bytes of JSON, over the limit of %d; ask for less at a time", name, len(result), c.opts.ResultBytes)
	}
	if err != nil {
		return nil, c.thrown(running, name, err)
	}
	result, _ = c.redactor().JSON(result)
	return result, nil
}

// thrown is an error as a cell gets it: its text, without secrets. One that wants
// the run ended ends the cell as well.
func (c *Code) thrown(running *cell, name string, err error) error {
	if _, ok := errors.AsType[*tool.AbortError](err); ok {
		c.mu.Lock()
		if running.abort == nil {
			running.abort = err
		}
		c.mu.Unlock()
		running.cancel(err)
	}
	text, _ := c.redactor().Text(errorText(err))
	if strings.TrimSpace(text) == "" {
		text = name + " failed"
	}
	return errors.New(shorten(text, c.opts.ResultBytes))
}

func (c *Code) callFunction(ctx context.Context, f *Function, args json.RawMessage) (json.RawMessage, error) {
	args, err := f.check(wholeNumbers(args))
	if err != nil {
		return nil, err
	}
	result, err := bounded(ctx, f.Name, f.Timeout, func(ctx context.Context) (json.RawMessage, error) { return f.run(ctx, args) })
	switch {
	case err != nil:
		return nil, err
	case len(result) == 0:
		return json.RawMessage("null"), nil
	case !json.Valid(result) || llm.Deeper(result, llm.MaxDepth):
		return nil, fmt.Errorf("the result of %s is not JSON, or nests deeper than %d levels", f.Name, llm.MaxDepth)
	}
	return result, nil
}

func (c *Code) callPredict(ctx context.Context, s *session, args json.RawMessage) (json.RawMessage, error) {
	var in struct{ Instructions, Input any }
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, fmt.Errorf("predict: %w", err)
	}
	instructions, ok1 := in.Instructions.(string)
	input, ok2 := in.Input.(string)
	if !ok1 || !ok2 {
		return nil, errors.New("predict takes two strings, instructions and input; make other values into text first")
	}
	return bounded(ctx, "predict", c.opts.Predict.Timeout, func(ctx context.Context) (json.RawMessage, error) {
		text, _, err := c.ask(ctx, s, predictArgs{Instructions: instructions, Input: input})
		if err != nil {
			return nil, err
		}
		return quoted(text), nil
	})
}

func (c *Code) callSubmit(ctx context.Context, s *session, args json.RawMessage) (json.RawMessage, error) {
	var in struct {
		Output json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, fmt.Errorf("submit: %w", err)
	}
	return accepted, c.submit(ctx, s, in.Output)
}

// leaveTime is how long a function may take to return once its call is over.
const leaveTime = 500 * time.Millisecond

var errExited = errors.New("its goroutine ended without a result")

// bounded calls a function of the host in a goroutine of its own, so that one that
// heeds no context cannot hold up the cell: it is left behind.
func bounded(ctx context.Context, name string, timeout time.Duration, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, fmt.Errorf("%s took longer than %v", name, timeout))
		defer cancel()
	}
	type reply struct {
		result json.RawMessage
		err    error
	}
	done := make(chan reply, 1)
	go func() {
		got := reply{err: fmt.Errorf("%s failed: %w", name, errExited)}
		defer func() { done <- got }()
		got.err = guarded(name, func() (err error) {
			got.result, err = fn(ctx)
			return err
		})
	}()
	select {
	case got := <-done:
		return got.result, told(ctx, got.err)
	case <-ctx.Done():
	}
	timer := time.NewTimer(leaveTime)
	defer timer.Stop()
	select {
	case got := <-done:
		return got.result, told(ctx, got.err)
	case <-timer.C:
		return nil, context.Cause(ctx)
	}
}

// told gives the reason for which a call was given up in place of what came of that.
func told(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && !errors.As(err, new(*tool.AbortError)) {
		return context.Cause(ctx)
	}
	return err
}

// guarded turns a panic into an error.
func guarded(what string, fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s panicked: %s", what, panicText(p))
		}
	}()
	return fn()
}

// panicText prints what was panicked with, which may panic itself.
func panicText(p any) (text string) {
	defer func() {
		if recover() != nil {
			text = "with a value that cannot be printed"
		}
	}()
	return fmt.Sprint(p)
}

// errorText is err.Error, which panics for a nil pointer in an error.
func errorText(err error) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = "an error that cannot be printed"
		}
	}()
	return err.Error()
}

// swallow calls a listener, whose panics are its own affair.
func swallow(fn func()) {
	defer func() { _ = recover() }()
	fn()
}

// A stopwatch calls a function when the time is up that runs while it is not
// paused. Pauses may overlap.
type stopwatch struct {
	up func()

	mu     sync.Mutex
	left   time.Duration
	since  time.Time
	paused int
	timer  *time.Timer
	over   bool
}

func newStopwatch(d time.Duration, up func()) *stopwatch {
	w := &stopwatch{up: up, left: d}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run()
	return w
}

// run lets the time run; w.mu is held.
func (w *stopwatch) run() {
	w.since = time.Now()
	w.timer = time.AfterFunc(w.left, w.up)
}

func (w *stopwatch) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused++
	if w.paused == 1 && !w.over {
		w.timer.Stop()
		w.left -= time.Since(w.since)
	}
}

func (w *stopwatch) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused--
	if w.paused == 0 && !w.over {
		w.run()
	}
}

// stop ends it for good.
func (w *stopwatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.timer.Stop()
}
