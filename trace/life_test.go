package trace_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/trace"
)

// life is a random life of a session: what its model does, turn after turn, and
// what happens to it meanwhile.
type life struct {
	Turns []string
	Steps []string
	Small bool // the model's window is, so that room has to be made

	store *agent.MemoryStore
	crash *agenttest.CrashStore
	s     *agent.Session
	mu    sync.Mutex
	turn  int
	errs  []error
}

var (
	turnKinds = []string{"answer", "answer", "calls", "calls", "odd", "ask", "work", "work", "busy", "cut", "hang", "length", "refuse"}
	stepKinds = []string{"steer", "steer", "queue", "preempt", "now", "after tools", "allow", "deny", "crash", "crash", "close", "custom", "wait"}
)

func drawLife(t *rapid.T) *life {
	return &life{
		Small: rapid.Bool().Draw(t, "small"),
		Turns: rapid.SliceOfN(rapid.SampledFrom(turnKinds), 0, 25).Draw(t, "turns"),
		Steps: rapid.SliceOfN(rapid.SampledFrom(stepKinds), 1, 20).Draw(t, "steps"),
	}
}

func (l *life) bad(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.errs = append(l.errs, err)
	}
}

func (l *life) model() llm.Model {
	return llmtest.Func(func(*llm.Request) llmtest.Turn {
		l.mu.Lock()
		defer l.mu.Unlock()
		kind := "answer"
		if l.turn < len(l.Turns) {
			kind = l.Turns[l.turn]
		}
		l.turn++
		text := llmtest.Text(fmt.Sprintf("Step %d.", l.turn)).Using(llm.Usage{Input: int64(l.turn), CacheRead: 2, Output: 1}).After(300 * time.Millisecond)
		switch kind {
		case "calls":
			return text.And("read", ``).And("write", ``).And("put", ``).And("read", ``)
		case "odd":
			return text.And("raed", ``).And("read", `{"cut`).And("fail", ``)
		case "ask":
			return text.And("ask", ``).And("read", ``)
		case "work":
			return text.And("work", `{"task":"x"}`).And("read", ``).And("work", `{"task":"y"}`)
		case "busy":
			return llmtest.Fail(&llm.Error{Kind: llm.KindTransient, Err: errors.New("busy")}).Using(llm.Usage{Input: 1})
		case "cut":
			return text.And("write", ``).Cut()
		case "hang":
			return text.Hanging()
		case "length":
			return text.And("write", ``).Ending(llm.FinishLength)
		case "refuse":
			return text.Ending(llm.FinishRefusal)
		}
		return text
	})
}

func (l *life) tool(name string, effect tool.Effect, d time.Duration) tool.Tool {
	return tool.New(name, "", func(ctx context.Context, _ struct{}) (string, error) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return "", ctx.Err()
		}
		switch name {
		case "fail":
			return "", errors.New("it failed")
		case "ask":
			_, err := tool.CallFrom(ctx).Ask(ctx, tool.Question{Text: "Well?", Choices: []tool.Choice{{Label: tool.Allow}}})
			return "", err
		}
		return name, nil
	}, tool.WithEffect(effect))
}

func (l *life) agent() agent.Agent {
	prices := llm.Prices{"test/scripted": {Input: 1_000_000}}
	worker := agent.Agent{
		Model: l.model(), Prices: prices, Policy: agent.AllowAll(), Limits: agent.Limits{Turns: 3},
		Tools: []tool.Tool{l.tool("read", tool.ReadOnly, 200*time.Millisecond), l.tool("put", tool.Idempotent, 400*time.Millisecond)},
	}
	a := agent.Agent{
		Name: "lead", Model: l.model(), Prices: prices, Policy: agent.AllowTools("put", "work"),
		Compact: agent.TwoStage{Model: llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("They talked.").Using(llm.Usage{Output: 7}) })},
		Tools: []tool.Tool{
			l.tool("read", tool.ReadOnly, 200*time.Millisecond), l.tool("write", tool.Mutating, 700*time.Millisecond),
			l.tool("put", tool.Idempotent, 400*time.Millisecond), l.tool("fail", tool.ReadOnly, 0),
			l.tool("ask", tool.ReadOnly, 0), worker.Tool("work", ""),
		},
		Hooks: []agent.Hook{{Name: "picky", BeforeModel: func(_ context.Context, at agent.Moment, _ *llm.Request) (agent.ModelVerdict, error) {
			if at.Turn == 3 {
				return agent.ModelVerdict{Inject: "think again"}, nil
			}
			return agent.ModelVerdict{}, nil
		}}},
		Limits: agent.Limits{Turns: 6, ToolCalls: 20, Idle: 20 * time.Second},
	}
	if l.Small {
		a.Limits.Context = 300
	}
	return a
}

func (l *life) reopen() {
	l.crash = agenttest.Crash(l.store, 1<<30)
	s, err := l.agent().Open(context.Background(), &agent.OpenOptions{Store: l.crash, SessionID: "s", Approver: agent.Later, Unsafe: agent.TellModel})
	l.bad(err)
	l.s = s
}

func (l *life) answer(label string) {
	events, _ := agenttest.Log(context.Background(), l.store, "s")
	for _, e := range events {
		if d, ok := e.Data.(*agent.QuestionAsked); ok {
			_ = l.s.Answer(context.Background(), d.Question.ID, tool.Answer{Choices: []string{label}})
		}
	}
}

