package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A confined is a program in bubblewrap, and what is held for it.
type confined struct {
	*footing
	cmd   *exec.Cmd
	gone  chan struct{} // closed when the launcher was reaped
	pidfd int           // of process 1 inside; -1 before it is known
	one   int           // the number of process 1

	documents, block *os.File   // our ends: bwrap's notes, what holds the program back
	theirs           []*os.File // the launcher's ends, closed here once it has them
	notes            chan statusNote
	reader           sync.WaitGroup

	mu      sync.Mutex
	program int // pidfd of the program itself, once Interrupt has looked for it; else -1
}

// A statusNote is one document of bwrap's status descriptor.
type statusNote struct {
	ChildPID int    `json:"child-pid"`
	Net      uint64 `json:"net-namespace"`
	PID      uint64 `json:"pid-namespace"`
	Mount    uint64 `json:"mnt-namespace"`
	IPC      uint64 `json:"ipc-namespace"`
	ExitCode *int   `json:"exit-code"`
}

// errIndirect says that a launcher started straight from this process got, or
// would get, what it must not have: a descriptor that some code of this process
// left open on exec. Started by way of the re-executed child it gets none.
var errIndirect = errors.New("the launcher cannot be started directly")

// confine starts the program of a profile and returns when it is running.
func (b *bubblewrap) confine(ctx context.Context, p *profile, f *footing, ends ends, straight bool) (*confined, error) {
	c := &confined{footing: f, pidfd: -1, program: -1, gone: make(chan struct{}), notes: make(chan statusNote, 4)}
	starts.hold()
	ok := false
	defer func() {
		if !ok {
			c.abandon()
		}
	}()
	if err := c.spawn(b, p, ends, straight); err != nil {
		return nil, err
	}
	c.reader.Go(c.readNotes)
	setup := time.NewTimer(setupTime)
	defer setup.Stop()
	select {
	case note, more := <-c.notes:
		if !more {
			<-c.gone
			if c.cmd.ProcessState.ExitCode() == exitNoGroup {
				return nil, errGroup
			}
			return nil, &launchError{err: errors.New("the sandbox's launcher gave up")}
		}
		if err := c.adopt(note, b, straight); err != nil {
			return nil, err
		}
	case <-setup.C:
		return nil, &launchError{err: fmt.Errorf("the sandbox's launcher was not ready in %v", setupTime)}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if _, err := c.block.Write([]byte{1}); err != nil {
		return nil, &launchError{err: fmt.Errorf("start the program: %w", err)}
	}
	c.guard(c.pidfd)
	ok = true
	return c, nil
}

// spawn starts the launcher: directly, or as a re-execution of this program
// that closes what it inherited, joins the group and then becomes the launcher.
func (c *confined) spawn(b *bubblewrap, p *profile, ends ends, straight bool) error {
	var err error
	memory := func(name string, content []byte) *os.File {
		f, e := memoryFile(name, content)
		err = errors.Join(err, e)
		c.theirs = append(c.theirs, f)
		return f
	}
	pipe := func() (r, w *os.File) {
		r, w, e := os.Pipe()
		err = errors.Join(err, e)
		return r, w
	}
	extra := make([]*os.File, fdSync-2)
	at := func(fd int, f *os.File) { extra[fd-3] = f }
	at(fdThird, ends.third)
	at(fdArgs, memory("arguments", []byte(strings.Join(p.args(), "\x00")+"\x00")))
	at(fdSeccomp, memory("filter", b.filter))
	var status, block *os.File
	c.documents, status = pipe()
	block, c.block = pipe()
	c.theirs = append(c.theirs, status, block)
	at(fdStatus, status)
	at(fdBlock, block)
	// The launcher holds the writing end too: should this process die, the pipe
	// must not end, or the program would start with nobody to watch it.
	at(fdSync, c.block)
	args := append([]string{"bwrap", "--args", strconv.Itoa(fdArgs), "--"}, p.command...)
	uid, gid := b.user()
	if err != nil {
		return fmt.Errorf("start the sandbox: %w", err)
	}
	if straight {
		c.cmd = direct(b.path, args, uid, gid)
		c.cmd.Stdout, c.cmd.Stderr, c.cmd.ExtraFiles = ends.stdout, ends.stderr, extra
		err = c.group.begin(c.cmd)
	} else {
		err = c.startIndirect(&shimConfig{Owner: os.Getpid(), Path: b.path, Args: args, UID: uid, GID: gid}, extra, ends)
	}
	if err != nil {
		return err
	}
	closeFiles(c.theirs...)
	c.theirs = nil
	go func() {
		_ = c.cmd.Wait() // how it ended is in its status
		close(c.gone)
	}()
	return nil
}

// startIndirect has the child enter a v1 group itself.
func (c *confined) startIndirect(order *shimConfig, extra []*os.File, ends ends) error {
	group, joins := c.group, []*os.File(nil)
	if group.version == 1 {
		var err error
		if joins, err = group.files(); err != nil {
			return err
		}
		defer closeFiles(joins...)
		group = &noGroup
	}
	cmd, config, err := indirect(order, extra, joins)
	if err != nil {
		return err
	}
	defer closeFiles(config)
	c.cmd = cmd
	cmd.Stdout, cmd.Stderr = ends.stdout, ends.stderr
	return group.begin(cmd)
}

// noGroup caps nothing.
var noGroup group

// direct is a command that gives up root, dies with its owner and has an empty
// environment, because the launcher stays process 1 inside, and its environment
// can be read there in /proc/1/environ. It has a process group of its own, so
// that what it forks before the program has a session can be killed with it.
func direct(path string, args []string, uid, gid int) *exec.Cmd {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if uid != 0 {
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	return &exec.Cmd{Path: path, Args: args, Env: []string{}, Dir: "/", SysProcAttr: attr}
}

func (c *confined) readNotes() {
	defer close(c.notes)
	// bwrap writes two small documents here, and the program has no access.
	notes := json.NewDecoder(io.LimitReader(c.documents, 64<<10))
	for {
		var note statusNote
		if notes.Decode(&note) != nil {
			return
		}
		c.notes <- note
	}
}

// adopt takes hold of process 1 inside and sets the limits that everything it
// starts inherits. It waits to be told to go on.
func (c *confined) adopt(note statusNote, b *bubblewrap, straight bool) error {
	fd, err := unix.PidfdOpen(note.ChildPID, 0)
	if err != nil {
		return &launchError{err: fmt.Errorf("take hold of the sandbox's first process: %w", err)}
	}
	c.pidfd, c.one = fd, note.ChildPID
	if parent, err := parentOf(note.ChildPID); err != nil || parent != c.cmd.Process.Pid {
		// It ended already, and its number may be another's by now.
		_ = unix.Close(fd)
		c.pidfd = -1
		return &launchError{err: errors.New("the sandbox's first process ended before its program started")}
	}
	for name, inside := range map[string]uint64{"net": note.Net, "pid": note.PID, "mnt": note.Mount, "ipc": note.IPC} {
		var ours unix.Stat_t
		if err := unix.Stat("/proc/self/ns/"+name, &ours); err != nil {
			return fmt.Errorf("compare the %s namespaces: %w", name, err)
		}
		if inside == 0 || inside == ours.Ino {
			return &launchError{err: fmt.Errorf("the sandbox has no %s namespace of its own", name)}
		}
	}
	if !c.group.holds(note.ChildPID) {
		return errGroup
	}
	if straight && !onlyKept(note.ChildPID) {
		return errIndirect
	}
	uid, gid := b.user()
	if err := c.limits.apply(note.ChildPID, uid, gid); err != nil {
		return &launchError{err: err}
	}
	return nil
}

// onlyKept is true when a process that has been executed holds open, for what
// it will execute, no descriptor but those that it was given.
func onlyKept(pid int) bool {
	dir := fmt.Sprintf("/proc/%d/fdinfo/", pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false // not to be seen, as for a user of a host that hides it
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err != nil || fd <= fdSync {
			continue
		}
		info, err := os.ReadFile(dir + e.Name())
		if errors.Is(err, os.ErrNotExist) {
			continue // closed meanwhile
		}
		if err != nil || !closesOnExec(string(info)) {
			return false
		}
	}
	return true
}

func closesOnExec(info string) bool {
	for line := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseUint(strings.TrimSpace(value), 8, 64)
			return err == nil && flags&unix.O_CLOEXEC != 0
		}
	}
	return false
}

