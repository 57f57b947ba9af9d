package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
)

// A layer is one way to confine a program on this host. It is proved before it
// is used, and safe for concurrent use.
type layer interface {
	// describe says what confines a program and which caps are in force.
	describe() string
	// start brings the program of a task to life under all its limits. On an
	// error nothing is left of it. The program's ends of its streams stay open:
	// they are the caller's.
	start(ctx context.Context, t *task) (body, error)
}

// A body is a program as its layer holds it: the process itself, and all that
// it may have started. Its methods are called by one goroutine at a time, but
// for interrupt, kill and memory.
type body interface {
	// exited is closed when the program has ended, or what was to launch it.
	exited() <-chan struct{}
	// excess says when the program passed a limit that somebody has to watch.
	excess() <-chan excess
	// status returns the exit code when exited is closed; an error means that
	// the program never ran.
	status() (int, error)
	// interrupt sends the program, and nothing else, what Ctrl-C sends.
	interrupt() error
	// kill kills everything at once, and does not wait.
	kill()
	// end kills what is left and returns when all is gone; false where the
	// kernel cannot end a process, as when a disk does not answer.
	end() bool
	// memory adds up what all processes use now, in bytes.
	memory() int64
	// finish follows end: it notes what the kernel counted, and brings files
	// back when the program ended by itself.
	finish(ctx context.Context, res *Result) error
	// close gives up what is held for the program; it is the last call.
	close()
}

// excess says which bound was passed.
type excess struct{ memory, disk bool }

// A task is one program to start, checked, with its ends of its streams.
type task struct {
	job    *Job
	limits Limits
	stays  bool // by Start: descriptor 3 is a socket, not for frames
	ends   ends
}

// ends are the program's ends of its streams: descriptors 1, 2 and 3. Its
// standard input is empty.
type ends struct{ stdout, stderr, third *os.File }

func (e *ends) close() {
	for _, f := range []*os.File{e.stdout, e.stderr, e.third} {
		if f != nil {
			_ = f.Close()
		}
	}
	*e = ends{}
}

func newTask(job *Job, stays bool) (*task, error) {
	if err := job.check(); err != nil {
		return nil, err
	}
	if stays && job.OnFrame != nil {
		return nil, errors.New("a program that stays has a socket and no frames, so OnFrame must be nil")
	}
	limits, err := job.Limits.withDefaults(stays)
	if err != nil {
		return nil, err
	}
	return &task{job: job, limits: limits, stays: stays}, nil
}

func newWorkerTask(job *Job) (*task, error) {
	if err := job.checkForWorker(); err != nil {
		return nil, err
	}
	limits, err := job.Limits.withDefaults(true)
	if err != nil {
		return nil, err
	}
	return &task{job: job, limits: limits, stays: true}, nil
}

// environment is all that the program finds in its environment.
func (t *task) environment() map[string]string {
	env := maps.Clone(ownEnv)
	if t.stays {
		env[socketVariable] = "3"
	} else {
		env[resultVariable] = "3"
	}
	maps.Copy(env, t.job.Env)
	return env
}

// A launchError says that no program ran: what the launcher wrote before it
// gave up, which open turns into a reason and a remedy.
type launchError struct {
	said string
	err  error
}

func (e *launchError) Error() string {
	if e.said == "" {
		return e.err.Error()
	}
	return fmt.Sprintf("%v: %s", e.err, e.said)
}

func (e *launchError) Unwrap() error { return e.err }

// hear adds what was written on standard error, when nothing was heard yet.
func hear(err error, stderr []byte) {
	var launch *launchError
	if errors.As(err, &launch) && launch.said == "" {
		launch.said = strings.TrimSpace(string(stderr))
	}
}
