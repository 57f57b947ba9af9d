package agent_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// Sessions work in a bubble of testing/synctest: an hour passes at once, and what
// is still running at the end fails the test.
func TestAnAgentIsTestedWithoutWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := llmtest.New(
			llmtest.Fail(&llm.Error{Kind: llm.KindTransient, Err: errors.New("overloaded")}), // made again
			llmtest.Call("look", `{}`).Using(llm.Usage{Input: 900, Output: 20}),
			llmtest.Text("It takes").Every(20*time.Minute).Hanging(),
		)
		look := tool.New("look", "Look at the data", func(ctx context.Context, _ struct{}) (string, error) {
			return "5.26 nT", nil
		}, tool.WithEffect(tool.ReadOnly))
		store := agent.NewMemoryStore()
		a := agent.Agent{
			Model: agenttest.Checked(model, func(err error) { t.Error(err) }),
			Tools: []tool.Tool{look}, Limits: agent.Limits{Wall: time.Hour, Idle: 2 * time.Hour},
		}
		s, err := a.Open(t.Context(), &agent.OpenOptions{Store: store, SessionID: "s"})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		began := time.Now()
		res, err := s.Run(t.Context(), "How strong is it?")
		if !errors.Is(err, agent.ErrWall) || time.Since(began) != time.Hour {
			t.Errorf("after %s: %v, want %v after an hour", time.Since(began), err, agent.ErrWall)
		}
		if res.Text != "It takes" || res.ToolCalls != 1 {
			t.Errorf("got %q and %d calls, want what was there and 1", res.Text, res.ToolCalls)
		}
		if asked := model.Requests()[2].Messages; asked[2].Parts[0].Result.Text() != "5.26 nT" {
			t.Errorf("the model was asked with %v", asked)
		}
		if err := model.Done(); err != nil {
			t.Error(err)
		}
		events, err := agenttest.Log(t.Context(), store, "s")
		if err == nil {
			err = agenttest.CheckLog(events)
		}
		if err != nil {
			t.Error(err)
		}
	})
}

// A program that is killed at any of its writes sends its letter once.
func TestALetterIsSentOnceWhereverTheProgramDies(t *testing.T) {
	t.Parallel()
	for n := range 12 {
		synctest.Test(t, func(t *testing.T) {
			letters, disk := 0, agent.NewMemoryStore()
			send := tool.New("send", "Send a letter", func(context.Context, struct{}) (string, error) {
				letters++
				return "sent", nil
			}, tool.WithEffect(tool.Mutating))
			for _, store := range []agent.Store{agenttest.Crash(disk, n), disk} { // the first life, and the second
				a := agent.Agent{Tools: []tool.Tool{send}, Policy: agent.AllowTools("send")}
				a.Model = llmtest.Func(func(req *llm.Request) llmtest.Turn {
					if len(req.Messages) > 1 {
						return llmtest.Text("done")
					}
					return llmtest.Call("send", `{}`)
				})
				s, err := a.Open(t.Context(), &agent.OpenOptions{Store: store, SessionID: "ada", Unsafe: agent.TellModel})
				if err != nil {
					continue // dead before it began
				}
				if _, err := s.SendOnce(t.Context(), "letter", llm.User("Write to Ada."), agent.Queue); err == nil {
					_, _ = s.Wait(t.Context())
				}
				s.Close()
			}
			if letters != 1 {
				t.Errorf("killed at write %d: %d letters", n+1, letters)
			}
		})
	}
}
