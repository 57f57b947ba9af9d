package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/helios-go/helios/internal/testdata"
)

func init() {
	// Says for each layer whether it is live here, and why it is not.
	helpers["layers"] = func() int {
		for _, c := range candidates(nil) {
			_, err := Open(context.Background(), &Options{Layers: []string{c.name}})
			fmt.Printf("%s: %v\n", c.name, err)
		}
		for _, c := range candidates(&testWorkers[1]) {
			_, err := OpenWorker(context.Background(), testWorkers[1], &Options{Layers: []string{c.name}})
			fmt.Printf("worker in %s: %v\n", c.name, err)
		}
		s, err := Open(context.Background(), nil)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println(s.Describe())
		return 0
	}
	// Is root of a user namespace, forbids others below it, and goes on as nobody.
	helpers["forbid"] = func() int {
		err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
		if err == nil {
			err = dropTo(innerID, innerID)
		}
		if err == nil {
			err = os.Setenv("HELIOS_SANDBOX_HELPER", "layers")
		}
		if err == nil {
			err = syscall.Exec("/proc/self/exe", os.Args, os.Environ())
		}
		fmt.Println(err)
		return 1
	}
}

// As in a container: no user namespaces may be made.
func TestWithoutUserNamespacesLandlockHolds(t *testing.T) {
	t.Parallel()
	needLandlock(t)
	if os.Getuid() != 0 {
		t.Skip("only root can map the users that this needs")
	}
	ids := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: innerID + 1}}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "HELIOS_SANDBOX_HELPER=forbid")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: ids, GidMappings: ids, GidMappingsEnableSetgroups: true}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"bubblewrap: open the sandbox: this host allows no user namespaces", "\nlandlock: <nil>\n", "\nworker in landlock: <nil>\n",
		"\nLayer: landlock", "\nNot available: bubblewrap (this host allows no user namespaces",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	t.Log(string(out))
}

// alones are the layer as the host allows it and without cgroups.
func alones(t *testing.T) map[string]*Sandbox {
	t.Helper()
	needLandlock(t)
	s, err := Open(t.Context(), &Options{Layers: []string{"landlock"}})
	testdata.Need(t, "the layer landlock", err)
	a := s.layer.(*alone)
	ground := *a.ground
	ground.groups = controllers{}
	bare := *a
	bare.ground = &ground
	return map[string]*Sandbox{"as the host allows": s, "without cgroups": {layer: &bare}}
}

