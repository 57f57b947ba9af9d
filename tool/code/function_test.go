package code_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/sandbox/repl/repltest"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/code"
)

type nothing struct{}

func newError(fs ...code.Function) error {
	_, err := code.New(&repltest.Runtime{}, &code.Options{Functions: fs})
	return err
}

func TestFunctionsAreCheckedByNew(t *testing.T) {
	t.Parallel()
	any1 := func(context.Context, nothing) (string, error) { return "", nil }
	for name, test := range map[string]struct {
		fs   []code.Function
		want string
	}{
		"a digit first":    {[]code.Function{code.Func("2bad", "x", any1)}, `"2bad" is not an identifier`},
		"a hyphen":         {[]code.Function{code.Func("get-it", "x", any1)}, "not an identifier"},
		"empty":            {[]code.Function{code.Func("", "x", any1)}, "not an identifier"},
		"two underscores":  {[]code.Function{code.Func("__call", "x", any1)}, "begins with __"},
		"a word of Python": {[]code.Function{code.Func("lambda", "x", any1)}, "a word of JavaScript or Python"},
		"reserved predict": {[]code.Function{code.Func("predict", "x", any1)}, `"predict" is reserved`},
		"reserved submit":  {[]code.Function{code.Func("submit", "x", any1)}, "reserved"},
		"reserved fetch":   {[]code.Function{code.Func("fetch", "x", any1)}, "reserved"},
		"reserved helper":  {[]code.Function{code.Func("countBy", "x", any1)}, "reserved"},
		"twice":            {[]code.Function{echo("a"), echo("a")}, `"a" is there twice`},
		"no description":   {[]code.Function{code.Func("a", " ", any1)}, "no description"},
		"no function":      {[]code.Function{code.Func[nothing, int]("a", "x", nil)}, "no Go function"},
		"a map":            {[]code.Function{code.Func("a", "x", func(context.Context, map[string]int) (int, error) { return 0, nil })}, "it must be a struct"},
		"a parameter": {[]code.Function{code.Func("a", "x", func(context.Context, struct {
			F int `json:"from-to"`
		}) (int, error) {
			return 0, nil
		})}, `"from-to" is not an identifier`},
		"a parameter keyword": {[]code.Function{code.Func("a", "x", func(context.Context, struct {
			F int `json:"from"`
		}) (int, error) {
			return 0, nil
		})}, `"from" is a word`},
		"a channel": {[]code.Function{code.Func("a", "x", func(context.Context, struct{ C chan int }) (int, error) { return 0, nil })}, "schema"},
		"zero":      {[]code.Function{{Name: "a", Doc: "x"}}, "code.Func"},
	} {
		wantError(t, name, newError(test.fs...), test.want)
	}
	if err := newError(echo("a"), echo("b")); err != nil {
		t.Error(err)
	}
	_, err := code.New(nil, nil)
	wantError(t, "no runtime", err, "no runtime")
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		opts code.Options
		want string
	}{
		{code.Options{Sessions: -1}, "Options.Sessions is -1"},
		{code.Options{Timeout: -1}, "Options.Timeout"},
		{code.Options{ModelBytes: 10}, "ModelBytes is 10"},
		{code.Options{Predict: &code.Predict{}}, "neither a Model nor Ask"},
		{code.Options{Predict: &code.Predict{Ask: ask("x"), MaxCalls: -1}}, "MaxCalls is -1"},
		{code.Options{Predict: &code.Predict{Ask: ask("x"), Timeout: -1}}, "Timeout is negative"},
		{code.Options{Inputs: []code.Input{{Name: "a b", Value: []byte("1")}}}, "not an identifier"},
		{code.Options{Inputs: []code.Input{{Name: "submit", Value: []byte("1")}}}, "reserved"},
		{code.Options{Inputs: []code.Input{{Name: "a", Value: []byte("{")}}}, "not JSON"},
		{code.Options{Inputs: []code.Input{{Name: "a", Value: []byte("1")}, {Name: "a", Value: []byte("1")}}}, "there twice"},
		{code.Options{Inputs: []code.Input{{Name: "a", Value: []byte("1")}}, Functions: []code.Function{echo("a")}}, "name of a function"},
		{code.Options{Inputs: []code.Input{{Name: "a", Value: []byte(strings.Repeat("[", 2000) + strings.Repeat("]", 2000))}}}, "nests deeper"},
	} {
		_, err := code.New(&repltest.Runtime{}, &test.opts)
		wantError(t, test.want, err, test.want)
	}
}

