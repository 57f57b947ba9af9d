package sandbox

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A launcher starts confined processes and sees them to their end.
type launcher struct {
	path     string // of bwrap
	uid, gid int    // to run it as; 0 means as the caller
	filter   []byte // the system-call filter
	groups   controllers
}

// A launchError says that no program ran: what the launcher wrote before it
// gave up, which open turns into a reason and a remedy.
type launchError struct {
	said string
	err  error
}

func (e *launchError) Error() string {
	if e.said == "" {
		return e.err.Error()
	}
	return fmt.Sprintf("%v: %s", e.err, e.said)
}

func (e *launchError) Unwrap() error { return e.err }

// exitKilled is the exit code of a program that was killed.
const exitKilled = 128 + int(unix.SIGKILL)

// setupTime is how long a launcher may take before its program starts, and how
// long killed processes may take to be gone.
const setupTime = 30 * time.Second

// run runs the program of a profile to its end, and returns when no process of
// it is left. watch, when not nil, is asked every so often whether the program
// has to go, and why.
func (l *launcher) run(ctx context.Context, p *profile, limits Limits, watch *watch, onFrame func(Frame)) (*Result, error) {
	// A process that asks to die with its parent dies with the thread that
	// started it. Locked, the thread lives until the program has ended.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	group, err := l.groups.newGroup(limits)
	if err != nil {
		return nil, err
	}
	defer group.remove()
	c, err := l.start(p, group)
	if err != nil {
		return nil, err
	}
	defer c.closeAll()
	res := &Result{}
	c.read(res, limits, onFrame)
	err = c.supervise(ctx, l, group, limits, watch, res)
	if !c.end() {
		err = errors.Join(err, fmt.Errorf("the program was killed and has not ended in %v", setupTime))
	}
	if err != nil {
		var launch *launchError
		if errors.As(err, &launch) && launch.said == "" {
			launch.said = strings.TrimSpace(string(res.Stderr))
		}
		return nil, err
	}
	res.OutOfMemory = res.OutOfMemory || group.ranOut() || saidMemoryError(res)
	return res, ctx.Err()
}

// saidMemoryError is true when Python ended because an allocation failed, which
// is how the limit of one process shows.
func saidMemoryError(res *Result) bool {
	last := lastLine(res.Stderr)
	return res.ExitCode == 1 && (strings.HasPrefix(last, "MemoryError") || strings.Contains(last, "ArrayMemoryError:"))
}
