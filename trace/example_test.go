package trace_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/trace"
)

// fixed is a clock that stands still, so that examples say the same each time.
func fixed() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// weather answers a question with the help of a tool, in a store.
func weather(ctx context.Context, store agent.Store, session string) (*agent.Result, error) {
	look := tool.New("weather", "Weather in a city now", func(context.Context, struct{ City string }) (string, error) {
		return "22 C", nil
	}, tool.WithEffect(tool.ReadOnly))
	a := agent.Agent{
		Name: "guide", Tools: []tool.Tool{look},
		Model: llmtest.New(
			llmtest.Call("weather", `{"City":"Toulouse"}`).Using(llm.Usage{Input: 100, Output: 10}),
			llmtest.Text("Yes, 22 C.").Using(llm.Usage{Input: 120, Output: 5}),
		),
		Prices: llm.Prices{"test/scripted": {Input: 3 * llm.Dollar, Output: 15 * llm.Dollar}},
	}
	s, err := a.Open(ctx, &agent.OpenOptions{Store: store, SessionID: session, Clock: fixed})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Run(ctx, "Is it warm in Toulouse?")
}

// The spans of a run, from the log that it has left.
func Example() {
	ctx, store := context.Background(), agent.NewMemoryStore()
	if _, err := weather(ctx, store, "toulouse"); err != nil {
		fmt.Println(err)
		return
	}
	var f trace.Fold
	if err := trace.Replay(ctx, store, "toulouse", &f); err != nil {
		fmt.Println(err)
		return
	}
	for _, run := range f.Runs() {
		for depth, s := range run.All() {
			fmt.Printf("%s%s %s: %s\n", strings.Repeat("  ", depth), s.Kind, s.Name, s.Outcome)
		}
		usage, cost := run.Total()
		fmt.Println(usage.Input, usage.Output, *cost)
	}
	// Output:
	// run guide: ok
	//   turn turn 1: ok
	//     model test/scripted: ok
	//     tool weather: ok
	//   turn turn 2: ok
	//     model test/scripted: ok
	// 220 15 $0.000885
}

// Events in full can be read back; the metadata of the same events hold nothing
// that was said.
func ExampleJSONL() {
	var secrets secret.Registry
	_ = secrets.Register("KEY", "k-1234567")
	e := agent.Event{Seq: 4, Time: fixed(), Run: "r", Turn: 1, Data: &agent.ModelMessage{
		Model: "test/scripted", Message: llm.Assistant("The key is k-1234567."),
		Usage: llm.Usage{Input: 9, Output: 6}, Finish: llm.FinishStop, Attempt: 1,
	}}
	var full, meta bytes.Buffer
	for _, sink := range []trace.Sink{trace.NewFull(&full, &secrets), trace.NewMetadata(&meta)} {
		if err := sink.Put("s", e); err != nil {
			fmt.Println(err)
		}
	}
	for rec, err := range trace.ReadJSONL(&full) {
		fmt.Println(rec.Session, rec.Event.Data.(*agent.ModelMessage).Message.Text(), err)
	}
	fmt.Print(meta.String())
	// Output:
	// s The key is <redacted:KEY>. <nil>
	// {"session":"s","seq":4,"time":"2026-11-30T12:00:00Z","run":"r","turn":1,"kind":"model_message","model":"test/scripted","attempt":1,"n":1,"usage":{"input":9,"cache_read":0,"cache_write":0,"output":6},"finish":"stop"}
}

// A session that is followed while it runs, into a file and a fold.
func ExampleFollow() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "trace")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file, err := trace.OpenMetadata(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := agent.Agent{Name: "guide", Model: llmtest.New(llmtest.Text("Hello."))}.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var f trace.Fold
	done := make(chan error)
	go func() { done <- trace.Follow(ctx, s, 0, &f, file) }()
	res, _ := s.Run(ctx, "Hi")
	s.Close() // ends Follow, when it has passed on what there is
	fmt.Println(<-done, file.Close())
	fmt.Println(res.Text, f.Runs()[0].Outcome)
	// Output:
	// <nil> <nil>
	// Hello. ok
}

// What people think of a run is kept in its log, and counts when runs are rolled
// up.
func ExampleRollUp() {
	ctx, store := context.Background(), agent.NewMemoryStore()
	var f trace.Fold
	for _, session := range []string{"monday", "tuesday"} {
		res, err := weather(ctx, store, session)
		if err != nil {
			fmt.Println(err)
			return
		}
		good := 1.0
		for _, a := range []trace.Annotation{
			trace.PromptUsed(res.Run, "answer", "3"),
			{Subject: res.Run, Label: "helpful", Author: trace.Human, AuthorID: "ada", Rating: &good},
			{Subject: res.Run, Label: "helpful", Author: trace.Human, AuthorID: "ada", Rating: &good}, // no second vote
		} {
			if err := trace.Annotate(ctx, store, session, a); err != nil {
				fmt.Println(err)
			}
		}
		if err := trace.Replay(ctx, store, session, &f); err != nil {
			fmt.Println(err)
		}
	}
	for _, row := range trace.RollUp(f.Runs(), trace.ByFacet("prompt"), nil) {
		fmt.Println(row.Key, row.Runs, row.SuccessRate(), row.Usage.Total(), row.Cost, row.Up, row.Down)
	}
	// Output: answer@3 2 1 470 $0.00177 2 0
}
