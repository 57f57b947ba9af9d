// Package py runs Python cells in a confined process whose variables stay. The
// interpreter is the host's CPython under package sandbox; its side of the
// protocol, worker.py, needs the standard library alone.
//
//	box, err := sandbox.Open(ctx, nil)
//	...
//	kernel, err := py.New(box, nil).Start(ctx, &repl.Config{
//		Functions: []repl.Function{{Name: "lookup", Params: []string{"id"}}},
//		Call:      call,
//	})
//	...
//	defer kernel.Close()
//	out, err := kernel.Execute(ctx, repl.Cell{Code: "rows = [lookup(i) for i in range(3)]\nlen(rows)"})
//	fmt.Println(out.Stdout) // 3
//
// A cell is compiled whole and then run; the repr of a last expression is shown.
// Tracebacks hold the lines of cells and nothing else. sys.exit ends the cell with
// that exit code and leaves the interpreter and its variables alone; so does an
// interruption. A host function takes its arguments in order or by name, may be
// called from threads, and raises HostError with the host's message. await works
// at the top level.
//
// An interruption is a KeyboardInterrupt, also in a regular expression; where the
// program catches it, it comes again after a second, every 10 ms. A loop in C
// that looks at no signal is ended by the end of the process.
//
// Processes that a cell starts stay for the next cells. They are killed with a cell
// that had to be ended, and where a cell leaves so many that the next one could
// start none, as far as the sandbox gives the program process numbers of its own.
package py

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/sandbox/repl"
)

//go:embed worker.py
var worker []byte

// Options are of the runtime; nil is the same as the zero value.
type Options struct {
	// Warm are modules, such as "numpy", that an interpreter imports before it is
	// ready, so that the first cell does not wait for them. They are not bound to a
	// name. Modules that the host does not have are left out.
	Warm []string
	// Dir is a folder of the host of which the program gets a copy at /ws, its
	// working directory. Nothing comes back from it. "" means none.
	Dir string
	// Env are more environment variables, as in sandbox.Job.
	Env map[string]string
}

// Runtime is a repl.Runtime for Python. It is safe for concurrent use.
type Runtime struct {
	box  *sandbox.Sandbox
	opts Options
}

var _ repl.Runtime = (*Runtime)(nil)

// New makes a runtime of a sandbox.
func New(box *sandbox.Sandbox, opts *Options) *Runtime {
	r := &Runtime{box: box}
	if opts != nil {
		r.opts = *opts
		r.opts.Warm = append([]string(nil), opts.Warm...)
		r.opts.Env = maps.Clone(opts.Env)
	}
	return r
}

// Name is "python".
func (r *Runtime) Name() string { return "python" }

// Describe says what confines the interpreter.
func (r *Runtime) Describe() string { return r.box.Describe() }

// Help is what a model must know.
func (r *Runtime) Help() string {
	var b strings.Builder
	b.WriteString(`Python (CPython). Variables, functions and imports stay from one call to the next, also after an error.
The value of a last expression is shown; print shows the rest.
The standard library can be imported; there is no network, and files are temporary.
`)
	if len(r.opts.Warm) > 0 {
		fmt.Fprintf(&b, "Where they are installed, %s are imported quickly.\n", strings.Join(r.opts.Warm, ", "))
	}
	b.WriteString("Helpers beside the builtins: mean(xs), join(xs, separator), countBy(xs, key), groupBy(xs, key), println, printf(format, ...).\n")
	b.WriteString("Functions of the host take arguments in order or by name, return JSON values, and raise HostError.")
	return b.String()
}

// Start starts an interpreter.
func (r *Runtime) Start(ctx context.Context, cfg *repl.Config) (*repl.Kernel, error) {
	job := &sandbox.Job{
		Files: map[string][]byte{"worker.py": worker},
		Main:  "worker.py",
		Dir:   r.opts.Dir,
		Env:   r.opts.Env,
	}
	if cfg != nil {
		job.Limits = cfg.Limits
	}
	options, err := json.Marshal(map[string]any{"warm": r.opts.Warm, "processes": job.Limits.Processes})
	if err != nil {
		return nil, fmt.Errorf("start Python: %w", err)
	}
	proc, err := r.box.Start(ctx, job)
	if err != nil {
		return nil, fmt.Errorf("start Python: %w", err)
	}
	return repl.New(ctx, proc, cfg, options)
}
