package agent_test

import (
	"context"
	"encoding/json"
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

// slowModel answers a text without calls after a second, and calls the tool of
// the last user message that starts with "call ".
func slowModel() *llmtest.Model {
	return llmtest.Func(func(req *llm.Request) llmtest.Turn {
		last := req.Messages[len(req.Messages)-1]
		if name, ok := strings.CutPrefix(last.Text(), "call "); ok && last.Role == llm.RoleUser {
			return llmtest.Call(name, ``).After(time.Second)
		}
		return llmtest.Text("re: " + last.Text()).After(time.Second)
	})
}

func TestDeliveriesToARunningSession(t *testing.T) {
	t.Parallel()
	tools := []tool.Tool{blocking("wait", tool.ReadOnly, 10*time.Second)}
	for _, tt := range []struct {
		name string
		d    agent.Delivery
		runs int
		want []string
	}{
		{"steer is seen at the next model call", agent.Steer, 1, []string{
			"user call wait", "assistant wait", "tool =wait done", "user and this", "assistant re: and this",
		}},
		{"queue is seen after the answer", agent.Queue, 2, []string{
			"user call wait", "assistant wait", "tool =wait done", "assistant re: ", "user and this", "assistant re: and this",
		}},
		{"preempt_now ends the run at once", agent.PreemptNow, 2, []string{
			"user call wait", "assistant wait", "tool =interrupted", "user and this", "assistant re: and this",
		}},
		{"preempt ends the run after its tools", agent.Preempt, 2, []string{
			"user call wait", "assistant wait", "tool =wait done", "user and this", "assistant re: and this",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := open(t, agent.Agent{Model: slowModel(), Tools: tools}, nil)
				b.send("call wait", agent.Steer)
				time.Sleep(5 * time.Second) // the tool runs
				b.send("and this", tt.d)
				if _, err := b.wait(); err != nil {
					t.Error(err)
				}
				wantTranscript(t, b.History(), tt.want...)
				wantEqual(t, "runs", len(pick[*agent.RunEnded](b.log())), tt.runs)
			})
		})
	}
}

func TestSteerDuringTheAnswerStartsTheNextRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := open(t, agent.Agent{Model: slowModel()}, nil)
		b.send("one", agent.Steer)
		time.Sleep(500 * time.Millisecond)
		b.send("two", agent.Steer)
		b.wait()
		wantTranscript(t, b.History(), "user one", "assistant re: one", "user two", "assistant re: two")
	})
}

// A chat's "no, do this": nothing is lost between stopping and saying what else.
func TestPreemptNowRedirectsAnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := open(t, agent.Agent{Model: slowModel()}, nil)
		b.send("one", agent.Steer)
		time.Sleep(500 * time.Millisecond)
		b.send("queued", agent.Queue)
		b.send("no, two", agent.PreemptNow)
		b.wait()
		wantTranscript(t, b.History(), "user one", "user no, two", "assistant re: no, two", "user queued", "assistant re: queued")
		wantEqual(t, "stop of the first run", pick[*agent.RunEnded](b.log())[0].Result.Stop, agent.StopInterrupted)
	})
}

func TestQueuedMessagesAreRunsOfTheirOwnAndPreemptGoesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := open(t, agent.Agent{Model: slowModel()}, nil)
		b.send("one", agent.Queue)
		time.Sleep(100 * time.Millisecond)
		b.send("two", agent.Queue)
		b.send("three", agent.Queue)
		b.send("now", agent.Preempt)
		b.wait()
		wantTranscript(t, b.History(), "user one", "assistant re: one", "user now", "assistant re: now",
			"user two", "assistant re: two", "user three", "assistant re: three")
	})
}

