package agent_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

func TestRunWritesItsLogAndReturnsTheAnswer(t *testing.T) {
	t.Parallel()
	m := script(
		llmtest.Call("echo", `{"text":"hi"}`).Using(llm.Usage{Input: 10, Output: 2}),
		llmtest.Text("It said hi.").Using(llm.Usage{Input: 20, CacheRead: 5, Output: 3}),
	)
	b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{echo("echo", tool.ReadOnly)}, Instructions: "Be brief."}, nil)
	res := b.ask("What does it say?")

	wantEqual(t, "text", res.Text, "It said hi.")
	wantEqual(t, "stop", res.Stop, agent.StopDone)
	wantEqual(t, "turns", res.Turns, 2)
	wantEqual(t, "tool calls", res.ToolCalls, 1)
	wantEqual(t, "usage", res.Usage, llm.Usage{Input: 30, CacheRead: 5, Output: 5})
	wantEqual(t, "log", kinds(b.log()), "session_opened user_message run_started turn_started model_message "+
		"tool_started tool_ended turn_started model_message run_ended")
	wantTranscript(t, b.History(), "user What does it say?", `assistant echo{"text":"hi"}`, "tool =echo:hi", "assistant It said hi.")
	wantTranscript(t, m.Requests()[1].Messages, "user What does it say?", `assistant echo{"text":"hi"}`, "tool =echo:hi")
	if sys := m.Requests()[0].System; len(sys) != 1 || sys[0].Text != "Be brief." {
		t.Errorf("system = %+v, want the instructions", sys)
	}
}

func TestTheSecondQuestionSeesTheFirst(t *testing.T) {
	t.Parallel()
	m := script(llmtest.Text("Hello Ada."), llmtest.Text("Ada."))
	b := open(t, agent.Agent{Model: m}, nil)
	b.ask("I am Ada.")
	b.ask("Who am I?")
	wantTranscript(t, m.Requests()[1].Messages, "user I am Ada.", "assistant Hello Ada.", "user Who am I?")
}

func TestTheLastTurnIsKeptForAnAnswer(t *testing.T) {
	t.Parallel()
	m := script(llmtest.Call("echo", `{}`), llmtest.Call("echo", `{}`), llmtest.Text("As far as I got."))
	b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{echo("echo", tool.ReadOnly)}, Limits: agent.Limits{Turns: 3}}, nil)
	res := b.ask("go")
	wantEqual(t, "text", res.Text, "As far as I got.")
	last := m.Requests()[2]
	wantEqual(t, "choice of the last turn", last.Choice.Mode, llm.ChoiceNone)
	if msg := last.Messages[len(last.Messages)-1]; msg.Origin != agent.OriginLimit {
		t.Errorf("the model is not told of its last turn: %+v", msg)
	}
}

func TestOneTurnIsEnoughForAnAnswer(t *testing.T) {
	t.Parallel()
	b := open(t, agent.Agent{Model: script(llmtest.Text("yes")), Limits: agent.Limits{Turns: 1}}, nil)
	wantEqual(t, "text", b.ask("well?").Text, "yes")
}

func TestEndlessCallsEndAtTheTurnLimit(t *testing.T) {
	t.Parallel()
	m := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Call("echo", `{}`) })
	b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{echo("echo", tool.ReadOnly)}, Limits: agent.Limits{Turns: 3}}, nil)
	res, err := b.Run(t.Context(), "go")
	wantStop(t, res, err, agent.StopTurns, agent.ErrTurns)
	wantEqual(t, "turns", res.Turns, 3)
	ends := b.ended()
	wantEqual(t, "outcome in the last turn", ends[2].Outcome, agent.OutcomeLimit)
}

func TestTheLastTurnMayCallAFinalTool(t *testing.T) {
	t.Parallel()
	final := tool.New("answer", "the answer", func(_ context.Context, in struct{ Text string }) (string, error) {
		return in.Text, nil
	}, tool.Final(), tool.WithEffect(tool.ReadOnly))
	m := script(llmtest.Call("echo", `{}`), llmtest.Call("answer", `{"Text":"42"}`))
	b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{echo("echo", tool.ReadOnly), final}, Limits: agent.Limits{Turns: 2}}, nil)
	wantEqual(t, "text", b.ask("go").Text, "42")
	choice := m.Requests()[1].Choice
	if choice.Mode != llm.ChoiceNamed || len(choice.Names) != 1 || choice.Names[0] != "answer" {
		t.Errorf("choice = %+v, want the final tool", choice)
	}
}

