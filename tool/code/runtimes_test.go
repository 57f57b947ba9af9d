package code_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/internal/testdata"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/sandbox/js"
	"github.com/helios-go/helios/sandbox/py"
	"github.com/helios-go/helios/sandbox/repl"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/code"
)

var (
	openJavaScript = sync.OnceValues(func() (repl.Runtime, error) { return js.New(context.Background(), nil) })
	openPython     = sync.OnceValues(func() (repl.Runtime, error) {
		box, err := sandbox.Open(context.Background(), nil)
		if err != nil {
			return nil, err
		}
		return py.New(box, nil), nil
	})
)

// each runs a test with both real interpreters; in is what to say in the one or
// the other.
func each(t *testing.T, test func(t *testing.T, rt repl.Runtime, in func(javascript, python string) string)) {
	t.Helper()
	t.Run("javascript", func(t *testing.T) {
		t.Parallel()
		rt, err := openJavaScript()
		testdata.Need(t, "a sandbox for JavaScript", err)
		test(t, rt, func(javascript, _ string) string { return javascript })
	})
	t.Run("python", func(t *testing.T) {
		t.Parallel()
		rt, err := openPython()
		testdata.Need(t, "a sandbox for Python", err)
		test(t, rt, func(_, python string) string { return python })
	})
}

func openReal(t *testing.T, rt repl.Runtime, opts *code.Options) (*code.Code, context.Context) {
	t.Helper()
	c, err := code.New(rt, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, in(t.Context(), "a")
}

func TestRealCellsKeepTheirVariables(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, rt repl.Runtime, say func(javascript, python string) string) {
		inputs, err := code.InputsOf(struct {
			Orders []map[string]float64 `json:"orders"`
			Note   string               `json:"note,omitempty"`
		}{Orders: []map[string]float64{{"price": 2.5}, {"price": 4}}})
		if err != nil {
			t.Fatal(err)
		}
		c, ctx := openReal(t, rt, &code.Options{Inputs: inputs, Startup: say("const tax = 0.1", "tax = 0.1")})
		text, _ := run(ctx, t, c, say("const total = sum(orders, 'price')", "total = sum(o['price'] for o in orders)"))
		wantText(t, "a cell without output", text, "(no output)")
		text, _ = run(ctx, t, c, say("print(note); total * (1 + tax)", "print(note)\nround(total * (1 + tax), 3)"))
		wantText(t, "the next", text, say("null\n7.15", "None\n7.15"))
		text, r := run(ctx, t, c, say("const more = 1; undefinedName", "more = 1\nundefinedName"))
		wantHas(t, "a cell that fails", text, "STDERR: ", "undefinedName", "[exit code 1]")
		wantEqual(t, "exit code", r.ExitCode, 1)
		text, _ = run(ctx, t, c, "more + total")
		wantText(t, "after it", text, "7.5")
		text, r = run(ctx, t, c, say("'x'.repeat(6000)", "print('x' * 6000)"))
		wantEqual(t, "length of what the model sees", len(text), 5000)
		if !strings.HasSuffix(text, marker) {
			t.Errorf("it ends with %q", text[len(text)-100:])
		}
		if len(r.Stdout) < 6000 {
			t.Errorf("%d bytes are kept", len(r.Stdout))
		}
	})
}

func TestRealCellsCallFunctionsOfTheHost(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, rt repl.Runtime, say func(javascript, python string) string) {
		type row struct {
			Day string  `json:"day"`
			Kp  float64 `json:"kp"`
		}
		rows := code.Func("rows", "rows of a table", func(_ context.Context, in struct {
			Table string `json:"table"`
			N     int    `json:"n"`
			Day   string `json:"day,omitempty"`
		}) ([]row, error) {
			if in.Table != "kp" {
				return nil, fmt.Errorf("there is no table %q", in.Table)
			}
			return make([]row, in.N), nil
		})
		c, ctx := openReal(t, rt, &code.Options{Functions: []code.Function{rows, echo("echo")}})
		text, _ := run(ctx, t, c, say(
			"print(rows('kp', 3).length, rows({table: 'kp', n: 6/2})[0].kp, echo('a&b <c> é'))",
			"print(len(rows('kp', 3)), rows(table='kp', n=6/2)[0]['kp'], echo('a&b <c> é'))"))
		wantText(t, "calls", text, "3 0 a&b <c> é")
		text, _ = run(ctx, t, c, say(
			"try { rows('dst', 1) } catch (e) { print('caught', e.message) }",
			"try:\n    rows('dst', 1)\nexcept HostError as e:\n    print('caught', e)"))
		wantText(t, "an error", text, `caught there is no table "dst"`)
		text, _ = run(ctx, t, c, say("rows('kp', 'three')", "rows('kp', 'three')"))
		wantHas(t, "wrong arguments", text, "invalid arguments for rows", "n ", "[exit code 1]")
		text, _ = run(ctx, t, c, say("rows('kp')", "rows('kp')"))
		wantHas(t, "too few", text, "invalid arguments for rows", "n is required", "[exit code 1]")
		wantEqual(t, "counted", c.Calls("a")["rows"], 5)
	})
}

