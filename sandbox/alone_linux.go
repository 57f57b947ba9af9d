package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// alone is the layer "landlock": Landlock, the narrower system-call filter and
// the limits of processes, without namespaces. It is the floor, for hosts that
// allow no namespaces, as containers commonly do. What it lacks is what only
// namespaces give: a root, process numbers and a network of the program's own.
// A program can find out which names of files and numbers of processes there
// are, and nothing about what is in them.
type alone struct {
	*ground
	version int     // of Landlock
	worker  *Worker // what is started, when that is not Python
}

// newAlone finds the parts. Whether they confine is for the canary to say.
func newAlone(opts *Options, worker *Worker) (*alone, error) {
	g, err := newGround(opts)
	if err != nil {
		return nil, err
	}
	a := &alone{ground: g, version: landlockVersion(), worker: worker}
	// Without the scopes a program could signal every process of its user, and
	// those can be the caller's own.
	if a.version < landlockScopes {
		return nil, &Unavailable{
			Reason: fmt.Sprintf("the kernel has version %d of Landlock, and version %d is the first that keeps signals in", a.version, landlockScopes),
			Remedy: "use Linux 6.12 or newer, started with landlock among its security modules",
		}
	}
	if err := canSupervise(); err != nil {
		return nil, &Unavailable{
			Reason: "this host cannot account for the descendants of a process, since " + oneSentence(err.Error()),
			Remedy: "use a kernel with CONFIG_PROC_CHILDREN and mount /proc",
		}
	}
	filter := filterAlone
	if worker != nil {
		filter = filterWorker
	}
	if g.filter, err = filter(); err != nil {
		return nil, fmt.Errorf("make the system-call filter: %w", err)
	}
	if worker == nil {
		err = g.addPython(opts)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// openAlone finds the layer and proves it.
func openAlone(ctx context.Context, opts *Options, w *Worker) (layer, error) {
	a, err := newAlone(opts, w)
	if err != nil {
		return nil, err
	}
	if w == nil {
		sweepStages(a.base, os.Getuid(), a.uid)
	}
	if err := proveWithGroups(a.ground, func() error { return a.prove(ctx) }); err != nil {
		return nil, diagnoseAlone(err)
	}
	return a, nil
}

// diagnoseAlone turns what the trial ran into into a reason and a remedy.
func diagnoseAlone(err error) *Unavailable {
	if already, ok := errors.AsType[*Unavailable](err); ok {
		return already
	}
	if errors.Is(err, errOpen) {
		return &Unavailable{
			Reason: oneSentence(err.Error()),
			Remedy: "report this with the names and versions of the system and its kernel",
		}
	}
	return &Unavailable{
		Reason: oneSentence("a program cannot be confined by Landlock here: " + err.Error()),
		Remedy: "see that this process may use landlock_restrict_self and seccomp, which a container's own filter may refuse",
	}
}

// devices are those that a program may use.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// rules are what Landlock leaves a Python program.
func (a *alone) rules(s *stage) *ruleset {
	r := &ruleset{Version: a.version}
	if a.worker != nil {
		return r // nothing at all
	}
	r.Execute = []string{a.python.real, a.python.loader}
	r.Read = slices.Concat(a.python.dirs, a.dirs, []string{s.at("job")})
	for _, path := range dataDirs {
		if _, err := os.Stat(path); err == nil {
			r.Read = append(r.Read, path)
		}
	}
	for _, path := range devices {
		if _, err := os.Stat(path); err == nil {
			r.Use = append(r.Use, path)
		}
	}
	r.Change = []string{s.at(tempFolder)}
	if s.workspace != nil {
		r.Change = append(r.Change, s.at("ws"))
	}
	if isDir(s.at(fixedFolder)) {
		r.Read = append(r.Read, s.at(fixedFolder))
	}
	return r
}

// order is what the child is to become.
func (a *alone) order(t *task, s *stage) *insideOrder {
	uid, gid := a.user()
	o := &insideOrder{UID: uid, GID: gid, Rules: a.rules(s), Filter: a.filter}
	for _, r := range a.limits(t.limits) {
		o.Limits = append(o.Limits, insideLimit{r.what, r.resource, r.value})
	}
	env := t.environment()
	if a.worker != nil {
		o.Worker, o.Dir, o.Memory = a.worker.Name, "/", t.limits.Memory
		return o
	}
	o.Path = a.python.command
	o.Args = []string{a.python.command, "-I", "-B", "-X", "utf8", filepath.Join(s.at("job"), t.job.Main)}
	o.Dir = s.at(tempFolder)
	env["HOME"], env["TMPDIR"] = o.Dir, o.Dir
	if s.workspace != nil {
		o.Dir = s.at("ws")
	}
	for _, name := range sortedKeys(env) {
		o.Env = append(o.Env, name+"="+env[name])
	}
	return o
}

// limits are those that hold here. The kernel counts the processes of a user on
// the whole host. So where a cgroup counts those of this program, that is used
// in place of the limit, and where none does, the limit is set above what the
// user has now.
func (a *alone) limits(l Limits) []rlimit {
	var all []rlimit
	for _, r := range l.rlimits() {
		switch {
		case r.resource == unix.RLIMIT_AS && a.worker != nil:
			continue // Go reserves much more of its address space than it uses
		case r.resource == unix.RLIMIT_NPROC && a.groups.pids != "":
			continue
		case r.resource == unix.RLIMIT_NPROC:
			r.value += uint64(tasksOf(a.uid))
		}
		all = append(all, r)
	}
	return all
}

// tasksOf counts the processes and threads of a user.
func tasksOf(uid int) int {
	count := 0
	lists, _ := filepath.Glob("/proc/[0-9]*/task")
	for _, list := range lists {
		var st unix.Stat_t
		if unix.Stat(filepath.Dir(list), &st) != nil || int(st.Uid) != uid {
			continue
		}
		if tasks, err := os.ReadDir(list); err == nil {
			count += len(tasks)
		}
	}
	return count
}

func (a *alone) start(ctx context.Context, t *task) (body, error) {
	return a.startWith(ctx, t, func(*stage, *insideOrder) {})
}

// startWith starts with an order that was altered.
func (a *alone) startWith(ctx context.Context, t *task, alter func(*stage, *insideOrder)) (body, error) {
	f, err := a.layFor(ctx, t)
	if err != nil {
		return nil, err
	}
	if f.stage != nil {
		err = f.stage.standAlone(t.limits, a.uid, a.gid, a.asOther)
		f.watch.disk = f.stage.usage
	}
	var s *standing
	if err == nil {
		order := a.order(t, f.stage)
		alter(f.stage, order)
		s, err = a.stand(ctx, t, f, order)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return s, nil
}

// layFor makes the footing; a worker has no files, and so no stage.
func (a *alone) layFor(ctx context.Context, t *task) (*footing, error) {
	if a.worker == nil {
		return a.lay(ctx, t, 0)
	}
	group, err := a.groups.newGroup(t.limits, 0)
	if err != nil {
		return nil, err
	}
	return &footing{limits: t.limits, group: group, watch: &watch{memory: a.groups.memory == ""}}, nil
}

// stand starts the child below a supervisor that adopts all its descendants,
// sees it into its group, and lets it become the program.
func (a *alone) stand(ctx context.Context, t *task, f *footing, order *insideOrder) (*standing, error) {
	files, err := f.group.files()
	if err != nil {
		return nil, err
	}
	defer closeFiles(files...)
	theirOrders, orders, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", err)
	}
	defer closeFiles(theirOrders, orders)
	notes, theirNotes, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", err)
	}
	defer closeFiles(notes, theirNotes)
	order.Groups = len(files)
	tree, err := StartTree(&exec.Cmd{
		// Go would hold files of the control groups open, which a worker keeps.
		Path: selfPath, Args: []string{insideName}, Env: []string{"GODEBUG=containermaxprocs=0"}, Dir: "/",
		Stdout: t.ends.stdout, Stderr: t.ends.stderr,
		ExtraFiles: slices.Concat([]*os.File{t.ends.third, theirOrders, theirNotes}, files),
	})
	if err != nil {
		return nil, &launchError{err: fmt.Errorf("start the sandbox: %w", err)}
	}
	closeFiles(theirOrders, theirNotes)
	s := &standing{footing: f, tree: tree, pidfd: -1}
	if err := s.launch(ctx, order, orders, notes); err != nil {
		s.kill()
		s.end()
		s.release()
		return nil, err
	}
	return s, nil
}

// A standing is a program under Landlock alone, and what is held for it.
type standing struct {
	*footing
	tree       *Tree
	supervisor int // the process that adopts what the program leaves
	pidfd      int // of the supervisor
}

func (s *standing) launch(ctx context.Context, order *insideOrder, orders, notes *os.File) error {
	if !s.tree.Complete() {
		return &launchError{err: errors.New("the descendants of a program cannot be accounted for here")}
	}
	stop := context.AfterFunc(ctx, func() { _ = notes.SetReadDeadline(time.Now()) })
	defer stop()
	_ = notes.SetReadDeadline(time.Now().Add(setupTime))
	if err := json.NewEncoder(orders).Encode(order); err != nil {
		return &launchError{err: fmt.Errorf("start the sandbox: %w", err)}
	}
	if err := s.hear(ctx, notes, noteJoined); err != nil {
		return err
	}
	if !s.group.holds(s.tree.Pid()) {
		return errGroup
	}
	var err error
	if s.supervisor, err = parentOf(s.tree.Pid()); err == nil {
		s.pidfd, err = unix.PidfdOpen(s.supervisor, 0)
	}
	if err != nil {
		return &launchError{err: fmt.Errorf("take hold of the program's supervisor: %w", err)}
	}
	if _, err := orders.WriteString("true\n"); err != nil {
		return &launchError{err: fmt.Errorf("start the program: %w", err)}
	}
	if err := s.hear(ctx, notes, noteReady); err != nil {
		return err
	}
	s.guard(s.pidfd)
	return nil
}

// hear reads one line of the child's notes.
func (s *standing) hear(ctx context.Context, notes *os.File, want string) error {
	var line []byte
	for one := make([]byte, 1); len(line) < 4096; line = append(line, one[0]) {
		if _, err := notes.Read(one); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if !errors.Is(err, io.EOF) {
				return &launchError{err: fmt.Errorf("the sandbox was not ready in %v", setupTime)}
			}
			return &launchError{err: errors.New("the process that was to become the program ended"), said: string(line)}
		}
		if one[0] == '\n' {
			break
		}
	}
	switch got := string(line); {
	case got == want:
		return nil
	case strings.HasPrefix(got, errGroup.Error()):
		return errGroup
	default:
		return &launchError{err: errors.New("the program could not be confined"), said: got}
	}
}

