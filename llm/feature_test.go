package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

// Whoever calls a model asks what kind of failure it was, not which provider's.
func ExampleError() {
	status := 429
	err := fmt.Errorf("ask for a plan: %w", &llm.Error{
		Kind: llm.KindOfStatus(status), Provider: "anthropic", Status: status,
		RetryAfter: 2 * time.Second, Err: errors.New("rate limit of your organisation"),
	})
	fmt.Println(err)
	fmt.Println(errors.Is(err, llm.ErrTransient), errors.Is(err, llm.ErrContextTooLong), errors.Is(err, llm.ErrRefused))
	if e, ok := errors.AsType[*llm.Error](err); ok {
		fmt.Println("again in", e.RetryAfter)
	}
	// Output:
	// ask for a plan: anthropic: HTTP 429: rate limit of your organisation
	// true false false
	// again in 2s
}

// The submit validator checks what a schema cannot say. Its words go to the model.
func ExampleOutputOptions() {
	type window struct {
		Start string `json:"start"`
		Stop  string `json:"stop"`
	}
	model := llmtest.New(
		llmtest.Text(`{"start":"2015-03-18","stop":"2015-03-17"}`),
		llmtest.Text(`{"start":"2015-03-17","stop":"2015-03-18"}`),
	)
	req := &llm.Request{Messages: []llm.Message{llm.User("When was the storm?")}}
	w, _, err := llm.GenerateAs(context.Background(), model, req, &llm.OutputOptions[window]{
		Attempts: 3,
		HideText: true, // errors hold nothing that the model wrote
		Validate: func(w window) error {
			if w.Start >= w.Stop {
				return errors.New("start must be before stop; swap them if you mixed them up")
			}
			return nil
		},
	})
	fmt.Println(w, err)
	fmt.Println(strings.Split(model.Requests()[1].Messages[2].Text(), "\n")[1])
	// Output:
	// {2015-03-17 2015-03-18} <nil>
	// - start must be before stop; swap them if you mixed them up
}

func ExampleExtractJSON() {
	data, err := llm.ExtractJSON("As shown in [1], the answer is\n```json\n{\"year\": 2015}\n```\nI hope this helps!")
	fmt.Println(string(data), err)
	_, err = llm.ExtractJSON(`{"year": 20`)
	fmt.Println(err)
	// Output:
	// {"year": 2015} <nil>
	// it holds no valid JSON: it ends in the middle, after 11 bytes
}

// Every tool call is followed by exactly one result.
func ExampleCheckConversation() {
	call := &llm.ToolCall{ID: "1", Name: "weather", Args: json.RawMessage(`{}`)}
	messages := []llm.Message{
		llm.User("Is it warm?"),
		llm.Assistant("", llm.Part{Kind: llm.PartCall, Call: call}),
		llm.User("Well?"),
	}
	fmt.Println(llm.CheckConversation(messages))
	// Output: message 2: the calls of message 1 have no results
}

func ExampleNearest() {
	fmt.Println(llm.Nearest("get_time_series", []string{"search_parameters", "get_timeseries"}))
	// Output: get_timeseries
}

// Who shows an answer while it comes reads the stream, and keeps the same answer
// that Generate would have returned.
func ExampleAccumulator() {
	model := llmtest.New(llmtest.Text("A stream of charged particles.").Using(llm.Usage{Input: 12, Output: 6}))
	var acc llm.Accumulator
	for chunk, err := range model.Stream(context.Background(), &llm.Request{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if chunk.Kind == llm.ChunkText {
			fmt.Print(chunk.Text, "|")
		}
		acc.Add(chunk)
	}
	fmt.Println()
	fmt.Println(acc.Done(), acc.Response().Message, acc.Response().Usage.Total())
	// Output:
	// A |stream |of |charged |particles.|
	// true assistant: ["A stream of charged particles."] 18
}

// A message can bring media along; printing it never shows their bytes.
func ExampleUser() {
	file, err := llm.NewFile("https://files.example/v1/42?key=secret", "application/pdf", "paper.pdf")
	fmt.Println(llm.User("Summarise this paper.", file), err)
	// Output: user: ["Summarise this paper.", application/pdf "paper.pdf" at https:...] <nil>
}
