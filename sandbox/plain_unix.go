//go:build unix

package sandbox

import (
	"os"
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

func (s *single) begin(third *os.File) error {
	s.cmd.ExtraFiles = []*os.File{third}
	return s.spawn()
}

// exitCode is that of a process, by the rule of shells: 128 + n when signal n
// ended it.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
