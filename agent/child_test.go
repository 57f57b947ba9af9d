package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// ExampleAgent_Tool has a lead that hands work to two others, side by side.
func ExampleAgent_Tool() {
	ctx := context.Background()
	critic := agent.Agent{Instructions: "You look for holes.", Model: llmtest.New(llmtest.Text("One gap at 03:41."))}
	finder := agent.Agent{Instructions: "You look for data.", Model: llmtest.New(llmtest.Text("ACE has it."))}
	lead := agent.Agent{
		Name: "lead",
		Model: llmtest.New(
			llmtest.Call("find", `{"task":"find the field"}`).And("criticise", `{"task":"look for gaps"}`),
			llmtest.Text("ACE has it, with one gap."),
		),
		Tools: []tool.Tool{finder.Tool("find", "Finds data"), critic.Tool("criticise", "Looks for holes")},
	}
	store := agent.NewMemoryStore()
	s, err := lead.Open(ctx, &agent.OpenOptions{Store: store, SessionID: "s"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	res, err := s.Run(ctx, "Where is the field?")
	fmt.Println(res.Text, err)
	for _, p := range s.History()[2].Parts {
		fmt.Println(p.Result.Name, "->", p.Result.Text())
	}
	for info, err := range store.List(ctx, agent.Filter{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if info.Parent != "" {
			fmt.Println(info.Agent, "works for", info.Parent)
		}
	}
	// Unordered output:
	// ACE has it, with one gap. <nil>
	// find -> ACE has it.
	// criticise -> One gap at 03:41.
	// find works for s
	// criticise works for s
}

func TestASubAgentsUsageAndMoneyCountForItsCaller(t *testing.T) {
	t.Parallel()
	price := llm.Price{Input: 1_000_000}
	prices := llm.Prices{"test/scripted": price, "sub": price}
	sub := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Call("look", `{}`).Using(llm.Usage{Input: 10}) })
	sub.ID = "sub"
	look := echo("look", tool.ReadOnly)
	lead := func(limit llm.Micros, m llm.Model) agent.Agent {
		child := agent.Agent{Model: sub, Tools: []tool.Tool{look}, Limits: agent.Limits{Turns: 4}}
		return agent.Agent{Model: m, Tools: []tool.Tool{child.Tool("sub", "")}, Prices: prices, Limits: agent.Limits{Money: limit}}
	}
	m := script(llmtest.Call("sub", `{"task":"x"}`).Using(llm.Usage{Input: 5}), llmtest.Text("done").Using(llm.Usage{Input: 5}))
	b := open(t, lead(1000, m), nil)
	res := b.ask("go")
	wantEqual(t, "usage", res.Usage, llm.Usage{Input: 50})
	wantEqual(t, "cost", res.Cost, 50)
	wantTexts(t, b.ended(), "run stopped: turn limit reached")

	m = script(llmtest.Call("sub", `{"task":"x"}`).Using(llm.Usage{Input: 5}), llmtest.Text("done"))
	b = open(t, lead(20, m), nil) // 15 are left for the sub-agent
	res, err := b.Run(t.Context(), "go")
	wantStop(t, res, err, agent.StopMoney, agent.ErrMoney)
	wantEqual(t, "cost", res.Cost, 25)
	wantTexts(t, b.ended(), "run stopped: money limit reached")
}

func TestASubAgentsQuestionsGoUp(t *testing.T) {
	t.Parallel()
	for _, later := range []bool{false, true} {
		worker := agent.Agent{Model: script(llmtest.Call("write", `{"text":"x"}`), llmtest.Text("written")), Tools: []tool.Tool{echo("write", tool.Mutating)}}
		approver := agent.ApproverFunc(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
			return tool.Answer{Choices: []string{tool.Allow}}, nil
		})
		opts := &agent.OpenOptions{Approver: approver}
		if later {
			opts.Approver = agent.Later
		}
		a := agent.Agent{Model: script(llmtest.Call("work", `{"task":"x"}`), llmtest.Text("done")), Tools: []tool.Tool{worker.Tool("work", "")}}
		b := open(t, a, opts)
		res, err := b.Run(t.Context(), "go")
		if later {
			if res.Stop != agent.StopQuestion || res.Question.Tool != "write" || !res.Question.Permission {
				t.Fatalf("result = %+v, %v", res, err)
			}
			if err := b.Answer(t.Context(), res.Question.ID, tool.Answer{Choices: []string{tool.Allow}}); err != nil {
				t.Fatal(err)
			}
			res, err = b.wait()
		}
		if err != nil || res.Text != "done" {
			t.Errorf("result = %+v, %v", res, err)
		}
		wantTexts(t, b.ended(), "written")
		child := pick[*agent.ChildStarted](b.log())[0].Session
		events, err := agenttest.Log(t.Context(), b.store, child)
		if err != nil {
			t.Fatal(err)
		}
		if err := agenttest.CheckLog(events); err != nil {
			t.Errorf("the sub-agent's log: %v", err)
		}
		opened := events[0].Data.(*agent.SessionOpened)
		if opened.Parent == nil || opened.Parent.Session != b.ID() || opened.Agent != "work" {
			t.Errorf("the sub-agent's session = %+v", opened)
		}
	}
}

