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

	"pgregory.net/rapid"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// plan is one random life of a session: what the model does, turn after turn,
// and what happens to the session meanwhile. It is drawn as a whole, so that a
// failing one can be shrunk.
type plan struct {
	Turns []string
	Steps []step
	Small bool // the model's window is, so that room has to be made
}

type step struct {
	Do    string
	After time.Duration
}

var (
	turnKinds = []string{"answer", "answer", "calls", "calls", "calls", "many", "odd calls", "ask", "busy", "break", "cut", "hang", "length", "refuse"}
	stepKinds = []string{"steer", "steer", "queue", "preempt", "preempt_now", "now", "after model", "after tools", "allow", "deny", "crash", "close", "detach", "other", "guest", "again", "custom"}
)

func drawPlan(t *rapid.T) plan {
	return plan{
		Small: rapid.Bool().Draw(t, "small"),
		Turns: rapid.SliceOfN(rapid.SampledFrom(turnKinds), 0, 30).Draw(t, "turns"),
		Steps: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
			return step{
				Do:    rapid.SampledFrom(stepKinds).Draw(t, "do"),
				After: time.Duration(rapid.IntRange(0, 3000).Draw(t, "after ms")) * time.Millisecond,
			}
		}), 1, 25).Draw(t, "steps"),
	}
}

// life runs a plan and collects what is wrong.
type life struct {
	plan  plan
	store *agent.MemoryStore
	crash *agenttest.CrashStore
	s     *agent.Session

	mu   sync.Mutex
	turn int
	sent int
	ran  map[string]int
	errs []error
}

func (l *life) bad(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errs = append(l.errs, fmt.Errorf(format, args...))
}

// model plays the plan's turns, and then only answers.
func (l *life) model() llm.Model {
	m := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		l.mu.Lock()
		kind := "answer"
		if l.turn < len(l.plan.Turns) {
			kind = l.plan.Turns[l.turn]
		}
		l.turn++
		n := l.turn
		l.mu.Unlock()
		text := llmtest.Text(fmt.Sprintf("Step %d.", n)).Using(llm.Usage{Input: int64(n), Output: 1}).After(300 * time.Millisecond)
		switch kind {
		case "calls":
			return text.And("read", ``).And("write", ``).And("put", ``)
		case "many":
			return text.And("read", ``).And("slow", ``).And("read", ``).And("write", ``).And("write", ``).And("read", ``)
		case "odd calls":
			return text.And("raed", ``).And("read", `{"cut`).And("write", `{"x":1}`).And("fail", ``).And("panic", ``)
		case "ask":
			return text.And("ask", ``).And("read", ``)
		case "busy":
			return llmtest.Fail(&llm.Error{Kind: llm.KindTransient, Err: errors.New("busy")})
		case "break":
			return text.And("read", ``).Failing(&llm.Error{Kind: llm.KindTransient, Err: errors.New("reset")})
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
	return agenttest.Checked(m, func(err error) { l.bad("invalid request: %w", err) })
}

func (l *life) tool(name string, effect tool.Effect, d time.Duration) tool.Tool {
	return tool.New(name, "", func(ctx context.Context, _ struct{}) (string, error) {
		l.mu.Lock()
		l.ran[name+" "+tool.CallFrom(ctx).IdempotencyKey]++
		l.mu.Unlock()
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return "", ctx.Err()
		}
		switch name {
		case "fail":
			return "", errors.New("it failed")
		case "panic":
			panic("it panicked")
		case "ask":
			a, err := tool.CallFrom(ctx).Ask(ctx, tool.Question{Text: "Well?", Choices: []tool.Choice{{Label: tool.Allow}, {Label: tool.Deny}}})
			return strings.Join(a.Choices, ","), err
		}
		return name, nil
	}, tool.WithEffect(effect))
}

func (l *life) agent() agent.Agent {
	limits := agent.Limits{Turns: 6, ToolCalls: 20, Idle: 20 * time.Second}
	if l.plan.Small {
		limits.Context = 300
	}
	return agent.Agent{
		Model:   l.model(),
		Compact: agent.TwoStage{Model: llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("They talked.") })},
		Tools: []tool.Tool{
			l.tool("read", tool.ReadOnly, 200*time.Millisecond), l.tool("slow", tool.ReadOnly, 4*time.Second),
			l.tool("write", tool.Mutating, 700*time.Millisecond), l.tool("put", tool.Idempotent, 400*time.Millisecond),
			l.tool("fail", tool.ReadOnly, 0), l.tool("panic", tool.ReadOnly, 0), l.tool("ask", tool.ReadOnly, 0),
		},
		Policy: agent.AllowTools("put"),
		Hooks:  []agent.Hook{l.hook()},
		Prices: llm.Prices{"test/scripted": {Input: 1_000_000}},
		Limits: limits,
	}
}

// hook is not content with each fourth step, takes the results of a turn for the
// answer now and then, and has each fifth message say please.
func (l *life) hook() agent.Hook {
	return agent.Hook{
		Name: "picky",
		Message: func(_ context.Context, _ agent.Moment, m llm.Message) (agent.MessageVerdict, error) {
			if strings.HasSuffix(m.Text(), "5>") {
				changed := llm.User(m.Text() + " please")
				return agent.MessageVerdict{Message: &changed}, nil
			}
			return agent.MessageVerdict{}, nil
		},
		AfterTool: func(context.Context, agent.Moment, *tool.Call, tool.Result) (agent.ResultVerdict, error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			return agent.ResultVerdict{Final: l.turn%7 == 3}, nil
		},
		BeforeStop: func(context.Context, agent.Moment, *agent.Result) (agent.StopVerdict, error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.turn%4 == 0 {
				return agent.StopVerdict{Inject: "go on"}, nil
			}
			return agent.StopVerdict{}, nil
		},
	}
}

