package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/anthropic"
)

// body is what is sent for a request, decoded.
func body(t *testing.T, id string, req *llm.Request, change ...func(*anthropic.Options)) map[string]any {
	t.Helper()
	w := llmtest.NewWire(llmtest.SSE(says("ok")))
	if _, err := llm.Generate(t.Context(), model(id, w, change...), req); err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	var got map[string]any
	if err := w.Requests()[0].JSON(&got); err != nil {
		t.Fatal(err)
	}
	return got
}

// refused is the error of a request that is never sent.
func refused(t *testing.T, id string, req *llm.Request, change ...func(*anthropic.Options)) error {
	t.Helper()
	w := llmtest.NewWire()
	_, err := llm.Generate(t.Context(), model(id, w, change...), req)
	if n := len(w.Requests()); n > 0 {
		t.Errorf("%d requests were made", n)
	}
	if !errors.Is(err, llm.ErrInvalidRequest) {
		t.Errorf("%v, want an invalid request", err)
	}
	return err
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// with changes a request of one user message.
func with(change func(*llm.Request)) *llm.Request {
	req := hi()
	change(req)
	return req
}

func thinks(level llm.Thinking) *llm.Request {
	return with(func(r *llm.Request) { r.Options.Thinking = level })
}

func TestNothingIsCachedWhenCachingIsOff(t *testing.T) {
	t.Parallel()
	req := with(func(r *llm.Request) {
		r.System = []llm.Part{llm.Text("a").Cached(), llm.Text("b")}
		r.Messages = []llm.Message{llm.User("x", llm.Text("y").Cached())}
	})
	got := body(t, "claude-opus-5", req, func(o *anthropic.Options) { o.Cache = anthropic.CacheNone })
	if text := asJSON(t, got); strings.Contains(text, "cache_control") || got["system"] != "a\n\nb" {
		t.Errorf("%s", text)
	}
}

func TestAnHourIsWrittenAtEveryMark(t *testing.T) {
	t.Parallel()
	req := with(func(r *llm.Request) { r.System, r.Tools = []llm.Part{llm.Text("s")}, []llm.ToolSpec{{Name: "f"}} })
	text := asJSON(t, body(t, "claude-opus-5", req, func(o *anthropic.Options) { o.Cache = anthropic.CacheHour }))
	if marks, hours := strings.Count(text, "cache_control"), strings.Count(text, `{"ttl":"1h","type":"ephemeral"}`); marks != 3 || hours != 3 {
		t.Errorf("%d marks, %d of an hour: %s", marks, hours, text)
	}
}

// marked are the places of the cache marks in the messages.
func marked(t *testing.T, got map[string]any) []string {
	t.Helper()
	var at []string
	for i, m := range got["messages"].([]any) {
		for j, b := range m.(map[string]any)["content"].([]any) {
			if _, is := b.(map[string]any)["cache_control"]; is {
				at = append(at, fmt.Sprintf("%d.%d", i, j))
			}
		}
	}
	return at
}

func TestTheLastTwoMessagesAreMarked(t *testing.T) {
	t.Parallel()
	req := &llm.Request{Messages: []llm.Message{llm.User("a", llm.Text("b")), llm.Assistant("c"), llm.User("d", llm.Text("e"))}}
	if got := marked(t, body(t, "claude-opus-5", req)); !slices.Equal(got, []string{"1.0", "2.1"}) {
		t.Errorf("marks at %v", got)
	}
}

// What the caller marks counts first, and there are never more than four.
func TestTheCallersMarksComeFirst(t *testing.T) {
	t.Parallel()
	req := with(func(r *llm.Request) {
		r.System, r.Tools = []llm.Part{llm.Text("s").Cached(), llm.Text("t")}, []llm.ToolSpec{{Name: "f"}}
		r.Messages = []llm.Message{llm.User("a", llm.Text("b").Cached(), llm.Text("c").Cached()), llm.Assistant("d"), llm.User("e")}
	})
	got := body(t, "claude-opus-5", req)
	if at := marked(t, got); !slices.Equal(at, []string{"0.1", "0.2", "2.0"}) {
		t.Errorf("marks at %v", at)
	}
	if text := asJSON(t, got); strings.Count(text, "cache_control") != 4 || !strings.Contains(asJSON(t, got["system"].([]any)[0]), "cache_control") {
		t.Errorf("%s", text)
	}
}

func TestServersToolsStandBehindTheCallers(t *testing.T) {
	t.Parallel()
	search := func(o *anthropic.Options) { o.WebSearch, o.WebFetch = true, true }
	got := body(t, "claude-opus-5", with(func(r *llm.Request) { r.Tools = []llm.ToolSpec{{Name: "f"}} }), search)
	want := `[{"cache_control":{"type":"ephemeral"},"input_schema":{"additionalProperties":false,"properties":{},"type":"object"},"name":"f"},` +
		`{"name":"web_search","type":"web_search_20260318"},{"name":"web_fetch","type":"web_fetch_20260318"}]`
	if text := asJSON(t, got["tools"]); text != want {
		t.Errorf("%s, want %s", text, want)
	}
	err := refused(t, "claude-opus-5", with(func(r *llm.Request) { r.Tools = []llm.ToolSpec{{Name: "web_search"}} }), search)
	if !strings.Contains(err.Error(), "web_search") {
		t.Errorf("%v does not name the tool", err)
	}
}

func TestResultsOfOneTurnAreOneMessage(t *testing.T) {
	t.Parallel()
	var calls, results []llm.Part
	for i := range 5 {
		id := fmt.Sprint("call ", i) // which is no id that the API takes
		calls = append(calls, llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: id, Name: "f"}})
		results = append(results, llm.Part{Kind: llm.PartResult, Result: &llm.ToolResult{ID: id, Name: "f", Parts: []llm.Part{llm.Text(fmt.Sprint(i))}}})
	}
	req := &llm.Request{Messages: []llm.Message{
		llm.User("go"), {Role: llm.RoleAssistant, Parts: calls},
		{Role: llm.RoleTool, Parts: results[:2]}, {Role: llm.RoleTool, Parts: results[2:]}, llm.User("and?"),
	}}
	messages := body(t, "claude-opus-5", req)["messages"].([]any)
	if len(messages) != 3 {
		t.Fatalf("%d messages, want 3", len(messages))
	}
	made, given := messages[1].(map[string]any)["content"].([]any), messages[2].(map[string]any)["content"].([]any)
	for i := range 5 {
		call, result := made[i].(map[string]any), given[i].(map[string]any)
		if result["type"] != "tool_result" || result["tool_use_id"] != call["id"] || asJSON(t, result["content"]) != fmt.Sprintf(`[{"text":"%d","type":"text"}]`, i) {
			t.Errorf("call %v has the result %v", call, result)
		}
	}
	if last := given[5].(map[string]any); last["text"] != "and?" {
		t.Errorf("behind the results stands %v", last)
	}
}

