package anthropic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/anthropic"
)

// told is what a stream of these events comes to.
func told(t *testing.T, events ...string) (*llm.Response, error) {
	t.Helper()
	return llm.Generate(t.Context(), model("claude-opus-5", llmtest.NewWire(llmtest.SSE(sse(events...)))), hi())
}

const (
	begins = `{"type":"message_start","message":{"id":"msg_3","model":"claude-opus-5","usage":{"input_tokens":1,"output_tokens":1}}}`
	stops  = `{"type":"message_stop"}`
)

func ends(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":2}}`
}

// Text that belongs nowhere is lost, and an answer that has lost text is none.
func TestAStreamThatDoesNotHoldTogetherIsAnError(t *testing.T) {
	t.Parallel()
	text := func(index string) string {
		return `{"type":"content_block_start","index":` + index + `,"content_block":{"type":"text","text":""}}`
	}
	for name, events := range map[string][]string{
		"more of a block that never began": {begins, `{"type":"content_block_delta","index":0,"delta":{"text":"lost"}}`},
		"more of a block that has ended":   {begins, text("0"), `{"type":"content_block_stop","index":0}`, `{"type":"content_block_delta","index":0,"delta":{"text":"late"}}`},
		"a block that begins twice":        {begins, text("0"), text("0")},
		"a block that begins too late":     {begins, text("1"), text("0")},
		"a block before the first":         {begins, text("-1")},
		"a call that is no object":         {begins, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":7}}`},
	} {
		resp, err := told(t, append(events, ends("end_turn"), stops)...)
		if !errors.Is(err, llm.ErrTransient) || !strings.Contains(err.Error(), "an event that cannot be read") {
			t.Errorf("%s: %v, %v", name, resp, err)
		}
	}
	for _, stream := range []string{"data: {\n\n", "data: 7\n\n", "data: {}{}\n\n", "event: message_stop\ndata: {\"type\":\"message_stop\"\n\n"} {
		if resp, err := llm.Generate(t.Context(), model("claude-opus-5", llmtest.NewWire(llmtest.SSE(stream))), hi()); !errors.Is(err, llm.ErrTransient) {
			t.Errorf("%q: %v, %v", stream, resp, err)
		}
	}
}

// Servers that are alike, and what stands before them, leave things out and add
// some.
func TestStreamsOfOtherServers(t *testing.T) {
	t.Parallel()
	at := func(o *anthropic.Options) { o.BaseURL = "https://llm.acme.example" }
	unnamed := strings.ReplaceAll(strings.Join(strings.Split(says("hi there"), "event: "), ""), "message_stop\n", "\n")
	for name, stream := range map[string]string{
		"no names of events":   onlyData(says("hi there")),
		"comments":             ": ping\n\n" + strings.ReplaceAll(says("hi there"), "\n\n", "\n\n: keep-alive\n\n"),
		"no blank behind data": strings.ReplaceAll(says("hi there"), "data: ", "data:"),
		"[DONE] too":           strings.Replace(says("hi there"), "event: message_stop", "data: [DONE]\n\nevent: message_stop", 1),
		"wrong names":          strings.ReplaceAll(says("hi there"), "event: content_block_delta", "event: message"),
		"no last line":         strings.TrimRight(says("hi there"), "\n"),
		"names that are lines": unnamed,
	} {
		resp, err := llm.Generate(t.Context(), model("other", llmtest.NewWire(llmtest.SSE(stream)), at), hi())
		if err != nil || resp.Text() != "hi there" {
			t.Errorf("%s: %v, %v", name, resp, err)
		}
	}
	whole := `{"id":"msg_4","type":"message","role":"assistant","model":"other","content":[{"type":"text","text":"hi there","citations":[{"url":"u"}]},
		{"type":"tool_use","id":"t","name":"f","input":{"a":1}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}`
	resp, err := llm.Generate(t.Context(), model("other", llmtest.NewWire(llmtest.JSON(200, whole)), at), hi())
	if err != nil || resp.Text() != "hi there" || resp.Finish != llm.FinishToolCalls || string(resp.Message.Calls()[0].Args) != `{"a":1}` ||
		resp.Usage != (llm.Usage{Input: 3, Output: 4}) || string(resp.Message.Parts[0].Opaque.Data) != `{"citations":[{"url":"u"}]}` {
		t.Errorf("an answer in one piece: %+v, %v", resp, err)
	}
	for _, failed := range []string{`{"error":{"message":"quota","code":502}}`, `{"type":"error","error":{"type":"api_error","message":"quota"}}`} {
		for _, reply := range []llmtest.Reply{llmtest.JSON(200, failed), llmtest.SSE("data: " + failed + "\n\n"), llmtest.SSE("event: error\ndata: " + failed + "\n\n")} {
			if _, err := llm.Generate(t.Context(), model("other", llmtest.NewWire(reply), at), hi()); !errors.Is(err, llm.ErrTransient) || !strings.Contains(err.Error(), "quota") {
				t.Errorf("%s: %v", failed, err)
			}
		}
	}
}

// An error is told in the server's words, whatever they are.
func TestAnErrorThatIsNoJSONIsToldToo(t *testing.T) {
	t.Parallel()
	_, err := llm.Generate(t.Context(), model("claude-opus-5", llmtest.NewWire(llmtest.SSE("event: error\ndata: upstream is gone\n\n"))), hi())
	if err == nil || !strings.Contains(err.Error(), "upstream is gone") {
		t.Errorf("%v", err)
	}
}

// onlyData leaves the lines with the names of events out.
func onlyData(stream string) string {
	var b strings.Builder
	for line := range strings.Lines(stream) {
		if !strings.HasPrefix(line, "event:") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// What a server's tool was asked and has found, and what a text cites, is kept as it
// came and goes back so.
func TestWhatIsCitedAndSearchedComesBackAsItCame(t *testing.T) {
	t.Parallel()
	w := llmtest.NewWire(llmtest.SSE(sse(
		begins,
		`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"st","name":"web_fetch","input":{},"caller":{"type":"direct"}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"url\":"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\"a<b>&\"}"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"web_fetch_tool_result","tool_use_id":"st","content":{"url":"a<b>&","encrypted":"\u00e9=="}}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":"","citations":[]}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"citations_delta","citation":{"type":"web","cited_text":"<x>"}}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"so it is"}}`,
		`{"type":"content_block_stop","index":2}`,
		`{"type":"content_block_start","index":3,"content_block":{"type":"redacted_thinking","data":"R=="}}`,
		`{"type":"content_block_stop","index":3}`,
		`{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"tu","name":"f","input":{},"caller":{"type":"code_execution_20260521","tool_id":"st"}}}`,
		`{"type":"content_block_stop","index":4}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use","container":{"id":"cont_1"}},"usage":{"output_tokens":2,"output_tokens_details":{"thinking_tokens":1},"server_tool_use":{"web_fetch_requests":1}}}`,
		stops,
	)), llmtest.SSE(says("done")))
	m := model("claude-opus-5", w, func(o *anthropic.Options) { o.Cache = anthropic.CacheNone })
	resp, err := llm.Generate(t.Context(), m, hi())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"msg_3","model":"claude-opus-5","stop_reason":"tool_use","container":{"id":"cont_1"},"thinking_tokens":1,"server_tool_use":{"web_fetch_requests":1}}`
	if string(resp.Meta) != want {
		t.Errorf("the metadata are %s, want %s", resp.Meta, want)
	}
	var stored bytes.Buffer
	enc := json.NewEncoder(&stored)
	enc.SetEscapeHTML(false)
	var back llm.Message
	if err := errors.Join(enc.Encode(resp.Message), json.NewDecoder(&stored).Decode(&back)); err != nil {
		t.Fatal(err)
	}
	req := hi()
	req.Messages = append(req.Messages, back, llm.Message{Role: llm.RoleTool, Parts: []llm.Part{{Kind: llm.PartResult, Result: &llm.ToolResult{ID: "tu", Name: "f"}}}})
	if _, err := llm.Generate(t.Context(), m, req); err != nil {
		t.Fatal(err)
	}
	for _, block := range []string{
		`{"type":"server_tool_use","id":"st","name":"web_fetch","caller":{"type":"direct"},"input":{"url":"a<b>&"}}`,
		`{"type":"web_fetch_tool_result","tool_use_id":"st","content":{"url":"a<b>&","encrypted":"\u00e9=="}}`,
		`{"type":"text","text":"so it is","citations":[{"type":"web","cited_text":"<x>"}]}`,
		`{"type":"redacted_thinking","data":"R=="}`,
		`{"type":"tool_use","id":"tu","name":"f","input":{},"caller":{"type":"code_execution_20260521","tool_id":"st"}}`,
	} {
		if body := string(w.Requests()[1].Body); !strings.Contains(body, block) {
			t.Errorf("%s is not in %s", block, body)
		}
	}
}

// A turn that was paused with calls of the caller's tools in it goes on with their
// results, and with nothing else.
func TestAPauseWithCallsIsForTheCaller(t *testing.T) {
	t.Parallel()
	w := llmtest.NewWire(llmtest.SSE(strings.Replace(a2, `"stop_reason":"tool_use"`, `"stop_reason":"pause_turn"`, 1)))
	resp, err := llm.Generate(t.Context(), model("claude-opus-5", w), hi())
	if err != nil || resp.Finish != llm.FinishToolCalls || w.Done() != nil {
		t.Errorf("%v, %v, %v", resp, err, w.Done())
	}
}

// Where code has run has to be named when the turn is taken up again.
func TestAPausedTurnStaysInItsContainer(t *testing.T) {
	t.Parallel()
	paused := strings.Replace(says("."), `"stop_reason":"end_turn"`, `"stop_reason":"pause_turn","container":{"id":"cont_1","expires_at":"2026-12-01T00:00:00Z"}`, 1)
	w := llmtest.NewWire(llmtest.SSE(paused), llmtest.SSE(says("!")))
	req := hi()
	req.Tools, req.Choice = []llm.ToolSpec{{Name: "f"}}, llm.ToolChoice{Mode: llm.ChoiceNone}
	resp, err := llm.Generate(t.Context(), model("claude-opus-5", w), req)
	if err != nil || resp.Text() != ".!" || !strings.Contains(string(resp.Meta), `"pauses":1`) {
		t.Fatalf("%v, %v", resp, err)
	}
	var first, second struct {
		Container string
		Choice    map[string]string `json:"tool_choice"`
	}
	if err := errors.Join(w.Requests()[0].JSON(&first), w.Requests()[1].JSON(&second)); err != nil {
		t.Fatal(err)
	}
	if first.Container != "" || second.Container != "cont_1" || second.Choice["type"] != "none" {
		t.Errorf("%+v, then %+v", first, second)
	}
}

// A segment that breaks off is an error whatever came before it.
func TestAPausedTurnThatBreaksOffIsAnError(t *testing.T) {
	t.Parallel()
	paused := strings.Replace(says("half"), "end_turn", "pause_turn", 1)
	for _, second := range []llmtest.Reply{llmtest.SSE(begins[:20]), llmtest.SSE(says("x")).Dropping(300), llmtest.SSE("")} {
		resp, err := llm.Generate(t.Context(), model("claude-opus-5", llmtest.NewWire(llmtest.SSE(paused), second)), hi())
		if !errors.Is(err, llm.ErrTransient) || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(resp.Text(), "half") {
			t.Errorf("%v, %v", resp, err)
		}
	}
}

// Some gateways count in UTF-16 and cut a character in two.
func TestHalvesOfACharacterArePutTogether(t *testing.T) {
	t.Parallel()
	piece := func(index, field, text string) string {
		return `{"type":"content_block_delta","index":` + index + `,"delta":{"` + field + `":"` + text + `"}}`
	}
	resp, err := told(
		t, begins,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		piece("0", "text", `a\ud83e`), piece("0", "text", `\udd80b`),
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}`,
		piece("1", "partial_json", `{\"x\":\"\ud83e`), piece("1", "partial_json", `\udd80\"}`),
		ends("tool_use"), stops,
	)
	if err != nil || resp.Text() != "a🦀b" || string(resp.Message.Calls()[0].Args) != `{"x":"🦀"}` {
		t.Errorf("%q, %v, %v", resp.Text(), resp, err)
	}
}

// One event may be long, and one that is too long is told with the setting that
// allows it.
func TestAnEventMayBeLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 4<<20/16)
	stream := strings.Replace(a2, `{\"a\":`, `{\"long\":\"`+long+`\",\"a\":`, 1)
	resp, err := llm.Generate(t.Context(), model("claude-opus-5", llmtest.NewWire(llmtest.SSE(stream))), hi())
	if err != nil || len(resp.Message.Calls()[0].Args) != len(long)+len(`{"long":"","a":1}`) {
		t.Errorf("4 MiB of arguments: %v", err)
	}
	small := func(o *anthropic.Options) { o.MaxEvent = 1 << 20 }
	if _, err := llm.Generate(t.Context(), model("claude-opus-5", llmtest.NewWire(llmtest.SSE(stream)), small), hi()); err == nil || !strings.Contains(err.Error(), "Options.MaxEvent") {
		t.Errorf("more than the limit: %v", err)
	}
}

