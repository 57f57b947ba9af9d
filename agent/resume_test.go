package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// world counts what tools did, across crashes.
type world struct {
	mu   sync.Mutex
	done map[string]int // by tool and idempotency key
}

func (w *world) tool(name string, effect tool.Effect) tool.Tool {
	return tool.New(name, "", func(ctx context.Context, _ struct{}) (string, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.done[name+" "+tool.CallFrom(ctx).IdempotencyKey]++
		return name + " done", nil
	}, tool.WithEffect(effect))
}

func (w *world) times(name string) []int {
	var all []int
	for key, n := range w.done {
		if strings.HasPrefix(key, name+" ") {
			all = append(all, n)
		}
	}
	return all
}

// workModel calls three tools in its first turn, one in its second, and then
// answers; it goes by the conversation alone, so it does not mind a crash.
func workModel(t *testing.T) llm.Model {
	m := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		turns := 0
		for _, m := range req.Messages {
			if m.Role == llm.RoleAssistant {
				turns++
			}
		}
		usage := llm.Usage{Input: 10, Output: 1}
		switch turns {
		case 0:
			return llmtest.Text("Working.").And("read", ``).And("write", ``).And("put", ``).Using(usage)
		case 1:
			return llmtest.Call("write", ``).Using(usage)
		}
		return llmtest.Text("All done.").Using(usage)
	})
	return agenttest.Checked(m, func(err error) { t.Errorf("invalid request: %v", err) })
}

// TestACrashAtAnyWriteLosesNothing kills the session at each write in turn and
// goes on from the log.
func TestACrashAtAnyWriteLosesNothing(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		finished := false
		synctest.Test(t, func(t *testing.T) {
			w := &world{done: map[string]int{}}
			a := agent.Agent{Model: workModel(t), Policy: agent.AllowAll(), Tools: []tool.Tool{
				w.tool("read", tool.ReadOnly), w.tool("write", tool.Mutating), w.tool("put", tool.Idempotent),
			}}
			inner := agent.NewMemoryStore()
			crash := agenttest.Crash(inner, n)
			s, err := a.Open(t.Context(), &agent.OpenOptions{Store: crash, SessionID: "s"})
			if err != nil {
				t.Fatal(err)
			}
			_, sendErr := s.Send(t.Context(), llm.User("go"), agent.Steer)
			res, err := s.Wait(t.Context())
			finished = !crash.Crashed()
			if !finished && (!errors.Is(err, agenttest.ErrCrashed) && sendErr == nil || res.Stop == agent.StopDone) {
				t.Errorf("crash at write %d: result %+v, error %v", n, res, err)
			}
			s.Close()

			b := open(t, a, &agent.OpenOptions{Store: inner, SessionID: "s", Unsafe: agent.TellModel})
			if sendErr != nil {
				b.send("go", agent.Steer) // it was never accepted
			}
			res, err = b.wait()
			if err != nil || res.Text != "All done." || res.Turns != 3 || res.ToolCalls != 4 {
				t.Errorf("crash at write %d: resumed to %+v, %v", n, res, err)
			}
			wantEqual(t, "usage", res.Usage, llm.Usage{Input: 30, Output: 3})
			wantEqual(t, "runs", len(pick[*agent.RunStarted](b.log())), 1)
			for _, times := range w.times("write") {
				if times != 1 {
					t.Errorf("crash at write %d: a mutating call ran %d times", n, times)
				}
			}
			for _, end := range b.ended() {
				if end.Outcome != agent.OutcomeOK && (end.Result.Name != "write" || end.Outcome != agent.OutcomeUnknown) {
					t.Errorf("crash at write %d: %s ended as %s: %s", n, end.Result.Name, end.Outcome, end.Result.Text())
				}
			}
		})
		if t.Failed() || finished {
			t.Logf("%d writes", n)
			return
		}
	}
}

func TestFinishedCallsAreNotRunAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &world{done: map[string]int{}}
		a := agent.Agent{Model: workModel(t), Policy: agent.AllowAll(), Tools: []tool.Tool{
			w.tool("read", tool.ReadOnly), w.tool("write", tool.Mutating), w.tool("put", tool.Idempotent),
		}}
		inner := agent.NewMemoryStore()
		// Writes: message, run, model message, then start and end of each call.
		s, err := a.Open(t.Context(), &agent.OpenOptions{Store: agenttest.Crash(inner, 8), SessionID: "s"})
		if err != nil {
			t.Fatal(err)
		}
		s.Run(t.Context(), "go")
		s.Close()
		b := open(t, a, &agent.OpenOptions{Store: inner, SessionID: "s"})
		b.wait()
		for name, want := range map[string]string{"read": "[1]", "write": "[1 1]", "put": "[2]"} {
			// put had started and not ended: it ran again, with the same key.
			if got := fmt.Sprint(w.times(name)); got != want {
				t.Errorf("%s ran %s times by key, want %s", name, got, want)
			}
		}
	})
}