func TestCallsBeyondTheLimitAreRefused(t *testing.T) {
	t.Parallel()
	m := script(llmtest.Call("echo", `{"text":"a"}`).And("echo", `{"text":"b"}`).And("nope", `{}`), llmtest.Text("ok"))
	b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{echo("echo", tool.ReadOnly)}, Limits: agent.Limits{ToolCalls: 1}}, nil)
	res := b.ask("go")
	wantEqual(t, "text", res.Text, "ok")
	wantEqual(t, "tool calls", res.ToolCalls, 3)
	wantEqual(t, "choice after the limit", m.Requests()[1].Choice.Mode, llm.ChoiceNone)
	wantTranscript(t, m.Requests()[1].Messages[2:3], "tool =echo:a =not run: tool call limit reached =there is no tool \"nope\"; there are echo")
}

func TestMoneyStopsARunBeforeItsTools(t *testing.T) {
	t.Parallel()
	prices := llm.Prices{"test/scripted": {Input: 1_000_000, Output: 2_000_000}} // 1 and 2 micro-dollars a token
	for _, tt := range []struct {
		name  string
		limit llm.Micros
		stop  agent.StopReason
	}{{"equal is allowed", 30, agent.StopDone}, {"more is not", 29, agent.StopMoney}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := script(llmtest.Call("echo", `{}`).Using(llm.Usage{Input: 10, Output: 10}), llmtest.Text("done"))
			b := open(t, agent.Agent{
				Model: m, Tools: []tool.Tool{echo("echo", tool.ReadOnly)}, Prices: prices, Limits: agent.Limits{Money: tt.limit},
			}, nil)
			res, err := b.Run(t.Context(), "go")
			wantEqual(t, "stop", res.Stop, tt.stop)
			wantEqual(t, "cost", res.Cost, 30)
			if tt.stop == agent.StopMoney {
				wantStop(t, res, err, agent.StopMoney, agent.ErrMoney)
				wantTexts(t, b.ended(), "not run: money limit reached")
			}
		})
	}
}

func TestAnAnswerIsKeptEvenIfItCostTooMuch(t *testing.T) {
	t.Parallel()
	m := script(llmtest.Text("done").Using(llm.Usage{Input: 100}))
	a := agent.Agent{Model: m, Prices: llm.Prices{"test/scripted": {Input: 1_000_000}}, Limits: agent.Limits{Money: 1}}
	wantEqual(t, "text", open(t, a, nil).ask("go").Text, "done")
}

func TestAMoneyLimitNeedsAPrice(t *testing.T) {
	t.Parallel()
	_, err := agent.Agent{Model: script(), Limits: agent.Limits{Money: 1}}.Open(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "test/scripted") {
		t.Errorf("open = %v, want an error that names the model", err)
	}
}

func TestWallClockStopsARunAndCountsFromItsStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := open(t, agent.Agent{Model: script(llmtest.Text("half an ans").Hanging()), Limits: agent.Limits{Wall: time.Minute, Idle: time.Hour}}, nil)
		time.Sleep(time.Hour) // idle time does not count
		began := time.Now()
		res, err := b.Run(t.Context(), "go")
		wantStop(t, res, err, agent.StopWall, agent.ErrWall)
		wantEqual(t, "time", time.Since(began), time.Minute)
		wantEqual(t, "text", res.Text, "half an ans")
	})
}

func TestWallClockStopsTools(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := script(llmtest.Call("wait", `{}`))
		b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{blocking("wait", tool.ReadOnly, time.Hour)}, Limits: agent.Limits{Wall: time.Minute}}, nil)
		res, err := b.Run(t.Context(), "go")
		wantStop(t, res, err, agent.StopWall, agent.ErrWall)
		wantTexts(t, b.ended(), "interrupted")
	})
}

func TestAnAnswerCutAtTheOutputLimitRunsNoCalls(t *testing.T) {
	t.Parallel()
	m := script(llmtest.Text("First, ").And("echo", `{}`).Ending(llm.FinishLength))
	b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{echo("echo", tool.ReadOnly)}}, nil)
	res, err := b.Run(t.Context(), "go")
	wantStop(t, res, err, agent.StopLength, agent.ErrLength)
	wantEqual(t, "text", res.Text, "First, ")
	wantTexts(t, b.ended(), "not run: the message was cut at the output limit")
}

func TestARefusalEndsTheRun(t *testing.T) {
	t.Parallel()
	for _, finish := range []llm.FinishReason{llm.FinishRefusal, llm.FinishContentFilter} {
		b := open(t, agent.Agent{Model: script(llmtest.Text("I cannot.").Ending(finish))}, nil)
		res, err := b.Run(t.Context(), "go")
		wantStop(t, res, err, agent.StopRefused, agent.ErrRefused)
	}
}

