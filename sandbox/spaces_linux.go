package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// spaces is the layer "namespaces": this program, executed again in namespaces
// of its own, builds an empty root, confines itself by Landlock and the filter,
// and becomes a worker or starts Python. It needs no other program.
type spaces struct {
	*ground
	worker  *Worker // what is started, when that is not Python
	version int     // of Landlock, 0 where the kernel has none
}

// findSpaces finds the parts. Whether they confine is for the canary to say.
func findSpaces(opts *Options, w *Worker) (*spaces, error) {
	g, err := newGround(opts)
	if err != nil {
		return nil, err
	}
	s := &spaces{ground: g, worker: w, version: landlockVersion()}
	if w == nil {
		err = g.addPython(opts)
	} else {
		g.filter, err = filterWorker()
	}
	return s, err
}

func openSpaces(ctx context.Context, opts *Options, w *Worker) (layer, error) {
	s, err := findSpaces(opts, w)
	if err != nil {
		return nil, err
	}
	if s.base != "" {
		sweepStages(s.base, os.Getuid(), s.uid)
	}
	if err := proveWithGroups(s.ground, func() error { return s.prove(ctx) }); err != nil {
		return nil, diagnoseSpaces(err, readFacts())
	}
	return s, nil
}

// ownTasks are how many threads the reaper, process 1, may have.
const ownTasks = 16

func (s *spaces) start(ctx context.Context, t *task) (body, error) {
	if s.worker != nil {
		return s.startWorker(ctx, t, s.worker.Name)
	}
	return s.launch(ctx, t, pythonCommand(s.python, t.job), nil)
}

// pythonCommand is how a program is run.
func pythonCommand(python *interpreter, job *Job) []string {
	return []string{python.command, "-I", "-B", "-X", "utf8", path.Join("/job", job.Main)}
}

// startWorker needs no root but an empty one, and no files.
func (s *spaces) startWorker(ctx context.Context, t *task, name string) (body, error) {
	f, err := s.layWorker(t)
	if err != nil {
		return nil, err
	}
	order := &spacedOrder{Worker: name, Dir: "/"}
	if s.version > 0 {
		order.Rules = &ruleset{Version: s.version}
	}
	return s.bring(ctx, t, f, order)
}

// launch starts a command in confinement. more are additions to the environment.
func (s *spaces) launch(ctx context.Context, t *task, command []string, more func(*stage) map[string]string) (body, error) {
	f, err := s.lay(ctx, t, ownTasks)
	if err != nil {
		return nil, err
	}
	env := t.environment()
	if more != nil {
		maps.Copy(env, more(f.stage))
	}
	p := &profile{python: s.python, dirs: s.dirs, mounts: f.stage.mounts(), temp: t.limits.Temp}
	order := &spacedOrder{Root: *planRoot(p), Dir: "/tmp", Path: command[0], Args: command}
	if f.stage.workspace != nil {
		order.Dir = "/ws"
	}
	env["PWD"] = order.Dir
	for _, name := range sortedKeys(env) {
		order.Env = append(order.Env, name+"="+env[name])
	}
	if s.version > 0 {
		order.Rules = order.Root.rules(s.version, s.python)
	}
	return s.bring(ctx, t, f, order)
}

// bring starts the child that carries out an order. The footing is its own, on
// an error too.
func (s *spaces) bring(ctx context.Context, t *task, f *footing, order *spacedOrder) (body, error) {
	order.Filter, order.Memory = s.filter, t.limits.Memory
	for _, r := range t.limits.rlimits() {
		if order.Worker != "" && r.resource == unix.RLIMIT_AS {
			r.value = goSpace(t.limits.Memory)
		}
		order.Limits = append(order.Limits, limitOrder{r.what, r.resource, r.value})
	}
	c := &spaced{footing: f, pidfd: -1, program: -1, gone: make(chan struct{})}
	starts.hold()
	if err := c.begin(ctx, s, t, order); err != nil {
		if c.pidfd >= 0 {
			c.end()
		}
		c.close()
		return nil, err
	}
	return c, nil
}

// A spaced is a program in namespaces of ours, and what is held for it.
type spaced struct {
	*footing
	cmd   *exec.Cmd
	gone  chan struct{} // closed when process 1 inside was reaped
	pidfd int           // of process 1; -1 before it is there
	alone bool          // process 1 is the program: a worker

	mu      sync.Mutex
	program int // pidfd of the program, once Interrupt has looked for it; else -1
}