// A call that had started when its process died goes through the whole pipeline
// again before it runs again: what forbids it today holds. A permission that was
// given for it is not asked for twice.
func TestACallThatWasCutIsDecidedAgain(t *testing.T) {
	t.Parallel()
	deny := agent.Hook{Name: "h", BeforeTool: func(context.Context, agent.Moment, *tool.Call) (agent.ToolVerdict, error) {
		return agent.ToolVerdict{Deny: "not today"}, nil
	}}
	newer := tool.New("put", "", func(context.Context, struct{ Name string }) (string, error) { return "", nil }, tool.WithEffect(tool.Idempotent))
	allow := agent.AllowAll()
	for name, tt := range map[string]struct {
		before, after agent.Policy
		hooks         []agent.Hook
		newer         bool
		outcome       agent.Outcome
		runs, asked   int
	}{
		"allowed":             {before: allow, after: allow, outcome: agent.OutcomeOK, runs: 2},
		"asked before":        {outcome: agent.OutcomeOK, runs: 2, asked: 1},
		"asked now":           {before: allow, outcome: agent.OutcomeOK, runs: 2, asked: 1},
		"denied by a rule":    {before: allow, after: agent.Permissions{Deny: []agent.Rule{{Tool: "put"}}}, outcome: agent.OutcomeDenied, runs: 1},
		"asked, then denied":  {after: agent.Permissions{Deny: []agent.Rule{{Tool: "put"}}}, outcome: agent.OutcomeDenied, runs: 1, asked: 1},
		"denied by a hook":    {before: allow, after: allow, hooks: []agent.Hook{deny}, outcome: agent.OutcomeDenied, runs: 1},
		"of another tool now": {before: allow, after: allow, newer: true, outcome: agent.OutcomeInvalid, runs: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				inner := agent.NewMemoryStore()
				crash := agenttest.Crash(inner, 1<<30)
				runs, asked := 0, 0
				put := tool.New("put", "", func(context.Context, struct{}) (string, error) {
					if runs++; runs == 1 {
						crash.Kill()
					}
					return "ok", nil
				}, tool.WithEffect(tool.Idempotent))
				approver := agent.ApproverFunc(func(context.Context, *tool.Question) (tool.Answer, error) {
					asked++
					return tool.Yes(), nil
				})
				a := agent.Agent{Model: script(llmtest.Call("put", `{}`)), Policy: tt.before, Tools: []tool.Tool{put}}
				s, err := a.Open(t.Context(), &agent.OpenOptions{Store: crash, SessionID: "s", Approver: approver})
				if err != nil {
					t.Fatal(err)
				}
				s.Run(t.Context(), "go")
				s.Close()
				time.Sleep(time.Minute) // the lease of the dead owner ends

				a.Model, a.Policy, a.Hooks = script(llmtest.Text("done")), tt.after, tt.hooks
				if tt.newer {
					a.Tools[0] = newer
				}
				b := open(t, a, &agent.OpenOptions{Store: inner, SessionID: "s", Approver: approver})
				if res, err := b.wait(); err != nil || res.Text != "done" {
					t.Errorf("resumed to %+v, %v", res, err)
				}
				wantEqual(t, "outcome", b.ended()[0].Outcome, tt.outcome)
				wantEqual(t, "runs", runs, tt.runs)
				wantEqual(t, "questions", asked, tt.asked)
			})
		})
	}
}

func TestAMutatingCallInDoubtIsNotRepeatedSilently(t *testing.T) {
	t.Parallel()
	for _, effect := range []tool.Effect{tool.Mutating, tool.Unknown} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{done: map[string]int{}}
			a := agent.Agent{Model: script(llmtest.Call("write", ``)), Policy: agent.AllowAll(), Tools: []tool.Tool{w.tool("write", effect)}}
			inner := agent.NewMemoryStore()
			opts := &agent.OpenOptions{Store: agenttest.Crash(inner, 4), SessionID: "s"}
			s, err := a.Open(t.Context(), opts)
			if err != nil {
				t.Fatal(err)
			}
			s.Run(t.Context(), "go")
			s.Close()
			time.Sleep(time.Minute) // the lease of the dead owner ends

			opts.Store = inner
			_, err = a.Open(t.Context(), opts)
			var unsafe *agent.UnsafeResumeError
			if !errors.As(err, &unsafe) || len(unsafe.Calls) != 1 || unsafe.Calls[0].Name != "write" || !strings.Contains(err.Error(), "write[call_1]") {
				t.Fatalf("open = %v, want an UnsafeResumeError about write", err)
			}
			a.Model = script(llmtest.Text("I had better look."))
			opts.Unsafe = agent.TellModel
			b := open(t, a, opts)
			if res, err := b.wait(); err != nil || res.Text != "I had better look." {
				t.Errorf("result = %+v, %v", res, err)
			}
			wantEqual(t, "outcome", b.ended()[0].Outcome, agent.OutcomeUnknown)
			wantEqual(t, "runs", fmt.Sprint(w.times("write")), "[1]")
		})
	}
}

