package agent_test

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// A stream that says nothing at all has shown nothing, so it is cancelled and made
// again.
func TestAStreamThatNeverBeginsIsMadeAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := agent.Limits{Idle: 10 * time.Second}
		b := open(t, agent.Agent{Model: script(llmtest.Parts().Hanging(), llmtest.Text("ok")), Limits: limits}, nil)
		began := time.Now()
		wantEqual(t, "text", b.ask("go").Text, "ok")
		retries := pick[*agent.ModelRetried](b.log())
		if len(retries) != 1 {
			t.Fatalf("retries = %+v, want one", retries)
		}
		wantEqual(t, "time", time.Since(began), 10*time.Second+retries[0].Wait)

		began = time.Now()
		never := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Parts().Hanging() })
		limits.Retries = -1
		res, err := open(t, agent.Agent{Model: never, Limits: limits}, nil).Run(t.Context(), "go")
		wantStop(t, res, err, agent.StopFailed, llm.ErrTransient)
		wantEqual(t, "time", time.Since(began), 10*time.Second)
	})
}

// In whatever way a stream breaks after calls have arrived, none of them is made,
// and what was said is kept as partial.
func TestAStreamThatBreaksMakesNoCall(t *testing.T) {
	t.Parallel()
	said := llmtest.Text("Let me ").And("echo", `{"text":"x"}`).And("echo", `{"text":"y"}`).Using(llm.Usage{Input: 3})
	for name, turn := range map[string]llmtest.Turn{
		"ends early": said.Cut(),
		"transient":  said.Failing(&llm.Error{Kind: llm.KindTransient, Err: errors.New("reset")}),
		"other":      said.Failing(errors.New("odd")),
	} {
		m := script(turn, llmtest.Text("never"))
		b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{echo("echo", tool.ReadOnly)}}, nil)
		res, err := b.Run(t.Context(), "go")
		if res.Stop != agent.StopFailed || err == nil || res.Text != "Let me " || res.ToolCalls != 0 {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
		wantEqual(t, name+": requests", len(m.Requests()), 1)
		wantEqual(t, name+": calls", len(pick[*agent.ToolStarted](b.log())), 0)
		if msgs := pick[*agent.ModelMessage](b.log()); len(msgs) != 1 || !msgs[0].Partial || msgs[0].Message.Text() != "Let me " {
			t.Errorf("%s: in the log: %+v", name, msgs)
		}
	}
}

// deaf is a model whose first stream ignores its context: it goes on when it is let,
// and says something then.
type deaf struct {
	calls atomic.Int32
	let   chan struct{}
	over  chan struct{} // closed when the first stream has returned
}

func (*deaf) Name() string { return "test/deaf" }
func (m *deaf) Stream(context.Context, *llm.Request) iter.Seq2[llm.Chunk, error] {
	first := m.calls.Add(1) == 1
	return func(yield func(llm.Chunk, error) bool) {
		text := "ok"
		if first {
			defer close(m.over)
			<-m.let
			text = "late"
		}
		if yield(llm.Chunk{Kind: llm.ChunkText, Text: text}, nil) {
			yield(llm.Chunk{Kind: llm.ChunkDone}, nil)
		}
	}
}

// A model that goes on after its request was cancelled is left behind once the grace
// is over, whoever has cancelled it, and nothing that it says then counts.
func TestAModelThatIgnoresItsContextIsLeftBehind(t *testing.T) {
	t.Parallel()
	const grace = 5 * time.Second
	for name, tt := range map[string]struct {
		limits agent.Limits
		stop   func(*bench) // after a minute
		took   time.Duration
		reason agent.StopReason
		is     error
	}{
		"silence":   {limits: agent.Limits{Idle: 10 * time.Second, Retries: -1}, took: 10*time.Second + grace, reason: agent.StopFailed, is: llm.ErrTransient},
		"the wall":  {limits: agent.Limits{Wall: 20 * time.Second}, took: 20*time.Second + grace, reason: agent.StopWall, is: agent.ErrWall},
		"interrupt": {stop: func(b *bench) { b.interrupt(agent.Now, "") }, took: 30*time.Second + grace, reason: agent.StopInterrupted, is: agent.ErrInterrupted},
		"close":     {stop: func(b *bench) { b.Close() }, took: 30*time.Second + grace, reason: agent.StopCancelled, is: agent.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := &deaf{let: make(chan struct{}), over: make(chan struct{})}
				tt.limits.Grace = grace
				b := open(t, agent.Agent{Model: m, Limits: tt.limits}, nil)
				began := time.Now()
				b.send("go", agent.Queue)
				if tt.stop != nil {
					go func() {
						time.Sleep(30 * time.Second)
						tt.stop(b)
					}()
				}
				res, err := b.wait()
				wantStop(t, res, err, tt.reason, tt.is)
				wantEqual(t, "time", time.Since(began), tt.took)
				events := len(b.log())
				close(m.let)
				<-m.over
				synctest.Wait()
				wantEqual(t, "events", len(b.log()), events)
			})
		})
	}
}

// The next attempt does not mind the one that was left behind.
func TestAModelIsAskedAgainBesideTheStreamThatWasLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &deaf{let: make(chan struct{}), over: make(chan struct{})}
		b := open(t, agent.Agent{Model: m, Limits: agent.Limits{Idle: 10 * time.Second}}, nil)
		wantEqual(t, "text", b.ask("go").Text, "ok")
		close(m.let)
		<-m.over
		wantEqual(t, "text", b.ask("again").Text, "ok")
		wantTranscript(t, b.History(), "user go", "assistant ok", "user again", "assistant ok")
		wantEqual(t, "retries", len(pick[*agent.ModelRetried](b.log())), 1)
	})
}

