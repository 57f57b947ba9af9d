package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/internal/testdata"
)

// A syncBuffer is written to by a tree's process and read by a test.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// until waits for a condition, for a minute at the most.
func until(tb testing.TB, what string, met func() bool) {
	tb.Helper()
	for end := time.Now().Add(time.Minute); !met(); runtime.Gosched() {
		if time.Now().After(end) {
			tb.Fatalf("waited a minute for %s", what)
		}
		<-time.After(time.Millisecond)
	}
}

// shell starts a shell script as a tree.
func shell(tb testing.TB, script string) (*Tree, *syncBuffer) {
	tb.Helper()
	if runtime.GOOS == "windows" {
		tb.Skip("needs /bin/sh, which Windows does not have")
	}
	out := &syncBuffer{}
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	cmd.Stdout, cmd.Stderr = out, out
	t, err := StartTree(cmd)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := t.Kill(0); err != nil {
			tb.Error(err)
		}
	})
	return t, out
}

// python starts a Python program as a tree.
func python(tb testing.TB, code string, args ...string) (*Tree, *syncBuffer) {
	tb.Helper()
	const interpreter = "/usr/bin/python3"
	_, err := os.Stat(interpreter)
	testdata.Need(tb, "Python", err)
	out := &syncBuffer{}
	cmd := exec.Command(interpreter, append([]string{"-I", "-S", "-c", code}, args...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = []string{}, out, out
	t, err := StartTree(cmd)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = t.Kill(0) })
	return t, out
}

func wantExit(tb testing.TB, t *Tree, want Exit) {
	tb.Helper()
	if got, err := t.Wait(); got != want || err != nil {
		tb.Errorf("the program ended as %+v with error %v, want %+v", got, err, want)
	}
}

func TestTreeIsACommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs /bin/sh, which Windows does not have")
	}
	extra, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer extra.Close()
	var out, errs bytes.Buffer
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", `cat; pwd; echo "$A|${HOME:-none}|$1"; echo extra >&3; echo oops >&2; exit 7`, "sh", "an arg")
	cmd.Env, cmd.Dir, cmd.Stdin = []string{"A=b c"}, dir, strings.NewReader("in\n")
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = &out, &errs, []*os.File{theirs}
	tree, err := StartTree(cmd)
	_ = theirs.Close()
	if err != nil {
		t.Fatal(err)
	}
	wantExit(t, tree, Exit{Code: 7})
	if want := "in\n" + dir + "\nb c|none|an arg\n"; out.String() != want {
		t.Errorf("it wrote %q, want %q", out.String(), want)
	}
	if errs.String() != "oops\n" {
		t.Errorf("it wrote %q as errors, want oops", errs.String())
	}
	got := make([]byte, 64)
	if n, _ := extra.Read(got); string(got[:n]) != "extra\n" {
		t.Errorf("it wrote %q to the extra descriptor", got[:n])
	}
	if complete := runtime.GOOS == "linux"; tree.Complete() != complete {
		t.Errorf("Complete is %v, want %v", tree.Complete(), complete)
	}
	if err := tree.Kill(time.Minute); err != nil {
		t.Errorf("to kill what has ended: %v", err)
	}
}

func TestTreeTellsTheSignalThatEndedIt(t *testing.T) {
	t.Parallel()
	tree, _ := shell(t, "kill -SEGV $$")
	wantExit(t, tree, Exit{Code: 139, Signal: 11})
}

func TestTreeThatCannotStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, file := range map[string]struct {
		mode fs.FileMode
		want error
	}{"missing": {0, fs.ErrNotExist}, "not-executable": {0o600, fs.ErrPermission}} {
		path := filepath.Join(dir, name)
		if file.mode != 0 {
			if err := os.WriteFile(path, []byte("#!/bin/sh\n"), file.mode); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := StartTree(&exec.Cmd{Path: path}); !errors.Is(err, file.want) {
			t.Errorf("start %s: got error %v, want %v", name, err, file.want)
		}
	}
	if runtime.GOOS != "windows" {
		cmd := &exec.Cmd{Path: "/bin/sh", Dir: filepath.Join(dir, "missing")}
		if _, err := StartTree(cmd); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "missing") {
			t.Errorf("start in a missing folder: got error %v, want %v", err, fs.ErrNotExist)
		}
	}
	if _, err := StartTree(exec.Command("a-program-that-is-not-there")); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got error %v, want %v", err, exec.ErrNotFound)
	}
	if _, err := StartTree(exec.CommandContext(t.Context(), "go")); err == nil {
		t.Error("a command with a context was taken; it would not be heeded")
	}
}

