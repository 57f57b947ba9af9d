package main

import (
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
)

const (
	storm   = `{"file":"a-halloween.txt","event":{"kind":"storm","date":"2003-10-29"},"cost_micros":6000}` + "\n"
	meeting = `{"file":"b-meeting.txt","error":"no valid output in 2 attempts: `
	shock   = `{"file":"c-saint-patrick.txt","event":{"kind":"shock","date":"2015-03-17"},"cost_micros":6000}` + "\n"
)

// The model takes 125, 68 and 118 ms for the files, and is asked twice about the
// meeting: two readers are done at 125, 136 and 243 ms.
func TestWhatWasDoneIsKeptWhenTheMoneyIsUsedUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		money llm.Micros
		lines []string // each holds one of these
		err   string
	}{
		{5 * llm.Cent, []string{storm, meeting, shock}, ""},
		{12_000, []string{storm, meeting}, "2 of 3 files done: "},
		{10_000, []string{storm, meeting}, "2 of 3 files done: "},
		{6_000, []string{storm}, "1 of 3 files done: "}, // the second attempt at the meeting is not paid any more
		{1, []string{storm}, "1 of 3 files done: "},     // an answer that is there is not thrown away
		{0, nil, "0 of 3 files done: "},
		{-llm.Cent, nil, "0 of 3 files done: "},
	} {
		t.Run(c.money.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // the model's time is none here
				var out strings.Builder
				err := extract(t.Context(), "reports", c.money, &out)
				if c.err == "" && err != nil {
					t.Errorf("got error %v, want none", err)
				}
				if c.err != "" && (!errors.Is(err, agent.ErrMoney) || !strings.HasPrefix(err.Error(), c.err)) {
					t.Errorf("got error %v, want %q and that the money is used up", err, c.err)
				}
				got := strings.SplitAfter(out.String(), "\n")
				if len(got)-1 != len(c.lines) {
					t.Fatalf("got:\n%s\nwant %d lines", out.String(), len(c.lines))
				}
				for i, want := range c.lines {
					if !strings.HasPrefix(got[i], want) {
						t.Errorf("line %d: got %s, want %s", i, got[i], want)
					}
				}
			})
		})
	}
}

func TestFilesAreReadAtTheSameTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := extract(t.Context(), "reports", llm.Dollar, io.Discard); err != nil {
			t.Fatal(err)
		}
		if got, want := time.Since(start), (125+118)*time.Millisecond; got != want {
			t.Errorf("took %v, want %v: the first file and the third, and meanwhile the second", got, want)
		}
	})
}

func TestAnEmptyPurseIsAFailureOfTheProgram(t *testing.T) {
	t.Parallel()
	exe := filepath.Join(t.TempDir(), "extract.exe")
	if out, err := exec.Command("go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	var unsuccessful *exec.ExitError
	out, err := exec.CommandContext(t.Context(), exe, "-cents", "0", "reports").Output()
	if !errors.As(err, &unsuccessful) || unsuccessful.ExitCode() != 1 {
		t.Fatalf("got %v, want exit status 1", err)
	}
	if want := "0 of 3 files done: run stopped: money limit reached\n"; len(out) > 0 || string(unsuccessful.Stderr) != want {
		t.Errorf("got %q and message %q, want no line and %q", out, unsuccessful.Stderr, want)
	}
}