func (l *life) open(st agent.Store) *agent.Session {
	s, err := l.agent().Open(context.Background(), &agent.OpenOptions{Store: st, SessionID: "s", Approver: agent.Later, Unsafe: agent.TellModel})
	if err != nil {
		l.bad("open: %w", err)
	}
	return s
}

// reopen goes on with the log in a new session, as a new process would.
func (l *life) reopen() {
	l.crash = agenttest.Crash(l.store, 1<<30)
	l.s = l.open(l.crash)
}

func (l *life) send(s *agent.Session, d agent.Delivery) {
	l.sent++
	if _, err := s.Send(context.Background(), llm.User(fmt.Sprintf("<%d>", l.sent)), d); err != nil {
		l.bad("send: %w", err)
	}
}

func (l *life) answer(label string) {
	events, _ := agenttest.Log(context.Background(), l.store, "s")
	for _, q := range pick[*agent.QuestionAsked](events) {
		err := l.s.Answer(context.Background(), q.Question.ID, tool.Answer{Choices: []string{label}})
		if err != nil && !errors.Is(err, agent.ErrNoQuestion) {
			l.bad("answer: %w", err)
		}
	}
}

func (l *life) do(kind string) {
	ctx := context.Background()
	points := map[string]agent.SafePoint{"now": agent.Now, "after model": agent.AfterModel, "after tools": agent.AfterTools}
	switch kind {
	case "steer", "queue", "preempt", "preempt_now":
		l.send(l.s, agent.Delivery(kind))
	case "now", "after model", "after tools":
		if err := l.s.Interrupt(ctx, points[kind], kind); err != nil {
			l.bad("interrupt: %w", err)
		}
	case "allow", "deny":
		l.answer(kind)
	case "crash":
		l.crash.Kill()
		l.s.Close()
		l.reopen()
	case "detach":
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		if err := l.s.Detach(ctx); err != nil {
			l.bad("detach: %w", err)
		}
		cancel()
		l.reopen()
	case "guest":
		if l.sent == 0 {
			return // there is no session yet
		}
		guest, err := agent.Attach(ctx, l.store, "s")
		if err != nil {
			l.bad("attach: %w", err)
			return
		}
		l.send(guest, agent.Steer)
		guest.Close()
	case "again": // whoever sends one message again and again
		l.sent++
		for range 3 {
			if _, err := l.s.SendOnce(ctx, fmt.Sprint(l.sent), llm.User(fmt.Sprintf("<%d>", l.sent)), agent.Steer); err != nil {
				l.bad("send once: %w", err)
			}
			// Another process that had not yet seen ours.
			same := agent.Event{Data: &agent.UserMessage{Message: llm.User(fmt.Sprintf("<%d>", l.sent)), Delivery: agent.Steer, Origin: agent.OriginUser, Key: fmt.Sprint(l.sent)}}
			if _, err := l.store.Post(ctx, "s", []agent.Event{same}); err != nil {
				l.bad("post: %w", err)
			}
		}
	case "close":
		l.s.Close()
		l.reopen()
	case "other":
		other := l.open(l.store)
		l.send(other, agent.Queue)
		other.Close()
	case "custom":
		if err := l.s.Custom(ctx, "note", 1); err != nil {
			l.bad("custom: %w", err)
		}
	}
}

func (l *life) live() {
	l.store, l.ran = agent.NewMemoryStore(), map[string]int{}
	l.reopen()
	for _, step := range l.plan.Steps {
		l.do(step.Do)
		time.Sleep(step.After)
	}
	l.settle()
	l.s.Close()
	l.check()
}

// settle lets the session come to rest, allowing whatever it asks for.
func (l *life) settle() {
	for range 200 {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Hour)
		res, err := l.s.Wait(ctx)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			l.bad("the session does not come to rest")
			return
		}
		if res.Stop != agent.StopQuestion {
			return
		}
		l.answer(tool.Allow)
	}
	l.bad("the session asks without end")
}

func (l *life) check() {
	events, err := agenttest.Log(context.Background(), l.store, "s")
	if err != nil {
		l.bad("%w", err)
	}
	if err := agenttest.CheckLog(events); err != nil {
		l.bad("log: %w", err)
	}
	if left := agenttest.Untaken(events); len(left) > 0 {
		l.bad("messages %v were never seen", left)
	}
	if n := len(pick[*agent.RunStarted](events)) - len(pick[*agent.RunEnded](events)); n != 0 {
		l.bad("%d runs never ended", n)
	}
	sent, taken := map[agent.Seq]string{}, map[string]int{}
	for _, e := range events {
		switch d := e.Data.(type) {
		case *agent.UserMessage:
			sent[e.Seq] = d.Message.Text()
		case *agent.TurnStarted:
			for _, seq := range d.Took {
				taken[sent[seq]]++
			}
		}
	}
	for i := range l.sent {
		if name := fmt.Sprintf("<%d>", i+1); taken[name] != 1 {
			l.bad("message %s is taken %d times", name, taken[name])
		}
	}
	if err := llm.CheckConversation(l.s.History()); err != nil {
		l.bad("the conversation in the end: %w", err)
	}
	for call, n := range l.ran {
		if strings.HasPrefix(call, "write ") && n > 1 {
			l.bad("the mutating call %s ran %d times", call, n)
		}
	}
}

// TestWhateverHappensTheLogHolds drives sessions through random lives.
func TestWhateverHappensTheLogHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		l := &life{plan: drawPlan(rt)}
		synctest.Test(t, func(*testing.T) { l.live() })
		for _, err := range l.errs {
			rt.Error(err)
		}
	})
}
