package agent_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/fault"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// A tool that reads is asked again when it fails; one that writes never is.
func ExampleAgent_faults() {
	failures := 2
	archive := tool.New("archive", "Ask the archive", func(context.Context, struct{}) (string, error) {
		if failures--; failures >= 0 {
			return "", errors.New("503 busy")
		}
		return "17 files", nil
	}, tool.WithEffect(tool.ReadOnly))
	a := agent.Agent{
		Model: llmtest.New(llmtest.Call("archive", `{}`), llmtest.Text("There are 17.")),
		Tools: []tool.Tool{archive},
		Faults: func(*tool.Call) fault.Policy {
			return fault.Policy{Retry: &fault.Retry{Backoff: fault.Fixed(time.Millisecond)}}
		},
	}
	res, err := a.Run(context.Background(), "How many files?")
	fmt.Println(res.Text, err, failures)
	// Output: There are 17. <nil> -1
}

func TestOnlyCallsThatMayBeRepeatedAre(t *testing.T) {
	t.Parallel()
	for _, effect := range []tool.Effect{tool.Unknown, tool.ReadOnly, tool.Idempotent, tool.Mutating} {
		for _, aborts := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				var keys []string
				x := tool.New("x", "", func(ctx context.Context, _ struct{}) (string, error) {
					keys = append(keys, tool.CallFrom(ctx).IdempotencyKey)
					err := errors.New("busy")
					if aborts {
						err = tool.Abort(err)
					}
					return "", err
				}, tool.WithEffect(effect))
				b := open(t, agent.Agent{
					Model: script(llmtest.Call("x", `{}`), llmtest.Text("done")), Tools: []tool.Tool{x}, Policy: agent.AllowAll(),
					Faults: func(*tool.Call) fault.Policy { return fault.Policy{Retry: &fault.Retry{}} },
				}, nil)
				_, err := b.Run(t.Context(), "go")
				want, text := 1, "busy"
				if effect.Repeatable() && !aborts {
					want, text = 3, "gave up after 3 attempts: busy"
				}
				if (err != nil) != aborts || len(keys) != want || keys[0] != keys[len(keys)-1] {
					t.Errorf("%s, aborts %v: %d calls with keys %q, error %v", effect, aborts, len(keys), keys, err)
				}
				if !aborts && effect.Repeatable() {
					wantTexts(t, b.ended(), text)
				}
			})
		}
	}
}

// A model that fails in the middle of everything must not lose what was spent.
func TestMoneySpentOnSummariesAndFailedAttemptsCounts(t *testing.T) {
	t.Parallel()
	price := llm.Prices{"sum": {Input: 1_000_000}, "test/scripted": {Input: 1_000_000}}
	t.Run("summary", func(t *testing.T) {
		t.Parallel()
		sum := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("short").Using(llm.Usage{Input: 50}) })
		sum.ID = "sum"
		m := llmtest.Func(func(*llm.Request) llmtest.Turn { return big600 })
		b := open(t, agent.Agent{Model: m, Compact: agent.TwoStage{Model: sum}, Prices: price, Limits: agent.Limits{Context: 1250, Money: 40}}, nil)
		b.ask("one")
		b.ask("two")
		res, err := b.Run(t.Context(), "three")
		wantStop(t, res, err, agent.StopMoney, agent.ErrMoney)
		if res.Cost < 50 || len(m.Requests()) != 2 {
			t.Errorf("cost %d, %d requests", res.Cost, len(m.Requests()))
		}
	})
	t.Run("attempts", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			b := open(t, agent.Agent{Model: &billing{}, Prices: price, Limits: agent.Limits{Money: 40}}, nil)
			res, err := b.Run(t.Context(), "go")
			wantStop(t, res, err, agent.StopMoney, agent.ErrMoney)
			wantEqual(t, "cost", res.Cost, 50)
		})
	})
}

// billing is a model that fails, and says what that cost.
type billing struct{}

func (*billing) Name() string { return "test/scripted" }

func (*billing) Stream(context.Context, *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		_ = yield(llm.Chunk{Kind: llm.ChunkUsage, Usage: &llm.Usage{Input: 50}}, nil) &&
			yield(llm.Chunk{}, &llm.Error{Kind: llm.KindTransient, Err: errors.New("busy")})
	}
}

var big600 = llmtest.Text(fmt.Sprintf("%02400d", 7))

func TestASummaryThatTakesTooLongIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sum := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("never").Hanging() })
		m := llmtest.Func(func(*llm.Request) llmtest.Turn { return big600 })
		b := open(t, agent.Agent{Model: m, Compact: agent.TwoStage{Model: sum, Timeout: time.Minute}, Limits: agent.Limits{Context: 1250}}, nil)
		b.ask("one")
		b.ask("two")
		began := time.Now()
		b.ask("three")
		if took := time.Since(began); took < time.Minute || took > time.Minute+time.Second {
			t.Errorf("the run took %s", took)
		}
		wantEqual(t, "edits", len(pick[*agent.ContextEdited](b.log())), 0)
	})
}

// A session does not take any number of messages.
func TestAFullSessionRefusesMessages(t *testing.T) {
	t.Parallel()
	var release atomic.Bool
	gate := make(chan struct{})
	m := llmtest.Func(func(*llm.Request) llmtest.Turn {
		if !release.Load() {
			<-gate
		}
		return llmtest.Text("ok")
	})
	b := open(t, agent.Agent{Model: m, Limits: agent.Limits{Waiting: 3}}, nil)
	sent := 0
	var err error
	for range 10 {
		if _, err = b.Send(t.Context(), llm.User("x"), agent.Queue); err != nil {
			break
		}
		sent++
	}
	if !errors.Is(err, agent.ErrFull) || sent < 3 || sent > 4 { // the run takes the first one sooner or later
		t.Errorf("%d messages were taken, then %v", sent, err)
	}
	release.Store(true)
	close(gate)
	if _, err := b.wait(); err != nil {
		t.Error(err)
	}
	b.send("again", agent.Queue)
	b.wait()
	wantEqual(t, "runs", len(pick[*agent.RunEnded](b.log())), sent+1)
}

// Files that tools attach stay in their results, so nothing stands between the
// results of one message.
func TestAttachmentsStayInTheirResults(t *testing.T) {
	t.Parallel()
	image := llm.Part{Kind: llm.PartMedia, Media: &llm.Media{MIME: "image/png", Data: []byte{1, 2}}}
	plot := tool.New("plot", "", func(context.Context, struct{}) (tool.Result, error) {
		return tool.Result{Parts: []llm.Part{llm.Text("a figure"), image}}, nil
	}, tool.WithEffect(tool.ReadOnly))
	a := agent.Agent{Tools: []tool.Tool{plot, echo("read", tool.ReadOnly)}}
	b := oneTurn(t, a, nil, llmtest.Call("plot", `{}`).And("read", `{}`))
	wantEqual(t, "messages", len(b.History()), 4)
	results := b.History()[2].Parts
	if len(results) != 2 || len(results[0].Result.Parts) != 2 || results[0].Result.Parts[1].Media != image.Media || len(results[1].Result.Parts) != 1 {
		t.Errorf("results = %+v", results)
	}
}
