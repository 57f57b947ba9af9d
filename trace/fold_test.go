package trace_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/trace"
)

// calls begins a run whose model calls put so often.
func calls(n int) []agent.EventData {
	m := llm.Message{Role: llm.RoleAssistant}
	for i := range n {
		m.Parts = append(m.Parts, llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: string(rune('a' + i)), Name: "put"}})
	}
	return []agent.EventData{
		&agent.SessionOpened{Agent: "lead", Model: "test/m"}, &agent.RunStarted{}, &agent.TurnStarted{},
		&agent.ModelMessage{Model: "test/m", Message: m, Finish: llm.FinishToolCalls, Attempt: 1},
	}
}

func childLog() []agent.EventData {
	return append(calls(1), started(), &agent.ChildStarted{Session: "sub", Agent: "worker", Call: "a"})
}

// A run that ends fails what is still open in it, and says why.
func TestARunThatEndsFailsWhatIsOpenBelowIt(t *testing.T) {
	t.Parallel()
	log := append(childLog(), &agent.QuestionAsked{Question: &tool.Question{ID: "q", Tool: "put", Call: "a"}}, result(agent.StopFailed))
	runs := fold(t, handmade(log...))
	for _, c := range []struct {
		kind    trace.Kind
		name    string
		outcome trace.Outcome
		err     string
	}{
		{trace.KindRun, "lead", "failed", "run failed: because"},
		{trace.KindTurn, "", "failed", "run failed: because"},
		{trace.KindTool, "put", trace.Unended, "the turn ended before it did"},
		{trace.KindRun, "worker", trace.Unended, "the tool ended before it did"},
		{trace.KindQuestion, "put", trace.Unanswered, "the tool ended before there was an answer"},
	} {
		s := find(t, runs, c.kind, c.name)
		if s.Outcome != c.outcome || s.Err != c.err || !s.Failed() || !s.End.Equal(at(7)) {
			t.Errorf("%s %s: %q %q at %s, want %q %q", s.Kind, s.Name, s.Outcome, s.Err, s.End, c.outcome, c.err)
		}
	}
}

func TestWhatHasNotEndedIsOpen(t *testing.T) {
	t.Parallel()
	runs := fold(t, handmade(childLog()...))
	for _, s := range runs[0].All() {
		if open := s.Kind != trace.KindModel; s.IsOpen() != open || s.Failed() {
			t.Errorf("%s %s: open is %t, want %t; failed is %t", s.Kind, s.Name, s.IsOpen(), open, s.Failed())
		}
	}
	if d := runs[0].Duration(); d != 0 {
		t.Errorf("an open run has taken %s", d)
	}
}

func TestACallThatWasMadeAgainShowsItsAttempts(t *testing.T) {
	t.Parallel()
	log := append(calls(1), started(), started(), started(), ended(0, "a"), result(agent.StopDone))
	call := find(t, fold(t, handmade(log...)), trace.KindTool, "put")
	var got []string
	for _, a := range call.Children {
		got = append(got, a.Name+" "+string(a.Outcome)+" "+a.Start.Format("05")+"-"+a.End.Format("05"))
	}
	if want := "attempt 1 lost 04-05, attempt 2 lost 05-06, attempt 3 ok 06-07"; strings.Join(got, ", ") != want {
		t.Errorf("attempts: %s, want %s", strings.Join(got, ", "), want)
	}
	if call.Outcome != trace.OK || call.Attrs["resumed"] != "true" {
		t.Errorf("the call: %q %v", call.Outcome, call.Attrs)
	}
}