func eachAlone(t *testing.T, test func(t *testing.T, s *Sandbox)) {
	t.Helper()
	for name, s := range alones(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

// A layer with a part left out must be found out.
func TestWeakenedLandlockIsFoundOut(t *testing.T) {
	t.Parallel()
	a := alones(t)["as the host allows"].layer.(*alone)
	base, err := filterProgram()
	if err != nil {
		t.Fatal(err)
	}
	everything := []byte{0x06, 0, 0, 0, 0, 0, 0xff, 0x7f} // return SECCOMP_RET_ALLOW, in little-endian order
	for name, c := range map[string]struct {
		alter func(*stage, *insideOrder)
		want  string
	}{
		"unchanged":         {func(*stage, *insideOrder) {}, ""},
		"etc in reach":      {func(_ *stage, o *insideOrder) { o.Rules.Read = append(o.Rules.Read, "/etc") }, "passwd is"},
		"stage in reach":    {func(s *stage, o *insideOrder) { o.Rules.Read = append(o.Rules.Read, s.path) }, "host_file is"},
		"stage writable":    {func(s *stage, o *insideOrder) { o.Rules.Change = append(o.Rules.Change, s.path) }, "the confinement has a hole"},
		"job writable":      {func(s *stage, o *insideOrder) { o.Rules.Change = append(o.Rules.Change, s.at("job")) }, "job is"},
		"proc in reach":     {func(_ *stage, o *insideOrder) { o.Rules.Read = append(o.Rules.Read, "/proc") }, "proc is"},
		"folder writable":   {func(_ *stage, o *insideOrder) { o.Rules.Change = append(o.Rules.Change, a.base) }, "is \"open\""},
		"programs in reach": {func(_ *stage, o *insideOrder) { o.Rules.Execute = append(o.Rules.Execute, "/bin/sh") }, "shell is"},
		"wider filter":      {func(_ *stage, o *insideOrder) { o.Filter = base }, "is \"open\""},
		"no filter":         {func(_ *stage, o *insideOrder) { o.Filter = everything }, "the confinement has a hole"},
		"no limit":          {func(_ *stage, o *insideOrder) { o.Limits = nil }, "the limit on"},
		"without files":     {func(_ *stage, o *insideOrder) { o.Rules.NoFiles = true }, "is \"open\""},
		"older":             {func(_ *stage, o *insideOrder) { o.Rules.Version = landlockScopes - 1 }, "signal"},
		"newer":             {func(_ *stage, o *insideOrder) { o.Rules.Version = len(landlockVersions) }, "there is no version"},
		"what is not there": {func(_ *stage, o *insideOrder) { o.Rules.Read = append(o.Rules.Read, "/nowhere") }, "/nowhere"},
		"no such program":   {func(_ *stage, o *insideOrder) { o.Path = "/nowhere" }, "status 126"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := a.proveWith(t.Context(), c.alter)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestWeakenedWorkerIsFoundOut(t *testing.T) {
	t.Parallel()
	needLandlock(t)
	l, err := openAlone(t.Context(), &Options{}, &testWorkers[1])
	if err != nil {
		t.Fatal(err)
	}
	a := l.(*alone)
	python, err := filterAlone()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		alter func(*stage, *insideOrder)
		want  string
	}{
		"unchanged":      {func(*stage, *insideOrder) {}, ""},
		"etc in reach":   {func(_ *stage, o *insideOrder) { o.Rules.Read = []string{"/etc"} }, "file is"},
		"wider filter":   {func(_ *stage, o *insideOrder) { o.Filter = python }, "process is"},
		"older":          {func(_ *stage, o *insideOrder) { o.Rules.Version = landlockScopes - 1 }, `is "open"`},
		"no such worker": {func(_ *stage, o *insideOrder) { o.Worker = "stranger" }, "stranger"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := a.proveWith(t.Context(), c.alter)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestAloneComputes(t *testing.T) {
	t.Parallel()
	eachAlone(t, func(t *testing.T, s *Sandbox) {
		dir := folder(t, map[string]string{"in/a.txt": "seven", "data/fixed.txt": "fixed"})
		job := program(`
import numpy as np
import matplotlib.pyplot as plt
import subprocess, tempfile, threading
plt.plot(np.arange(10.0)); plt.savefig("plot.png")
os.makedirs("out/deep"); open("out/deep/b.txt", "w").write(open("in/a.txt").read())
os.rename("out/deep/b.txt", "out/c.txt")
with tempfile.NamedTemporaryFile("w") as f:
    f.write("x")
t = threading.Thread(target=lambda: None); t.start(); t.join()
said = subprocess.run([sys.executable, "-I", "-c", "print(6*7)"], capture_output=True, text=True).stdout
send([open("data/fixed.txt").read(), said, float(np.linalg.norm([3.0, 4.0]))])
`)
		job.Dir, job.ReadOnly = dir, []string{"data"}
		res := ok(t, mustRun(t, s, job))
		if got := string(res.Frames[0]); got != `["fixed", "42\n", 5.0]` {
			t.Errorf("got %s", got)
		}
		if got := fmt.Sprint(res.Changed, res.Refused); got != "[out/c.txt plot.png] []" {
			t.Errorf("got back %s", got)
		}
		if got := readFile(t, filepath.Join(dir, "out/c.txt")); got != "seven" {
			t.Errorf("got %q", got)
		}
	})
}

// Forks that end at once leave nobody to kill but the next.
const chain = `
def run_away():
    while True:
        if os.fork():
            os._exit(0)
if os.fork() == 0:
    os.setsid()
    run_away()
`

func TestAloneLeavesNoProcess(t *testing.T) {
	t.Parallel()
	// Without /proc the program cannot count its children, so each says that it is there.
	detached := func(word string) string {
		return `
r, w = os.pipe()
for i in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.dup2(w, 1)
            os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", "import os, time; os.write(1, b'x'); time.sleep(600)", "` + word + `"])
        os._exit(0)
    os.wait()
n = 0
while n < 5:
    n += len(os.read(r, 1))
send("started")
`
	}
	eachAlone(t, func(t *testing.T, s *Sandbox) {
		for name, c := range map[string]struct {
			tail string
			wall time.Duration
			ends func(*Result) bool
		}{
			"end":     {"", time.Minute, func(r *Result) bool { return r.ExitCode == 0 }},
			"failure": {"sys.exit(3)", time.Minute, func(r *Result) bool { return r.ExitCode == 3 }},
			"signal":  {"os.kill(os.getpid(), 11)", time.Minute, func(r *Result) bool { return r.ExitCode == 128+11 }},
			"time":    {"time.sleep(600)", 2 * time.Second, func(r *Result) bool { return r.TimedOut && r.ExitCode == exitKilled }},
			"chain":   {chain, time.Minute, func(r *Result) bool { return r.ExitCode == 0 }},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				word := word(t)
				job := program(detached(word) + c.tail)
				job.Limits.Wall = c.wall
				res := mustRun(t, s, job)
				if !c.ends(res) {
					t.Errorf("got %s", short(res))
				}
				if len(res.Frames) != 1 {
					t.Error("the children were not started")
				}
				if left := running(word); left != 0 {
					t.Errorf("%d processes are left", left)
				}
			})
		}
	})
}

func TestAloneCancelKillsEveryDescendant(t *testing.T) {
	t.Parallel()
	eachAlone(t, func(t *testing.T, s *Sandbox) {
		word := word(t)
		ctx, cancel := context.WithCancel(t.Context())
		job := program("open('" + word + "', 'w')\nfor i in range(3):\n    os.fork()\nos.setsid() if os.getpid() != os.getsid(0) else None\nsend('" + word + "')\ntime.sleep(600)\n")
		job.Files[word+".py"], job.Main = job.Files["main.py"], word+".py"
		job.OnFrame = func(Frame) { cancel() }
		if _, err := s.Run(ctx, job); !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v, want %v", err, context.Canceled)
		}
		if left := running(word); left != 0 {
			t.Errorf("%d processes are left", left)
		}
	})
}

func init() {
	helpers["alone-owner"] = func() int {
		s, err := Open(context.Background(), &Options{Layers: []string{"landlock"}})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		job := program("for i in range(3):\n    if os.fork() == 0:\n        os.setsid()\n        os.fork()\nsend(1)\ntime.sleep(600)\n")
		word := os.Getenv("HELIOS_SANDBOX_WORD")
		job.Files[word+".py"], job.Main = job.Files["main.py"], word+".py"
		job.OnFrame = func(Frame) { fmt.Println("started") }
		_, err = s.Run(context.Background(), job)
		fmt.Println(err)
		return 1
	}
}

func TestDeathOfTheOwnerEndsWhatStandsAlone(t *testing.T) {
	t.Parallel()
	alones(t)
	word := word(t)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "HELIOS_SANDBOX_HELPER=alone-owner", "HELIOS_SANDBOX_WORD="+word, "TMPDIR="+stageBase(t))
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(stdout, make([]byte, len("started\n"))); err != nil {
		t.Fatal(err)
	}
	seen := running(word)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if seen == 0 {
		t.Error("the host saw none of the program's processes")
	}
	// The supervisor sees to it; there is nothing to wait on.
	for until := time.Now().Add(10 * time.Second); running(word) > 0 && time.Now().Before(until); {
		runtime.Gosched()
	}
	if left := running(word); left != 0 {
		t.Errorf("%d processes are alive after their owner was killed", left)
	}
}

func TestAloneIsBound(t *testing.T) {
	t.Parallel()
	eachAlone(t, func(t *testing.T, s *Sandbox) {
		for name, c := range map[string]struct {
			code   string
			limits Limits
			want   func(*Result) bool
		}{
			"memory of one":   {"b = bytearray(600 << 20)", Limits{Memory: 512 << 20}, func(r *Result) bool { return r.OutOfMemory }},
			"memory of all":   {"for i in range(3):\n    os.fork()\nb = bytearray(b'x') * (100 << 20)\ntime.sleep(600)", Limits{Memory: 300 << 20, Wall: 20 * time.Second}, func(r *Result) bool { return r.OutOfMemory }},
			"temporary files": {"f = open(os.environ['TMPDIR'] + '/x', 'wb', 0)\nwhile True:\n    f.write(bytes(1 << 20))\n", Limits{Temp: 16 << 20, FileSize: 1 << 30}, func(r *Result) bool { return r.OverDisk }},
			"workspace":       {"f = open('x', 'wb', 0)\nwhile True:\n    f.write(bytes(1 << 20))\n", Limits{Workspace: 16 << 20, FileSize: 1 << 30}, func(r *Result) bool { return r.OverDisk }},
			"processes":       {"n = 0\ntry:\n    while True:\n        if os.fork() == 0:\n            time.sleep(600)\n        n += 1\nexcept OSError:\n    pass\nsend(n)", Limits{Processes: 20}, func(r *Result) bool { return len(r.Frames) == 1 && len(r.Frames[0]) <= 2 }},
			"time":            {"while True:\n    pass", Limits{Wall: 200 * time.Millisecond}, func(r *Result) bool { return r.TimedOut }},
			"one file":        {"f = open('x', 'wb', 0)\nwhile True:\n    f.write(bytes(1 << 20))\n", Limits{FileSize: 4 << 20}, func(r *Result) bool { return r.ExitCode != 0 && !r.OverDisk }},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				job := program(c.code)
				job.Dir, job.Limits = folder(t, nil), c.limits
				if res := mustRun(t, s, job); !c.want(res) {
					t.Errorf("got %s, over disk %v, frames %s", short(res), res.OverDisk, res.Frames)
				}
			})
		}
	})
}

func TestAloneTalksAndIsInterrupted(t *testing.T) {
	t.Parallel()
	eachAlone(t, func(t *testing.T, s *Sandbox) {
		p, r := start(t, s, &Job{Main: "main.py", Files: map[string][]byte{"main.py": []byte(`
import os, socket, time
s = socket.socket(fileno=int(os.environ["HELIOS_SOCKET_FD"]))
f = s.makefile("rw")
for line in f:
    try:
        if line == "sleep\n":
            s.sendall(b"asleep\n")
            time.sleep(600)
        f.write(line)
    except KeyboardInterrupt:
        f.write("interrupted\n")
    f.flush()
`)}})
		if got := ask(t, p, r, "hello"); got != "hello" {
			t.Errorf("got %q", got)
		}
		if used := p.Memory(); used < 1<<20 {
			t.Errorf("it uses %d bytes", used)
		}
		ask(t, p, r, "sleep")
		if err := p.Interrupt(); err != nil {
			t.Error(err)
		}
		if got, err := r.ReadString('\n'); err != nil || got != "interrupted\n" {
			t.Errorf("got %q, %v", got, err)
		}
		_ = p.Conn().Close()
		if res, err := p.Wait(); err != nil || res.ExitCode != 0 {
			t.Errorf("got %s, %v", short(res), err)
		}
	})
}
