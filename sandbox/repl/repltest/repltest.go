// Package repltest is a runtime for tests of programs that use package repl. Its
// interpreter runs in the test's own process, so it needs no sandbox, no Python
// and no time to start; everything else is real: the Kernel, the protocol, the
// ladder that ends a cell.
//
//	rt := &repltest.Runtime{Run: func(c *repltest.Cell) int {
//		answer, err := c.Call("lookup", map[string]any{"id": 7})
//		...
//		c.Vars["seen"] = 7
//		fmt.Fprintln(c.Stdout, string(answer))
//		return 0
//	}}
//	kernel, err := rt.Start(ctx, cfg)
//
// Without a Run it understands a little language, one command a line: see
// Commands.
package repltest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/sandbox/repl"
)

// Runtime is a repl.Runtime for tests. The zero value works. It is safe for
// concurrent use.
type Runtime struct {
	Lang string            // Name; "python" when empty
	Run  func(c *Cell) int // runs a cell and returns its exit code; Commands when nil
	Fail func() error      // when not nil and its result is not, Start fails with it
	Note string            // Help; a line about the little language when empty

	started, alive atomic.Int64
}

var _ repl.Runtime = (*Runtime)(nil)

// Cell is a cell as Run sees it.
type Cell struct {
	Code           string
	Context        context.Context // ends when the cell is interrupted; Run may ignore it, as some programs do
	Stdout, Stderr io.Writer
	Vars           map[string]any // the interpreter's variables: the inputs, decoded, and what cells put there
	call           func(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
	process        *process
}

// Call calls a host function. args is encoded as JSON; nil is no arguments.
func (c *Cell) Call(name string, args any) (json.RawMessage, error) {
	if args == nil {
		args = struct{}{}
	}
	data, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	return c.call(c.Context, name, data)
}

// Exit ends the interpreter, as a crash would; code is the exit code of its
// process, 137 with "out of memory" on Stderr being its death of memory. The
// caller returns afterwards.
func (c *Cell) Exit(code int) { c.process.end(code) }

// Name is Lang.
func (r *Runtime) Name() string {
	if r.Lang == "" {
		return "python"
	}
	return r.Lang
}

// Help is Note.
func (r *Runtime) Help() string {
	if r.Note == "" {
		return "One command a line: set, print, show, call, fail, loop, hang, die."
	}
	return r.Note
}

// Describe says that nothing is confined here.
func (r *Runtime) Describe() string {
	return "an interpreter in the test's own process; nothing is confined"
}

// Started is how many kernels have been started.
func (r *Runtime) Started() int { return int(r.started.Load()) }

// Alive is how many of them have not ended.
func (r *Runtime) Alive() int { return int(r.alive.Load()) }

// Start starts an interpreter.
func (r *Runtime) Start(ctx context.Context, cfg *repl.Config) (*repl.Kernel, error) {
	if r.Fail != nil {
		if err := r.Fail(); err != nil {
			return nil, err
		}
	}
	host, worker := net.Pipe()
	p := &process{conn: host, alive: &r.alive, done: make(chan struct{})}
	e := &engine{run: r.Run, process: p}
	if e.run == nil {
		e.run = Commands
	}
	r.started.Add(1)
	r.alive.Add(1)
	go func() {
		code := repl.Serve(worker, e)
		_ = worker.Close()
		p.end(code)
	}()
	return repl.New(ctx, p, cfg, nil)
}

// process stands for the interpreter's process.
type process struct {
	conn  net.Conn
	alive *atomic.Int64

	mu             sync.Mutex
	stdout, stderr bytes.Buffer
	cut            bool
	code           int
	ended          bool
	done           chan struct{}
}

func (p *process) Conn() net.Conn        { return p.conn }
func (p *process) Interrupt() error      { return nil }
func (p *process) Kill()                 { p.end(137) }
func (p *process) Done() <-chan struct{} { return p.done }

func (p *process) end(code int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.ended, p.code = true, code
		_ = p.conn.Close()
		p.alive.Add(-1)
		close(p.done)
	}
}

func (p *process) Wait() (*sandbox.Result, error) {
	<-p.done
	return &sandbox.Result{ExitCode: p.code}, nil
}

