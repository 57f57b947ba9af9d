//go:build unix && !linux

package sandbox

import (
	"context"
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func plainLimits(int64) map[int]uint64 {
	return map[int]uint64{unix.RLIMIT_NOFILE: 256, unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: 0}
}

func (s *single) spawn() error {
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return s.cmd.Start()
}

func (s *single) release() {}

// memoryOfProcess is not to be had here without C code.
func memoryOfProcess(int) int64 { return 0 }

func ownProgram() (string, error) { return os.Executable() }

func (p *plain) tryFilter(context.Context) bool { return false }

func filterPlain() error { return errors.New("there is no filter of system calls on this system") }
