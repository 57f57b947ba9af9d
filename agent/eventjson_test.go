package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// An event is one flat JSON object, in stores and on wires.
func ExampleEvent_MarshalJSON() {
	e := agent.Event{
		Seq: 12, Time: time.Date(2026, 11, 30, 12, 0, 0, 123e6, time.UTC), Run: "r", Turn: 3,
		Data: &agent.Custom{Name: "plan", Data: json.RawMessage(`{"steps":2}`)},
	}
	data, err := json.Marshal(e)
	fmt.Println(string(data), err)
	// Output: {"v":1,"seq":12,"time":"2026-11-30T12:00:00.123Z","run":"r","turn":3,"kind":"custom","name":"plan","data":{"steps":2}} <nil>
}

// every returns a log that holds events of most kinds.
func every(t testing.TB) []agent.Event {
	hook := agent.Hook{Name: "h", BeforeTool: nil}
	worker := agent.Agent{Model: script(llmtest.Text("found"))}
	m := script(
		llmtest.Call("echo", `{"text":"a<b"}`).And("echo", `{"cut`).And("work", `{"task":"x"}`).Using(llm.Usage{Input: 3}),
		llmtest.Parts(llm.Part{Kind: llm.PartThinking, Text: "hm", Signature: "s"}, llm.Text("done")),
	)
	store := agent.NewMemoryStore()
	a := agent.Agent{Model: m, Tools: []tool.Tool{echo("echo", tool.Mutating), worker.Tool("work", "")}, Hooks: []agent.Hook{hook}}
	s, err := a.Open(t.Context(), &agent.OpenOptions{Store: store, SessionID: "s", Approver: agent.Later, User: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	res, _ := s.Run(t.Context(), "go")
	if err := s.Answer(t.Context(), res.Question.ID, tool.Answer{Choices: []string{tool.Allow}}); err != nil {
		t.Fatal(err)
	}
	s.Wait(t.Context())
	s.Custom(t.Context(), "note", map[string]any{"x": 1})
	var events []agent.Event
	for e, err := range store.Read(t.Context(), "s", 1) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return append(events,
		agent.Event{Data: &agent.ModelRetried{Reason: "busy", Attempt: 1, Wait: time.Second}},
		agent.Event{Data: &agent.ContextEdited{Messages: []llm.Message{llm.User("x")}, Removed: 3}},
		agent.Event{Data: &agent.MessageBlocked{Message: 3, Hook: "h", Reason: "r"}},
		agent.Event{Data: &agent.SessionForked{Session: "s", At: 3, Grants: []agent.Grant{{Tool: "write", Keys: []string{""}}, {Tool: "echo"}}}},
		agent.Event{Data: &agent.HookFired{Hook: "h", Phase: "before_model", Verdict: "hide", Tools: []string{"echo"}}},
		agent.Event{Data: &agent.RunEnded{Result: &agent.Result{Stop: agent.StopTurns, Err: &agent.StopError{Stop: agent.StopTurns}}}},
		agent.Event{Data: &agent.ToolProgress{Call: "c", Part: llm.Text("half")}},
		agent.Event{Data: &agent.Dropped{N: 4}},
	)
}

func TestEventsOfAllKindsSurviveJSON(t *testing.T) {
	t.Parallel()
	for _, e := range every(t) {
		data, err := json.Marshal(e)
		if err != nil {
			t.Errorf("%s: %v", e.Kind(), err)
			continue
		}
		var back agent.Event
		if err := json.Unmarshal(data, &back); err != nil {
			t.Errorf("%s: %v", data, err)
			continue
		}
		if _, ok := back.Data.(*agent.Unrecognized); ok {
			t.Errorf("%s is not recognised", e.Kind())
		}
		if again, err := json.Marshal(back); err != nil || !bytes.Equal(again, data) {
			t.Errorf("written again: %s, %v\nwant %s", again, err, data)
		}
	}
}

func FuzzEventJSON(f *testing.F) {
	for _, e := range every(f) {
		data, err := json.Marshal(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"v":9,"kind":"x","seq":1,"time":"2026-11-30T12:00:00Z","a":{"b":[1]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var e, again agent.Event
		if json.Unmarshal(data, &e) != nil {
			return
		}
		first, err := json.Marshal(e)
		if err != nil {
			return // such as a year that JSON cannot hold
		}
		if err := json.Unmarshal(first, &again); err != nil {
			t.Fatalf("%s is written as %s, which cannot be read: %v", data, first, err)
		}
		if second, err := json.Marshal(again); err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s is written as %s, and then as %s, %v", data, first, second, err)
		}
	})
}

// nested is an object that nests n levels deep.
func nested(n int) json.RawMessage {
	return json.RawMessage(strings.Repeat(`{"a":`, n-1) + "{}" + strings.Repeat("}", n-1))
}

// depths are around what is taken as it is, and around what encoding/json reads.
var depths = []int{1, llm.MaxDepth, llm.MaxDepth + 1, 5_000, 9_990, 9_995, 9_996, 9_997, 9_998, 9_999, 10_000, 10_001, 15_000}

// readable writes an event and reads it again.
func readable(e agent.Event) error {
	data, err := json.Marshal(e)
	if err == nil {
		err = json.Unmarshal(data, &e)
	}
	return err
}

// However deep the JSON nests that models, tools and applications make, the log that
// they leave can be written and read.
func TestALogOfDeepJSONCanBeRead(t *testing.T) {
	t.Parallel()
	object := json.RawMessage(`{"type":"object"}`)
	take := tool.Raw(llm.ToolSpec{Name: "take", Input: object}, func(context.Context, json.RawMessage) (tool.Result, error) { return tool.Text("ok"), nil })
	give := func(n int) tool.Tool {
		return tool.Raw(llm.ToolSpec{Name: "give"}, func(context.Context, json.RawMessage) (tool.Result, error) {
			return tool.Result{Parts: []llm.Part{llm.Text("x")}, Data: nested(n)}, nil
		}, tool.Final())
	}
	for _, n := range depths {
		args := string(nested(n))
		model := script(
			llmtest.Call("take", args).And("none", args),
			llmtest.Parts(llm.Part{Kind: llm.PartOpaque, Opaque: &llm.Opaque{Provider: "test", Data: nested(n)}}).And("none", `{}`),
			llmtest.Call("give", `{}`),
		)
		b := open(t, agent.Agent{Model: model, Tools: []tool.Tool{take, give(n)}}, &agent.OpenOptions{Approver: agent.ApproverFunc(
			func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Yes(), nil },
		)})
		if err := b.Custom(t.Context(), "x", nested(n)); (err != nil) != (n > llm.MaxDepth) {
			t.Errorf("Custom of %d levels: %.200v", n, err)
		}
		b.ask("go")
		for _, e := range b.log() {
			if err := readable(e); err != nil {
				t.Errorf("%s with %d levels: %.200v", e.Kind(), n, err)
			}
		}
	}
}

// What was written can be read, whoever made the event.
func TestAnEventThatIsWrittenCanBeRead(t *testing.T) {
	t.Parallel()
	for _, n := range depths {
		for _, d := range []agent.EventData{
			&agent.Custom{Name: "x", Data: nested(n)},
			&agent.ModelMessage{Meta: nested(n)},
			&agent.ToolStarted{Call: &llm.ToolCall{ID: "a", Name: "f", Args: nested(n)}},
			&agent.ToolEnded{Result: &llm.ToolResult{ID: "a"}, Data: nested(n)},
			&agent.QuestionAsked{Question: &tool.Question{ID: "q", Text: "?", Args: nested(n)}},
			&agent.ChildEnded{Result: &agent.Result{Stop: agent.StopDone, Output: nested(n)}},
			&agent.RunEnded{Result: &agent.Result{Stop: agent.StopDone, Output: nested(n)}},
			&agent.Unrecognized{Version: 9, Name: "x", Raw: nested(n)},
			&agent.ToolStarted{}, &agent.ToolEnded{Index: -1, Result: &llm.ToolResult{}}, &agent.QuestionAsked{}, &agent.RunEnded{},
		} {
			data, err := agent.Event{Data: d}.MarshalJSON()
			if err != nil {
				continue
			}
			var back agent.Event
			if err := json.Unmarshal(data, &back); err != nil {
				t.Errorf("%T with %d levels was written, and: %.200v", d, n, err)
			}
		}
	}
}
