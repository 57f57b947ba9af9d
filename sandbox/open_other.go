//go:build !linux

package sandbox

import (
	"context"
	"runtime"
)

func runShim()   {}
func runSpaced() {}

func runInside() {}

func closeInherited() {}

// candidates are what there is without the kernel of Linux.
func candidates(w *Worker) []candidate {
	if w == nil {
		return []candidate{{"bubblewrap", openNothing}}
	}
	if w.Intrinsic {
		return []candidate{{"limits", openPlain}}
	}
	return []candidate{{"namespaces", openNothing}}
}

func openNothing(_ context.Context, _ *Options, w *Worker) (layer, error) {
	what := "Python programs"
	if w != nil {
		what = "the worker " + w.Name
	}
	return nil, &Unavailable{
		Reason: what + " can be confined on Linux only, and this is " + runtime.GOOS,
		Remedy: "use what needs no such program, or run this one on Linux",
	}
}

func ownWorkers() []Worker { return nil }
