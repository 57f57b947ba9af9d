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
	t.Parallel()
	race := swaptest.New(t)
	at := func(name string) string { return filepath.Join(race.Root, name) }
	cases := []swaptest.Case{
		{Name: "read", On: swaptest.File, Do: func(name string) (string, error) {
			data, err := os.ReadFile(at(name))
			return string(data), err
		}},
		{Name: "list", On: swaptest.Folder, Do: func(name string) (string, error) {
			entries, err := os.ReadDir(at(name))
			return fmt.Sprint(entries), err
		}},
		{Name: "write", On: swaptest.File, Do: func(name string) (string, error) {
			return "", os.WriteFile(at(name), []byte("written"), 0o600)
		}},
		{Name: "replace", On: swaptest.File, Do: func(name string) (string, error) {
			temp := filepath.Join(filepath.Dir(at(name)), "temp")
			defer os.Remove(temp)
			return "", errors.Join(os.WriteFile(temp, []byte("written"), 0o600), os.Rename(temp, at(name)))
		}},
		{Name: "create", On: swaptest.Fresh, Do: func(name string) (string, error) {
			return "", os.WriteFile(at(name), []byte("new"), 0o600)
		}},
		{Name: "remove", On: swaptest.File, Do: func(name string) (string, error) {
			return "", os.Remove(at(name))
		}},
		{Name: "make folders", On: swaptest.Gone, Do: func(name string) (string, error) {
			return "", os.MkdirAll(at(name), 0o700)
		}},
		{Name: "change the mode", On: swaptest.File, Do: func(name string) (string, error) {
			return "", os.Chmod(at(name), 0o640)
		}},
	}
	// On a machine that has other things to do little is swapped at times.
	for end := time.Now().Add(time.Minute); len(cases) > 0 && time.Now().Before(end); {
		report := race.Observe(50*time.Millisecond, cases...)
		unseen := cases[:0:0]
		for i, c := range report.Cases {
			if c.Escapes == 0 {
				unseen = append(unseen, cases[i])
				continue
			}
			t.Logf("%-16s %5d calls, %5d succeeded, %5d escaped", c.Name, c.Calls, c.Succeeded, c.Escapes)
		}
		cases = unseen
	}
	for _, c := range cases {
		t.Errorf("no escape of %q was seen", c.Name)
	}
}

func TestTheControlEscapes(t *testing.T) {
	t.Parallel()
	race := swaptest.New(t)
	began := time.Now()
	if !race.Control(30 * time.Second) {
		t.Fatal("the check of a resolved path did not escape")
	}
	t.Log("escaped after", time.Since(began))
}
