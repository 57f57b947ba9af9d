package agenttest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

func look() tool.Tool {
	return tool.New("look", "", func(context.Context, struct{}) (string, error) { return "nothing", nil }, tool.WithEffect(tool.Mutating))
}

func Example() {
	ctx := context.Background()
	store := agent.NewMemoryStore()
	model := agenttest.Checked(llmtest.New(llmtest.Call("look", `{}`), llmtest.Text("done")), func(err error) { fmt.Println(err) })
	s, err := agent.Agent{Model: model, Tools: []tool.Tool{look()}, Policy: agent.AllowAll()}.Open(ctx, &agent.OpenOptions{Store: store})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	s.Run(ctx, "go")
	events, err := agenttest.Log(ctx, store, s.ID())
	fmt.Println(len(events), err, agenttest.CheckLog(events), agenttest.Untaken(events))
	// Output: 10 <nil> <nil> []
}

// A session that dies at its fifth write goes on from there.
func ExampleCrash() {
	ctx := context.Background()
	store := agent.NewMemoryStore()
	turns := []llmtest.Turn{llmtest.Call("look", `{}`), llmtest.Text("done")}
	a := agent.Agent{Model: llmtest.New(turns...), Tools: []tool.Tool{look()}, Policy: agent.AllowAll()}
	s, err := a.Open(ctx, &agent.OpenOptions{Store: agenttest.Crash(store, 5), SessionID: "s", Lease: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = s.Run(ctx, "go")
	fmt.Println(errors.Is(err, agenttest.ErrCrashed))
	s.Close()

	a.Model = llmtest.New(turns[1:]...)
	s, err = a.Open(ctx, &agent.OpenOptions{Store: store, SessionID: "s"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	res, err := s.Wait(ctx)
	fmt.Println(res.Text, err)
	// Output:
	// true
	// done <nil>
}

func validLog(t *testing.T) []agent.Event {
	t.Helper()
	store := agent.NewMemoryStore()
	m := llmtest.New(llmtest.Call("look", `{}`).And("look", `{}`).Using(llm.Usage{Input: 3}), llmtest.Text("done"))
	s, err := agent.Agent{Model: m, Tools: []tool.Tool{look()}, Policy: agent.AllowAll()}.Open(t.Context(), &agent.OpenOptions{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Run(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	events, err := agenttest.Log(t.Context(), store, s.ID())
	if err != nil {
		t.Fatal(err)
	}
	if err := agenttest.CheckLog(events); err != nil {
		t.Fatalf("a valid log: %v", err)
	}
	return events
}

// at is the place of the n-th event of a kind, from 0.
func at(t *testing.T, events []agent.Event, kind agent.EventKind, n int) int {
	t.Helper()
	for i, e := range events {
		if e.Kind() == kind {
			if n == 0 {
				return i
			}
			n--
		}
	}
	t.Fatalf("there is no such %s", kind)
	return 0
}

func TestCheckLogFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	number := func(events []agent.Event) []agent.Event {
		for i := range events {
			events[i].Seq = agent.Seq(i + 1)
		}
		return events
	}
	without := func(kind agent.EventKind, n int) func(*testing.T, []agent.Event) []agent.Event {
		return func(t *testing.T, events []agent.Event) []agent.Event {
			i := at(t, events, kind, n)
			return number(slices.Delete(events, i, i+1))
		}
	}
	twice := func(kind agent.EventKind, n int) func(*testing.T, []agent.Event) []agent.Event {
		return func(t *testing.T, events []agent.Event) []agent.Event {
			i := at(t, events, kind, n)
			return number(slices.Insert(events, i, events[i]))
		}
	}
	for name, tt := range map[string]struct {
		change func(*testing.T, []agent.Event) []agent.Event
		want   string
	}{
		"a gap": {func(_ *testing.T, events []agent.Event) []agent.Event {
			return slices.Delete(events, 4, 5)
		}, "its seq is not 5"},
		"no beginning":          {without(agent.KindSessionOpened, 0), "the first event is of kind user_message"},
		"a call without an end": {without(agent.KindToolEnded, 0), "has no result"},
		"two ends":              {twice(agent.KindToolEnded, 1), "ends twice"},
		"a mutating call twice": {twice(agent.KindToolStarted, 0), "starts again"},
		"never started":         {without(agent.KindToolStarted, 0), "never started"},
		"a message twice":       {twice(agent.KindTurnStarted, 0), "taken before: true"},
		"runs overlap":          {twice(agent.KindRunStarted, 0), "has not ended"},
		"a lost model message":  {without(agent.KindModelMessage, 0), "there is no call 0"},
		"outside of a run":      {without(agent.KindRunStarted, 0), "the open run is"},
		"a turn is missing":     {without(agent.KindTurnStarted, 0), "turn 2 follows turn 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := agenttest.CheckLog(tt.change(t, validLog(t)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("CheckLog = %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestCheckRequestFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	calls := func(ids ...string) llm.Message {
		m := llm.Message{Role: llm.RoleAssistant}
		for _, id := range ids {
			m.Parts = append(m.Parts, llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: id, Name: "f"}})
		}
		return m
	}
	results := func(ids ...string) llm.Message {
		m := llm.Message{Role: llm.RoleTool}
		for _, id := range ids {
			m.Parts = append(m.Parts, llm.Part{Kind: llm.PartResult, Result: &llm.ToolResult{ID: id, Name: "f"}})
		}
		return m
	}
	user := llm.User("x")
	for _, tt := range []struct {
		messages []llm.Message
		want     string
	}{
		{[]llm.Message{user}, ""},
		{[]llm.Message{user, calls("a", "b"), results("a", "b"), llm.Assistant("y"), user}, ""},
		{nil, "no messages"},
		{[]llm.Message{user, llm.Assistant("y")}, "the last message is the assistant's"},
		{[]llm.Message{user, calls("a", "b"), results("b", "a")}, "result 0 is for call b, want a"},
		{[]llm.Message{user, calls("a", "b"), results("a")}, "1 parts for 2 calls"},
		{[]llm.Message{user, calls("a"), user}, "the calls of message 1 have no results"},
		{[]llm.Message{user, calls("a"), user, results("a")}, "results without calls"},
		{[]llm.Message{user, calls("a"), results("a"), results("a")}, "results without calls"},
		{[]llm.Message{{Role: llm.RoleUser, Parts: results("a").Parts}}, "results in a message of role user"},
		{[]llm.Message{{Role: llm.RoleUser, Parts: calls("a").Parts}, results("a")}, "calls in a message of role user"},
		{[]llm.Message{user, calls("a"), {Role: llm.RoleTool, Parts: user.Parts}}, "part 0 is no result"},
	} {
		err := agenttest.CheckRequest(&llm.Request{Messages: tt.messages})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("CheckRequest = %v, want %q", err, tt.want)
		}
		reported := error(nil)
		m := agenttest.Checked(llmtest.New(llmtest.Text("x")), func(err error) { reported = err })
		if _, err := llm.Generate(t.Context(), m, &llm.Request{Messages: tt.messages}); err != nil || (reported == nil) != (tt.want == "") {
			t.Errorf("Checked reports %v, %v", reported, err)
		}
	}
}
