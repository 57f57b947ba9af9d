package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// escapees starts processes that leave in the ways there are and sleep for long;
// they have the word on their command line. The program says "ready" and how many.
const escapees = `
import os, signal, subprocess, sys, time
word = sys.argv[1]
sleep = [sys.executable, "-I", "-S", "-c", "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)", word]
def start(session, forks):
    if os.fork() == 0:
        if session: os.setsid()
        for i in range(forks):
            if os.fork(): os._exit(0)
        os.execv(sleep[0], sleep)
for session in (False, True):
    for forks in range(3):
        start(session, forks)
# One is stopped, and one is deep down.
os.kill(subprocess.Popen(sleep).pid, signal.SIGSTOP)
for depth in range(30):
    if os.fork(): 
        if depth: time.sleep(600)
        break
    if depth == 29: os.execv(sleep[0], sleep)
`

// upTo waits until the host sees n processes with the word.
func upTo(tb testing.TB, word string, n int) {
	tb.Helper()
	until(tb, fmt.Sprintf("%d processes", n), func() bool { return running(word) >= n })
}

func TestTreeEndsEveryDescendant(t *testing.T) {
	t.Parallel()
	for name, grace := range map[string]time.Duration{"at once": 0, "after a grace": 30 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			word := word(t)
			tree, _ := python(t, escapees+"time.sleep(600)\n", word)
			upTo(t, word, 8)
			if err := tree.Kill(grace); err != nil {
				t.Error(err)
			}
			if left := running(word); left != 0 {
				t.Errorf("%d processes are alive after Kill", left)
			}
		})
	}
}

func TestEndOfTheProgramEndsTheTree(t *testing.T) {
	t.Parallel()
	word := word(t)
	tree, _ := python(t, escapees+"sys.exit(4)\n", word)
	wantExit(t, tree, Exit{Code: 4})
	if left := running(word); left != 0 {
		t.Errorf("%d processes are alive after Wait", left)
	}
}

// Twenty chains in which a child takes over and its parent goes: no process is
// there for long enough to be looked up and then ended.
func TestTreeEndsAForkBomb(t *testing.T) {
	t.Parallel()
	word := word(t)
	tree, out := python(t, `
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
end = time.time() + 60
for i in range(20):
    if os.fork() == 0: break
else:
    time.sleep(600)
os.write(1, b".")
while time.time() < end:
    if os.fork(): os._exit(0)
    os.setsid()
`, word)
	until(t, "all chains", func() bool { return len(out.String()) >= 20 })
	if err := tree.Kill(0); err != nil {
		t.Error(err)
	}
	if left := running(word); left != 0 {
		t.Errorf("%d processes are alive after Kill", left)
	}
}

// A pipe that somebody outside of the tree holds does not hold up the end.
func TestTreeDoesNotWaitForForeignPipeHolders(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	cmd := exec.Command("/bin/sh", "-c", "exec sleep 600")
	cmd.Stdin = r // nobody ever writes: a reader of it must not be waited for
	tree, err := StartTree(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.Kill(0); err != nil {
		t.Error(err)
	}
}

func init() {
	// tree-owner starts a tree and waits to be killed.
	helpers["tree-owner"] = func() int {
		cmd := exec.Command("/usr/bin/python3", "-I", "-S", "-c", escapees+"time.sleep(600)\n", os.Args[1])
		cmd.Stdout = os.Stdout
		tree, err := StartTree(cmd)
		if err != nil || !tree.Complete() {
			fmt.Fprintln(os.Stderr, tree, err)
			return 1
		}
		_, _ = tree.Wait()
		return 2
	}
	// tree-no-init tells whether a tree is complete in a program without Init.
	helpers["no-init"] = noInit(helpers["no-init"])
}

func noInit(others func() int) func() int {
	return func() int {
		if os.Getenv("HELIOS_SANDBOX_TREE") == "" {
			return others()
		}
		tree, err := StartTree(exec.Command("/bin/true"))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		_, _ = tree.Wait()
		fmt.Println("complete:", tree.Complete())
		return 0
	}
}

func TestTreeEndsWithItsOwner(t *testing.T) {
	t.Parallel()
	word := word(t)
	owner := exec.Command("/proc/self/exe", word)
	owner.Env = append(os.Environ(), "HELIOS_SANDBOX_HELPER=tree-owner")
	owner.Stderr = os.Stderr
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	upTo(t, word, 9) // the owner has the word too
	_ = owner.Process.Kill()
	_ = owner.Wait()
	until(t, "the end of all", func() bool { return running(word) == 0 })
}

func TestTreeWithoutInitSaysThatItIsIncomplete(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "HELIOS_SANDBOX_HELPER=no-init", "HELIOS_SANDBOX_TREE=1")
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "complete: false\n" {
		t.Errorf("got %q with error %v, want it to say that it is not complete", out, err)
	}
}

