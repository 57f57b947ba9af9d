package sandbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// controllers are the folders of the cgroup file system below which this
// process may make groups of its own. Both are "" where it may not; they are
// the same folder under cgroup v2.
type controllers struct {
	memory, pids string
	version      int // 1 or 2; 0 where there are none
}

// groupPrefix begins the name of every group; the process id follows, so that
// what a killed process left behind can be told from what is in use.
const groupPrefix = "helios-sandbox-"

// staleGroup is how old a group must be before another process may think that
// it was left behind: longer than any run.
const staleGroup = 2 * MaxWall

var groupCount atomic.Int64

// findControllers looks for groups that can be made, and makes one to be sure.
func findControllers() controllers {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return controllers{}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return controllers{}
	}
	return chooseControllers(string(own), string(mounts))
}

func chooseControllers(own, mounts string) controllers {
	for _, dir := range unifiedFolders(own, mounts) {
		enabled, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
		if err != nil {
			continue
		}
		have := strings.Fields(string(enabled))
		if slices.Contains(have, "memory") && slices.Contains(have, "pids") && canMakeGroup(dir) {
			return controllers{memory: dir, pids: dir, version: 2}
		}
	}
	var c controllers
	if dir := legacyFolder(own, mounts, "memory"); dir != "" && canMakeGroup(dir) {
		c.memory, c.version = dir, 1
	}
	if dir := legacyFolder(own, mounts, "pids"); dir != "" && canMakeGroup(dir) {
		c.pids, c.version = dir, 1
	}
	return c
}

// unifiedFolders are the cgroup v2 folder of this process and those above it:
// a folder that holds processes cannot share controllers out, so the one to
// make a group in is usually an ancestor that was delegated to us.
func unifiedFolders(own, mounts string) []string {
	path, ok := ownGroup(own, "")
	if !ok {
		return nil
	}
	root, at, ok := groupMount(mounts, "cgroup2", "")
	if !ok {
		return nil
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	var dirs []string
	for dir := filepath.Join(at, rel); ; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == at || dir == "/" {
			return dirs
		}
	}
}

// legacyFolder is the cgroup v1 folder of this process for one controller.
func legacyFolder(own, mounts, controller string) string {
	path, ok := ownGroup(own, controller)
	if !ok {
		return ""
	}
	root, at, ok := groupMount(mounts, "cgroup", controller)
	if !ok {
		return ""
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.Join(at, rel)
}

// ownGroup finds the line of /proc/self/cgroup for a controller; "" is v2.
func ownGroup(own, controller string) (string, bool) {
	for line := range strings.Lines(own) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		if controller == "" && parts[0] == "0" && parts[1] == "" || controller != "" && slices.Contains(strings.Split(parts[1], ","), controller) {
			return parts[2], true
		}
	}
	return "", false
}

// groupMount finds where a hierarchy is mounted, and which folder of it is.
func groupMount(mounts, fstype, controller string) (root, at string, ok bool) {
	for line := range strings.Lines(mounts) {
		before, after, found := strings.Cut(line, " - ")
		fields, rest := strings.Fields(before), strings.Fields(after)
		if !found || len(fields) < 5 || len(rest) < 3 || rest[0] != fstype {
			continue
		}
		if controller == "" || slices.Contains(strings.Split(rest[2], ","), controller) {
			return fields[3], fields[4], true
		}
	}
	return "", "", false
}

// canMakeGroup makes a group in dir and removes it. It also removes groups that
// a process of ours left behind when it was killed. Who shares the folder may
// live in another process namespace, where the pid in a name says nothing: so a
// group must have been empty for a while, and names are random besides.
func canMakeGroup(dir string) bool {
	stale, _ := filepath.Glob(filepath.Join(dir, groupPrefix+"*"))
	for _, path := range stale {
		owner, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), groupPrefix), "-")
		pid, err := strconv.Atoi(owner)
		if err != nil || !errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			continue
		}
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > staleGroup {
			_ = unix.Rmdir(path) // refused while a process is in it
		}
	}
	path := filepath.Join(dir, groupName())
	if os.Mkdir(path, 0o755) != nil {
		return false
	}
	return unix.Rmdir(path) == nil
}

// errGroup marks that a cgroup could not be used.
var errGroup = errors.New("cap the sandbox by a cgroup")

func groupError(err error) error { return fmt.Errorf("%w: %w", errGroup, err) }

func groupName() string {
	return fmt.Sprintf("%s%d-%d-%08x", groupPrefix, os.Getpid(), groupCount.Add(1), rand.Uint32())
}

// A group holds one run under the caps of its controllers. Its zero value caps
// nothing.
type group struct {
	memory, pids string
	version      int
}

