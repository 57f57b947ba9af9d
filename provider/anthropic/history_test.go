package anthropic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/anthropic"
)

func uncached(o *anthropic.Options) { o.Cache = anthropic.CacheNone }

func callOf(id, name, args string) llm.Part {
	return llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}}
}

func resultOf(id string, parts ...llm.Part) llm.Part {
	return llm.Part{Kind: llm.PartResult, Result: &llm.ToolResult{ID: id, Name: "f", Parts: parts}}
}

func answer(parts ...llm.Part) llm.Message { return llm.Message{Role: llm.RoleAssistant, Parts: parts} }
func results(parts ...llm.Part) llm.Message {
	return llm.Message{Role: llm.RoleTool, Parts: parts}
}

func opaque(model, data string) llm.Part {
	provider, _, _ := strings.Cut(model, "/")
	return llm.Part{Kind: llm.PartOpaque, Model: model, Opaque: &llm.Opaque{Provider: provider, Data: json.RawMessage(data)}}
}

func thought(model, text, signature string) llm.Part {
	return llm.Part{Kind: llm.PartThinking, Text: text, Signature: signature, Model: model}
}

// sent is what becomes of a history, without marks.
func sent(t *testing.T, id string, messages ...llm.Message) string {
	t.Helper()
	return asJSON(t, body(t, id, &llm.Request{Messages: messages}, uncached)["messages"])
}

