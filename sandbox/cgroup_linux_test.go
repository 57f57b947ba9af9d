package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestControllersAreFoundInEitherHierarchy(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, dir := range []string{"v2/user.slice/app.slice/run.scope", "v1/memory/ours", "v1/pids", "v1/both/ours"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for dir, content := range map[string]string{"v2/user.slice/app.slice/run.scope": "", "v2/user.slice/app.slice": "cpu memory pids", "v2/user.slice": "memory", "v2": "cpu memory pids"} {
		if err := os.WriteFile(filepath.Join(root, dir, "cgroup.subtree_control"), []byte(content+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at := func(dir string) string { return filepath.Join(root, dir) }
	mountLine := func(inside, dir, fstype, options string) string {
		return fmt.Sprintf("30 24 0:26 %s %s rw,nosuid shared:4 - %s %s rw,%s\n", inside, at(dir), fstype, fstype, options)
	}
	for name, c := range map[string]struct {
		own, mounts string
		want        controllers
	}{
		"v2, in an ancestor that shares out": {
			"0::/user.slice/app.slice/run.scope\n", mountLine("/", "v2", "cgroup2", "nsdelegate"),
			controllers{memory: at("v2/user.slice/app.slice"), pids: at("v2/user.slice/app.slice"), version: 2},
		},
		"v2 that does not share": {
			"0::/run.scope\n", mountLine("/", "v2/user.slice/app.slice", "cgroup2", ""),
			controllers{memory: at("v2/user.slice/app.slice"), pids: at("v2/user.slice/app.slice"), version: 2},
		},
		"v1": {
			"4:memory:/ours\n8:pids:/\n", mountLine("/", "v1/memory", "cgroup", "memory") + mountLine("/", "v1/pids", "cgroup", "pids"),
			controllers{memory: at("v1/memory/ours"), pids: at("v1/pids"), version: 1},
		},
		"v1, mounted together": {
			"4:memory,pids:/ours\n", mountLine("/", "v1/both", "cgroup", "memory,pids"),
			controllers{memory: at("v1/both/ours"), pids: at("v1/both/ours"), version: 1},
		},
		"v1 in a container, whose mount shows a part": {
			"4:memory:/docker/1234/ours\n", mountLine("/docker/1234", "v1/memory", "cgroup", "memory"),
			controllers{memory: at("v1/memory/ours"), version: 1},
		},
		"of another part": {
			"4:memory:/elsewhere\n", mountLine("/docker/1234", "v1/memory", "cgroup", "memory"), controllers{},
		},
		"folder that is gone": {
			"4:memory:/gone\n", mountLine("/", "v1/memory", "cgroup", "memory"), controllers{},
		},
		"no cgroups": {"", "", controllers{}},
		"nonsense":   {"x\n::\n1:memory\n", "30 24 - \n - cgroup\n", controllers{}},
	} {
		if got := chooseControllers(c.own, c.mounts); got != c.want {
			t.Errorf("%s: got %+v\nwant %+v", name, got, c.want)
		}
	}
}

func TestGroupWithoutControllersCapsNothing(t *testing.T) {
	t.Parallel()
	g, err := controllers{}.newGroup(Limits{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	files, err := g.files()
	if err != nil || len(files) != 0 || g.ranOut() || len(g.dirs()) != 0 {
		t.Errorf("got files %v, %v, ran out %v, folders %v", files, err, g.ranOut(), g.dirs())
	}
	g.remove()
}

// The host's memory controller may belong to v1; being born in a group of v2
// needs no controller.
func TestChildIsBornInItsGroup(t *testing.T) {
	t.Parallel()
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	g := &group{version: 2}
	for _, parent := range unifiedFolders(string(own), string(mounts)) {
		dir := filepath.Join(parent, groupName())
		if os.Mkdir(dir, 0o755) == nil {
			g.memory = dir
			break
		}
	}
	if g.memory == "" {
		t.Skip("this user may make no group of cgroup v2 here")
	}
	defer g.remove()
	var out bytes.Buffer
	cmd := exec.Command("/bin/cat", "/proc/self/cgroup")
	cmd.SysProcAttr, cmd.Stdout = &syscall.SysProcAttr{}, &out
	starts.hold()
	defer starts.release()
	if err := errors.Join(g.begin(cmd), cmd.Wait()); err != nil || !strings.Contains(out.String(), filepath.Base(g.memory)+"\n") {
		t.Errorf("got %v, the child is in\n%s", err, out.String())
	}
}

func TestGroupsAreGoneAfterARun(t *testing.T) { //nolint:paralleltest // it looks at groups that other runs make too
	s := box(t)
	groups := s.layer.(*bubblewrap).groups
	if groups.version == 0 {
		t.Skip("this user may make no cgroup here")
	}
	ok(t, mustRun(t, s, program("")))
	for _, dir := range []string{groups.memory, groups.pids} {
		left, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf("%s%d-*", groupPrefix, os.Getpid())))
		if err != nil || dir != "" && len(left) != 0 {
			t.Errorf("groups are left: %q, %v", left, err)
		}
	}
}

// A host may let groups be made and not be entered.
func TestUnusableGroupIsAnErrorOfItsOwn(t *testing.T) {
	t.Parallel()
	c := controllers{memory: t.TempDir(), version: 2}
	if err := os.Chmod(c.memory, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		c.memory = filepath.Join(c.memory, "gone")
	}
	if _, err := c.newGroup(Limits{Memory: 1}, 2); err == nil {
		t.Error("a group was made where none can be")
	}
}