func TestAnotherHandleCanSendAnswerAndInterrupt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := agent.NewMemoryStore()
		a := agent.Agent{Model: slowModel(), Tools: []tool.Tool{blocking("wait", tool.ReadOnly, time.Hour), echo("write", tool.Mutating)}}
		owner := open(t, a, &agent.OpenOptions{Store: store, SessionID: "s", Approver: agent.Later})
		owner.send("call wait", agent.Steer)
		time.Sleep(2 * time.Second)

		other := open(t, a, &agent.OpenOptions{Store: store, SessionID: "s", Approver: agent.Later})
		other.send("call write", agent.Queue)
		other.interrupt(agent.Now, "hurry")
		for name, b := range map[string]*bench{"other": other, "owner": owner} {
			if res, err := b.wait(); err != nil || res.Stop != agent.StopQuestion {
				t.Errorf("%s: %+v, %v", name, res, err)
			}
		}
		res, _ := other.wait()
		if err := other.Answer(t.Context(), res.Question.ID, tool.Answer{Choices: []string{tool.Allow}}); err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string]*bench{"other": other, "owner": owner} {
			if res, err := b.wait(); err != nil || res.Text != "re: " {
				t.Errorf("%s: %+v, %v", name, res, err)
			}
		}
	})
}

func TestAnOpenQuestionIsAskedAgainAfterARestart(t *testing.T) {
	t.Parallel()
	store := agent.NewMemoryStore()
	a := agent.Agent{Model: script(llmtest.Call("write", `{}`)), Tools: []tool.Tool{echo("write", tool.Mutating)}}
	first, err := a.Open(t.Context(), &agent.OpenOptions{Store: store, SessionID: "s", Approver: agent.Later})
	if err != nil {
		t.Fatal(err)
	}
	first.Run(t.Context(), "go")
	first.Close()

	asked := 0
	approver := agent.ApproverFunc(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		asked++
		return tool.Answer{Choices: []string{tool.Allow}}, nil
	})
	a.Model = script(llmtest.Text("done"))
	b := open(t, a, &agent.OpenOptions{Store: store, SessionID: "s", Approver: approver})
	if res, err := b.wait(); err != nil || res.Text != "done" {
		t.Errorf("result = %+v, %v", res, err)
	}
	wantEqual(t, "times asked", asked, 1)
	wantEqual(t, "questions in the log", len(pick[*agent.QuestionAsked](b.log())), 1)
}

func TestAnswersGivenToACallSurviveItsRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		approver := agent.ApproverFunc(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
			asked = append(asked, q.Text)
			return tool.Answer{Text: "re " + q.Text}, nil
		})
		survey := tool.New("survey", "", func(ctx context.Context, _ struct{}) (string, error) {
			text := ""
			for _, q := range []string{"one?", "two?"} {
				a, err := tool.CallFrom(ctx).Ask(ctx, tool.Question{Text: q})
				if err != nil {
					return "", err
				}
				text += a.Text + " "
			}
			return text, nil
		}, tool.WithEffect(tool.ReadOnly))
		a := agent.Agent{Model: script(llmtest.Call("survey", ``)), Tools: []tool.Tool{survey}}
		inner := agent.NewMemoryStore()
		opts := &agent.OpenOptions{Store: agenttest.Crash(inner, 6), SessionID: "s", Approver: approver}
		s, err := a.Open(t.Context(), opts) // it dies between the first answer and the second question
		if err != nil {
			t.Fatal(err)
		}
		s.Run(t.Context(), "go")
		s.Close()
		a.Model, opts.Store = script(llmtest.Text("done")), inner
		b := open(t, a, opts)
		b.wait()
		wantTexts(t, b.ended(), "re one? re two? ")
		if got := fmt.Sprint(asked); got != "[one? two?]" {
			t.Errorf("asked %s, want each once", got)
		}
	})
}

