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

func TestALineRedirectsTheModelAtOnce(t *testing.T) {
	t.Parallel()
	got := converse(t, "shocks\n",
		step{"Of shocks much has ", "auroras\n"},
		step{"auroras it is.\n", "/quit\n"})
	want := "Of shocks much has \n(run stopped: interrupted)\n" +
		"Of auroras much has been written, and this is answer 2 of mine: auroras it is.\n"
	if !strings.HasPrefix(got, want) { // /quit may or may not be before the end of the run
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestStopInterruptsAndTheConversationGoesOn(t *testing.T) {
	t.Parallel()
	got := converse(t, "shocks\n",
		step{"Of shocks much ", "/stop\n"},
		step{"pressed stop)\n", "auroras\n"},
		step{"been written", "/quit\n"})
	want := "Of shocks much \n(run stopped: interrupted: the user pressed stop)\n" +
		"Of auroras much has been written, \n(run cancelled: session closed)\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
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
	want := "Of shocks much has been written, and this is answer 1 of mine: shocks it is.\n"
	if got := screen.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