func ask(text string) func(context.Context, string, string) (string, llm.Usage, error) {
	return func(context.Context, string, string) (string, llm.Usage, error) { return text, llm.Usage{}, nil }
}

func TestArgumentsAreCheckedOnTheHost(t *testing.T) {
	t.Parallel()
	var ran atomic.Int32
	f := code.Func("plot", "plots", func(_ context.Context, in struct {
		Name  string    `json:"name"`
		Width int       `json:"width,omitempty"`
		Style string    `json:"style,omitempty" enum:"line,dots"`
		Data  []float64 `json:"data,omitempty"`
	}) (string, error) {
		ran.Add(1)
		return fmt.Sprint(in), nil
	})
	c := open(t, &code.Options{Functions: []code.Function{f}})
	for _, test := range []struct{ args, want string }{
		{`{"name":"a"}`, `"{a 0  []}"`},
		{`{"name":"a","width":3,"style":"dots","data":[1,2.5]}`, `"{a 3 dots [1 2.5]}"`},
		{`{"name":"a","width":3.0}`, `"{a 3  []}"`}, // as Python writes 6/2
		{`{"name":"a","width":3e2}`, `"{a 300  []}"`},
		{`{"name":"3.0","width":null}`, `"{3.0 0  []}"`},
		{`{}`, "caught: invalid arguments for plot: "},
		{`{"name":7}`, "caught: invalid arguments for plot: "},
		{`{"name":"a","width":3.5}`, "caught: invalid arguments for plot: "},
		{`{"name":"a","style":"bars"}`, "caught: invalid arguments for plot: "},
		{`{"name":"a","data":["x"]}`, "caught: invalid arguments for plot: "},
		{`{"name":"a","other":1}`, "caught: plot has no parameter"},
		{`{"name":"a","width":1e30}`, "caught: "},
	} {
		text, _ := run(in(t.Context(), "a"), t, c, "try plot "+test.args)
		wantHas(t, test.args, text, test.want)
	}
	wantEqual(t, "calls that reached the function", ran.Load(), 5)
	wantEqual(t, "calls that were counted", c.Calls("a")["plot"], 11) // one did not leave the interpreter's host
}

func TestResultsAreJSON(t *testing.T) {
	t.Parallel()
	type point struct{ X, Y float64 }
	fs := []code.Function{
		code.Func("text", "x", func(context.Context, nothing) (string, error) { return "a&b <c>", nil }),
		code.Func("points", "x", func(context.Context, nothing) ([]point, error) { return []point{{1, math.NaN()}}, nil }),
		code.Func("none", "x", func(context.Context, nothing) (*point, error) { return nil, nil }),
		code.Func("raw", "x", func(context.Context, nothing) (json.RawMessage, error) { return []byte(`{"a":[1]}`), nil }),
		code.Func("empty", "x", func(context.Context, nothing) (nothing, error) { return nothing{}, nil }),
		code.Func("broken", "x", func(context.Context, nothing) (any, error) { return make(chan int), nil }),
	}
	c := open(t, &code.Options{Functions: fs})
	text, _ := run(in(t.Context(), "a"), t, c, "call text\ncall points\ncall none\ncall raw\ncall empty\ntry broken")
	wantHas(t, "results", text, "\"a&b <c>\"\n[{\"X\":1,\"Y\":null}]\nnull\n{\"a\":[1]}\n{}\ncaught: ")
}

func TestErrorsAndPanicsAreThrownIntoTheCell(t *testing.T) {
	t.Parallel()
	var none *json.SyntaxError
	fs := []code.Function{
		code.Func("sorry", "x", func(context.Context, nothing) (string, error) { return "", errors.New("no such order: 7") }),
		code.Func("boom", "x", func(context.Context, nothing) (string, error) { panic("ouch") }),
		code.Func("blank", "x", func(context.Context, nothing) (string, error) { return "", errors.New(" ") }),
		code.Func("typed", "x", func(context.Context, nothing) (string, error) { return "", none }),
		code.Func("leaves", "x", func(context.Context, nothing) (string, error) { runtime.Goexit(); return "", nil }),
	}
	c := open(t, &code.Options{Functions: fs})
	text, _ := run(in(t.Context(), "a"), t, c, "try sorry\ntry boom\ntry blank\ntry typed\ntry leaves\nprint on")
	wantText(t, "what was caught", text, "caught: no such order: 7\ncaught: boom panicked: ouch\ncaught: blank failed\ncaught: an error that cannot be printed\ncaught: leaves failed: its goroutine ended without a result\non")
	text, _ = run(in(t.Context(), "a"), t, c, "call sorry")
	wantText(t, "what was not", text, "STDERR: Error: no such order: 7\n[exit code 1]")
}

