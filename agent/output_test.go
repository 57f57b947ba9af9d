package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// RunAs gives the answer as a Go value, here after a tool and one correction.
func ExampleRunAs() {
	type report struct {
		Peak float64 `json:"peak" jsonschema:"strongest field in nT"`
		When string  `json:"when"`
	}
	look := tool.New("look", "Look at the data", func(context.Context, struct{}) (string, error) {
		return "5.261 nT at 03:41:01", nil
	}, tool.WithEffect(tool.ReadOnly))
	model := llmtest.New(
		llmtest.Call("look", `{}`),
		llmtest.Text(`{"peak":"5.261 nT"}`),
		llmtest.Text(`{"peak":5.261,"when":"03:41:01"}`),
	)
	a := agent.Agent{Model: model, Tools: []tool.Tool{look}}
	r, res, err := agent.RunAs[report](context.Background(), a, "How strong was the field?", nil)
	fmt.Println(r.Peak, r.When, res.Turns, err)
	// Output: 5.261 03:41:01 3 <nil>
}

func TestRunAsSendsItsSchemaAndGivesUpAfterTheAttempts(t *testing.T) {
	t.Parallel()
	type number struct {
		N int `json:"n"`
	}
	m := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		if req.Output == nil {
			t.Error("a request without the schema")
		}
		return llmtest.Text("five").Using(llm.Usage{Output: 1})
	})
	_, res, err := agent.RunAs(t.Context(), agent.Agent{Model: m}, "?", &agent.OutputOptions[number]{Attempts: 3})
	var bad *llm.OutputError
	if !errors.As(err, &bad) || bad.Attempts != 3 || res.Text != "five" || res.Stop != agent.StopFailed || res.Usage.Output != 3 {
		t.Errorf("result = %+v, %v", res, err)
	}
	if _, _, err := agent.RunAs[int](t.Context(), agent.Agent{Model: m}, "?", nil); err == nil {
		t.Error("an int has a schema")
	}
	if _, res, err := agent.RunAs[number](t.Context(), agent.Agent{}, "?", nil); err == nil || res == nil {
		t.Errorf("an agent without a model: %+v, %v", res, err)
	}
}

// A wrong answer stays in the conversation with what was wrong; turns that only
// call tools are no answers; the schema goes along with every request.
func TestAWrongAnswerStaysWithItsCorrection(t *testing.T) {
	t.Parallel()
	type number struct {
		N int `json:"n"`
	}
	m := script(llmtest.Text("Let me look.").And("look", `{}`), llmtest.Text(`{"n":"7"}`), llmtest.Text(`{"n":7}`))
	a, err := agent.WithOutput[number](agent.Agent{Model: m, Tools: []tool.Tool{echo("look", tool.ReadOnly)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, a, nil)
	res := b.ask("How many?")
	wantEqual(t, "output", string(res.Output), `{"n":7}`)
	wantTranscript(t, b.History(), "user How many?", "assistant Let me look. look{}", "tool =look:", `assistant {"n":"7"}`,
		"user That is not the output that was asked for:\n- n must be integer, not string\nAnswer again with the whole JSON value, corrected, and nothing else.",
		`assistant {"n":7}`)
	wantEqual(t, "origin of the correction", b.History()[4].Origin, agent.OriginCorrection)
	for i, req := range m.Requests() {
		if req.Output == nil || req.Output.Name != "output" {
			t.Errorf("request %d goes without the schema", i+1)
		}
	}
}

func TestRunAsTellsWhyThereIsNoOutput(t *testing.T) {
	t.Parallel()
	type number struct {
		N int `json:"n"`
	}
	m := script(llmtest.Text("I cannot.").Ending(llm.FinishRefusal))
	n, res, err := agent.RunAs[number](t.Context(), agent.Agent{Model: m}, "?", nil)
	wantStop(t, res, err, agent.StopRefused, agent.ErrRefused)
	wantEqual(t, "text", res.Text, "I cannot.")
	wantEqual(t, "output", n, number{})
}

// An answer in words after a final tool that a hook did not let pass has no output.
func TestTheOutputIsThatOfTheAnswer(t *testing.T) {
	t.Parallel()
	final := tool.New("answer", "", func(_ context.Context, in struct{ N int }) (any, error) { return in, nil }, tool.Final(), tool.WithEffect(tool.ReadOnly))
	again := agent.Hook{Name: "again", BeforeStop: func(_ context.Context, at agent.Moment, _ *agent.Result) (agent.StopVerdict, error) {
		if at.Turn == 1 {
			return agent.StopVerdict{Inject: "Are you sure?"}, nil
		}
		return agent.StopVerdict{}, nil
	}}
	m := script(llmtest.Call("answer", `{"N":7}`), llmtest.Text("No."))
	res := open(t, agent.Agent{Model: m, Tools: []tool.Tool{final}, Hooks: []agent.Hook{again}}, nil).ask("How many?")
	if res.Text != "No." || res.Output != nil {
		t.Errorf("result = %q with output %s, want the words alone", res.Text, res.Output)
	}
}

func TestRunAsTakesTheDataOfAFinalTool(t *testing.T) {
	t.Parallel()
	type number struct {
		N int `json:"n"`
	}
	final := tool.New("answer", "", func(_ context.Context, in number) (number, error) { return in, nil }, tool.Final(), tool.WithEffect(tool.ReadOnly))
	v, res, err := agent.RunAs[number](t.Context(), agent.Agent{Model: script(llmtest.Call("answer", `{"n":7}`)), Tools: []tool.Tool{final}}, "?", nil)
	if err != nil || v.N != 7 || string(res.Output) != `{"n":7}` {
		t.Errorf("output = %+v, %+v, %v", v, res, err)
	}
}

// A session whose answers have a shape.
func ExampleWithOutput() {
	type weather struct {
		City    string  `json:"city"`
		Celsius float64 `json:"celsius"`
	}
	ctx := context.Background()
	model := llmtest.New(llmtest.Text(`{"city":"Toulouse","celsius":22}`), llmtest.Text(`{"city":"Oslo"}`), llmtest.Text(`{"city":"Oslo","celsius":4}`))
	a, err := agent.WithOutput[weather](agent.Agent{Model: model}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := a.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for _, city := range []string{"Toulouse", "Oslo"} {
		res, err := s.Run(ctx, "How warm is it in "+city+"?")
		if err != nil {
			fmt.Println(err)
		}
		w, err := agent.OutputOf[weather](res)
		fmt.Println(w.City, w.Celsius, res.Turns, err)
	}
	// Output:
	// Toulouse 22 1 <nil>
	// Oslo 4 2 <nil>
}

func TestARunWithoutOutputSaysWhy(t *testing.T) {
	t.Parallel()
	type point struct{ X float64 }
	if _, err := agent.OutputOf[point](&agent.Result{Stop: agent.StopDone}); err == nil || !strings.Contains(err.Error(), "done") {
		t.Errorf("without output: %v", err)
	}
	if _, err := agent.OutputOf[point](&agent.Result{Stop: agent.StopTurns, Err: &agent.StopError{Stop: agent.StopTurns}}); !errors.Is(err, agent.ErrTurns) {
		t.Errorf("of a run that failed: %v", err)
	}
	if v, err := agent.OutputOf[point](&agent.Result{Output: []byte(`{"X":"a"}`)}); err == nil || v.X != 0 {
		t.Errorf("of another shape: %v, %v", v, err)
	}
}
