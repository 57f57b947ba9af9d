package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// bubblewrap is the layer that confines by bwrap: namespaces, an empty root
// into which little is bound, and a filter of system calls.
type bubblewrap struct {
	*ground
	path     string       // of bwrap
	never    bool         // start it directly
	indirect atomic.Int32 // how many more to start by way of the re-executed child
}

// newBubblewrap finds the parts. Whether they confine is for the canary to say.
func newBubblewrap(opts *Options) (*bubblewrap, error) {
	g, err := newGround(opts)
	if err != nil {
		return nil, err
	}
	b := &bubblewrap{ground: g}
	if b.path, err = findLauncher(opts.Bubblewrap); err != nil {
		return nil, err
	}
	if err := g.addPython(opts); err != nil {
		return nil, err
	}
	// Who is not quite root, as in a setuid program, is for the child to refuse.
	b.never = os.Getuid() != os.Geteuid() || os.Getgid() != os.Getegid()
	return b, nil
}

// installLine installs what the sandbox and the programs in it need.
const installLine = "sudo apt-get install -y --no-install-recommends bubblewrap python3-numpy python3-scipy python3-matplotlib"

func findLauncher(chosen string) (string, error) {
	missing := &Unavailable{
		Reason: "bubblewrap, which confines programs, is not installed",
		Remedy: "install it with `" + installLine + "`",
	}
	if chosen != "" {
		if !filepath.IsAbs(chosen) || !isExecutable(chosen) {
			missing.Reason = fmt.Sprintf("bubblewrap is not at %s", chosen)
			return "", missing
		}
		return chosen, nil
	}
	if isExecutable("/usr/bin/bwrap") {
		return "/usr/bin/bwrap", nil
	}
	found, err := exec.LookPath("bwrap")
	if err != nil || !filepath.IsAbs(found) {
		return "", missing
	}
	return found, nil
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// checkDir refuses a folder that would undo the confinement or be hidden by it.
func checkDir(dir string) error {
	top := topOf(dir)
	taken := []string{"/", "/proc", "/dev", "/sys", "/ws", "/job", "/tmp", "/run", "/lib", "/lib64", "/bin"}
	if !filepath.IsAbs(dir) || filepath.Clean(dir) != dir || strings.Contains(dir, "\x00") || slices.Contains(taken, top) || !isDir(dir) {
		return &Unavailable{
			Reason: fmt.Sprintf("the folder %q of ReadOnlyDirs cannot be shown to programs", dir),
			Remedy: "name an existing folder by its absolute path, outside " + strings.Join(taken[1:], ", "),
		}
	}
	return nil
}

func (b *bubblewrap) start(ctx context.Context, t *task) (body, error) {
	return b.launch(ctx, t, pythonCommand(b.python, t.job), nil)
}

// launch starts a command in confinement. more are additions to the environment.
func (b *bubblewrap) launch(ctx context.Context, t *task, command []string, more func(*stage) map[string]string) (body, error) {
	f, err := b.lay(ctx, t, 2)
	if err != nil {
		return nil, err
	}
	env := t.environment()
	if more != nil {
		maps.Copy(env, more(f.stage))
	}
	p := b.profile(f.stage, env, t.limits)
	p.command = command
	straight := !b.never && b.indirect.Load() <= 0
	if !straight {
		b.indirect.Add(-1)
	}
	c, err := b.confine(ctx, p, f, t.ends, straight)
	if errors.Is(err, errIndirect) {
		// What is in the way now will be for a while.
		b.indirect.Store(100)
		c, err = b.confine(ctx, p, f, t.ends, false)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return c, nil
}

func (b *bubblewrap) profile(s *stage, env map[string]string, limits Limits) *profile {
	p := &profile{python: b.python, dirs: b.dirs, mounts: s.mounts(), env: env, temp: limits.Temp, chdir: "/tmp"}
	if s.workspace != nil {
		p.chdir = "/ws"
	}
	return p
}
