package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/store/sqlite"
)

// TestMain makes of this very program a worker that is stopped or killed at a chosen
// moment.
func TestMain(m *testing.M) {
	how, moment, _ := strings.Cut(os.Getenv("WORKER_FATE"), " ")
	if how == "" {
		os.Exit(m.Run())
	}
	if err := mortalWorker(how, moment); errors.Is(err, agent.ErrFenced) {
		os.Exit(fenced)
	} else if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(failed)
	}
}

// How a worker exits, if not by the kill.
const (
	failed = 2
	fenced = 3 // it was so slow that its lease ran out: as good as dead
)

func mortalWorker(how, moment string) error {
	n, err := strconv.ParseInt(moment, 10, 64)
	if err != nil {
		return err
	}
	store, err := sqlite.Open("worker.db", nil)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	opts := agent.OpenOptions{Unsafe: agent.TellModel, Lease: 200 * time.Millisecond}
	m := &mortal{Store: store, fate: kill}
	if how == "stopped" {
		opts.Lease = time.Hour // that nobody waits for
		m.fate = func() {
			signalSelf(syscall.SIGTERM)
			<-ctx.Done()
		}
	}
	m.moments.Store(n)
	opts.Store = m
	if err := work(ctx, []string{"ada", "grace"}, opts); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func kill() {
	signalSelf(os.Kill) // nothing is deferred, flushed or told
	select {}
}

func signalSelf(s os.Signal) {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(s)
	}
	if err != nil {
		panic(err)
	}
}

// A mortal store meets its fate at a moment: each write to the log is between two
// of them.
type mortal struct {
	agent.Store
	moments atomic.Int64
	fate    func()
}

func (m *mortal) pass() {
	if m.moments.Add(-1) == 0 {
		m.fate()
	}
}

func (m *mortal) Append(ctx context.Context, l agent.Lease, events []agent.Event) (agent.Seq, error) {
	m.pass()
	defer m.pass()
	return m.Store.Append(ctx, l, events)
}

func (m *mortal) Post(ctx context.Context, session string, events []agent.Event) (agent.Seq, error) {
	m.pass()
	defer m.pass()
	return m.Store.Post(ctx, session, events)
}

// life runs a worker in dir until it ends or is killed, and reports which. Its fate
// is "killed" or "stopped" at a moment; 0 is no moment at all.
func life(t *testing.T, dir, fate string, moment int) (killed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("WORKER_FATE=%s %d", fate, moment),
		"GORACE=atexit_sleep_ms=0") // the race detector would wait a second at each exit
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState.ExitCode() == failed {
		t.Fatalf("worker: %v\n%s", err, out)
	}
	return err != nil
}

// check tells whether each letter was sent once, and the logs are sound. It returns
// how often the outcome of a call was not known.
func check(t *testing.T, dir string) (unknown int) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, "outbox.txt"))
	if want := "letter to ada\nletter to grace\n"; err != nil || string(got) != want {
		t.Errorf("outbox: got %q (%v), want %q", got, err, want)
	}
	store, err := sqlite.Open(filepath.Join(dir, "worker.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, session := range []string{"ada", "grace"} {
		events, err := agenttest.Log(t.Context(), store, session)
		if err != nil {
			t.Fatal(err)
		}
		if err := agenttest.CheckLog(events); err != nil {
			t.Errorf("session %s: %v", session, err)
		}
		for _, e := range events {
			if d, ok := e.Data.(*agent.ToolEnded); ok && d.Outcome == agent.OutcomeUnknown {
				unknown++
			}
		}
	}
	return unknown
}

func TestKilledAtEveryMoment(t *testing.T) {
	t.Parallel()
	for moment := 1; ; moment++ {
		dir := t.TempDir()
		if !life(t, dir, "killed", moment) {
			t.Logf("%d moments", moment-1)
			return
		}
		for life(t, dir, "killed", 0) {
		}
		check(t, dir)
	}
}

func TestKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	for _, moment := range []int{4, 5, 7} { // a model's answer takes two writes, or it is asked again
		t.Run(strconv.Itoa(moment), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			lives := 1
			for life(t, dir, "killed", moment) {
				if lives++; lives > 50 {
					t.Fatal("no end after 50 lives")
				}
			}
			t.Logf("%d lives", lives)
			check(t, dir)
		})
	}
}

func TestStoppedAtEveryMomentLeavesNothingInDoubt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signal that asks a process to stop")
	}
	halfway := 0
	for moment := 1; moment <= 30; moment++ { // a few more than there are
		dir := t.TempDir()
		for _, m := range []int{moment, 0} {
			if life(t, dir, "stopped", m) {
				t.Fatalf("stopped at moment %d: the worker did not end well", moment)
			}
			if out, err := os.ReadFile(filepath.Join(dir, "outbox.txt")); err != nil || len(out) < len("letter to ada\nletter to grace\n") {
				halfway++
			}
		}
		if unknown := check(t, dir); unknown > 0 {
			t.Errorf("stopped at moment %d: the outcome of %d calls is not known", moment, unknown)
		}
	}
	if halfway < 10 {
		t.Errorf("only %d workers were stopped halfway", halfway)
	}
}

func TestATaskThatFailedIsTriedAgain(t *testing.T) {
	t.Parallel()
	a := clerk(filepath.Join(t.TempDir(), "outbox.txt"))
	opts := &agent.OpenOptions{Store: agent.NewMemoryStore(), SessionID: "ada"}
	broken := a
	broken.Model = llmtest.New(llmtest.Fail(llm.ErrAuth), llmtest.Fail(llm.ErrAuth))
	if _, err := do(t.Context(), broken, opts, "Send a letter to ada"); !errors.Is(err, llm.ErrAuth) {
		t.Fatalf("got error %v, want that of the model", err)
	}
	for range 2 { // the second finds it done
		res, err := do(t.Context(), a, opts, "Send a letter to ada")
		if want := "ada has a letter."; err != nil || res.Text != want || res.ToolCalls != 2 {
			t.Errorf("got %q after %d calls (%v), want %q after 2", res.Text, res.ToolCalls, err, want)
		}
	}
}
