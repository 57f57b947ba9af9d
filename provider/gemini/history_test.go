package gemini_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/gemini"
)

// input is what a request holds of its conversation.
func input(t *testing.T, q *llmtest.WireRequest) string {
	t.Helper()
	var body struct {
		Input json.RawMessage `json:"input"`
	}
	if err := q.JSON(&body); err != nil {
		t.Fatal(err)
	}
	return string(body.Input)
}

// same compares two JSON texts.
func same(t *testing.T, got, want string) {
	t.Helper()
	if err := (&llmtest.WireRequest{Body: []byte(got)}).SameJSON(want); err != nil {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
}

// The whole of a tool turn goes back in its order: thought, text, call.
func TestTurnGoesBackAsItCame(t *testing.T) {
	t.Parallel()
	first := must(t, events(created,
		`{"event_type":"step.start","index":0,"step":{"type":"thought"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"thought_summary","content":{"type":"text","text":"hm"}}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"thought_signature","signature":"SIG1"}}`,
		`{"event_type":"step.stop","index":0}`,
		`{"event_type":"step.start","index":1,"step":{"type":"model_output"}}`,
		`{"event_type":"step.delta","index":1,"delta":{"type":"text","text":"Checking."}}`,
		`{"event_type":"step.stop","index":1}`,
		`{"event_type":"step.start","index":2,"step":{"type":"thought","signature":"SIG2"}}`,
		`{"event_type":"step.stop","index":2}`,
		`{"event_type":"step.start","index":3,"step":{"type":"function_call","id":"c1","name":"f","novel":[1]}}`,
		`{"event_type":"step.delta","index":3,"delta":{"type":"arguments_delta","arguments":"{\"a\":1}"}}`,
		`{"event_type":"step.stop","index":3}`,
		`{"event_type":"step.start","index":4,"step":{"type":"function_call","id":"c2","name":"g","arguments":{},"signature":"SIG3"}}`,
		`{"event_type":"step.stop","index":4}`, action), nil, ask("hi"))
	stored := roundTrip(t, first.Message)
	failed := result("c2", "g", "no such thing")
	failed.IsError = true
	q := sent(t, nil, &llm.Request{Messages: []llm.Message{llm.User("hi"), stored, results(result("c1", "f", "22 C"), failed)}, Tools: tools("f", "g")})
	same(t, input(t, q), `[{"type":"user_input","content":[{"type":"text","text":"hi"}]},
		{"type":"thought","signature":"SIG1","summary":[{"type":"text","text":"hm"}]},
		{"type":"model_output","content":[{"type":"text","text":"Checking."}]},
		{"type":"thought","signature":"SIG2"},
		{"type":"function_call","id":"c1","name":"f","arguments":{"a":1},"novel":[1]},
		{"type":"function_call","id":"c2","name":"g","arguments":{},"signature":"SIG3"},
		{"type":"function_result","call_id":"c1","name":"f","result":"22 C"},
		{"type":"function_result","call_id":"c2","name":"g","is_error":true,"result":"no such thing"}]`)
}

// roundTrip is a message as a store gives it back.
func roundTrip(t *testing.T, m llm.Message) llm.Message {
	t.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back llm.Message
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	return back
}

// Steps of Google's own tools, and those that nobody knows yet, go back verbatim.
func TestStepsOfOthersGoBackVerbatim(t *testing.T) {
	t.Parallel()
	resp := must(t, events(created,
		`{"event_type":"step.start","index":0,"step":{"type":"google_search_call","id":"s1","arguments":{}}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"google_search_call","arguments":{"queries":["sun"]},"signature":"SA"}}`,
		`{"event_type":"step.stop","index":0}`,
		`{"event_type":"step.start","index":1,"step":{"type":"google_search_result","call_id":"s1","result":[{"u":1}]}}`,
		`{"event_type":"step.delta","index":1,"delta":{"type":"google_search_result","result":[{"u":2}],"signature":"SB"}}`,
		`{"event_type":"step.stop","index":1}`,
		`{"event_type":"step.start","index":2,"step":{"type":"dream","id":7,"depth":{"a":[1,2]},"text":"z<z>z"}}`,
		`{"event_type":"step.stop","index":2}`,
		`{"event_type":"step.delta","index":3,"delta":{"type":"code_execution_result","result":"4","signature":"SC"}}`,
		`{"event_type":"step.delta","index":3,"delta":{"type":"code_execution_result","result":"2"}}`,
		`{"event_type":"step.stop","index":3}`,
		`{"event_type":"step.start","index":4,"step":{"type":"model_output","content":[{"type":"text","text":"It is","annotations":[{"type":"url_citation","url":"https://a"}]}]}}`,
		`{"event_type":"step.delta","index":4,"delta":{"type":"text","text":" hot."}}`,
		`{"event_type":"step.delta","index":4,"delta":{"type":"text_annotation_delta","annotations":[{"type":"url_citation","url":"https://b","title":"B"}]}}`,
		`{"event_type":"step.stop","index":4}`, completed), nil, ask("hi"))
	q := sent(t, nil, &llm.Request{Messages: []llm.Message{llm.User("hi"), roundTrip(t, resp.Message), llm.User("why?")}})
	same(t, input(t, q), `[{"type":"user_input","content":[{"type":"text","text":"hi"}]},
		{"type":"google_search_call","id":"s1","arguments":{"queries":["sun"]},"signature":"SA"},
		{"type":"google_search_result","call_id":"s1","result":[{"u":1},{"u":2}],"signature":"SB"},
		{"type":"dream","id":7,"depth":{"a":[1,2]},"text":"z<z>z"},
		{"type":"code_execution_result","result":"42","signature":"SC"},
		{"type":"model_output","content":[{"type":"text","text":"It is hot.","annotations":[{"type":"url_citation","url":"https://a"},{"type":"url_citation","url":"https://b","title":"B"}]}]},
		{"type":"user_input","content":[{"type":"text","text":"why?"}]}]`)
	if resp.Text() != "It is hot." || resp.Finish != llm.FinishStop {
		t.Errorf("text %q, finish %q", resp.Text(), resp.Finish)
	}
}

func TestPicturesOfTheModelAreMedia(t *testing.T) {
	t.Parallel()
	resp := must(t, events(created,
		`{"event_type":"step.start","index":0,"step":{"type":"model_output"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"Here:"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"image","data":"AAEC","mime_type":"image/png"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"Nice?"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"video","uri":"https://h/files/v","mime_type":"video/mp4"}}`,
		`{"event_type":"step.stop","index":0}`, completed), nil, ask("draw"))
	p := resp.Message.Parts
	if len(p) != 4 || p[1].Media == nil || string(p[1].Media.Data) != "\x00\x01\x02" || p[2].Text != "Nice?" || p[3].File == nil {
		t.Fatalf("parts %v", p)
	}
	q := sent(t, nil, &llm.Request{Messages: []llm.Message{llm.User("draw"), resp.Message, llm.User("again")}})
	same(t, input(t, q), `[{"type":"user_input","content":[{"type":"text","text":"draw"}]},
		{"type":"model_output","content":[{"type":"text","text":"Here:"},{"type":"image","mime_type":"image/png","data":"AAEC"},{"type":"text","text":"Nice?"},{"type":"video","mime_type":"video/mp4","uri":"https://h/files/v"}]},
		{"type":"user_input","content":[{"type":"text","text":"again"}]}]`)
}

// What another provider's model has thought is its own; what it said and called stays.
func TestHistoryOfAnotherProviderStaysValid(t *testing.T) {
	t.Parallel()
	foreign := llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{
		{Kind: llm.PartThinking, Text: "secret", Signature: "ANT", Model: "anthropic/claude-sonnet-5"},
		{Kind: llm.PartOpaque, Opaque: &llm.Opaque{Provider: "anthropic", Data: json.RawMessage(`{"type":"redacted_thinking"}`)}, Model: "anthropic/claude-sonnet-5"},
		{Kind: llm.PartText, Text: "Let me see.", Opaque: &llm.Opaque{Provider: "anthropic", Data: json.RawMessage(`{"citations":[]}`)}, Model: "anthropic/claude-sonnet-5"},
		{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "toolu_1", Name: "a.b", Args: json.RawMessage(`{"a":`)}, Signature: "X", Model: "openai/gpt-5"},
	}}
	onlyThought := llm.Message{Role: llm.RoleAssistant, Parts: foreign.Parts[:2]}
	q := sent(t, nil, &llm.Request{Messages: []llm.Message{llm.User("hi"), foreign, results(result("toolu_1", "a.b", "bad arguments")), llm.User("and?"), onlyThought, llm.User("go on")}})
	same(t, input(t, q), `[{"type":"user_input","content":[{"type":"text","text":"hi"}]},
		{"type":"model_output","content":[{"type":"text","text":"Let me see."}]},
		{"type":"function_call","id":"toolu_1","name":"a_b","arguments":{"invalid_arguments":"{\"a\":"}},
		{"type":"function_result","call_id":"toolu_1","name":"a_b","result":"bad arguments"},
		{"type":"user_input","content":[{"type":"text","text":"and?"}]},
		{"type":"user_input","content":[{"type":"text","text":"go on"}]}]`)
}