func (c *confined) exited() <-chan struct{} { return c.gone }

// status is what bwrap noted; the launcher itself ends by a signal when it was
// killed from outside, by the kernel for memory or by a person.
func (c *confined) status() (int, error) {
	for note := range c.notes {
		if note.ExitCode != nil {
			return *note.ExitCode, nil
		}
	}
	state := c.cmd.ProcessState
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return 0, &launchError{err: errors.New("the sandbox's launcher could not start the program")}
}

// interrupt finds the program: the first child of process 1. What lost its
// parent inside becomes a child of process 1 too, and stands behind it.
func (c *confined) interrupt() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.program < 0 {
		fd, err := firstChild(c.one)
		if err != nil {
			return err
		}
		c.program = fd
	}
	return signalProgram(c.program, unix.SIGINT)
}

func (c *confined) kill() { _ = unix.PidfdSendSignal(c.pidfd, unix.SIGKILL, nil, 0) }

func (c *confined) memory() int64 { return memoryOf(c.one) }

// end waits for the end of process 1: when that of a process namespace ends,
// the kernel has killed all the others first.
func (c *confined) end() bool {
	c.relieve()
	gone := true
	if c.pidfd >= 0 {
		c.kill()
		gone = waitGone(c.pidfd, setupTime)
	} else {
		// Not adopted: whatever there is still waits in the launcher's group.
		_ = unix.Kill(-c.cmd.Process.Pid, unix.SIGKILL)
	}
	_ = c.cmd.Process.Kill()
	<-c.gone
	_ = c.documents.SetReadDeadline(time.Now().Add(time.Second))
	for range c.notes { // lets its reader finish
	}
	c.reader.Wait()
	return gone
}

// abandon undoes a start that failed. The footing stays.
func (c *confined) abandon() {
	if c.cmd != nil && c.cmd.Process != nil {
		c.end()
	}
	c.release()
}

func (c *confined) release() {
	closeFiles(append(c.theirs, c.documents, c.block)...)
	for _, fd := range []int{c.pidfd, c.program} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
	starts.release()
}

func (c *confined) close() {
	c.release()
	c.footing.close()
}

// waitGone waits for the end of the process behind a pidfd.
func waitGone(pidfd int, most time.Duration) bool {
	until := time.Now().Add(most)
	for {
		left := time.Until(until)
		if left <= 0 {
			return false
		}
		fds := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(left.Milliseconds())+1)
		if n > 0 {
			return true
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return false
		}
	}
}

// memoryFile returns a descriptor with content, at its start, that has no name.
func memoryFile(name string, content []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make a file in memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.WriteAt(content, 0); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("write a file in memory: %w", err)
	}
	return f, nil
}