func TestAnOwnerThatLostItsLeaseWritesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := agent.NewMemoryStore()
		w := &world{done: map[string]int{}}
		a := agent.Agent{Model: workModel(t), Policy: agent.AllowAll(), Tools: []tool.Tool{
			blocking("read", tool.ReadOnly, 10*time.Second), w.tool("write", tool.Mutating), w.tool("put", tool.Idempotent),
		}}
		zombie := open(t, a, &agent.OpenOptions{Store: store, SessionID: "s"})
		zombie.send("go", agent.Steer)
		time.Sleep(time.Second)
		// The lease is gone, as after a long stop of the process.
		for info, err := range store.List(t.Context(), agent.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			l := agent.Lease{Session: "s", Owner: info.Owner, Epoch: info.Epoch, TTL: -time.Second}
			if err := store.Renew(t.Context(), l); err != nil {
				t.Fatal(err)
			}
		}
		next := open(t, a, &agent.OpenOptions{Store: store, SessionID: "s"})
		for name, b := range map[string]*bench{"next": next, "zombie": zombie} {
			if res, err := b.wait(); err != nil || res.Text != "All done." {
				t.Errorf("%s: %+v, %v", name, res, err)
			}
		}
		for key, n := range w.done {
			if n != 1 {
				t.Errorf("%s ran %d times", key, n)
			}
		}
	})
}

func TestAConversationGoesOnInAnotherSession(t *testing.T) {
	t.Parallel()
	store := agent.NewMemoryStore()
	opts := &agent.OpenOptions{Store: store, SessionID: "toulouse"}
	open(t, agent.Agent{Model: script(llmtest.Text("Hello Ada."))}, opts).ask("I am Ada.")
	m := script(llmtest.Text("Ada."))
	b := open(t, agent.Agent{Model: m}, opts)
	if res, err := b.wait(); err != nil || res.Text != "Hello Ada." {
		t.Errorf("the last result is %+v, %v", res, err)
	}
	b.ask("Who am I?")
	wantTranscript(t, m.Requests()[0].Messages, "user I am Ada.", "assistant Hello Ada.", "user Who am I?")
}

func TestQueuedMessagesSurviveACloseAndRunAtTheNextOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := agent.NewMemoryStore()
		opts := &agent.OpenOptions{Store: store, SessionID: "s"}
		a := agent.Agent{Model: slowModel()}
		b := open(t, a, opts)
		b.send("one", agent.Queue)
		b.send("two", agent.Queue)
		time.Sleep(time.Second / 2)
		b.Close()
		res, err := b.wait()
		wantStop(t, res, err, agent.StopCancelled, agent.ErrClosed)
		c := open(t, a, opts)
		if res, err := c.wait(); err != nil || res.Text != "re: two" {
			t.Errorf("result = %+v, %v", res, err)
		}
	})
}

// Somebody who takes a session between the listing and the opening is not waited for.
func TestResumeAllLeavesASessionToWhoWasFaster(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := agent.NewMemoryStore()
		a := agent.Agent{Model: llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("ok").After(10 * time.Second) })}
		event := agent.Event{Data: &agent.UserMessage{Message: llm.User("go"), Delivery: agent.Queue, Origin: agent.OriginUser}}
		if _, err := store.Post(t.Context(), "s", []agent.Event{{Data: &agent.SessionOpened{}}, event}); err != nil {
			t.Fatal(err)
		}
		var faster *agent.Session
		report, err := agent.ResumeAll(t.Context(), store, func(agent.SessionInfo) (agent.Agent, *agent.OpenOptions, bool) {
			var err error
			if faster, err = a.Open(t.Context(), &agent.OpenOptions{Store: store, SessionID: "s"}); err != nil {
				t.Error(err)
			}
			return a, nil, true
		}, nil)
		if err != nil || len(report.Leased) != 1 || len(report.Results)+len(report.Failed) != 0 {
			t.Errorf("report = %+v, %v", report, err)
		}
		if res, err := faster.Wait(t.Context()); err != nil || res.Text != "ok" {
			t.Error(res, err)
		}
		faster.Close()
	})
}

// A worker that is told to stop hands over what it works on.
func TestResumeAllHandsOverWhenItIsToStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := agent.NewMemoryStore()
		a := agent.Agent{Model: llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("ok").After(10 * time.Second) })}
		event := agent.Event{Data: &agent.UserMessage{Message: llm.User("go"), Delivery: agent.Queue, Origin: agent.OriginUser}}
		if _, err := store.Post(t.Context(), "s", []agent.Event{{Data: &agent.SessionOpened{}}, event}); err != nil {
			t.Fatal(err)
		}
		find := func(agent.SessionInfo) (agent.Agent, *agent.OpenOptions, bool) { return a, nil, true }
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		report, err := agent.ResumeAll(ctx, store, find, nil)
		if err != nil || !errors.Is(report.Failed["s"], agent.ErrDetached) {
			t.Errorf("stopped: %+v, %v", report, err)
		}
		report, err = agent.ResumeAll(t.Context(), store, find, nil)
		if err != nil || report.Results["s"] == nil || report.Results["s"].Text != "ok" {
			t.Errorf("the next one: %+v, %v", report, err)
		}
	})
}
