package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func unavailable(t *testing.T, err error) *Unavailable {
	t.Helper()
	var u *Unavailable
	if !errors.As(err, &u) {
		t.Fatalf("got error %v, want an *Unavailable", err)
	}
	for _, s := range []string{u.Reason, u.Remedy} {
		if s == "" || strings.Contains(s, "\n") || strings.HasSuffix(s, ".") {
			t.Errorf("%q is not one sentence without its stop", s)
		}
	}
	return u
}

func TestMissingBubblewrapIsSaidWithItsRemedy(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), &Options{Layers: []string{"bubblewrap"}, Bubblewrap: "/nowhere/bwrap"})
	u := unavailable(t, err)
	if !strings.Contains(u.Reason, "/nowhere/bwrap") || !strings.Contains(u.Remedy, "apt-get install -y --no-install-recommends bubblewrap") {
		t.Errorf("got %+v", u)
	}
}

func TestMissingPythonIsSaid(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/nowhere/python3", "python3", "/bin/true", "/etc/passwd"} {
		_, err := newBubblewrap(&Options{Bubblewrap: "/bin/true", Python: path})
		if u := unavailable(t, err); !strings.Contains(u.Reason, path) {
			t.Errorf("%s: got %+v", path, u)
		}
	}
}

func TestFoldersThatWouldUndoTheConfinementAreRefused(t *testing.T) {
	t.Parallel()
	box(t)
	for _, dir := range []string{"/", "/proc", "/tmp/x", "usr", "/usr/../etc", "/nowhere", "/etc/passwd", "/ws"} {
		_, err := newBubblewrap(&Options{Bubblewrap: "/bin/true", ReadOnlyDirs: []string{dir}})
		if u := unavailable(t, err); !strings.Contains(u.Reason, dir) {
			t.Errorf("%s: got %+v", dir, u)
		}
	}
}

func TestFolderOfTheHostCanBeShown(t *testing.T) {
	t.Parallel()
	box(t)
	s, err := Open(t.Context(), &Options{ReadOnlyDirs: []string{"/usr/share/doc"}})
	if err != nil {
		t.Fatal(err)
	}
	res := ok(t, mustRun(t, s, program(`
send(len(os.listdir("/usr/share/doc")) > 0)
try:
    open("/usr/share/doc/x", "w")
    sys.exit(1)
except OSError:
    pass
`)))
	if string(res.Frames[0]) != "true" {
		t.Error("the folder is empty inside")
	}
}

