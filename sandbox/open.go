package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

var initCalled atomic.Bool

// Init must be the first call in main and in TestMain: the sandbox re-executes
// the program that uses it, and Init is where that child leaves for its own
// work and never returns. workers are those that the program will open.
//
// In every other process it notes the workers, and marks the descriptors above 2
// that the process has by then, which it inherited, to be closed on exec: a
// program that it starts gets those of them that are named in
// exec.Cmd.ExtraFiles and no others. It does nothing else there.
func Init(workers ...Worker) {
	initCalled.Store(true)
	addWorkers(workers)
	runShim()
	runInside()
	runSpaced()
	runPlain()
	runTree()
	closeInherited()
}

// wasInitialised is not nil when Init was never called.
func wasInitialised() error {
	if initCalled.Load() {
		return nil
	}
	return &Unavailable{
		Reason: "this program did not call sandbox.Init first",
		Remedy: "call sandbox.Init() as the first statement of main, and of TestMain in tests",
	}
}

// Open finds the strongest layer that can confine Python programs on this host
// and proves it: it runs the real profile once with a program that tries to get
// out, which takes some hundredths of a second. A program in a hurry opens in a
// goroutine while it does other work. The error is an [*Unavailable], or that of
// ctx.
func Open(ctx context.Context, opts *Options) (*Sandbox, error) {
	if err := wasInitialised(); err != nil {
		return nil, err
	}
	if opts == nil {
		opts = &Options{}
	}
	l, err := openFirst(ctx, opts, nil)
	if err != nil {
		return nil, err
	}
	return &Sandbox{layer: l}, nil
}

// A candidate is a layer that may be there. open proves it, for Python programs
// or for a worker; its error is an [*Unavailable] or that of ctx.
type candidate struct {
	name string
	open func(ctx context.Context, opts *Options, w *Worker) (layer, error)
}

// openFirst opens the first layer that is there and may be used.
func openFirst(ctx context.Context, opts *Options, w *Worker) (layer, error) {
	all := candidates(w)
	chosen, asked := all, opts.Layers
	if len(asked) == 0 && opts.Bubblewrap != "" && w == nil {
		asked = []string{"bubblewrap"}
	}
	if len(asked) > 0 {
		chosen = nil
		for _, name := range asked {
			i := slices.IndexFunc(all, func(c candidate) bool { return c.name == name })
			if i < 0 {
				return nil, &Unavailable{
					Reason: fmt.Sprintf("there is no layer %q for this here", name),
					Remedy: "name one of " + strings.Join(layerNames(all), ", ") + ", or none to have the strongest",
				}
			}
			chosen = append(chosen, all[i])
		}
	}
	var lacks []string
	var first *Unavailable
	for _, c := range chosen {
		l, err := c.open(ctx, opts, w)
		if err == nil && len(lacks) > 0 {
			return &fallback{layer: l, lacks: lacks}, nil
		}
		if err == nil {
			return l, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		lack, ok := errors.AsType[*Unavailable](err)
		if !ok {
			lack = &Unavailable{Reason: oneSentence(err.Error()), Remedy: "see that this process may make files and start programs"}
		}
		if first == nil {
			first = lack
		}
		lacks = append(lacks, fmt.Sprintf("%s (%s)", c.name, lack.Reason))
	}
	if len(lacks) == 1 {
		return nil, first
	}
	return nil, &Unavailable{Reason: "no layer can confine a program here: " + strings.Join(lacks, "; "), Remedy: first.Remedy}
}

// A fallback is a layer behind stronger ones that are not there.
type fallback struct {
	layer
	lacks []string
}

func (f *fallback) describe() string {
	return f.layer.describe() + "\nNot available: " + strings.Join(f.lacks, "; ") + "."
}

func layerNames(all []candidate) []string {
	var names []string
	for _, c := range all {
		names = append(names, c.name)
	}
	return names
}