func TestAResultThatIsTooLongIsAnError(t *testing.T) {
	t.Parallel()
	f := code.Func("big", "x", func(_ context.Context, in struct{ N int }) (string, error) { return strings.Repeat("x", in.N), nil })
	c := open(t, &code.Options{Functions: []code.Function{f}, ResultBytes: 1000})
	text, _ := run(in(t.Context(), "a"), t, c, `try big {"N":5000}`)
	wantText(t, "too long", text, "caught: the result of big is 5002 bytes of JSON, over the limit of 1000; ask for less at a time")
	text, _ = run(in(t.Context(), "a"), t, c, `try big {"N":998}`)
	wantEqual(t, "the longest", len(text), 1000)
}

func TestFunctionsHaveATimeAndAreLeftBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		heeds := code.Func("heeds", "x", func(ctx context.Context, _ nothing) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		heeds.Timeout = 2 * time.Second
		deaf := code.Func("deaf", "x", func(context.Context, nothing) (string, error) {
			time.Sleep(time.Hour)
			return "late", nil
		})
		c, err := code.New(&repltest.Runtime{}, &code.Options{Functions: []code.Function{heeds, deaf}, CallTimeout: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		ctx := in(t.Context(), "a")
		began := time.Now()
		text, _ := run(ctx, t, c, "try heeds")
		wantText(t, "one that heeds its context", text, "caught: heeds took longer than 2s")
		wantEqual(t, "time", time.Since(began), 2*time.Second)
		began = time.Now()
		text, _ = run(ctx, t, c, "try deaf")
		wantText(t, "one that does not", text, "caught: deaf took longer than 5s")
		wantEqual(t, "time", time.Since(began), 5500*time.Millisecond)
		time.Sleep(time.Hour)
		c.Close()
	})
}

func TestCallsAreCountedBySessionAndByCell(t *testing.T) {
	t.Parallel()
	c := open(t, &code.Options{
		Functions: []code.Function{double(), echo("echo")},
		Predict:   &code.Predict{Ask: ask("yes")},
	})
	ctx := in(t.Context(), "a")
	run(ctx, t, c, "call double {\"n\":1}\ncall double {\"n\":1}")
	_, r := run(ctx, t, c, "try double {\"n\":-1}\ncall echo {\"text\":\"x\"}\ncall predict {\"instructions\":\"i\",\"input\":\"t\"}")
	wantText(t, "calls of the cell", fmt.Sprint(r.Calls), "map[double:1 echo:1]")
	wantText(t, "calls of the session", fmt.Sprint(c.Calls("a")), "map[double:3 echo:1]")
	wantText(t, "calls of another session", fmt.Sprint(c.Calls("b")), "map[]")
	wantEqual(t, "calls of predict", r.Predict.Calls, 1)
}

func TestEachCallOfAFunctionHasItsOwnKey(t *testing.T) {
	t.Parallel()
	f := code.Func("key", "x", func(ctx context.Context, _ nothing) (string, error) {
		call := tool.CallFrom(ctx)
		return call.Session + " " + call.IdempotencyKey, nil
	})
	c := open(t, &code.Options{Functions: []code.Function{f, double()}})
	text, _ := run(in(t.Context(), "a"), t, c, "call key\ncall double {\"n\":1}\ncall key")
	wantText(t, "keys", text, "\"a key/key/1\"\n2\n\"a key/key/3\"")
}

func TestAFunctionCanEndTheRun(t *testing.T) {
	t.Parallel()
	gone := errors.New("the account is closed")
	f := code.Func("pay", "x", func(context.Context, nothing) (string, error) { return "", tool.Abort(gone) })
	c := open(t, &code.Options{Functions: []code.Function{f}})
	ctx := in(t.Context(), "a")
	_, err := execute(ctx, c, "try pay\nprint never")
	var abort *tool.AbortError
	if !errors.As(err, &abort) || !errors.Is(err, gone) {
		t.Errorf("got %v, want the abort", err)
	}
	text, _ := run(ctx, t, c, "print on")
	wantHas(t, "a cell of a later run", text, "on")
}