// A conversation that other providers have had is gone on with: their thoughts and
// blocks are left out, their calls and what was said stay.
func TestAConversationMovesHere(t *testing.T) {
	t.Parallel()
	signed := callOf("call|1", "admin.list", `{"a":1}`)
	signed.Signature, signed.Model = "gemini-signature", "gemini/gemini-3.8-flash"
	said := llm.Part{Kind: llm.PartText, Text: "Let me see.", Model: "openai/gpt-6.1-sol", Opaque: &llm.Opaque{Provider: "openai", Data: json.RawMessage(`{"id":"msg_1","phase":"commentary"}`)}}
	image, err := llm.NewMedia("image/webp", []byte("RIFF"), "")
	if err != nil {
		t.Fatal(err)
	}
	film, err := llm.NewFile("https://generativelanguage.googleapis.com/v1beta/files/abc", "video/mp4", "")
	if err != nil {
		t.Fatal(err)
	}
	got := sent(t, "claude-sonnet-5",
		llm.User("Look", film),
		answer(thought("gemini/gemini-3.8-flash", "hm", "SIG"), opaque("openai/gpt-6.1-sol", `{"type":"reasoning","id":"rs_1"}`), said, signed, callOf("", "f", `{"half`)),
		results(resultOf("call|1", llm.Text("fine"), image), resultOf("", llm.Text(""))),
		answer(thought("", "unsigned", "")),
		llm.User("And?"),
	)
	want := `[{"content":[{"text":"[video/mp4 at https:... was here]","type":"text"},{"text":"Look","type":"text"}],"role":"user"},` +
		`{"content":[{"text":"Let me see.","type":"text"},{"id":"ID1","input":{"a":1},"name":"admin_list","type":"tool_use"},{"id":"ID2","input":{"invalid_arguments":"{\"half"},"name":"f","type":"tool_use"}],"role":"assistant"},` +
		`{"content":[{"content":[{"text":"fine","type":"text"},{"source":{"data":"UklGRg==","media_type":"image/webp","type":"base64"},"type":"image"}],"tool_use_id":"ID1","type":"tool_result"},` +
		`{"tool_use_id":"ID2","type":"tool_result"},{"text":"And?","type":"text"}],"role":"user"}]`
	var messages []struct{ Content []struct{ ID string } }
	if err := json.Unmarshal([]byte(got), &messages); err != nil || len(messages) != 3 || len(messages[1].Content) != 3 {
		t.Fatalf("%v: %s", err, got)
	}
	for i, b := range messages[1].Content[1:] {
		if b.ID == "" || strings.Trim(b.ID, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
			t.Errorf("%q is no id that the API takes", b.ID)
		}
		got = strings.ReplaceAll(got, b.ID, fmt.Sprintf("ID%d", i+1))
	}
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Results come first behind their calls, whoever speaks in between.
func TestResultsStandInFront(t *testing.T) {
	t.Parallel()
	got := sent(t, "claude-opus-5", llm.User("go"), answer(callOf("a", "f", "{}"), callOf("b", "f", "{}")),
		results(resultOf("a")), llm.User("wait"), results(resultOf("b")), llm.User(" \n"))
	want := `[{"tool_use_id":"a","type":"tool_result"},{"tool_use_id":"b","type":"tool_result"},{"text":"wait","type":"text"}]`
	if !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// An answer that was cut off while the model thought does not end in its thought.
func TestNoAnswerOfThePastEndsInAThought(t *testing.T) {
	t.Parallel()
	const me = "anthropic/claude-opus-5"
	got := sent(t, "claude-opus-5", llm.User("go"), answer(thought(me, "a", "S"), llm.Text("said"), thought(me, "b", "T"), opaque(me, `{"type":"redacted_thinking","data":"R"}`)),
		llm.User("on"), answer(thought(me, "c", "U")), llm.User("well?"))
	want := `[{"content":[{"text":"go","type":"text"}],"role":"user"},{"content":[{"signature":"S","thinking":"a","type":"thinking"},{"text":"said","type":"text"}],"role":"assistant"},` +
		`{"content":[{"text":"on","type":"text"},{"text":"well?","type":"text"}],"role":"user"}]`
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// What the API's own tools were asked stays while it can be answered.
func TestWhatWasAskedHasItsAnswer(t *testing.T) {
	t.Parallel()
	const me = "anthropic/claude-opus-5"
	runs := opaque(me, `{"type":"server_tool_use","id":"s1","name":"code_execution","input":{}}`)
	ran := opaque(me, `{"type":"code_execution_tool_result","tool_use_id":"s1","content":{}}`)
	other := opaque(me, `{"type":"container_upload","id":"u","file_id":"file_1"}`)
	for name, tt := range map[string]struct {
		messages []llm.Message
		asked    int
		answered int
	}{
		"broken off":                {[]llm.Message{llm.User("go"), answer(llm.Text("x"), runs), llm.User("on")}, 0, 0},
		"answered in a later turn":  {[]llm.Message{llm.User("go"), answer(runs, callOf("c", "f", "")), results(resultOf("c")), answer(ran, llm.Text("x")), llm.User("on")}, 1, 1},
		"waiting for a result":      {[]llm.Message{llm.User("go"), answer(runs, callOf("c", "f", "")), results(resultOf("c"))}, 1, 0},
		"an answer without its ask": {[]llm.Message{llm.User("go"), answer(llm.Text("x"), ran, other), llm.User("on")}, 0, 0},
	} {
		got := sent(t, "claude-opus-5", tt.messages...)
		if asked, answered := strings.Count(got, `"server_tool_use"`), strings.Count(got, `"code_execution_tool_result"`); asked != tt.asked || answered != tt.answered {
			t.Errorf("%s: %d asked and %d answered, want %d and %d: %s", name, asked, answered, tt.asked, tt.answered, got)
		}
		if name == "an answer without its ask" && !strings.Contains(got, "container_upload") {
			t.Errorf("a block that asks for nothing is gone: %s", got)
		}
	}
}

// In a turn with a budget the model thinks once, in front of its first calls.
func TestABudgetLastsForTheWholeTurn(t *testing.T) {
	t.Parallel()
	const me = "anthropic/claude-sonnet-4-6"
	first, second := answer(thought(me, "hm", "S"), callOf("a", "f", "")), answer(callOf("b", "f", ""))
	foreign := answer(llm.Text("well"), callOf("a", "f", ""))
	redacted := answer(opaque(me, `{"type":"redacted_thinking","data":"R"}`), callOf("a", "f", ""))
	for name, tt := range map[string]struct {
		thinks   bool
		messages []llm.Message
	}{
		"calls without another thought": {true, []llm.Message{first, results(resultOf("a")), second, results(resultOf("b"))}},
		"a thought that is kept back":   {true, []llm.Message{redacted, results(resultOf("a"))}},
		"another model's beginning":     {false, []llm.Message{foreign, results(resultOf("a")), second, results(resultOf("b"))}},
		"a word to its results":         {false, []llm.Message{foreign, results(resultOf("a")), llm.User("and be quick")}},
		"a new turn behind it":          {true, []llm.Message{foreign, results(resultOf("a")), llm.Assistant("done"), llm.User("more")}},
	} {
		req := &llm.Request{Messages: append([]llm.Message{llm.User("go")}, tt.messages...), Options: llm.Options{Thinking: llm.ThinkingLow}}
		if got := body(t, "claude-sonnet-4-6", req)["thinking"]; (got != nil) != tt.thinks {
			t.Errorf("%s: thinking is %v", name, got)
		}
	}
	forced := with(func(r *llm.Request) {
		r.Tools, r.Choice, r.Options.Thinking = []llm.ToolSpec{{Name: "f"}}, llm.ToolChoice{Mode: llm.ChoiceAny}, llm.ThinkingLow
	})
	if got := body(t, "claude-sonnet-4-6", forced); got["thinking"] != nil || got["tool_choice"] == nil {
		t.Errorf("a call that is wanted is sent with %v", got["thinking"])
	}
}

// Newer models take a thought back only behind what it was thought behind. Where
// that has changed it is left out, and the request is not refused.
func TestAThoughtOfAChangedConversationIsDropped(t *testing.T) {
	t.Parallel()
	const drops = `{"block_binding":{"prefix_mismatch_behavior":"drop_block"},"type":"adaptive"}`
	beta := func(value string) func(*anthropic.Options) {
		return func(o *anthropic.Options) { o.Header = http.Header{"anthropic-beta": {value}} }
	}
	for _, tt := range []struct {
		id     string
		level  llm.Thinking
		change func(*anthropic.Options)
		want   string
	}{
		{"claude-fable-5-2", llm.ThinkingDefault, nil, drops},
		{"claude-sonnet-5-5", llm.ThinkingHigh, nil, `{"block_binding":{"prefix_mismatch_behavior":"drop_block"},"display":"summarized","type":"adaptive"}`},
		{"claude-sonnet-5-5", llm.ThinkingNone, nil, `{"type":"between_tools"}`},
		{"claude-haiku-5-5", llm.ThinkingNone, nil, `{"type":"disabled"}`},
		{"claude-opus-5-5", llm.ThinkingDefault, beta("thinking-binding-controls-2026-08-01,x"), drops},
		{"claude-opus-5-5", llm.ThinkingDefault, beta("x"), `null`},
		{"claude-opus-5-5", llm.ThinkingDefault, func(o *anthropic.Options) { o.BaseURL = "https://llm.acme.example" }, `null`},
		{"claude-opus-5", llm.ThinkingDefault, nil, `null`},
	} {
		if tt.change == nil {
			tt.change = uncached
		}
		req := &llm.Request{Messages: []llm.Message{llm.User("go"), answer(thought("anthropic/"+tt.id, "hm", "S"), llm.Text("x")), llm.User("on")}, Options: llm.Options{Thinking: tt.level}}
		w := llmtest.NewWire(llmtest.SSE(says("ok")))
		if _, err := llm.Generate(t.Context(), model(tt.id, w, tt.change), req); err != nil {
			t.Fatal(err)
		}
		var got struct{ Thinking any }
		if err := w.Requests()[0].JSON(&got); err != nil {
			t.Fatal(err)
		}
		text, asks := asJSON(t, got.Thinking), strings.Contains(w.Requests()[0].Header.Get("Anthropic-Beta"), "thinking-binding-controls")
		if text != tt.want || strings.Contains(text, "drop_block") && !asks {
			t.Errorf("%s at %s: thinking is %s, want %s; the beta is asked for: %t", tt.id, tt.level, text, tt.want, asks)
		}
		if fresh := body(t, tt.id, hi(), tt.change); fresh["thinking"] != nil {
			t.Errorf("%s: without a thought to send, thinking is %v", tt.id, fresh["thinking"])
		}
	}
}

// Whatever tools return and models write, the request is JSON in UTF-8.
func TestWhatIsNoTextIsStillSent(t *testing.T) {
	t.Parallel()
	w := llmtest.NewWire(llmtest.SSE(says("ok")))
	req := &llm.Request{Messages: []llm.Message{
		llm.User("a\xed\xa0\xbd\x80b\x00"), answer(callOf("a", "f", `{"x":"\ud83d"}`), callOf("b", "f", "{\"x\":\"\xff\"}")),
		results(resultOf("a", llm.Text("\x80")), resultOf("b")),
	}}
	if _, err := llm.Generate(t.Context(), model("claude-opus-5", w), req); err != nil {
		t.Fatal(err)
	}
	got := w.Requests()[0].Body
	if !utf8.Valid(got) || !json.Valid(got) || strings.Contains(string(got), `\ud83d`) {
		t.Errorf("%q", got)
	}
}

func TestNamesOfToolsComeBack(t *testing.T) {
	t.Parallel()
	stream := strings.Replace(a2, `"name":"f"`, `"name":"admin_tools_list"`, 1)
	req := with(func(r *llm.Request) { r.Tools = []llm.ToolSpec{{Name: "admin.tools.list"}} })
	resp, err := llm.Generate(t.Context(), model("claude-opus-5", llmtest.NewWire(llmtest.SSE(stream))), req)
	if err != nil || resp.Message.Calls()[0].Name != "admin.tools.list" {
		t.Errorf("%v, %v", resp, err)
	}
}

// TestNamesOfArgumentsComeBack: the API refuses a request over an argument whose
// name has other characters than it likes.
func TestNamesOfArgumentsComeBack(t *testing.T) {
	t.Parallel()
	w := llmtest.NewWire(llmtest.SSE(strings.Replace(a2, `{\"a\":`, `{\"_a\":`, 1)))
	req := &llm.Request{
		Tools: []llm.ToolSpec{{Name: "f", Input: json.RawMessage(`{"type":"object","properties":{"$a":{"type":"integer"}},"required":["$a"]}`)}},
		Messages: []llm.Message{
			llm.User("hi"),
			{Role: llm.RoleAssistant, Parts: []llm.Part{{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "1", Name: "f", Args: json.RawMessage(`{"$a":7}`)}}}},
			{Role: llm.RoleTool, Parts: []llm.Part{{Kind: llm.PartResult, Result: &llm.ToolResult{ID: "1", Name: "f", Parts: []llm.Part{llm.Text("ok")}}}}},
		},
	}
	resp, err := llm.Generate(t.Context(), model("claude-opus-5", w), req)
	if err != nil || string(resp.Message.Calls()[0].Args) != `{"$a":1}` {
		t.Errorf("%v, %v", resp, err)
	}
	got := string(w.Requests()[0].Body)
	for _, want := range []string{`"input":{"_a":7}`, `"properties":{"_a":{"type":"integer","description":"(that is, \"$a\")"}},"required":["_a"]`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nhas no %s", got, want)
		}
	}
}

func TestPicturesThatTheAPITakes(t *testing.T) {
	t.Parallel()
	for mime, want := range map[string]string{
		"image/jpg": `"media_type":"image/jpeg"`, "IMAGE/PNG": `"media_type":"image/png"`, "image/svg+xml": `[attachment image/svg+xml]\n`, "image/tiff": "",
	} {
		data := []byte("<svg/>")
		if want == "" {
			data = []byte{0, 1}
		}
		picture, err := llm.NewMedia(mime, data, "")
		if err != nil {
			t.Fatal(err)
		}
		req := &llm.Request{Messages: []llm.Message{llm.User("What is it?", picture)}}
		if want == "" {
			if err := refused(t, "claude-opus-5", req); !strings.Contains(err.Error(), mime) {
				t.Errorf("%v", err)
			}
		} else if got := asJSON(t, body(t, "claude-opus-5", req)); !strings.Contains(strings.ReplaceAll(got, `\u003c`, "<"), want) {
			t.Errorf("%s is sent as %s", mime, got)
		}
	}
	for uri, want := range map[string]string{
		"https://acme.example/a.png": `{"type":"url","url":"https://acme.example/a.png"}`, "file_01": `{"file_id":"file_01","type":"file"}`, "gs://b/a.png": "",
	} {
		file, err := llm.NewFile(uri, "image/png", "")
		if err != nil {
			t.Fatal(err)
		}
		req := &llm.Request{Messages: []llm.Message{llm.User("What is it?", file)}}
		if want == "" {
			if err := refused(t, "claude-opus-5", req); strings.Contains(err.Error(), "gs://b") {
				t.Errorf("%v tells the address", err)
			}
		} else if got := asJSON(t, body(t, "claude-opus-5", req)); !strings.Contains(got, want) {
			t.Errorf("%s is sent as %s", uri, got)
		}
	}
}

func TestSettingsThatAreNotKnownHereAreSentToo(t *testing.T) {
	t.Parallel()
	req := with(func(r *llm.Request) {
		r.Options.Provider = map[string]json.RawMessage{"anthropic": json.RawMessage(`{"service_tier":"auto","max_tokens":7}`), "openai": json.RawMessage(`{"x":1}`)}
		r.Options.Stop = []string{"END"}
	})
	got := body(t, "claude-opus-5", req)
	if got["service_tier"] != "auto" || got["max_tokens"] != 7.0 || got["x"] != nil || asJSON(t, got["stop_sequences"]) != `["END"]` {
		t.Errorf("%v", got)
	}
	req.Options.Provider["anthropic"] = json.RawMessage(`[1]`)
	refused(t, "claude-opus-5", req)
}

func TestToolsAreHeldToTheirSchemasOnRequest(t *testing.T) {
	t.Parallel()
	strict := func(o *anthropic.Options) { o.StrictTools = true }
	var tools []llm.ToolSpec
	for i := range 22 {
		tools = append(tools, llm.ToolSpec{Name: fmt.Sprint("t", i), Input: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"],"additionalProperties":false}`)})
	}
	tools[1].Input = json.RawMessage(`{"type":"object","additionalProperties":{"type":"string"}}`)
	req := with(func(r *llm.Request) { r.Tools = tools })
	if text := asJSON(t, body(t, "claude-opus-5", req)["tools"]); strings.Contains(text, "strict") || !strings.Contains(text, `"minimum":1`) {
		t.Errorf("nobody asked for this: %s", text)
	}
	got := body(t, "claude-opus-5", req, strict)["tools"].([]any)
	n := 0
	for i, tool := range got {
		tool := tool.(map[string]any)
		if tool["strict"] == true {
			n++
		}
		if is := tool["strict"] == true; is != (i != 1 && i < 21) {
			t.Errorf("tool %d: strict is %t: %s", i, is, asJSON(t, tool))
		}
	}
	if n != 20 {
		t.Errorf("%d tools are strict, want 20", n)
	}
}

func TestSamplingWithinItsBounds(t *testing.T) {
	t.Parallel()
	old := func(o *anthropic.Options) { o.Version = "2023-06-01" }
	req := with(func(r *llm.Request) { r.Options.Temperature = new(1.5) })
	if err := refused(t, "claude-sonnet-4-6", req, old); !strings.Contains(err.Error(), "Options.Temperature") {
		t.Errorf("%v", err)
	}
	if got := body(t, "claude-sonnet-4-6", with(func(r *llm.Request) { r.Options.TopP = new(0.9) }), old); got["top_p"] != 0.9 {
		t.Errorf("%v", got["top_p"])
	}
}

// A server of another kind is not asked for what only Anthropic's has.
func TestJSONIsAskedForInWordsElsewhere(t *testing.T) {
	t.Parallel()
	schema, err := llm.ParseSchema("o", json.RawMessage(`{"type":"object","properties":{"year":{"type":"integer"}},"required":["year"],"additionalProperties":false}`))
	if err != nil {
		t.Fatal(err)
	}
	req := with(func(r *llm.Request) { r.Output, r.Tools = schema, []llm.ToolSpec{{Name: "f"}} })
	for name, change := range map[string]func(*anthropic.Options){
		"a server of one's own": func(o *anthropic.Options) { o.BaseURL = "https://llm.acme.example" },
		"with a search":         func(o *anthropic.Options) { o.WebSearch = true },
	} {
		got := body(t, "claude-opus-5", req, change)
		if got["output_config"] != nil || !strings.Contains(asJSON(t, got["system"]), `{\"type\":\"object\",\"properties\":{\"year\"`) {
			t.Errorf("%s: %s", name, asJSON(t, got))
		}
	}
	same := func(o *anthropic.Options) { o.BaseURL = "https://api.anthropic.com/" }
	if got := body(t, "claude-opus-5", req, same); got["output_config"] == nil {
		t.Errorf("Anthropic's own address is taken for another one")
	}
}

func TestAPromptThatDoesNotFitIsTold(t *testing.T) {
	t.Parallel()
	for _, reply := range []llmtest.Reply{
		llmtest.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 1000001 tokens > 1000000 maximum"}}`),
		llmtest.JSON(400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000\"}}"),
		llmtest.JSON(413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`),
	} {
		if _, err := llm.Generate(t.Context(), model("claude-opus-5", llmtest.NewWire(reply)), hi()); !errors.Is(err, llm.ErrContextTooLong) {
			t.Errorf("%v", err)
		}
	}
}

func TestNothingPrintedShowsTheKeyWhateverTheVerb(t *testing.T) {
	t.Parallel()
	o := anthropic.Options{Key: "sk-ant-hidden", Header: http.Header{"X-Tenant": {"hidden-too"}}}
	m := anthropic.New("claude-opus-5", &o)
	for _, v := range []any{o, &o, m, *m} {
		for _, verb := range []string{"%d", "%x", "%q", "%s", "%v", "%+v", "%#v", "%T"} {
			if text := fmt.Sprintf(verb, v); strings.Contains(text, "hidden") || strings.Contains(text, "68696464656e") {
				t.Errorf("%s: %s", verb, text)
			}
		}
	}
}

// The API wants the result of a tool that failed to hold texts only, and one at
// least.
func TestWhatAFailedToolShowsStandsBehindItsResult(t *testing.T) {
	t.Parallel()
	image, err := llm.NewMedia("image/png", []byte("P"), "")
	if err != nil {
		t.Fatal(err)
	}
	silent, drawn := resultOf("tu_1", llm.Text(" ")), resultOf("tu_2", llm.Text("no such page"), image)
	silent.Result.IsError, drawn.Result.IsError = true, true
	var messages []struct {
		Content []struct {
			Type    string
			Content []struct{ Type string }
		}
	}
	all := sent(t, "claude-opus-5", llm.User("hi"), answer(callOf("tu_1", "f", `{}`), callOf("tu_2", "f", `{}`)), results(silent, drawn))
	if err := json.Unmarshal([]byte(all), &messages); err != nil || len(messages) != 3 || len(messages[2].Content) != 3 {
		t.Fatalf("%v: %s", err, all)
	}
	last := messages[2].Content
	if len(last[0].Content) != 1 || !strings.Contains(all, "did not say why") || len(last[1].Content) != 1 || last[1].Content[0].Type != "text" || last[2].Type != "image" {
		t.Errorf("the results are sent as %s", all)
	}
}