func TestThoughtsOfNoSignatureAreLeftOut(t *testing.T) {
	t.Parallel()
	m := llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{{Kind: llm.PartThinking, Text: "hm", Model: "gemini/gemini-3.8-flash"}, llm.Text("ok"), llm.Text("")}}
	q := sent(t, nil, &llm.Request{Messages: []llm.Message{llm.User("hi"), m, llm.User("more")}})
	if body := string(q.Body); strings.Contains(body, "thought") || strings.Contains(body, `"text":""`) {
		t.Errorf("body %s", body)
	}
}

func TestResultsWithPicturesAreLists(t *testing.T) {
	t.Parallel()
	picture, err := llm.NewMedia("image/png", []byte{0}, "")
	if err != nil {
		t.Fatal(err)
	}
	call := llm.Assistant("", llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "c1", Name: "plot"}})
	q := sent(t, nil, &llm.Request{Messages: []llm.Message{llm.User("plot"), call,
		results(llm.ToolResult{ID: "c1", Name: "plot", Parts: []llm.Part{llm.Text("done"), picture}})}})
	if want := `"result":[{"type":"text","text":"done"},{"type":"image","mime_type":"image/png","data":"AA=="}]`; !strings.Contains(string(q.Body), want) {
		t.Errorf("body %s, want %s", q.Body, want)
	}
}

