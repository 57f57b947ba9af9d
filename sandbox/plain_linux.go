package sandbox

import (
	"context"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func plainLimits(memory int64) map[int]uint64 {
	return map[int]uint64{
		unix.RLIMIT_AS: goSpace(memory), unix.RLIMIT_NOFILE: openFiles, unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: 0,
	}
}

// goSpace is a limit on the address space that a Go process with so much memory
// can do with: it reserves far more of it than it uses.
func goSpace(memory int64) uint64 { return 2<<30 + 3*uint64(memory) }

func (s *single) spawn() error {
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	starts.hold()
	err := starts.do(s.cmd.Start)
	if err != nil {
		starts.release()
	}
	return err
}

func (s *single) release() { starts.release() }

func memoryOfProcess(pid int) int64 { return memoryOf(pid) }

// ownProgram is this program, even when its file has been replaced.
func ownProgram() (string, error) { return "/proc/self/exe", nil }

// tryFilter starts a worker that tries to get out, under the filter, and is true
// when it could not. Where a container forbids filters, it does not start.
func (p *plain) tryFilter(ctx context.Context) bool {
	trial := &plain{path: p.path, worker: &bareCanary, filtered: true}
	got, err := hearCanary(ctx, trial)
	if err != nil {
		return false
	}
	for name := range strings.FieldsSeq("file make sys kernel_setting socket spaces mount run signal") {
		if got[name] != "denied" {
			return false
		}
	}
	return got["Seccomp"] == "2 <nil>" && got["NoNewPrivs"] == "1 <nil>"
}

// filterPlain puts the filter on this process, which keeps no descriptor that it
// inherited.
func filterPlain() error {
	program, err := filterBare()
	if err != nil {
		return err
	}
	if err := closeAllBut(fdThird); err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := noNewPrivileges(); err != nil {
		return err
	}
	return filterProcess(program) // passes that on to the other threads
}
