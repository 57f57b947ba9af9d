//go:build unix

package sandbox

import (
	"os"
	"syscall"
)

func groupAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func signalGroup(p *os.Process, kill bool) {
	sig := syscall.SIGTERM
	if kill {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-p.Pid, sig)
}

func exitOf(state *os.ProcessState) Exit {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return Exit{Code: 128 + int(status.Signal()), Signal: int(status.Signal())}
	}
	return Exit{Code: state.ExitCode()}
}
