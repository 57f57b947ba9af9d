package sandbox

import (
	"context"
	"sync/atomic"
)

var initCalled atomic.Bool

// Init must be the first call in main and in TestMain: the sandbox re-executes
// the program that uses it, and Init is where that child leaves for its own
// work and never returns.
//
// In every other process it marks the descriptors above 2 that the process has
// by then, which it inherited, to be closed on exec: a program that it starts
// gets those of them that are named in exec.Cmd.ExtraFiles and no others. It
// does nothing else there.
func Init() {
	initCalled.Store(true)
	runShim()
	closeInherited()
}

// Open finds the layer that can confine programs on this host and proves it: it
// runs the real profile once with a program that tries to get out, which takes
// some hundredths of a second. A program in a hurry opens in a goroutine while
// it does other work. The error is an [*Unavailable], or that of ctx.
func Open(ctx context.Context, opts *Options) (*Sandbox, error) {
	if !initCalled.Load() {
		return nil, &Unavailable{
			Reason: "this program did not call sandbox.Init first",
			Remedy: "call sandbox.Init() as the first statement of main, and of TestMain in tests",
		}
	}
	if opts == nil {
		opts = &Options{}
	}
	l, err := openLayer(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &Sandbox{layer: l}, nil
}
