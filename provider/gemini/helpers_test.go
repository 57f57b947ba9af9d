package gemini_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/gemini"
)

const testKey = "AIza-test-key-0123456789"

// events is a stream of these events, each under the name that its type says, and
// the last line that the API sends.
func events(data ...string) string { return bare(data...) + "event: done\ndata: [DONE]\n\n" }

// bare is a stream without the last line.
func bare(data ...string) string {
	var b strings.Builder
	for _, d := range data {
		var e struct {
			Type string `json:"event_type"`
		}
		_ = json.Unmarshal([]byte(d), &e) // what is no event has no name
		if e.Type != "" {
			b.WriteString("event: " + e.Type + "\n")
		}
		b.WriteString("data: " + d + "\n\n")
	}
	return b.String()
}

// Events of streams, for the tests to put together.
const (
	created   = `{"event_type":"interaction.created","interaction":{"id":"int_1","status":"in_progress"},"event_id":"e0"}`
	completed = `{"event_type":"interaction.completed","interaction":{"id":"int_1","status":"completed","usage":{"total_input_tokens":10,"total_output_tokens":4,"total_cached_tokens":2}}}`
	action    = `{"event_type":"interaction.completed","interaction":{"id":"int_1","status":"requires_action","usage":{"total_input_tokens":10,"total_output_tokens":4,"total_cached_tokens":2}}}`
)

// thoughtAndCall is an answer that thinks and then calls a tool.
var thoughtAndCall = events(created,
	`{"event_type":"step.start","index":0,"step":{"type":"thought"}}`,
	`{"event_type":"step.delta","index":0,"delta":{"type":"thought_summary","content":{"type":"text","text":"pondering"}}}`,
	`{"event_type":"step.delta","index":0,"delta":{"type":"thought_signature","signature":"SIG"}}`,
	`{"event_type":"step.stop","index":0}`,
	`{"event_type":"step.start","index":1,"step":{"type":"function_call","id":"c1","name":"f","arguments":{}}}`,
	`{"event_type":"step.delta","index":1,"delta":{"type":"arguments_delta","arguments":"{\"a\":"}}`,
	`{"event_type":"step.delta","index":1,"delta":{"type":"arguments_delta","arguments":"1}"}}`,
	`{"event_type":"step.stop","index":1}`,
	action)

// saying is an answer of one text.
func saying(text string) string {
	quoted, _ := json.Marshal(text) // a text can be quoted
	return events(created,
		`{"event_type":"step.start","index":0,"step":{"type":"model_output"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":`+string(quoted)+`}}`,
		`{"event_type":"step.stop","index":0}`,
		completed)
}

// on is a model that asks a wire.
func on(w *llmtest.Wire, o *gemini.Options) *gemini.Model {
	if o == nil {
		o = &gemini.Options{}
	}
	o.HTTP = w.Client()
	if o.Key == "" && o.BaseURL == "" {
		o.Key = testKey
	}
	return gemini.New("gemini-3.8-flash", o)
}

// answer is what a model says to a request over one stream.
func answer(t *testing.T, stream string, o *gemini.Options, req *llm.Request) (*llm.Response, error) {
	t.Helper()
	wire := llmtest.NewWire(llmtest.SSE(stream))
	resp, err := llm.Generate(context.Background(), on(wire, o), req)
	if bad := wire.Done(); bad != nil {
		t.Fatal(bad)
	}
	return resp, err
}

// must is answer without an error.
func must(t *testing.T, stream string, o *gemini.Options, req *llm.Request) *llm.Response {
	t.Helper()
	resp, err := answer(t, stream, o, req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// sent is the request that comes of llm's.
func sent(t *testing.T, o *gemini.Options, req *llm.Request) *llmtest.WireRequest {
	t.Helper()
	wire := llmtest.NewWire(llmtest.SSE(saying("ok")))
	if _, err := llm.Generate(context.Background(), on(wire, o), req); err != nil {
		t.Fatal(err)
	}
	return wire.Requests()[0]
}

// refused is the error of a request that never leaves.
func refused(t *testing.T, o *gemini.Options, req *llm.Request) error {
	t.Helper()
	wire := llmtest.NewWire()
	_, err := llm.Generate(context.Background(), on(wire, o), req)
	if n := len(wire.Requests()); n != 0 {
		t.Fatalf("%d requests were sent, want none", n)
	}
	if !errors.Is(err, llm.ErrInvalidRequest) {
		t.Fatalf("error %v, want one that matches ErrInvalidRequest", err)
	}
	return err
}

func ask(text string) *llm.Request { return &llm.Request{Messages: []llm.Message{llm.User(text)}} }

func with(req *llm.Request, change func(*llm.Request)) *llm.Request {
	change(req)
	return req
}

// tools are f and g, which take what they are given.
func tools(names ...string) []llm.ToolSpec {
	var specs []llm.ToolSpec
	for _, n := range names {
		specs = append(specs, llm.ToolSpec{Name: n, Description: "does " + n, Input: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}}}`)})
	}
	return specs
}

// results are the results of calls, in one message.
func results(r ...llm.ToolResult) llm.Message {
	m := llm.Message{Role: llm.RoleTool}
	for i := range r {
		m.Parts = append(m.Parts, llm.Part{Kind: llm.PartResult, Result: &r[i]})
	}
	return m
}

func result(id, name, text string) llm.ToolResult {
	return llm.ToolResult{ID: id, Name: name, Parts: []llm.Part{llm.Text(text)}}
}

// printed is values in all the ways in which they end up in a log.
func printed(values ...any) []string {
	var out []string
	for _, v := range values {
		var b strings.Builder
		slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "v", v)
		slog.New(slog.NewTextHandler(&b, nil)).Info("x", "v", v)
		out = append(out, fmt.Sprintf("%v %+v %#v %s", v, v, v, v), b.String())
	}
	return out
}