func TestInterrupts(t *testing.T) {
	t.Parallel()
	wait := blocking("wait", tool.ReadOnly, 10*time.Second)
	write := blocking("write", tool.Mutating, 10*time.Second)
	for _, tt := range []struct {
		name   string
		prompt string
		at     agent.SafePoint
		after  time.Duration // when the interrupt comes; the model answers after 1 s, the tool after 11 s
		ends   time.Duration
		stop   agent.StopReason
		want   []string
	}{
		{"now, model streaming", "call wait", agent.Now, time.Second / 2, time.Second / 2, agent.StopInterrupted, []string{
			"user call wait", "user [interrupted by the user: wrong city]",
		}},
		{"now, tool running", "call wait", agent.Now, 5 * time.Second, 5 * time.Second, agent.StopInterrupted, []string{
			"user call wait", "assistant wait", "tool =interrupted", "user [interrupted by the user: wrong city]",
		}},
		{"now, writing tool running", "call write", agent.Now, 5 * time.Second, 5 * time.Second, agent.StopInterrupted, []string{
			"user call write", "assistant write",
			"tool =interrupted, outcome unknown: the call may or may not have taken effect",
			"user [interrupted by the user: wrong city]",
		}},
		{"after model, model streaming", "call wait", agent.AfterModel, time.Second / 2, time.Second, agent.StopInterrupted, []string{
			"user call wait", "assistant wait", "tool =interrupted: the call was not made", "user [interrupted by the user: wrong city]",
		}},
		{"after model, tool running", "call wait", agent.AfterModel, 5 * time.Second, 5 * time.Second, agent.StopInterrupted, []string{
			"user call wait", "assistant wait", "tool =interrupted", "user [interrupted by the user: wrong city]",
		}},
		{"after tools, model streaming", "call wait", agent.AfterTools, time.Second / 2, 11 * time.Second, agent.StopInterrupted, []string{
			"user call wait", "assistant wait", "tool =wait done", "user [interrupted by the user: wrong city]",
		}},
		{"after tools, tool running", "call wait", agent.AfterTools, 5 * time.Second, 11 * time.Second, agent.StopInterrupted, []string{
			"user call wait", "assistant wait", "tool =wait done", "user [interrupted by the user: wrong city]",
		}},
		{"after model, the answer is there first", "hello", agent.AfterModel, time.Second / 2, time.Second, agent.StopDone, []string{
			"user hello", "assistant re: hello",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := agent.Agent{Model: slowModel(), Tools: []tool.Tool{wait, write}, Policy: agent.AllowAll()}
				b := open(t, a, nil)
				began := time.Now()
				b.send(tt.prompt, agent.Steer)
				time.Sleep(tt.after)
				b.interrupt(tt.at, "wrong city")
				res, err := b.wait()
				wantEqual(t, "stop", res.Stop, tt.stop)
				if tt.stop == agent.StopInterrupted {
					wantStop(t, res, err, tt.stop, agent.ErrInterrupted)
				}
				wantEqual(t, "time", time.Since(began), tt.ends)
				wantTranscript(t, b.History(), tt.want...)
				b.ask("next") // the history is valid
			})
		})
	}
}

func TestAnInterruptedStreamKeepsItsText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := open(t, agent.Agent{Model: script(llmtest.Text("The field was").Hanging(), llmtest.Text("ok"))}, nil)
		b.send("go", agent.Steer)
		synctest.Wait()
		b.interrupt(agent.Now, "")
		res, err := b.wait()
		wantStop(t, res, err, agent.StopInterrupted, agent.ErrInterrupted)
		wantEqual(t, "text", res.Text, "The field was")
		b.ask("go on")
		wantTranscript(t, b.History(), "user go", "assistant The field was", "user [interrupted by the user]", "user go on", "assistant ok")
	})
}

func TestAnInterruptThatComesBeforeTheModelStopsTheRun(t *testing.T) {
	t.Parallel()
	m := slowModel()
	synctest.Test(t, func(t *testing.T) {
		b := open(t, agent.Agent{Model: m}, nil)
		b.send("one", agent.Steer)
		b.interrupt(agent.Now, "never mind") // at once
		res, err := b.wait()
		wantStop(t, res, err, agent.StopInterrupted, agent.ErrInterrupted)
	})
}

