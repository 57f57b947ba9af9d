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

// A hook that only watches, as a progress line or a counter would.
func ExampleHook_event() {
	var kinds []string
	watch := agent.Hook{Name: "watch", Event: func(_ context.Context, _ agent.Moment, e agent.Event) {
		kinds = append(kinds, string(e.Kind()))
	}}
	s, err := agent.Agent{Model: llmtest.New(llmtest.Text("Hello.")), Hooks: []agent.Hook{watch}}.Open(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	res, err := s.Run(context.Background(), "Hi")
	fmt.Println(res.Text, err)
	fmt.Println(strings.Join(kinds, " "))
	// Output:
	// Hello. <nil>
	// session_opened user_message run_started turn_started text_delta model_message run_ended
}

// crowded is a session whose second question needs room.
func crowded(t *testing.T, h agent.Hook) *bench {
	h.Name = "h"
	m := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text(strings.Repeat("word ", 600)) })
	sum := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		return llmtest.Text(fmt.Sprint("Summary of ", strings.Count(req.Messages[0].Text(), "\n"), " lines.")).Using(llm.Usage{Input: 3, Output: 2})
	})
	b := open(t, agent.Agent{Model: m, Compact: agent.TwoStage{Model: sum}, Hooks: []agent.Hook{h}, Limits: agent.Limits{Context: 1580}}, nil)
	b.ask("one")
	b.ask("two")
	return b
}

func TestHooksSayWhatIsCompacted(t *testing.T) {
	t.Parallel()
	short := []llm.Message{llm.User("in short")}
	type (
		cv = agent.CompactVerdict
		ev = agent.EditVerdict
	)
	before := func(v cv, err error) agent.Hook {
		return agent.Hook{BeforeCompact: func(context.Context, agent.Moment, []llm.Message) (cv, error) { return v, err }}
	}
	after := func(v ev, err error) agent.Hook {
		return agent.Hook{AfterCompact: func(context.Context, agent.Moment, *agent.ContextEdited) (ev, error) { return v, err }}
	}
	for name, tt := range map[string]struct {
		hook  agent.Hook
		fired string
		first string // message of the next request
		text  string // of the answer, in part
		edits int
	}{
		"nothing":              {agent.Hook{}, "", "one", "word", 1},
		"skip":                 {before(cv{Skip: "not now"}, nil), "h:before_compact:skip", "one", "word", 0},
		"other messages":       {before(cv{Messages: short}, nil), "h:before_compact:rewrite", "in short", "word", 1},
		"error before":         {before(cv{}, errors.New("no")), "h:before_compact:error", "one", "word", 0},
		"messages after":       {after(ev{Messages: short}, nil), "h:after_compact:rewrite", "in short", "word", 1},
		"impossible messages":  {after(ev{Messages: []llm.Message{{Role: llm.RoleTool, Parts: []llm.Part{{Kind: llm.PartResult, Result: &llm.ToolResult{ID: "x"}}}}}}, nil), "h:after_compact:error", "one", "word", 1},
		"no messages":          {after(ev{Messages: []llm.Message{}}, nil), "h:after_compact:error", "one", "word", 1},
		"messages of no kind":  {after(ev{Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{{Kind: "odd"}}}}}, nil), "h:after_compact:error", "one", "word", 1},
		"error after":          {after(ev{}, errors.New("no")), "h:after_compact:error", "one", "word", 1},
		"an answer in its way": {after(ev{Answer: "Enough."}, nil), "h:after_compact:answer", "one", "Enough.", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := crowded(t, tt.hook)
			res := b.ask("three")
			wantEqual(t, "hooks", fired(b), tt.fired)
			edits := pick[*agent.ContextEdited](b.log())
			wantEqual(t, "edits", len(edits), tt.edits)
			wantEqual(t, "first message", b.History()[0].Text(), tt.first)
			if !strings.HasPrefix(res.Text, tt.text) {
				t.Errorf("answer = %q, want %q", res.Text, tt.text)
			}
			if tt.edits > 0 && !strings.Contains(name, "messages") && res.Usage.Input == 0 {
				t.Errorf("the summary's usage is lost: %+v", res.Usage)
			}
		})
	}
}

