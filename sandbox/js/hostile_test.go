package js

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/sandbox/repl"
)

// A toString that prints shows a value while one is shown.
func TestShowingWhileShowing(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	want(t, k, "class T { toString() { print('shown', this); return 'T' } } const x = new T(); x", "shown T {}\nT\n")
	want(t, k, "[x, x]", "shown T {}\nshown T {}\n[ T, T ]\n")
	if out := run(t, k, "throw x", 5*time.Second); !strings.HasPrefix(out.Stderr, "Uncaught T\n") {
		t.Errorf("got %+v", out)
	}
	want(t, k, "[async () => 1, async function f() {}]", "[ [Function: (anonymous)], [Function: f] ]\n")
}

// A value whose text never ends costs later cells half a second, not all their time.
func TestAValueThatIsNeverShownHarmsNoLaterCell(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	for _, code := range []string{
		"var slow = { toString() { for (;;) {} } }; 1",
		"1",
		"slow = { toString() { return 'of ' + [this] } }; 1", // a depth that goja comes back from slowly
		"1",
	} {
		out, err := k.Execute(context.Background(), repl.Cell{Code: code, Timeout: 10 * time.Second, Bindings: &repl.BindingLimits{}})
		if err != nil || out.Stdout != "1\n" || out.ExitCode != 0 || out.TimedOut || out.Dead {
			t.Fatalf("%s: %+v, %v", code, out, err)
		}
	}
}

func TestDeepRecursionThroughNativeFunctions(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	for _, code := range []string{
		"var f = () => [1].map(f); f()", "var o = { get a() { return this.a } }; o.a", "var s = { toString() { return '' + this } }; '' + s",
		"var g = () => 'a'.replace(/a/, g); g()", "var h = () => [2, 1].sort(h); h()", "var p = () => new Promise(p); p()",
	} {
		if out := run(t, k, code, 10*time.Second); !strings.HasPrefix(out.Stderr, "RangeError") || out.TimedOut || out.Dead {
			t.Errorf("%s: %+v, want a RangeError", code, out)
		}
	}
	want(t, k, "const depth = n => n === 0 ? 0 : 1 + depth(n - 1); depth(3000)", "3000\n")
}

func TestAwaitInStrictMode(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	want(t, k, "'use strict'; const a = await 1, [b, {c = 3}] = [2, {}]; class D {} function e() { return this } [a, b, c, typeof D, e()]", "[ 1, 2, 3, 'function', undefined ]\n")
	want(t, k, "#!/usr/bin/env node\nawait 5", "5\n")
	if out := run(t, k, "// await nothing\nlet x =", 5*time.Second); !strings.HasPrefix(out.Stderr, "SyntaxError: Unexpected end of input\n  cell 3, line 2") {
		t.Errorf("got %+v", out)
	}
}

// What the host gave as a BigInt it gets back as the number that it was.
func TestBigIntGoesBack(t *testing.T) {
	t.Parallel()
	k := start(t, &repl.Config{
		Inputs:    map[string]json.RawMessage{"id": json.RawMessage("9007199254740993")},
		Functions: []repl.Function{{Name: "echo", Params: []string{"a", "b"}}},
		Call: func(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
			return json.Marshal(string(args))
		},
	})
	want(t, k, "echo(id, {list: [-id, '7', 1.5]})", `'{"a":9007199254740993,"b":{"list":[-9007199254740993,"7",1.5]}}'`+"\n")
	want(t, k, "echo({a: id})", `'{"a":9007199254740993}'`+"\n")
	if out := run(t, k, "const o = {id}; o.o = o; echo(o)", 5*time.Second); !strings.Contains(out.Stderr, "circular") {
		t.Errorf("got %+v", out)
	}
}
