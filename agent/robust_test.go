package agent_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// "No limit" is what people mean by the longest duration there is; the other limits
// still hold beside it.
func TestTheLongestDurationLeavesOtherLimitsAlone(t *testing.T) {
	t.Parallel()
	slow := func(opts ...tool.Option) []tool.Tool {
		return []tool.Tool{tool.New("slow", "", func(ctx context.Context, _ struct{}) (string, error) {
			<-ctx.Done()
			return "", context.Cause(ctx)
		}, append(opts, tool.WithEffect(tool.ReadOnly))...)}
	}
	for name, tt := range map[string]struct {
		limits agent.Limits
		tools  []tool.Tool
		took   time.Duration
		stop   agent.StopReason
	}{
		"idle":      {agent.Limits{Idle: math.MaxInt64, Wall: time.Hour}, slow(tool.WithTimeout(time.Minute)), time.Minute, agent.StopDone},
		"tool":      {agent.Limits{Wall: time.Hour}, slow(tool.WithTimeout(math.MaxInt64)), time.Hour, agent.StopWall},
		"tool time": {agent.Limits{Wall: time.Hour, ToolTime: math.MaxInt64}, slow(), time.Hour, agent.StopWall},
		"wall":      {agent.Limits{Wall: math.MaxInt64}, slow(tool.WithTimeout(time.Minute)), time.Minute, agent.StopDone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := open(t, agent.Agent{Model: script(llmtest.Call("slow", "{}"), llmtest.Text("done")), Tools: tt.tools, Limits: tt.limits}, nil)
				began := time.Now()
				res, _ := b.Run(t.Context(), "x")
				wantEqual(t, "stop", res.Stop, tt.stop)
				wantEqual(t, "time", time.Since(began), tt.took)
			})
		})
	}
}

// Whoever has a session open takes over what its owner leaves undone.
func TestAMessageIsTakenOverFromAnOwnerThatCloses(t *testing.T) {
	t.Parallel()
	for name, watch := range map[string]func(*bench){
		"by one who reads": func(b *bench) {
			ended := 0
			for e, err := range b.Events(b.t.Context(), 0) {
				if err != nil {
					b.t.Fatal(err)
				}
				if e.Kind() == agent.KindRunEnded {
					if ended++; ended == 2 {
						return
					}
				}
			}
		},
		"by one who waits": func(b *bench) { b.wait() },
		"by itself":        func(*bench) { time.Sleep(time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				opts := &agent.OpenOptions{Store: agent.NewMemoryStore(), SessionID: "s"}
				a := agent.Agent{Model: llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("ok").After(time.Second) })}
				owner, other := open(t, a, opts), open(t, a, opts)
				owner.send("one", agent.Queue)
				time.Sleep(100 * time.Millisecond)
				other.send("two", agent.Queue)
				time.Sleep(100 * time.Millisecond)
				owner.Close()
				watch(other)
				ends := pick[*agent.RunEnded](other.log())
				if len(ends) != 2 || ends[1].Result.Text != "ok" {
					t.Errorf("%d runs have ended, want 2", len(ends))
				}
			})
		})
	}
}

// postStore tells when it has posted.
type postStore struct {
	agent.Store
	posted func()
}

func (s *postStore) Post(ctx context.Context, id string, events []agent.Event) (agent.Seq, error) {
	seq, err := s.Store.Post(ctx, id, events)
	s.posted()
	return seq, err
}

// What is in the log was sent, whatever happens after that.
func TestSendSaysWhetherItHasSent(t *testing.T) {
	t.Parallel()
	inner := agent.NewMemoryStore()
	store := &postStore{inner, func() {}}
	m := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("ok") })
	b := open(t, agent.Agent{Model: m}, &agent.OpenOptions{Store: store, SessionID: "s"})
	b.ask("one")
	note := agent.Event{Data: &agent.Custom{Name: "theirs", Data: []byte("1")}}
	if _, err := inner.Post(t.Context(), "s", []agent.Event{note}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	store.posted = cancel
	if seq, err := b.Send(ctx, llm.User("two"), agent.Queue); err != nil || seq == 0 {
		t.Errorf("Send: %d, %v", seq, err)
	}
	b.wait()
	wantEqual(t, "answers", len(pick[*agent.ModelMessage](b.log())), 2)
}

