package code_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/code"
)

func cell(text string) llmtest.Turn {
	args, err := json.Marshal(map[string]string{"code": text})
	if err != nil {
		panic(err)
	}
	return llmtest.Call("Execute", string(args))
}

// results are those of the calls in a session, as the model got them.
func results(s *agent.Session) []string {
	var texts []string
	for _, m := range s.History() {
		for _, p := range m.Parts {
			if p.Result != nil {
				texts = append(texts, p.Result.Text())
			}
		}
	}
	return texts
}

func TestAnAgentComputesAndEndsWithSubmit(t *testing.T) {
	t.Parallel()
	c := open(t, &code.Options{Functions: []code.Function{double()}, Submit: submitOf[flare](t, nil)})
	model := llmtest.New(
		cell("call double {\"n\":21}\nset year 2003"),
		cell("show year\nfail to plot"),
		llmtest.Call("Submit", `{"output":{"class":"X45"}}`),
		llmtest.Call("Submit", `{"output":{"class":"X45","year":2003}}`),
	)
	a := agent.Agent{Model: agenttest.Checked(model, func(err error) { t.Error(err) }), Instructions: c.Prompt(), Tools: []tool.Tool{c.Execute(), c.Submit()}, Policy: agent.AllowAll()}
	res, err := a.Run(t.Context(), "How strong was the flare?")
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "stop", res.Stop, agent.StopDone)
	wantText(t, "output", string(res.Output), `{"class":"X45","year":2003}`)
	wantText(t, "text", res.Text, `{"class":"X45","year":2003}`)
	wantHas(t, "the system prompt", model.Requests()[0].System[0].Text, "- double(n: int) -> int - doubles a number", "submit(output)")
	wantEqual(t, "script", model.Left(), 0)
}

func TestExecuteNeedsPermissionUnderTheRuntimesName(t *testing.T) {
	t.Parallel()
	c := open(t, nil)
	x := c.Execute()
	k, err := x.Key([]byte(`{"code":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, "key", k, "python")
	a := agent.Agent{Model: llmtest.New(cell("print x"), llmtest.Text("no")), Tools: []tool.Tool{x}}
	s, err := a.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Run(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	wantHas(t, "result", results(s)[0], "denied: it needs permission")
	wantEqual(t, "interpreters", c.Alive(), 0)
}

// An interrupted run leaves a session that can go on, with an empty interpreter.
func TestAnInterruptedCellLeavesTheSessionAlive(t *testing.T) {
	t.Parallel()
	f, called, _ := gate()
	c := open(t, &code.Options{Functions: []code.Function{f}})
	model := llmtest.New(cell("set x 5"), cell("call gate\nhang"), cell("show x"), llmtest.Text("done"))
	a := agent.Agent{Model: model, Tools: []tool.Tool{c.Execute()}, Policy: agent.AllowAll(), Limits: agent.Limits{Grace: 5 * time.Second}}
	s, err := a.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	go func() {
		<-called
		_ = s.Interrupt(context.Background(), agent.Now, "the user said stop")
	}()
	if res, err := s.Run(t.Context(), "go"); err == nil || res.Stop != agent.StopInterrupted {
		t.Fatalf("got %v, %v, want an interrupted run", res, err)
	}
	if _, err := s.Run(t.Context(), "go on"); err != nil {
		t.Fatal(err)
	}
	got := results(s)
	last := got[len(got)-1]
	if strings.Contains(last, "[new interpreter") {
		return // it had to be killed
	}
	wantText(t, "the cell after an interrupt that was heeded", last, "5")
}

// The program dies in the middle of a cell. In the next one the model is told that
// the outcome is unknown, and then that the interpreter is new.
func TestAfterACrashTheModelIsToldThatItsVariablesAreGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // in which nobody waits for the lease of the dead
		store := agent.NewMemoryStore()
		crashed, stop := context.WithCancel(t.Context())
		before := open(t, nil)
		model := llmtest.New(cell("set x 5"), cell("show x"), llmtest.Text("x is 5"))
		a := agent.Agent{Model: model, Tools: []tool.Tool{before.Execute()}, Policy: agent.AllowAll()}
		s, err := a.Open(crashed, &agent.OpenOptions{Store: agenttest.Crash(store, 8), SessionID: "s"})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = s.Run(t.Context(), "go")
		stop()
		_ = s.Close()

		after := open(t, nil) // of the next process
		a.Model = llmtest.Func(func(req *llm.Request) llmtest.Turn {
			last := req.Messages[len(req.Messages)-1]
			if last.Role == llm.RoleTool && strings.Contains(last.Parts[0].Result.Text(), "new interpreter") {
				return llmtest.Text("I see")
			}
			return cell("print on")
		})
		a.Tools = []tool.Tool{after.Execute()}
		s, err = a.Open(t.Context(), &agent.OpenOptions{Store: store, SessionID: "s", Unsafe: agent.TellModel})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		res, err := s.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wantText(t, "answer", res.Text, "I see")
		got := results(s)
		wantText(t, "the first cell", got[0], "(no output)")
		wantHas(t, "the cell after the crash", got[len(got)-1], "[new interpreter: if there were cells before", "\non")
	})
}

func TestCellsOfManySessionsThroughAgents(t *testing.T) {
	t.Parallel()
	c := open(t, nil)
	for _, id := range []string{"a", "b"} {
		model := llmtest.New(cell("set who \""+id+"\""), cell("show who"), llmtest.Text("done"))
		a := agent.Agent{Model: model, Tools: []tool.Tool{c.Execute()}, Policy: agent.AllowAll()}
		s, err := a.Open(t.Context(), &agent.OpenOptions{SessionID: id})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(t.Context(), "go"); err != nil {
			t.Fatal(err)
		}
		wantText(t, "session "+id, results(s)[1], id)
		_ = s.Close()
		c.End(id)
	}
	wantEqual(t, "alive", c.Alive(), 0)
}
