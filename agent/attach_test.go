package agent_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// A web page answers a question, and a worker does what follows.
func ExampleAttach() {
	ctx := context.Background()
	store := agent.NewMemoryStore() // in earnest one that both processes open
	worker := agent.Agent{
		Model: llmtest.New(llmtest.Call("delete", `{}`), llmtest.Text("It is gone.")),
		Tools: []tool.Tool{tool.New("delete", "Delete the file", func(context.Context, struct{}) (string, error) { return "deleted", nil })},
	}
	s, err := worker.Open(ctx, &agent.OpenOptions{Store: store, SessionID: "files", Approver: agent.Later})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	if _, err := s.Run(ctx, "Delete it."); err != nil {
		fmt.Println(err)
	}

	page, err := agent.Attach(ctx, store, "files")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer page.Close()
	for _, q := range page.Questions() {
		fmt.Println(q.Text)
		if err := page.Answer(ctx, q.ID, tool.Yes()); err != nil {
			fmt.Println(err)
		}
	}
	res, err := s.Wait(ctx)
	fmt.Println(res.Text, err)
	// Output:
	// May delete run? "always" also allows every later call of delete, whatever its arguments, in this session.
	// It is gone. <nil>
}

// Of the messages with one key the first counts.
func ExampleSession_SendOnce() {
	ctx := context.Background()
	s, err := agent.Agent{Model: llmtest.New(llmtest.Text("Sent."))}.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for range 3 { // a worker that is started again and again
		if _, err := s.SendOnce(ctx, "letter to Ada", llm.User("Send a letter to Ada."), agent.Queue); err != nil {
			fmt.Println(err)
		}
		res, err := s.Wait(ctx)
		fmt.Println(res.Text, err)
	}
	// Output:
	// Sent. <nil>
	// Sent. <nil>
	// Sent. <nil>
}

func TestAGuestNeverRunsTheSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := agent.NewMemoryStore()
		if _, err := agent.Attach(t.Context(), store, "s"); !errors.Is(err, agent.ErrNoSession) {
			t.Errorf("attaching to nothing: %v", err)
		}
		if _, err := agent.Attach(t.Context(), store, "no/id"); err == nil {
			t.Error("an impossible id is taken")
		}
		if _, err := agent.Attach(t.Context(), nil, "s"); err == nil {
			t.Error("no store is taken")
		}
		m := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("ok") })
		opts := &agent.OpenOptions{Store: store, SessionID: "s"}
		owner := open(t, agent.Agent{Model: m}, opts)
		owner.ask("one")
		owner.Close()

		guest, err := agent.Attach(t.Context(), store, "s")
		if err != nil {
			t.Fatal(err)
		}
		defer guest.Close()
		if _, err := guest.Send(t.Context(), llm.User("two"), agent.Queue); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := guest.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) || len(m.Requests()) != 1 {
			t.Errorf("waiting for work that nobody does: %v, %d requests", err, len(m.Requests()))
		}
		if _, err := guest.Fork(t.Context(), 0); err == nil {
			t.Error("a guest forks")
		}
		wantEqual(t, "messages that the guest sees", len(guest.History()), 2)
		var last agent.EventKind
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			for e, err := range guest.Events(t.Context(), 1) {
				if err != nil {
					t.Error(err)
				}
				if last = e.Kind(); e.Kind() == agent.KindRunEnded && e.Seq > 7 {
					return
				}
			}
		}()
		again := open(t, agent.Agent{Model: m}, opts) // it finds the message
		if res, err := again.wait(); err != nil || res.Text != "ok" {
			t.Error(res, err)
		}
		<-watched
		wantEqual(t, "last event that the guest sees", last, agent.KindRunEnded)
		if res, err := guest.Wait(t.Context()); err != nil || res.Text != "ok" {
			t.Error(res, err)
		}
	})
}
