package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// A process that is told to stop hands its session over.
func ExampleSession_Detach() {
	ctx := context.Background()
	store := agent.NewMemoryStore() // in earnest one on disk
	asked := make(chan struct{})
	a := agent.Agent{Model: llmtest.Func(func(*llm.Request) llmtest.Turn {
		close(asked)
		return llmtest.Text("It is").Hanging()
	})}
	first, err := a.Open(ctx, &agent.OpenOptions{Store: store, SessionID: "s"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := first.Send(ctx, llm.User("How warm is it?"), agent.Steer); err != nil {
		fmt.Println(err)
	}
	<-asked
	if err := first.Detach(ctx); err != nil {
		fmt.Println(err)
	}

	a.Model = llmtest.New(llmtest.Text("It is 22 C."))
	second, err := a.Open(ctx, &agent.OpenOptions{Store: store, SessionID: "s"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer second.Close()
	res, err := second.Wait(ctx)
	fmt.Println(res.Text, err)
	// Output: It is 22 C. <nil>
}

// detachAfter starts a run, detaches it after a time with so much patience, and
// opens it again. It returns how long detaching took.
func detachAfter(t *testing.T, a agent.Agent, after, patience time.Duration) (took time.Duration, second *bench) {
	t.Helper()
	store := agent.NewMemoryStore()
	opts := &agent.OpenOptions{Store: store, SessionID: "s", Approver: agent.Later, Unsafe: agent.TellModel}
	first := open(t, a, opts)
	first.send("go", agent.Steer)
	time.Sleep(after)
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := first.Detach(ctx); err != nil {
		t.Error(err)
	}
	if res, err := first.wait(); res.Stop != agent.StopQuestion && (!errors.Is(err, agent.ErrDetached) || res.Stop != agent.StopCancelled) {
		t.Errorf("waiting on a detached session: %+v, %v", res, err)
	}
	if _, err := first.Send(t.Context(), llm.User("more"), agent.Steer); err == nil {
		t.Error("a detached session takes a message")
	}
	took = time.Since(began)
	return took, open(t, a, opts)
}

func TestADetachedRunGoesOnElsewhere(t *testing.T) {
	t.Parallel()
	const tools = "read, put, write"
	for _, tt := range []struct {
		name            string
		after, patience time.Duration
		took            time.Duration
		ended           string // outcomes in the end
		ran             string
	}{
		{"while the model writes", 500 * time.Millisecond, time.Minute, 0, "ok ok ok", "read put write"},
		{"while a tool reads", 1500 * time.Millisecond, time.Minute, 9500 * time.Millisecond, "ok ok ok", "read put write"},
		{"while a tool reads, impatiently", 1500 * time.Millisecond, time.Second, time.Second, "ok ok ok", "read read put write"},
		{"while a tool writes, impatiently", 22 * time.Second, time.Second, time.Second, "ok ok unknown", "read put write"},
		{"while a tool writes", 22 * time.Second, time.Minute, 9 * time.Second, "ok ok ok", "read put write"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var ran []string
				slow := func(name string, effect tool.Effect) tool.Tool {
					inner := blocking(name, effect, 10*time.Second)
					return tool.New(name, "", func(ctx context.Context, _ struct{}) (tool.Result, error) {
						ran = append(ran, name)
						return inner.Run(ctx, []byte(`{}`))
					}, tool.WithEffect(effect))
				}
				model := llmtest.Func(func(req *llm.Request) llmtest.Turn {
					if len(req.Messages) > 1 {
						return llmtest.Text("done")
					}
					turn := llmtest.Text("I work.").After(time.Second).Using(llm.Usage{Input: 1})
					for name := range strings.SplitSeq(tools, ", ") {
						turn = turn.And(name, `{}`)
					}
					return turn
				})
				a := agent.Agent{Model: model, Policy: agent.AllowAll(), Tools: []tool.Tool{slow("read", tool.ReadOnly), slow("put", tool.Idempotent), slow("write", tool.Mutating)}}
				took, b := detachAfter(t, a, tt.after, tt.patience)
				if took < tt.took || took > tt.took+100*time.Millisecond {
					t.Errorf("detaching took %s, want %s", took, tt.took)
				}
				if res, err := b.wait(); err != nil || res.Text != "done" {
					t.Errorf("in the end: %+v, %v", res, err)
				}
				var outcomes []string
				for _, end := range b.ended() {
					outcomes = append(outcomes, string(end.Outcome))
				}
				wantEqual(t, "outcomes", strings.Join(outcomes, " "), tt.ended)
				wantEqual(t, "runs of tools", strings.Join(ran, " "), tt.ran)
				wantEqual(t, "runs", len(pick[*agent.RunStarted](b.log())), 1)
			})
		})
	}
}

func TestSubAgentsAreDetachedWithTheirCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		helperModel := llmtest.Func(func(req *llm.Request) llmtest.Turn { return llmtest.Text("found").After(time.Second * 30) })
		helper := agent.Agent{Model: helperModel}
		a := agent.Agent{
			Model: llmtest.Func(func(req *llm.Request) llmtest.Turn {
				if len(req.Messages) > 1 {
					return llmtest.Text("done: " + req.Messages[2].Parts[0].Result.Text())
				}
				return llmtest.Call("helper", `{"task":"look"}`)
			}),
			Tools: []tool.Tool{helper.Tool("helper", "helps")},
		}
		took, b := detachAfter(t, a, time.Second, time.Hour)
		wantEqual(t, "time to detach", took, 0)
		res, err := b.wait()
		if err != nil || res.Text != "done: found" {
			t.Errorf("in the end: %+v, %v", res, err)
		}
		wantEqual(t, "sub-agents that ended", len(pick[*agent.ChildEnded](b.log())), 1)
		wantEqual(t, "requests of the sub-agent", len(helperModel.Requests()), 2)
	})
}

func TestAParkedRunIsDetachedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := agent.Agent{
			Model: llmtest.Func(func(req *llm.Request) llmtest.Turn {
				if len(req.Messages) > 1 {
					return llmtest.Text("done")
				}
				return llmtest.Call("write", `{}`)
			}),
			Tools: []tool.Tool{echo("write", tool.Mutating)},
		}
		took, b := detachAfter(t, a, time.Second, time.Hour)
		wantEqual(t, "time to detach", took, 0)
		res, err := b.wait()
		if err != nil || res.Stop != agent.StopQuestion || len(b.Questions()) != 1 {
			t.Fatal(res, err)
		}
		if err := b.Answer(t.Context(), b.Questions()[0].ID, tool.Yes()); err != nil {
			t.Fatal(err)
		}
		if res, err := b.wait(); err != nil || res.Text != "done" {
			t.Error(res, err)
		}
		wantEqual(t, "questions", len(b.Questions()), 0)
	})
}

// A run that was handed over is open in the log, whatever it was doing when that was
// asked for.
func TestDetachEndsNoRun(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	look := tool.New("look", "Look", func(context.Context, struct{}) (string, error) { return "22 C", nil }, tool.WithEffect(tool.ReadOnly))
	const tries = 2000
	for i := range tries {
		store := agent.NewMemoryStore()
		a := agent.Agent{Tools: []tool.Tool{look}, Model: llmtest.Func(func(r *llm.Request) llmtest.Turn {
			if len(r.Messages) < 12 {
				return llmtest.Call("look", "{}")
			}
			return llmtest.Text("22 C")
		})}
		s, err := a.Open(ctx, &agent.OpenOptions{Store: store, SessionID: "s"})
		if err != nil {
			t.Fatal(err)
		}
		events := s.Events(ctx, 0)
		if _, err := s.Send(ctx, llm.User("How warm is it?"), agent.Steer); err != nil {
			t.Fatal(err)
		}
		for e, err := range events {
			if err != nil {
				t.Fatal(err)
			}
			if int(e.Seq) > i%24 {
				break
			}
		}
		if err := s.Detach(ctx); err != nil {
			t.Fatal(err)
		}
		var last agent.EventKind
		for e, err := range store.Read(ctx, "s", 1) {
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := e.Data.(*agent.RunEnded); ok && d.Result.Err != nil {
				t.Fatalf("after %s the run ended: %v; want it left open", last, d.Result.Err)
			}
			last = e.Kind()
		}
	}
}
