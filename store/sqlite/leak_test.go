package sqlite_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/store/sqlite"
	"github.com/helios-go/helios/tool"
)

// Not parallel: it looks at all goroutines there are.
func TestNothingIsLeftOfAStoreThatIsClosedAfterManyRuns(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	st, err := sqlite.Open(filepath.Join(t.TempDir(), "s.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	model := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		switch req.Messages[len(req.Messages)-1].Text() {
		case "hang":
			return llmtest.Text("so far").Hanging()
		case "call":
			return llmtest.Call("wait", ``)
		}
		return llmtest.Text("done")
	})
	wait := tool.New("wait", "waits", func(ctx context.Context, _ struct{}) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}, tool.WithEffect(tool.ReadOnly))
	a := agent.Agent{Model: model, Tools: []tool.Tool{wait}}
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(20+i)*time.Millisecond)
			defer cancel()
			s, err := a.Open(context.Background(), &agent.OpenOptions{Store: st})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			s.Send(context.Background(), llm.User([]string{"hang", "call", "talk"}[i%3]), agent.Steer)
			for range s.Events(ctx, 0) {
				if i%4 == 0 {
					break
				}
			}
			if i%2 == 0 {
				s.Interrupt(context.Background(), agent.Now, "enough")
				s.Wait(context.Background())
			}
		})
	}
	group.Wait()
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	goleak.VerifyNone(t, ignore)
}
