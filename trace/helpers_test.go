package trace_test

import (
	"errors"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/trace"
)

// logOf runs one question, to whatever end, and returns the log.
func logOf(t testing.TB, a agent.Agent) []agent.Event {
	t.Helper()
	store := agent.NewMemoryStore()
	run(t, a, store)
	events, err := agenttest.Log(t.Context(), store, "s")
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func run(t testing.TB, a agent.Agent, store agent.Store) *agent.Result {
	t.Helper()
	s, err := a.Open(t.Context(), &agent.OpenOptions{Store: store, SessionID: "s", User: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	res, _ := s.Run(t.Context(), "go")
	return res
}

// inventive is an agent whose model calls a tool that does not exist.
func inventive() agent.Agent {
	return agent.Agent{Model: llmtest.New(llmtest.Call("made_up", `{}`), llmtest.Text("sorry"))}
}

// fold folds the log of session s alone.
func fold(t testing.TB, events []agent.Event) []*trace.Span {
	t.Helper()
	var f trace.Fold
	for _, e := range events {
		if err := f.Put("s", e); err != nil {
			t.Fatal(err)
		}
	}
	return f.Runs()
}

// find returns the first span of a kind and, unless it is "", of a name.
func find(t testing.TB, runs []*trace.Span, k trace.Kind, name string) *trace.Span {
	t.Helper()
	for _, r := range runs {
		for _, s := range r.All() {
			if s.Kind == k && (name == "" || s.Name == name) {
				return s
			}
		}
	}
	t.Fatalf("there is no %s span %q in\n%s", k, name, outline(runs))
	return nil
}

// at is a moment so many seconds after the tests' beginning.
func at(seconds int) time.Time {
	return time.Date(2026, 11, 30, 12, 0, seconds, 0, time.UTC)
}

// handmade numbers events and puts them a second apart, in turn 1 of run r once
// the run has begun.
func handmade(datas ...agent.EventData) []agent.Event {
	events := make([]agent.Event, len(datas))
	began := false
	for i, d := range datas {
		e := agent.Event{Seq: agent.Seq(i + 1), Time: at(i), Data: d}
		if _, ok := d.(*agent.RunStarted); ok {
			began, e.Run = true, "r"
		} else if began {
			e.Run, e.Turn = "r", 1
		}
		events[i] = e
	}
	return events
}

// started is the start of the first call, a.
func started() *agent.ToolStarted {
	return &agent.ToolStarted{Call: &llm.ToolCall{ID: "a", Name: "put"}, Effect: tool.Idempotent}
}

func ended(i int, call string) *agent.ToolEnded {
	return &agent.ToolEnded{Index: i, Outcome: agent.OutcomeOK, Result: &llm.ToolResult{ID: call, Name: "put", Parts: []llm.Part{llm.Text("done")}}}
}

func result(stop agent.StopReason) *agent.RunEnded {
	res := &agent.Result{Session: "s", Run: "r", Stop: stop}
	if stop != agent.StopDone {
		res.Err = &agent.StopError{Stop: stop, Err: errors.New("because")}
	}
	return &agent.RunEnded{Result: res}
}