// A process that dies in a tool, and another one that goes on.
func TestACrashIsSeenInTheSpans(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, store := context.Background(), agent.NewMemoryStore()
		put := tool.New("put", "", func(ctx context.Context, _ struct{}) (string, error) {
			select {
			case <-time.After(time.Second):
				return "done", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}, tool.WithEffect(tool.Idempotent))
		a := agent.Agent{Policy: agent.AllowAll(), Tools: []tool.Tool{put}, Model: llmtest.New(llmtest.Call("put", `{}`), llmtest.Text("ok"))}
		crash := agenttest.Crash(store, 1<<30)
		s, err := a.Open(ctx, &agent.OpenOptions{Store: crash, SessionID: "s"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Send(ctx, llm.User("go"), agent.Steer); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
		crash.Kill()
		s.Close()
		time.Sleep(time.Hour)
		if s, err = a.Open(ctx, &agent.OpenOptions{Store: store, SessionID: "s"}); err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		var f trace.Fold
		if err := trace.Replay(ctx, store, "s", &f); err != nil {
			t.Fatal(err)
		}
		call := find(t, f.Runs(), trace.KindTool, "put")
		if len(call.Children) != 2 || call.Children[0].Outcome != trace.Lost || call.Children[1].Duration() != time.Second {
			t.Errorf("the spans of a call that was cut:\n%s", outline(f.Runs()))
		}
	})
}

func TestAModelCallShowsItsRetries(t *testing.T) {
	t.Parallel()
	log := []agent.EventData{
		&agent.SessionOpened{Model: "test/m"}, &agent.RunStarted{}, &agent.TurnStarted{},
		&agent.ModelRetried{Reason: "busy", Attempt: 1, Wait: 500 * time.Millisecond, Usage: llm.Usage{Input: 5}},
		&agent.ModelMessage{Model: "test/m", Message: llm.Assistant("hi"), Usage: llm.Usage{Input: 7, Output: 1}, Cost: 9, Finish: llm.FinishStop, Attempt: 2},
		result(agent.StopDone),
	}
	runs := fold(t, handmade(log...))
	m := find(t, runs, trace.KindModel, "")
	if len(m.Children) != 2 {
		t.Fatalf("spans:\n%s", outline(runs))
	}
	first, second := m.Children[0], m.Children[1]
	if first.Outcome != trace.Retried || first.Err != "busy" || second.Outcome != trace.OK || !second.Start.Equal(at(3).Add(500*time.Millisecond)) {
		t.Errorf("spans:\n%s", outline(runs))
	}
	usage, cost := m.Total()
	if *usage != (llm.Usage{Input: 12, Output: 1}) || *cost != 9 || m.Usage != nil || m.Outcome != trace.OK || m.Attrs["finish"] != "stop" {
		t.Errorf("the call: %+v, total %+v %v", m, usage, cost)
	}
}

// An interrupt while a model call waits to be made again.
func TestAnAttemptThatWasNeverMadeIsNoSpan(t *testing.T) {
	t.Parallel()
	runs := fold(t, handmade(&agent.SessionOpened{}, &agent.RunStarted{}, &agent.TurnStarted{},
		&agent.ModelRetried{Reason: "busy", Attempt: 1, Wait: time.Minute}, result(agent.StopInterrupted)))
	m := find(t, runs, trace.KindModel, "")
	if len(m.Children) != 1 || m.Outcome != "interrupted" || m.Children[0].Outcome != trace.Retried {
		t.Errorf("spans:\n%s", outline(runs))
	}
}

func TestTotalsAreNilWhereNothingWasUsed(t *testing.T) {
	t.Parallel()
	run := fold(t, handmade(append(calls(1), started(), ended(0, "a"), result(agent.StopDone))...))[0]
	if usage, cost := run.Total(); usage != nil || cost != nil {
		t.Errorf("total %v %v, want none", usage, cost)
	}
}

func TestTotalsCountASubAgentOnce(t *testing.T) {
	t.Parallel()
	ctx, store := t.Context(), agent.NewMemoryStore()
	prices := llm.Prices{"test/scripted": {Input: 1_000_000}}
	worker := agent.Agent{Model: llmtest.New(llmtest.Text("found").Using(llm.Usage{Input: 40})), Prices: prices}
	lead := agent.Agent{Name: "lead", Prices: prices, Tools: []tool.Tool{worker.Tool("work", "")}, Model: llmtest.New(
		llmtest.Call("work", `{"task":"x"}`).Using(llm.Usage{Input: 2}), llmtest.Text("done").Using(llm.Usage{Output: 1}))}
	res := run(t, lead, store)
	events, err := agenttest.Log(ctx, store, "s")
	if err != nil {
		t.Fatal(err)
	}
	var whole trace.Fold
	if err := trace.Replay(ctx, store, "s", &whole); err != nil {
		t.Fatal(err)
	}
	alone := fold(t, events)
	for name, runs := range map[string][]*trace.Span{"alone": alone, "whole": whole.Runs()} {
		usage, cost := runs[0].Total()
		if len(runs) != 1 || *usage != res.Usage || *cost != res.Cost {
			t.Errorf("%s: %d runs, total %+v %v, want %+v %v", name, len(runs), usage, cost, res.Usage, res.Cost)
		}
	}
	a, b := find(t, alone, trace.KindRun, "work"), find(t, whole.Runs(), trace.KindRun, "work")
	if a.ID != b.ID || len(a.Children) != 0 || len(b.Children) != 1 || b.Children[0].Children[0].Kind != trace.KindModel {
		t.Errorf("the sub-agent alone %s:\n%s\nwith its own log:\n%s", a.ID, outline(alone), outline(whole.Runs()))
	}
}

// A crash may have its start and its end written again.
func TestTotalsCountASubAgentOnceHoweverOftenItIsTold(t *testing.T) {
	t.Parallel()
	began := &agent.ChildStarted{Session: "sub", Agent: "worker", Call: "a"}
	over := &agent.ChildEnded{Session: "sub", Call: "a", Result: &agent.Result{Stop: agent.StopDone, Usage: llm.Usage{Input: 5}, Cost: 2}}
	log := append(calls(1), started(), began, started(), began, over, over, ended(0, "a"), result(agent.StopDone))
	runs := fold(t, handmade(log...))
	usage, cost := runs[0].Total()
	subs := 0
	for _, s := range runs[0].All() {
		if s.Name == "worker" {
			subs++
		}
	}
	if subs != 1 || usage.Input != 5 || *cost != 2 {
		t.Errorf("%d spans of the sub-agent, total %+v %v, want 1, 5 and 2", subs, usage, cost)
	}
}

// A sub-agent that was given up goes on in its own log; below its caller it does
// not.
func TestASubAgentEndsWithItsCallAtTheLatest(t *testing.T) {
	t.Parallel()
	var f trace.Fold
	for _, e := range handmade(append(childLog(), ended(0, "a"), result(agent.StopDone))...) {
		_ = f.Put("s", e)
	}
	for i, d := range []agent.EventData{
		&agent.SessionOpened{Agent: "worker", Parent: &agent.Parent{Session: "s", Run: "r", Call: "a"}}, &agent.RunStarted{}, &agent.TurnStarted{}, result(agent.StopDone),
	} {
		e := agent.Event{Seq: agent.Seq(i + 1), Time: at(5 + 10*i), Data: d}
		if i > 0 {
			e.Run, e.Turn = "sub-run", min(i-1, 1)
		}
		_ = f.Put("sub", e)
	}
	runs := f.Runs()
	sub := find(t, runs, trace.KindRun, "worker")
	if len(runs) != 1 || !sub.End.Equal(at(6)) || sub.Attrs["ended"] != "2026-11-30T12:00:35.000Z" {
		t.Errorf("spans:\n%s", outline(runs))
	}
}

func TestQuestionsAreSpans(t *testing.T) {
	t.Parallel()
	ask := func(id, call string, permission bool) *agent.QuestionAsked {
		return &agent.QuestionAsked{Question: &tool.Question{ID: id, Tool: "put", Call: call, Permission: permission}}
	}
	log := append(calls(2), ask("p", "a", true), &agent.QuestionAnswered{ID: "p"}, started(),
		ask("q", "a", false), ask("q", "a", false), ended(0, "a"), ask("p2", "b", true), ended(1, "b"), result(agent.StopDone))
	events := handmade(log...)
	events[5].Run, events[5].Turn = "", 0 // posted by another process
	runs := fold(t, events)
	var got []string
	for depth, s := range runs[0].All() {
		if s.Kind == trace.KindQuestion {
			got = append(got, strings.Repeat(".", depth)+string(s.Outcome)+" "+s.Attrs["permission"])
		}
	}
	if want := "..ok true, ...unanswered , ..unanswered true"; strings.Join(got, ", ") != want {
		t.Errorf("questions: %q, want %q in\n%s", strings.Join(got, ", "), want, outline(runs))
	}
}

func TestACompactionComesBeforeItsModelCall(t *testing.T) {
	t.Parallel()
	runs := fold(t, handmade(&agent.SessionOpened{}, &agent.RunStarted{}, &agent.TurnStarted{},
		&agent.ContextWarning{Tokens: 9, Ceiling: 10},
		&agent.ContextEdited{Removed: 2, TokensBefore: 9, TokensAfter: 4, Model: "test/small", Usage: llm.Usage{Input: 9}, Cost: 3},
		&agent.ModelMessage{Message: llm.Assistant("hi")}, result(agent.StopDone)))
	c, m := find(t, runs, trace.KindCompaction, ""), find(t, runs, trace.KindModel, "")
	if !c.Start.Equal(at(3)) || !c.End.Equal(at(4)) || !m.Start.Equal(at(4)) || c.Usage.Input != 9 || c.Model != "test/small" || c.Attrs["tokens_after"] != "4" {
		t.Errorf("spans:\n%s", outline(runs))
	}
}

func TestAModelCallThatAHookForestalledIsNoSpan(t *testing.T) {
	t.Parallel()
	a := agent.Agent{Model: llmtest.New(), Hooks: []agent.Hook{{Name: "h", BeforeModel: func(context.Context, agent.Moment, *llm.Request) (agent.ModelVerdict, error) {
		return agent.ModelVerdict{Answer: "no"}, nil
	}}}}
	runs := fold(t, logOf(t, a))
	turn := find(t, runs, trace.KindTurn, "")
	if len(turn.Children) != 0 || len(turn.Notes) != 2 || turn.Notes[0].Attrs["verdict"] != "answer" || runs[0].Content.Output.Text() != "no" {
		t.Errorf("notes %v, spans:\n%s", turn.Notes, outline(runs))
	}
}

// A hook that only changes the request, whatever it is said to have done.
func TestAModelCallThatWasMadeAfterAllKeepsItsBeginning(t *testing.T) {
	t.Parallel()
	for _, verdict := range []string{"hide", "inject"} {
		runs := fold(t, handmade(&agent.SessionOpened{}, &agent.RunStarted{}, &agent.TurnStarted{},
			&agent.HookFired{Hook: "h", Phase: "before_model", Verdict: verdict}, &agent.ModelMessage{Message: llm.Assistant("hi")}, result(agent.StopDone)))
		m := find(t, runs, trace.KindModel, "")
		if !m.Start.Equal(at(2)) || !m.End.Equal(at(4)) {
			t.Errorf("%s: the model call is from %s to %s", verdict, m.Start, m.End)
		}
	}
}

func TestACallThatWasNeverMadeHasASpanOfNoLength(t *testing.T) {
	t.Parallel()
	s := find(t, fold(t, logOf(t, inventive())), trace.KindTool, "unknown tool")
	if s.Outcome != "invalid" || s.Content.Result.Name != "made_up" || s.Attrs["made"] != "false" || !s.Start.Equal(s.End) || !strings.Contains(s.Err, "no tool") {
		t.Errorf("got %+v", s)
	}
}

// A call that was not made has the name of a tool only if the log has shown before
// that there is such a tool: by a start, or by the question whether it may.
func TestSpansHaveOnlyTheNamesOfTools(t *testing.T) {
	t.Parallel()
	none := agent.Agent{Model: llmtest.New(
		llmtest.Call("look", `{}`).And("made_up", `{}`), llmtest.Call("put", `{}`), llmtest.Call("look", `{"no":1}`).And("put", `{}`), llmtest.Text("sorry"),
	), Tools: []tool.Tool{stub("look", tool.ReadOnly), stub("put", tool.Mutating)}}
	var names []string
	for _, r := range fold(t, logOf(t, none)) {
		for _, s := range r.All() {
			if s.Kind == trace.KindTool {
				names = append(names, s.Name+" "+string(s.Outcome))
			}
		}
	}
	want := []string{"unknown tool invalid", "look ok", "unknown tool denied", "look invalid", "unknown tool denied"}
	if !slices.Equal(names, want) {
		t.Errorf("the calls are %q, want %q", names, want)
	}
	asked := handmade(append(calls(1), &agent.QuestionAsked{Question: &tool.Question{ID: "q", Tool: "put", Call: "a", Permission: true}},
		&agent.ToolEnded{Outcome: agent.OutcomeDenied, Result: &llm.ToolResult{ID: "a", Name: "put"}}, result(agent.StopDone))...)
	find(t, fold(t, asked), trace.KindTool, "put")
}

func stub(name string, e tool.Effect) tool.Tool {
	return tool.New(name, "", func(context.Context, struct{}) (string, error) { return "ok", nil }, tool.WithEffect(e))
}

func TestRedactionsAreCounted(t *testing.T) {
	t.Parallel()
	in, out := started(), ended(0, "a")
	in.Redactions, out.Redactions = secret.Counts{{Name: "K", N: 1}}, secret.Counts{{Name: "K", N: 2}}
	s := find(t, fold(t, handmade(append(calls(1), in, out)...)), trace.KindTool, "")
	if s.Attrs["redactions"] != "3" {
		t.Errorf("attributes %v, want 3 redactions", s.Attrs)
	}
}

// What a later version writes is noted where it happened.
func TestUnknownEventsAreNoted(t *testing.T) {
	t.Parallel()
	unknown := &agent.Unrecognized{Version: 9, Name: "tool_dreamt", Raw: []byte(`{}`)}
	log := append(calls(1), started(), unknown, ended(0, "a"), result(agent.StopDone))
	runs := fold(t, handmade(log...))
	turn := find(t, runs, trace.KindTurn, "")
	if len(turn.Notes) != 1 || turn.Notes[0].Name != "tool_dreamt" || runs[0].Outcome != trace.OK {
		t.Errorf("notes %v in\n%s", turn.Notes, outline(runs))
	}
}

func TestALogReadFromItsMiddleGivesWhatIsInIt(t *testing.T) {
	t.Parallel()
	events := handmade(append(calls(1), started(), ended(0, "a"), result(agent.StopDone))...)
	whole := fold(t, events)
	for from := 1; from < len(events); from++ {
		runs := fold(t, events[from:])
		if len(runs) != 1 || runs[0].ID != whole[0].ID || runs[0].Outcome != trace.OK {
			t.Errorf("from event %d:\n%s\nwant part of\n%s", from+1, outline(runs), outline(whole))
		}
		if (from > 1) != (runs[0].Seq == 0) {
			t.Errorf("from event %d the run begins with event %d", from+1, runs[0].Seq)
		}
	}
}

func TestNothingIsKeptThatWasForgotten(t *testing.T) {
	t.Parallel()
	var f trace.Fold
	events := handmade(append(childLog(), ended(0, "a"), result(agent.StopDone))...)
	for _, e := range events {
		_ = f.Put("s", e)
	}
	f.Forget("s")
	f.Forget("other")
	next := agent.Event{Seq: 9, Time: at(60), Run: "r2", Data: &agent.RunStarted{}}
	_ = f.Put("s", next)
	if runs := f.Runs(); len(runs) != 1 || runs[0].Run != "r2" || runs[0].Name != "lead" {
		t.Errorf("runs:\n%s", outline(runs))
	}
	f.Forget("s") // it is open
	if len(f.Runs()) != 1 {
		t.Error("an open run was forgotten")
	}
}

// broken is a sink that fails at its n-th event.
type broken struct{ n, got int }

func (b *broken) Put(string, agent.Event) error {
	if b.got++; b.got == b.n {
		return errors.New("sink broke")
	}
	return nil
}

func TestASinkThatFailsLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	store := agent.NewMemoryStore()
	run(t, inventive(), store)
	var f trace.Fold
	bad := &broken{n: 3}
	err := trace.Replay(t.Context(), store, "s", bad, &f)
	if err == nil || !strings.Contains(err.Error(), "sink broke") || bad.got != 3 || f.Runs()[0].Outcome != trace.OK {
		t.Errorf("error %v after %d events; spans:\n%s", err, bad.got, outline(f.Runs()))
	}
	s, err := inventive().Open(t.Context(), &agent.OpenOptions{Store: store, SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	bad = &broken{n: 2}
	if err := trace.Follow(t.Context(), s, 0, bad); err == nil || bad.got != 2 {
		t.Errorf("follow into a sink that fails: %v after %d events", err, bad.got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := trace.Follow(ctx, s, 0, &f); !errors.Is(err, context.Canceled) {
		t.Errorf("follow under a context that has ended: %v", err)
	}
}

// Who follows live sees what sub-agents do, as who reads the logs afterwards.
func TestFollowingShowsSubAgentsToo(t *testing.T) {
	t.Parallel()
	helper := agent.Agent{Name: "helper", Model: llmtest.New(llmtest.Text("found").Using(llm.Usage{Input: 7}))}
	lead := agent.Agent{
		Name:  "lead",
		Model: llmtest.New(llmtest.Call("helper", `{"task":"x"}`), llmtest.Text("done")),
		Tools: []tool.Tool{helper.Tool("helper", "helps")},
	}
	store := agent.NewMemoryStore()
	s, err := lead.Open(t.Context(), &agent.OpenOptions{Store: store, SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	var live, after trace.Fold
	done := make(chan error, 1)
	go func() { done <- trace.Follow(t.Context(), s, 0, &live) }()
	if _, err := s.Run(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := trace.Replay(t.Context(), store, "s", &after); err != nil {
		t.Fatal(err)
	}
	if got, want := outline(live.Runs()), outline(after.Runs()); !strings.Contains(got, "helper") {
		t.Errorf("live:\n%s\nafterwards:\n%s", got, want)
	}
}