// Nothing is sent twice: a request that was refused, or broke off, is its caller's to
// repeat.
func TestNothingIsRetried(t *testing.T) {
	t.Parallel()
	long := llmtest.JSON(500, `{"type":"error","error":{"type":"api_error","message":"`+strings.Repeat("x", 70<<10)+`"}}`)
	for name, reply := range map[string]llmtest.Reply{
		"refused": llmtest.JSON(529, `{}`), "broken off": llmtest.SSE(a2).Dropping(200), "never answered": llmtest.SSE("").Unanswered(), "a long refusal": long,
	} {
		w := llmtest.NewWire(reply)
		_, err := llm.Generate(t.Context(), model("claude-opus-5", w), hi())
		if !errors.Is(err, llm.ErrTransient) || w.Done() != nil {
			t.Errorf("%s: %v, %v", name, err, w.Done())
		}
		if name == "a long refusal" && (len(err.Error()) > 66<<10 || !strings.HasSuffix(err.Error(), "[truncated: error body exceeded 65536 bytes]")) {
			t.Errorf("%d bytes of error, %q at its end", len(err.Error()), err.Error()[len(err.Error())-60:])
		}
	}
}

// The end alone does not say that all was there: the event before it tells why the
// model stopped, and a call is made with all of its arguments or not at all.
func TestAnEndWithoutAReasonIsACut(t *testing.T) {
	t.Parallel()
	call := `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"move","input":{}}}`
	for name, events := range map[string][]string{
		"nothing at all":            {begins, stops},
		"no reason":                 {begins, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"half"}}`, `{"type":"content_block_stop","index":0}`, stops},
		"a call without its end":    {begins, call, ends("tool_use"), stops},
		"a call with half its args": {begins, call, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"to\":"}}`, ends("tool_use"), stops},
	} {
		if resp, err := told(t, events...); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v, %v; want a stream that was cut", name, resp, err)
		}
	}
}