func TestInterruptingTheCallerStopsItsSubAgents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := agent.Agent{Model: script(llmtest.Text("Let me think").Hanging())}
		a := agent.Agent{Model: script(llmtest.Call("slow", `{"task":"x"}`)), Tools: []tool.Tool{slow.Tool("slow", "")}}
		b := open(t, a, nil)
		b.send("go", agent.Steer)
		time.Sleep(time.Second)
		began := time.Now()
		b.interrupt(agent.Now, "")
		res, err := b.wait()
		wantStop(t, res, err, agent.StopInterrupted, agent.ErrInterrupted)
		wantEqual(t, "time", time.Since(began), 0)
		ended := pick[*agent.ChildEnded](b.log())
		if len(ended) != 1 || ended[0].Result.Stop != agent.StopInterrupted || ended[0].Result.Text != "Let me think" {
			t.Errorf("the sub-agent ended as %+v", ended)
		}
	})
}

func TestASubAgentGoesOnAfterACrash(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		finished := false
		synctest.Test(t, func(t *testing.T) {
			w := &world{done: map[string]int{}}
			worker := agent.Agent{Model: workModel(t), Policy: agent.AllowAll(), Tools: []tool.Tool{
				w.tool("read", tool.ReadOnly), w.tool("write", tool.Mutating), w.tool("put", tool.Idempotent),
			}}
			lead := llmtest.Func(func(req *llm.Request) llmtest.Turn {
				if len(req.Messages) > 1 {
					return llmtest.Text("Thanks: " + req.Messages[2].Parts[0].Result.Text())
				}
				return llmtest.Call("work", `{"task":"go"}`)
			})
			a := agent.Agent{Model: lead, Tools: []tool.Tool{worker.Tool("work", "")}}
			inner := agent.NewMemoryStore()
			crash := agenttest.Crash(inner, n)
			s, err := a.Open(t.Context(), &agent.OpenOptions{Store: crash, SessionID: "s"})
			if err != nil {
				t.Fatal(err)
			}
			_, sendErr := s.Send(t.Context(), llm.User("go"), agent.Steer)
			s.Wait(t.Context())
			s.Close()
			finished = !crash.Crashed()

			b := open(t, a, &agent.OpenOptions{Store: inner, SessionID: "s", Unsafe: agent.TellModel})
			if sendErr != nil {
				b.send("go", agent.Steer)
			}
			res, err := b.wait()
			if err != nil || res.Text != "Thanks: All done." || res.Usage != (llm.Usage{Input: 30, Output: 3}) {
				t.Errorf("crash at write %d: resumed to %+v, %v", n, res, err)
			}
			for _, times := range w.times("write") {
				if times != 1 {
					t.Errorf("crash at write %d: a mutating call ran %d times", n, times)
				}
			}
		})
		if t.Failed() || finished {
			t.Logf("%d writes", n)
			return
		}
	}
}

