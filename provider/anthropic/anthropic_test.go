package anthropic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/anthropic"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// model is one whose server is a wire.
func model(id string, w *llmtest.Wire, change ...func(*anthropic.Options)) *anthropic.Model {
	opts := &anthropic.Options{Key: "sk-ant-test-key", HTTP: w.Client()}
	for _, c := range change {
		c(opts)
	}
	return anthropic.New(id, opts)
}

// sse writes events, each a JSON object with a type, as the API does.
func sse(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		var typed struct{ Type string }
		if err := json.Unmarshal([]byte(e), &typed); err != nil {
			panic(fmt.Sprintf("%s: %v", e, err))
		}
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", typed.Type, e)
	}
	return b.String()
}

// a2 thinks, then calls f.
var a2 = sse(
	`{"type":"message_start","message":{"id":"msg_1","model":"claude-sonnet-5","usage":{"input_tokens":10,"cache_creation_input_tokens":3,"cache_read_input_tokens":5,"output_tokens":1}}}`,
	`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
	`{"type":"ping"}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm 🌞"}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"S1"}}`,
	`{"type":"content_block_stop","index":0}`,
	`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"tu_1","name":"f","input":{}}}`,
	`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}`,
	`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`,
	`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"1}"}}`,
	`{"type":"content_block_stop","index":1}`,
	`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":42}}`,
	`{"type":"message_stop"}`,
)

// says answers with a text.
func says(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return sse(
		`{"type":"message_start","message":{"id":"msg_2","usage":{"input_tokens":1,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":`+string(quoted)+`}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`,
		`{"type":"message_stop"}`,
	)
}

func hi() *llm.Request { return &llm.Request{Messages: []llm.Message{llm.User("hi")}} }

func TestAThoughtAndACallAreReadHoweverTheyCome(t *testing.T) {
	t.Parallel()
	for name, cut := range llmtest.Cuts() {
		for _, end := range []string{"\n", "\r\n", "\r"} {
			w := llmtest.NewWire(llmtest.SSE(llmtest.LineEnds(a2, end)).Cut(cut).To("POST", "/v1/messages"))
			m := model("claude-sonnet-5", w)
			resp, err := llm.Generate(t.Context(), m, hi())
			if err != nil {
				t.Fatalf("%s, %q: %v", name, end, err)
			}
			parts := resp.Message.Parts
			if len(parts) != 2 || parts[0].Text != "hm 🌞" || parts[0].Signature != "S1" || parts[0].Model != m.Name() ||
				parts[1].Call.ID != "tu_1" || parts[1].Call.Name != "f" || string(parts[1].Call.Args) != `{"a":1}` {
				t.Errorf("%s, %q: %+v", name, end, parts)
			}
			if want := (llm.Usage{Input: 10, CacheRead: 5, CacheWrite: 3, Output: 42}); resp.Usage != want || resp.Usage.Total() != 60 || resp.Finish != llm.FinishToolCalls {
				t.Errorf("%s, %q: %+v, %s; want %+v and tool calls", name, end, resp.Usage, resp.Finish, want)
			}
			if err := w.Done(); err != nil {
				t.Error(err)
			}
		}
	}
}

// However early a stream ends, it is an error, and no call is made.
func TestAStreamThatEndsEarlyIsAnError(t *testing.T) {
	t.Parallel()
	for n := range len(a2) - len("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n") + 1 {
		for _, reply := range []llmtest.Reply{llmtest.SSE(a2[:n]), llmtest.SSE(a2).Dropping(n)} {
			resp, err := llm.Generate(t.Context(), model("claude-sonnet-5", llmtest.NewWire(reply)), hi())
			if !errors.Is(err, llm.ErrTransient) || !errors.Is(err, io.ErrUnexpectedEOF) || len(resp.Message.Calls()) > 0 {
				t.Fatalf("cut after %d bytes: %v, %v", n, resp, err)
			}
		}
	}
}