// What ended well within the grace was not killed.
func TestTreeEndsWellWhenAsked(t *testing.T) {
	t.Parallel()
	tree, out := shell(t, `trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.01; done`)
	until(t, "the trap", func() bool { return out.String() == "ready\n" })
	if err := tree.Kill(time.Minute); err != nil {
		t.Fatal(err)
	}
	wantExit(t, tree, Exit{Code: 5})
	if got := out.String(); !strings.HasSuffix(got, "bye\n") {
		t.Errorf("it wrote %q, want ready and bye", got)
	}
}

func TestTreeThatIgnoresTheSignalIsKilled(t *testing.T) {
	t.Parallel()
	tree, out := shell(t, `trap '' TERM; echo ready; while :; do sleep 0.01; done`)
	until(t, "the trap", func() bool { return out.String() == "ready\n" })
	began := time.Now()
	if err := tree.Kill(50 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 50*time.Millisecond {
		t.Errorf("it was killed after %v, want the grace", took)
	}
	wantExit(t, tree, Exit{Code: 137, Signal: 9})
}

// The shorter grace counts.
func TestTreeIsKilledByTheShorterGrace(t *testing.T) {
	t.Parallel()
	tree, out := shell(t, `trap '' TERM; echo ready; while :; do sleep 0.01; done`)
	until(t, "the trap", func() bool { return out.String() == "ready\n" })
	var all sync.WaitGroup
	for _, grace := range []time.Duration{time.Hour, 0, time.Hour} {
		all.Go(func() {
			if err := tree.Kill(grace); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// Without a supervisor, what stays in the group is ended, and what left it does
// not hold up the end.
func TestTreeWithoutASupervisor(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs /bin/sh, which Windows does not have")
	}
	var out syncBuffer
	cmd := exec.Command("/bin/sh", "-c", `trap '' TERM; sleep 600 & echo $!; while :; do sleep 0.01; done`)
	cmd.Stdout = &out
	tree, err := startGroup(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Complete() {
		t.Error("a process group claims to be complete")
	}
	until(t, "the child's number", func() bool { return strings.HasSuffix(out.String(), "\n") })
	if err := tree.Kill(10 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	wantExit(t, tree, Exit{Code: 137, Signal: 9})
	child := strings.TrimSpace(out.String())
	// In a container nobody may be there to wait for it, and then it stays a zombie.
	const lives = `kill -0 "$0" 2>/dev/null && ! grep -q ') Z' "/proc/$0/stat" 2>/dev/null`
	until(t, "the child's end", func() bool { return exec.Command("/bin/sh", "-c", lives, child).Run() != nil })

	cmd = exec.Command("/bin/sh", "-c", "sleep 600 & exit 3")
	cmd.Stdout = &out
	if tree, err = startGroup(cmd); err != nil {
		t.Fatal(err)
	}
	wantExit(t, tree, Exit{Code: 3})
}

func TestTreesDoNotMeet(t *testing.T) {
	t.Parallel()
	var trees []*Tree
	for i := range 8 {
		tree, _ := shell(t, fmt.Sprintf("sleep 600 & exec sleep 60%d", i))
		trees = append(trees, tree)
	}
	for i, tree := range slices.Backward(trees) {
		if err := tree.Kill(0); err != nil {
			t.Error(err)
		}
		for _, other := range trees[:i] {
			select {
			case <-other.Done():
				t.Fatal("another tree ended too")
			default:
			}
		}
	}
}