func TestRealCellsPredictAndSubmit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, rt repl.Runtime, say func(javascript, python string) string) {
		model := llmtest.Func(func(req *llm.Request) llmtest.Turn {
			return llmtest.Text(fmt.Sprint(len(req.Messages[0].Text()))).Using(llm.Usage{Input: 5, Output: 1})
		})
		submit, err := code.SubmitOf[llm.Provenanced[flare]](nil)
		if err != nil {
			t.Fatal(err)
		}
		c, ctx := openReal(t, rt, &code.Options{Predict: &code.Predict{Model: model, MaxCalls: 2}, Submit: submit})
		text, r := run(ctx, t, c, say(
			"for (const s of ['a', 'bb', 'ccc']) { try { print(predict('count', s)) } catch (e) { print(e.message) } }",
			"for s in ['a', 'bb', 'ccc']:\n    try:\n        print(predict(instructions='count', input=s))\n    except HostError as e:\n        print(e)"))
		wantHas(t, "predictions", text, "1\n2\nSandboxBudgetExceeded(kind=LLM_CALLS, limit=2, actual=3)")
		wantEqual(t, "spent", *r.Predict, code.Spent{Calls: 2, Usage: llm.Usage{Input: 10, Output: 2}})
		text, _ = run(ctx, t, c, say("submit({output: {class: 'X45'}, provenance: []})", "submit({'output': {'class': 'X45'}, 'provenance': []})"))
		wantHas(t, "an output that does not fit", text, "Submit validation failed:", "year is required", "Required fields: [output, provenance]", "Fix the output value and call submit again.", "[exit code 1]")
		const entries = `[{"field": "class", "sources": [], "reasoning": "known", "confidence": "LOW"}, {"field": "year", "sources": [], "reasoning": "known", "confidence": "LOW"}]`
		text, r = run(ctx, t, c, say("submit({output: {class: 'X45', year: 2003}, provenance: "+entries+"})", "submit({'output': {'class': 'X45', 'year': 2003}, 'provenance': "+entries+"})"))
		wantHas(t, "one that fits", text, "[submitted: {")
		var out llm.Provenanced[flare]
		if err := json.Unmarshal(r.Submitted, &out); err != nil || out.Output != (flare{Class: "X45", Year: 2003}) {
			t.Errorf("submitted %s, %v", r.Submitted, err)
		}
		text, _ = run(ctx, t, c, "submit(1)")
		wantHas(t, "a second one", text, "submit has already been called", "[exit code 1]")
	})
}

func TestRealCellsThatRunOutOfTime(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, rt repl.Runtime, say func(javascript, python string) string) {
		c, ctx := openReal(t, rt, &code.Options{Timeout: 300 * time.Millisecond})
		run(ctx, t, c, say("let x = 41", "x = 41"))
		text, r := run(ctx, t, c, say("while (true) {}", "while True: pass"))
		wantHas(t, "an endless loop", text, "Execution timed out", "[exit code 1]")
		wantEqual(t, "lost", r.Lost, false)
		text, _ = run(ctx, t, c, "x + 1")
		wantText(t, "the next cell", text, "42")
		// What cannot be interrupted is killed.
		began := time.Now()
		text, r = run(ctx, t, c, say("/^(?=(a+)+$)(a+)+\\2$/.test('a'.repeat(40) + 'b')", "import itertools\nsum(itertools.repeat(1))"))
		if took := time.Since(began); took > 20*time.Second { // some 2 s, but on a busy machine
			t.Errorf("it took %v", took)
		}
		wantHas(t, "what cannot be interrupted", text, "Execution timed out", "[exit code 1]")
		wantEqual(t, "timed out", r.TimedOut, true)
		text, _ = run(ctx, t, c, say("typeof x", "'x' in globals()"))
		if r.Lost {
			wantHas(t, "the cell after a kill", text, "[new interpreter: the last one is gone, because a cell ran out of time and had to be killed", say("undefined", "False"))
		}
	})
}