// What BeforeModel makes of a request is for that call alone, also when the
// conversation is made shorter: by the estimate, or because the model refuses it.
func TestWhatBeforeModelChangesIsNotKept(t *testing.T) {
	t.Parallel()
	for _, refused := range []bool{false, true} {
		n := 0
		m := llmtest.Func(func(*llm.Request) llmtest.Turn {
			if n++; refused && n == 5 {
				return llmtest.Fail(llm.ErrContextTooLong)
			}
			return llmtest.Text(fmt.Sprint("answer ", n))
		})
		limits := agent.Limits{Context: 30_000}
		if !refused {
			limits.Context = 2500
		}
		half := compactFunc(func(c *agent.Compaction) (*agent.Compacted, error) {
			return &agent.Compacted{Messages: append([]llm.Message{llm.User("in short")}, c.Messages[len(c.Messages)-1])}, nil
		})
		b := open(t, agent.Agent{Model: m, Compact: half, Limits: limits, Hooks: []agent.Hook{{
			Name: "remind",
			BeforeModel: func(_ context.Context, _ agent.Moment, req *llm.Request) (agent.ModelVerdict, error) {
				// A reminder for this call, and without the first question.
				req.Messages = append(append([]llm.Message(nil), req.Messages[1:]...), llm.User("REMINDER"))
				return agent.ModelVerdict{}, nil
			},
		}}}, nil)
		for i := range 6 {
			b.ask(fmt.Sprint("question ", i, strings.Repeat(" word", 500)))
		}
		edits := pick[*agent.ContextEdited](b.log())
		if len(edits) == 0 || edits[0].Messages[0].Text() != "in short" {
			t.Fatalf("edits = %+v", edits)
		}
		if refused {
			wantEqual(t, "edits", len(edits), 1)
		}
		messages := b.History()
		for _, e := range edits {
			messages = append(messages, e.Messages...)
		}
		for _, msg := range messages {
			if strings.Contains(msg.Text(), "REMINDER") {
				t.Error("what the hook added for one call is kept")
			}
		}
		wantEqual(t, "the first message", b.History()[0].Text(), "in short")
		for i, req := range m.Requests() {
			reminders := 0
			for _, msg := range req.Messages {
				reminders += strings.Count(msg.Text(), "REMINDER")
			}
			if first := req.Messages[0].Text(); reminders != 1 || first == "in short" || strings.HasPrefix(first, "question 0") {
				t.Errorf("request %d has %d reminders and begins with %.20q", i, reminders, first)
			}
		}
	}
}

// Wait returns when the hooks have seen the end, however slow they are, and
// however they fail.
func TestWatchersSeeEverythingBeforeWaitReturns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b *bench
		var seen []agent.Event
		lengths := 0
		watch := agent.Hook{Name: "watch", Event: func(_ context.Context, at agent.Moment, e agent.Event) {
			seen = append(seen, e)
			lengths += len(b.History()) // it may look at the session
			if e.Run != at.Run {
				t.Errorf("moment %+v, event of run %s", at, e.Run)
			}
			if e.Kind() == agent.KindToolEnded {
				panic("oops")
			}
			time.Sleep(time.Minute)
		}}
		b = open(t, agent.Agent{
			Model: script(llmtest.Call("look", `{}`), llmtest.Text("one"), llmtest.Text("two")),
			Tools: []tool.Tool{echo("look", tool.ReadOnly)}, Hooks: []agent.Hook{watch},
		}, nil)
		for _, q := range []string{"first", "second"} {
			b.ask(q)
			if last := seen[len(seen)-1]; last.Kind() != agent.KindRunEnded {
				t.Errorf("after %s the last event seen is %s", q, last.Kind())
			}
		}
		next := agent.Seq(1)
		for _, e := range seen {
			if e.Seq == 0 {
				continue
			}
			if e.Seq != next {
				t.Fatalf("event %d came in the place of %d", e.Seq, next)
			}
			next++
		}
		wantEqual(t, "events", int(next)-1, len(b.log()))
		if lengths == 0 {
			t.Error("the hook saw no history")
		}
	})
}
