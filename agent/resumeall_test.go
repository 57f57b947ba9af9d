package agent_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// Several workers on one store share the sessions: each is worked on by one of
// them, by no more at a time than a worker may, and one that fails is no matter to
// the others.
func TestWorkersShareTheSessionsThatTheyResume(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const sessions, workers, parallel = 12, 3, 2
		store := agent.NewMemoryStore()
		for i := range sessions {
			name := "guide"
			if i == 5 {
				name = "broken"
			}
			if _, err := store.Post(t.Context(), fmt.Sprint("s", i), []agent.Event{
				{Data: &agent.SessionOpened{Agent: name}},
				{Data: &agent.UserMessage{Message: llm.User("hello"), Delivery: agent.Queue, Origin: agent.OriginUser}},
			}); err != nil {
				t.Fatal(err)
			}
		}
		var (
			mu    sync.Mutex
			ran   = map[string]int{}
			group sync.WaitGroup
		)
		reports := make([]agent.Report, workers)
		for w := range workers {
			var now, most atomic.Int32
			work := tool.New("work", "", func(ctx context.Context, _ struct{}) (string, error) {
				most.Store(max(most.Load(), now.Add(1)))
				defer now.Add(-1)
				time.Sleep(time.Second)
				mu.Lock()
				ran[tool.CallFrom(ctx).Session]++
				mu.Unlock()
				return "", nil
			}, tool.WithEffect(tool.Mutating))
			model := func() llm.Model { return script(llmtest.Call("work", ``), llmtest.Text("done")) }
			group.Go(func() {
				var err error
				reports[w], err = agent.ResumeAll(t.Context(), store, func(info agent.SessionInfo) (agent.Agent, *agent.OpenOptions, bool) {
					if info.Agent == "broken" {
						return agent.Agent{Model: panicking{}}, nil, true
					}
					return agent.Agent{Model: model(), Tools: []tool.Tool{work}, Policy: agent.AllowAll()}, nil, true
				}, &agent.ResumeOptions{Parallel: parallel})
				if err != nil {
					t.Error(err)
				}
				if n := most.Load(); n > parallel {
					t.Errorf("worker %d worked on %d sessions at the same time", w, n)
				}
			})
		}
		group.Wait()
		for i := range sessions {
			id := fmt.Sprint("s", i)
			want := 1
			if i == 5 {
				want = 0
			}
			wantEqual(t, "runs of the tool in "+id, ran[id], want)
		}
		failed := map[string]bool{}
		for _, r := range reports {
			for id := range r.Failed {
				failed[id] = true
			}
		}
		wantEqual(t, "sessions that failed", fmt.Sprint(failed), "map[s5:true]")
	})
}
