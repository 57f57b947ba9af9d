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
		calls := 0
		rt := &repltest.Runtime{}
		fresh := func() *repl.Kernel {
			k, err := rt.Start(context.Background(), &repl.Config{
				MaxCalls: 3, Functions: []repl.Function{{Name: "count"}},
				Call: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
					calls++
					return json.RawMessage(fmt.Sprint(calls)), nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
		k := fresh()
		defer func() {
			if err := k.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}()
		variables, dead := map[string]int{}, false
		execute := func(ctx context.Context, code string, timeout time.Duration) *repl.Outcome {
			out, err := k.Execute(ctx, repl.Cell{Code: code, Timeout: timeout, Bindings: &repl.BindingLimits{}})
			if err != nil {
				t.Fatal(err)
			}
			if out.Wall > timeout+2100*time.Millisecond {
				t.Errorf("%q took %v, timeout %v", code, out.Wall, timeout)
			}
			if dead && (!out.Dead || out.Stderr != "Sandbox process is not alive") {
				t.Errorf("%q in a dead kernel: %+v", code, out)
			}
			if !out.Dead && len(out.Bindings) != len(variables) && !strings.HasPrefix(code, "set") {
				t.Errorf("%q: bindings %+v, want %v", code, out.Bindings, variables)
			}
			return out
		}
		names := rapid.SampledFrom([]string{"a", "b", "c"})
		long := 5 * time.Second
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				name, value := names.Draw(t, "name"), rapid.IntRange(0, 99).Draw(t, "value")
				if out := execute(context.Background(), fmt.Sprintf("set %s %d", name, value), long); out.ExitCode == 0 {
					variables[name] = value
				} else if !dead {
					t.Errorf("set: %+v", out)
				}
			},
			"show": func(t *rapid.T) {
				name := names.Draw(t, "name")
				out := execute(context.Background(), "show "+name, long)
				value, known := variables[name]
				if want := fmt.Sprintln(value); known && !dead && out.Stdout != want || !known && out.ExitCode == 0 {
					t.Errorf("show %s: %+v, want %v %v", name, out, value, known)
				}
			},
			"call": func(t *rapid.T) {
				n, before := rapid.IntRange(1, 6).Draw(t, "calls"), calls
				out := execute(context.Background(), strings.Repeat("call count\n", n), long)
				if want := min(n, 3); !dead && (calls-before != want || (n > 3) != (out.ExitCode == 1)) {
					t.Errorf("%d calls: %+v, %d answered", n, out, calls-before)
				}
			},
			"time out": func(*rapid.T) {
				if out := execute(context.Background(), "loop", time.Millisecond); !dead && (!out.TimedOut || out.Dead) {
					t.Errorf("loop: %+v", out)
				}
			},
			"interrupt": func(*rapid.T) {
				ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
				defer cancel()
				out, err := k.Execute(ctx, repl.Cell{Code: "loop"})
				if err == nil && !dead && (!out.Interrupted || out.Dead) {
					t.Errorf("interrupted: %+v", out)
				}
			},
			"fail": func(*rapid.T) {
				if out := execute(context.Background(), "fail oh", long); out.ExitCode != 1 || out.Dead != dead {
					t.Errorf("fail: %+v", out)
				}
			},
			"two at once": func(*rapid.T) {
				ctx, cancel := context.WithCancel(context.Background())
				done := make(chan struct{})
				go func() {
					defer close(done)
					_, _ = k.Execute(ctx, repl.Cell{Code: "loop"})
				}()
				out, err := k.Execute(ctx, repl.Cell{Code: "print x", Timeout: 100 * time.Millisecond})
				cancel()
				<-done
				if err != nil || !dead && !out.Rejected && out.Stdout != "x\n" {
					t.Errorf("beside another: %+v, %v", out, err)
				}
			},
			"die": func(t *rapid.T) {
				code := rapid.SampledFrom([]int{0, 3, 137}).Draw(t, "code")
				out := execute(context.Background(), fmt.Sprintf("warn out of memory\ndie %d", code), long)
				if !dead && (!out.Dead || out.ExitCode == 0 || out.OutOfMemory != (code == 137)) {
					t.Errorf("die %d: %+v", code, out)
				}
				dead = true
			},
			"start again": func(*rapid.T) {
				if !dead {
					return
				}
				if err := k.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
				k, dead = fresh(), false
				clear(variables)
			},
		})
	})
}
