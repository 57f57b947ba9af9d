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
		case strings.HasPrefix(last, "insist"):
			return llmtest.Call("deaf", ``).And("deaf", ``)
		case strings.HasPrefix(last, "delegate"):
			return llmtest.Call("helper", `{"task":"call"}`).And("helper", `{"task":"hang"}`)
		case strings.HasPrefix(last, "ask"):
			return llmtest.Call("write", ``)
		case strings.HasPrefix(last, "stream"):
			return llmtest.Text("a b c d e f g h i j k l m n").Every(time.Millisecond)
		}
		return llmtest.Text("a b c")
	})
	released := make(chan struct{})
	deaf := tool.New("deaf", "heeds no context", func(context.Context, struct{}) (string, error) {
		<-released
		return "late", nil
	}, tool.WithEffect(tool.ReadOnly))
	wait := blocking("wait", tool.ReadOnly, time.Hour)
	helper := agent.Agent{Model: m, Tools: []tool.Tool{wait}}
	a := agent.Agent{
		Model: m, Limits: agent.Limits{Grace: time.Millisecond},
		Tools: []tool.Tool{wait, deaf, helper.Tool("helper", "helps"), echo("write", tool.Mutating)},
	}
	prompts := []string{"hang", "call", "talk", "insist", "delegate", "ask", "stream"}
	stores := []agent.Store{nil, agent.NewMemoryStore()}
	var group sync.WaitGroup
	for i := range 500 {
		group.Go(func() { stopSomehow(t, a, stores[i%2], prompts[i%len(prompts)], i/len(prompts)) })
	}
	group.Wait()
	close(released)
	goleak.VerifyNone(t, ignore)
}

// stopSomehow begins a run and has it stop in one of many ways.
func stopSomehow(t *testing.T, a agent.Agent, store agent.Store, prompt string, way int) {
	bg := context.Background()
	ctx, cancel := context.WithTimeout(bg, time.Duration(way%5)*time.Millisecond)
	defer cancel()
	opening := ctx
	if way%2 == 0 {
		opening = bg // what stops it is not its context
	}
	s, err := a.Open(opening, &agent.OpenOptions{Store: store, Approver: []agent.Approver{nil, agent.Later}[way%2]})
	if err != nil {
		t.Error(err)
		return
	}
	defer s.Close()
	s.Send(bg, llm.User(prompt), agent.Steer)
	for range s.Events(ctx, 0) {
		if way%7 == 0 {
			break
		}
	}
	switch way % 6 {
	case 0:
		s.Interrupt(bg, agent.Now, "enough")
		s.Wait(bg)
	case 1:
		s.Wait(ctx)
	case 2:
		s.Send(bg, llm.User("talk"), agent.Preempt)
		s.Wait(ctx)
	case 3:
		s.Detach(ctx)
	case 4: // closed while readers are there
		var readers sync.WaitGroup
		for range 3 {
			readers.Go(func() {
				for range s.Events(bg, 0) {
				}
			})
		}
		s.Close()
		readers.Wait()
	}
}