func TestFinishReasonsThatContradictTheParts(t *testing.T) {
	t.Parallel()
	m := script(
		llmtest.Call("echo", `{}`).Ending(llm.FinishStop), // calls count
		llmtest.Text("done").Ending(llm.FinishToolCalls),  // none: an answer
	)
	b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{echo("echo", tool.ReadOnly)}}, nil)
	wantEqual(t, "text", b.ask("go").Text, "done")
	wantTexts(t, b.ended(), "echo:")
}

func TestATransientFailureIsRetriedBeforeAnythingIsShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		busy := &llm.Error{Kind: llm.KindTransient, Status: 529, Err: errors.New("overloaded")}
		asked := &llm.Error{Kind: llm.KindTransient, Status: 429, RetryAfter: 20 * time.Second, Err: errors.New("slow down")}
		b := open(t, agent.Agent{Model: script(llmtest.Fail(busy), llmtest.Fail(asked), llmtest.Text("ok"))}, nil)
		began := time.Now()
		wantEqual(t, "text", b.ask("go").Text, "ok")
		retries := pick[*agent.ModelRetried](b.log())
		if len(retries) != 2 || retries[0].Attempt != 1 || retries[1].Attempt != 2 || retries[1].Wait != 20*time.Second {
			t.Errorf("retries = %+v", retries)
		}
		if took := time.Since(began); took < 20*time.Second || took > 22*time.Second {
			t.Errorf("took %v, want about 21 s", took)
		}
	})
}

func TestRetriesAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		busy := &llm.Error{Kind: llm.KindTransient, Err: errors.New("overloaded")}
		for _, tt := range []struct{ retries, requests int }{{0, 3}, {-1, 1}, {4, 5}} {
			m := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Fail(busy) })
			b := open(t, agent.Agent{Model: m, Limits: agent.Limits{Retries: tt.retries}}, nil)
			res, err := b.Run(t.Context(), "go")
			wantStop(t, res, err, agent.StopFailed, llm.ErrTransient)
			wantEqual(t, "requests", len(m.Requests()), tt.requests)
			wantEqual(t, "retries in the log", len(pick[*agent.ModelRetried](b.log())), tt.requests-1)
		}
	})
}

func TestAProviderThatAsksForTooLongAWaitHasFailed(t *testing.T) {
	t.Parallel()
	m := script(llmtest.Fail(&llm.Error{Kind: llm.KindTransient, RetryAfter: time.Hour, Err: errors.New("quota")}))
	res, err := open(t, agent.Agent{Model: m}, nil).Run(t.Context(), "go")
	wantStop(t, res, err, agent.StopFailed, llm.ErrTransient)
	if !strings.Contains(err.Error(), "1h") {
		t.Errorf("error %q does not tell the wait", err)
	}
}

func TestNothingIsRetriedOnceItWasShown(t *testing.T) {
	t.Parallel()
	m := script(llmtest.Text("Half an").Failing(&llm.Error{Kind: llm.KindTransient, Err: errors.New("reset")}), llmtest.Text("never"))
	b := open(t, agent.Agent{Model: m}, nil)
	res, err := b.Run(t.Context(), "go")
	wantStop(t, res, err, agent.StopFailed, llm.ErrTransient)
	wantEqual(t, "text", res.Text, "Half an")
	wantEqual(t, "requests", len(m.Requests()), 1)
	if msg := pick[*agent.ModelMessage](b.log()); len(msg) != 1 || !msg[0].Partial {
		t.Errorf("the partial text is not in the log as such: %+v", msg)
	}
}

func TestAPermanentFailureIsNotRetried(t *testing.T) {
	t.Parallel()
	m := script(llmtest.Fail(&llm.Error{Kind: llm.KindAuth, Err: errors.New("bad key")}))
	res, err := open(t, agent.Agent{Model: m}, nil).Run(t.Context(), "go")
	wantStop(t, res, err, agent.StopFailed, llm.ErrAuth)
	wantEqual(t, "requests", len(m.Requests()), 1)
}

func TestAStreamThatEndsEarlyRunsNoCall(t *testing.T) {
	t.Parallel()
	b := open(t, agent.Agent{Model: script(llmtest.Text("Let me").And("echo", `{"text":"x"}`).Cut()), Tools: []tool.Tool{echo("echo", tool.ReadOnly)}}, nil)
	res, err := b.Run(t.Context(), "go")
	wantStop(t, res, err, agent.StopFailed, io.ErrUnexpectedEOF)
	wantEqual(t, "text", res.Text, "Let me")
	wantEqual(t, "calls", len(b.ended()), 0)
}

