package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// word is on no other process's command line.
func word(tb testing.TB) string {
	return fmt.Sprintf("marker-%d-%s", os.Getpid(), strings.ReplaceAll(tb.Name(), "/", "-"))
}

// hanging leaves processes behind that ignore SIGTERM, have sessions of their own
// and hold the pipes, and then does what the last part says.
func hanging(then string) string {
	return `for i in 1 2 3; do setsid sh -c 'trap "" TERM; echo up; while :; do sleep 0.02; done' "$0" & done
		(setsid sh -c 'setsid sh -c "trap \"\" TERM; echo up; while :; do sleep 0.02; done" "$0" & exit' "$0" &)
		` + then
}

// It ends with its timeout, not with the children that hold its output open.
func TestBackgroundChildrenDoNotHoldUpTheCall(t *testing.T) {
	t.Parallel()
	word := word(t)
	began := time.Now()
	res, err := open(t, sh(t)).Run(t.Context(), Input{Args: []string{"-c", "sleep 30 & echo x", word}})
	if err != nil || res.Stdout != "x\n" || res.ExitCode != 0 || time.Since(began) > 15*time.Second {
		t.Errorf("got %+v after %v, error %v", res, time.Since(began), err)
	}
	res, err = open(t, sh(t)).Run(t.Context(), Input{Args: []string{"-c", hanging("exit 0"), word}})
	if err != nil || res.ExitCode != 0 {
		t.Errorf("got %+v, error %v", res, err)
	}
	if alive(word) {
		t.Error("a child is alive after the call")
	}
}

func TestTimeoutEndsEveryDescendant(t *testing.T) {
	t.Parallel()
	g, word := sh(t), word(t)
	g.Timeout = time.Second
	res, err := open(t, g).Run(t.Context(), Input{Args: []string{"-c", hanging("sleep 600"), word}})
	if err != nil || !res.TimedOut || res.Duration > 20*time.Second || !strings.HasPrefix(res.Stdout, "up\n") {
		t.Errorf("got %+v, error %v", res, err)
	}
	if alive(word) {
		t.Error("a child is alive after the call")
	}
}

func TestCancelEndsEveryDescendant(t *testing.T) {
	t.Parallel()
	g, word := sh(t), word(t)
	g.Dir = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	c := open(t, g)
	done := make(chan error)
	go func() {
		_, err := callIn(ctx, t, c.Tool(), map[string]any{"args": []string{"-c", hanging("touch up; sleep 600"), word}})
		done <- err
	}()
	until(t, "the program", func() bool { _, err := os.Lstat(filepath.Join(g.Dir, "up")); return err == nil })
	began := time.Now()
	cancel()
	wantErr(t, "the call", <-done, context.Canceled)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if alive(word) {
		t.Error("a child is alive after the call")
	}
}

// Whatever a program writes, the host keeps no more than it shows.
func TestMemoryStaysBoundedUnderMuchOutput(t *testing.T) { //nolint:paralleltest // it measures this process
	size := "10G"
	if testing.Short() {
		size = "1G"
	}
	c := open(t, sh(t))
	run(t, c, "true")
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skipf("needs a peak that can be reset: %v", err)
	}
	before := memory(t, "VmRSS")
	res := run(t, c, "head -c "+size+" /dev/zero; echo; echo end >&2")
	peak := memory(t, "VmHWM")
	if res.ExitCode != 0 || !res.Truncated || res.Stderr != "end\n" {
		t.Errorf("got exit %d, truncated %v, stderr %q", res.ExitCode, res.Truncated, res.Stderr)
	}
	t.Logf("%s of output took %v and %d KiB of memory", size, res.Duration.Round(time.Millisecond), peak-before)
	if peak-before > 32<<10 {
		t.Errorf("memory grew by %d KiB, want less than 32 MiB", peak-before)
	}
}

// memory is a figure of this process in KiB.
func memory(tb testing.TB, name string) (kib int) {
	tb.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		tb.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "\n"+name+":")
	if _, err := fmt.Sscan(after, &kib); err != nil {
		tb.Fatal(err)
	}
	return kib
}
