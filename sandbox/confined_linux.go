package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A confined is a running launcher and what it holds.
type confined struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed when the launcher was reaped
	pidfd  int           // of process 1 inside; -1 before it is known

	stdout, stderr, result, status *os.File   // our ends
	block, orders                  *os.File   // to the launcher, to the shim
	theirs                         []*os.File // the launcher's ends, closed here once it has them

	config  shimConfig
	readers sync.WaitGroup
	notes   chan statusNote
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

// start starts the child, which waits for its configuration.
func (l *launcher) start(p *profile, group *group) (*confined, error) {
	c := &confined{pidfd: -1, exited: make(chan struct{}), notes: make(chan statusNote, 4), config: shimConfig{
		Owner: os.Getpid(),
		Path:  l.path,
		Args:  append([]string{"bwrap", "--args", strconv.Itoa(fdArgs), "--"}, p.command...),
		UID:   l.uid, GID: l.gid,
	}}
	ok := false
	defer func() {
		if !ok {
			c.closeAll()
		}
	}()
	cmd := &exec.Cmd{
		Path: "/proc/self/exe",
		Args: []string{shimName},
		Env:  []string{},
		Dir:  "/",
		// A group of its own, so that what the launcher forks before the program
		// has a session of its own can be killed with it.
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	c.cmd = cmd
	groupFiles, err := group.place(cmd.SysProcAttr)
	if err != nil {
		return nil, err
	}
	c.theirs = append(c.theirs, groupFiles...)
	pipe := func(ours **os.File, write bool) *os.File {
		r, w, e := os.Pipe()
		if e != nil {
			err = errors.Join(err, e)
			return nil
		}
		if write {
			*ours = w
			c.theirs = append(c.theirs, r)
			return r
		}
		*ours = r
		c.theirs = append(c.theirs, w)
		return w
	}
	memory := func(name string, content []byte) *os.File {
		f, e := memoryFile(name, content)
		if e != nil {
			err = errors.Join(err, e)
			return nil
		}
		c.theirs = append(c.theirs, f)
		return f
	}
	extra := make([]*os.File, fdConfig-2)
	at := func(fd int, f *os.File) { extra[fd-3] = f }
	at(fdResult, pipe(&c.result, false))
	at(fdArgs, memory("arguments", []byte(strings.Join(p.args(), "\x00")+"\x00")))
	at(fdSeccomp, memory("filter", l.filter))
	at(fdStatus, pipe(&c.status, false))
	at(fdBlock, pipe(&c.block, true))
	// The launcher holds the writing end too: should this process die, the pipe
	// must not end, or the program would start with nobody to watch it.
	at(fdSync, c.block)
	at(fdConfig, pipe(&c.orders, true))
	if group.version == 1 {
		extra = slices.Concat(extra, groupFiles) // from fdGroups on
		c.config.Groups = len(groupFiles)
	}
	stdout, stderr := pipe(&c.stdout, false), pipe(&c.stderr, false)
	if err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", err)
	}
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = stdout, stderr, extra
	if err := cmd.Start(); err != nil {
		err = fmt.Errorf("start the sandbox: %w", err)
		if cmd.SysProcAttr.UseCgroupFD {
			return nil, groupError(err)
		}
		return nil, err
	}
	for _, f := range c.theirs {
		_ = f.Close()
	}
	c.theirs = nil
	go func() {
		_ = cmd.Wait() // how it ended is in its status
		close(c.exited)
	}()
	ok = true
	return c, nil
}

// read starts a reader for each stream of the program. None of them outlives
// end: every writer is dead by then.
func (c *confined) read(res *Result, limits Limits, onFrame func(Frame)) {
	take := func(from *os.File, to *[]byte, cut *bool, keep int) {
		kept := capture{keep: keep}
		_, _ = io.Copy(&kept, from)
		*to, *cut = kept.bytes, kept.cut
	}
	c.readers.Go(func() { take(c.stdout, &res.Stdout, &res.StdoutCut, limits.Stdout) })
	c.readers.Go(func() { take(c.stderr, &res.Stderr, &res.StderrCut, limits.Stderr) })
	c.readers.Go(func() {
		frames := frameReader{r: c.result, limits: limits, onFrame: onFrame}
		res.FrameError = frames.readAll()
		res.Frames = frames.frames
		_ = c.result.Close() // a program that goes on writing learns that nobody reads
	})
	c.readers.Go(func() {
		defer close(c.notes)
		// bwrap writes two small documents here, and the program has no access.
		notes := json.NewDecoder(io.LimitReader(c.status, 64<<10))
		for {
			var note statusNote
			if notes.Decode(&note) != nil {
				return
			}
			c.notes <- note
		}
	})
}