func TestFilesGoBeforeTheTextAboutThem(t *testing.T) {
	t.Parallel()
	pdf, err := llm.NewMedia("application/pdf", []byte("%PDF"), "paper.pdf")
	if err != nil {
		t.Fatal(err)
	}
	csv, err := llm.NewMedia("text/csv", []byte("a,b\n1,2"), "")
	if err != nil {
		t.Fatal(err)
	}
	png, err := llm.NewMedia("image/png", []byte("PNG"), "")
	if err != nil {
		t.Fatal(err)
	}
	hosted, err := llm.NewFile("file_011", "application/pdf", "other.pdf")
	if err != nil {
		t.Fatal(err)
	}
	req := &llm.Request{Messages: []llm.Message{llm.User("What is this?", pdf, csv, png, hosted)}}
	got := asJSON(t, body(t, "claude-opus-5", req, func(o *anthropic.Options) { o.Cache = anthropic.CacheNone })["messages"])
	want := `[{"content":[{"source":{"data":"JVBERg==","media_type":"application/pdf","type":"base64"},"title":"paper.pdf","type":"document"},` +
		`{"text":"[attachment text/csv]\na,b\n1,2","type":"text"},{"source":{"data":"UE5H","media_type":"image/png","type":"base64"},"type":"image"},` +
		`{"source":{"file_id":"file_011","type":"file"},"title":"other.pdf","type":"document"},{"text":"What is this?","type":"text"}],"role":"user"}]`
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	sound, err := llm.NewMedia("audio/wav", []byte{0xff, 0}, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := refused(t, "claude-opus-5", &llm.Request{Messages: []llm.Message{llm.User("Listen", sound)}}); !strings.Contains(err.Error(), "audio/wav") {
		t.Errorf("%v", err)
	}
	old := &llm.Request{Messages: []llm.Message{llm.User("Listen", sound), llm.Assistant("Nice."), llm.User("And now?")}}
	if text := asJSON(t, body(t, "claude-opus-5", old)); !strings.Contains(text, "was here]") {
		t.Errorf("a sound of the past is not told: %s", text)
	}
}

func TestWhatHasToBeCalled(t *testing.T) {
	t.Parallel()
	tools := []llm.ToolSpec{{Name: "a.b"}, {Name: "c"}}
	choose := func(mode llm.ChoiceMode, names ...string) *llm.Request {
		return with(func(r *llm.Request) { r.Tools, r.Choice = tools, llm.ToolChoice{Mode: mode, Names: names} })
	}
	for want, req := range map[string]*llm.Request{
		`null`:                         choose(llm.ChoiceAuto),
		`{"type":"none"}`:              choose(llm.ChoiceNone),
		`{"type":"any"}`:               choose(llm.ChoiceAny),
		`{"name":"a_b","type":"tool"}`: choose(llm.ChoiceNamed, "a.b"),
	} {
		if got := asJSON(t, body(t, "claude-opus-5", req)["tool_choice"]); got != want {
			t.Errorf("%+v is sent as %s, want %s", req.Choice, got, want)
		}
	}
	refused(t, "claude-opus-5", choose(llm.ChoiceNamed, "a.b", "c"))
	for _, id := range []string{"claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1"} {
		refused(t, id, choose(llm.ChoiceAny))
		got := body(t, id, choose(llm.ChoiceNamed, "a.b", "c"))
		messages := asJSON(t, got["messages"])
		if got["tool_choice"] != nil || len(got["tools"].([]any)) != 2 || !strings.Contains(messages, `"text":"Now call the tool a_b or c, and say nothing else."`) {
			t.Errorf("%s is sent %s and %s, want all tools and a word about the ones that are named", id, asJSON(t, got["tool_choice"]), messages)
		}
	}
}

func TestHowMuchAModelIsToldToThink(t *testing.T) {
	t.Parallel()
	const summary = `{"display":"summarized","type":"adaptive"}`
	for _, tt := range []struct {
		id             string
		level          llm.Thinking
		thinks, effort string
		least          float64 // of max_tokens
	}{
		{"claude-sonnet-5", llm.ThinkingDefault, `null`, `null`, 64_000},
		{"claude-sonnet-5", llm.ThinkingNone, `{"type":"disabled"}`, `null`, 0},
		{"claude-opus-4-8", llm.ThinkingNone, `null`, `null`, 0},
		{"claude-fable-5", llm.ThinkingNone, `null`, `null`, 0},
		{"claude-sonnet-5-5", llm.ThinkingNone, `{"type":"between_tools"}`, `null`, 0},
		{"claude-sonnet-4-6", llm.ThinkingNone, `null`, `null`, 0},
		{"claude-sonnet-4-6", llm.ThinkingHigh, `{"budget_tokens":32000,"type":"enabled"}`, `null`, 33_024},
		{"claude-sonnet-4-6-20251114", llm.ThinkingMinimal, `{"budget_tokens":1024,"type":"enabled"}`, `null`, 2048},
		{"claude-opus-4-8", llm.ThinkingMax, summary, `{"effort":"max"}`, 0},
		{"claude-opus-4-8", llm.ThinkingMinimal, summary, `{"effort":"low"}`, 0},
		{"claude-fable-5", llm.ThinkingXHigh, `null`, `{"effort":"xhigh"}`, 0},
		{"claude-opus-5-5", llm.ThinkingMedium, summary, `{"effort":"medium"}`, 0},
		{"claude-next-9", llm.ThinkingHigh, summary, `{"effort":"high"}`, 32_000},
	} {
		got := body(t, tt.id, thinks(tt.level))
		if a, b := asJSON(t, got["thinking"]), asJSON(t, got["output_config"]); a != tt.thinks || b != tt.effort {
			t.Errorf("%s at %s: thinking %s, output_config %s; want %s, %s", tt.id, tt.level, a, b, tt.thinks, tt.effort)
		}
		if n := got["max_tokens"].(float64); n < tt.least {
			t.Errorf("%s at %s: max_tokens %v, want at least %v", tt.id, tt.level, n, tt.least)
		}
	}
	if err := refused(t, "claude-sonnet-4-6", thinks(llm.ThinkingMax)); !strings.Contains(err.Error(), "max") {
		t.Errorf("%v does not name the level", err)
	}
}

// Newer models have no temperature, and older ones only while they do not think.
func TestTemperaturesAreForOldModelsOnly(t *testing.T) {
	t.Parallel()
	old := func(o *anthropic.Options) { o.Version = "2023-06-01" }
	hot := func(level llm.Thinking) *llm.Request {
		return with(func(r *llm.Request) { r.Options.Temperature, r.Options.Thinking = new(0.5), level })
	}
	for _, got := range []map[string]any{
		body(t, "claude-opus-5", hot(0)), body(t, "claude-opus-5", hot(0), old), body(t, "claude-sonnet-4-6", hot(0)), body(t, "claude-sonnet-4-6", hot(llm.ThinkingHigh), old),
	} {
		if got["temperature"] != nil {
			t.Errorf("a temperature is sent: %v", got)
		}
	}
	if got := body(t, "claude-sonnet-4-6", hot(0), old); got["temperature"] != 0.5 {
		t.Errorf("no temperature is sent: %v", got)
	}
}

// An answer that was begun with another provider has no thought of this model's in
// front of its calls, which a budget for thinking does not allow.
func TestABudgetWaitsForTheEndOfAnotherModelsCalls(t *testing.T) {
	t.Parallel()
	call := llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "c", Name: "f"}}
	result := llm.Message{Role: llm.RoleTool, Parts: []llm.Part{{Kind: llm.PartResult, Result: &llm.ToolResult{ID: "c", Name: "f"}}}}
	thought := llm.Part{Kind: llm.PartThinking, Text: "hm", Signature: "S", Model: "anthropic/claude-sonnet-4-6"}
	for name, tt := range map[string]struct {
		messages []llm.Message
		thinks   bool
	}{
		"another's call":      {[]llm.Message{llm.User("go"), {Role: llm.RoleAssistant, Parts: []llm.Part{call}}, result}, false},
		"its own call":        {[]llm.Message{llm.User("go"), {Role: llm.RoleAssistant, Parts: []llm.Part{thought, call}}, result}, true},
		"another's, long ago": {[]llm.Message{llm.User("go"), {Role: llm.RoleAssistant, Parts: []llm.Part{call}}, result, llm.Assistant("ok"), llm.User("now?")}, true},
	} {
		req := &llm.Request{Messages: tt.messages, Options: llm.Options{Thinking: llm.ThinkingLow}}
		if got := body(t, "claude-sonnet-4-6", req)["thinking"]; (got != nil) != tt.thinks {
			t.Errorf("%s: thinking is %v", name, got)
		}
	}
}

