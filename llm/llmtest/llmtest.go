// Package llmtest stands in for models and their servers in tests: no network, no
// key, the same answer every time.
//
// For tests of whatever calls a model there are models that answer from a script:
//
//	model := llmtest.New(
//		llmtest.Call("weather", `{"City":"Toulouse"}`),
//		llmtest.Text("It is 22 C."),
//	)
//	res, err := agent.Agent{Model: model, Tools: tools}.Run(ctx, "Is it warm?")
//	fmt.Println(len(model.Requests())) // 2
//
// Each request takes the next turn of the script; a request beyond the last one
// is an error that says so. [Func] computes each turn from the request instead.
// Turns can be given usage, delays and failures, so that limits, timeouts,
// retries and interrupts can be tested; with testing/synctest the delays cost no
// time.
//
// [Cassette] records what a real model answered, once, in a file that can be
// reviewed, and plays it from then on; a request that has changed fails the test and
// says where. For tests of what speaks to a provider's server, a [Wire] plays raw
// HTTP responses, cut into any pieces.
package llmtest

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/helios-go/helios/llm"
)

// A Model is a scripted [llm.Model] that records its requests. It is safe for
// concurrent use. Change the exported fields only before its first use.
type Model struct {
	// ID is what Name returns; "" is "test/scripted".
	ID string
	// Window is what Size returns.
	Window llm.Size

	mu       sync.Mutex
	turns    []Turn
	next     func(*llm.Request) Turn
	used     int
	requests []*llm.Request
}

// New returns a model that plays the turns in order.
func New(turns ...Turn) *Model { return &Model{turns: turns} }

// Func returns a model that asks fn for each turn. Calls of fn do not overlap.
func Func(fn func(*llm.Request) Turn) *Model { return &Model{next: fn} }

// Name returns ID or its default.
func (m *Model) Name() string {
	if m.ID != "" {
		return m.ID
	}
	return "test/scripted"
}

// Size returns Window.
func (m *Model) Size() llm.Size { return m.Window }

// Requests returns the requests seen so far. Each is a copy of its own, but the
// parts of its messages are shared with the caller: read only.
func (m *Model) Requests() []*llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*llm.Request(nil), m.requests...)
}

// Done is an error unless exactly the turns of the script were asked for: none is
// left and no request came beyond them. It tells both counts. A model of [Func] is
// always done.
func (m *Model) Done() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next != nil || len(m.requests) == len(m.turns) {
		return nil
	}
	return fmt.Errorf("llmtest: %d turns scripted, %d requested", len(m.turns), len(m.requests))
}

// Left is how many turns of the script have not been played.
func (m *Model) Left() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.turns) - m.used
}

// Stream plays the next turn.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		turn, err := m.take(req)
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		turn.play(ctx, yield)
	}
}

func (m *Model) take(req *llm.Request) (Turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	copied := *req
	copied.Messages = append([]llm.Message(nil), req.Messages...)
	m.requests = append(m.requests, &copied)
	if m.next != nil {
		return m.next(req), nil
	}
	if m.used >= len(m.turns) {
		return Turn{}, fmt.Errorf("llmtest: %d turns scripted, %d requested", len(m.turns), len(m.requests))
	}
	m.used++
	return m.turns[m.used-1], nil
}
