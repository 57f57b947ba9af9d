package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
)

const (
	storm   = `{"file":"a-halloween.txt","event":{"kind":"storm","date":"2003-10-29"},"cost_micros":6000}` + "\n"
	meeting = `{"file":"b-meeting.txt","error":"no valid output in 2 attempts: `
	shock   = `{"file":"c-saint-patrick.txt","event":{"kind":"shock","date":"2015-03-17"},"cost_micros":6000}` + "\n"
)

func TestWhatWasDoneIsKeptWhenTheMoneyIsUsedUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		money llm.Micros
		lines []string // each holds one of these
		err   string
	}{
		{50_000, []string{storm, meeting, shock}, ""},
		{18_000, []string{storm, meeting}, "2 of 3 files done: "},
		{10_000, []string{storm}, "1 of 3 files done: "}, // the second attempt at the meeting is not paid any more
		{6_000, []string{storm}, "1 of 3 files done: "},
		{1, []string{storm}, "1 of 3 files done: "}, // an answer that is there is not thrown away
		{0, nil, "0 of 3 files done: "},
	} {
		t.Run(c.money.String(), func(t *testing.T) {
			t.Parallel()
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
	}
}

func TestAnEmptyPurseIsAFailureOfTheProgram(t *testing.T) {
	t.Parallel()
	exe := filepath.Join(t.TempDir(), "extract.exe")
	if out, err := exec.Command("go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	var unsuccessful *exec.ExitError
	out, err := exec.CommandContext(t.Context(), exe, "-money", "0.01", "reports").Output()
	if !errors.As(err, &unsuccessful) || unsuccessful.ExitCode() != 1 {
		t.Fatalf("got %v, want exit status 1", err)
	}
	if string(out) != storm {
		t.Errorf("got %q, want the line that was paid, %q", out, storm)
	}
	if want := "1 of 3 files done: run stopped: money limit reached\n"; string(unsuccessful.Stderr) != want {
		t.Errorf("got message %q, want %q", unsuccessful.Stderr, want)
	}
}