func (c *spaced) begin(ctx context.Context, s *spaces, t *task, order *spacedOrder) error {
	text, err := json.Marshal(order)
	if err != nil {
		return fmt.Errorf("start the sandbox: %w", err)
	}
	config, err := memoryFile("order", text)
	if err != nil {
		return err
	}
	defer closeFiles(config)
	notes, theirNotes, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start the sandbox: %w", err)
	}
	defer closeFiles(notes, theirNotes)
	theirs, release, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start the sandbox: %w", err)
	}
	defer closeFiles(theirs, release)
	c.alone = order.Worker != ""
	c.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{spacedName}, Env: []string{}, Dir: "/",
		Stdout: t.ends.stdout, Stderr: t.ends.stderr, ExtraFiles: []*os.File{t.ends.third, config, theirNotes, theirs},
		SysProcAttr: s.attributes(),
	}
	if err := c.group.begin(c.cmd); err != nil {
		if errors.Is(err, errIndirect) { // it may not leave a group again
			return groupError(err)
		}
		return &launchError{err: err}
	}
	closeFiles(theirNotes, theirs)
	c.pidfd, err = unix.PidfdOpen(c.cmd.Process.Pid, 0)
	go func() {
		_ = c.cmd.Wait() // how it ended is in its status
		close(c.gone)
	}()
	if err != nil {
		_ = c.cmd.Process.Kill()
		<-c.gone
		return &launchError{err: fmt.Errorf("take hold of the sandbox's first process: %w", err)}
	}
	if !c.group.holds(c.cmd.Process.Pid) {
		return errGroup
	}
	if err := hearReady(ctx, notes); err != nil {
		return err
	}
	if _, err := release.Write([]byte{1}); err != nil {
		return &launchError{err: fmt.Errorf("start the program: %w", err)}
	}
	c.guard(c.pidfd)
	return nil
}

// attributes are how the child is born: with all rights in a user namespace of
// its own, in which there is one user, and none outside.
func (s *spaces) attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
			unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
		UidMappings:                []syscall.SysProcIDMap{{ContainerID: innerID, HostID: s.uid, Size: 1}},
		GidMappings:                []syscall.SysProcIDMap{{ContainerID: innerID, HostID: s.gid, Size: 1}},
		GidMappingsEnableSetgroups: s.asOther,
		Credential:                 &syscall.Credential{Uid: innerID, Gid: innerID, NoSetGroups: !s.asOther},
		AmbientCaps:                []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP},
		Pdeathsig:                  syscall.SIGKILL,
		Setsid:                     true,
	}
}

// hearReady waits until the child is confined. Anything else that it notes says
// what went wrong.
func hearReady(ctx context.Context, notes *os.File) error {
	stop := context.AfterFunc(ctx, func() { _ = notes.SetReadDeadline(time.Now()) })
	defer stop()
	_ = notes.SetReadDeadline(time.Now().Add(setupTime))
	said, err := io.ReadAll(io.LimitReader(notes, 4096))
	text := strings.TrimSpace(string(said))
	switch {
	case text == noteConfined && err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &launchError{err: fmt.Errorf("the sandbox was not ready in %v", setupTime), said: text}
	}
	return &launchError{err: errors.New("the sandbox could not be set up"), said: text}
}

func (c *spaced) exited() <-chan struct{} { return c.gone }

func (c *spaced) status() (int, error) { return exitCode(c.cmd.ProcessState), nil }

// interrupt finds the program: the first child of process 1, unless it is that.
func (c *spaced) interrupt() error {
	if c.alone {
		return signalProgram(c.pidfd, unix.SIGINT)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.program < 0 {
		fd, err := firstChild(c.cmd.Process.Pid)
		if err != nil {
			return err
		}
		c.program = fd
	}
	return signalProgram(c.program, unix.SIGINT)
}

func (c *spaced) kill() { _ = unix.PidfdSendSignal(c.pidfd, unix.SIGKILL, nil, 0) }

func (c *spaced) memory() int64 { return memoryOf(c.cmd.Process.Pid) }

func (c *spaced) end() bool {
	c.relieve()
	c.kill()
	if !waitGone(c.pidfd, setupTime) {
		return false
	}
	<-c.gone
	return true
}

func (c *spaced) finish(ctx context.Context, res *Result) error {
	// A worker that finds itself over its limit ends like one that was killed,
	// and by itself.
	state, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if c.alone && ok && state.Exited() && state.ExitStatus() == exitOutOfMemory {
		res.OutOfMemory = true
	}
	return c.footing.finish(ctx, res)
}

func (c *spaced) close() {
	for _, fd := range []int{c.pidfd, c.program} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
	starts.release()
	c.footing.close()
}