func TestNothingToInterruptIsNoErrorAndLeavesNoTrace(t *testing.T) {
	t.Parallel()
	b := open(t, agent.Agent{Model: script(llmtest.Text("a"), llmtest.Text("b"))}, nil)
	b.interrupt(agent.Now, "too early")
	b.ask("one")
	b.interrupt(agent.Now, "too late")
	wantEqual(t, "stop", b.ask("two").Stop, agent.StopDone)
}

func TestCloseStopsARunAndCanBeRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := open(t, agent.Agent{Model: slowModel(), Tools: []tool.Tool{blocking("wait", tool.ReadOnly, time.Hour)}}, nil)
		b.send("call wait", agent.Steer)
		time.Sleep(2 * time.Second)
		began := time.Now()
		b.Close()
		b.Close()
		wantEqual(t, "time", time.Since(began), 0)
		res, err := b.wait()
		wantStop(t, res, err, agent.StopCancelled, agent.ErrClosed)
		if _, err := b.Send(t.Context(), llm.User("hello?"), agent.Steer); !errors.Is(err, agent.ErrClosed) {
			t.Errorf("send after close = %v, want ErrClosed", err)
		}
	})
}

func TestWaitingOnASessionThatNeverRan(t *testing.T) {
	t.Parallel()
	b := open(t, agent.Agent{Model: script()}, nil)
	for range 2 { // while it is open, and once it is closed
		if res, err := b.wait(); res == nil || res.Stop != "" || err != nil {
			t.Errorf("wait = %+v, %v", res, err)
		}
		b.Close()
	}
	if _, err := b.Send(t.Context(), llm.User("hello?"), agent.Steer); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("send after close = %v, want ErrClosed", err)
	}
	if err := b.Interrupt(t.Context(), agent.Now, "stop"); err != nil {
		t.Errorf("interrupt after close = %v: there is nothing to interrupt", err)
	}
}

func TestSendRefusesWhatIsNoUserMessage(t *testing.T) {
	t.Parallel()
	b := open(t, agent.Agent{Model: script()}, nil)
	of := func(p llm.Part) llm.Message { return llm.Message{Parts: []llm.Part{llm.Text("x"), p}} }
	for _, m := range []llm.Message{
		{}, llm.Assistant("x"), {Role: llm.RoleUser},
		of(llm.Part{Kind: llm.PartResult, Result: &llm.ToolResult{ID: "x", Name: "y", Parts: []llm.Part{llm.Text("z")}}}),
		of(llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "x", Name: "y", Args: []byte(`{}`)}}),
		of(llm.Part{Kind: llm.PartThinking, Text: "hm"}), of(llm.Part{Kind: llm.PartMedia}), of(llm.Part{Kind: llm.PartFile}),
		of(llm.Part{Kind: llm.PartMedia, Media: &llm.Media{MIME: "image/png"}}), of(llm.Part{Kind: "odd"}), of(llm.Part{}),
	} {
		if _, err := b.Send(t.Context(), m, agent.Steer); err == nil {
			t.Errorf("message %+v is taken", m)
		}
	}
	wantEqual(t, "events", len(b.log()), 0)
	if _, err := b.Send(t.Context(), llm.User("x"), "later"); err == nil {
		t.Error("an unknown delivery is taken")
	}
	if err := b.Interrupt(t.Context(), "soon", ""); err == nil {
		t.Error("an unknown safe point is taken")
	}
	if err := b.Answer(t.Context(), "q", tool.Answer{Text: "x"}); !errors.Is(err, agent.ErrNoQuestion) {
		t.Errorf("answer = %v, want ErrNoQuestion", err)
	}
}

