package sandbox

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// bubblewrap is the layer that confines by bwrap: namespaces, an empty root
// into which little is bound, and a filter of system calls.
type bubblewrap struct {
	launcher launcher
	python   *interpreter
	dirs     []string // Options.ReadOnlyDirs
	base     string   // folder for stages
	uid, gid int      // who programs run as on the host
	asOther  bool     // that is not the caller
}

// newBubblewrap finds the parts. Whether they confine is for the canary to say.
func newBubblewrap(opts *Options) (*bubblewrap, error) {
	b := &bubblewrap{uid: os.Getuid(), gid: os.Getgid()}
	if b.uid == 0 {
		b.uid, b.gid, b.asOther = innerID, innerID, true
		if opts.UID != 0 {
			b.uid = opts.UID
		}
		if opts.GID != 0 {
			b.gid = opts.GID
		}
		b.launcher.uid, b.launcher.gid = b.uid, b.gid
		ids, _ := os.ReadFile("/proc/self/uid_map")
		if !mapped(b.uid, string(ids)) {
			return nil, &Unavailable{
				Reason: fmt.Sprintf("the caller is root of a user namespace without the uid %d, which programs are to run as", b.uid),
				Remedy: "run as a user who is not root, or map that uid into the namespace",
			}
		}
	}
	var err error
	if b.launcher.path, err = findLauncher(opts.Bubblewrap); err != nil {
		return nil, err
	}
	if b.python, err = findInterpreter(opts.Python); err != nil {
		return nil, &Unavailable{
			Reason: "no Python can be run, since " + err.Error(),
			Remedy: "install it with `" + installLine + "`",
		}
	}
	for _, dir := range opts.ReadOnlyDirs {
		if err := checkDir(dir); err != nil {
			return nil, err
		}
		b.dirs = append(b.dirs, dir)
	}
	if b.base, err = findBase(opts.TempDir, b.uid); err != nil {
		return nil, &Unavailable{
			Reason: "there is no folder for the files of a run, since " + err.Error(),
			Remedy: "set TMPDIR to a folder whose ancestors everybody may search, such as /var/tmp",
		}
	}
	if b.launcher.filter, err = filterProgram(); err != nil {
		return nil, &Unavailable{
			Reason: "the system-call filter cannot be made, since " + err.Error(),
			Remedy: "use a machine with an amd64 or arm64 processor",
		}
	}
	b.launcher.groups = findControllers()
	return b, nil
}

// mapped is true when a user namespace, by its uid_map, has the uid.
func mapped(uid int, ids string) bool {
	for line := range strings.Lines(ids) {
		var first, outside, count int
		if n, _ := fmt.Sscan(line, &first, &outside, &count); n == 3 && uid >= first && uid-first < count {
			return true
		}
	}
	return false
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

func (b *bubblewrap) run(ctx context.Context, job *Job) (*Result, error) {
	if err := job.check(); err != nil {
		return nil, fmt.Errorf("run a program in the sandbox: %w", err)
	}
	limits, err := job.Limits.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("run a program in the sandbox: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	stage, err := newStage(ctx, b.base, job, limits, b.uid, b.gid, b.asOther)
	if err != nil {
		return nil, err
	}
	defer stage.remove()
	p := b.profile(stage, job.Env, limits)
	p.command = []string{b.python.command, "-I", "-B", "-X", "utf8", path.Join("/job", job.Main)}
	res, err := b.launcher.run(ctx, p, limits, b.watch(stage), job.OnFrame)
	if err != nil {
		return nil, err
	}
	w := stage.workspace
	if w == nil {
		return res, nil
	}
	if res.ExitCode != exitKilled { // one that was killed may have been writing
		err = w.bringBack(ctx)
	}
	slices.Sort(w.changed)
	res.Changed, res.Refused = w.changed, w.refused
	return res, err
}

func (b *bubblewrap) profile(s *stage, env map[string]string, limits Limits) *profile {
	all := maps.Clone(ownEnv)
	maps.Copy(all, env)
	p := &profile{python: b.python, dirs: b.dirs, mounts: s.mounts(), env: all, temp: limits.Temp, chdir: "/tmp"}
	if s.workspace != nil {
		p.chdir = "/ws"
	}
	return p
}

// watch looks after what the kernel does not cap on this host.
func (b *bubblewrap) watch(s *stage) *watch {
	w := &watch{memory: b.launcher.groups.memory == "", path: b.base}
	if s.workspace != nil {
		w.disk = s.workspace.usage
	}
	return w
}
