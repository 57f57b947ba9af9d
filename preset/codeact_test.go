package preset_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/preset"
	"github.com/helios-go/helios/sandbox/repl/repltest"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/code"
)

type readings struct {
	Station string    `json:"station"`
	Bz      []float64 `json:"bz" jsonschema:"in nT"`
}

type extreme struct {
	Min float64 `json:"min" jsonschema:"least Bz in nT"`
	N   int     `json:"n"`
}

// scripted is an interpreter whose cells are Go functions by name.
func scripted(cells map[string]func(c *repltest.Cell) int) *repltest.Runtime {
	return &repltest.Runtime{Run: func(c *repltest.Cell) int {
		run, ok := cells[c.Code]
		if !ok {
			fmt.Fprintf(c.Stderr, "no cell %q", c.Code)
			return 1
		}
		return run(c)
	}}
}

func cell(name string) string {
	args, _ := json.Marshal(map[string]string{"code": name})
	return string(args)
}

func look(c *repltest.Cell) int {
	fmt.Fprintln(c.Stdout, c.Vars["station"], len(c.Vars["bz"].([]any)))
	return 0
}

func submit(output any) func(c *repltest.Cell) int {
	return func(c *repltest.Cell) int {
		if _, err := c.Call("submit", map[string]any{"output": output}); err != nil {
			fmt.Fprintln(c.Stderr, err)
			return 1
		}
		return 0
	}
}

var day = readings{Station: "ACE", Bz: []float64{-1, -4.394, 2}}

func TestACodeActWorksInCellsAndAnswersAsItsType(t *testing.T) {
	t.Parallel()
	model := llmtest.New(llmtest.Call("Execute", cell("look")), llmtest.Text(`{"min":-4.394,"n":3}`))
	c := preset.CodeAct[readings, extreme]{
		Agent:   agent.Agent{Model: model, Instructions: "You are careful."},
		Runtime: scripted(map[string]func(*repltest.Cell) int{"look": look}),
		Task:    "Find the minimum.",
	}
	got, res, err := c.Run(t.Context(), day)
	if err != nil || got != (extreme{-4.394, 3}) || res.ToolCalls != 1 {
		t.Errorf("got %+v, %d calls, %v", got, res.ToolCalls, err)
	}
	reqs := model.Requests()
	if got := reqs[1].Messages[2].Parts[0].Result.Text(); !strings.HasPrefix(got, "ACE 3") {
		t.Errorf("the cell said %q, want the inputs bound", got)
	}
	system := reqs[0].System[0].Text
	for _, want := range []string{"You are careful.", "station", "bz", "in nT"} {
		if !strings.Contains(system, want) {
			t.Errorf("the instructions do not say %q:\n%s", want, system)
		}
	}
	if strings.Contains(system, "-4.394") {
		t.Error("the instructions hold the input's values")
	}
	if len(reqs[0].Tools) != 1 || reqs[0].Output == nil {
		t.Errorf("got %d tools and output %v, want Execute alone and the schema", len(reqs[0].Tools), reqs[0].Output)
	}
}

func TestAnAnswerBeforeAnyCellIsNotTaken(t *testing.T) {
	t.Parallel()
	model := llmtest.New(
		llmtest.Text(`{"min":-9,"n":1}`),
		llmtest.Call("Execute", cell("look")),
		llmtest.Text(`{"min":-4.394,"n":3}`),
	)
	c := preset.CodeAct[readings, extreme]{
		Agent: agent.Agent{Model: model}, Task: "Find the minimum.",
		Runtime: scripted(map[string]func(*repltest.Cell) int{"look": look}),
	}
	got, _, err := c.Run(t.Context(), day)
	if err != nil || got.N != 3 {
		t.Errorf("got %+v, %v; want the answer after the cell", got, err)
	}
	last := model.Requests()[1].Messages
	if said := last[len(last)-1].Text(); !strings.Contains(said, "have not run any code") {
		t.Errorf("the model was told %q", said)
	}
}