// A program of the same user can kill its supervisor. That is told.
func TestTreeTellsThatItsSupervisorWasKilled(t *testing.T) {
	t.Parallel()
	tree, out := shell(t, "echo $PPID; exec sleep 600")
	until(t, "its number", func() bool { return strings.HasSuffix(out.String(), "\n") })
	supervisor, err := strconv.Atoi(strings.TrimSpace(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Kill(supervisor, unix.SIGKILL)
	if _, err := tree.Wait(); !errors.Is(err, errLost) {
		t.Errorf("got error %v, want %v", err, errLost)
	}
}

// Neither the supervisor's descriptors nor its signal handling reach the program.
func TestTreeProgramInheritsNothing(t *testing.T) {
	t.Parallel()
	leak, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer leak.Close()
	if _, err := unix.FcntlInt(leak.Fd(), unix.F_SETFD, 0); err != nil { // as a careless library would
		t.Fatal(err)
	}
	tree, out := python(t, `
import json, os
def numbers(): return sorted(int(n) for n in os.listdir("/proc/self/fd"))
status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
print(json.dumps({"fds": [n for n in numbers() if os.path.exists("/proc/self/fd/%d" % n)],
  "ignored": int(status["SigIgn"], 16), "blocked": int(status["SigBlk"], 16), "env": dict(os.environ), "cwd": os.getcwd(),
  "session": os.getsid(0) == os.getpid()}))
`)
	wantExit(t, tree, Exit{})
	var got struct {
		FDs              []int
		Ignored, Blocked uint64
		Env              map[string]string
		Session          bool
	}
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err, out.String())
	}
	const pythons = 1<<(unix.SIGPIPE-1) | 1<<(unix.SIGXFSZ-1) // it ignores these itself
	delete(got.Env, "LC_CTYPE")                               // it sets this itself
	if len(got.FDs) != 3 || got.Ignored&^pythons != 0 || got.Blocked != 0 || len(got.Env) != 0 || !got.Session {
		t.Errorf("the program has %+v, want three descriptors, no signal ignored or blocked, no environment, a session", got)
	}
}

// However many there were, nothing stays behind in this process.
func TestTreesLeaveNoDescriptors(t *testing.T) { //nolint:paralleltest // it counts the descriptors of the process
	count := func() int {
		names, err := filepath.Glob("/proc/self/fd/*")
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	before := count()
	for range 20 {
		tree, _ := shell(t, "cat; echo x")
		_, _ = tree.Wait()
	}
	if after := count(); after > before+3 { // other goroutines have some too
		t.Errorf("20 trees left %d descriptors", after-before)
	}
}

func TestChildNumbersAreThoseOfAllThreads(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("/usr/bin/python3", "-I", "-S", "-c", `
import os, threading, time
def child():
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(600)
child()
t = threading.Thread(target=lambda: (child(), time.sleep(600)))
t.start(); t.join()
`)
	cmd.Stdout = w
	tree, err := StartTree(cmd)
	_ = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(r)
	for range 2 {
		lines.Scan()
		child, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, n := range childNumbers(tree.Pid()) {
			found = found || n == child
		}
		if !found {
			t.Errorf("child %d is not among %v", child, childNumbers(tree.Pid()))
		}
	}
	if err := tree.Kill(0); err != nil {
		t.Error(err)
	}
}

func BenchmarkTree(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("/bin/true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("tree", func(b *testing.B) {
		for b.Loop() {
			t, err := StartTree(exec.Command("/bin/true"))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := t.Wait(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
