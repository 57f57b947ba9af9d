package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

// A Process is a program that stays, from [Sandbox.Start]. Its methods are safe
// for concurrent use. It holds a few goroutines and descriptors until Done is
// closed, which happens by itself when the program ends.
type Process struct {
	limits  Limits
	body    body
	streams *streams

	use  sync.RWMutex // held for reading while body is used from outside
	over bool         // body is closed

	once   sync.Once
	killed chan struct{}
	done   chan struct{}
	began  time.Time
	res    Result
	err    error
}

// exitKilled is the exit code of a program that was killed.
const exitKilled = 128 + 9

// setupTime is how long a launcher may take before its program starts, and how
// long killed processes may take to be gone.
const setupTime = 30 * time.Second

// begin starts the program of a task; see sees it to its end.
func begin(ctx context.Context, l layer, t *task) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := newStreams(t)
	if err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", err)
	}
	s.read(t)
	b, err := l.start(ctx, t)
	t.ends.close()
	if err != nil {
		s.finish()
		stderr, _ := s.stderr.take()
		s.close()
		hear(err, stderr)
		return nil, err
	}
	return &Process{
		limits: t.limits, body: b, streams: s,
		killed: make(chan struct{}), done: make(chan struct{}), began: time.Now(),
	}, nil
}

// see waits for the end of the program, or makes it, and cleans up behind it.
func (p *Process) see(ctx context.Context) {
	defer close(p.done)
	res := &p.res
	var wall <-chan time.Time
	if p.limits.Wall > 0 {
		timer := time.NewTimer(p.limits.Wall)
		defer timer.Stop()
		wall = timer.C
	}
	killed := true
	var err error
	select {
	case <-p.body.exited():
		killed = false
	case <-p.killed:
	case <-wall:
		res.TimedOut = true
	case why := <-p.body.excess():
		res.OutOfMemory, res.OverDisk = why.memory, why.disk
	case <-ctx.Done():
		err = ctx.Err()
	}
	res.Wall = time.Since(p.began)
	res.ExitCode = exitKilled
	if !killed {
		res.ExitCode, err = p.body.status()
	}
	if !p.body.end() {
		err = errors.Join(err, fmt.Errorf("the program was killed and has not ended in %v", setupTime))
	}
	p.streams.finish()
	p.gather()
	hear(err, res.Stderr)
	if err == nil {
		err = p.body.finish(ctx, res)
	}
	if err == nil {
		err = ctx.Err()
	}
	p.use.Lock()
	p.body.close()
	p.over = true
	p.use.Unlock()
	p.err = err
}

// gather takes what the streams hold into the result.
func (p *Process) gather() {
	s, res := p.streams, &p.res
	res.Stdout, res.StdoutCut = s.stdout.take()
	res.Stderr, res.StderrCut = s.stderr.take()
	res.Frames, res.FrameError = s.frames.frames, s.frameError
	res.OutOfMemory = res.OutOfMemory || saidMemoryError(res)
	s.close()
}

// saidMemoryError is true when Python, or a worker in Go, ended because an
// allocation failed, which is how the limit of one process shows.
func saidMemoryError(res *Result) bool {
	if res.ExitCode == 2 && bytes.HasPrefix(res.Stderr, []byte("fatal error: runtime: ")) && bytes.Contains(res.Stderr[:min(100, len(res.Stderr))], []byte("memory")) {
		return true
	}
	last := lastLine(res.Stderr)
	return res.ExitCode == 1 && (strings.HasPrefix(last, "MemoryError") || strings.Contains(last, "ArrayMemoryError:"))
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// Conn is the host's end of the program's socket. It is the same each time, and
// the caller's to close; closing it shows the program the end of its input, and
// does not end it. Whatever comes from it was written by a stranger: cap it,
// check it, believe none of it.
func (p *Process) Conn() net.Conn { return p.streams.conn }

// Interrupt sends SIGINT to the program itself, and not to what it has started:
// a Python program sees a KeyboardInterrupt. The error is [os.ErrProcessDone]
// when it has ended.
func (p *Process) Interrupt() error {
	p.use.RLock()
	defer p.use.RUnlock()
	if p.over {
		return os.ErrProcessDone
	}
	return p.body.interrupt()
}

// Output returns what the program, and all that it started, wrote to standard
// output and standard error since the last call, at most Limits.Stdout and
// Limits.Stderr bytes from the start; cut says that more was written and is
// lost. All that was written before some bytes that have arrived over the
// socket is in it.
func (p *Process) Output() (stdout, stderr []byte, cut bool) {
	stdout, cutOut := p.streams.stdout.take()
	stderr, cutErr := p.streams.stderr.take()
	return stdout, stderr, cutOut || cutErr
}

// Kill kills the program and every process that descends from it, at once. They
// are gone when Done is closed.
func (p *Process) Kill() {
	p.once.Do(func() { close(p.killed) })
	p.use.RLock()
	defer p.use.RUnlock()
	if !p.over {
		p.body.kill()
	}
}

// Memory returns how many bytes all processes of the program use now. Pages
// that several of them share count once. 0 when they are gone.
func (p *Process) Memory() int64 {
	p.use.RLock()
	defer p.use.RUnlock()
	if p.over {
		return 0
	}
	return p.body.memory()
}

// Done is closed when the program has ended and nothing of it is left.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits for Done and returns what came of the program; it can be called
// any number of times. Stdout and Stderr hold what no call to Output has
// returned. A program that failed, was killed or passed a limit is a Result, as
// it is for [Sandbox.Run].
func (p *Process) Wait() (*Result, error) {
	<-p.done
	if p.err != nil && p.res.Changed == nil && p.res.Refused == nil {
		return nil, p.err
	}
	return &p.res, p.err
}