func TestRealCellsThatUseTooMuchMemory(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, rt repl.Runtime, say func(javascript, python string) string) {
		var before, after runtime.MemStats
		c, ctx := openReal(t, rt, &code.Options{Limits: sandbox.Limits{Memory: 256 << 20}})
		run(ctx, t, c, say("let x = 1", "x = 1"))
		runtime.GC()
		runtime.ReadMemStats(&before)
		text, r := run(ctx, t, c, say("const a = []; while (true) a.push('x'.repeat(1000) + a.length)", "a = []\nwhile True: a.append(bytearray(1 << 20))"))
		runtime.ReadMemStats(&after)
		wantHas(t, "a memory bomb", strings.ToLower(text), "memory", "[exit code ")
		if grown := int64(after.Sys) - int64(before.Sys); grown > 32<<20 {
			t.Errorf("the host grew by %d bytes", grown)
		}
		text, _ = run(ctx, t, c, say("print(1)", "print(1)"))
		wantHas(t, "the next cell", text, "1")
		if r.Lost {
			wantHas(t, "the next cell", text, "[new interpreter: the last one is gone, because it ", "ran out of memory")
		}
	})
}

func TestARealCellIsCancelled(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, rt repl.Runtime, say func(javascript, python string) string) {
		f, called, _ := gate()
		c, ctx := openReal(t, rt, &code.Options{Functions: []code.Function{f}})
		cancelled, cancel := context.WithCancelCause(ctx)
		go func() { <-called; cancel(errors.New("stop")) }()
		text, r := run(cancelled, t, c, say("try { gate() } catch (e) {}\nwhile (true) {}", "try:\n    gate()\nexcept BaseException: pass\nwhile True:\n    pass"))
		wantHas(t, "the cancelled cell", text, "Execution interrupted", "[exit code 1]")
		wantEqual(t, "interrupted", r.Interrupted, true)
		text, _ = run(ctx, t, c, "1 + 1")
		wantHas(t, "the next", text, "2")
	})
}

func TestSecretsOfRealCellsAreNotSeen(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, rt repl.Runtime, say func(javascript, python string) string) {
		var told string
		c, ctx := openReal(t, rt, &code.Options{
			Secrets:    registry(t, map[string]string{"KEY": key}),
			OnBindings: func(_ string, b []repl.Binding) { told = fmt.Sprint(b) },
			Bindings:   repl.BindingLimits{Value: 20},
		})
		text, r := run(ctx, t, c, say(
			"const k = 'a&b<c' + '>12', list = [{k}], long = '.'.repeat(14) + k\nprint(k); print(JSON.stringify(list)); throw new Error(k)",
			"import json\nk = 'a&b<c' + '>12'\nlst = [{'k': k}]\nlong = '.' * 14 + k\nprint(k)\nprint(json.dumps(lst))\nraise ValueError(k)"))
		wantHas(t, "text", text, "<redacted:KEY>", "STDERR: ")
		wantHas(t, "bindings", told, "<redacted:KEY>")
		if r.Redactions.Total() < 5 {
			t.Errorf("%d redactions", r.Redactions.Total())
		}
		data, _ := json.Marshal(r)
		for _, part := range []string{key, "b<c>12", "a&b<c>", `a\u0026b`, "&b<c"} {
			wantNot(t, "text and bindings", text+told+string(data), part)
		}
	})
}

// A run of an agent in each language: it looks at its input, asks the sub-model,
// and hands over what it has found.
func TestARealAgentRun(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, rt repl.Runtime, say func(javascript, python string) string) {
		c, _ := openReal(t, rt, &code.Options{
			Inputs:  []code.Input{{Name: "texts", Value: []byte(`["Hyvää päivää","Bonjour","Guten Tag"]`), Doc: "greetings"}},
			Predict: &code.Predict{Model: llmtest.Func(func(req *llm.Request) llmtest.Turn { return llmtest.Text(strings.ToUpper(req.Messages[0].Text()[:1])) })},
			Submit:  &code.Submit{},
		})
		model := llmtest.New(
			cell(say("const found = texts.map(t => predict('First letter', t)); found", "found = [predict('First letter', t) for t in texts]\nfound")),
			cell(say("submit(found.join(''))", "submit(''.join(found))")),
			llmtest.Text("done"),
		)
		a := agent.Agent{Model: model, Instructions: c.Prompt(), Tools: []tool.Tool{c.Execute()}, Policy: agent.AllowTools("Execute")}
		res, err := a.Run(t.Context(), "go")
		if err != nil {
			t.Fatal(err)
		}
		output, ok := c.Submitted(res.Session)
		wantText(t, "submitted", fmt.Sprintf("%s %v", output, ok), `"HBG" true`)
		wantEqual(t, "calls of predict", c.Spent(res.Session).Calls, 3)
	})
}