func TestASilentStreamFailsAndASlowOneDoesNot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := agent.Limits{Idle: 10 * time.Second, Retries: -1}
		slow := open(t, agent.Agent{Model: script(llmtest.Text("one two three four").Every(9 * time.Second)), Limits: limits}, nil)
		wantEqual(t, "text", slow.ask("go").Text, "one two three four")
		began := time.Now()
		silent := open(t, agent.Agent{Model: script(llmtest.Text("one").Hanging()), Limits: limits}, nil)
		res, err := silent.Run(t.Context(), "go")
		wantStop(t, res, err, agent.StopFailed, llm.ErrTransient)
		if !strings.Contains(err.Error(), "raise Limits.Idle") {
			t.Errorf("%v does not say what to change", err)
		}
		wantEqual(t, "time", time.Since(began), 10*time.Second)
	})
}

// panicking is a model that panics in the middle of an answer.
type panicking struct{}

func (panicking) Name() string { return "test/panicking" }
func (panicking) Stream(context.Context, *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		yield(llm.Chunk{Kind: llm.ChunkText, Text: "so far"}, nil)
		panic("out of cheese")
	}
}

func TestAModelThatPanicsFailsItsRunOnly(t *testing.T) {
	t.Parallel()
	b := open(t, agent.Agent{Model: panicking{}}, nil)
	res, err := b.Run(t.Context(), "go")
	if res.Stop != agent.StopFailed || err == nil || !strings.Contains(err.Error(), "out of cheese") || res.Text != "so far" {
		t.Errorf("result = %+v, error = %v", res, err)
	}
	if ends := pick[*agent.RunEnded](b.log()); len(ends) != 1 || ends[0].Result.Stop != agent.StopFailed {
		t.Errorf("ends in the log = %+v, want one", ends)
	}
}

func TestEndingTheContextOfOpenEndsTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		res, err := agent.Agent{Model: script(llmtest.Text("ha").Hanging())}.Run(ctx, "go")
		wantStop(t, res, err, agent.StopCancelled, context.Canceled)
		wantEqual(t, "text", res.Text, "ha")
	})
}

func TestWaitTellsWhatCameOfARunThatItsContextEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		a := agent.Agent{Model: script(llmtest.Text("so far").Hanging())}
		s, err := a.Open(ctx, &agent.OpenOptions{Store: agent.NewMemoryStore()})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		s.Send(ctx, llm.User("go"), agent.Steer)
		quit := errors.New("ctrl-c")
		time.AfterFunc(time.Second, func() { cancel(quit) })
		for range 2 { // while it ends, and afterwards
			res, err := s.Wait(ctx)
			wantStop(t, res, err, agent.StopCancelled, quit)
			wantEqual(t, "text", res.Text, "so far")
		}
		short, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		b := open(t, agent.Agent{Model: script(llmtest.Text("x").After(30 * time.Second))}, nil)
		b.send("go", agent.Steer)
		if _, err := b.Wait(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a wait that ends before the run: %v", err)
		}
		if res, err := b.wait(); err != nil || res.Text != "x" {
			t.Errorf("the run: %+v, %v", res, err)
		}
	})
}

func TestCallIDsAreMadeUnique(t *testing.T) {
	t.Parallel()
	call := func(id string) llm.Part {
		return llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: id, Name: "echo", Args: []byte(`{"text":"` + id + `"}`)}}
	}
	m := script(llmtest.Parts(call("a"), call("a"), call("")), llmtest.Text("ok"))
	b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{echo("echo", tool.ReadOnly)}}, nil)
	b.ask("go")
	seen := map[string]bool{}
	for _, e := range b.ended() {
		if seen[e.Result.ID] || e.Result.ID == "" {
			t.Errorf("id %q is empty or not unique", e.Result.ID)
		}
		seen[e.Result.ID] = true
	}
}

func TestOpenRefusesAnAgentThatCannotRun(t *testing.T) {
	t.Parallel()
	type bad struct{ C chan int }
	for name, a := range map[string]agent.Agent{
		"no model":      {},
		"two alike":     {Model: script(), Tools: []tool.Tool{echo("x", 0), echo("x", 0)}},
		"bad type":      {Model: script(), Tools: []tool.Tool{tool.New("x", "", func(context.Context, bad) (string, error) { return "", nil })}},
		"bad name":      {Model: script(), Tools: []tool.Tool{echo("a b", 0)}},
		"zero tool":     {Model: script(), Tools: []tool.Tool{{}}},
		"bad raw input": {Model: script(), Tools: []tool.Tool{tool.Raw(llm.ToolSpec{Name: "x", Input: []byte(`{"type":`)}, nil)}},
	} {
		if res, err := a.Run(t.Context(), "go"); err == nil || res.Err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := (agent.Agent{Model: script()}).Open(t.Context(), &agent.OpenOptions{SessionID: "a/b"}); err == nil {
		t.Error("a session id with a slash is taken")
	}
}
