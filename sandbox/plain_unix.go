//go:build unix

package sandbox

import (
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const plainCaps = "256 open files, no core dumps; it ends with its owner"

// limitPlain takes from this process what it does not need, and ends it when its
// owner has gone, whatever it is doing.
func limitPlain(memory int64) {
	for resource, value := range plainLimits(memory) {
		_ = unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
	}
	owner := os.Getppid()
	go func() {
		for os.Getppid() == owner {
			time.Sleep(time.Second)
		}
		os.Exit(exitKilled)
	}()
}

func (p *plain) command(t *task) *exec.Cmd {
	return &exec.Cmd{
		Path: p.path, Args: p.arguments(t),
		Env: []string{}, Dir: "/", Stdout: t.ends.stdout, Stderr: t.ends.stderr, ExtraFiles: []*os.File{t.ends.third},
	}
}

// socketOf returns the child's end.
func socketOf([]string) (*os.File, error) { return os.NewFile(3, "socket"), nil }

func (s *single) interrupt() error { return s.cmd.Process.Signal(os.Interrupt) }

// exitCode is that of a process, by the rule of shells: 128 + n when signal n
// ended it.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