func TestNoAcceptedMessageIsLost(t *testing.T) {
	t.Parallel()
	const senders, each = 50, 20
	m := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("ok") })
	b := open(t, agent.Agent{Model: m, Limits: agent.Limits{Waiting: senders * each}}, nil)
	var group sync.WaitGroup
	for i := range senders {
		group.Go(func() {
			for j := range each {
				d := []agent.Delivery{agent.Steer, agent.Queue, agent.Preempt}[(i+j)%3]
				if _, err := b.Send(context.Background(), llm.User(fmt.Sprintf("<%d.%d>", i, j)), d); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	b.wait()
	if left := agenttest.Untaken(b.log()); len(left) > 0 {
		t.Errorf("messages %v were never seen", left)
	}
	seen := map[string]int{}
	for _, msg := range b.History() {
		if msg.Role == llm.RoleUser {
			seen[msg.Text()]++
		}
	}
	for i := range senders {
		for j := range each {
			if name := fmt.Sprintf("<%d.%d>", i, j); seen[name] != 1 {
				t.Errorf("message %s is in the conversation %d times", name, seen[name])
			}
		}
	}
}

func TestCustomEventsAreKept(t *testing.T) {
	t.Parallel()
	b := open(t, agent.Agent{Model: script(llmtest.Text("a"))}, nil)
	b.ask("one")
	if err := b.Custom(t.Context(), "verdict", map[string]any{"matched": 3, "note": "a<b"}); err != nil {
		t.Fatal(err)
	}
	if err := b.Custom(t.Context(), "bad", func() {}); err == nil {
		t.Error("a function is taken as data")
	}
	all := pick[*agent.Custom](b.log())
	if len(all) != 1 || all[0].Name != "verdict" || string(all[0].Data) != `{"matched":3,"note":"a<b"}` {
		t.Errorf("custom events = %+v", all)
	}
	b.wait() // settled all the time
}

func TestAParkedRunGoesOnWithTheAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := script(llmtest.Call("read", `{}`).And("write", `{"text":"a"}`).And("write", `{"text":"b"}`), llmtest.Text("done"))
		a := agent.Agent{Model: m, Tools: []tool.Tool{echo("read", tool.ReadOnly), echo("write", tool.Mutating)}, Limits: agent.Limits{Wall: time.Minute}}
		b := open(t, a, &agent.OpenOptions{Approver: agent.Later})
		res, err := b.Run(t.Context(), "go")
		if err != nil || res.Stop != agent.StopQuestion || res.Question == nil || res.Turns != 1 {
			t.Fatalf("result = %+v, %v", res, err)
		}
		q := res.Question
		if !q.Permission || q.Tool != "write" || string(q.Args) != `{"text":"a"}` {
			t.Errorf("question = %+v", q)
		}
		wantTexts(t, b.ended(), "read:") // what needs no permission has run
		questions := pick[*agent.QuestionAsked](b.log())
		wantEqual(t, "questions asked", len(questions), 2)

		time.Sleep(time.Hour) // waiting costs no time of the run
		second := questions[1].Question.ID
		if err := b.Answer(t.Context(), second, tool.Answer{Choices: []string{tool.Deny}, Text: "only one"}); err != nil {
			t.Fatal(err)
		}
		if res, _ := b.wait(); res.Stop != agent.StopQuestion || res.Question.ID != q.ID {
			t.Errorf("with one of two answers: %+v", res)
		}
		if err := b.Answer(t.Context(), second, tool.Answer{Choices: []string{tool.Allow}}); !errors.Is(err, agent.ErrNoQuestion) {
			t.Errorf("second answer = %v, want ErrNoQuestion", err)
		}
		if err := b.Answer(t.Context(), q.ID, tool.Answer{Choices: []string{"perhaps"}}); err == nil {
			t.Error("a label that was not offered is taken")
		}
		if err := b.Answer(t.Context(), q.ID, tool.Answer{Choices: []string{tool.Allow}}); err != nil {
			t.Fatal(err)
		}
		res, err = b.wait()
		if err != nil || res.Text != "done" || res.Turns != 2 {
			t.Errorf("result = %+v, %v", res, err)
		}
		wantTranscript(t, b.History()[2:3], "tool =read: =write:a =denied by the user: only one")
	})
}

