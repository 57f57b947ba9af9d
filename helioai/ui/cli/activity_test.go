package cli

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/helioai/tools"
	"github.com/helios-go/helios/llm"
)

func started(id, name, args string) agent.Event {
	return agent.Event{Data: &agent.ToolStarted{Call: &llm.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}}}
}

func ended(t *testing.T, id string, data any) agent.Event {
	t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return agent.Event{Data: &agent.ToolEnded{Outcome: agent.OutcomeOK, Result: &llm.ToolResult{ID: id}, Data: raw}}
}

func said(parts ...llm.Part) agent.Event {
	return agent.Event{Data: &agent.ModelMessage{Message: llm.Message{Role: llm.RoleAssistant, Parts: parts}}}
}

func failed(id, text string) agent.Event {
	return agent.Event{Data: &agent.ToolEnded{
		Outcome: agent.OutcomeOK, Result: &llm.ToolResult{ID: id, IsError: true, Parts: []llm.Part{llm.Text(text)}},
	}}
}

func TestEachStepIsALine(t *testing.T) {
	t.Parallel()
	fetched := tools.Data{Tool: "get_timeseries", Dataset: &tools.Dataset{Shape: []int{5400, 3}, NValid: 5390, CadenceMS: 64000, Units: "nT"}}
	for _, tc := range []struct {
		name  string
		event agent.Event
		want  string
	}{
		{"a search", started("1", "search_parameters", `{"queries":["Bz GSM","density"]}`), "→ search_parameters  Bz GSM; density"},
		{"a fetch", started("1", "get_timeseries", `{"param_id":"local/a/B"}`), "→ get_timeseries  local/a/B"},
		{"a fetch from a time on", started("1", "get_timeseries", `{"param_id":"local/a/B","start":"2023-01-02"}`), "→ get_timeseries  local/a/B, 2023-01-02 to …"},
		{"a script", started("1", "run_python", `{"code":"a = 1\nb = 2\n"}`), "→ run_python  2 lines of Python"},
		{"a recipe", started("1", "run_recipe", `{"name":"mvab","inputs":{}}`), "→ run_recipe  mvab"},
		{"a plan", started("1", "present_plan", `{"title":"Field","steps":[]}`), "→ present_plan  Field"},
		{"a formula", started("1", "alfven_speed", `{"B_nT":5,"n_cm3":5}`), `→ alfven_speed  {"B_nT":5,"n_cm3":5}`},
		{"arguments that are no object", started("1", "run_python", `[1]`), "→ run_python"},
		{"the answer", started("1", "final_answer", `{"answer":"x"}`), ""},
		{"data", ended(t, "1", fetched), "← 5400 records, 10 missing, every 64 s, nT"},
		{"a script's result", ended(t, "1", tools.Data{Tool: "run_python", Script: &tools.Script{Seconds: 1.25}}), "← 1.2 s"},
		{"nothing to tell", ended(t, "1", []string{"another tool's"}), ""},
		{"a failure", failed("1", `{"error":"every value is fill"}`), "← every value is fill"},
		{"a failure in plain words", failed("1", "not\nfound"), "← not found"},
		{"a result that is not there", agent.Event{Data: &agent.ToolEnded{Outcome: agent.OutcomeDenied}}, "← failed"},
		{"a thought", said(llm.Part{Kind: llm.PartThinking, Text: "First\nthe \x1b[1mfield."}), "~ First the [1mfield."},
		{"words beside a call", said(llm.Text("I look."), llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{Name: "x"}}), "· I look."},
		{"the answer in plain words", said(llm.Text("It is 5 nT.")), ""},
		{"a thought that nobody may read", said(llm.Part{Kind: llm.PartThinking, Signature: "c2ln"}), ""},
		{"a retry with advice", agent.Event{Data: &agent.ModelRetried{Reason: "Groq broke off; ask again"}}, "! the model call failed and is made again: Groq broke off"},
		{"a retry", agent.Event{Data: &agent.ModelRetried{Reason: "busy"}}, "! the model call failed and is made again: busy"},
		{"escapes in arguments", started("1", "get_timeseries", `{"param_id":"\u001b[2Jx","start":"\u001b]0;y\u0007\n\u2192 z"}`), "→ get_timeseries  [2Jx, ]0;y → z to …"},
		{"escapes in units", ended(t, "1", tools.Data{Dataset: &tools.Dataset{Shape: []int{1}, NValid: 1, Units: "\x1b[31mnT"}}), "← 1 record, [31mnT"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out := &screen{}
			a := newActivity(out)
			a.event(tc.event)
			a.close()
			if got := strings.TrimSuffix(out.take(), "\n"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTheAnswerToAQuestionThatWasCutShortIsShown(t *testing.T) {
	t.Parallel()
	out := &screen{}
	a := newActivity(out)
	for _, e := range []agent.Event{
		{Seq: 9, Data: &agent.UserMessage{Message: llm.User("and then?")}},
		{Seq: 10, Data: &agent.TurnStarted{Took: []agent.Seq{4}}},
		{Seq: 11, Data: &agent.RunEnded{Result: &agent.Result{Stop: agent.StopDone, Text: "It is 5 nT.", Usage: llm.Usage{Input: 2000}, Cost: llm.Cent}}},
		{Seq: 12, Data: &agent.TurnStarted{Took: []agent.Seq{9}}},
		{Seq: 13, Data: &agent.RunEnded{Result: &agent.Result{Stop: agent.StopDone, Text: "Later it is 6 nT."}}},
	} {
		a.event(e)
	}
	a.close()
	const want = "! the question before was cut short, and is answered first: It is 5 nT.\n  it took 2,000 tokens, $0.01\n"
	if got := out.take(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheStatusNamesAToolThatStillRuns(t *testing.T) {
	t.Parallel()
	out := &screen{}
	a := &activity{live: startLive(out, columns(80))}
	defer a.close()
	running := func() string {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.live.running
	}
	for _, step := range []struct {
		event agent.Event
		want  string
	}{
		{agent.Event{Data: &agent.TurnStarted{}}, "thinking"},
		{agent.Event{Data: &agent.ThinkingDelta{Text: "first the field"}}, "thinking"},
		{agent.Event{Data: &agent.TextDelta{Text: "I look"}}, "writing"},
		{started("1", "get_timeseries", `{}`), "get_timeseries"},
		{started("2", "run_python", `{}`), "run_python"},
		{ended(t, "2", tools.Data{}), "get_timeseries"},
		{failed("1", errors.ErrUnsupported.Error()), ""},
	} {
		a.event(step.event)
		if got := running(); got != step.want {
			t.Errorf("after %T the status names %q, want %q", step.event.Data, got, step.want)
		}
	}
}
