package js

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/sandbox/repl"
)

// defaultMemory is the limit of the heap, in bytes.
const defaultMemory = 256 << 20

// Runtime is a repl.Runtime for JavaScript. It is safe for concurrent use.
type Runtime struct {
	box *sandbox.Sandbox
}

var _ repl.Runtime = (*Runtime)(nil)

// New finds what can confine the worker on this host, and proves it. opts may be
// nil. The program must have given Worker to sandbox.Init. The error is a
// *sandbox.Unavailable, or that of ctx.
func New(ctx context.Context, opts *sandbox.Options) (*Runtime, error) {
	box, err := sandbox.OpenWorker(ctx, Worker, opts)
	if err != nil {
		return nil, fmt.Errorf("open the JavaScript runtime: %w", err)
	}
	return &Runtime{box: box}, nil
}

// Name is "javascript".
func (r *Runtime) Name() string { return "javascript" }

// Describe says what confines the interpreter.
func (r *Runtime) Describe() string { return r.box.Describe() }

// Help is what a model must know.
func (r *Runtime) Help() string {
	return `JavaScript (ES2022 and some of later years). What is declared at the top level, with const, let, class and function too, stays from one call to the next, also after an error, and can be declared again.
The value of a last expression is shown; console.log and print show the rest. await works at the top level.
There are no modules, files, network, timers, fetch, require or process.
Helpers: sum, mean, median, min, max, sorted(xs, key, reverse), filter, map, join(xs, separator), countBy(xs, key), groupBy(xs, key), unique, range, len, print, printf. A key is a function or the name of a property.
Functions of the host take arguments in order or by name in one object, return JSON values at once (no await is needed), and throw an Error.`
}

// Start starts an interpreter. cfg.Limits.Memory is that of its heap, 256 MiB
// when it is 0.
func (r *Runtime) Start(ctx context.Context, cfg *repl.Config) (*repl.Kernel, error) {
	job := &sandbox.Job{}
	if cfg != nil {
		job.Limits = cfg.Limits
	}
	heap := job.Limits.Memory
	if heap == 0 {
		heap = defaultMemory
	}
	job.Limits.Memory = heap + heap/4 + 64<<20 // so that the worker can say what it dies of
	options, err := json.Marshal(settings{Memory: heap})
	if err != nil {
		return nil, fmt.Errorf("start JavaScript: %w", err)
	}
	proc, err := r.box.Start(ctx, job)
	if err != nil {
		return nil, fmt.Errorf("start JavaScript: %w", err)
	}
	return repl.New(ctx, proc, cfg, options)
}
