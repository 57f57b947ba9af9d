package js

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/sandbox/repl"
)

func run(t *testing.T, k *repl.Kernel, code string, timeout time.Duration) *repl.Outcome {
	t.Helper()
	out, err := k.Execute(context.Background(), repl.Cell{Code: code, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func want(t *testing.T, k *repl.Kernel, code, stdout string) {
	t.Helper()
	if out := run(t, k, code, 10*time.Second); out.Stdout != stdout {
		t.Errorf("%s\nsays %q, exit %d, standard error %q; want %q", code, out.Stdout, out.ExitCode, out.Stderr, stdout)
	}
}

func TestDeclarations(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	for _, test := range []struct{ code, stdout string }{
		{"const {a, b: [c, ...d], ...e} = {a: 1, b: [2, 3, 4], f: 5}", ""},
		{"[a, c, d, e]", "[ 1, 2, [ 3, 4 ], { f: 5 } ]\n"},
		{"let a; a", ""},
		{"var a = 2; var a; a", "2\n"},
		{"{ let a = 3; const c = 4 } a + c", "4\n"},
		{"for (let a = 0; a < 2; a++) {} a", "2\n"},
		{"const f = () => {}; f.name", "'f'\n"},
		{"function* g() { yield 1 } async function h() { return 2 } [...g(), await h()]", "[ 1, 2 ]\n"},
		{"class A { #p = 1; static s = 2; get p() { return this.#p } } class B extends A {} [new B().p, B.s]", "[ 1, 2 ]\n"},
		{"const [x = 5, {y}] = await [undefined, {y: 6}]; function after() { return x + y + z } var z = await 1; after()", "12\n"},
		{"for (const v of [1, 2]) { var last = v; await v } last", "2\n"},
		{"[x, y, z, after()]", "[ 5, 6, 1, 12 ]\n"},
		{"undeclared = 5; undeclared", "5\n"},
		{"{a: 1, b: 2}", "{ a: 1, b: 2 }\n"},
		{"{ let q = 1; q }", ""},
		{"if (true) { 5 }", ""},
		{"'await' + 1", "'await1'\n"},
		{"const été = await 1; été", "1\n"},
		{"await 1 // at the end", "1\n"},
		{"x; // nothing", "5\n"},
		{"this === globalThis", "true\n"},
	} {
		want(t, k, test.code, test.stdout)
	}
	// A cell that closes the function around it is no cell.
	if out := run(t, k, "await 1 })(); (async () => {", 5*time.Second); !strings.Contains(out.Stderr, "SyntaxError") {
		t.Errorf("got %+v", out)
	}
}

// TestInterruptedInsideAsync holds what unwinding is for.
func TestInterruptedInsideAsync(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	for _, code := range []string{
		"await 1; for (;;) {}",
		"async function deep(n) { await null; if (n === 0) for (;;) {} await deep(n - 1) } await deep(20)",
		"function* g() { yield* (function* () { for (;;) {} })() } for (const x of g()) {}",
		"Promise.resolve().then(() => { for (;;) {} })",
		"[1].map(() => [2].map(() => { for (;;) {} }))",
		"({ toString() { for (;;) {} } })",
	} {
		if out := run(t, k, code, 100*time.Millisecond); !out.TimedOut || out.Dead {
			t.Fatalf("%s: %+v, want a timeout that the kernel survives", code, out)
		}
		want(t, k, "await Promise.resolve('fit')", "'fit'\n")
	}
}

func TestPollution(t *testing.T) {
	t.Parallel()
	k := start(t, &repl.Config{Functions: []repl.Function{{Name: "give", Params: []string{"value"}}}, Call: func(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
		return args, nil
	}})
	want(t, k, `
Object.prototype.get = () => 'polluted'; Object.prototype.value = 'polluted'; Object.prototype.extra = 1;
Array.prototype.map = Array.prototype.push = Array.prototype[Symbol.iterator] = null;
JSON.parse = JSON.stringify = Object.getOwnPropertyDescriptor = Object.keys = Function.prototype.toString = null;
Error = Promise = Map = Set = undefined; Object.prototype.toString = null;
give({x: [1]}).value.x[0] + sum([1, 2])`, "4\n")
	want(t, k, "({a: 1})", "{ a: 1 }\n")
	want(t, k, "try { give(1, 2) } catch (e) { print(e.message) }", "give takes 1 arguments, 2 were given\n")
	want(t, k, "sum.extra = 1; print.extra = 1; [sum.extra, Object.isFrozen(sum), Object.isFrozen(console)]", "[ 1, true, true ]\n") // of Object.prototype
}

func TestNothingIsInReach(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	want(t, k, "Object.getOwnPropertyNames(globalThis).filter(n => !/^[A-Z]/.test(n)).sort().join(' ')",
		"'console countBy decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval filter globalThis groupBy isFinite isNaN join len map max mean median min parseFloat parseInt print printf println range sorted sum undefined unescape unique'\n")
	want(t, k, "(function () { return this })() === globalThis && [].constructor.constructor('return typeof process')()", "'undefined'\n")
	// A source map would be a file.
	want(t, k, "1 //# sourceMappingURL=/etc/passwd", "1\n")
	want(t, k, "eval('2 //# sourceMappingURL=/etc/passwd')", "2\n")
}

func TestOutOfMemoryInOneGo(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"'x'.repeat(2 ** 30)", "new Array(2 ** 27).fill(0)", "JSON.parse('['.repeat(50000000))", "var kept = new ArrayBuffer(2 ** 31 - 1)"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			k := start(t, nil)
			out := run(t, k, code, 10*time.Second)
			if !out.Dead && out.ExitCode != 1 {
				t.Errorf("exit %d, %q", out.ExitCode, out.Stderr)
			}
			if len(out.Stderr) > 2000 {
				t.Errorf("%d bytes of diagnostics", len(out.Stderr))
			}
		})
	}
}

// FuzzCell runs any text as a cell, and a sane one after it.
func FuzzCell(f *testing.F) {
	for _, seed := range []string{
		"const x = 1; x", "let {a, ...b} = await {a: 1}; a", "class A {} new A", "{a: 1}", "await", "})(", "for (const x of [1]) var y = x", "function f() {} f()",
		"async () => { await 1 }", "import x from 'y'", "label: for (;;) break label", "throw {}", "new Proxy({}, {get() { throw 1 }})", "`${await 1}`", "var [,a=1,[b]]=[1,,[2]]",
		"Promise.reject(1)", "Object.defineProperty(globalThis, 'x', {get() { throw 2 }, enumerable: true})", "/(?=a)/", "switch (1) { case 1: let z }",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, code string) {
		e := newEngine(io.Discard, io.Discard)
		broken := false
		e.die = func(int) { broken = true }
		if err := e.Start(&repl.Setup{}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		if strings.Contains(code, "repeat") || strings.Contains(code, "?=") { // what cannot be interrupted is the sandbox's to end
			return
		}
		e.Run(ctx, code)
		e.Bindings(ctx, repl.BindingLimits{Value: 200, Total: 16384})
		if broken {
			return
		}
		var out strings.Builder
		e.stdout = &out
		if exit := e.Run(context.Background(), "var __after = await 42; __after"); exit != 0 || out.String() != "42\n" {
			if !strings.Contains(code, "Promise") && !strings.Contains(code, "__") && !strings.Contains(code, "prototype") {
				t.Errorf("after %q: exit %d, %q", code, exit, out.String())
			}
		}
	})
}