// describe names the layer, the caps of the default limits and how each is held,
// and what is open.
func (a *alone) describe() string {
	limits, _ := Limits{}.withDefaults(false)
	who := fmt.Sprintf("programs run as uid %d, who is the caller", a.uid)
	if a.asOther {
		who = fmt.Sprintf("the caller is root, so programs run as uid %d", a.uid)
	}
	memory := fmt.Sprintf("memory %s for each process (RLIMIT_AS) and for all together (cgroup v%d)", size(limits.Memory), a.groups.version)
	if a.groups.memory == "" {
		memory = fmt.Sprintf("memory %s for each process (RLIMIT_AS) and for all together (added up every %v and then killed, since no memory cgroup can be written)", size(limits.Memory), watchEvery)
	}
	processes := fmt.Sprintf("%d processes (cgroup v%d)", limits.Processes, a.groups.version)
	if a.groups.pids == "" {
		processes = fmt.Sprintf("%d processes more than the user has at the start on the whole host (RLIMIT_NPROC counts by user, and no pids cgroup can be written)", limits.Processes)
	}
	files := fmt.Sprintf("Files: Python and its libraries to read, the workspace (a copy, of which only regular files come back) and a folder for temporary files to change, none to run but Python; %s in a file, %s in the workspace, %s in temporary files (added up every %v and then killed).", size(limits.FileSize), size(limits.Workspace), size(limits.Temp), watchEvery)
	if a.worker != nil {
		memory = strings.Replace(memory, "for each process (RLIMIT_AS) and ", "", 1)
		processes = "one process"
		files = "Files: none."
	}
	return strings.Join([]string{
		"Layer: landlock, the floor: no namespaces.",
		(&ruleset{Version: a.version}).describe() + ".",
		"System calls: an allow list for " + runtime.GOARCH + "; other architectures are killed; no file can be made setuid, and no mode, owner or time of a file changed; no limit, priority or processor of another process.",
		"User: " + who + "; no capabilities, no new privileges.",
		"Network: none (no sockets can be made).",
		files,
		fmt.Sprintf("Caps by default: %s; %s; %v of time.", memory, processes, limits.Wall),
		"Not in force: a program can learn which files and processes the host has by asking for their names and numbers, though not what is in them; /ws, /job and /tmp do not exist (the working folder, the folder of the program's own file and TMPDIR are in their place); /proc and /dev/shm are shut, so multiprocessing has no locks; a file that is removed while open counts only against the room left on the disk; should somebody kill the supervisor of a program, what the program has started can outlive it.",
	}, "\n")
}