// supervise brings the program to life under its limits and waits for its end.
func (c *confined) supervise(ctx context.Context, l *launcher, group *group, limits Limits, watch *watch, res *Result) error {
	config, err := json.Marshal(c.config)
	if err != nil {
		return err
	}
	if _, err := c.orders.Write(config); err != nil {
		return &launchError{err: fmt.Errorf("start the sandbox: %w", err)}
	}
	_ = c.orders.Close()
	setup := time.NewTimer(setupTime)
	defer setup.Stop()
	select {
	case note, ok := <-c.notes:
		if !ok {
			<-c.exited
			if c.cmd.ProcessState.ExitCode() == exitNoGroup {
				return errGroup
			}
			return &launchError{err: errors.New("the sandbox's launcher gave up")}
		}
		if err := c.adopt(note, l, limits); err != nil {
			return err
		}
		if !group.holds(note.ChildPID) {
			return errGroup
		}
		if _, err := c.block.Write([]byte{1}); err != nil {
			return &launchError{err: fmt.Errorf("start the program: %w", err)}
		}
	case <-setup.C:
		return &launchError{err: fmt.Errorf("the sandbox's launcher was not ready in %v", setupTime)}
	case <-ctx.Done():
		return ctx.Err()
	}
	return c.wait(ctx, limits, watch, res)
}

// adopt takes hold of process 1 inside and sets the limits that everything it
// starts inherits. It waits to be told to go on.
func (c *confined) adopt(note statusNote, l *launcher, limits Limits) error {
	fd, err := unix.PidfdOpen(note.ChildPID, 0)
	if err != nil {
		return &launchError{err: fmt.Errorf("take hold of the sandbox's first process: %w", err)}
	}
	c.pidfd = fd
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
	if err := limits.apply(note.ChildPID, l.uid, l.gid); err != nil {
		return &launchError{err: err}
	}
	return nil
}

// wait returns when the program has ended or had to be killed.
func (c *confined) wait(ctx context.Context, limits Limits, watch *watch, res *Result) error {
	started := time.Now()
	wall := time.NewTimer(limits.Wall)
	defer wall.Stop()
	over := watch.start(c.pidfd, limits)
	defer over.stop()
	killed := false
	select {
	case <-c.exited:
	case <-wall.C:
		res.TimedOut, killed = true, true
	case why := <-over.found:
		res.OutOfMemory, res.OverDisk, killed = why.memory, why.disk, true
	case <-ctx.Done():
		return ctx.Err()
	}
	res.Wall = time.Since(started)
	if killed {
		res.ExitCode = exitKilled
		return nil
	}
	for note := range c.notes {
		if note.ExitCode != nil {
			res.ExitCode = *note.ExitCode
			return nil
		}
	}
	state := c.cmd.ProcessState
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		// Killed from outside, by the kernel for memory or by a person.
		res.ExitCode = 128 + int(status.Signal())
		return nil
	}
	return &launchError{err: errors.New("the sandbox's launcher could not start the program")}
}

// end kills what is left and waits until it is gone: when process 1 of a
// process namespace ends, the kernel has killed all the others first. It is
// false where the kernel cannot end a process, as when a disk does not answer.
func (c *confined) end() bool {
	gone := true
	if c.pidfd >= 0 {
		_ = unix.PidfdSendSignal(c.pidfd, unix.SIGKILL, nil, 0)
		gone = waitGone(c.pidfd, setupTime)
	} else {
		// Not adopted: whatever there is still waits in the launcher's group.
		_ = unix.Kill(-c.cmd.Process.Pid, unix.SIGKILL)
	}
	_ = c.cmd.Process.Kill()
	<-c.exited
	soon := time.Now().Add(time.Second)
	for _, f := range []*os.File{c.stdout, c.stderr, c.result, c.status} {
		_ = f.SetReadDeadline(soon)
	}
	for range c.notes { // lets its reader finish
	}
	c.readers.Wait()
	return gone
}

func (c *confined) closeAll() {
	for _, f := range append(c.theirs, c.stdout, c.stderr, c.result, c.status, c.block, c.orders) {
		if f != nil {
			_ = f.Close()
		}
	}
	if c.pidfd >= 0 {
		_ = unix.Close(c.pidfd)
	}
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
