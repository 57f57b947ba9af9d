package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

type sourced = llm.Provenanced[struct {
	Year int `json:"year"`
}]

const (
	unsourced = `{"output":{"year":2015},"provenance":[{"field":"year","sources":[],"reasoning":"known","confidence":"high"}]}`
	honest    = `{"output":{"year":2015},"provenance":[{"field":"year","sources":[],"reasoning":"known","confidence":"low"}]}`
)

// Provenance rules and submit validators hold in runs as they do in GenerateAs.
func TestRunAsHoldsProvenanceAndTheSubmitValidator(t *testing.T) {
	t.Parallel()
	m := script(llmtest.Text(unsourced), llmtest.Text(honest))
	v, res, err := agent.RunAs[sourced](t.Context(), agent.Agent{Model: m}, "When?", nil)
	if err != nil || v.Output.Year != 2015 || res.Turns != 2 {
		t.Fatalf("output = %+v, %+v, %v", v, res, err)
	}
	asked := m.Requests()[1].Messages
	if got := asked[len(asked)-1].Text(); !strings.Contains(got, "needs at least one source") {
		t.Errorf("correction = %q", got)
	}
	m = script(llmtest.Text(honest), llmtest.Text(honest))
	_, res, err = agent.RunAs(t.Context(), agent.Agent{Model: m}, "When?", &agent.OutputOptions[sourced]{
		HideText: true, Validate: func(sourced) error { panic("boom") },
	})
	bad, ok := errors.AsType[*llm.OutputError](err)
	if !ok || bad.Text != "" || !strings.Contains(err.Error(), "submit validator panicked") || res.Turns != 2 {
		t.Errorf("result = %+v, %v", res, err)
	}
}

// The data of a final tool are held to the same.
func TestRunAsHoldsTheDataOfAFinalToolToItsRules(t *testing.T) {
	t.Parallel()
	final := tool.New("answer", "", func(_ context.Context, in sourced) (sourced, error) { return in, nil }, tool.Final(), tool.WithEffect(tool.ReadOnly))
	run := func(second string) (sourced, *agent.Result, error) {
		m := script(llmtest.Call("answer", unsourced), llmtest.Call("answer", second))
		v, res, err := agent.RunAs[sourced](t.Context(), agent.Agent{Model: m, Tools: []tool.Tool{final}}, "?", nil)
		asked := m.Requests()[1].Messages
		if got := asked[len(asked)-1].Text(); !strings.Contains(got, "needs at least one source") {
			t.Errorf("correction = %q", got)
		}
		return v, res, err
	}
	v, res, err := run(unsourced)
	bad, ok := errors.AsType[*llm.OutputError](err)
	if !ok || bad.Attempts != 2 || res.Stop != agent.StopFailed || v.Output.Year != 0 {
		t.Errorf("output = %+v, %+v, %v; want an *llm.OutputError", v, res, err)
	}
	if v, res, err = run(honest); err != nil || res.Stop != agent.StopDone || v.Output.Year != 2015 {
		t.Errorf("corrected: %+v, %+v, %v", v, res, err)
	}
}

// ask_user waits as long as the user needs, and tells the model what it got wrong.
func TestTheModelAsksTheUser(t *testing.T) {
	t.Parallel()
	user := agent.ApproverFunc(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		return tool.Answer{Choices: []string{q.Choices[1].Label}}, nil
	})
	m := script(
		llmtest.Call("ask_user", `{"question":"Which?","options":[{"label":"ACE"}]}`),
		llmtest.Call("ask_user", `{"question":"Which?","options":[{"label":"ACE"},{"label":"Wind"}]}`),
		llmtest.Text("Wind it is."),
	)
	b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{tool.AskUser()}}, &agent.OpenOptions{Approver: user})
	wantEqual(t, "text", b.ask("go").Text, "Wind it is.")
	wantTexts(t, b.ended(), "options has 1 items, and it takes 2 to 4", "The user picked: Wind.")
}

// What no provider takes is told when the session opens, not in its first turn.
func TestOpenChecksWhatTheModelIsAsked(t *testing.T) {
	t.Parallel()
	hot := 9.0
	for name, a := range map[string]agent.Agent{
		"options": {Options: llm.Options{Temperature: &hot}},
		"choice":  {Choice: llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"nothing"}}},
		"prices":  {Prices: llm.Prices{"test/scripted": {Input: -1}}},
		"summary": {Prices: llm.Prices{"test/scripted": {}}, Limits: agent.Limits{Money: 1}, Compact: agent.TwoStage{Model: &llmtest.Model{ID: "test/other"}}},
	} {
		a.Model = script()
		if _, err := a.Open(t.Context(), nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