func TestAParkedRunCanBeInterruptedAndPreempted(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(b *bench){
		"interrupt": func(b *bench) { b.interrupt(agent.AfterTools, "no") },
		"preempt":   func(b *bench) { b.send("instead", agent.Preempt) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := agent.Agent{Model: script(llmtest.Call("write", `{}`), llmtest.Text("ok")), Tools: []tool.Tool{echo("write", tool.Mutating)}}
			b := open(t, a, &agent.OpenOptions{Approver: agent.Later})
			res, _ := b.Run(t.Context(), "go")
			wantEqual(t, "stop", res.Stop, agent.StopQuestion)
			stop(b)
			res, _ = b.wait()
			if name == "interrupt" {
				wantEqual(t, "stop", res.Stop, agent.StopInterrupted)
			} else {
				wantEqual(t, "text", res.Text, "ok")
			}
			wantTexts(t, b.ended(), "interrupted: the call was not made")
			if err := b.Answer(t.Context(), pick[*agent.QuestionAsked](b.log())[0].Question.ID, tool.Answer{Choices: []string{tool.Allow}}); !errors.Is(err, agent.ErrNoQuestion) {
				t.Errorf("answer after the call is over = %v, want ErrNoQuestion", err)
			}
		})
	}
}

func TestAToolsQuestionSettlesTheSession(t *testing.T) {
	t.Parallel()
	ask := tool.New("ask", "", func(ctx context.Context, _ struct{}) (string, error) {
		a, err := tool.CallFrom(ctx).Ask(ctx, tool.Question{Text: "Which?"})
		return a.Text, err
	}, tool.WithEffect(tool.ReadOnly))
	a := agent.Agent{Model: script(llmtest.Call("ask", ``), llmtest.Text("done")), Tools: []tool.Tool{ask}}
	b := open(t, a, &agent.OpenOptions{Approver: agent.Later})
	res, err := b.Run(t.Context(), "go")
	if err != nil || res.Stop != agent.StopQuestion {
		t.Fatalf("result = %+v, %v", res, err)
	}
	if err := b.Answer(t.Context(), res.Question.ID, tool.Answer{Text: "that one"}); err != nil {
		t.Fatal(err)
	}
	if res, err := b.wait(); err != nil || res.Text != "done" {
		t.Errorf("result = %+v, %v", res, err)
	}
	wantTexts(t, b.ended(), "that one")
}

func TestWhoAnswersFirstCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		approver := agent.ApproverFunc(func(ctx context.Context, _ *tool.Question) (tool.Answer, error) {
			<-ctx.Done() // somebody was faster
			close(gone)
			return tool.Answer{}, ctx.Err()
		})
		a := agent.Agent{Model: script(llmtest.Call("write", `{}`), llmtest.Text("done")), Tools: []tool.Tool{echo("write", tool.Mutating)}}
		b := open(t, a, &agent.OpenOptions{Approver: approver})
		b.send("go", agent.Steer)
		synctest.Wait()
		q := pick[*agent.QuestionAsked](b.log())[0].Question
		if err := b.Answer(t.Context(), q.ID, tool.Answer{Choices: []string{tool.Allow}}); err != nil {
			t.Fatal(err)
		}
		if res, err := b.wait(); err != nil || res.Text != "done" {
			t.Errorf("result = %+v, %v", res, err)
		}
		<-gone
	})
}

func TestReadersGetEveryEventFromAnySeq(t *testing.T) {
	t.Parallel()
	b := open(t, agent.Agent{Model: script(llmtest.Text("one two"), llmtest.Text("three"))}, nil)
	live := b.watch(0)
	b.ask("first")
	live.until(agent.KindRunEnded)
	late := b.watch(3)
	b.ask("second")
	for name, w := range map[string]*watcher{"live": live, "late": late} {
		var seqs []agent.Seq
		for _, e := range w.until(agent.KindRunEnded) {
			if e.Seq > 0 {
				seqs = append(seqs, e.Seq)
			}
		}
		first := agent.Seq(1)
		if name == "late" {
			first = 3
		}
		for i, seq := range seqs {
			if seq != first+agent.Seq(i) {
				t.Errorf("%s reader got %v", name, seqs)
				break
			}
		}
	}
	if got := deltas(live.seen); got != "one two|three" {
		t.Errorf("live deltas = %q", got)
	}
}