// A launcher that leaves out a part of the confinement must be found out, and
// so must one that leaves out all of it.
func TestWeakenedLauncherIsFoundOut(t *testing.T) {
	t.Parallel()
	box(t)
	dir := stageBase(t)
	for name, c := range map[string]struct {
		edit string // Python over the list a of bwrap's arguments
		want string
	}{
		"network shared":     {`a.remove("--unshare-net")`, "net namespace"},
		"ipc shared":         {`a.remove("--unshare-ipc")`, "ipc namespace"},
		"host name shared":   {`i = a.index("--hostname"); del a[i:i+2]; a.remove("--unshare-uts")`, "uts namespace"},
		"cgroup shared":      {`a.remove("--unshare-cgroup")`, "cgroup namespace"},
		"no filter":          {`i = a.index("--seccomp"); del a[i:i+2]`, "the confinement has a hole"},
		"root writable":      {`i = max(n for n, x in enumerate(a) if x == "--remount-ro"); del a[i:i+2]`, `root is "open"`},
		"dev writable":       {`i = a.index("/dev", a.index("--remount-ro")); del a[i-1:i+1]`, `dev is "open"`},
		"host's files":       {`i = a.index("--proc"); a[i:i] = ["--ro-bind", "/etc/passwd", "/etc/passwd"]`, `passwd is "open"`},
		"staging in sight":   {`i = a.index("--remount-ro"); a[i:i] = ["--ro-bind", "` + dir + `", "` + dir + `"]`, `host_file is "open"`},
		"environment kept":   {`os.environ["A_KEY"] = "secret"; os.execve = lambda path, args, env: os.execv(path, args)`, "environ is"},
		"descriptor kept":    {`os.set_inheritable(os.open("/etc/hostname", os.O_RDONLY), True)`, "descriptors is"},
		"job writable":       {`i = a.index("/job"); a[i-2] = "--bind"`, `job is "open"`},
		"sys in sight":       {`i = a.index("--proc"); a[i:i] = ["--ro-bind", "/sys", "/sys"]`, `sys is "open"`},
		"caps kept":          {`i = a.index("--cap-drop"); a[i:i+2] = ["--cap-add", "CAP_NET_ADMIN"]`, "Cap"},
		"other user":         {`a[a.index("--uid")+1] = "1234"`, "Uid is"},
		"no program, a lie":  {`os.write(6, b'{"child-pid": 1, "net-namespace": 1, "pid-namespace": 1, "mnt-namespace": 1, "ipc-namespace": 1}\n'); sys.exit(0)`, "first process"},
		"no confinement":     {`os.execv(program[0], program)`, "can't open file '/job/canary.py'"},
		"garbage for status": {`os.write(6, b"\x00nonsense"); sys.exit(0)`, "launcher"},
		"crash":              {`os.kill(os.getpid(), 11)`, "launcher"},
		"old version":        {`sys.exit("bwrap: Unknown option --disable-userns")`, "older than 0.8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := stageBase(t)
			edit := strings.ReplaceAll(c.edit, dir, base)
			fake := filepath.Join(base, "bwrap")
			script := `#!/usr/bin/python3 -IS
import os, sys
data = b""
while chunk := os.read(4, 1 << 16):
    data += chunk
a = data.decode().split("\0")[:-1]
program = sys.argv[sys.argv.index("--") + 1:]
` + edit + `
fd = os.memfd_create("args", 0)
os.write(fd, "".join(x + "\0" for x in a).encode())
os.lseek(fd, 0, 0)
os.dup2(fd, 4)
os.close(fd)
os.execve("/usr/bin/bwrap", ["bwrap", "--args", "4", "--"] + program, {})
`
			if err := os.WriteFile(fake, []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			_, err := Open(t.Context(), &Options{Layers: []string{"bubblewrap"}, Bubblewrap: fake, TempDir: base})
			if err == nil {
				t.Fatal("it was accepted")
			}
			if u := unavailable(t, err); !strings.Contains(u.Reason, c.want) {
				t.Errorf("got reason %q, want one with %q", u.Reason, c.want)
			}
		})
	}
	t.Run("unchanged", func(t *testing.T) {
		t.Parallel()
		if _, err := Open(t.Context(), &Options{Layers: []string{"bubblewrap"}, Bubblewrap: "/usr/bin/bwrap"}); err != nil {
			t.Errorf("the launcher as it is was refused: %v", err)
		}
	})
}

func init() {
	helpers["no-init"] = func() int {
		_, err := Open(context.Background(), nil)
		fmt.Println(err)
		return 0
	}
}

func TestInitIsDemanded(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "HELIOS_SANDBOX_HELPER=no-init")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "did not call sandbox.Init first; call sandbox.Init() as the first statement of main") {
		t.Errorf("got %s, %v", out, err)
	}
}

func TestUidMustBeInTheNamespace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ids  string
		uid  int
		want bool
	}{
		{"         0          0 4294967295\n", 65534, true},
		{"         0       1000          1\n", 65534, false},
		{"0 1000 1\n1 100000 65536\n", 65534, true},
		{"0 1000 1\n1 100000 65533\n", 65534, false},
		{"", 1, false},
	} {
		if got := mapped(c.uid, c.ids); got != c.want {
			t.Errorf("uid %d in %q: got %v, want %v", c.uid, c.ids, got, c.want)
		}
	}
}