// Signatures are the secret of the model that made them.
func TestAnothersThoughtsAreLeftOut(t *testing.T) {
	t.Parallel()
	raw := func(data string) *llm.Opaque { return &llm.Opaque{Provider: "anthropic", Data: json.RawMessage(data)} }
	parts := func(name string) []llm.Part {
		return []llm.Part{
			{Kind: llm.PartThinking, Text: "hm", Signature: "S", Model: name},
			{Kind: llm.PartOpaque, Opaque: raw(`{"type":"redacted_thinking","data":"R"}`), Model: name},
			{Kind: llm.PartOpaque, Opaque: &llm.Opaque{Provider: "openai", Data: json.RawMessage(`{"type":"reasoning"}`)}, Model: "openai/gpt"},
			{Kind: llm.PartOpaque, Opaque: raw(`{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`), Model: name},
			{Kind: llm.PartOpaque, Opaque: raw(`{"type":"server_tool_use","id":"s2","name":"web_search","input":{}}`), Model: name},
			{Kind: llm.PartOpaque, Opaque: raw(`{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}`), Model: name},
			{Kind: llm.PartText, Text: "said", Opaque: raw(`{"citations":[{"url":"u"}]}`), Model: name},
		}
	}
	for name, want := range map[string]string{
		"anthropic/claude-opus-5": `[{"signature":"S","thinking":"hm","type":"thinking"},{"data":"R","type":"redacted_thinking"},` +
			`{"id":"s1","input":{},"name":"web_search","type":"server_tool_use"},{"content":[],"tool_use_id":"s1","type":"web_search_tool_result"},` +
			`{"citations":[{"url":"u"}],"text":"said","type":"text"}]`,
		"anthropic/claude-sonnet-5": `[{"id":"s1","input":{},"name":"web_search","type":"server_tool_use"},{"content":[],"tool_use_id":"s1","type":"web_search_tool_result"},` +
			`{"citations":[{"url":"u"}],"text":"said","type":"text"}]`,
	} {
		req := &llm.Request{Messages: []llm.Message{llm.User("go"), {Role: llm.RoleAssistant, Parts: parts(name)}, llm.User("on")}}
		got := body(t, "claude-opus-5", req, func(o *anthropic.Options) { o.Cache = anthropic.CacheNone })
		if text := asJSON(t, got["messages"].([]any)[1].(map[string]any)["content"]); text != want {
			t.Errorf("by %s: %s\nwant %s", name, text, want)
		}
	}
	onlyThoughts := &llm.Request{Messages: []llm.Message{llm.User("go"), {Role: llm.RoleAssistant, Parts: parts("anthropic/other")[:2]}, llm.User("on")}}
	if got := body(t, "claude-opus-5", onlyThoughts)["messages"].([]any); len(got) != 1 {
		t.Errorf("an answer of nothing but another's thoughts leaves %d messages, want one", len(got))
	}
}

