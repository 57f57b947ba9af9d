package llmtest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

func Example() {
	ctx := context.Background()
	model := llmtest.New(
		llmtest.Call("weather", `{"City":"Toulouse"}`),
		llmtest.Text("It is 22 C."),
	)
	req := &llm.Request{Messages: []llm.Message{llm.User("Is it warm?")}}
	for range 3 {
		resp, err := llm.Generate(ctx, model, req)
		fmt.Printf("%s %q %v\n", resp.Finish, resp.Text(), err)
	}
	fmt.Println(len(model.Requests()), model.Left())
	// Output:
	// tool_calls "" <nil>
	// stop "It is 22 C." <nil>
	//  "" llmtest: 2 turns scripted, 3 requested
	// 3 0
}

// A model that looks at the request needs no script.
func ExampleFunc() {
	model := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		return llmtest.Text("You said " + req.Messages[0].Text())
	})
	resp, err := llm.Generate(context.Background(), model, &llm.Request{Messages: []llm.Message{llm.User("hello")}})
	fmt.Println(resp.Text(), err)
	// Output: You said hello <nil>
}

func generate(t *testing.T, turn llmtest.Turn) (*llm.Response, error) {
	t.Helper()
	return llm.Generate(t.Context(), llmtest.New(turn), &llm.Request{})
}

func TestTurnsAreWhatTheySay(t *testing.T) {
	t.Parallel()
	usage := llm.Usage{Input: 3, Output: 4}
	resp, err := generate(t, llmtest.Text("Let me see.").And("a", `{"x":1}`).And("b", `{"cut`).Using(usage).Ending(llm.FinishLength))
	if err != nil || resp.Text() != "Let me see." || resp.Usage != usage || resp.Finish != llm.FinishLength {
		t.Errorf("response = %+v, %v", resp, err)
	}
	if calls := resp.Message.Calls(); len(calls) != 2 || calls[0].ID != "call_1" || calls[1].ID != "call_2" || string(calls[1].Args) != `{"cut` {
		t.Errorf("calls = %+v", calls)
	}
	boom := errors.New("boom")
	if _, err := generate(t, llmtest.Fail(boom)); !errors.Is(err, boom) {
		t.Errorf("a failing turn ends with %v", err)
	}
	resp, err = generate(t, llmtest.Text("half a").Failing(boom))
	if !errors.Is(err, boom) || resp.Text() != "half a" {
		t.Errorf("a turn that breaks gives %q, %v", resp.Text(), err)
	}
	resp, err = generate(t, llmtest.Text("half a").Cut())
	if !errors.Is(err, llm.ErrTransient) || resp.Text() != "half a" {
		t.Errorf("a turn that is cut gives %q, %v", resp.Text(), err)
	}
}

func TestTurnsTakeTheirTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if _, err := generate(t, llmtest.Text("one two three").After(time.Minute).Every(time.Second)); err != nil {
			t.Error(err)
		}
		// Three deltas, the part and the end: four gaps.
		if got := time.Since(began); got != time.Minute+4*time.Second {
			t.Errorf("took %v", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		resp, err := llm.Generate(ctx, llmtest.New(llmtest.Text("and").Hanging()), &llm.Request{})
		if !errors.Is(err, context.DeadlineExceeded) || resp.Text() != "and" {
			t.Errorf("a hanging turn gives %q, %v", resp.Text(), err)
		}
	})
}

func TestBreakingOffStopsTheTurn(t *testing.T) {
	t.Parallel()
	n := 0
	for c, err := range llmtest.New(llmtest.Text("a b c d").And("f", `{}`)).Stream(t.Context(), &llm.Request{}) {
		if n++; n == 2 {
			break
		}
		if err != nil || !strings.HasSuffix(c.Text, " ") {
			t.Errorf("chunk = %+v, %v", c, err)
		}
	}
}

func TestRequestsAreCopied(t *testing.T) {
	t.Parallel()
	m := llmtest.New(llmtest.Text("a"))
	req := &llm.Request{Messages: []llm.Message{llm.User("one")}}
	if _, err := llm.Generate(t.Context(), m, req); err != nil {
		t.Fatal(err)
	}
	req.Messages[0] = llm.User("changed")
	if got := m.Requests()[0].Messages[0].Text(); got != "one" {
		t.Errorf("the recorded request says %q", got)
	}
}

// A test that ends with Done knows that the script was neither too long nor too
// short.
func TestDoneTellsBothCounts(t *testing.T) {
	t.Parallel()
	m := llmtest.New(llmtest.Text("a"), llmtest.Text("b"))
	for i, want := range []string{"llmtest: 2 turns scripted, 0 requested", "llmtest: 2 turns scripted, 1 requested", "", "llmtest: 2 turns scripted, 3 requested"} {
		got := ""
		if err := m.Done(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("after %d requests: %q, want %q", i, got, want)
		}
		_, err := llm.Generate(t.Context(), m, &llm.Request{})
		if i == 2 && (err == nil || err.Error() != "llmtest: 2 turns scripted, 3 requested") {
			t.Errorf("a request beyond the script: %v", err)
		}
	}
	if err := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("x") }).Done(); err != nil {
		t.Error(err)
	}
}

func TestChunksArePlayedAsTheyAre(t *testing.T) {
	t.Parallel()
	text := llm.Chunk{Kind: llm.ChunkText, Text: "half"}
	done := llm.Chunk{Kind: llm.ChunkDone, Finish: llm.FinishRefusal, Usage: &llm.Usage{Output: 1}}
	boom := errors.New("boom")
	for name, tt := range map[string]struct {
		turn llmtest.Turn
		want error
	}{
		"whole":   {llmtest.Chunks(text, done), nil},
		"cut":     {llmtest.Chunks(text), llm.ErrTransient},
		"failing": {llmtest.Chunks(text).Failing(boom), boom},
	} {
		resp, err := generate(t, tt.turn)
		if !errors.Is(err, tt.want) || resp.Text() != "half" || err == nil && resp.Finish != llm.FinishRefusal {
			t.Errorf("%s: %+v, %v; want %v", name, resp, err, tt.want)
		}
	}
}
