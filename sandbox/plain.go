package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// plainChild is what the re-executed child is called that becomes a worker
// without a kernel's confinement. Its arguments are the worker's name, its
// limit of memory and whether it has the filter.
const plainChild = "helios-sandbox-worker"

// plainFiltered and plainBare say whether the child confines itself by the filter.
const (
	plainFiltered = "filtered"
	plainBare     = "bare"
)

// arguments are those of the child.
func (p *plain) arguments(t *task) []string {
	how := plainBare
	if p.filtered {
		how = plainFiltered
	}
	return []string{plainChild, p.worker.Name, strconv.FormatInt(t.limits.Memory, 10), how}
}

// plain is the layer "limits": a process of its own with limits, and on Linux
// with the filter of system calls where the host lets a process have one. It is
// for intrinsic workers on hosts where the kernel confines nothing more.
type plain struct {
	path     string // of this program
	worker   *Worker
	filtered bool // the child has the filter
}

func openPlain(ctx context.Context, _ *Options, w *Worker) (layer, error) {
	path, err := ownProgram()
	if err != nil {
		return nil, &Unavailable{
			Reason: "this program cannot be executed again, since " + oneSentence(err.Error()),
			Remedy: "start it from a file that stays where it is",
		}
	}
	p := &plain{path: path, worker: w}
	p.filtered = p.tryFilter(ctx)
	return p, ctx.Err()
}

func (p *plain) describe() string {
	limits, _ := Limits{}.withDefaults(true)
	kernel, lacks := "nothing of the kernel confines it", "namespaces, Landlock, a filter of system calls, another user"
	if p.filtered {
		kernel = "a filter of system calls lets it open no file, start no process or program, make no socket and signal nobody"
		lacks = "namespaces, Landlock, another user"
	}
	return strings.Join([]string{
		"Layer: limits: a process of its own.",
		fmt.Sprintf("What holds: the worker %s interprets a language in which nothing of the host is in reach; %s; it has no environment, no standard input and one socket.", p.worker.Name, kernel),
		fmt.Sprintf("Caps by default: memory %s (the process looks every 10 ms and ends itself); %s.", size(limits.Memory), plainCaps),
		"Not in force: " + lacks + ". A fault in the interpreter itself would give a program what is not in force.",
	}, "\n")
}

// runPlain does not return when this process is that child.
func runPlain() {
	if len(os.Args) < 4 || os.Args[0] != plainChild {
		return
	}
	w := workerNamed(os.Args[1])
	memory, err := strconv.ParseInt(os.Args[2], 10, 64)
	if w == nil || err != nil {
		fmt.Fprintf(os.Stderr, "%s: there is no worker %q\n", plainChild, os.Args[1])
		os.Exit(1)
	}
	conn, err := socketOf(os.Args[4:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", plainChild, err)
		os.Exit(1)
	}
	limitPlain(memory)
	if os.Args[3] == plainFiltered {
		if err := filterPlain(); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", plainChild, err)
			os.Exit(1)
		}
	}
	w.run(conn, memory)
}

func (p *plain) start(_ context.Context, t *task) (body, error) {
	cmd := p.command(t)
	s := &single{cmd: cmd, gone: make(chan struct{}), memoryLimit: t.limits.Memory}
	if err := s.spawn(); err != nil {
		return nil, &launchError{err: fmt.Errorf("start the worker: %w", err)}
	}
	go func() {
		_ = cmd.Wait() // how it ended is in its status
		close(s.gone)
	}()
	return s, nil
}

// A single is a worker that is one process.
type single struct {
	cmd         *exec.Cmd
	gone        chan struct{} // closed when it was reaped
	memoryLimit int64
	job         *os.File //nolint:unused // on Windows: what ends it with its owner
}

func (s *single) exited() <-chan struct{} { return s.gone }
func (s *single) excess() <-chan excess   { return nil }

func (s *single) status() (int, error) { return exitCode(s.cmd.ProcessState), nil }

func (s *single) kill() { _ = s.cmd.Process.Kill() }

func (s *single) end() bool {
	s.kill()
	<-s.gone
	return true
}

func (s *single) memory() int64 { return memoryOfProcess(s.cmd.Process.Pid) }

func (s *single) finish(_ context.Context, res *Result) error {
	res.OutOfMemory = res.OutOfMemory || s.cmd.ProcessState.ExitCode() == exitOutOfMemory
	return nil
}

func (s *single) close() { s.release() }