// deltas joins the text deltas, with a bar between turns.
func deltas(events []agent.Event) string {
	text, run := "", ""
	for _, e := range events {
		if d, ok := e.Data.(*agent.TextDelta); ok {
			if run != "" && run != e.Run {
				text += "|"
			}
			text, run = text+d.Text, e.Run
		}
	}
	return text
}

func TestASlowReaderLosesDeltasOnlyAndIsToldHowMany(t *testing.T) {
	t.Parallel()
	const words = 3000
	b := open(t, agent.Agent{Model: script(llmtest.Text(strings.Repeat("word ", words)), llmtest.Text("x"))}, nil)
	if err := b.Custom(t.Context(), "first", nil); err != nil {
		t.Fatal(err)
	}
	want, shown, dropped := agent.Seq(1), 0, 0
	for e, err := range b.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		switch d := e.Data.(type) {
		case *agent.Dropped:
			dropped += d.N
		case *agent.TextDelta:
			shown++
		default:
			wantEqual(t, "seq", e.Seq, want)
			want++
		}
		if e.Kind() == agent.KindCustom {
			b.ask("go") // all of it happens before this reader goes on
			b.ask("again")
		}
		if r, ok := e.Data.(*agent.RunEnded); ok && r.Result.Text == "x" {
			break
		}
	}
	wantEqual(t, "seqs seen", int(want)-1, len(b.log()))
	wantEqual(t, "deltas shown and dropped", shown+dropped, words+1)
	if dropped == 0 {
		t.Error("nothing was dropped: the test does not test")
	}
}

func TestReadersComeAndGo(t *testing.T) {
	t.Parallel()
	b := open(t, agent.Agent{Model: llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("a b c d") })}, nil)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			n := 0
			for _, err := range b.Events(context.Background(), 0) {
				if n++; err != nil || n > 5*i {
					break
				}
			}
		})
	}
	for range 20 {
		b.ask("go")
	}
	group.Wait()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var last error
	for _, err := range b.Events(ctx, 1<<40) {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("the last error is %v, want context.Canceled", last)
	}
}

func TestEventsEndWhenTheSessionIsClosed(t *testing.T) {
	t.Parallel()
	b := open(t, agent.Agent{Model: script(llmtest.Text("a"))}, nil)
	b.ask("go")
	live := b.watch(0)
	b.Close()
	n := len(live.seen)
	for range live.events {
		n++
	}
	wantEqual(t, "events", n, len(b.log()))
}

func TestEventsAreFlatJSONAndUnknownKindsSurvive(t *testing.T) {
	t.Parallel()
	in := `{"v":1,"seq":7,"time":"2026-11-30T12:00:00.123Z","run":"r","turn":2,"kind":"tool_cached","hit":true,"key":"k"}`
	var e agent.Event
	if err := json.Unmarshal([]byte(in), &e); err != nil {
		t.Fatal(err)
	}
	u, ok := e.Data.(*agent.Unrecognized)
	if !ok || u.Name != "tool_cached" || e.Kind() != "tool_cached" || e.Seq != 7 || e.Turn != 2 {
		t.Errorf("event = %+v", e)
	}
	out, err := json.Marshal(e)
	if err != nil || string(out) != in {
		t.Errorf("written again: %s, %v", out, err)
	}
	newer := strings.Replace(in, `"v":1`, `"v":2`, 1)
	newer = strings.Replace(newer, "tool_cached", "run_started", 1)
	if err := json.Unmarshal([]byte(newer), &e); err != nil {
		t.Fatal(err)
	}
	if _, ok := e.Data.(*agent.Unrecognized); !ok {
		t.Errorf("an event of a newer format is read as %T", e.Data)
	}
	for _, bad := range []string{`{}`, `[]`, `{"kind":3}`, `{"kind":"run_started","left":"x"}`, `{"kind":"tool_ended","index":-1,"result":{}}`, `{"kind":"run_ended"}`} {
		if err := json.Unmarshal([]byte(bad), &e); err == nil {
			t.Errorf("%s is read as an event", bad)
		}
	}
}