func TestResultsHoldOnlyWhatCanBeSent(t *testing.T) {
	t.Parallel()
	parts := []llm.Part{
		{Kind: llm.PartMedia}, {}, {Kind: llm.PartResult, Result: &llm.ToolResult{ID: "q"}},
		{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "q", Name: "z"}}, {Kind: llm.PartThinking, Text: "hm"}, llm.Text("fine"),
	}
	odd := tool.New("odd", "", func(context.Context, struct{}) ([]llm.Part, error) { return parts, nil }, tool.WithEffect(tool.ReadOnly))
	b := oneTurn(t, agent.Agent{Tools: []tool.Tool{odd}}, nil, llmtest.Call("odd", `{}`))
	result := b.History()[2].Parts[0].Result
	for i, p := range result.Parts {
		if p.Kind != llm.PartText {
			t.Errorf("part %d: %v", i, p)
		}
	}
	if len(result.Parts) != len(parts) || !strings.HasSuffix(result.Text(), "fine") || parts[0].Kind != llm.PartMedia {
		t.Errorf("result = %v, and the tool's own parts %v", result.Parts, parts)
	}
}

// brokenError is an error of which somebody returns a nil pointer.
type brokenError struct{ text string }

func (e *brokenError) Error() string { return e.text }

func TestErrorsThatCannotSpeakEndNoProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := func() error { var e *brokenError; return e }
		fails := tool.New("fails", "", func(context.Context, struct{}) (string, error) { return "", broken() }, tool.WithEffect(tool.ReadOnly))
		b := oneTurn(t, agent.Agent{Tools: []tool.Tool{fails}}, nil, llmtest.Call("fails", `{}`))
		wantTexts(t, b.ended(), "an error of type *agent_test.brokenError whose text cannot be had; is it a nil pointer?")

		aborts := tool.New("aborts", "", func(context.Context, struct{}) (string, error) { return "", &tool.AbortError{} }, tool.WithEffect(tool.ReadOnly))
		res, err := open(t, agent.Agent{Model: script(llmtest.Call("aborts", `{}`)), Tools: []tool.Tool{aborts}}, nil).Run(t.Context(), "go")
		if res.Stop != agent.StopFailed || err == nil {
			t.Errorf("an empty abort: %+v, %v", res, err)
		}
		type out struct{ A int }
		_, _, err = agent.RunAs(t.Context(), agent.Agent{Model: script(llmtest.Text(`{"A":1}`), llmtest.Text(`{"A":1}`))}, "go", &agent.OutputOptions[out]{
			Validate: func(out) error { return broken() },
		})
		if err == nil {
			t.Error("a validator's broken error is none")
		}
		res, err = open(t, agent.Agent{Model: script(llmtest.Fail(broken()))}, nil).Run(t.Context(), "go")
		if res.Stop != agent.StopFailed || err == nil {
			t.Errorf("a model's broken error: %+v, %v", res, err)
		}
	})
}

type sizePanics struct{ llm.Model }

func (sizePanics) Size() llm.Size { panic("no size") }

// Whatever of the user's panics in the loop fails the run, and nothing else.
func TestPanicsInTheLoopFailTheRun(t *testing.T) {
	t.Parallel()
	calls := 0
	clock := func() time.Time {
		if calls++; calls > 3 {
			panic("no time")
		}
		return time.Now()
	}
	for name, tt := range map[string]struct {
		model llm.Model
		opts  *agent.OpenOptions
	}{
		"clock": {script(llmtest.Text("x")), &agent.OpenOptions{Clock: clock}},
		"size":  {sizePanics{script(llmtest.Text("x"))}, nil},
	} {
		s, err := agent.Agent{Model: tt.model}.Open(t.Context(), tt.opts)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := s.Run(t.Context(), "go"); res.Stop != agent.StopFailed || err == nil || !strings.Contains(err.Error(), "panic") {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
		s.Close()
	}
}

type exits struct{}

func (exits) Name() string { return "test/exits" }
func (exits) Stream(context.Context, *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(func(llm.Chunk, error) bool) { runtime.Goexit() }
}

// A test's FailNow in a tool, a model, a hook or an approver ends a goroutine of the
// session's. Nobody waits for what never comes.
func TestGoroutinesThatEndAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	exit := tool.New("exit", "", func(context.Context, struct{}) (string, error) { runtime.Goexit(); return "", nil }, tool.WithEffect(tool.ReadOnly))
	for name, tt := range map[string]struct {
		agent agent.Agent
		opts  agent.OpenOptions
		stop  agent.StopReason
	}{
		"model": {agent.Agent{Model: exits{}}, agent.OpenOptions{}, agent.StopFailed},
		"tool":  {agent.Agent{Model: script(llmtest.Call("exit", `{}`), llmtest.Text("ok")), Tools: []tool.Tool{exit}}, agent.OpenOptions{}, agent.StopDone},
		"approver": {
			agent.Agent{Model: script(llmtest.Call("write", `{}`), llmtest.Text("ok")), Tools: []tool.Tool{echo("write", tool.Mutating)}},
			agent.OpenOptions{Approver: agent.ApproverFunc(func(context.Context, *tool.Question) (tool.Answer, error) {
				runtime.Goexit()
				return tool.Answer{}, nil
			})},
			agent.StopDone,
		},
		"hook": {agent.Agent{Model: script(), Hooks: []agent.Hook{{BeforeModel: func(context.Context, agent.Moment, *llm.Request) (agent.ModelVerdict, error) {
			runtime.Goexit()
			return agent.ModelVerdict{}, nil
		}}}}, agent.OpenOptions{}, agent.StopFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				tt.opts.Store = agent.NewMemoryStore()
				s, err := tt.agent.Open(t.Context(), &tt.opts)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				res, err := s.Run(t.Context(), "go")
				if res.Stop != tt.stop || time.Since(began) > 0 {
					t.Errorf("after %s: %+v, %v", time.Since(began), res, err)
				}
			})
		})
	}
}

