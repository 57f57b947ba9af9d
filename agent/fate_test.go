package agent_test

import (
	"context"
	"fmt"
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

// Those who ask at the same time each get the answer to their own question.
func TestEachRunGetsItsOwnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := llmtest.Func(func(r *llm.Request) llmtest.Turn {
			return llmtest.Text("re " + r.Messages[len(r.Messages)-1].Text()).After(time.Second)
		})
		b := open(t, agent.Agent{Model: m}, nil)
		var group sync.WaitGroup
		for i := range 5 {
			group.Go(func() {
				question := fmt.Sprint(i)
				if res, err := b.Run(t.Context(), question); err != nil || res.Text != "re "+question {
					t.Errorf("Run(%s) = %q, %v", question, res.Text, err)
				}
			})
		}
		group.Wait()
	})
}

// A model that gives its calls no ids gets some that are its conversation's own.
func TestMadeCallIDsAreUniqueInTheConversation(t *testing.T) {
	t.Parallel()
	nameless := llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{Name: "look", Args: []byte(`{}`)}}
	m := script(llmtest.Parts(nameless, nameless), llmtest.Text("one"), llmtest.Parts(nameless), llmtest.Text("two"))
	b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{echo("look", tool.ReadOnly)}}, nil)
	b.ask("a")
	b.ask("b")
	seen := map[string]bool{}
	for _, msg := range b.History() {
		for _, c := range msg.Calls() {
			if c.ID == "" || seen[c.ID] {
				t.Errorf("the id %q is there twice, or empty", c.ID)
			}
			seen[c.ID] = true
		}
	}
	wantEqual(t, "calls", len(seen), 3)
}

// A session that was purged while it lay open begins anew: the model sees nothing
// that no log has.
func TestAPurgedSessionBeginsAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := agent.NewMemoryStore()
		m := llmtest.Func(func(r *llm.Request) llmtest.Turn { return llmtest.Text(fmt.Sprint(len(r.Messages))) })
		s, err := agent.Agent{Model: m}.Open(t.Context(), &agent.OpenOptions{Store: store, SessionID: "s"})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, want := range []string{"1", "3"} {
			if res, err := s.Run(t.Context(), "x"); err != nil || res.Text != want {
				t.Fatalf("the model saw %s messages, %v; want %s", res.Text, err, want)
			}
		}
		time.Sleep(time.Hour)
		if n, err := store.Purge(t.Context(), time.Now()); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		if res, err := s.Run(t.Context(), "x"); err != nil || res.Text != "1" {
			t.Errorf("after the purge the model saw %s messages, %v", res.Text, err)
		}
		events, err := agenttest.Log(t.Context(), store, "s")
		if err != nil || len(pick[*agent.RunEnded](events)) != 1 {
			t.Errorf("%d events, %v", len(events), err)
		}
	})
}

// What was only asked about is no session, and is not counted as one.
func TestPurgeCountsWhatHasBegun(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store := agent.NewMemoryStore()
	lease, err := store.Acquire(ctx, "ghost", "me", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Release(ctx, lease); err != nil {
		t.Fatal(err)
	}
	store.Changed("other")
	if n, err := store.Purge(ctx, time.Now()); n != 0 || err != nil {
		t.Errorf("Purge deleted %d of no sessions, %v", n, err)
	}
}

func TestNoBudgetIsNoLimit(t *testing.T) {
	t.Parallel()
	var none *agent.Budget
	none.Spend(5)
	if none.Left() < llm.Dollar || none.Spent() != 0 {
		t.Errorf("left %d, spent %d", none.Left(), none.Spent())
	}
}
