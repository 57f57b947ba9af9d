package code_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/sandbox/repl/repltest"
	"github.com/helios-go/helios/tool/code"
)

// model is what a session should be.
type model struct {
	alive bool
	known bool // had an interpreter in its life
	x     int  // the variable, 0: not set
	calls int
	idle  func()
}

// Sessions come, go, die, rest and end in any order; their variables, counts and
// places are what a map would say.
//
//nolint:gocognit // a machine is a table of moves, and reads as one
func TestSessionsBehaveAsAMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const places = 2
		rt := &repltest.Runtime{}
		var armed func()
		c, err := code.New(rt, &code.Options{
			Sessions: places, Functions: []code.Function{double()},
			After: func(_ time.Duration, f func()) func() bool { armed = f; return func() bool { return true } },
		})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		sessions := map[string]*model{}
		alive := func() (n int) {
			for _, m := range sessions {
				if m.alive {
					n++
				}
			}
			return n
		}
		pick := func(t *rapid.T) (string, *model) {
			id := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "session")
			if sessions[id] == nil {
				sessions[id] = &model{}
			}
			return id, sessions[id]
		}
		// cell runs one and holds it to what the model says of notes and places.
		cell := func(t *rapid.T, text string) (string, *model, bool) {
			id, m := pick(t)
			res, err := execute(in(context.Background(), id), c, text)
			if err != nil {
				t.Fatal(err)
			}
			got := res.Text()
			if !m.alive && alive() == places {
				if !strings.Contains(got, "pool saturated (cap=2)") {
					t.Fatalf("got %q from a full pool", got)
				}
				return "", m, false
			}
			note, rest, found := strings.Cut(got, "]\n")
			if isNew := found && strings.HasPrefix(note, "[new interpreter"); isNew {
				got = rest
				if m.alive || !m.known {
					t.Fatalf("told that it is new: %q", note)
				}
			} else if !m.alive && m.known {
				t.Fatalf("not told that it is new: %q", got)
			}
			if !m.alive {
				m.alive, m.known, m.x = true, true, 0
			}
			m.idle = armed
			return got, m, true
		}
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				n := rapid.IntRange(1, 99).Draw(t, "n")
				if _, m, ok := cell(t, fmt.Sprintf("set x %d", n)); ok {
					m.x = n
				}
			},
			"show": func(t *rapid.T) {
				got, m, ok := cell(t, "show x")
				want := fmt.Sprint(m.x)
				if m.x == 0 {
					want = "STDERR: Error: x is not defined\n[exit code 1]"
				}
				if ok && !strings.HasPrefix(got, want) {
					t.Fatalf("got %q, want %q", got, want)
				}
			},
			"call": func(t *rapid.T) {
				if _, m, ok := cell(t, `call double {"n":1}`); ok {
					m.calls++
				}
			},
			"die": func(t *rapid.T) {
				if _, m, ok := cell(t, "die 1"); ok {
					m.alive = false
				}
			},
			"rest": func(t *rapid.T) {
				if _, m := pick(t); m.alive && m.idle != nil {
					m.idle()
					m.alive = false
				}
			},
			"end": func(t *rapid.T) {
				id, _ := pick(t)
				c.End(id)
				sessions[id] = &model{}
			},
			"": func(t *rapid.T) {
				if c.Alive() != alive() {
					t.Fatalf("%d interpreters, want %d", c.Alive(), alive())
				}
				for id, m := range sessions {
					if n := c.Calls(id)["double"]; n != m.calls {
						t.Fatalf("%d calls in %s, want %d", n, id, m.calls)
					}
				}
			},
		})
	})
}
