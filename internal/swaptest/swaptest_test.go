package swaptest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/helios-go/helios/internal/swaptest"
)

// TestWhatFollowsLinksIsSeen: tools that check nothing are caught in each of the
// ways in which one can escape.
func TestWhatFollowsLinksIsSeen(t *testing.T) {
	race := swaptest.New(t)
	at := func(name string) string { return filepath.Join(race.Root, name) }
	report := race.Observe(300*time.Millisecond,
		swaptest.Case{Name: "read", On: swaptest.File, Do: func(name string) (string, error) {
			data, err := os.ReadFile(at(name))
			return string(data), err
		}},
		swaptest.Case{Name: "list", On: swaptest.Folder, Do: func(name string) (string, error) {
			entries, err := os.ReadDir(at(name))
			return fmt.Sprint(entries), err
		}},
		swaptest.Case{Name: "write", On: swaptest.File, Do: func(name string) (string, error) {
			return "", os.WriteFile(at(name), []byte("written"), 0o600)
		}},
		swaptest.Case{Name: "replace", On: swaptest.File, Do: func(name string) (string, error) {
			temp := filepath.Join(filepath.Dir(at(name)), "temp")
			defer os.Remove(temp)
			return "", errors.Join(os.WriteFile(temp, []byte("written"), 0o600), os.Rename(temp, at(name)))
		}},
		swaptest.Case{Name: "create", On: swaptest.Fresh, Do: func(name string) (string, error) {
			return "", os.WriteFile(at(name), []byte("new"), 0o600)
		}},
		swaptest.Case{Name: "remove", On: swaptest.File, Do: func(name string) (string, error) {
			return "", os.Remove(at(name))
		}},
		swaptest.Case{Name: "make folders", On: swaptest.Gone, Do: func(name string) (string, error) {
			return "", os.MkdirAll(at(name), 0o700)
		}},
		swaptest.Case{Name: "change the mode", On: swaptest.File, Do: func(name string) (string, error) {
			return "", os.Chmod(at(name), 0o640)
		}},
	)
	for _, c := range report.Cases {
		t.Logf("%-16s %5d calls, %5d succeeded, %5d escaped", c.Name, c.Calls, c.Succeeded, c.Escapes)
		if c.Escapes == 0 {
			t.Errorf("no escape of %q was seen", c.Name)
		}
	}
	if report.Swaps == 0 {
		t.Error("nothing was swapped")
	}
}

func TestTheControlEscapes(t *testing.T) {
	race := swaptest.New(t)
	began := time.Now()
	if !race.Control(30 * time.Second) {
		t.Fatal("the check of a resolved path did not escape")
	}
	t.Log("escaped after", time.Since(began))
}
