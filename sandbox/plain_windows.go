package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

const plainCaps = "one process, whose memory a job object holds to twice that and 256 MiB; it ends with its owner"

func limitPlain(int64) {}

// command has the child inherit its end of the pipe, whose number on this system
// is told to it.
func (p *plain) command(t *task) *exec.Cmd {
	third := syscall.Handle(t.ends.third.Fd())
	return &exec.Cmd{
		Path: p.path,
		Args: append(p.arguments(t), strconv.FormatUint(uint64(third), 10)),
		Env:  []string{}, Dir: os.TempDir(), Stdout: t.ends.stdout, Stderr: t.ends.stderr,
		SysProcAttr: &syscall.SysProcAttr{HideWindow: true, AdditionalInheritedHandles: []syscall.Handle{third}},
	}
}

// socketOf returns the child's end.
func socketOf(args []string) (*os.File, error) {
	if len(args) == 0 {
		return nil, errors.New("no pipe was passed")
	}
	handle, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read the number of the pipe: %w", err)
	}
	return os.NewFile(uintptr(handle), "pipe"), nil
}

func (s *single) interrupt() error {
	return errors.New("interrupt the worker: this system has no signal for that")
}

func exitCode(state *os.ProcessState) int { return state.ExitCode() }

// memoryOfProcess is not asked for here.
func memoryOfProcess(int) int64 { return 0 }

func ownProgram() (string, error) { return os.Executable() }

func (p *plain) tryFilter(context.Context) bool { return false }

func filterPlain() error { return errors.New("there is no filter of system calls on this system") }