// streams is a model that tells how its stream was left.
type streams struct {
	whole     bool // the answer has an end
	after     int  // chunks that were taken behind it
	cancelled bool // the request was
}

func (*streams) Name() string { return "test/streams" }
func (m *streams) Stream(ctx context.Context, _ *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		defer func() { m.cancelled = ctx.Err() != nil }()
		more := yield(llm.Chunk{Kind: llm.ChunkText, Text: "a"}, nil)
		if !m.whole {
			<-ctx.Done()
		} else if more {
			more = yield(llm.Chunk{Kind: llm.ChunkDone}, nil)
		}
		for more && m.after < 10 {
			if more = yield(llm.Chunk{Kind: llm.ChunkText, Text: "b"}, nil); more {
				m.after++
			}
		}
	}
}

// Nothing is taken behind an answer, and an interrupt ends the request behind the
// stream.
func TestAStreamIsLeftAtItsEndOrAtAnInterrupt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &streams{whole: true}
		wantEqual(t, "text", open(t, agent.Agent{Model: m}, nil).ask("go").Text, "a")
		wantEqual(t, "chunks behind the end", m.after, 0)
		m = &streams{}
		b := open(t, agent.Agent{Model: m}, nil)
		b.send("go", agent.Steer)
		synctest.Wait()
		b.interrupt(agent.Now, "")
		res, err := b.wait()
		wantStop(t, res, err, agent.StopInterrupted, agent.ErrInterrupted)
		wantEqual(t, "the request was cancelled", m.cancelled, true)
	})
}

func TestAnUnknownFinishReasonIsAnOrdinaryEnd(t *testing.T) {
	t.Parallel()
	m := script(llmtest.Call("echo", `{}`).Ending("paused"), llmtest.Text("done").Ending("tired"))
	b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{echo("echo", tool.ReadOnly)}}, nil)
	wantEqual(t, "text", b.ask("go").Text, "done")
	wantTexts(t, b.ended(), "echo:")
}

func TestARefusalWithoutAWordIsARefusal(t *testing.T) {
	t.Parallel()
	b := open(t, agent.Agent{Model: script(llmtest.Parts().Ending(llm.FinishRefusal), llmtest.Text("hello"))}, nil)
	res, err := b.Run(t.Context(), "go")
	wantStop(t, res, err, agent.StopRefused, agent.ErrRefused)
	wantEqual(t, "text", b.ask("something else").Text, "hello")
}

func TestAnInterruptDuringTheWaitForARetryEndsTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := llmtest.Func(func(*llm.Request) llmtest.Turn {
			return llmtest.Fail(&llm.Error{Kind: llm.KindTransient, RetryAfter: 30 * time.Second, Err: errors.New("slow down")})
		})
		b := open(t, agent.Agent{Model: m}, nil)
		began := time.Now()
		b.send("go", agent.Steer)
		time.Sleep(5 * time.Second)
		b.interrupt(agent.Now, "never mind")
		res, err := b.wait()
		wantStop(t, res, err, agent.StopInterrupted, agent.ErrInterrupted)
		wantEqual(t, "time", time.Since(began), 5*time.Second)
		time.Sleep(time.Hour)
		wantEqual(t, "requests", len(m.Requests()), 1)
	})
}

// What was paid for counts, also where a hook had another idea.
func TestWhatHooksStopWasStillUsed(t *testing.T) {
	t.Parallel()
	after := func(v agent.ModelVerdict, err error) agent.Hook {
		return agent.Hook{Name: "h", AfterModel: func(_ context.Context, at agent.Moment, _ *llm.Response) (agent.ModelVerdict, error) {
			if at.Turn > 1 {
				return agent.ModelVerdict{}, nil
			}
			return v, err
		}}
	}
	for name, tt := range map[string]struct {
		hook agent.Hook
		want int64
	}{
		"answer": {after(agent.ModelVerdict{Answer: "no"}, nil), 7},
		"inject": {after(agent.ModelVerdict{Inject: "again"}, nil), 9},
		"error":  {after(agent.ModelVerdict{}, errors.New("down")), 7},
		"before the end": {agent.Hook{Name: "h", BeforeStop: func(context.Context, agent.Moment, *agent.Result) (agent.StopVerdict, error) {
			return agent.StopVerdict{}, errors.New("down")
		}}, 7},
	} {
		m := script(llmtest.Text("one").Using(llm.Usage{Input: 7}), llmtest.Text("two").Using(llm.Usage{Input: 2}))
		res, _ := open(t, agent.Agent{Model: m, Hooks: []agent.Hook{tt.hook}}, nil).Run(t.Context(), "go")
		wantEqual(t, name+": tokens", res.Usage.Input, tt.want)
	}
}

// A run's end that is no answer is nothing that hooks could hold up.
func TestBeforeStopSeesAnswersOnly(t *testing.T) {
	t.Parallel()
	asked := 0
	h := agent.Hook{Name: "h", BeforeStop: func(context.Context, agent.Moment, *agent.Result) (agent.StopVerdict, error) {
		asked++
		return agent.StopVerdict{}, nil
	}}
	for _, turn := range []llmtest.Turn{
		llmtest.Text("I cannot.").Ending(llm.FinishRefusal), llmtest.Text("cut").Ending(llm.FinishLength), llmtest.Fail(errors.New("down")), llmtest.Text("cut").Cut(),
	} {
		if res, err := open(t, agent.Agent{Model: script(turn), Hooks: []agent.Hook{h}}, nil).Run(t.Context(), "go"); err == nil {
			t.Errorf("result = %+v", res)
		}
	}
	wantEqual(t, "times asked", asked, 0)
}
