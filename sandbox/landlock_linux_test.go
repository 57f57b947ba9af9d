package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/helios-go/helios/internal/testdata"
)

// needLandlock skips on a kernel whose Landlock is older than the layer needs.
func needLandlock(tb testing.TB) {
	tb.Helper()
	version := landlockVersion()
	if version < landlockScopes {
		testdata.Need(tb, "Landlock", fmt.Errorf("this kernel has version %d of it, and the test needs %d", version, landlockScopes))
	}
}

func init() {
	// Restricts itself to a folder, and then says what it can do.
	helpers["landlocked"] = func() int {
		dir, whole := os.Getenv("HELIOS_SANDBOX_DIR"), os.Getenv("HELIOS_SANDBOX_WHOLE") != ""
		r := &ruleset{
			Version: landlockVersion(), NoFiles: os.Getenv("HELIOS_SANDBOX_NO_FILES") != "",
			Read: []string{filepath.Join(dir, "read")}, Change: []string{filepath.Join(dir, "change")},
			Use: []string{"/dev/null"}, Execute: []string{filepath.Join(dir, "run")},
		}
		runtime.LockOSThread()
		restrict := r.restrictThread
		if whole {
			restrict = r.restrictProcess
		}
		if err := restrict(); err != nil {
			fmt.Println(err)
			return 1
		}
		say := func(name string, err error) { fmt.Printf("%s=%v\n", name, errors.Is(err, unix.EACCES)) }
		read := func(path string) error { _, err := os.ReadFile(path); return err }
		write := func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) }
		say("read outside", read(filepath.Join(dir, "out")))
		say("read", read(filepath.Join(dir, "read")))
		say("write what may be read", write(filepath.Join(dir, "read")))
		say("make", write(filepath.Join(dir, "change", "new")))
		say("make outside", write(filepath.Join(dir, "new")))
		say("device", write("/dev/null"))
		_, err := os.ReadDir(dir)
		say("list outside", err)
		say("run in the folder", exec.Command(filepath.Join(dir, "change", "true")).Run())
		say("run what may be run", unix.Access(filepath.Join(dir, "run"), unix.X_OK))
		err = unix.Kill(os.Getppid(), 0)
		fmt.Printf("signal out=%v\n", errors.Is(err, unix.EPERM))
		// What another thread may do tells whether the whole process is bound.
		other := make(chan error)
		go func() {
			runtime.LockOSThread()
			other <- read(filepath.Join(dir, "out"))
		}()
		say("another thread", <-other)
		return 0
	}
}

func landlocked(t *testing.T, env ...string) map[string]string {
	t.Helper()
	dir := folder(t, map[string]string{"out": "o", "read": "r", "change/": ""})
	program := readFile(t, "/bin/true")
	for _, path := range []string{filepath.Join(dir, "run"), filepath.Join(dir, "change", "true")} {
		if err := os.WriteFile(path, []byte(program), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), append(env, "HELIOS_SANDBOX_HELPER=landlocked", "HELIOS_SANDBOX_DIR="+dir)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, denied, _ := strings.Cut(strings.TrimSpace(line), "=")
		got[name] = denied
	}
	return got
}

func TestLandlockLeavesWhatTheRulesName(t *testing.T) {
	t.Parallel()
	needLandlock(t)
	denied := map[string]string{
		"read outside": "true", "read": "false", "write what may be read": "true", "make": "false",
		"make outside": "true", "device": "false", "list outside": "true", "run in the folder": "true",
		"run what may be run": "false", "signal out": "true",
	}
	for _, c := range []struct {
		name   string
		env    []string
		change map[string]string
	}{
		{"one thread", nil, map[string]string{"another thread": "false"}},
		{"whole process", []string{"HELIOS_SANDBOX_WHOLE=1"}, map[string]string{"another thread": "true"}},
		{"without files", []string{"HELIOS_SANDBOX_NO_FILES=1"}, map[string]string{
			"another thread": "false", "read outside": "false", "write what may be read": "false",
			"make outside": "false", "list outside": "false", "run in the folder": "false",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := landlocked(t, c.env...)
			for name, want := range denied {
				if change, ok := c.change[name]; ok {
					want = change
				}
				if got[name] != want {
					t.Errorf("%s: got denied %q, want %q", name, got[name], want)
				}
			}
			if want := c.change["another thread"]; got["another thread"] != want {
				t.Errorf("another thread: got denied %q, want %q", got["another thread"], want)
			}
		})
	}
}

func TestLandlockIsNeverBestEffort(t *testing.T) {
	t.Parallel()
	for _, version := range []int{-1, 0, len(landlockVersions)} {
		if err := (&ruleset{Version: version}).restrictThread(); err == nil {
			t.Errorf("version %d was accepted", version)
		}
	}
	last := len(landlockVersions) - 1
	if now := landlockVersion(); now < landlockSockets { // the next with more rights
		// Nothing is restricted when it fails, so this process may try.
		if err := (&ruleset{Version: last}).restrictThread(); err == nil {
			t.Errorf("the kernel has version %d and accepted %d", now, last)
		}
	}
	err := (&ruleset{Version: max(1, landlockVersion()), Read: []string{"/nowhere"}}).restrictThread()
	if err == nil || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("a rule for what does not exist: got error %v", err)
	}
}

func TestLandlockSaysWhatIsInForce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rules *ruleset
		want  string
	}{
		{nil, "Landlock: not in force, since this kernel has none"},
		{&ruleset{}, "Landlock: not in force, since this kernel has none"},
		{&ruleset{Version: 2}, "Landlock (version 2): files; not known to this kernel: TCP, signals and abstract sockets that lead out, sockets with a file name"},
		{&ruleset{Version: 9}, "Landlock (version 9): files, TCP, signals and abstract sockets that lead out, sockets with a file name"},
		{&ruleset{Version: 7, NoFiles: true}, "Landlock (version 7): TCP, signals and abstract sockets that lead out; not for files, since whoever gives those up can no longer mount"},
		{&ruleset{Version: 1, NoFiles: true}, "Landlock (version 1): nothing; not known to this kernel: TCP, signals and abstract sockets that lead out; not for files, since whoever gives those up can no longer mount"},
	} {
		if got := c.rules.describe(); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}
