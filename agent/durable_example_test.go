package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// A process dies while a letter is being sent. Nobody knows whether it went out,
// so the session does not open again by itself; told to, it puts it to the model.
func ExampleUnsafePolicy() {
	ctx := context.Background()
	disk := agent.NewMemoryStore() // in earnest one on disk
	dying := agenttest.Crash(disk, 1000)
	send := tool.New("send", "Send a letter", func(context.Context, struct{}) (string, error) {
		dying.Kill()
		return "sent", nil
	}, tool.WithEffect(tool.Mutating))
	sent := tool.New("sent", "Tell whether the letter was sent", func(context.Context, struct{}) (bool, error) {
		return true, nil
	}, tool.WithEffect(tool.ReadOnly))
	a := agent.Agent{Model: llmtest.New(llmtest.Call("send", `{}`)), Tools: []tool.Tool{send, sent}, Policy: agent.AllowTools("send")}
	s, err := a.Open(ctx, &agent.OpenOptions{Store: dying, SessionID: "ada", Lease: time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = s.Run(ctx, "Send a letter to Ada.")
	fmt.Println(errors.Is(err, agenttest.ErrCrashed))
	s.Close()

	a.Model = llmtest.New(llmtest.Call("sent", `{}`), llmtest.Text("Ada has her letter."))
	opts := agent.OpenOptions{Store: disk, SessionID: "ada"}
	s, err = a.Open(ctx, &opts)
	if err == nil { // the dead process's lease had not ended
		_, err = s.Wait(ctx)
		s.Close()
	}
	if doubt, ok := errors.AsType[*agent.UnsafeResumeError](err); ok {
		fmt.Println("in doubt:", doubt.Calls[0].Name)
		opts.Unsafe = agent.TellModel
	}
	s, err = a.Open(ctx, &opts)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	res, err := s.Wait(ctx)
	fmt.Println(s.History()[2].Parts[0].Result.Text())
	fmt.Println(res.Text, err)
	// Output:
	// true
	// in doubt: send
	// outcome unknown: the process stopped while this call ran; it may or may not have taken effect, so check before repeating it
	// Ada has her letter. <nil>
}

// An Idempotent tool is called again with the same key, which lets the service on
// the other side drop the repeat.
func ExampleLease() {
	ctx := context.Background()
	disk := agent.NewMemoryStore()
	dying := agenttest.Crash(disk, 1000)
	orders := map[string]bool{} // the service's, by key
	order := tool.New("order", "Order a plot", func(ctx context.Context, _ struct{}) (string, error) {
		orders[tool.CallFrom(ctx).IdempotencyKey] = true
		if len(orders) == 1 && !dying.Crashed() {
			dying.Kill()
		}
		return "ordered", nil
	}, tool.WithEffect(tool.Idempotent))
	a := agent.Agent{Tools: []tool.Tool{order}, Policy: agent.AllowTools("order")}
	a.Model = llmtest.New(llmtest.Call("order", `{}`))
	s, err := a.Open(ctx, &agent.OpenOptions{Store: dying, SessionID: "plots", Lease: 100 * time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Run(ctx, "Order a plot.")
	s.Close()

	a.Model = llmtest.New(llmtest.Text("It is ordered."))
	s, err = a.Open(ctx, &agent.OpenOptions{Store: disk, SessionID: "plots"}) // while the lease of the dead one lasts
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	res, err := s.Wait(ctx) // takes over when it is out
	fmt.Println(res.Text, err, len(orders), "order")
	// Output: It is ordered. <nil> 1 order
}

// What is in a store can be read without an agent, and old sessions be deleted.
func ExampleMemoryStore() {
	ctx := context.Background()
	store := agent.NewMemoryStore()
	s, err := agent.Agent{Name: "guide", Model: llmtest.New(llmtest.Text("Hello."))}.Open(ctx, &agent.OpenOptions{Store: store, SessionID: "a", User: "ada"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Run(ctx, "Hi"); err != nil {
		fmt.Println(err)
	}
	s.Close()
	for info, err := range store.List(ctx, agent.Filter{User: "ada", Top: true, Limit: 20}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(info.ID, info.Agent, info.State, info.Pending)
	}
	for e, err := range store.Read(ctx, "a", 1) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Seq, e.Kind())
	}
	n, err := store.Purge(ctx, time.Now().Add(time.Hour))
	fmt.Println(n, err)
	// Output:
	// a guide idle 0
	// 1 session_opened
	// 2 user_message
	// 3 run_started
	// 4 turn_started
	// 5 model_message
	// 6 run_ended
	// 1 <nil>
}

// A Compactor of one's own: keep the first message and the last ones.
func ExampleCompactor() {
	ctx := context.Background()
	model := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		return llmtest.Text(strings.Repeat("A long answer. ", 100))
	})
	a := agent.Agent{Model: model, Compact: lastOnly{}, Limits: agent.Limits{Context: 1500}}
	s, err := a.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for i := range 5 {
		if _, err := s.Run(ctx, fmt.Sprintf("Read page %d.", i+1)); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(len(s.History()), s.History()[0].Text())
	// Output: 2 Read page 5.
}

// lastOnly forgets all but the latest question.
type lastOnly struct{}

func (lastOnly) Compact(_ context.Context, c *agent.Compaction) (*agent.Compacted, error) {
	for i := len(c.Messages) - 1; i > 0; i-- {
		if c.Messages[i].Role == llm.RoleUser {
			return &agent.Compacted{Messages: c.Messages[i:]}, nil
		}
	}
	return &agent.Compacted{Messages: c.Messages}, nil
}

// An event of a kind that this version does not know is kept as it is.
func ExampleUnrecognized() {
	var e agent.Event
	err := json.Unmarshal([]byte(`{"v":1,"seq":7,"time":"2026-11-30T12:00:00Z","kind":"tea_served","cups":2}`), &e)
	fmt.Println(e.Seq, e.Kind(), err)
	out, err := json.Marshal(e)
	fmt.Println(string(out), err)
	// Output:
	// 7 tea_served <nil>
	// {"v":1,"seq":7,"time":"2026-11-30T12:00:00Z","kind":"tea_served","cups":2} <nil>
}

// Which sessions wait for whom, and for what.
func ExampleFilter() {
	ctx := context.Background()
	store := agent.NewMemoryStore()
	deploy := tool.New("deploy", "Put a version online", func(context.Context, struct{}) (string, error) { return "done", nil })
	for _, user := range []string{"ada", "grace"} {
		model := llmtest.New(llmtest.Call("deploy", `{}`))
		s, err := agent.Agent{Model: model, Tools: []tool.Tool{deploy}}.Open(ctx, &agent.OpenOptions{Store: store, SessionID: user + "-1", User: user, Approver: agent.Later})
		if err != nil {
			fmt.Println(err)
			return
		}
		if _, err := s.Run(ctx, "Deploy it."); err != nil {
			fmt.Println(err)
		}
		s.Close()
	}
	for info, err := range store.List(ctx, agent.Filter{User: "ada", States: []agent.SessionState{agent.StateQuestion}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		s, err := agent.Attach(ctx, store, info.ID)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(info.ID, "waits:", s.Questions()[0].Tool)
		s.Close()
	}
	// Output: ada-1 waits: deploy
}
