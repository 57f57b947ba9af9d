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
// without a kernel's confinement. Its arguments are the worker's name and its
// limit of memory.
const plainChild = "helios-sandbox-worker"

// plain is the layer "limits": a process of its own with limits, and nothing
// else. It is for intrinsic workers on hosts where the kernel confines nothing.
type plain struct {
	path   string // of this program
	worker *Worker
}

func openPlain(_ context.Context, _ *Options, w *Worker) (layer, error) {
	path, err := ownProgram()
	if err != nil {
		return nil, &Unavailable{
			Reason: "this program cannot be executed again, since " + oneSentence(err.Error()),
			Remedy: "start it from a file that stays where it is",
		}
	}
	return &plain{path: path, worker: w}, nil
}

func (p *plain) describe() string {
	limits, _ := Limits{}.withDefaults(true)
	return strings.Join([]string{
		"Layer: limits: a process of its own, which nothing of the kernel confines.",
		fmt.Sprintf("What holds: the worker %s interprets a language in which nothing of the host is in reach; the process has no environment, no standard input and one socket.", p.worker.Name),
		fmt.Sprintf("Caps by default: memory %s (the process looks every 10 ms and ends itself); %s.", size(limits.Memory), plainCaps),
		"Not in force: namespaces, Landlock, a filter of system calls, another user. A fault in the interpreter itself would give a program the rights of the caller.",
	}, "\n")
}

// runPlain does not return when this process is that child.
func runPlain() {
	if len(os.Args) != 3 || os.Args[0] != plainChild {
		return
	}
	w := workerNamed(os.Args[1])
	memory, err := strconv.ParseInt(os.Args[2], 10, 64)
	if w == nil || err != nil {
		fmt.Fprintf(os.Stderr, "%s: there is no worker %q\n", plainChild, os.Args[1])
		os.Exit(1)
	}
	limitPlain(memory)
	w.run(memory)
}

func (p *plain) start(_ context.Context, t *task) (body, error) {
	cmd := &exec.Cmd{
		Path: p.path, Args: []string{plainChild, p.worker.Name, strconv.FormatInt(t.limits.Memory, 10)},
		Env: []string{}, Dir: os.TempDir(), Stdout: t.ends.stdout, Stderr: t.ends.stderr,
	}
	s := &single{cmd: cmd, gone: make(chan struct{})}
	if err := s.begin(t.ends.third); err != nil {
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
	cmd  *exec.Cmd
	gone chan struct{}
}

func (s *single) exited() <-chan struct{} { return s.gone }
func (s *single) excess() <-chan excess   { return nil }

func (s *single) status() (int, error) { return exitCode(s.cmd.ProcessState), nil }

func (s *single) interrupt() error { return s.cmd.Process.Signal(os.Interrupt) }

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
