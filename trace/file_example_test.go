package trace_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/trace"
)

// A file of events in full, written and read back into spans.
func ExampleOpenFull() {
	ctx, store := context.Background(), agent.NewMemoryStore()
	dir, err := os.MkdirTemp("", "trace")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "events.jsonl")
	if _, err := weather(ctx, store, "toulouse"); err != nil {
		fmt.Println(err)
		return
	}

	file, err := trace.OpenFull(path, nil) // or with the secrets that nobody may read there
	if err != nil {
		fmt.Println(err)
		return
	}
	err = trace.Replay(ctx, store, "toulouse", file)
	fmt.Println(errors.Join(err, file.Close()))

	in, err := os.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer in.Close()
	var f trace.Fold
	for rec, err := range trace.ReadJSONL(in) {
		if errors.Is(err, trace.ErrCut) {
			break // its writer died in the last line
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		f.Put(rec.Session, rec.Event)
	}
	run := f.Runs()[0]
	fmt.Println(run.Name, run.Outcome, len(run.Children), "turns")
	// Output:
	// <nil>
	// guide ok 2 turns
}

// A sub-agent's run stands below the call that made it, and what failed says so.
func ExampleFold() {
	ctx, store := context.Background(), agent.NewMemoryStore()
	helper := agent.Agent{Model: llmtest.New(llmtest.Fail(errors.New("no such model")))}
	lead := agent.Agent{Name: "lead", Model: llmtest.New(
		llmtest.Call("helper", `{"task":"look"}`),
		llmtest.Text("My helper could not look."),
	)}
	lead.Tools = append(lead.Tools, helper.Tool("helper", "Knows the data"))
	s, err := lead.Open(ctx, &agent.OpenOptions{Store: store, SessionID: "s", Clock: fixed})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	if _, err := s.Run(ctx, "How strong was it?"); err != nil {
		fmt.Println(err)
	}
	var f trace.Fold
	if err := trace.Replay(ctx, store, "s", &f); err != nil {
		fmt.Println(err)
	}
	for depth, span := range f.Runs()[0].All() {
		if span.Kind == trace.KindRun || span.Kind == trace.KindTool {
			fmt.Printf("%s%s %s: %s, failed %t\n", strings.Repeat("  ", depth), span.Kind, span.Name, span.Outcome, span.Failed())
		}
	}
	// Output:
	// run lead: ok, failed false
	//     tool helper: error, failed true
	//       run helper: failed, failed true
}

// An annotation of a session that ended, or still runs, by anybody.
func ExampleAnnotate() {
	ctx, store := context.Background(), agent.NewMemoryStore()
	res, err := weather(ctx, store, "toulouse")
	if err != nil {
		fmt.Println(err)
		return
	}
	bad := -1.0
	err = trace.Annotate(ctx, store, "toulouse", trace.Annotation{
		Subject: res.Run, Facet: "quality", Label: "wrong unit", Author: trace.Human, AuthorID: "ada", Rating: &bad, Comment: "F, not C",
	})
	fmt.Println(err)
	var f trace.Fold
	if err := trace.Replay(ctx, store, "toulouse", &f); err != nil {
		fmt.Println(err)
	}
	rows := trace.RollUp(f.Runs(), trace.ByModel, &trace.Filter{Name: "guide", Since: fixed().Add(-time.Hour)})
	fmt.Println(rows[0].Key, rows[0].Runs, rows[0].Errors, rows[0].Down)
	fmt.Println(f.Runs()[0].Annotations[0].Comment)
	// Output:
	// <nil>
	// test/scripted 1 0 1
	// F, not C
}