// newGroup makes a group. own is how many processes of the layer itself are in
// it beside the program's.
func (c controllers) newGroup(limits Limits, own int) (*group, error) {
	g := &group{version: c.version}
	name := groupName()
	write := func(dir, file, value string) error {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(value), 0); err != nil {
			g.remove()
			return groupError(err)
		}
		return nil
	}
	folder := func(parent string) (string, error) {
		dir := filepath.Join(parent, name)
		if err := os.Mkdir(dir, 0o755); err != nil && !(c.memory == c.pids && errors.Is(err, os.ErrExist)) {
			g.remove()
			return "", groupError(err)
		}
		return dir, nil
	}
	var err error
	if c.memory != "" {
		if g.memory, err = folder(c.memory); err != nil {
			return nil, err
		}
		limit, swap := "memory.max", "memory.swap.max"
		swapValue := "0"
		if c.version == 1 {
			limit, swap = "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"
			swapValue = strconv.FormatInt(limits.Memory, 10)
		}
		if err := write(g.memory, limit, strconv.FormatInt(limits.Memory, 10)); err != nil {
			return nil, err
		}
		// A kernel without swap accounting lacks the file: nothing to cap then.
		if _, err := os.Stat(filepath.Join(g.memory, swap)); err == nil {
			if err := write(g.memory, swap, swapValue); err != nil {
				return nil, err
			}
		}
	}
	if c.pids != "" {
		if g.pids, err = folder(c.pids); err != nil {
			return nil, err
		}
		if err := write(g.pids, "pids.max", strconv.Itoa(limits.Processes+own)); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// files opens what a process enters the group by: its folder under v2, the files
// of its tasks under v1.
func (g *group) files() ([]*os.File, error) {
	var files []*os.File
	for _, dir := range g.dirs() {
		name, flags := filepath.Join(dir, "tasks"), os.O_WRONLY
		if g.version == 2 {
			name, flags = dir, os.O_RDONLY
		}
		f, err := os.OpenFile(name, flags, 0)
		if err != nil {
			closeFiles(files...)
			return nil, groupError(err)
		}
		files = append(files, f)
	}
	return files, nil
}

// begin starts a command so that it is in the group before it does anything.
// Moving a running process would take the kernel some milliseconds, waiting for
// all others to be between two system calls; a thread that moves itself waits
// for nobody. So under v2 the child is born in the group, and under v1 the
// starting thread visits the group while its child is born. The caller holds
// the starter.
func (g *group) begin(cmd *exec.Cmd) error {
	files, err := g.files()
	if err != nil {
		return err
	}
	defer closeFiles(files...)
	start := func() error {
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("start the sandbox: %w", err)
		}
		return nil
	}
	if len(files) == 0 {
		return starts.do(start)
	}
	if g.version == 2 {
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(files[0].Fd())
		if err := starts.do(start); err != nil {
			return groupError(err)
		}
		return nil
	}
	home, err := g.home()
	if err != nil {
		return err
	}
	defer closeFiles(home...)
	return starts.do(func() error {
		defer func() { _ = move(home) }() // a thread that cannot go back is not reused by much
		if err := move(files); err != nil {
			return err
		}
		return start()
	})
}

// home opens the tasks of the v1 groups in which this one was made, which are
// those of this process.
func (g *group) home() ([]*os.File, error) {
	var files []*os.File
	for _, dir := range g.dirs() {
		f, err := os.OpenFile(filepath.Join(filepath.Dir(dir), "tasks"), os.O_WRONLY, 0)
		if err != nil {
			closeFiles(files...)
			return nil, fmt.Errorf("%w: %w", errIndirect, err)
		}
		files = append(files, f)
	}
	return files, nil
}

// move moves the calling thread into the v1 groups behind open tasks files.
func move(tasks []*os.File) error {
	for _, f := range tasks {
		if err := join(int(f.Fd()), 1); err != nil {
			return err
		}
	}
	return nil
}

// join moves the calling thread into the v1 groups behind open tasks files.
func join(first, count int) error {
	for fd := first; fd < first+count; fd++ {
		if _, err := unix.Write(fd, []byte("0")); err != nil {
			return groupError(err)
		}
	}
	return nil
}

// holds is true when a process is in the group.
func (g *group) holds(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	for _, dir := range g.dirs() {
		if err != nil || !bytes.Contains(data, []byte("/"+filepath.Base(dir)+"\n")) {
			return false
		}
	}
	return true
}

// ranOut is true when the kernel killed a process of the group for memory.
func (g *group) ranOut() bool {
	if g.memory == "" {
		return false
	}
	name := "memory.events"
	if g.version == 1 {
		name = "memory.oom_control"
	}
	data, err := os.ReadFile(filepath.Join(g.memory, name))
	if err != nil {
		return false
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		if count, ok := strings.CutPrefix(lines.Text(), "oom_kill "); ok {
			return count != "0"
		}
	}
	return false
}

// remove removes the group. The kernel may still count a process that has just
// ended, so it tries again for a while.
func (g *group) remove() {
	for _, dir := range g.dirs() {
		for wait := time.Millisecond; wait < time.Second; wait *= 2 {
			if err := unix.Rmdir(dir); !errors.Is(err, unix.EBUSY) {
				break
			}
			time.Sleep(wait)
		}
	}
}

func (g *group) dirs() []string {
	var dirs []string
	for _, dir := range []string{g.memory, g.pids} {
		if dir != "" && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
