package agent_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// Not parallel: it looks at all goroutines there are.
func TestNothingIsLeftOfManyRunsThatWereStopped(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	m := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		switch last := req.Messages[len(req.Messages)-1].Text(); {
		case strings.HasPrefix(last, "hang"):
			return llmtest.Text("so far").Hanging()
		case strings.HasPrefix(last, "call"):
			return llmtest.Call("wait", ``).And("wait", ``)
		}
		return llmtest.Text("a b c")
	})
	a := agent.Agent{Model: m, Tools: []tool.Tool{blocking("wait", tool.ReadOnly, time.Hour)}}
	var group sync.WaitGroup
	for i := range 500 {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%5)*time.Millisecond)
			defer cancel()
			s, err := a.Open(ctx, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			s.Send(context.Background(), llm.User([]string{"hang", "call", "talk"}[i%3]), agent.Steer)
			for range s.Events(ctx, 0) {
				if i%7 == 0 {
					break
				}
			}
			switch i % 4 {
			case 0:
				s.Interrupt(context.Background(), agent.Now, "enough")
				s.Wait(context.Background())
			case 1:
				s.Wait(ctx)
			}
		})
	}
	group.Wait()
	goleak.VerifyNone(t, ignore)
}
