package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// A fork tries something else from an earlier point.
func ExampleSession_Fork() {
	ctx := context.Background()
	model := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		return llmtest.Text(fmt.Sprintf("message %d", len(req.Messages)))
	})
	s, err := agent.Agent{Model: model}.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	s.Run(ctx, "one")
	s.Run(ctx, "two")
	fork, err := s.Fork(ctx, 6) // the end of the first run
	if err != nil {
		fmt.Println(err)
		return
	}
	defer fork.Close()
	res, err := fork.Run(ctx, "something else")
	fmt.Println(res.Text, err)
	fmt.Println(len(s.History()), len(fork.History()))
	// Output:
	// message 3 <nil>
	// 4 4
}

func TestAForkInTheMiddleOfToolsIsValid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := open(t, agent.Agent{Model: slowModel(), Tools: []tool.Tool{blocking("wait", tool.ReadOnly, time.Minute)}}, nil)
		b.send("call wait", agent.Steer)
		time.Sleep(2 * time.Second)
		b.send("left behind", agent.Queue)
		s, err := b.Fork(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		fork := &bench{s, t, b.store}
		defer fork.done()
		wantTranscript(t, fork.History(), "user call wait", "assistant wait", "tool =interrupted")
		fork.ask("next")
		b.wait()
		if got := transcript(b.History()); !strings.Contains(got, "wait done") || !strings.Contains(got, "left behind") {
			t.Errorf("the first session goes on with:\n%s", got)
		}
		if got := transcript(fork.History()); strings.Contains(got, "left behind") {
			t.Errorf("the fork has:\n%s", got)
		}
		if _, err := b.Fork(t.Context(), 1000); err == nil {
			t.Error("a fork beyond the end is made")
		}
	})
}

// A worker goes on with whatever others have left.
func ExampleResumeAll() {
	ctx := context.Background()
	store := agent.NewMemoryStore()
	// Two messages for sessions that nobody runs.
	for _, id := range []string{"a", "b"} {
		store.Post(ctx, id, []agent.Event{
			{Data: &agent.SessionOpened{Agent: "guide"}},
			{Data: &agent.UserMessage{Message: llm.User("hello"), Delivery: agent.Queue, Origin: agent.OriginUser}},
		})
	}
	model := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("hello to you") })
	report, err := agent.ResumeAll(ctx, store, func(info agent.SessionInfo) (agent.Agent, *agent.OpenOptions, bool) {
		return agent.Agent{Name: info.Agent, Model: model}, nil, info.Agent == "guide"
	}, nil)
	for id, res := range report.Results {
		fmt.Println(id, res.Text)
	}
	fmt.Println(err)
	// Unordered output:
	// a hello to you
	// b hello to you
	// <nil>
}

func TestResumeAllLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	store := agent.NewMemoryStore()
	post := func(id, name string) {
		if _, err := store.Post(t.Context(), id, []agent.Event{
			{Data: &agent.SessionOpened{Agent: name}},
			{Data: &agent.UserMessage{Message: llm.User("hello"), Delivery: agent.Queue, Origin: agent.OriginUser}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	post("mine", "guide")
	post("foreign", "other")
	post("leased", "guide")
	post("broken", "broken")
	open(t, agent.Agent{Model: script(llmtest.Text("a"))}, &agent.OpenOptions{Store: store, SessionID: "idle"}).ask("go")
	if _, err := store.Acquire(t.Context(), "leased", "somebody", time.Minute); err != nil {
		t.Fatal(err)
	}
	asked := 0
	report, err := agent.ResumeAll(t.Context(), store, func(info agent.SessionInfo) (agent.Agent, *agent.OpenOptions, bool) {
		asked++
		if info.Agent == "broken" {
			return agent.Agent{}, nil, true
		}
		return agent.Agent{Model: script(llmtest.Text("done"))}, &agent.OpenOptions{User: "worker"}, info.Agent == "guide"
	}, &agent.ResumeOptions{Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "asked", asked, 3)
	if got := fmt.Sprint(report.Leased, report.Skipped, len(report.Results), len(report.Failed)); got != "[leased] [foreign] 1 1" {
		t.Errorf("report = %s: %+v", got, report)
	}
	if res := report.Results["mine"]; res == nil || res.Text != "done" {
		t.Errorf("result = %+v", res)
	}
}

// A tool that keeps something in memory can tell whether there may have been more.
func TestCallsTellWhetherTheSessionWasResumed(t *testing.T) {
	t.Parallel()
	var seen []bool
	look := tool.New("look", "", func(ctx context.Context, _ struct{}) (string, error) {
		seen = append(seen, tool.CallFrom(ctx).Resumed)
		return "", nil
	}, tool.WithEffect(tool.ReadOnly))
	store := agent.NewMemoryStore()
	for range 2 {
		m := script(llmtest.Call("look", `{}`), llmtest.Text("one"), llmtest.Call("look", `{}`), llmtest.Text("two"))
		s := open(t, agent.Agent{Model: m, Tools: []tool.Tool{look}}, &agent.OpenOptions{Store: store, SessionID: "s"})
		s.ask("go")
		s.ask("go on")
		s.Close()
	}
	if want := []bool{false, false, true, true}; !slices.Equal(seen, want) {
		t.Errorf("got %v, want %v", seen, want)
	}
}
