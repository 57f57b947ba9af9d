package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/sandbox/repl"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
)

// Options say what cells can do. Nil and the zero value are an interpreter alone.
// A number of 0 is its default; a negative one is an error of [New].
type Options struct {
	Functions []Function // of the host
	Inputs    []Input    // bound as variables
	Predict   *Predict   // not nil: cells can ask a model
	Submit    *Submit    // not nil: cells can hand over the run's output

	// Startup is a cell that every new interpreter runs first. Where it fails the
	// session is refused, and its next cell tries again.
	Startup string

	// Sessions is how many interpreters may be alive at a time, by default 4.
	Sessions int
	// Idle is how long an interpreter is kept without a cell, by default 15 minutes.
	Idle time.Duration

	// Timeout is how long a cell may compute, by default 30 s. The time that
	// functions of the host take does not count, each has its own.
	Timeout time.Duration
	// CallTimeout is how long one call of a function may take, by default 5 minutes.
	CallTimeout time.Duration
	// Wall is how long a cell may take with all that it calls, by default 15 minutes.
	Wall time.Duration

	// ModelBytes is how much of a cell's output the model is shown, by default 5,000.
	ModelBytes int
	// KeepBytes is how much of each stream is kept in the result's Data, by default
	// 64 KiB.
	KeepBytes int
	// ResultBytes is the longest result of a function of the host, by default 1 MiB
	// of JSON. A longer one is an error for the cell.
	ResultBytes int
	// MaxCalls is how often one cell can call functions, by default 1,000.
	MaxCalls int
	// Limits are those of the interpreter's process: memory, processes, files. Its
	// Wall, Stdout and Stderr are set here.
	Limits sandbox.Limits

	// Secrets are kept out of all that comes of a cell.
	Secrets *secret.Registry

	// OnBindings, if not nil, is told of the variables after each cell that left the
	// interpreter alive, before the result is returned. A panic in it is swallowed.
	// Values are as the language shows them, without secrets, and shortened.
	OnBindings func(session string, bindings []repl.Binding)
	// Bindings are how much of the variables OnBindings is told: by default 200 bytes
	// of a value and 16 KiB in all.
	Bindings repl.BindingLimits

	// After calls a function after some time, in a goroutine of its own, unless stop
	// is called before. Nil is [time.AfterFunc].
	After func(d time.Duration, f func()) (stop func() bool)
}

// A Code runs the cells of many sessions. It is safe for concurrent use.
type Code struct {
	runtime string // its name
	help    string
	start   func(context.Context, *repl.Config) (*repl.Kernel, error)
	opts    Options
	config  repl.Config // without Call
	byName  map[string]*Function

	mu       sync.Mutex
	sessions map[string]*session
	live     int // interpreters that are there, or on their way
	closed   bool
	work     sync.WaitGroup // cells and the ends of idle interpreters
}

// New checks the functions, inputs and options and returns what runs cells. It
// starts nothing yet.
func New(runtime repl.Runtime, opts *Options) (*Code, error) {
	if runtime == nil {
		return nil, errors.New("code: there is no runtime; give one, such as js.New makes")
	}
	c := &Code{runtime: runtime.Name(), help: runtime.Help(), start: runtime.Start, sessions: map[string]*session{}, byName: map[string]*Function{}}
	if opts != nil {
		c.opts = *opts
	}
	c.opts.Functions, c.opts.Inputs = slices.Clone(c.opts.Functions), slices.Clone(c.opts.Inputs)
	for _, step := range []func() error{c.defaults, c.addFunctions, c.addInputs, c.addPrelude} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("code: %w", err)
		}
	}
	return c, nil
}