func (p *process) Output() (stdout, stderr []byte, cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	stdout, stderr, cut = slices.Clone(p.stdout.Bytes()), slices.Clone(p.stderr.Bytes()), p.cut
	p.stdout.Reset()
	p.stderr.Reset()
	p.cut = false
	return stdout, stderr, cut
}

// stream is one of the process's outputs, 1 MiB of which is kept.
type stream struct {
	p  *process
	to *bytes.Buffer
}

func (s stream) Write(b []byte) (int, error) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	room := 1<<20 - s.to.Len()
	if len(b) > room {
		s.p.cut = true
	}
	s.to.Write(b[:min(room, len(b))])
	return len(b), nil
}

// engine is a repl.Engine around Run.
type engine struct {
	run     func(*Cell) int
	process *process
	setup   *repl.Setup
	vars    map[string]any
}

func (e *engine) Start(s *repl.Setup) error {
	e.setup, e.vars = s, map[string]any{}
	for name, raw := range s.Inputs {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			return fmt.Errorf("input %s: %w", name, err)
		}
		e.vars[name] = v
	}
	return nil
}

func (e *engine) Run(ctx context.Context, code string) int {
	return e.run(&Cell{
		Code: code, Context: ctx, Vars: e.vars,
		Stdout: stream{e.process, &e.process.stdout}, Stderr: stream{e.process, &e.process.stderr},
		call: e.setup.Call, process: e.process,
	})
}

func (e *engine) Bindings(_ context.Context, limits repl.BindingLimits) []repl.Binding {
	names := make([]string, 0, len(e.vars))
	for name := range e.vars {
		names = append(names, name)
	}
	slices.Sort(names)
	s := repl.Snapshot{Limits: limits}
	for _, name := range names {
		if !s.Add(repl.Binding{Name: name, Type: fmt.Sprintf("%T", e.vars[name]), Value: text(e.vars[name])}) {
			break
		}
	}
	return s.Bindings()
}

func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("<error: %T: %v>", err, err)
	}
	return string(data)
}

// Commands runs a cell of the little language, one command a line:
//
//	set NAME JSON     sets a variable
//	show NAME         prints a variable
//	print TEXT        prints to standard output
//	warn TEXT         prints to standard error
//	call NAME ARGS    calls a host function with a JSON object and prints the result;
//	                  an error ends the cell
//	try NAME ARGS     the same, and prints "caught: MESSAGE" for an error
//	fail TEXT         ends the cell with exit code 1
//	loop              runs until it is interrupted
//	hang              runs until the interpreter is killed
//	die CODE          ends the interpreter
func Commands(c *Cell) int {
	for line := range strings.Lines(c.Code) {
		if code, over := command(c, strings.TrimSpace(line)); over {
			return code
		}
	}
	return 0
}

func command(c *Cell, line string) (code int, over bool) {
	word, rest, _ := strings.Cut(line, " ")
	name, arg, _ := strings.Cut(rest, " ")
	failed := func(err error) (int, bool) {
		fmt.Fprintln(c.Stderr, "Error:", err)
		return 1, true
	}
	switch word {
	case "":
	case "set":
		var v any
		if err := json.Unmarshal([]byte(arg), &v); err != nil {
			return failed(err)
		}
		c.Vars[name] = v
	case "show":
		v, ok := c.Vars[name]
		if !ok {
			return failed(fmt.Errorf("%s is not defined", name))
		}
		fmt.Fprintln(c.Stdout, text(v))
	case "print":
		fmt.Fprintln(c.Stdout, rest)
	case "warn":
		fmt.Fprintln(c.Stderr, rest)
	case "call", "try":
		if arg == "" {
			arg = "{}"
		}
		answer, err := c.Call(name, json.RawMessage(arg))
		switch {
		case err == nil:
			fmt.Fprintln(c.Stdout, string(answer))
		case word == "call" || c.Context.Err() != nil:
			return failed(err)
		default:
			fmt.Fprintln(c.Stdout, "caught:", err)
		}
	case "fail":
		return failed(fmt.Errorf("%s", rest))
	case "loop":
		<-c.Context.Done()
		return failed(context.Canceled)
	case "hang":
		<-c.process.done
		return 1, true
	case "die":
		var n int
		_, _ = fmt.Sscan(rest, &n)
		c.Exit(n)
		return n, true
	default:
		return failed(fmt.Errorf("unknown command %q", word))
	}
	return 0, false
}