// Bytes that are no UTF-8 and half characters do not make a request unreadable.
func TestBrokenTextBecomesValidJSON(t *testing.T) {
	t.Parallel()
	call := llm.Assistant("", llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "c\x01", Name: "f", Args: json.RawMessage(`{"a":"\ud83d"}`)}})
	q := sent(t, nil, &llm.Request{Messages: []llm.Message{llm.User("a\x80\x00"), call, results(result("c\x01", "f", "\xed\xa0\xbd"))}})
	if !json.Valid(q.Body) || strings.Contains(string(q.Body), `\ud83d`) {
		t.Errorf("body %q", q.Body)
	}
}

func TestContinuationSendsOnlyWhatIsNew(t *testing.T) { // case 54
	t.Parallel()
	wire := llmtest.NewWire(llmtest.SSE(thoughtAndCall), llmtest.SSE(strings.ReplaceAll(saying("22 <C>"), "int_1", "int_2")), llmtest.SSE(saying("ok")))
	model := on(wire, &gemini.Options{Key: testKey, Continuation: true})
	req := &llm.Request{System: []llm.Part{llm.Text("Be brief.")}, Messages: []llm.Message{llm.User("warm & <sunny>?")}, Tools: tools("f")}
	turn := func() {
		resp, err := llm.Generate(context.Background(), model, req)
		if err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, roundTrip(t, resp.Message))
	}
	turn()
	req.Messages = append(req.Messages, results(result("c1", "f", "22 C")))
	turn()
	req.Messages = append(req.Messages, llm.User("sure?"))
	turn()
	want := []struct{ previous, input string }{
		{"", `[{"type":"user_input","content":[{"type":"text","text":"warm & <sunny>?"}]}]`},
		{"int_1", `[{"type":"function_result","call_id":"c1","name":"f","result":"22 C"}]`},
		{"int_2", `[{"type":"user_input","content":[{"type":"text","text":"sure?"}]}]`},
	}
	for i, q := range wire.Requests() {
		var body struct {
			Previous string          `json:"previous_interaction_id"`
			System   string          `json:"system_instruction"`
			Store    *bool           `json:"store"`
			Tools    []any           `json:"tools"`
			Input    json.RawMessage `json:"input"`
		}
		if err := q.JSON(&body); err != nil {
			t.Fatal(err)
		}
		if body.Previous != want[i].previous || body.System != "Be brief." || body.Store != nil || len(body.Tools) != 1 {
			t.Errorf("request %d: %s", i, q.Body)
		}
		same(t, string(body.Input), want[i].input)
	}
	if strings.Contains(string(wire.Requests()[2].Body), "history") {
		t.Errorf("our own notes were sent: %s", wire.Requests()[2].Body)
	}
}