func TestARequestIsWrittenAsTheAPIWantsIt(t *testing.T) {
	t.Parallel()
	w := llmtest.NewWire(llmtest.SSE(says("ok")))
	req := &llm.Request{
		System: []llm.Part{llm.Text("S")}, Messages: []llm.Message{llm.User("hi")},
		Tools:   []llm.ToolSpec{{Name: "f", Description: "d", Input: json.RawMessage(`{"type":"object","properties":{}}`)}},
		Options: llm.Options{MaxTokens: 1024, Thinking: llm.ThinkingNone},
	}
	if _, err := llm.Generate(t.Context(), model("claude-opus-5", w), req); err != nil {
		t.Fatal(err)
	}
	got := w.Requests()[0]
	if err := got.SameJSON(`{"model":"claude-opus-5","max_tokens":1024,"stream":true,
		"system":[{"type":"text","text":"S","cache_control":{"type":"ephemeral"}}],
		"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}],
		"tools":[{"name":"f","description":"d","input_schema":{"type":"object","properties":{}},"cache_control":{"type":"ephemeral"}}],
		"thinking":{"type":"disabled"}}`); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{"X-Api-Key": "sk-ant-test-key", "Anthropic-Version": anthropic.DefaultVersion, "Content-Type": "application/json"} {
		if v := got.Header.Get(name); v != want {
			t.Errorf("%s is %q, want %q", name, v, want)
		}
	}
}

// What was thought and called goes back as it came, and results stand together.
func TestATurnIsSentBackAsItCame(t *testing.T) {
	t.Parallel()
	w := llmtest.NewWire(llmtest.SSE(a2), llmtest.SSE(says("done")))
	m := model("claude-sonnet-5", w, func(o *anthropic.Options) { o.Cache = anthropic.CacheNone })
	resp, err := llm.Generate(t.Context(), m, hi())
	if err != nil {
		t.Fatal(err)
	}
	req := hi()
	req.Messages = append(req.Messages, resp.Message, llm.Message{Role: llm.RoleTool, Parts: []llm.Part{
		{Kind: llm.PartResult, Result: &llm.ToolResult{ID: "tu_1", Name: "f", IsError: true, Parts: []llm.Part{llm.Text("no")}}},
	}}, llm.User("go on"))
	if _, err := llm.Generate(t.Context(), m, req); err != nil {
		t.Fatal(err)
	}
	if err := w.Requests()[1].SameJSON(`{"model":"claude-sonnet-5","max_tokens":64000,"stream":true,"messages":[
		{"role":"user","content":[{"type":"text","text":"hi"}]},
		{"role":"assistant","content":[{"type":"thinking","thinking":"hm 🌞","signature":"S1"},{"type":"tool_use","id":"tu_1","name":"f","input":{"a":1}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"tu_1","is_error":true,"content":[{"type":"text","text":"no"}]},{"type":"text","text":"go on"}]}]}`); err != nil {
		t.Error(err)
	}
}

func TestAPausedTurnIsOneStream(t *testing.T) {
	t.Parallel()
	paused := sse(
		`{"type":"message_start","message":{"usage":{"input_tokens":7,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"st_1","name":"web_search","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"st_1","content":[{"encrypted_content":"ENC==","novel":1}]}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{"output_tokens":5}}`,
		`{"type":"message_stop"}`,
	)
	w := llmtest.NewWire(llmtest.SSE(paused), llmtest.SSE(says("found")))
	m := model("claude-sonnet-4-6", w, func(o *anthropic.Options) { o.WebSearch, o.Cache = true, anthropic.CacheNone })
	req := hi()
	req.Tools, req.Choice = []llm.ToolSpec{{Name: "f"}}, llm.ToolChoice{Mode: llm.ChoiceAny}
	resp, err := llm.Generate(t.Context(), m, req)
	if err != nil || resp.Text() != "found" || len(resp.Message.Parts) != 3 || resp.Usage != (llm.Usage{Input: 8, Output: 7}) {
		t.Fatalf("%+v, %v", resp, err)
	}
	var second struct {
		Choice   any `json:"tool_choice"`
		Messages []json.RawMessage
	}
	if err := w.Requests()[1].JSON(&second); err != nil {
		t.Fatal(err)
	}
	last := string(second.Messages[len(second.Messages)-1])
	if second.Choice != nil || !strings.Contains(last, `"encrypted_content":"ENC==","novel":1`) || !strings.Contains(last, `"input":{"query":"x"}`) {
		t.Errorf("the turn is taken up with %s, and the choice %v", last, second.Choice)
	}
}

func before(stream, event string) string {
	head, _, _ := strings.Cut(stream, event)
	return head
}

func TestAnErrorInTheStreamIsToldByItsType(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]error{"overloaded_error": llm.ErrTransient, "invalid_request_error": llm.ErrInvalidRequest} {
		w := llmtest.NewWire(llmtest.SSE(before(says("half"), "event: content_block_stop") + sse(`{"type":"error","error":{"type":"`+kind+`","message":"Overloaded"}}`)))
		_, err := llm.Generate(t.Context(), model("claude-sonnet-5", w), hi())
		if !errors.Is(err, want) || !strings.Contains(err.Error(), "Overloaded") {
			t.Errorf("%s: %v, want %v", kind, err, want)
		}
	}
}