func TestWhatACellSubmitsEndsTheRunWithoutAnotherTurn(t *testing.T) {
	t.Parallel()
	model := llmtest.New(
		llmtest.Text("It is -4.394."),
		llmtest.Call("Execute", cell("short")),
		llmtest.Call("Execute", cell("good")),
	)
	sub := llmtest.New()
	c := preset.CodeAct[readings, extreme]{
		Agent: agent.Agent{Model: model}, Task: "Find the minimum.", Sub: &agent.Agent{Model: sub},
		Runtime: scripted(map[string]func(*repltest.Cell) int{
			"short": submit(map[string]any{"n": 3}),
			"good":  submit(extreme{-4.394, 3}),
		}),
	}
	got, res, err := c.Run(t.Context(), day)
	if err != nil || got != (extreme{-4.394, 3}) || res.Stop != agent.StopDone {
		t.Fatalf("got %+v, %+v, %v", got, res, err)
	}
	reqs := model.Requests()
	if len(reqs) != 3 || reqs[0].Output != nil {
		t.Errorf("got %d requests, output %v; want 3, and no schema that would end the run early", len(reqs), reqs[0].Output)
	}
	if said := reqs[1].Messages[len(reqs[1].Messages)-1].Text(); !strings.Contains(said, "Nothing was submitted") {
		t.Errorf("after words alone the model was told %q", said)
	}
	if said := reqs[2].Messages[len(reqs[2].Messages)-1].Parts[0].Result.Text(); !strings.Contains(said, "min") || !strings.Contains(said, "Submit validation failed") {
		t.Errorf("after a wrong output the model was told %q", said)
	}
}

