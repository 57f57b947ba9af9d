package agent_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// asking is a tool that asks the user, and tells what it heard.
func asking(expires time.Duration) tool.Tool {
	return tool.New("ask", "", func(ctx context.Context, _ struct{}) (string, error) {
		q := tool.Question{Text: "Which?"}
		if expires > 0 {
			q.Expires = time.Now().Add(expires)
		}
		a, err := tool.CallFrom(ctx).Ask(ctx, q)
		if errors.Is(err, tool.ErrExpired) {
			return "nobody", nil
		}
		return a.Text, err
	}, tool.WithEffect(tool.ReadOnly))
}

func TestAToolsQuestionExpires(t *testing.T) {
	t.Parallel()
	silent := agent.ApproverFunc(func(ctx context.Context, _ *tool.Question) (tool.Answer, error) {
		<-ctx.Done()
		return tool.Answer{}, ctx.Err()
	})
	for name, tt := range map[string]struct {
		limit, own, want time.Duration
		approver         agent.Approver
	}{
		"by the limit":          {time.Hour, 0, time.Hour, silent},
		"by its own time":       {time.Hour, time.Minute, time.Minute, silent},
		"left for later":        {time.Hour, 0, time.Hour, agent.Later},
		"without a limit":       {0, time.Minute, time.Minute, agent.Later},
		"beyond the tool's own": {10 * time.Minute, 0, 10 * time.Minute, silent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := agent.Agent{Model: script(llmtest.Call("ask", `{}`), llmtest.Text("ok")), Tools: []tool.Tool{asking(tt.own)}, Limits: agent.Limits{Answer: tt.limit, Wall: 2 * time.Hour}}
				b := open(t, a, &agent.OpenOptions{Approver: tt.approver})
				began := time.Now()
				res, err := b.Run(t.Context(), "go")
				for err == nil && res.Stop == agent.StopQuestion { // it is settled until the time is up
					time.Sleep(time.Second)
					res, err = b.wait()
				}
				if err != nil || res.Text != "ok" {
					t.Fatal(res, err)
				}
				if took := time.Since(began); took < tt.want || took > tt.want+2*time.Second {
					t.Errorf("it took %s, want %s", took, tt.want)
				}
				wantTexts(t, b.ended(), "nobody")
				answers := pick[*agent.QuestionAnswered](b.log())
				if len(answers) != 1 || !answers[0].Expired {
					t.Errorf("answers = %+v", answers)
				}
			})
		})
	}
}

// A parked session holds nothing but a timer, and goes on by itself.
func TestAPermissionThatNobodyGivesIsDenied(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := agent.Agent{Model: script(llmtest.Call("write", `{}`), llmtest.Text("ok")), Tools: []tool.Tool{echo("write", tool.Mutating)}, Limits: agent.Limits{Answer: time.Hour}}
		b := open(t, a, &agent.OpenOptions{Approver: agent.Later})
		res, err := b.Run(t.Context(), "go")
		if err != nil || res.Stop != agent.StopQuestion || res.Question.Expires.IsZero() {
			t.Fatal(res, err)
		}
		time.Sleep(time.Hour + time.Second)
		if err := b.Answer(t.Context(), res.Question.ID, tool.Answer{Choices: []string{tool.Allow}}); !errors.Is(err, agent.ErrNoQuestion) {
			t.Errorf("a late answer: %v", err)
		}
		if res, err := b.wait(); err != nil || res.Text != "ok" {
			t.Error(res, err)
		}
		wantTexts(t, b.ended(), "denied: nobody has answered the question in time")
	})
}

func TestAQuestionExpiresWhileNobodyHasTheSessionOpen(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			a := agent.Agent{Model: script(llmtest.Call("write", `{"text":"x"}`), llmtest.Text("ok")), Tools: []tool.Tool{echo("write", tool.Mutating)}, Limits: agent.Limits{Answer: time.Hour}}
			store := agent.NewMemoryStore()
			opts := &agent.OpenOptions{Store: store, SessionID: "s", Approver: agent.Later}
			first := open(t, a, opts)
			res, err := first.Run(t.Context(), "go")
			if err != nil {
				t.Fatal(err)
			}
			first.Close()
			want := "write:x"
			if time.Sleep(30 * time.Minute); late {
				time.Sleep(31 * time.Minute)
				want = "denied: nobody has answered the question in time"
			}
			second := open(t, a, opts)
			if err := second.Answer(t.Context(), res.Question.ID, tool.Answer{Choices: []string{tool.Allow}}); (err != nil) != late {
				t.Errorf("answer: %v", err)
			}
			if res, err := second.wait(); err != nil || res.Text != "ok" {
				t.Error(res, err)
			}
			wantTexts(t, second.ended(), want)
		})
	}
}
