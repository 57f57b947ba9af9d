package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/helios-go/helios/llm"
)

// parrot is a model that repeats what it was told last. A real one asks a server
// here, and yields what comes.
type parrot struct{}

func (parrot) Name() string { return "example/parrot" }

func (parrot) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		text := req.Messages[len(req.Messages)-1].Text()
		for _, word := range strings.SplitAfter(text, " ") {
			if ctx.Err() != nil {
				yield(llm.Chunk{}, context.Cause(ctx))
				return
			}
			if !yield(llm.Chunk{Kind: llm.ChunkText, Text: word}, nil) {
				return // the reader has had enough
			}
		}
		whole := llm.Text(text)
		_ = yield(llm.Chunk{Kind: llm.ChunkPart, Part: &whole}, nil) &&
			yield(llm.Chunk{Kind: llm.ChunkDone, Finish: llm.FinishStop, Usage: &llm.Usage{Input: 9, Output: 9}}, nil)
	}
}

// Size is optional: with it the agent knows when a conversation gets too long.
func (parrot) Size() llm.Size { return llm.Size{Context: 8000, MaxOutput: 1000} }

// A model of one's own is one method, and a name.
func ExampleModel() {
	resp, err := llm.Generate(context.Background(), parrot{}, &llm.Request{
		Messages: []llm.Message{llm.User("pieces of eight")},
	})
	fmt.Println(resp.Text(), resp.Finish, resp.Usage.Total(), err)
	// Output: pieces of eight stop 18 <nil>
}

// What one provider has and others do not goes to it by its name, as JSON.
func ExampleOptions() {
	o := llm.Options{
		MaxTokens: 2000, Temperature: new(0.2), Thinking: llm.ThinkingLow,
		Provider: map[string]json.RawMessage{"example": json.RawMessage(`{"tier":"flex"}`)},
	}
	fmt.Println(o.Validate())
	o.MaxTokens = -1
	fmt.Println(o.Validate())
	// Output:
	// <nil>
	// MaxTokens is -1; it is a number of tokens, or 0 for the provider's own limit
}

// A hand-written schema checks values, and says all that is wrong with one.
func ExampleParseSchema() {
	schema, err := llm.ParseSchema("window", json.RawMessage(`{"type":"object","required":["start"],
		"properties":{"start":{"type":"string"},"hours":{"type":"integer"}},"additionalProperties":false}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	err = schema.Validate(json.RawMessage(`{"Start":"2015-03-17","hours":"two"}`))
	if bad, ok := errors.AsType[*llm.SchemaError](err); ok {
		for _, problem := range bad.Problems {
			fmt.Println(problem)
		}
	}
	// Output:
	// start is required but missing
	// Start is unknown; did you mean "start"?
	// hours must be integer, not string
}

// Amounts are whole millionths of a dollar, so sums are exact.
func ExampleMicros() {
	limit := 50 * llm.Cent
	spent := llm.Micros(0)
	for range 3 {
		spent = spent.Add(llm.Price{Input: 3 * llm.Dollar}.Cost(llm.Usage{Input: 30_000}))
	}
	fmt.Println(spent, limit-spent, spent.Cents())
	fmt.Println(llm.Micros(0.05 * 1e6)) // of a flag in dollars
	// Output:
	// $0.27 $0.23 $0.27
	// $0.05
}

// Every token is in exactly one class.
func ExampleUsage() {
	first := llm.Usage{Input: 1200, CacheWrite: 8000, Output: 90}
	second := llm.Usage{Input: 150, CacheRead: 8000, Output: 60}
	both := first.Add(second)
	fmt.Printf("%+v %d\n", both, both.Total())
	// Output: {Input:1350 CacheRead:8000 CacheWrite:8000 Output:150} 17500
}
