package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/store/sqlite"
)

// TestMain makes of this very program a worker that is killed at a chosen moment.
func TestMain(m *testing.M) {
	moment, err := strconv.ParseInt(os.Getenv("WORKER_KILLED_AT"), 10, 64)
	if err != nil {
		os.Exit(m.Run())
	}
	if err := mortalWorker(moment); errors.Is(err, agent.ErrFenced) {
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

func mortalWorker(moment int64) error {
	outbox, err := os.OpenFile("outbox.txt", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	store, err := sqlite.Open("worker.db", nil)
	if err != nil {
		return err
	}
	m := &mortal{Store: store}
	m.moments.Store(moment)
	return work(context.Background(), outbox, []string{"ada", "grace"}, agent.OpenOptions{
		Store: m, Unsafe: agent.TellModel, Lease: 200 * time.Millisecond,
	})
}

// A mortal store kills its process at a moment: each write to the log is between
// two of them.
type mortal struct {
	agent.Store
	moments atomic.Int64
}

func (m *mortal) pass() {
	if m.moments.Add(-1) != 0 {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill() // SIGKILL: nothing is deferred, flushed or told
	}
	if err != nil {
		panic(err)
	}
	select {}
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

// life runs a worker in dir until it ends or is killed, and reports which; 0 is no
// moment at all.
func life(t *testing.T, dir string, moment int) (killed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("WORKER_KILLED_AT=%d", moment),
		"GORACE=atexit_sleep_ms=0") // the race detector would wait a second at each exit
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState.ExitCode() == failed {
		t.Fatalf("worker: %v\n%s", err, out)
	}
	return err != nil
}

// check tells whether each letter was sent once, and the logs are sound.
func check(t *testing.T, dir string) {
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
	}
}

func TestKilledAtEveryMoment(t *testing.T) {
	t.Parallel()
	for moment := 1; ; moment++ {
		dir := t.TempDir()
		if !life(t, dir, moment) {
			t.Logf("%d moments", moment-1)
			return
		}
		for life(t, dir, 0) {
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
			for life(t, dir, moment) {
				if lives++; lives > 50 {
					t.Fatal("no end after 50 lives")
				}
			}
			t.Logf("%d lives", lives)
			check(t, dir)
		})
	}
}
