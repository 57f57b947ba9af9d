package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"time"
)

// A Worker is Go code of this program that runs in a process of its own, which
// this program becomes when it is executed again: an interpreter, say, of a
// language in which a model writes. It is given to [Init] and opened by
// [OpenWorker].
type Worker struct {
	// Name tells workers apart.
	Name string
	// Main is all that the process does. conn is its end of the socket, as
	// [Process.Conn] is the other; standard output and error are pipes that
	// [Process.Output] empties, and there is no standard input, no environment
	// and no argument. What Main returns is the exit code. It is called once, when
	// the process is confined: it can open no file and start no program.
	Main func(conn *os.File) int
	// Intrinsic says that what Main interprets reaches nothing of the host by
	// itself, in any language of the world: no file, no network, no process. Such
	// a worker may run on a host where the kernel can confine nothing, with its
	// limits as the only bounds; others may not.
	Intrinsic bool
}

// workers are those that Init was given.
var workers struct {
	sync.RWMutex
	known []Worker
}

func addWorkers(more []Worker) {
	workers.Lock()
	defer workers.Unlock()
	workers.known = append(workers.known, more...)
}

// workerNamed returns a worker that Init was given, or nil.
func workerNamed(name string) *Worker {
	for _, own := range ownWorkers() {
		if own.Name == name {
			return &own
		}
	}
	workers.RLock()
	defer workers.RUnlock()
	i := slices.IndexFunc(workers.known, func(w Worker) bool { return w.Name == name })
	if i < 0 {
		return nil
	}
	w := workers.known[i]
	return &w
}

// OpenWorker finds the strongest layer that can confine a worker on this host
// and proves it. It needs no Python and no bubblewrap: namespaces made by this
// program itself come first, then Landlock, and for an intrinsic worker the
// limits of a process. The sandbox that it returns starts this worker and
// nothing else: by [Sandbox.Start], with a Job that is empty but for its Limits.
// The error is an [*Unavailable], or that of ctx.
func OpenWorker(ctx context.Context, w Worker, opts *Options) (*Sandbox, error) {
	if err := wasInitialised(); err != nil {
		return nil, err
	}
	known := workerNamed(w.Name)
	if known == nil {
		return nil, &Unavailable{
			Reason: fmt.Sprintf("sandbox.Init was not given the worker %q", w.Name),
			Remedy: "name it in the call of sandbox.Init",
		}
	}
	if opts == nil {
		opts = &Options{}
	}
	l, err := openFirst(ctx, opts, known)
	if err != nil {
		return nil, err
	}
	return &Sandbox{layer: l, worker: known}, nil
}

// checkForWorker refuses what a worker has no place for.
func (j *Job) checkForWorker() error {
	if j == nil {
		return errors.New("there is no job")
	}
	if len(j.Files) > 0 || j.Main != "" || j.Dir != "" || len(j.ReadOnly) > 0 || len(j.Env) > 0 {
		return errors.New("a worker has no files, no workspace and no environment, so the job must be empty but for its limits")
	}
	return nil
}

// exitOutOfMemory is how a worker ends that found itself over its limit.
const exitOutOfMemory = exitKilled

// run is the rest of the life of a confined child.
func (w *Worker) run(conn *os.File, memory int64) {
	go watchOwnMemory(memory)
	os.Exit(w.Main(conn))
}

// watchOwnMemory ends this process when Go has taken more memory from the system
// than the limit. What a worker interprets cannot get at it. It is for hosts
// where nobody else sees to that, and faster than a look from outside.
func watchOwnMemory(memory int64) {
	debug.SetMemoryLimit(memory - memory/8) // from there on it collects garbage harder
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for {
		time.Sleep(10 * time.Millisecond)
		metrics.Read(samples)
		if int64(samples[0].Value.Uint64()-samples[1].Value.Uint64()) > memory {
			os.Exit(exitOutOfMemory)
		}
	}
}