func TestWhatPredictCostsCountsForTheRun(t *testing.T) {
	t.Parallel()
	price := llm.Price{Input: 1_000_000}
	model := llmtest.New(llmtest.Call("Execute", cell("judge")).Using(llm.Usage{Input: 5}))
	sub := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		return llmtest.Text(req.System[0].Text + ": " + req.Messages[0].Text()).Using(llm.Usage{Input: 10})
	})
	sub.ID = "sub"
	var said []string
	judge := func(c *repltest.Cell) int {
		for i := range 3 {
			answer, err := c.Call("predict", map[string]any{"instructions": "Judge", "input": fmt.Sprint(i)})
			if err != nil {
				fmt.Fprintln(c.Stderr, err)
				said = append(said, err.Error())
				break
			}
			said = append(said, string(answer))
		}
		return submit(extreme{1, 1})(c)
	}
	store := agent.NewMemoryStore()
	c := preset.CodeAct[readings, extreme]{
		Agent: agent.Agent{Model: model, Prices: llm.Prices{"test/scripted": price, "sub": price}}, Task: "Judge.",
		Sub: &agent.Agent{Model: sub}, Calls: 2,
		Runtime: scripted(map[string]func(*repltest.Cell) int{"judge": judge}),
	}
	b, err := c.Bind(day)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	s, err := b.Agent.Open(t.Context(), &agent.OpenOptions{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	res, err := s.Run(t.Context(), b.Task)
	if err != nil {
		t.Fatal(err)
	}
	if res.Usage.Input != 25 || res.Cost != 25 {
		t.Errorf("got %d tokens for %d, want those of both calls of predict counted: 25", res.Usage.Input, res.Cost)
	}
	want := `"Judge: 0" "Judge: 1" SandboxBudgetExceeded`
	if got := strings.Join(said, " "); !strings.HasPrefix(got, want) {
		t.Errorf("the cell got %s, want %s", got, want)
	}
	if spent := b.Code.Spent(s.ID()); spent.Calls != 2 || spent.Usage.Input != 20 {
		t.Errorf("spent %+v, want two calls of 10 tokens", spent)
	}
	children := 0
	for info, err := range store.List(t.Context(), agent.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if info.Parent == s.ID() {
			children++
		}
	}
	if children != 2 {
		t.Errorf("got %d sessions that work for this one, want 2", children)
	}
	if out, err := b.OutputOf(res); err != nil || out != (extreme{1, 1}) {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestEachRunOfASessionSubmitsItsOwn(t *testing.T) {
	t.Parallel()
	model := llmtest.New(llmtest.Call("Execute", cell("one")), llmtest.Call("Execute", cell("two")))
	c := preset.CodeAct[readings, extreme]{
		Agent: agent.Agent{Model: model}, Task: "Go.", Sub: &agent.Agent{Model: llmtest.New()},
		Runtime: scripted(map[string]func(*repltest.Cell) int{"one": submit(extreme{1, 1}), "two": submit(extreme{2, 2})}),
	}
	b, err := c.Bind(day)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	s, err := b.Agent.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i, want := range []extreme{{1, 1}, {2, 2}} {
		res, err := s.Run(t.Context(), b.Task)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := b.OutputOf(res); err != nil || got != want {
			t.Errorf("run %d: got %+v, %v; want %+v", i, got, err, want)
		}
	}
}

func TestOnlyCellsAndWhatReadsIsAllowed(t *testing.T) {
	t.Parallel()
	ran := map[string]bool{}
	named := func(name string, e tool.Effect) tool.Tool {
		return tool.New(name, "", func(context.Context, struct{}) (string, error) { ran[name] = true; return "done", nil }, tool.WithEffect(e))
	}
	model := llmtest.New(
		llmtest.Call("peek", `{}`), llmtest.Call("drop", `{}`), llmtest.Call("Execute", cell("look")), llmtest.Text(`{"min":0,"n":0}`),
	)
	c := preset.CodeAct[readings, extreme]{
		Agent: agent.Agent{Model: model, Tools: []tool.Tool{named("peek", tool.ReadOnly), named("drop", tool.Mutating)}},
		Task:  "Go.", Runtime: scripted(map[string]func(*repltest.Cell) int{"look": look}),
	}
	if _, _, err := c.Run(t.Context(), day); err != nil {
		t.Fatal(err)
	}
	if !ran["peek"] || ran["drop"] {
		t.Errorf("ran %v, want peek alone", ran)
	}
}

func TestACodeActSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	whole := preset.CodeAct[readings, extreme]{Agent: agent.Agent{Model: llmtest.New()}, Runtime: scripted(nil), Task: "Go."}
	for _, c := range []struct {
		what string
		want string
		edit func(*preset.CodeAct[readings, extreme])
	}{
		{"no model", "Agent has no Model", func(c *preset.CodeAct[readings, extreme]) { c.Agent.Model = nil }},
		{"no runtime", "no Runtime", func(c *preset.CodeAct[readings, extreme]) { c.Runtime = nil }},
		{"no task", "no Task", func(c *preset.CodeAct[readings, extreme]) { c.Task = " " }},
		{"a sub-agent without a model", "Sub has no Model", func(c *preset.CodeAct[readings, extreme]) { c.Sub = &agent.Agent{} }},
		{"a budget for nothing", "Calls is set", func(c *preset.CodeAct[readings, extreme]) { c.Calls = 3 }},
		{"a negative limit", "negative", func(c *preset.CodeAct[readings, extreme]) { c.Code.Sessions = -1 }},
		{"a function of a bad name", "2bad", func(c *preset.CodeAct[readings, extreme]) {
			c.Code.Functions = []code.Function{code.Func("2bad", "Bad", func(context.Context, struct{}) (int, error) { return 0, nil })}
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			broken := whole
			c.edit(&broken)
			_, res, err := broken.Run(t.Context(), day)
			if err == nil || !strings.Contains(err.Error(), c.want) || res == nil || !errors.Is(res.Err, err) {
				t.Errorf("got %v, %+v; want an error with %q", err, res, c.want)
			}
		})
	}
	if _, err := (preset.CodeAct[int, extreme]{Agent: agent.Agent{Model: llmtest.New()}, Runtime: scripted(nil), Task: "Go."}).Bind(7); err == nil {
		t.Error("an input that has no fields was taken")
	}
}

// What was submitted counts, although the cell that did it has used up the money.
func TestASubmissionCountsWhenTheMoneyIsUsedUp(t *testing.T) {
	t.Parallel()
	model := llmtest.New(llmtest.Call("Execute", cell("dear")).And("peek", `{}`).Using(llm.Usage{Input: 5}))
	sub := llmtest.New(llmtest.Text("yes").Using(llm.Usage{Input: 1000}))
	sub.ID = "sub"
	price := llm.Price{Input: 1_000_000}
	peek := tool.New("peek", "", func(context.Context, struct{}) (string, error) { return "seen", nil }, tool.WithEffect(tool.ReadOnly))
	c := preset.CodeAct[readings, extreme]{
		Agent: agent.Agent{
			Model: model, Tools: []tool.Tool{peek},
			Prices: llm.Prices{"test/scripted": price, "sub": price}, Limits: agent.Limits{Money: 100},
		},
		Task: "Go.", Sub: &agent.Agent{Model: sub},
		Runtime: scripted(map[string]func(*repltest.Cell) int{"dear": func(c *repltest.Cell) int {
			if _, err := c.Call("predict", map[string]any{"instructions": "Judge", "input": "x"}); err != nil {
				fmt.Fprintln(c.Stderr, err)
			}
			return submit(extreme{-4.394, 3})(c)
		}}),
	}
	got, res, err := c.Run(t.Context(), day)
	if err != nil || got.N != 3 || res.Turns != 1 || res.Cost != 1005 || string(res.Output) != res.Text {
		t.Errorf("got %+v, %+v, %v", got, res, err)
	}
}
