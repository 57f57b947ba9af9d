package repl_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/sandbox/repl"
	"github.com/helios-go/helios/sandbox/repl/repltest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start starts a kernel of the little language.
func start(tb testing.TB, cfg *repl.Config) *repl.Kernel {
	tb.Helper()
	k, err := (&repltest.Runtime{}).Start(context.Background(), cfg)
	if err != nil {
		tb.Fatalf("Start: %v", err)
	}
	tb.Cleanup(func() { _ = k.Close() })
	return k
}

func execute(tb testing.TB, k *repl.Kernel, c repl.Cell) *repl.Outcome {
	tb.Helper()
	out, err := k.Execute(context.Background(), c)
	if err != nil {
		tb.Fatalf("Execute(%q): %v", c.Code, err)
	}
	return out
}

func TestVariablesPersist(t *testing.T) {
	t.Parallel()
	k := start(t, &repl.Config{Inputs: map[string]json.RawMessage{"given": json.RawMessage(`[1,2]`)}})
	execute(t, k, repl.Cell{Code: "set x 5\nfail oops"})
	out := execute(t, k, repl.Cell{Code: "show x\nshow given", Bindings: &repl.BindingLimits{}})
	if out.Stdout != "5\n[1,2]\n" || out.ExitCode != 0 {
		t.Errorf("got %+v, want 5 and [1,2]", out)
	}
	if len(out.Bindings) != 2 || out.Bindings[1].Value != "5" {
		t.Errorf("bindings = %+v, want given and x", out.Bindings)
	}
}

func TestCallsOfHostFunctions(t *testing.T) {
	t.Parallel()
	k := start(t, &repl.Config{
		Functions: []repl.Function{{Name: "double", Params: []string{"n"}}, {Name: "boom"}, {Name: "sorry"}},
		Call: func(_ context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
			switch name {
			case "boom":
				panic("ouch")
			case "sorry":
				return nil, errors.New("no such order")
			}
			return args, nil
		},
	})
	out := execute(t, k, repl.Cell{Code: "call double {\"n\":2}\ntry double {\"m\":2}\ntry sorry\ntry boom\ntry other\ncall double {\"n\":3}"})
	want := `{"n":2}
caught: double has no parameter "m"
caught: no such order
caught: boom failed: panic: ouch
caught: Method not found: other
{"n":3}
`
	if out.Stdout != want {
		t.Errorf("stdout = %s\nwant %s", out.Stdout, want)
	}
}

func TestLadder(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	out := execute(t, k, repl.Cell{Code: "set x 1\nloop", Timeout: 50 * time.Millisecond})
	if !out.TimedOut || out.Dead || out.ExitCode != 1 || !strings.Contains(out.Stderr, "Execution timed out") {
		t.Errorf("loop: %+v, want a timeout that the kernel survives", out)
	}
	if out := execute(t, k, repl.Cell{Code: "show x"}); out.Stdout != "1\n" {
		t.Errorf("after the timeout: %+v, want x", out)
	}
	out = execute(t, k, repl.Cell{Code: "hang", Timeout: 50 * time.Millisecond})
	if !out.Dead || !out.TimedOut || out.Wall > 10*time.Second {
		t.Errorf("hang: %+v, want a dead kernel soon (2.1 s, but on a busy machine)", out)
	}
	out = execute(t, k, repl.Cell{Code: "show x"})
	if !out.Dead || out.Stderr != "Sandbox process is not alive" {
		t.Errorf("after the end: %+v", out)
	}
}