func (s *standing) exited() <-chan struct{} { return s.tree.Done() }

func (s *standing) status() (int, error) {
	exit, err := s.tree.Wait()
	if err != nil {
		return 0, fmt.Errorf("run a program in the sandbox: %w", err)
	}
	return exit.Code, nil
}

// interrupt sends to the program while its supervisor is known to wait for it,
// so that its number is its own.
func (s *standing) interrupt() error {
	fd, err := unix.PidfdOpen(s.tree.Pid(), 0)
	if err != nil {
		return os.ErrProcessDone
	}
	defer unix.Close(fd)
	if parent, err := parentOf(s.tree.Pid()); err != nil || parent != s.supervisor {
		return os.ErrProcessDone
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGINT, nil, 0); err != nil {
		return os.ErrProcessDone
	}
	return nil
}

func (s *standing) kill() { s.tree.end(0) }

func (s *standing) end() bool {
	s.relieve()
	return s.tree.Kill(0) == nil
}

// finish knows a worker's own exit, which its limit of memory is one of.
func (s *standing) finish(ctx context.Context, res *Result) error {
	exit, _ := s.tree.Wait()
	res.OutOfMemory = res.OutOfMemory || s.stage == nil && exit == Exit{Code: exitOutOfMemory}
	return s.footing.finish(ctx, res)
}

func (s *standing) memory() int64 {
	var total int64
	for _, child := range childrenOf(s.supervisor) {
		total += memoryOf(child)
	}
	return total
}

func (s *standing) release() {
	if s.pidfd >= 0 {
		_ = unix.Close(s.pidfd)
	}
}

func (s *standing) close() {
	s.release()
	s.footing.close()
}
