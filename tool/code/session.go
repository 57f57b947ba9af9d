package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/helios-go/helios/sandbox/repl"
	"github.com/helios-go/helios/tool"
)

// session is what is known of one session. All of it is guarded by Code.mu.
type session struct {
	id    string
	ended chan struct{} // not nil: End was called, and it is closed when all is forgotten

	kernel  *repl.Kernel
	started int    // interpreters so far
	lost    string // why the last one is gone; told once, and then ""
	stop    func() bool
	epoch   int // of the idle timer: an old one does nothing

	busy    chan struct{}   // not nil: a cell runs, and it is closed when that is over
	closing chan struct{}   // not nil: the interpreter is being closed, and so on
	over    <-chan struct{} // closed when the call of the cell that runs is over
	cancel  context.CancelCauseFunc
	cell    *cell

	calls       map[string]int
	predicted   int
	spent       Spent
	submitted   json.RawMessage
	submittedIn string // run
}

// A refusal is why a cell was not run. It is no failure of the program: the model
// is told, and may try again.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// rejected is what a cell gets while another one of its session runs.
const rejected = "Concurrent execution rejected - only one execute may run at a time"

// enter takes the session of a call for a cell. The context that it returns ends
// with the call, with End and with Close.
func (c *Code) enter(ctx context.Context) (*session, context.Context, error) {
	id := tool.CallFrom(ctx).Session
	for {
		c.mu.Lock()
		s, err := c.sessionOf(id)
		var wait chan struct{}
		switch {
		case err != nil:
			c.mu.Unlock()
			return nil, nil, err
		case s.ended != nil:
			wait = s.ended
		case s.busy != nil && !s.isOver():
			c.mu.Unlock()
			return nil, nil, &refusal{rejected}
		case s.busy != nil: // its call is over, and it will be soon
			wait = s.busy
		case s.closing != nil:
			wait = s.closing
		default:
			within, cancel := context.WithCancelCause(ctx)
			s.over, s.cancel = within.Done(), cancel
			s.busy = make(chan struct{})
			s.halt()
			c.work.Add(1)
			c.mu.Unlock()
			return s, within, nil
		}
		c.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
}

// isOver tells whether the call of the cell that runs was cancelled.
func (s *session) isOver() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

// leave gives the session back, and has its interpreter closed after a while.
func (c *Code) leave(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.cancel(nil)
	close(s.busy)
	s.busy, s.over, s.cancel, s.cell = nil, nil, nil, nil
	if s.kernel != nil && s.ended == nil && !c.closed {
		s.epoch++
		epoch := s.epoch
		s.stop = c.opts.After(c.opts.Idle, func() { c.idle(s, epoch) })
	}
	c.work.Done()
}

// halt stops the idle timer.
func (s *session) halt() {
	if s.stop != nil {
		s.stop()
	}
	s.stop = nil
	s.epoch++
}

// idle closes an interpreter that nobody has used for a while.
func (c *Code) idle(s *session, epoch int) {
	c.mu.Lock()
	if c.closed || s.epoch != epoch || s.busy != nil || s.ended != nil {
		c.mu.Unlock()
		return
	}
	c.work.Add(1)
	shut := c.detach(s, "it was closed after "+c.opts.Idle.String()+" without use")
	c.mu.Unlock()
	defer c.work.Done()
	shut()
}

// drop closes the interpreter of a session, if there is one. why is what the model
// is told at the next cell.
func (c *Code) drop(s *session, why string) {
	c.mu.Lock()
	shut := c.detach(s, why)
	c.mu.Unlock()
	shut()
}

// detach takes the interpreter of a session away and returns what closes it and
// gives its place back. c.mu is held, and must not be for what it returns.
func (c *Code) detach(s *session, why string) (shut func()) {
	s.halt()
	kernel := s.kernel
	if kernel == nil {
		return func() {}
	}
	closing := make(chan struct{})
	s.kernel, s.lost, s.closing = nil, why, closing
	return func() {
		_ = kernel.Close() // it was killed in any case, and nobody could do more about it
		c.mu.Lock()
		defer c.mu.Unlock()
		c.live--
		s.closing = nil
		close(closing)
	}
}

// ready returns the interpreter of a session that enter has taken, a new one if
// need be, and what the model has to be told about it.
func (c *Code) ready(ctx context.Context, s *session) (*repl.Kernel, string, error) {
	c.mu.Lock()
	kernel := s.kernel
	c.mu.Unlock()
	if kernel != nil { // and stays, as only the holder of a session may take it away
		select {
		case <-kernel.Done():
			c.drop(s, "it ended between two cells")
		default:
			return kernel, "", nil
		}
	}
	c.mu.Lock()
	if c.live >= c.opts.Sessions {
		c.mu.Unlock()
		return nil, "", &refusal{fmt.Sprintf("pool saturated (cap=%d): as many interpreters are in use by other sessions, so no code was run. "+
			"Go on without code or try again later; a program can raise Options.Sessions, or call End for sessions that are over", c.opts.Sessions)}
	}
	c.live++
	note := s.note(tool.CallFrom(ctx))
	c.mu.Unlock()

	kernel, err := c.launch(ctx, s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.live--
		return nil, "", err
	}
	s.kernel, s.lost = kernel, ""
	s.started++
	return kernel, note, nil
}

// launch starts an interpreter and runs the startup cell in it.
func (c *Code) launch(ctx context.Context, s *session) (*repl.Kernel, error) {
	config := c.config
	config.Call = func(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
		return c.call(ctx, s, name, args)
	}
	kernel, err := c.start(ctx, &config)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		text := errorText(err) // which ends with what the interpreter said, up to some length
		return nil, &refusal{"the interpreter does not start: " + c.clean(text, len(text) > 1000, &Report{})}
	}
	if c.opts.Startup == "" {
		return kernel, nil
	}
	out, err := c.run(ctx, s, kernel, c.opts.Startup, nil)
	switch {
	case err != nil:
	case out.Dead || out.ExitCode != 0:
		err = &refusal{fmt.Sprintf("the session is refused, since its startup code failed (exit code %d): %s", out.ExitCode, c.cleanStderr(out, &Report{}))}
	default:
		return kernel, nil
	}
	return nil, errors.Join(err, kernel.Close())
}

// note is what a model has to know about an interpreter that is new. A session
// that was resumed may have had one in a program that is gone.
func (s *session) note(call *tool.Call) string {
	switch {
	case s.lost != "":
		return "[new interpreter: the last one is gone, because " + s.lost + ". All variables and functions of earlier cells are lost; compute again what you need]"
	case s.started > 0:
		return freshNote
	case call.Resumed:
		return freshNote
	}
	return ""
}

const freshNote = "[new interpreter: if there were cells before, their variables and functions are lost; compute again what you need]"
