package code_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/sandbox/repl/repltest"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/code"
)

const predictCall = `predict {"instructions":"Name the language","input":"Hyvää päivää"}`

func TestPredictAsksTheModelAfresh(t *testing.T) {
	t.Parallel()
	model := llmtest.New(llmtest.Text("Finnish").Using(llm.Usage{Input: 10, Output: 2}), llmtest.Text("Estonian").Using(llm.Usage{Input: 5}))
	var told []code.Prediction
	c := open(t, &code.Options{Predict: &code.Predict{
		Model: model, Prices: llm.Prices{"test/scripted": {Input: 1_000_000, Output: 2_000_000}},
		OnCall: func(_ context.Context, p code.Prediction) { told = append(told, p); panic("ignored") },
	}})
	ctx := in(t.Context(), "a")
	text, r := run(ctx, t, c, "call "+predictCall)
	wantText(t, "the answer", text, `"Finnish"`)
	wantEqual(t, "spent", *r.Predict, code.Spent{Calls: 1, Usage: llm.Usage{Input: 10, Output: 2}, Cost: 14})
	_, r = run(ctx, t, c, "call "+predictCall)
	wantEqual(t, "spent by the second cell", *r.Predict, code.Spent{Calls: 1, Usage: llm.Usage{Input: 5}, Cost: 5})
	wantEqual(t, "spent by the session", c.Spent("a"), code.Spent{Calls: 2, Usage: llm.Usage{Input: 15, Output: 2}, Cost: 19})
	wantEqual(t, "spent by another", c.Spent("b"), code.Spent{})
	req := model.Requests()[1]
	wantEqual(t, "messages", len(req.Messages), 1)
	wantText(t, "system", req.System[0].Text, "Name the language")
	wantText(t, "user", req.Messages[0].Text(), "Hyvää päivää")
	wantEqual(t, "told", len(told), 2)
	wantText(t, "told of", told[0].Session+" "+told[0].Run+" "+told[0].Model, "a a/run test/scripted")
	_, r = run(ctx, t, c, "print nothing")
	if r.Predict != nil {
		t.Error("a cell without predict has spent something")
	}
}

func TestPredictHasABudget(t *testing.T) {
	t.Parallel()
	c := open(t, &code.Options{Predict: &code.Predict{Ask: ask("yes"), MaxCalls: 2}})
	ctx := in(t.Context(), "a")
	text, _ := run(ctx, t, c, "call "+predictCall+"\ncall "+predictCall+"\ntry "+predictCall)
	wantHas(t, "the third call", text, "\"yes\"\n\"yes\"\ncaught: SandboxBudgetExceeded(kind=LLM_CALLS, limit=2, actual=3): this session has used up its calls of predict")
	run(ctx, t, c, "die 1")
	text, _ = run(ctx, t, c, "try "+predictCall)
	wantHas(t, "in a new interpreter", text, "SandboxBudgetExceeded")
	_, err := c.Predict().Run(ctx, []byte(`{"instructions":"i","input":"t"}`))
	var budget *code.BudgetError
	if !errors.As(err, &budget) || *budget != (code.BudgetError{Kind: code.LLMCalls, Limit: 2, Actual: 3}) {
		t.Errorf("the tool: %v", err)
	}
	text, _ = run(in(t.Context(), "b"), t, c, "try "+predictCall)
	wantText(t, "another session", text, `"yes"`)
	wantHas(t, "the prompt", c.Prompt(), "at most 2 calls in this session", "SandboxBudgetExceeded")
	wantHas(t, "the prompt", open(t, &code.Options{Predict: &code.Predict{Ask: ask("")}}).Prompt(), "at most 50 calls")
}

func TestWhatPredictThrows(t *testing.T) {
	t.Parallel()
	model := llmtest.New(
		llmtest.Text("").Failing(&llm.Error{Kind: llm.KindTransient, Err: errors.New("overloaded")}),
		llmtest.Text("I will not").Ending(llm.FinishRefusal),
		llmtest.Text("a long").Ending(llm.FinishLength),
		llmtest.Text(" "),
	)
	c := open(t, &code.Options{Predict: &code.Predict{Model: model}})
	ctx := in(t.Context(), "a")
	for _, want := range []string{
		"caught: Predict: sub-LM call failed (transient",
		"caught: Predict: sub-LM call failed (refused",
		"caught: Predict: sub-LM call failed (error): the answer was cut",
		"caught: Predict: sub-LM call failed (error): the model said nothing",
	} {
		text, _ := run(ctx, t, c, "try "+predictCall)
		wantHas(t, want, text, want)
	}
	wantEqual(t, "calls", c.Spent("a").Calls, 4)
	for args, want := range map[string]string{
		`{"instructions":" ","input":"x"}`:   "caught: predict: instructions are blank",
		`{"instructions":"x","input":""}`:    "caught: predict: input is blank",
		`{"instructions":"x","input":{}}`:    "caught: predict takes two strings",
		`{"instructions":"x"}`:               "caught: predict takes two strings",
		`{"instructions":["x"],"input":"x"}`: "caught: predict takes two strings",
	} {
		text, _ := run(ctx, t, c, "try predict "+args)
		wantHas(t, args, text, want)
	}
	wantEqual(t, "calls that cost nothing", c.Spent("a").Calls, 4)
}

func TestPredictHasATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := code.New(&repltest.Runtime{}, &code.Options{Predict: &code.Predict{Model: llmtest.New(llmtest.Text("x").Hanging()), Timeout: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		text, _ := run(in(t.Context(), "a"), t, c, "try "+predictCall)
		wantHas(t, "a model that hangs", text, "caught: predict took longer than 1m0s")
		c.Close()
	})
}

func TestAskGetsAStepOfTheCall(t *testing.T) {
	t.Parallel()
	var keys []string
	c := open(t, &code.Options{Predict: &code.Predict{Ask: func(ctx context.Context, _, input string) (string, llm.Usage, error) {
		keys = append(keys, tool.CallFrom(ctx).IdempotencyKey)
		return input, llm.Usage{Output: 1}, nil
	}}})
	run(in(t.Context(), "a"), t, c, "call "+predictCall+"\ncall "+predictCall)
	wantText(t, "keys", keys[0]+" "+keys[1], "key/predict/1 key/predict/2")
	wantEqual(t, "usage", c.Spent("a").Usage, llm.Usage{Output: 2})
}

func TestThePredictToolSharesTheBudget(t *testing.T) {
	t.Parallel()
	c := open(t, &code.Options{Predict: &code.Predict{Ask: ask("yes"), MaxCalls: 20}})
	p := c.Predict()
	wantEqual(t, "effect", p.Effect, tool.ReadOnly)
	wantEqual(t, "kind", p.Kind, tool.KindDelegate)
	var group sync.WaitGroup
	var mu sync.Mutex
	failed := 0
	for range 30 {
		group.Go(func() {
			res, err := p.Run(in(t.Context(), "a"), []byte(`{"instructions":"i","input":"t"}`))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
			} else if res.Text() != "yes" || string(res.Data) == "" {
				t.Errorf("got %+v", res)
			}
		})
	}
	group.Wait()
	wantEqual(t, "calls beyond the budget", failed, 10)
	wantEqual(t, "interpreters", c.Alive(), 0)
	wantError(t, "without the option", open(t, nil).Predict().Err(), "no function")
}
