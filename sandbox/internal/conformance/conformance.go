// Package conformance holds what every runtime of package repl must do, as one
// table of cells in each language, and transcripts that a reader can follow.
package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/sandbox/repl"
)

// A code is a cell in each language, by Runtime.Name.
type code map[string]string

func both(javascript, python string) code {
	return code{"javascript": javascript, "python": python}
}

// suite is one runtime under test.
type suite struct {
	rt repl.Runtime
}

// Test runs every case against a runtime.
func Test(t *testing.T, rt repl.Runtime) {
	s := suite{rt}
	for name, test := range map[string]func(*testing.T){
		"VariablesPersist":        s.persist,
		"DeclareAgain":            s.declareAgain,
		"EchoOfLastExpression":    s.echo,
		"FailureKeepsVariables":   s.failure,
		"Inputs":                  s.inputs,
		"HostFunctions":           s.functions,
		"HostErrorIsCaught":       s.hostError,
		"CallsAreCounted":         s.calls,
		"CallTooLarge":            s.largeCall,
		"Timeout":                 s.timeout,
		"TimeoutThatIsCaught":     s.caught,
		"TimeoutInsideCall":       s.timeoutInCall,
		"Cancel":                  s.cancel,
		"HangIsKilled":            s.hang,
		"MemoryBomb":              s.memory,
		"FloodOfOutput":           s.flood,
		"FrameOnStdout":           s.frameOnStdout,
		"Concurrent":              s.concurrent,
		"Bindings":                s.bindings,
		"BindingsAreCapped":       s.bindingsCapped,
		"BindingsAfterTimeout":    s.bindingsLate,
		"Environment":             s.environment,
		"CloseWhileRunning":       s.close,
		"StartFailsOnBadConfig":   s.badConfig,
		"WholeNumbers":            s.numbers,
		"LateAnswerIsDropped":     s.lateAnswer,
		"ExceptionsKeepTheKernel": s.exceptions,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

func (s suite) start(t *testing.T, cfg *repl.Config) *repl.Kernel {
	t.Helper()
	k, err := s.rt.Start(context.Background(), cfg)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return k
}

// run runs a cell, 10 s at most.
func (s suite) run(t *testing.T, k *repl.Kernel, c code) *repl.Outcome {
	t.Helper()
	return s.cell(t, k, c, repl.Cell{Timeout: 10 * time.Second})
}

func (s suite) cell(t *testing.T, k *repl.Kernel, c code, cell repl.Cell) *repl.Outcome {
	t.Helper()
	cell.Code = c[s.rt.Name()]
	out, err := k.Execute(context.Background(), cell)
	if err != nil {
		t.Fatalf("Execute(%q): %v", cell.Code, err)
	}
	return out
}

func wantOut(t *testing.T, out *repl.Outcome, stdout string) {
	t.Helper()
	if out.Stdout != stdout || out.ExitCode != 0 {
		t.Errorf("got %q, exit %d, standard error %q; want %q", out.Stdout, out.ExitCode, out.Stderr, stdout)
	}
}

func wantFailure(t *testing.T, out *repl.Outcome, stderr string) {
	t.Helper()
	if out.ExitCode != 1 || out.Dead || !strings.Contains(out.Stderr, stderr) {
		t.Errorf("got exit %d, dead %v, standard error %q; want exit 1 and %q", out.ExitCode, out.Dead, out.Stderr, stderr)
	}
}

func (s suite) persist(t *testing.T) {
	k := s.start(t, nil)
	s.run(t, k, both("const x = 20; function double(n) { return 2 * n }; class P { get two() { return 2 } }",
		"x = 20\ndef double(n): return 2 * n\nclass P:\n    two = 2"))
	wantOut(t, s.run(t, k, both("double(x) + new P().two", "double(x) + P().two")), "42\n")
}

func (s suite) declareAgain(t *testing.T) {
	k := s.start(t, nil)
	again := both("const a = 1; let b = 2; class C {}; function f() { return 3 }; a + b + f()",
		"a = 1; b = 2\nclass C: pass\ndef f(): return 3\na + b + f()")
	wantOut(t, s.run(t, k, again), "6\n")
	wantOut(t, s.run(t, k, again), "6\n")
}

func (s suite) echo(t *testing.T) {
	k := s.start(t, nil)
	wantOut(t, s.run(t, k, both("'text'", "'text'")), "'text'\n")
	wantOut(t, s.run(t, k, both("const y = 5", "y = 5")), "")
	wantOut(t, s.run(t, k, both("undefined", "None")), "")
	wantOut(t, s.run(t, k, both("console.log(1); 2; 3", "print(1)\n2\n3")), "1\n3\n")
	wantOut(t, s.run(t, k, both("", "")), "")
	wantOut(t, s.run(t, k, both("await Promise.resolve(7)", "async def seven(): return 7\nawait seven()")), "7\n")
}

func (s suite) failure(t *testing.T) {
	k := s.start(t, nil)
	out := s.run(t, k, both("var kept = 1;\nthrow new Error('on purpose');\nvar never = 2", "kept = 1\nraise ValueError('on purpose')\nnever = 2"))
	wantFailure(t, out, "on purpose")
	if !strings.Contains(out.Stderr, "line 2") {
		t.Errorf("standard error %q does not name line 2", out.Stderr)
	}
	wantOut(t, s.run(t, k, both("[kept, never]", "[kept, 'never' in globals()]")),
		map[string]string{"javascript": "[ 1, undefined ]\n", "python": "[1, False]\n"}[s.rt.Name()])
	wantFailure(t, s.run(t, k, both("var kept = 2; ) (", "kept = 2\n) (")), "SyntaxError")
	wantOut(t, s.run(t, k, both("kept", "kept")), "1\n")
}

func (s suite) inputs(t *testing.T) {
	k := s.start(t, &repl.Config{Inputs: map[string]json.RawMessage{
		"names": json.RawMessage(`["a&b<c>12","\u2028é"]`), "order": json.RawMessage(`{"id":7,"paid":true,"note":null,"__proto__":1}`),
	}})
	wantOut(t, s.run(t, k, both("names[0] + names.length + order.id + order.paid + order.note", "names[0] + str(len(names)) + str(order['id']) + str(order['paid']).lower() + 'null'")),
		"'a&b<c>1227truenull'\n")
}

// echoConfig has functions whose calls are easy to see.
func echoConfig() *repl.Config {
	return &repl.Config{
		Functions: []repl.Function{
			{Name: "give", Params: []string{"value", "extra"}}, {Name: "refuse", Params: []string{"why"}}, {Name: "panics"}, {Name: "wait"},
		},
		Call: func(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
			var in struct{ Why string }
			_ = json.Unmarshal(args, &in)
			switch name {
			case "refuse":
				return nil, errors.New(in.Why)
			case "panics":
				panic("handler")
			case "wait":
				<-ctx.Done()
				return nil, context.Cause(ctx)
			}
			return args, nil
		},
	}
}

func (s suite) functions(t *testing.T) {
	k := s.start(t, echoConfig())
	wantOut(t, s.run(t, k, both("JSON.stringify(give(1, 'two'))", "import json; json.dumps(give(1, 'two'), separators=(',', ':'))")), "'{\"value\":1,\"extra\":\"two\"}'\n")
	wantOut(t, s.run(t, k, both("JSON.stringify(give({extra: [1, {a: null}]}))", "json.dumps(give(extra=[1, {'a': None}]), separators=(',', ':'))")), "'{\"extra\":[1,{\"a\":null}]}'\n")
	wantOut(t, s.run(t, k, both("give().value === undefined && (await give(3)).value", "give().get('value') is None and give(3)['value']")), "3\n")
	wantOut(t, s.run(t, k, both("let n = 0; for (let i = 0; i < 100; i++) n += give(i).value; n", "sum(give(i)['value'] for i in range(100))")), "4950\n")
	wantFailure(t, s.run(t, k, both("give(1, 2, 3)", "give(1, 2, 3)")), "argument")
	wantFailure(t, s.run(t, k, both("panics()", "panics()")), "panics failed: panic: handler")
}

func (s suite) hostError(t *testing.T) {
	k := s.start(t, echoConfig())
	out := s.run(t, k, both(`try { refuse('no "such" order: a&b<c>12') } catch (e) { console.log(e instanceof Error, e.message) }`,
		"try:\n    refuse('no \"such\" order: a&b<c>12')\nexcept HostError as e:\n    print('true', e)"))
	wantOut(t, out, "true no \"such\" order: a&b<c>12\n")
	wantFailure(t, s.run(t, k, both("refuse('not caught')", "refuse('not caught')")), "not caught")
}

func (s suite) calls(t *testing.T) {
	cfg := echoConfig()
	cfg.MaxCalls = 3
	k := s.start(t, cfg)
	many := both("let i = 0; try { for (;;) { give(1); i++ } } catch (e) { console.log(i, e.message) }",
		"i = 0\ntry:\n    while True:\n        give(1); i += 1\nexcept HostError as e:\n    print(i, e)")
	want := "3 give was not called: a cell can call host functions 3 times\n"
	wantOut(t, s.run(t, k, many), want)
	wantOut(t, s.run(t, k, many), want) // each cell has its own count
}

func (s suite) largeCall(t *testing.T) {
	cfg := echoConfig()
	cfg.MaxFrame = 1 << 16
	k := s.start(t, cfg)
	wantFailure(t, s.run(t, k, both("give('x'.repeat(100000))", "give('x' * 100000)")), "over the limit of 65536")
	wantOut(t, s.run(t, k, both("give('x'.repeat(60000)).value.length", "len(give('x' * 60000)['value'])")), "60000\n")
}

const short = 300 * time.Millisecond

// atMost is how long the ladder may take beyond the timeout.
const atMost = 2100 * time.Millisecond

func (s suite) timeout(t *testing.T) {
	k := s.start(t, nil)
	s.run(t, k, both("var kept = 'still here'", "kept = 'still here'"))
	out := s.cell(t, k, both("console.log('before');\nfor (let i = 0;;) { i++ }", "print('before')\nwhile True: pass"), repl.Cell{Timeout: short})
	wantFailure(t, out, "Execution timed out")
	if !out.TimedOut || out.Stdout != "before\n" || !strings.Contains(out.Stderr, "line 2") {
		t.Errorf("got %+v, want a timeout, what was printed, and the line", out)
	}
	wantOut(t, s.run(t, k, both("kept", "kept")), "'still here'\n")
}

func (s suite) caught(t *testing.T) {
	k := s.start(t, nil)
	out := s.cell(t, k, both("for (;;) { try { for (;;) {} } catch (e) {} finally { } }",
		"while True:\n    try:\n        while True: pass\n    except BaseException: pass"), repl.Cell{Timeout: short})
	if !out.TimedOut || out.Wall > short+atMost {
		t.Errorf("got %+v, want a timeout within %v", out, short+atMost)
	}
	if !out.Dead {
		wantOut(t, s.run(t, k, both("1", "1")), "1\n")
	}
}

func (s suite) timeoutInCall(t *testing.T) {
	k := s.start(t, echoConfig())
	out := s.cell(t, k, both("try { wait() } catch (e) { } console.log('after')", "wait()\nprint('after')"), repl.Cell{Timeout: short})
	if !out.TimedOut || out.Dead || out.Stdout != "" {
		t.Errorf("got %+v, want a timeout, and no line after it", out)
	}
	wantOut(t, s.run(t, k, both("give(5).value", "give(5)['value']")), "5\n")
}

func (s suite) cancel(t *testing.T) {
	k := s.start(t, echoConfig())
	ctx, cancel := context.WithCancel(context.Background())
	cfg := both("wait()", "wait()")
	done := make(chan *repl.Outcome, 1)
	go func() {
		out, _ := k.Execute(ctx, repl.Cell{Code: cfg[s.rt.Name()]})
		done <- out
	}()
	cancel()
	if out := <-done; out != nil && (!out.Interrupted || out.Dead || out.ExitCode != 1) {
		t.Errorf("got %+v, want an interruption that the kernel survives", out)
	}
	if _, err := k.Execute(ctx, repl.Cell{Code: "1"}); !errors.Is(err, context.Canceled) {
		t.Errorf("Execute with an ended context: %v", err)
	}
	wantOut(t, s.run(t, k, both("1", "1")), "1\n")
}

func (s suite) hang(t *testing.T) {
	k := s.start(t, nil)
	// goja needs its own engine for a look-ahead; sum in C looks at no signal.
	out := s.cell(t, k, both("/^(?=(a+)+$)/.test('a'.repeat(50) + 'b')", "sum(range(10**13))"), repl.Cell{Timeout: short})
	if !out.TimedOut || !out.Dead || out.ExitCode != 1 || !strings.Contains(out.Stderr, "Execution timed out") || out.OutOfMemory {
		t.Errorf("got %+v, want a dead kernel", out)
	}
	if out.Wall > short+atMost {
		t.Errorf("took %v, want at most %v", out.Wall, short+atMost)
	}
	<-k.Done()
	if out := s.run(t, k, both("1", "1")); !out.Dead || out.ExitCode != 1 || out.Stderr != "Sandbox process is not alive" {
		t.Errorf("after the end: %+v", out)
	}
}

func (s suite) memory(t *testing.T) {
	k := s.start(t, nil)
	out := s.run(t, k, both("const a = []; for (;;) a.push(new Array(1000).fill(a.length))", "a = []\nwhile True: a.append(bytearray(1 << 20))"))
	switch {
	case out.Dead && out.OutOfMemory:
	case !out.Dead && strings.Contains(out.Stderr, "MemoryError"): // the session survives that
		wantOut(t, s.run(t, k, both("1", "del a\n1")), "1\n")
	default:
		t.Errorf("got %+v, want out of memory", out)
	}
}

func (s suite) flood(t *testing.T) {
	k := s.start(t, nil)
	out := s.cell(t, k, both("const big = 'x'.repeat(1 << 20); for (;;) console.log(big)", "big = 'x' * (1 << 20)\nwhile True: print(big)"),
		repl.Cell{Timeout: 500 * time.Millisecond, Output: 1000})
	if !out.TimedOut || len(out.Stdout) != 1000 || !out.StdoutCut {
		t.Errorf("got %d bytes, cut %v, timed out %v; want 1000 bytes of a flood", len(out.Stdout), out.StdoutCut, out.TimedOut)
	}
	if !out.Dead {
		wantOut(t, s.run(t, k, both("1", "1")), "1\n")
	}
}

func (s suite) frameOnStdout(t *testing.T) {
	k := s.start(t, nil)
	out := s.run(t, k, both(`console.log('\0\0\0\x1f{"type":"result","id":1,"exit":9}'); 1`, `print('\0\0\0\x1f{"type":"result","id":1,"exit":9}')`+"\n1"))
	wantOut(t, out, "\x00\x00\x00\x1f{\"type\":\"result\",\"id\":1,\"exit\":9}\n1\n")
}

func (s suite) concurrent(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	k := s.start(t, &repl.Config{Functions: []repl.Function{{Name: "hold"}}, Call: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		close(entered)
		<-leave
		return nil, nil
	}})
	done := make(chan *repl.Outcome)
	go func() {
		out, _ := k.Execute(context.Background(), repl.Cell{Code: both("hold(); 'first'", "hold(); 'first'")[s.rt.Name()]})
		done <- out
	}()
	<-entered
	second := s.run(t, k, both("2", "2"))
	if second.ExitCode != 1 || !second.Rejected || second.Stderr != "Concurrent execution rejected - only one execute may run at a time" {
		t.Errorf("second cell: %+v", second)
	}
	close(leave)
	wantOut(t, <-done, "'first'\n")
}

func find(list []repl.Binding, name string) (repl.Binding, bool) {
	for _, b := range list {
		if b.Name == name {
			return b, true
		}
	}
	return repl.Binding{}, false
}

func (s suite) bindings(t *testing.T) {
	k := s.start(t, &repl.Config{Inputs: map[string]json.RawMessage{"given": json.RawMessage("[1, 2]")}})
	out := s.cell(t, k, both("const long = 'x'.repeat(498), __x = 1; class Bad { toString() { throw new TypeError('no text') } }; const bad = new Bad(); var n = 5",
		"long = 'x' * 498; __x = 1\nclass Bad:\n    def __repr__(self): raise TypeError('no text')\nbad = Bad(); n = 5"),
		repl.Cell{Bindings: &repl.BindingLimits{}})
	long, _ := find(out.Bindings, "long")
	if want := "'" + strings.Repeat("x", 199) + "... (len=500)"; long.Value != want {
		t.Errorf("long = %q, want %q", long.Value, want)
	}
	if _, ok := find(out.Bindings, "__x"); ok {
		t.Error("a name with two underscores is among the bindings")
	}
	if bad, _ := find(out.Bindings, "bad"); bad.Value != "<error: TypeError: no text>" || bad.Type != "Bad" {
		t.Errorf("bad = %+v", bad)
	}
	if n, _ := find(out.Bindings, "n"); n.Value != "5" {
		t.Errorf("n = %+v", n)
	}
	if _, ok := find(out.Bindings, "given"); !ok {
		t.Error("the input is not among the bindings")
	}
	for _, helper := range []string{"mean", "print", "console", "HostError"} {
		if _, ok := find(out.Bindings, helper); ok {
			t.Errorf("%s is among the bindings", helper)
		}
	}
	if out := s.run(t, k, both("1", "1")); out.Bindings != nil {
		t.Errorf("bindings that nobody asked for: %+v", out.Bindings)
	}
	wantFailure(t, s.cell(t, k, both("nothing", "nothing"), repl.Cell{Bindings: &repl.BindingLimits{}}), "nothing")
}

func (s suite) bindingsCapped(t *testing.T) {
	k := s.start(t, nil)
	out := s.cell(t, k, both("for (let i = 0; i < 50; i++) globalThis['v' + i] = 'é'.repeat(100)", "for i in range(50): globals()['v' + str(i)] = 'é' * 100"),
		repl.Cell{Bindings: &repl.BindingLimits{Value: 20, Total: 500}})
	size := 0
	for _, b := range out.Bindings[:len(out.Bindings)-1] {
		size += len(b.Name) + len(b.Value)
	}
	last := out.Bindings[len(out.Bindings)-1]
	if size > 500 || last.Name != repl.Truncated || last.Value != "(snapshot exceeded 500 chars; remaining vars dropped)" {
		t.Errorf("%d bytes, last %+v", size, last)
	}
	if v, _ := find(out.Bindings, "v0"); v.Value != "'ééééééééé... (len=202)" {
		t.Errorf("v0 = %q, want it cut at a rune boundary", v.Value)
	}
}

func (s suite) bindingsLate(t *testing.T) {
	k := s.start(t, nil)
	out := s.cell(t, k, both("var seen = 1; for (;;) {}", "seen = 1\nwhile True: pass"), repl.Cell{Timeout: short, Bindings: &repl.BindingLimits{}})
	if seen, ok := find(out.Bindings, "seen"); !ok || seen.Value != "1" {
		t.Errorf("bindings after a timeout: %+v", out.Bindings)
	}
	out = s.cell(t, k, both("class Slow { toString() { for (;;) {} } }; var slow = new Slow()", "class Slow:\n    def __repr__(self):\n        while True: pass\nslow = Slow()"),
		repl.Cell{Timeout: short, Bindings: &repl.BindingLimits{}})
	if out.Dead || !out.TimedOut {
		t.Errorf("a slow text: %+v", out)
	}
	if last := out.Bindings[len(out.Bindings)-1]; last.Name != repl.Truncated {
		t.Errorf("last binding %+v, want %s", last, repl.Truncated)
	}
}

func (s suite) environment(t *testing.T) {
	k := s.start(t, nil)
	out := s.run(t, k, both("[typeof process, typeof require, typeof fetch, typeof setTimeout, typeof Deno].join() + eval('typeof process') + new Function('return typeof process')()",
		"import os; sorted(set(os.environ) - {'PATH','HOME','LANG','TMPDIR','TZ','PWD','MPLBACKEND','OMP_NUM_THREADS','OPENBLAS_NUM_THREADS','PYTHONUTF8'})"))
	wantOut(t, out, map[string]string{"javascript": "'undefined,undefined,undefined,undefined,undefinedundefinedundefined'\n", "python": "[]\n"}[s.rt.Name()])
}

func (s suite) close(t *testing.T) {
	entered := make(chan struct{})
	k := s.start(t, &repl.Config{Functions: []repl.Function{{Name: "hold"}}, Call: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
		close(entered)
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	done := make(chan *repl.Outcome)
	go func() {
		out, _ := k.Execute(context.Background(), repl.Cell{Code: "hold()"})
		done <- out
	}()
	<-entered
	if err := k.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if out := <-done; !out.Dead || out.ExitCode != 1 {
		t.Errorf("the cell that ran: %+v", out)
	}
	if err := k.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func (s suite) badConfig(t *testing.T) {
	call := func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	for want, cfg := range map[string]*repl.Config{
		"2bad":              {Call: call, Functions: []repl.Function{{Name: "2bad"}}},
		"given twice":       {Call: call, Functions: []repl.Function{{Name: "f"}, {Name: "f"}}},
		"parameter":         {Call: call, Functions: []repl.Function{{Name: "f", Params: []string{"a b"}}}},
		"no Config.Call":    {Functions: []repl.Function{{Name: "f"}}},
		"not JSON":          {Inputs: map[string]json.RawMessage{"x": json.RawMessage("{")}},
		"a function and an": {Call: call, Functions: []repl.Function{{Name: "f"}}, Inputs: map[string]json.RawMessage{"f": json.RawMessage("1")}},
		"input \"__x\"":     {Inputs: map[string]json.RawMessage{"__x": json.RawMessage("1")}},
	} {
		if k, err := s.rt.Start(context.Background(), cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Start: error %v, want one with %q", err, want)
			if k != nil {
				_ = k.Close()
			}
		}
	}
}

func (s suite) numbers(t *testing.T) {
	k := s.start(t, &repl.Config{Inputs: map[string]json.RawMessage{
		"exact": json.RawMessage("9007199254740992"), "beyond": json.RawMessage("9007199254740993"), "nested": json.RawMessage(`{"ids":[-9223372036854775808],"f":1.5}`),
	}})
	wantOut(t, s.run(t, k, both("typeof exact + typeof beyond + String(beyond) + String(nested.ids[0]) + nested.f",
		"'numberbigint' + str(beyond) + str(nested['ids'][0]) + str(nested['f'])")), "'numberbigint9007199254740993-92233720368547758081.5'\n")
}

func (s suite) lateAnswer(t *testing.T) {
	leave := make(chan struct{})
	k := s.start(t, &repl.Config{Functions: []repl.Function{{Name: "slow"}, {Name: "fast"}}, Call: func(_ context.Context, name string, _ json.RawMessage) (json.RawMessage, error) {
		if name == "slow" {
			<-leave // a handler that does not look at its context
		}
		return json.RawMessage(`"` + name + `"`), nil
	}})
	out := s.cell(t, k, both("slow()", "slow()"), repl.Cell{Timeout: short})
	if !out.TimedOut || out.Dead {
		t.Errorf("got %+v, want a timeout", out)
	}
	close(leave)
	wantOut(t, s.run(t, k, both("fast()", "fast()")), "'fast'\n")
}

func (s suite) exceptions(t *testing.T) {
	k := s.start(t, nil)
	for _, c := range []code{
		both("throw null", "raise KeyboardInterrupt"),
		both("throw {}", "raise SystemExit(1)"),
		both("function f() { f() }; f()", "def f(): f()\nf()"),
		both("Promise.reject(new Error('x'))", "raise BaseException('x')"),
		both("await new Promise(() => {})", "import asyncio\nawait asyncio.wait_for(asyncio.Event().wait(), 0.01)"),
		both("class E extends Error { get message() { throw 1 } }; throw new E()", "class E(Exception):\n    def __str__(self): raise self\nraise E()"),
	} {
		out := s.run(t, k, c)
		if out.ExitCode != 1 || out.Dead {
			t.Errorf("%s: %+v, want exit 1", c[s.rt.Name()], out)
		}
	}
	wantOut(t, s.run(t, k, both("1", "1")), "1\n")
}