// flakyReads fails the first read after a lease was released.
type flakyReads struct {
	agent.Store
	fail, released atomic.Bool
}

func (s *flakyReads) Release(ctx context.Context, l agent.Lease) error {
	s.fail.Store(s.released.CompareAndSwap(false, true))
	return s.Store.Release(ctx, l)
}

func (s *flakyReads) Read(ctx context.Context, id string, from agent.Seq) iter.Seq2[agent.Event, error] {
	if s.fail.CompareAndSwap(true, false) {
		return func(yield func(agent.Event, error) bool) { yield(agent.Event{}, errors.New("once")) }
	}
	return s.Store.Read(ctx, id, from)
}

// An error of the store after a run says nothing about the run.
func TestARunThatIsDoneStaysDone(t *testing.T) {
	t.Parallel()
	b := open(t, agent.Agent{Model: script(llmtest.Text("ok"))}, &agent.OpenOptions{Store: &flakyReads{Store: agent.NewMemoryStore()}})
	for range 3 {
		res, err := b.wait()
		if res.Run == "" {
			res, err = b.Run(t.Context(), "go")
		}
		if err != nil || res.Text != "ok" {
			t.Errorf("%+v, %v", res, err)
		}
	}
}

// What sub-agents have spent is counted also where the tools under them do not end
// in time.
func TestWhatInterruptedSubAgentsSpentCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stuck := tool.New("stuck", "", func(context.Context, struct{}) (string, error) { time.Sleep(time.Hour); return "", nil }, tool.WithEffect(tool.ReadOnly))
		level := func(name string, below tool.Tool, args string) agent.Agent {
			m := llmtest.Func(func(*llm.Request) llmtest.Turn {
				return llmtest.Call(below.Spec.Name, args).Using(llm.Usage{Output: 100})
			})
			return agent.Agent{Name: name, Model: m, Tools: []tool.Tool{below}, Prices: llm.Prices{"test/scripted": {Output: llm.Dollar}}}
		}
		third := level("third", stuck, `{}`)
		second := level("second", third.Tool("third", ""), `{"task":"x"}`)
		b := open(t, level("first", second.Tool("second", ""), `{"task":"x"}`), nil)
		b.send("go", agent.Queue)
		time.Sleep(time.Second)
		b.interrupt(agent.Now, "enough")
		res, _ := b.wait()
		spent := llm.Micros(0)
		for info, err := range b.store.List(t.Context(), agent.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			events, err := agenttest.Log(t.Context(), b.store, info.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range pick[*agent.ModelMessage](events) {
				spent += m.Cost
			}
		}
		wantEqual(t, "cost", res.Cost, spent)
		wantEqual(t, "spent", spent, 300)
		time.Sleep(time.Hour) // the stuck tool ends
	})
}

// A message that a hook drops has no result, not even that of the run before.
func TestABlockedMessageIsNotAnswered(t *testing.T) {
	t.Parallel()
	guard := agent.Hook{Name: "guard", Message: func(_ context.Context, _ agent.Moment, m llm.Message) (agent.MessageVerdict, error) {
		if m.Text() == "bad" {
			return agent.MessageVerdict{Block: "not here"}, nil
		}
		return agent.MessageVerdict{}, nil
	}}
	b := open(t, agent.Agent{Model: script(llmtest.Text("ok")), Hooks: []agent.Hook{guard}}, nil)
	b.ask("good")
	res, err := b.Run(t.Context(), "bad")
	wantStop(t, res, err, agent.StopBlocked, agent.ErrBlocked)
	if res.Text != "" || !strings.Contains(err.Error(), "not here") {
		t.Errorf("result = %+v, %v", res, err)
	}
	res, err = agent.Agent{Model: script(), Hooks: []agent.Hook{guard}}.Run(t.Context(), "bad")
	wantStop(t, res, err, agent.StopBlocked, agent.ErrBlocked)
}
