package sandbox

import (
	"context"
	"errors"
	"fmt"
)

// Options say where the sandbox finds its parts. The zero value (and nil) is
// what a program normally wants.
type Options struct {
	// Layers are the layers that may be used, tried in this order, by name:
	// "bubblewrap" (for Python alone), "namespaces", "landlock", "limits" (for an
	// intrinsic worker alone). None means all of them in that order, from the
	// strongest down.
	Layers []string
	// Bubblewrap is the launcher's path; "" means /usr/bin/bwrap, else the
	// bwrap found on PATH. Who names it and no Layers wants that layer and none
	// in its place.
	Bubblewrap string
	// Python is the interpreter's path; "" means /usr/bin/python3. Its version
	// and its library folders are found at run time.
	Python string
	// ReadOnlyDirs are more folders of the host, by absolute path, that every
	// program may read at the same path.
	ReadOnlyDirs []string
	// UID and GID are what programs run as, on the host's own books, when the
	// caller is root; 0 means 65534 (nobody). A caller that is not root cannot
	// change its uid: there they are not used.
	UID, GID int
	// TempDir is where each run gets its staging folder; "" means the first of
	// $TMPDIR, /tmp and /var/tmp whose ancestors the program's uid may search.
	TempDir string
}

// A Sandbox runs programs in confinement. It comes from [Open], holds no
// process and no file between runs, and is safe for concurrent use.
type Sandbox struct {
	layer  layer
	worker *Worker // what it starts, when that is not Python
}

// task checks a job.
func (s *Sandbox) task(job *Job, stays bool) (*task, error) {
	if s.worker == nil {
		return newTask(job, stays)
	}
	if !stays {
		return nil, errors.New("a worker talks over its socket, so it has to be started with Start")
	}
	return newWorkerTask(job)
}

// Unavailable is the error of [Open] on a host where nothing can confine a
// program, or not well enough. Nothing is ever run instead.
type Unavailable struct {
	Reason string // one sentence: what is missing or forbidden
	Remedy string // one sentence: what to do, with the exact line where there is one
}

func (e *Unavailable) Error() string {
	return fmt.Sprintf("open the sandbox: %s; %s", e.Reason, e.Remedy)
}

// Describe says in words which layer confines programs, which caps are in
// force and how, and what is not in force. The text is for people.
func (s *Sandbox) Describe() string { return s.layer.describe() }

// Run runs one program to its end and returns what came of it. A program that
// fails, runs too long or breaks its limits is a Result, not an error: an error
// means that it could not be run, or that its files could not be brought back,
// or that ctx was cancelled. When Run returns, every process that the program
// started is dead.
func (s *Sandbox) Run(ctx context.Context, job *Job) (*Result, error) {
	t, err := s.task(job, false)
	if err != nil {
		return nil, fmt.Errorf("run a program in the sandbox: %w", err)
	}
	p, err := begin(ctx, s.layer, t)
	if err != nil {
		return nil, err
	}
	p.see(ctx)
	return p.Wait()
}

// Start starts a program that stays and talks: descriptor 3, whose number is in
// HELIOS_SOCKET_FD, is one end of a connected pair of stream sockets without a
// name, and [Process.Conn] is the other. There is no result descriptor, so the
// job has no OnFrame. ctx bounds the start alone; the program lives until it
// ends, is killed, or passes a limit, and Limits.Wall of 0 means no limit on its
// life. It dies with this process. The caller sees to its end: by Kill, or by
// closing the connection and Wait where the program ends at that.
func (s *Sandbox) Start(ctx context.Context, job *Job) (*Process, error) {
	t, err := s.task(job, true)
	if err != nil {
		return nil, fmt.Errorf("start a program in the sandbox: %w", err)
	}
	p, err := begin(ctx, s.layer, t)
	if err != nil {
		return nil, err
	}
	go p.see(context.Background()) //nolint:gosec // ctx bounds the start alone
	return p, nil
}
