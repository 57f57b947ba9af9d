package sandbox

import (
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// A Tree is a program that is not confined, and all that descends from it. It
// ends together: when the program ends, what it left behind is ended too, and
// [Tree.Kill] ends all of it before.
//
// On Linux, in a program that called [Init], a supervising process adopts every
// descendant that loses its parent, so nothing gets away by making a session of
// its own, by forking twice, by ignoring SIGTERM, or by holding a pipe open; and
// the tree ends with the process that started it, even where that was killed. It
// is no confinement: the program may do whatever its user may, such as killing
// its supervisor, which is reported, or having a service of the host start
// something, which is not. Run what cannot be trusted with [Sandbox.Run].
//
// Elsewhere a Tree is the program's process group, and on Windows the program
// alone, and [Tree.Complete] is false.
//
// A Tree is safe for concurrent use.
type Tree struct {
	pid      int
	complete bool
	done     chan struct{} // closed when nothing is left; then exit and err are set
	exit     Exit
	err      error

	end     func(grace time.Duration) // asks the tree to end
	abandon func()                    // gives up on what could not be ended, so that done is closed soon
}

// An Exit is how a program ended.
type Exit struct {
	Code   int // 128 and the signal when a signal ended it, as shells count
	Signal int // the signal that ended it, else 0
}

const (
	// leftoverGrace is how long what a program left behind may take to end well.
	leftoverGrace = 250 * time.Millisecond
	// endTime is how long killed processes may take to be gone.
	endTime = 5 * time.Second
	// drainTime is how long output may be awaited once the processes are gone:
	// somebody outside of the tree may have been handed a pipe.
	drainTime = time.Second
)

// errLost says that the processes can no longer be accounted for.
var errLost = errors.New("the process that watched over the program was killed; what the program had started may still run")

// StartTree starts the program of cmd as a [Tree]: its Path, Args, Env, Dir,
// Stdin, Stdout, Stderr and ExtraFiles mean what they mean to [exec.Cmd.Start],
// the rest must not be set, and cmd itself is not started. It has a session of
// its own, without a terminal. Wait must be called, or Kill.
func StartTree(cmd *exec.Cmd) (*Tree, error) {
	switch {
	case cmd.Err != nil:
		return nil, cmd.Err
	case cmd.Process != nil:
		return nil, errors.New("start a process tree: the command was started already")
	case cmd.SysProcAttr != nil || cmd.Cancel != nil || cmd.WaitDelay != 0:
		return nil, errors.New("start a process tree: it takes no SysProcAttr, Cancel or WaitDelay; make the command with exec.Command")
	}
	if initCalled.Load() && canSupervise() == nil {
		return startSupervised(cmd)
	}
	return startGroup(cmd)
}

// bare returns a command that can be started in place of cmd.
func bare(cmd *exec.Cmd) *exec.Cmd {
	return &exec.Cmd{
		Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir,
		Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr, ExtraFiles: cmd.ExtraFiles,
		WaitDelay: drainTime,
	}
}

// Pid is the number of the program's process. It may be another's once Wait has
// returned.
func (t *Tree) Pid() int { return t.pid }

// Complete tells whether Kill and Wait leave no descendant alive, whatever the
// program did to get away.
func (t *Tree) Complete() bool { return t.complete }

// Done is closed when Wait will return at once.
func (t *Tree) Done() <-chan struct{} { return t.done }

// Wait waits until the program has ended, what it left behind was ended, and its
// output was written. What is left behind is sent SIGTERM, and SIGKILL a quarter
// of a second later. The error is not about how the program ended, which Exit
// tells, but about what could not be done: copying its input or output, or
// accounting for its processes.
func (t *Tree) Wait() (Exit, error) {
	<-t.done
	return t.exit, t.err
}

// Kill ends the tree and waits until it is gone: it sends SIGTERM to every
// process and SIGKILL, after the grace, to those that are left; a grace of 0 is
// SIGKILL at once, and so is any on Windows. The grace of the shortest call
// counts when there are several. Killing what has ended is fine. The error says
// that something could not be ended, such as a process that has become another
// user's.
func (t *Tree) Kill(grace time.Duration) error {
	grace = max(grace, 0)
	t.end(grace)
	late := time.NewTimer(grace + endTime)
	defer late.Stop()
	select {
	case <-t.done:
		return nil
	case <-late.C:
	}
	t.abandon()
	late.Reset(2 * drainTime)
	select {
	case <-t.done:
	case <-late.C:
	}
	return fmt.Errorf("end a process tree: some of it was alive %v after it was killed", endTime)
}

// ignoreDelay drops the error that says that output was not awaited any longer.
func ignoreDelay(err error) error {
	var exit *exec.ExitError
	if errors.Is(err, exec.ErrWaitDelay) || errors.As(err, &exit) {
		return nil
	}
	return err
}
