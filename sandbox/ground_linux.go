package sandbox

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
)

// A ground is what every layer stands on: who programs run as, where their files
// are laid out, which system calls they may make, which caps the host allows.
type ground struct {
	python   *interpreter
	dirs     []string // Options.ReadOnlyDirs
	base     string   // folder for stages
	uid, gid int      // who programs run as on the host
	asOther  bool     // that is not the caller, who is root
	filter   []byte   // the system-call filter
	groups   controllers
}

// newGround finds the parts. Whether they confine is for the canary to say.
func newGround(opts *Options) (*ground, error) {
	g := &ground{uid: os.Getuid(), gid: os.Getgid()}
	if g.uid == 0 {
		g.uid, g.gid, g.asOther = innerID, innerID, true
		if opts.UID != 0 {
			g.uid = opts.UID
		}
		if opts.GID != 0 {
			g.gid = opts.GID
		}
		ids, _ := os.ReadFile("/proc/self/uid_map")
		if !mapped(g.uid, string(ids)) {
			return nil, &Unavailable{
				Reason: fmt.Sprintf("the caller is root of a user namespace without the uid %d, which programs are to run as", g.uid),
				Remedy: "run as a user who is not root, or map that uid into the namespace",
			}
		}
	}
	var err error
	if g.filter, err = filterProgram(); err != nil {
		return nil, &Unavailable{
			Reason: "the system-call filter cannot be made, since " + err.Error(),
			Remedy: "use a machine with an amd64 or arm64 processor",
		}
	}
	g.groups = findControllers()
	return g, nil
}

// addPython finds what a Python program needs.
func (g *ground) addPython(opts *Options) error {
	var err error
	if g.python, err = findInterpreter(opts.Python); err != nil {
		return &Unavailable{
			Reason: "no Python can be run, since " + err.Error(),
			Remedy: "install it with `" + installLine + "`",
		}
	}
	for _, dir := range opts.ReadOnlyDirs {
		if err := checkDir(dir); err != nil {
			return err
		}
		g.dirs = append(g.dirs, dir)
	}
	if g.base, err = findBase(opts.TempDir, g.uid); err != nil {
		return &Unavailable{
			Reason: "there is no folder for the files of a run, since " + err.Error(),
			Remedy: "set TMPDIR to a folder whose ancestors everybody may search, such as /var/tmp",
		}
	}
	return nil
}

// user is who the launcher has to become: 0 means that it stays who it is.
func (g *ground) user() (uid, gid int) {
	if !g.asOther {
		return 0, 0
	}
	return g.uid, g.gid
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

// A footing is what one program has on the host, whatever its layer: its
// staging folder, its cgroup, and who watches it.
type footing struct {
	limits Limits
	stage  *stage // nil for a worker, which has no files
	group  *group
	watch  *watch
	patrol *patrol
}

// lay makes the footing of a task. own is how many processes of the layer itself
// are in its group.
func (g *ground) lay(ctx context.Context, t *task, own int) (*footing, error) {
	f := &footing{limits: t.limits, watch: &watch{memory: g.groups.memory == "", path: g.base}}
	var err error
	if f.stage, err = newStage(ctx, g.base, t.job, t.limits, g.uid, g.gid, g.asOther); err != nil {
		return nil, err
	}
	if f.stage.workspace != nil {
		f.watch.disk = f.stage.workspace.usage
	}
	if f.group, err = g.groups.newGroup(t.limits, own); err != nil {
		f.stage.remove()
		return nil, err
	}
	return f, nil
}

// layWorker makes the footing of a worker, which has no files.
func (g *ground) layWorker(t *task) (*footing, error) {
	group, err := g.groups.newGroup(t.limits, ownTasks)
	if err != nil {
		return nil, err
	}
	return &footing{limits: t.limits, group: group, watch: &watch{memory: g.groups.memory == ""}}, nil
}

// guard starts the watch over the process behind pidfd and all below it.
func (f *footing) guard(pidfd int) { f.patrol = f.watch.start(pidfd, f.limits) }

// relieve ends the watch. It comes before the pidfd is closed.
func (f *footing) relieve() {
	if f.patrol != nil {
		f.patrol.stop()
		f.patrol = nil
	}
}

func (f *footing) excess() <-chan excess { return f.patrol.found }

func (f *footing) finish(ctx context.Context, res *Result) error {
	res.OutOfMemory = res.OutOfMemory || f.group.ranOut()
	if f.stage == nil || f.stage.workspace == nil {
		return nil
	}
	w := f.stage.workspace
	var err error
	if res.ExitCode != exitKilled { // one that was killed may have been writing
		err = w.bringBack(ctx)
	}
	slices.Sort(w.changed)
	res.Changed, res.Refused = w.changed, w.refused
	return err
}

func (f *footing) close() {
	f.group.remove()
	if f.stage != nil {
		f.stage.remove()
	}
}
