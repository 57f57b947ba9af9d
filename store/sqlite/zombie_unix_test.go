//go:build unix

package sqlite_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestAStoppedOwnerThatWakesUpCannotWrite stops the owner until its lease is
// over and another process has finished its work.
func TestAStoppedOwnerThatWakesUpCannotWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st := open(t, filepath.Join(dir, "s.db"))
	zombie := start(t, dir, true)
	zombie.reaches(t, st, 12)
	if err := zombie.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
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
