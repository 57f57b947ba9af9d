package repl_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/sandbox/repl"
	"github.com/helios-go/helios/sandbox/repl/repltest"
	"pgregory.net/rapid"
)

// TestKernelAgainstModel runs cells of every kind in any order against what a
// reader would say: a map of variables that a dead kernel loses.
func TestKernelAgainstModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{rt: &repltest.Runtime{}, variables: map[string]int{}}
		m.start(t)
		defer m.close(t)
		t.Repeat(map[string]func(*rapid.T){
			"set":         m.set,
			"show":        m.show,
			"call":        m.call,
			"time out":    m.timeOut,
			"interrupt":   m.interrupt,
			"fail":        m.fail,
			"two at once": m.twoAtOnce,
			"die":         m.die,
			"start again": m.again,
		})
		if alive := m.rt.Alive(); !m.dead && alive != 1 {
			t.Errorf("%d kernels are alive, want 1", alive)
		}
	})
}

// machine is a kernel and what is known of it.
type machine struct {
	rt        *repltest.Runtime
	k         *repl.Kernel
	calls     int // answered
	variables map[string]int
	dead      bool
}

// long is a timeout that nothing reaches.
const long = 5 * time.Second

func (m *machine) start(t *rapid.T) {
	k, err := m.rt.Start(context.Background(), &repl.Config{
		MaxCalls: 3, Functions: []repl.Function{{Name: "count"}},
		Call: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			m.calls++
			return json.RawMessage(fmt.Sprint(m.calls)), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	m.k, m.dead = k, false
	clear(m.variables)
}

func (m *machine) close(t *rapid.T) {
	if err := m.k.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// execute holds what is true of every cell.
func (m *machine) execute(t *rapid.T, code string, timeout time.Duration) *repl.Outcome {
	out, err := m.k.Execute(context.Background(), repl.Cell{Code: code, Timeout: timeout, Bindings: &repl.BindingLimits{}})
	if err != nil {
		t.Fatal(err)
	}
	if out.Wall > timeout+2100*time.Millisecond+5*time.Second { // which a busy machine may add
		t.Errorf("%q took %v, timeout %v", code, out.Wall, timeout)
	}
	if m.dead && (!out.Dead || out.Stderr != "Sandbox process is not alive") {
		t.Errorf("%q in a dead kernel: %+v", code, out)
	}
	if !out.Dead && len(out.Bindings) != len(m.variables) && !strings.HasPrefix(code, "set") {
		t.Errorf("%q: bindings %+v, want %v", code, out.Bindings, m.variables)
	}
	return out
}

var names = rapid.SampledFrom([]string{"a", "b", "c"})

func (m *machine) set(t *rapid.T) {
	name, value := names.Draw(t, "name"), rapid.IntRange(0, 99).Draw(t, "value")
	if out := m.execute(t, fmt.Sprintf("set %s %d", name, value), long); out.ExitCode == 0 {
		m.variables[name] = value
	} else if !m.dead {
		t.Errorf("set: %+v", out)
	}
}

func (m *machine) show(t *rapid.T) {
	name := names.Draw(t, "name")
	out := m.execute(t, "show "+name, long)
	value, known := m.variables[name]
	if want := fmt.Sprintln(value); known && !m.dead && out.Stdout != want || !known && out.ExitCode == 0 {
		t.Errorf("show %s: %+v, want %v %v", name, out, value, known)
	}
}

func (m *machine) call(t *rapid.T) {
	n, before := rapid.IntRange(1, 6).Draw(t, "calls"), m.calls
	out := m.execute(t, strings.Repeat("call count\n", n), long)
	if want := min(n, 3); !m.dead && (m.calls-before != want || (n > 3) != (out.ExitCode == 1)) {
		t.Errorf("%d calls: %+v, %d answered", n, out, m.calls-before)
	}
}

func (m *machine) timeOut(t *rapid.T) {
	if out := m.execute(t, "loop", time.Millisecond); !m.dead && (!out.TimedOut || out.Dead) {
		t.Errorf("loop: %+v", out)
	}
}

func (m *machine) interrupt(t *rapid.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	out, err := m.k.Execute(ctx, repl.Cell{Code: "loop"})
	if err == nil && !m.dead && (!out.Interrupted || out.Dead) {
		t.Errorf("interrupted: %+v", out)
	}
}

func (m *machine) fail(t *rapid.T) {
	if out := m.execute(t, "fail oh", long); out.ExitCode != 1 || out.Dead != m.dead {
		t.Errorf("fail: %+v", out)
	}
}

func (m *machine) twoAtOnce(t *rapid.T) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = m.k.Execute(ctx, repl.Cell{Code: "loop"})
	}()
	out, err := m.k.Execute(ctx, repl.Cell{Code: "print x", Timeout: long})
	cancel()
	<-done
	if err != nil || !m.dead && !out.Rejected && out.Stdout != "x\n" {
		t.Errorf("beside another: %+v, %v", out, err)
	}
}

func (m *machine) die(t *rapid.T) {
	code := rapid.SampledFrom([]int{0, 3, 137}).Draw(t, "code")
	out := m.execute(t, fmt.Sprintf("warn out of memory\ndie %d", code), long)
	if !m.dead && (!out.Dead || out.ExitCode == 0 || out.OutOfMemory != (code == 137)) {
		t.Errorf("die %d: %+v", code, out)
	}
	m.dead = true
}

func (m *machine) again(t *rapid.T) {
	if m.dead {
		m.close(t)
		m.start(t)
	}
}
