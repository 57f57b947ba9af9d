package sandbox

import (
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// openFiles is how many descriptors a process may have.
const openFiles = 256

// An rlimit is one limit of setrlimit(2), soft and hard.
type rlimit struct {
	what     string
	resource int
	value    uint64
}

// rlimits hold on every host and for each process by itself, but for the count
// of processes: inside a user namespace of its own the kernel counts those of
// that namespace alone, and process 1, which is the launcher's, is one of them.
func (l Limits) rlimits() []rlimit {
	// All cores for the whole wall time: this ends a process only should nobody
	// be left to do so. A program that may stay has all the time there is.
	processor := 2 + uint64(l.Wall/time.Second)*uint64(runtime.NumCPU())
	if l.Wall == 0 {
		processor = unix.RLIM_INFINITY
	}
	return []rlimit{
		{"memory", unix.RLIMIT_AS, uint64(l.Memory)},
		{"processes", unix.RLIMIT_NPROC, uint64(l.Processes) + 1},
		{"the size of a file", unix.RLIMIT_FSIZE, uint64(l.FileSize)},
		{"open files", unix.RLIMIT_NOFILE, openFiles},
		{"processor time", unix.RLIMIT_CPU, processor},
		{"core dumps", unix.RLIMIT_CORE, 0},
		{"locked memory", unix.RLIMIT_MEMLOCK, 0},
		{"message queues", unix.RLIMIT_MSGQUEUE, 0},
	}
}

// apply sets the limits on a process of that user, from outside.
func (l Limits) apply(pid, uid, gid int) error {
	return asUser(uid, gid, func() error {
		for _, r := range l.rlimits() {
			var now unix.Rlimit
			if err := unix.Prlimit(pid, r.resource, nil, &now); err != nil {
				return fmt.Errorf("read the sandbox's limit on %s: %w", r.what, err)
			}
			value := min(r.value, now.Max) // the host's own limit may be tighter
			if err := unix.Prlimit(pid, r.resource, &unix.Rlimit{Cur: value, Max: value}, nil); err != nil {
				return fmt.Errorf("set the sandbox's limit on %s: %w", r.what, err)
			}
		}
		return nil
	})
}

// asUser calls f with the real user and group of this thread set to the given
// ones, 0 for no change. Without CAP_SYS_RESOURCE, which root lacks in most
// containers, the kernel lets a process set the limits of its own user's
// processes alone, and it is the real user that it asks for. The effective user
// stays root, so that changing back cannot fail.
func asUser(uid, gid int, f func() error) error {
	if uid == 0 {
		return f()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const keep = ^uintptr(0)
	set := func(uid, gid int) error {
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESGID, uintptr(gid), keep, keep); errno != 0 {
			return fmt.Errorf("become group %d for a moment: %w", gid, errno)
		}
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(uid), keep, keep); errno != 0 {
			return fmt.Errorf("become user %d for a moment: %w", uid, errno)
		}
		return nil
	}
	wasUID, wasGID := unix.Getuid(), unix.Getgid()
	err := set(uid, gid)
	if err == nil {
		err = f()
	}
	if back := set(wasUID, wasGID); back != nil {
		// A thread of another user must not run other goroutines. Never unlocked,
		// it ends with this one.
		runtime.LockOSThread()
		return back
	}
	return err
}
