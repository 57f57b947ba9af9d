//go:build unix

package sqlite_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
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

// TestAStoppedOwnerThatWakesUpCannotWrite stops the owner until its lease is
// over and another process has finished its work.
func TestAStoppedOwnerThatWakesUpCannotWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st := open(t, filepath.Join(dir, "s.db"))
	zombie := start(t, dir, true)
	zombie.reaches(t, st, 12)
	stop(t, zombie, filepath.Join(dir, "s.db"))
	time.Sleep(500 * time.Millisecond) // its lease ends
	next := start(t, dir, false)
	if err := next.Wait(); err != nil {
		t.Fatalf("the next owner: %v: %s", err, next.out.String())
	}
	if err := zombie.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := zombie.Wait(); err != nil {
		t.Errorf("the zombie: %v: %s", err, zombie.out.String())
	}
	check(t, dir, st)
}
