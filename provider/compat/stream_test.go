package compat_test

import (
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/compat"
)

// events is a stream of these data, ended as OpenAI ends it.
func events(data ...string) string {
	return "data: " + strings.Join(append(data, "[DONE]"), "\n\ndata: ") + "\n\n"
}

// ask sends a question to a server that answers with a stream.
func ask(t *testing.T, d *compat.Dialect, reply llmtest.Reply, req *llm.Request) (*llm.Response, *llmtest.Wire, error) {
	t.Helper()
	wire := llmtest.NewWire(reply)
	model := d.New("m", &compat.Options{HTTP: wire.Client(), Key: "test-key", BaseURL: "http://server.example/v1"})
	if req == nil {
		req = &llm.Request{Messages: []llm.Message{llm.User("hi")}}
	}
	resp, err := llm.Generate(t.Context(), model, req)
	return resp, wire, err
}

func dialect(t *testing.T, name string) *compat.Dialect {
	t.Helper()
	d, ok := compat.Lookup(name)
	if !ok {
		t.Fatalf("there is no dialect %q", name)
	}
	return &d
}

func TestTextAndTwoCallsAreRead(t *testing.T) {
	t.Parallel()
	stream := events(
		`{"id":"c1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
		`{"id":"c1","choices":[{"index":0,"delta":{"content":"Let me look. 🦀"},"finish_reason":null}]}`,
		`{"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"weather","arguments":""}}]}}]}`,
		`{"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":"}}]}}]}`,
		`{"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"Toulouse\"}"}}]}}]}`,
		`{"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Kiruna\"}"}}]}}]}`,
		`{"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
		`{"id":"c1","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,"total_tokens":107,"prompt_tokens_details":{"cached_tokens":40}}}`,
	)
	resp, _, err := ask(t, dialect(t, "openai-chat"), llmtest.SSE(stream), nil)
	if err != nil {
		t.Fatal(err)
	}
	calls := resp.Message.Calls()
	if resp.Text() != "Let me look. 🦀" || len(calls) != 2 || resp.Finish != llm.FinishToolCalls {
		t.Fatalf("%+v", resp)
	}
	for i, want := range []llm.ToolCall{{ID: "call_a", Name: "weather", Args: []byte(`{"city":"Toulouse"}`)}, {ID: "call_b", Name: "weather", Args: []byte(`{"city":"Kiruna"}`)}} {
		if got := calls[i]; got.ID != want.ID || got.Name != want.Name || string(got.Args) != string(want.Args) {
			t.Errorf("call %d is %s, want %s", i, got, want)
		}
	}
	if want := (llm.Usage{Input: 60, CacheRead: 40, Output: 7}); resp.Usage != want {
		t.Errorf("usage %+v, want %+v", resp.Usage, want)
	}
}