func TestADoubtfulCallOfASubAgentIsLoudInTheCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &world{done: map[string]int{}}
		worker := agent.Agent{Model: script(llmtest.Call("write", ``)), Policy: agent.AllowAll(), Tools: []tool.Tool{w.tool("write", tool.Mutating)}}
		a := agent.Agent{Model: script(llmtest.Call("work", `{"task":"go"}`)), Tools: []tool.Tool{worker.Tool("work", "")}}
		inner := agent.NewMemoryStore()
		// Writes: 4 of the lead, child started, 4 of the worker.
		s, err := a.Open(t.Context(), &agent.OpenOptions{Store: agenttest.Crash(inner, 9), SessionID: "s"})
		if err != nil {
			t.Fatal(err)
		}
		s.Run(t.Context(), "go")
		s.Close()
		wantEqual(t, "runs", fmt.Sprint(w.times("write")), "[1]")
		b := open(t, a, &agent.OpenOptions{Store: inner, SessionID: "s"})
		res, err := b.wait()
		var unsafe *agent.UnsafeResumeError
		if !errors.As(err, &unsafe) || res.Stop != agent.StopFailed || unsafe.Session != "s" || len(unsafe.Calls) != 1 || unsafe.Calls[0].Name != "write" {
			t.Errorf("result = %+v, %v", res, err)
		}
		wantEqual(t, "runs", fmt.Sprint(w.times("write")), "[1]")
		wantEqual(t, "ends", len(pick[*agent.RunEnded](b.log())), 0) // nothing is lost by having asked
		b.Close()

		worker.Model = script(llmtest.Text("I cannot tell."))
		a = agent.Agent{Model: script(llmtest.Text("Neither can I.")), Tools: []tool.Tool{worker.Tool("work", "")}}
		b = open(t, a, &agent.OpenOptions{Store: inner, SessionID: "s", Unsafe: agent.TellModel})
		if res, err := b.wait(); err != nil || res.Text != "Neither can I." {
			t.Errorf("told the model: %+v, %v", res, err)
		}
		wantEqual(t, "runs", fmt.Sprint(w.times("write")), "[1]")
	})
}

func TestASubAgentWorksInPlainGoToo(t *testing.T) {
	t.Parallel()
	sub := agent.Agent{Model: script(llmtest.Text("here"))}.Tool("sub", "")
	res, err := sub.Run(t.Context(), []byte(`{"task":"x"}`))
	if err != nil || res.Text() != "here" {
		t.Errorf("result = %+v, %v", res, err)
	}
}

// What sub-agents do is seen by those who watch their caller, as it happens.
func ExampleChildEvent() {
	ctx := context.Background()
	helper := agent.Agent{Name: "helper", Model: llmtest.New(llmtest.Text("It was 5.26 nT."))}
	lead := agent.Agent{
		Name:  "lead",
		Model: llmtest.New(llmtest.Call("helper", `{"task":"How strong was it?"}`), llmtest.Text("5.26 nT.")),
		Tools: []tool.Tool{helper.Tool("helper", "Knows the data")},
	}
	s, err := lead.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	events := s.Events(ctx, 0)
	if _, err := s.Send(ctx, llm.User("How strong was it?"), agent.Steer); err != nil {
		fmt.Println(err)
	}
	for e, err := range events {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch d := e.Data.(type) {
		case *agent.ChildEvent:
			if m, ok := d.Event.Data.(*agent.ModelMessage); ok {
				fmt.Printf("%s: %s\n", d.Agent, m.Message.Text())
			}
		case *agent.RunEnded:
			fmt.Printf("lead: %s\n", d.Result.Text)
			return
		}
	}
	// Output:
	// helper: It was 5.26 nT.
	// lead: 5.26 nT.
}