func TestBlocksMayComeMixed(t *testing.T) {
	t.Parallel()
	stream := sse(
		`{"type":"message_start","message":{"usage":{"input_tokens":1,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"x"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"n\":90071992547"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"y"}}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"hologram","depth":3}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"hologram_delta","glow":1}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"brand_new_event","index":1}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"40993}"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_stop","index":2}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":9,"output_tokens":4}}`,
		`{"type":"message_stop"}`,
	)
	resp, err := llm.Generate(t.Context(), model("claude-opus-5", llmtest.NewWire(llmtest.SSE(stream))), hi())
	if err != nil {
		t.Fatal(err)
	}
	parts := resp.Message.Parts
	if len(parts) != 3 || string(parts[0].Call.Args) != `{"n":9007199254740993}` || parts[1].Text != "xy" || string(parts[2].Opaque.Data) != `{"type":"hologram","depth":3}` {
		t.Errorf("%+v", parts)
	}
	if resp.Finish != llm.FinishToolCalls || resp.Usage != (llm.Usage{Input: 9, Output: 4}) {
		t.Errorf("%s, %+v", resp.Finish, resp.Usage)
	}
}

func TestArgumentsAsTheyCome(t *testing.T) {
	t.Parallel()
	for pieces, want := range map[string]string{``: `{}`, `{"path":"a","content":"x`: `{"path":"a","content":"x`, `[1]`: `[1]`} {
		quoted := asJSON(t, pieces)
		stream := sse(
			`{"type":"message_start","message":{}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":`+quoted+`}}`,
			`{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, `{"type":"message_stop"}`,
		)
		resp, err := llm.Generate(t.Context(), model("claude-opus-5", llmtest.NewWire(llmtest.SSE(stream))), hi())
		if err != nil || string(resp.Message.Calls()[0].Args) != want {
			t.Errorf("%q: %v, %v; want %s as it came", pieces, resp, err, want)
		}
	}
}

func TestWhyAnAnswerEnded(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]llm.FinishReason{
		"end_turn": llm.FinishStop, "stop_sequence": llm.FinishStop, "tool_use": llm.FinishStop, "brand_new": llm.FinishStop,
		"max_tokens": llm.FinishLength, "model_context_window_exceeded": llm.FinishLength, "refusal": llm.FinishRefusal,
	} {
		stream := strings.Replace(says("some"), `"stop_reason":"end_turn"`, `"stop_reason":"`+reason+`","stop_details":{"category":"cyber"}`, 1)
		resp, err := llm.Generate(t.Context(), model("claude-opus-5", llmtest.NewWire(llmtest.SSE(stream))), hi())
		if err != nil || resp.Finish != want || resp.Text() != "some" {
			t.Errorf("%s: %v, %v; want %s with the text", reason, resp, err, want)
			continue
		}
		if meta := string(resp.Meta); !strings.Contains(meta, reason) || !strings.Contains(meta, `"stop_details":{"category":"cyber"}`) || !strings.Contains(meta, "msg_2") {
			t.Errorf("%s: the metadata are %s", reason, meta)
		}
	}
}

func TestNinePausesAreTooMany(t *testing.T) {
	t.Parallel()
	paused := strings.Replace(says("."), "end_turn", "pause_turn", 1)
	w := llmtest.NewWire(slices.Repeat([]llmtest.Reply{llmtest.SSE(paused)}, 9)...)
	resp, err := llm.Generate(t.Context(), model("claude-opus-5", w), hi())
	if err == nil || errors.Is(err, llm.ErrTransient) || w.Done() != nil {
		t.Errorf("%v, %v", err, w.Done())
	}
	if resp.Text() != "........." {
		t.Errorf("what came is %q", resp.Text())
	}
}

func TestStatusesSayWhetherToTryAgain(t *testing.T) {
	t.Parallel()
	busy := llmtest.JSON(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`).Header("Retry-After", "2")
	_, err := llm.Generate(t.Context(), model("claude-opus-5", llmtest.NewWire(busy)), hi())
	var e *llm.Error
	if !errors.As(err, &e) || !e.Retryable() || e.RetryAfter != 2*time.Second || e.Status != 529 {
		t.Errorf("%+v", e)
	}
	wrong := llmtest.JSON(401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`)
	_, err = llm.Generate(t.Context(), model("claude-opus-5", llmtest.NewWire(wrong)), hi())
	if want := "anthropic: HTTP 401: invalid x-api-key; check ANTHROPIC_API_KEY or Options.Key"; !errors.Is(err, llm.ErrAuth) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestSilenceEndsTheStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := llmtest.NewWire(llmtest.SSE(a2).Stalling(200))
		m := model("claude-opus-5", w, func(o *anthropic.Options) { o.IdleTimeout = time.Second })
		_, err := llm.Generate(t.Context(), m, hi())
		if !errors.Is(err, llm.ErrTransient) || !strings.Contains(err.Error(), "no more data for 1s") {
			t.Errorf("%v", err)
		}
	})
}

func TestLeavingAStreamEndsItsRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := llmtest.NewWire(llmtest.SSE(a2).Cut(llmtest.CutEvents).Every(time.Second))
		for range model("claude-opus-5", w).Stream(t.Context(), hi()) {
			break
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), 3500*time.Millisecond, errors.New("enough"))
		defer cancel()
		w = llmtest.NewWire(llmtest.SSE(a2).Cut(llmtest.CutEvents).Every(time.Second))
		if _, err := llm.Generate(ctx, model("claude-opus-5", w), hi()); err == nil || err.Error() != "enough" {
			t.Errorf("%v, want the context's cause", err)
		}
	})
}

func TestModelsThatAreNotKnown(t *testing.T) {
	t.Parallel()
	m := model("claude-next-9", llmtest.NewWire())
	if m.Err() != nil || m.Size() != (llm.Size{}) {
		t.Errorf("%v, %+v", m.Err(), m.Size())
	}
	if _, known := m.Cost(llm.Usage{Input: 1}); known {
		t.Error("its price is known")
	}
	if err := model("gpt-x", llmtest.NewWire()).Err(); !errors.Is(err, llm.ErrInvalidRequest) {
		t.Errorf("gpt-x: %v", err)
	}
	if err := model("gpt-x", llmtest.NewWire(), func(o *anthropic.Options) { o.BaseURL = "http://127.0.0.1:1" }).Err(); err != nil {
		t.Errorf("gpt-x at a server of one's own: %v", err)
	}
	if err := model("", llmtest.NewWire()).Err(); err == nil {
		t.Error("no model is fine")
	}
}

func TestWhatTokensCost(t *testing.T) {
	t.Parallel()
	million := llm.Usage{Input: 1e6, CacheRead: 1e6, CacheWrite: 1e6, Output: 1e6}
	for _, tt := range []struct {
		id    string
		cache anthropic.CachePolicy
		usage llm.Usage
		want  llm.Micros
	}{
		{"claude-opus-5-5", anthropic.CacheHour, llm.Usage{Input: 1e6}, 4 * llm.Dollar},
		{"claude-opus-5-5", anthropic.CacheHour, llm.Usage{Output: 1e6}, 20 * llm.Dollar},
		{"claude-opus-5-5", anthropic.CacheHour, llm.Usage{CacheWrite: 1e6}, 8 * llm.Dollar},
		{"claude-opus-5-5", anthropic.CacheHour, llm.Usage{CacheRead: 1e6}, 20 * llm.Cent},
		{"claude-fable-5-1", 0, llm.Usage{CacheRead: 1e6}, 25 * llm.Cent},
		{"claude-sonnet-4-6-20251114", 0, million, 22_050_000},
		{"claude-haiku-4-5", 0, llm.Usage{Input: 7, CacheRead: 9000, CacheWrite: 500}, 7 + 900 + 625},
	} {
		got, known := model(tt.id, llmtest.NewWire(), func(o *anthropic.Options) { o.Cache = tt.cache }).Cost(tt.usage)
		if !known || got != tt.want {
			t.Errorf("%s, %s, %+v: %s, want %s", tt.id, tt.cache, tt.usage, got, tt.want)
		}
	}
}

func TestNothingPrintedShowsTheKey(t *testing.T) {
	t.Parallel()
	o := anthropic.Options{Key: "sk-ant-hidden", Header: http.Header{"X-Tenant": {"hidden-too"}}}
	m := anthropic.New("claude-opus-5", &o)
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "options", o, "model", m)
	for _, text := range []string{fmt.Sprint(o), fmt.Sprintf("%v %+v %#v", o, o, o), fmt.Sprintf("%v %+v %#v", m, m, m), fmt.Sprintf("%v %+v %#v", &o, &o, &o), log.String()} {
		if strings.Contains(text, "hidden") {
			t.Errorf("%s", text)
		}
	}
	if !strings.Contains(log.String(), "X-Tenant") {
		t.Errorf("the header is not named: %s", log.String())
	}
}

func TestJSONIsAskedFor(t *testing.T) {
	t.Parallel()
	type event struct {
		Year int     `json:"year"`
		Note *string `json:"note,omitempty"`
	}
	schema, err := llm.SchemaFor[event]("event")
	if err != nil {
		t.Fatal(err)
	}
	req := with(func(r *llm.Request) { r.Output, r.Options.Thinking = schema, llm.ThinkingLow })
	got := asJSON(t, body(t, "claude-opus-5", req)["output_config"])
	if want := `{"effort":"low","format":{"schema":{"additionalProperties":false,"properties":{"note":{"type":["null","string"]},"year":{"type":"integer"}},"required":["year"],"type":"object"},"type":"json_schema"}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	open, err := llm.ParseSchema("open", json.RawMessage(`{"type":"object","additionalProperties":{"type":"string"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for id, schema := range map[string]*llm.Schema{"claude-opus-5": open, "claude-next-9": schema} {
		got := body(t, id, with(func(r *llm.Request) { r.Output = schema }))
		if got["output_config"] != nil || !strings.Contains(asJSON(t, got["system"]), "fits this schema") {
			t.Errorf("%s is told %s", id, asJSON(t, got))
		}
	}
}