// defaults fills in the numbers.
func (c *Code) defaults() error {
	o := &c.opts
	for _, n := range []struct {
		name  string
		value *int
		zero  int
	}{
		{"Sessions", &o.Sessions, 4}, {"ModelBytes", &o.ModelBytes, 5000}, {"KeepBytes", &o.KeepBytes, 64 << 10},
		{"ResultBytes", &o.ResultBytes, 1 << 20}, {"MaxCalls", &o.MaxCalls, 1000},
		{"Bindings.Value", &o.Bindings.Value, 200}, {"Bindings.Total", &o.Bindings.Total, 16 << 10},
	} {
		if *n.value < 0 {
			return fmt.Errorf("Options.%s is %d; it cannot be negative, and 0 is %d", n.name, *n.value, n.zero)
		}
		if *n.value == 0 {
			*n.value = n.zero
		}
	}
	for _, d := range []struct {
		name  string
		value *time.Duration
		zero  time.Duration
	}{
		{"Idle", &o.Idle, 15 * time.Minute}, {"Timeout", &o.Timeout, 30 * time.Second},
		{"CallTimeout", &o.CallTimeout, 5 * time.Minute}, {"Wall", &o.Wall, 15 * time.Minute},
	} {
		if *d.value < 0 {
			return fmt.Errorf("Options.%s is %v; it cannot be negative, and 0 is %v", d.name, *d.value, d.zero)
		}
		if *d.value == 0 {
			*d.value = d.zero
		}
	}
	if o.ModelBytes < minModelBytes {
		return fmt.Errorf("Options.ModelBytes is %d; what says that output was cut needs %d", o.ModelBytes, minModelBytes)
	}
	if o.After == nil {
		o.After = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	// What is kept has to come in one piece: of a stream that the process itself cuts
	// first, the pieces on both sides of the cut could hold the halves of a secret.
	o.Limits.Wall, o.Limits.Stdout, o.Limits.Stderr = 0, 2*o.KeepBytes+(64<<10), 2*o.KeepBytes+(64<<10)
	c.config = repl.Config{Limits: o.Limits, MaxCalls: o.MaxCalls, Inputs: map[string]json.RawMessage{}}
	return nil
}

// addFunctions checks the functions and freezes them.
func (c *Code) addFunctions() error {
	for i := range c.opts.Functions {
		f := &c.opts.Functions[i]
		if err := f.Err(); err != nil {
			return err
		}
		if c.byName[f.Name] != nil {
			return fmt.Errorf("function %q is there twice", f.Name)
		}
		if f.Timeout == 0 {
			f.Timeout = c.opts.CallTimeout
		}
		c.byName[f.Name] = f
		c.config.Functions = append(c.config.Functions, repl.Function{Name: f.Name, Params: f.names()})
	}
	return nil
}

func (c *Code) addInputs() error {
	for i := range c.opts.Inputs {
		in := &c.opts.Inputs[i]
		if err := in.problem(); err != nil {
			return fmt.Errorf("input %q: %w", in.Name, err)
		}
		if c.byName[in.Name] != nil {
			return fmt.Errorf("input %q has the name of a function", in.Name)
		}
		if _, twice := c.config.Inputs[in.Name]; twice {
			return fmt.Errorf("input %q is there twice", in.Name)
		}
		value, _ := c.opts.Secrets.Redactor().JSON(in.Value)
		c.config.Inputs[in.Name] = value
	}
	return nil
}

// addPrelude adds the functions predict and submit.
func (c *Code) addPrelude() error {
	if p := c.opts.Predict; p != nil {
		if err := p.check(); err != nil {
			return err
		}
		own := *p
		if own.MaxCalls == 0 {
			own.MaxCalls = defaultMaxCalls
		}
		if own.Timeout == 0 {
			own.Timeout = c.opts.CallTimeout
		}
		c.opts.Predict = &own
		c.config.Functions = append(c.config.Functions, repl.Function{Name: "predict", Params: []string{"instructions", "input"}})
	}
	if c.opts.Submit != nil {
		c.config.Functions = append(c.config.Functions, repl.Function{Name: "submit", Params: []string{"output"}})
	}
	return nil
}

func (c *Code) redactor() *secret.Redactor { return c.opts.Secrets.Redactor() }

// A ClosedError tells that nothing more can be run, because Close was called or
// the session was ended.
type ClosedError struct{ what string }

// Error says what was closed.
func (e *ClosedError) Error() string { return e.what }

var (
	errClosed = &ClosedError{"the interpreters were closed, and no more code can be run"}
	errEnded  = &ClosedError{"the session was ended while this ran"}
)

// Close ends all interpreters and waits for the cells that run, which are
// cancelled. Later calls are refused. It may be called more than once.
func (c *Code) Close() {
	c.mu.Lock()
	c.closed = true
	var alive []*session
	for _, s := range c.sessions {
		if s.cancel != nil {
			s.cancel(errClosed)
		}
		alive = append(alive, s)
	}
	c.mu.Unlock()
	c.work.Wait()
	for _, s := range alive {
		c.drop(s, "")
	}
}

// End ends the interpreter of a session and forgets all about it: its counts, its
// budget, what it has submitted. A cell that runs is cancelled and waited for. Call
// it when a session is over; a session that was ended can begin anew. It must not
// be called from a function of the host.
func (c *Code) End(session string) {
	c.mu.Lock()
	s := c.sessions[session]
	switch {
	case s == nil:
		c.mu.Unlock()
		return
	case s.ended != nil:
		c.mu.Unlock()
		<-s.ended
		return
	}
	s.ended = make(chan struct{})
	if s.cancel != nil {
		s.cancel(errEnded)
	}
	busy, closing := s.busy, s.closing
	c.mu.Unlock()
	for _, wait := range []chan struct{}{busy, closing} {
		if wait != nil {
			<-wait
		}
	}
	c.drop(s, "")
	c.mu.Lock()
	delete(c.sessions, session)
	c.mu.Unlock()
	close(s.ended)
}

// Alive is how many interpreters there are now.
func (c *Code) Alive() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.live
}

// Calls returns how often the cells of a session have called each function of the
// host so far, predict and submit not among them.
func (c *Code) Calls(session string) map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := map[string]int{}
	if s := c.sessions[session]; s != nil {
		maps.Copy(counts, s.calls)
	}
	return counts
}

// session returns what is known of the session that a call belongs to, which is
// new with its first call.
func (c *Code) session(ctx context.Context) (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessionOf(tool.CallFrom(ctx).Session)
}

// sessionOf is session; c.mu is held.
func (c *Code) sessionOf(id string) (*session, error) {
	if c.closed {
		return nil, errClosed
	}
	s := c.sessions[id]
	if s == nil {
		s = &session{id: id, calls: map[string]int{}}
		c.sessions[id] = s
	}
	return s, nil
}