// What the server keeps is no longer what the caller means, or is not of this model.
func TestHistoryThatChangedIsSentWhole(t *testing.T) {
	t.Parallel()
	answered := func(o *gemini.Options) llm.Message {
		return must(t, saying("22 C"), o, ask("warm?")).Message
	}
	kept := answered(&gemini.Options{Key: testKey, Continuation: true})
	foreign := kept
	foreign.Parts = append([]llm.Part(nil), kept.Parts...)
	foreign.Parts[0].Model = "gemini/another"
	for name, messages := range map[string][]llm.Message{
		"the question is another": {llm.User("warm there?"), kept, llm.User("sure?")},
		"the start was cut off":   {kept, llm.User("sure?")},
		"more came before":        {llm.User("hello"), llm.User("warm?"), kept, llm.User("sure?")},
		"of another model":        {llm.User("warm?"), foreign, llm.User("sure?")},
		"not kept":                {llm.User("warm?"), answered(nil), llm.User("sure?")},
		"nothing since":           {llm.User("warm?"), kept},
	} {
		q := sent(t, &gemini.Options{Key: testKey, Continuation: true}, &llm.Request{Messages: messages})
		if body := string(q.Body); strings.Contains(body, "previous_interaction_id") || !strings.Contains(body, "22 C") {
			t.Errorf("%s: %s", name, body)
		}
	}
	// Without continuation the id has no meaning, and it is not sent.
	q := sent(t, nil, &llm.Request{Messages: []llm.Message{llm.User("warm?"), kept, llm.User("sure?")}})
	if body := string(q.Body); strings.Contains(body, "int_1") || !strings.Contains(body, `"store":false`) {
		t.Errorf("without continuation: %s", body)
	}
}

func TestForgottenConversationIsSentWhole(t *testing.T) {
	t.Parallel()
	o := &gemini.Options{Key: testKey, Continuation: true}
	kept := must(t, saying("22 C"), o, ask("warm?")).Message
	req := &llm.Request{Messages: []llm.Message{llm.User("warm?"), kept, llm.User("sure?")}}
	for _, gone := range []llmtest.Reply{
		llmtest.JSON(404, `{"error":{"code":"not_found","message":"gone"}}`),
		llmtest.JSON(400, `{"error":{"code":"invalid_request","message":"Previous interaction int_1 does not exist."}}`),
	} {
		wire := llmtest.NewWire(gone, llmtest.SSE(saying("ok")))
		resp, err := llm.Generate(context.Background(), on(wire, o), req)
		if err != nil || resp.Text() != "ok" {
			t.Fatalf("%v, error %v", resp, err)
		}
		if q := wire.Requests(); !strings.Contains(string(q[0].Body), `"previous_interaction_id":"int_1"`) || strings.Contains(string(q[1].Body), "previous") || !strings.Contains(string(q[1].Body), "22 C") {
			t.Errorf("first %s\nthen %s", q[0].Body, q[1].Body)
		}
	}
	for _, other := range []llmtest.Reply{llmtest.JSON(400, `{"error":{"message":"bad tool"}}`), llmtest.JSON(429, `{"error":{"message":"too many interactions"}}`), llmtest.SSE("").Unanswered()} {
		wire := llmtest.NewWire(other)
		if _, err := llm.Generate(context.Background(), on(wire, o), req); err == nil || len(wire.Requests()) != 1 {
			t.Errorf("%d requests, error %v, want one that failed", len(wire.Requests()), err)
		}
	}
}

// Pictures in a thought, and a signature that comes again, go back as they were.
func TestThoughtsWithPicturesGoBack(t *testing.T) {
	t.Parallel()
	resp := must(t, events(created,
		`{"event_type":"step.start","index":0,"step":{"type":"thought","signature":"SIG","novel":true}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"thought_summary","content":{"type":"image","data":"AA==","mime_type":"image/png"}}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"like this"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"thought_signature","signature":"SIGNED"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"thought_signature","signature":"+MORE"}}`,
		`{"event_type":"step.stop","index":0}`,
		`{"event_type":"step.delta","index":1,"delta":{"type":"thought_signature","signature":"LATE"}}`,
		`{"event_type":"step.stop","index":1}`, completed), nil, ask("hi"))
	q := sent(t, nil, &llm.Request{Messages: []llm.Message{llm.User("hi"), roundTrip(t, resp.Message), llm.User("go on")}})
	same(t, input(t, q), `[{"type":"user_input","content":[{"type":"text","text":"hi"}]},
		{"type":"thought","signature":"SIGNED+MORE","summary":[{"type":"text","text":"like this"},{"type":"image","data":"AA==","mime_type":"image/png"}],"novel":true},
		{"type":"thought","signature":"LATE"},
		{"type":"user_input","content":[{"type":"text","text":"go on"}]}]`)
}
