package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// runTree does not return when this process is the re-executed supervisor.
func runTree() {
	if len(os.Args) != 1 || os.Args[0] != treeName {
		return
	}
	// The kernel ends the program with the thread that started it.
	runtime.LockOSThread()
	conn := os.NewFile(fdOwner, "owner")
	v := &supervisor{owner: conn, orders: make(chan treeOrder), gone: make(chan struct{})}
	orders := json.NewDecoder(conn)
	var first treeOrder
	if err := orders.Decode(&first); err != nil || first.Start == nil {
		os.Exit(1)
	}
	if op, err := v.start(first.Start); err != nil {
		note := treeNote{Failed: op + ": " + err.Error()}
		if errno := syscall.Errno(0); errors.As(err, &errno) {
			note = treeNote{Failed: op, Errno: errno}
		}
		v.say(note)
		unix.Exit(1)
	}
	v.say(treeNote{Pid: v.program})
	go func() {
		for {
			var o treeOrder
			if orders.Decode(&o) != nil {
				close(v.orders) // the owner is gone
				return
			}
			v.orders <- o
		}
	}()
	if v.watch() {
		v.say(treeNote{Clear: true})
	}
	unix.Exit(0) // at once: the owner waits, and nothing here has to be tidied up
}

// A supervisor has one goroutine that waits for children and signals them, so
// the number of a direct child is never another's.
type supervisor struct {
	owner  *os.File
	orders chan treeOrder
	gone   chan struct{} // closed when the owner has ended

	program int
	ended   bool // and was waited for
	signals chan os.Signal
	hunt    hunt
}

// say has no error: an owner that does not listen any more is gone.
func (v *supervisor) say(note treeNote) {
	if data, err := json.Marshal(note); err == nil {
		_, _ = v.owner.Write(data)
	}
}

// start starts the program; op is what failed.
func (v *supervisor) start(p *treeProgram) (op string, err error) {
	if err := keepDescriptors(fdOwner, fdOwner-1); err != nil {
		return "start", err
	}
	// Signals that are caught here, and not ignored, are as usual in the program.
	v.signals = make(chan os.Signal, 1)
	signal.Notify(make(chan os.Signal, 1))
	signal.Notify(v.signals, unix.SIGCHLD)
	unignore()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return "adopt orphans", err
	}
	if err := v.hunt.open(); err != nil {
		return "find children", err
	}
	pidfd, err := unix.PidfdOpen(p.Owner, 0)
	if err != nil {
		return "take hold of the owner", err
	}
	if os.Getppid() != p.Owner {
		return "start", errors.New("the owner is gone")
	}
	go func() {
		for !waitGone(pidfd, time.Hour) {
		}
		close(v.gone)
	}()
	// No other process of the user may look into this one, or order it about.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return "start", err
	}
	files := []uintptr{0, 1, 2}
	for i := range p.Extra {
		files = append(files, uintptr(fdOwner+1+i))
	}
	v.program, err = syscall.ForkExec(p.Path, p.Args, &syscall.ProcAttr{
		Dir: p.Dir, Env: p.Env, Files: files,
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGKILL},
	})
	if err != nil {
		if p.Dir != "" {
			if _, e := os.Stat(p.Dir); e != nil {
				return fmt.Sprintf("enter %s to start", p.Dir), err
			}
		}
		return "start", err
	}
	return "", letGo(files)
}

// letGo gives up the program's descriptors: whoever reads its output waits for
// the last holder to close it.
func letGo(files []uintptr) error {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	for _, fd := range files {
		if fd > 2 {
			_ = unix.Close(int(fd))
		} else if err := unix.Dup3(null, int(fd), 0); err != nil {
			return err
		}
	}
	return unix.Close(null)
}

// watch returns when no process is left, or, false, when what is left cannot be
// ended and nobody waits for it.
func (v *supervisor) watch() bool {
	var (
		orders, gone = v.orders, v.gone
		orphan       bool      // nobody waits for the end
		ending       bool      // everything has to go
		deadline     time.Time // the hard way from here on
		pause        time.Duration
	)
	terminate := func(grace time.Duration) {
		if until := time.Now().Add(grace); !ending || until.Before(deadline) {
			deadline = until
		}
		if !ending && grace > 0 {
			signalTree(unix.SIGTERM)
			signalTree(unix.SIGCONT) // who is stopped could not end
		}
		ending = true
	}
	for {
		if !v.reap() {
			return true
		}
		if v.ended && !ending {
			terminate(leftoverGrace)
		}
		var wake <-chan time.Time
		if now := time.Now(); ending && now.Before(deadline) {
			wake = time.After(deadline.Sub(now))
		} else if ending {
			if orphan && now.Sub(deadline) > endTime {
				return false
			}
			pause = min(2*pause+time.Millisecond, 100*time.Millisecond)
			if v.kill() {
				pause = 0
			}
			wake = time.After(pause)
		}
		select {
		case <-v.signals:
		case <-wake:
		case o, ok := <-orders:
			if !ok {
				orders, orphan = nil, true
				terminate(0)
			} else if o.Kill {
				terminate(o.Grace)
			}
		case <-gone:
			gone, orphan = nil, true
			terminate(0)
		}
	}
}

// reap takes leave of the children that have ended, and tells whether there are
// others.
func (v *supervisor) reap() (left bool) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG|unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil: // there are no children
			return false
		case pid == 0:
			return true
		case pid == v.program && !v.ended:
			v.ended = true
			v.say(treeNote{Ended: true, Status: status})
		}
		v.hunt.forget(pid)
	}
}

// kill ends what there is, and tells whether it met processes that it had not
// met before: then there may be more of them at once.
func (v *supervisor) kill() (more bool) {
	for range 1000 {
		if !v.reap() || !v.hunt.adopted(unix.SIGKILL) {
			break
		}
		more = true
	}
	v.hunt.all()
	return more
}

// unignore undoes what the owner's own parent may have ignored of the signals that
// Go leaves to the C library, and so alone.
func unignore() {
	var byDefault [4]uint64 // a sigaction of the kernel, of which zero is the default
	for _, sig := range []uintptr{32, 33} {
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, sig, uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0) //nolint:gosec // no wrapper takes these signals
	}
}
