//go:build unix

package sqlite_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/store/sqlite"
)

// stop stops a process outside of its transactions: inside of one it would lock
// the file for everybody, as long as it is stopped.
func stop(t *testing.T, w *worker, path string) {
	t.Helper()
	quick, err := sqlite.Open(path, &sqlite.Options{BusyTimeout: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer quick.Close()
	for range 100 {
		if err := w.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		for !stands(w.Process.Pid) { // a signal takes its time, and the process may still begin something
			time.Sleep(100 * time.Microsecond)
		}
		_, err := quick.Post(t.Context(), "s", []agent.Event{{Data: &agent.Custom{Name: "stopped"}}})
		if err == nil {
			return
		}
		if err := w.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the worker is never outside of a transaction")
}

// stands reports whether a process is stopped or has ended, as far as the system
// tells.
func stands(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true // no Linux
	}
	_, rest, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " ")
	return strings.HasPrefix(rest, "T") || strings.HasPrefix(rest, "Z")
}

// TestAStoppedOwnerThatWakesUpCannotWrite stops owners at random moments until
// their lease is over and another process has finished their work. Awake again,
// they add nothing to the log.
func TestAStoppedOwnerThatWakesUpCannotWrite(t *testing.T) {
	t.Parallel()
	for i := range 6 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			v := &victim{t: t, dir: dir, st: open(t, filepath.Join(dir, "s.db")), sum: &tally{}, seen: map[string][]string{}}
			zombie := start(t, "calm", dir, "s")
			reaches(t, zombie, v.st, agent.Seq(3+rand.IntN(16)))
			time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
			stop(t, zombie, filepath.Join(dir, "s.db"))
			time.Sleep(400 * time.Millisecond) // its lease ends
			next := start(t, "calm", dir, "s")
			if err := next.Wait(); err != nil {
				t.Fatalf("the next owner: %v: %s", err, next.out.String())
			}
			before := len(logText(t, v.st))
			if err := zombie.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			if err := zombie.Wait(); err != nil {
				t.Errorf("the zombie: %v: %s", err, zombie.out.String())
			}
			v.seen["s"] = logText(t, v.st)
			for _, text := range v.seen["s"][before:] {
				if !strings.Contains(text, "question_answered") { // which it was about to post, as anybody may
					t.Errorf("the zombie has added %s", text)
				}
			}
			if err := v.check("s"); err != nil {
				t.Error(err)
			}
		})
	}
}

// logText is the log of session s, each event as JSON.
func logText(t *testing.T, st *sqlite.Store) []string {
	t.Helper()
	events, err := agenttest.Log(t.Context(), st, "s")
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(events))
	for i, e := range events {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	return texts
}