func (l *life) do(kind string) {
	ctx := context.Background()
	switch kind {
	case "steer", "queue", "preempt":
		_, err := l.s.Send(ctx, llm.User("go"), agent.Delivery(kind))
		l.bad(err)
	case "now":
		l.bad(l.s.Interrupt(ctx, agent.Now, "stop"))
	case "after tools":
		l.bad(l.s.Interrupt(ctx, agent.AfterTools, "stop"))
	case "allow", "deny":
		l.answer(kind)
	case "crash":
		l.crash.Kill()
		l.s.Close()
		l.reopen()
	case "close":
		l.s.Close()
		l.reopen()
	case "custom":
		l.bad(l.s.Custom(ctx, "note", 1))
	case "wait":
		time.Sleep(3 * time.Second)
	}
	time.Sleep(time.Duration(len(kind)) * 130 * time.Millisecond)
}

func (l *life) live() {
	l.store = agent.NewMemoryStore()
	l.reopen()
	for _, step := range l.Steps {
		l.do(step)
		l.check(false)
	}
	for range 100 {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Hour)
		res, err := l.s.Wait(ctx)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) || res.Stop != agent.StopQuestion {
			break
		}
		l.answer(tool.Allow)
	}
	l.s.Close()
	l.check(true)
}

// check folds the log as it is now, alone and with those of the sub-agents.
func (l *life) check(over bool) {
	var whole, alone trace.Fold
	ctx := context.Background()
	l.bad(trace.Replay(ctx, l.store, "s", &whole))
	events, err := agenttest.Log(ctx, l.store, "s")
	l.bad(err)
	for _, e := range events {
		l.bad(alone.Put("s", e))
	}
	l.checkSpans(whole.Runs(), over)
	l.checkSpans(alone.Runs(), over)
	if over {
		l.bad(checkUsage(alone.Runs(), events))
	}
	var again trace.Fold // in two chunks that overlap
	for _, e := range events[:len(events)/2] {
		l.bad(again.Put("s", e))
	}
	again.Runs()
	for _, e := range events {
		l.bad(again.Put("s", e))
	}
	if a, b := outline(alone.Runs()), outline(again.Runs()); a != b {
		l.bad(fmt.Errorf("folded in chunks:\n%s\nat once:\n%s", b, a))
	}
}

func outline(runs []*trace.Span) string {
	text := ""
	for _, run := range runs {
		for depth, s := range run.All() {
			text += fmt.Sprintf("%*s%s %s %s %q %q %s %s %v\n", 2*depth, "", s.ID, s.Kind, s.Name, s.Outcome, s.Err, s.Start.Format("05.000"), s.End.Format("05.000"), s.Attrs)
		}
	}
	return text
}

// checkSpans holds spans to what the package promises of any tree.
func (l *life) checkSpans(runs []*trace.Span, over bool) {
	ids := map[string]bool{}
	var visit func(s, parent *trace.Span)
	visit = func(s, parent *trace.Span) {
		bad := func(format string, args ...any) {
			l.bad(fmt.Errorf("%s %s: %s in\n%s", s.Kind, s.ID, fmt.Sprintf(format, args...), outline(runs)))
		}
		switch {
		case ids[s.ID]:
			bad("its id is not unique")
		case s.IsOpen() && over:
			bad("it is open")
		case s.IsOpen() != (s.Outcome == trace.Open):
			bad("open is %t, the outcome %q", s.IsOpen(), s.Outcome)
		case !s.IsOpen() && s.End.Before(s.Start):
			bad("it ends before it begins")
		case s.Outcome == trace.OK && s.Err != "":
			bad("it is ok and has the error %s", s.Err)
		case parent != nil && s.Start.Before(parent.Start):
			bad("it begins before its parent")
		case parent != nil && !parent.IsOpen() && (s.IsOpen() || s.End.After(parent.End)):
			bad("it outlives its parent")
		}
		ids[s.ID] = true
		for _, c := range s.Children {
			visit(c, s)
		}
	}
	for _, run := range runs {
		visit(run, nil)
	}
}

// checkUsage compares the totals of runs with their results.
func checkUsage(runs []*trace.Span, events []agent.Event) error {
	results := map[string]*agent.Result{}
	for _, e := range events {
		if d, ok := e.Data.(*agent.RunEnded); ok {
			results[e.Run] = d.Result
		}
	}
	for _, run := range runs {
		want := results[run.Run]
		if want == nil {
			return fmt.Errorf("run %s has no result", run.Run)
		}
		usage, cost := run.Total()
		if (usage == nil) != (want.Usage == llm.Usage{}) || usage != nil && *usage != want.Usage {
			return fmt.Errorf("run %s used %+v, its result says %+v", run.Run, usage, want.Usage)
		}
		if (cost == nil) != (want.Cost == 0) || cost != nil && *cost != want.Cost {
			return fmt.Errorf("run %s cost %v, its result says %v", run.Run, cost, want.Cost)
		}
		turns := 0
		for _, s := range run.Children {
			if s.Kind == trace.KindTurn {
				turns++
			}
		}
		if turns != want.Turns {
			return fmt.Errorf("run %s has %d turns, its result says %d", run.Run, turns, want.Turns)
		}
	}
	if len(runs) != len(results) {
		return fmt.Errorf("%d runs for %d results", len(runs), len(results))
	}
	return nil
}

// TestWhateverHappensTheSpansHold folds the logs of sessions that live at random.
func TestWhateverHappensTheSpansHold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		l := drawLife(rt)
		synctest.Test(t, func(*testing.T) { l.live() })
		for _, err := range l.errs {
			rt.Error(err)
		}
	})
}
