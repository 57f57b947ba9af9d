package agent_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// A process dies with a question open, and the next one comes before its lease is
// over, as after a crash and an immediate restart: once the lease is over, the
// question has to be put to the new approver by those who wait.
func TestAQuestionOfADeadOwnerIsAskedAgainByWhoeverWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := agent.NewMemoryStore()
		a := agent.Agent{Model: script(llmtest.Call("write", `{}`)), Tools: []tool.Tool{echo("write", tool.Mutating)}}
		first := open(t, a, &agent.OpenOptions{Store: inner, SessionID: "s", Approver: agent.Later})
		if res, err := first.Run(t.Context(), "go"); err != nil || res.Stop != agent.StopQuestion {
			t.Fatal(res, err)
		}
		first.Close()
		if _, err := inner.Acquire(t.Context(), "s", "the dead one", 30*time.Second); err != nil {
			t.Fatal(err)
		}
		asked := 0
		approver := agent.ApproverFunc(func(context.Context, *tool.Question) (tool.Answer, error) {
			asked++
			return tool.Answer{Choices: []string{tool.Allow}}, nil
		})
		a.Model = script(llmtest.Text("done"))
		b := open(t, a, &agent.OpenOptions{Store: inner, SessionID: "s", Approver: approver})
		time.Sleep(time.Minute) // the lease is over
		res, err := b.wait()
		if err != nil || res.Text != "done" || asked != 1 {
			t.Errorf("result = %+v, %v; asked %d times", res, err, asked)
		}
	})
}