func TestOpenObeysItsContext(t *testing.T) {
	t.Parallel()
	box(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}

func TestReasonsAndRemedies(t *testing.T) {
	t.Parallel()
	failed := func(said string) error { return &launchError{said: said, err: errors.New("the launcher gave up")} }
	for name, c := range map[string]struct {
		err            error
		facts          facts
		reason, remedy string
	}{
		"Ubuntu 24.04": {
			failed("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted"), facts{appArmor: "1", maxSpaces: "96000"},
			"no profile for bubblewrap is loaded", "apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict",
		},
		"Ubuntu with a profile": {
			failed("bwrap: setting up uid map: Permission denied"), facts{appArmor: "1", profiled: true},
			"setting up uid map: Permission denied", "systemctl reload apparmor",
		},
		"container": {
			failed("bwrap: No permissions to create new namespace"), facts{container: true, appArmor: "1"},
			"this container may not", "--security-opt seccomp=unconfined",
		},
		"no user namespaces":   {failed("bwrap: Creating new namespace failed"), facts{maxSpaces: "0"}, "max_user_namespaces is 0", "sysctl -w user.max_user_namespaces=15000"},
		"Debian's own setting": {failed("bwrap: No permissions"), facts{unprivClone: "0"}, "unprivileged_userns_clone is 0", "sysctl -w kernel.unprivileged_userns_clone=1"},
		"old":                  {failed("bwrap: Unknown option --disable-userns"), facts{}, "older than 0.8", "0.8 or newer"},
		"unknown":              {failed("warning\nbwrap: it is Monday."), facts{}, "here: bwrap: it is Monday", "bwrap --unshare-all"},
		"silent":               {failed(""), facts{}, "the launcher gave up", "bwrap --unshare-all"},
		"hole":                 {fmt.Errorf("%w: passwd is open", errOpen), facts{}, "the confinement has a hole: passwd is open", "report this"},
		"disk":                 {errors.New("mkdir: no space left on device"), facts{}, "no space left", "TMPDIR"},
		"passed on":            {&Unavailable{Reason: "a", Remedy: "b"}, facts{}, "a", "b"},
	} {
		u := unavailable(t, diagnose(c.err, c.facts))
		if !strings.Contains(u.Reason, c.reason) || !strings.Contains(u.Remedy, c.remedy) {
			t.Errorf("%s: got %+v, want %q and %q", name, u, c.reason, c.remedy)
		}
	}
	if got := oneSentence(strings.Repeat("ä\n", 1000)); len(got) > 320 || strings.Contains(got, "\n") {
		t.Errorf("a long message became %d bytes", len(got))
	}
}

func TestDescribeSaysWhatIsInForce(t *testing.T) {
	t.Parallel()
	got := box(t).Describe()
	want := []string{"bubblewrap", "Network: none", "memory 1 GiB", "64 processes", "200 MB in a file", "Not in force:", "allow list"}
	if os.Getuid() == 0 {
		want = append(want, "the caller is root, so programs run as uid 65534")
	} else {
		want = append(want, fmt.Sprintf("uid %d, who is the caller", os.Getuid()))
	}
	for _, part := range want {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in\n%s", part, got)
		}
	}
}

func TestInterpreterIsFoundByLooking(t *testing.T) {
	t.Parallel()
	box(t)
	in, err := findInterpreter("")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^/usr/bin/python3\.\d+$`).MatchString(in.real) {
		t.Errorf("got interpreter %s", in.real)
	}
	text := strings.Join(in.dirs, " ")
	if !regexp.MustCompile(`^/usr/lib/python3\.\d+ (/usr/lib/python3 )?/usr/lib/[a-z0-9_]+-linux-gnu$`).MatchString(text) {
		t.Errorf("got folders %s", text)
	}
	if !regexp.MustCompile(`^(/usr)?/lib(64)?/ld-linux-[a-z0-9-]+\.so\.\d$`).MatchString(in.loader) {
		t.Errorf("got loader %s", in.loader)
	}
}
