package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

// A user types each line as soon as something appears on the screen.
type user struct {
	screen bytes.Buffer
	seen   int // of the screen
	plan   []step
	in     *io.PipeWriter
}

type step struct{ sees, types string }

func (u *user) Write(p []byte) (int, error) {
	u.screen.Write(p)
	for len(u.plan) > 0 {
		at := strings.Index(u.screen.String()[u.seen:], u.plan[0].sees)
		if at < 0 {
			break
		}
		u.seen += at + len(u.plan[0].sees)
		io.WriteString(u.in, u.plan[0].types)
		u.plan = u.plan[1:]
	}
	return len(p), nil
}

func converse(t *testing.T, first string, plan ...step) string {
	t.Helper()
	var screen string
	synctest.Test(t, func(t *testing.T) { // the model's pauses take no time here
		in, typed := io.Pipe()
		u := &user{plan: plan, in: typed}
		go io.WriteString(typed, first)
		if err := chat(t.Context(), in, u); err != nil {
			t.Error(err)
		}
		if len(u.plan) > 0 {
			t.Errorf("never seen on the screen: %q", u.plan[0].sees)
		}
		screen = u.screen.String()
	})
	return screen
}

func TestALineSteersTheRunningAnswer(t *testing.T) {
	t.Parallel()
	screen := converse(t, "shocks\n",
		step{"page 2 about", "auroras\n"},
		step{"all I found about auroras.\n", "/quit\n"})
	if strings.Contains(screen, "page 3 about shocks") || strings.Contains(screen, "stopped") {
		t.Errorf("got:\n%s\nwant one run that leaves shocks for auroras", screen)
	}
}

func TestStopInterruptsAndTheConversationGoesOn(t *testing.T) {
	t.Parallel()
	screen := converse(t, "shocks\n",
		step{"page 2", "/stop\n"},
		step{"pressed stop)\n", "auroras\n"},
		step{"page 1 about auroras", "/quit\n"})
	if want := "read page 2 \n(run stopped: interrupted: the user pressed stop)\n"; !strings.Contains(screen, want) {
		t.Errorf("got:\n%s\nwant the answer cut off in %q", screen, want)
	}
	if want := "(run cancelled: session closed)\n"; !strings.HasSuffix(screen, want) {
		t.Errorf("got:\n%s\nwant the end %q", screen, want)
	}
}

func TestTheEndOfTheInputWaitsForTheAnswer(t *testing.T) {
	t.Parallel()
	var screen strings.Builder
	synctest.Test(t, func(t *testing.T) {
		if err := chat(t.Context(), strings.NewReader("shocks\n"), &screen); err != nil {
			t.Error(err)
		}
	})
	if want := "That is all I found about shocks.\n"; !strings.HasSuffix(screen.String(), want) {
		t.Errorf("got:\n%s\nwant the end %q", screen.String(), want)
	}
}