func TestToolsAsFunctions(t *testing.T) {
	t.Parallel()
	weather := tool.New("weather", "Weather in a city", func(_ context.Context, in struct {
		City string `json:"city"`
		Days int    `json:"days,omitempty"`
	}) (map[string]any, error) {
		if in.City == "" {
			return nil, errors.New("which city?")
		}
		return map[string]any{"city": in.City, "days": in.Days}, nil
	}, tool.WithEffect(tool.ReadOnly))
	words := tool.Raw(llm.ToolSpec{Name: "words", Description: "Some words", Input: []byte(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}},"required":["z"]}`)},
		func(_ context.Context, args json.RawMessage) (tool.Result, error) {
			if strings.Contains(string(args), "bad") {
				return tool.Result{Parts: []llm.Part{llm.Text("not that")}, IsError: true}, nil
			}
			return tool.Text("some words"), nil
		}, tool.WithEffect(tool.ReadOnly))
	c := open(t, &code.Options{Functions: []code.Function{code.FromTool(weather), code.FromTool(words)}})
	text, _ := run(in(t.Context(), "a"), t, c, `
		call weather {"city":"Oulu","days":2.0}
		try weather {"city":""}
		try weather {"town":"Oulu"}
		call words {"z":"x"}
		try words {"z":"bad"}
		try words {}`)
	wantHas(t, "calls", text, `{"city":"Oulu","days":2}`, "caught: which city?", "caught: weather has no parameter", `"some words"`, "caught: not that", "caught: invalid arguments for words")
	wantHas(t, "prompt", c.Prompt(), "- words(z: str, a: str = None)", "- weather(city: str, days: int = None)")

	wantError(t, "a mutating tool", newError(code.FromTool(tool.New("w", "x", func(context.Context, nothing) (string, error) { return "", nil }, tool.WithEffect(tool.Mutating)))), "asks no permission", "read_only")
	wantError(t, "an unknown effect", newError(code.FromTool(tool.New("w", "x", func(context.Context, nothing) (string, error) { return "", nil }))), "read_only")
	wantError(t, "a final tool", newError(code.FromTool(tool.New("w", "x", func(context.Context, nothing) (string, error) { return "", nil }, tool.WithEffect(tool.ReadOnly), tool.Final()))), "final")
	wantError(t, "a tool without a function", newError(code.FromTool(tool.Tool{Spec: llm.ToolSpec{Name: "w", Description: "x"}})), "no function")
}

func TestFunctionsAreFrozen(t *testing.T) {
	t.Parallel()
	fs := []code.Function{echo("a")}
	opts := &code.Options{Functions: fs}
	c := open(t, opts)
	fs[0] = echo("b")
	opts.Functions = append(opts.Functions, echo("c"))
	text, _ := run(in(t.Context(), "s"), t, c, "call a {\"text\":\"x\"}\ntry b {\"text\":\"x\"}")
	wantHas(t, "calls", text, "\"x\"\ncaught: Method not found: b")
	wantHas(t, "the prompt", c.Prompt(), "- a(")
	wantNot(t, "the prompt", c.Prompt(), "- b(", "- c(")
}

// FuzzArguments sends what a program may forge in place of arguments.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{``, `null`, `{}`, `[]`, `{"n":3}`, `{"n":3.0}`, `{"n":1e400}`, `{"n":"x"}`, `{"n":9007199254740993.0}`, `{"m":1}`, `{"n":1,"n":2}`, "{\"n\":\"\xff\"}", strings.Repeat(`{"n":`, 2000)} {
		f.Add([]byte(seed))
	}
	type args struct {
		N int               `json:"n"`
		S string            `json:"s,omitempty"`
		L []int             `json:"l,omitempty"`
		M map[string]string `json:"m,omitempty"`
		A any               `json:"a,omitempty"`
	}
	fn := code.Func("f", "x", func(_ context.Context, in args) (args, error) { return in, nil })
	f.Fuzz(func(t *testing.T, data []byte) {
		result, err := code.CallFunction(t.Context(), fn, data)
		if err != nil {
			return
		}
		var back args
		if err := json.Unmarshal(result, &back); err != nil {
			t.Fatalf("%s gave %s: %v", data, result, err)
		}
		again, err := code.CallFunction(t.Context(), fn, result)
		if err != nil || string(again) != string(result) {
			t.Errorf("%s gave %s, then %s, %v", data, result, again, err)
		}
	})
}