func TestAReaderSeesAllThatSubAgentsDo(t *testing.T) {
	t.Parallel()
	inner := agent.Agent{Name: "inner", Model: script(llmtest.Text("deep down")), Tools: leakyTools()[:1]}
	middle := agent.Agent{
		Name: "middle", Tools: []tool.Tool{inner.Tool("inner", "helps")},
		Model: script(llmtest.Call("inner", `{"task":"x"}`), llmtest.Text("half way")),
	}
	b := open(t, agent.Agent{
		Tools: []tool.Tool{middle.Tool("middle", "helps")},
		Model: script(llmtest.Call("middle", `{"task":"x"}`), llmtest.Text("done")),
	}, nil)
	events := b.Events(t.Context(), 0)
	b.ask("go")
	logs := map[string][]agent.Event{}
	said := map[string]string{}
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		session, from := b.ID(), "lead"
		for c, ok := e.Data.(*agent.ChildEvent); ok; c, ok = e.Data.(*agent.ChildEvent) {
			session, from, e = c.Session, c.Agent, c.Event
		}
		if d, ok := e.Data.(*agent.TextDelta); ok {
			said[from] += d.Text
		}
		if e.Seq > 0 {
			logs[session] = append(logs[session], e)
		}
		if session == b.ID() && e.Kind() == agent.KindRunEnded {
			break
		}
	}
	wantEqual(t, "what was said", fmt.Sprint(said), "map[inner:deep down lead:done middle:half way]")
	wantEqual(t, "sessions", len(logs), 3)
	for session, seen := range logs {
		log, err := agenttest.Log(t.Context(), b.store, session)
		if err != nil {
			t.Fatal(err)
		}
		if kinds(seen) != kinds(log) {
			t.Errorf("of session %s the reader sees\n%s, the log has\n%s", session, kinds(seen), kinds(log))
		}
	}
}

// A tool that asks a sub-agent several times inside one call: each is a session of
// its own, and all of them count.
func TestACallMayRunASubAgentSeveralTimes(t *testing.T) {
	t.Parallel()
	price := llm.Price{Input: 1_000_000}
	sub := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		return llmtest.Text("about " + req.Messages[0].Text()).Using(llm.Usage{Input: 10})
	})
	sub.ID = "sub"
	ask := agent.Agent{Name: "predict", Model: sub}.Tool("predict", "")
	each := tool.New("each", "", func(ctx context.Context, in struct{ Words []string }) (string, error) {
		said := ""
		for i, w := range in.Words {
			task, err := json.Marshal(map[string]string{"task": w})
			if err != nil {
				return "", err
			}
			res, err := ask.Run(tool.Step(ctx, fmt.Sprint(i)), task)
			if err != nil {
				return "", err
			}
			said += res.Text() + "; "
		}
		return said, nil
	})
	m := script(llmtest.Call("each", `{"Words":["Bz","Bx","By"]}`), llmtest.Text("done"))
	store := agent.NewMemoryStore()
	a := agent.Agent{Model: m, Tools: []tool.Tool{each}, Policy: agent.AllowAll(), Prices: llm.Prices{"test/scripted": {}, "sub": price}, Limits: agent.Limits{Money: 1000}}
	b := open(t, a, &agent.OpenOptions{Store: store})
	res := b.ask("go")
	wantEqual(t, "usage", res.Usage, llm.Usage{Input: 30})
	wantEqual(t, "cost", res.Cost, 30)
	wantTexts(t, b.ended(), "about Bz; about Bx; about By; ")
	children := 0
	for info, err := range store.List(t.Context(), agent.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if info.Parent != "" {
			children++
		}
	}
	wantEqual(t, "children", children, 3)
}
