package openai_test

import (
	"encoding/json"
	"testing"

	"github.com/helios-go/helios/llm"
)

func media(t *testing.T, mime, name string) llm.Part {
	t.Helper()
	p, err := llm.NewMedia(mime, []byte("data"), name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func file(t *testing.T, uri, mime, name string) llm.Part {
	t.Helper()
	p, err := llm.NewFile(uri, mime, name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// turns are the input that a conversation becomes.
func turns(t *testing.T, messages ...llm.Message) any {
	t.Helper()
	return sent(t, &llm.Request{Messages: messages}, nil, "gpt-6-sol")["input"]
}

func TestWhatAUserSends(t *testing.T) {
	t.Parallel()
	same(t, "the input", turns(t, llm.Message{Role: llm.RoleUser, Parts: []llm.Part{
		media(t, "image/png", ""), media(t, "application/pdf", "paper.pdf"), media(t, "text/csv", ""), media(t, "application/x-cdf", ""),
		file(t, "file-abc", "application/pdf", "x.pdf"), file(t, "file-img", "image/png", ""), file(t, "https://example.org/a.png", "image/png", ""),
		file(t, "https://example.org/a.pdf", "application/pdf", ""), file(t, "data:application/pdf;base64,ZGF0YQ==", "application/pdf", ""), llm.Text("What is it?"), llm.Text(""),
	}}), `[{"type":"message","role":"user","content":[
		{"type":"input_image","image_url":"data:image/png;base64,ZGF0YQ=="},
		{"type":"input_file","file_data":"data:application/pdf;base64,ZGF0YQ==","filename":"paper.pdf"},
		{"type":"input_file","file_data":"data:text/csv;base64,ZGF0YQ==","filename":"file.csv"},
		{"type":"input_file","file_data":"data:application/x-cdf;base64,ZGF0YQ==","filename":"file"},
		{"type":"input_file","file_id":"file-abc"},
		{"type":"input_image","file_id":"file-img"},
		{"type":"input_image","image_url":"https://example.org/a.png"},
		{"type":"input_file","file_url":"https://example.org/a.pdf"},
		{"type":"input_file","file_data":"data:application/pdf;base64,ZGF0YQ==","filename":"file.pdf"},
		{"type":"input_text","text":"What is it?"}]}]`)
}

func results(more ...llm.ToolResult) llm.Message {
	m := llm.Message{Role: llm.RoleTool}
	for i := range more {
		m.Parts = append(m.Parts, llm.Part{Kind: llm.PartResult, Result: &more[i]})
	}
	return m
}

func texts(s ...string) (parts []llm.Part) {
	for _, t := range s {
		parts = append(parts, llm.Text(t))
	}
	return parts
}

func call(id, name, args string) llm.Part {
	return llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}}
}

func TestCallsAndWhatToolsSaid(t *testing.T) {
	t.Parallel()
	same(t, "the input", turns(t, llm.User("hi"),
		llm.Assistant("Let me see.", call("c1", "a.b", `{"x": 1}`), call("c2", "f", ``), call("c3", "f", `{"cut":`), call("c4", "f", `{}`), call("c5", "f", `{}`)),
		results(
			llm.ToolResult{ID: "c1", Name: "a.b", Parts: texts("one")},
			llm.ToolResult{ID: "c2", Name: "f", Parts: texts("no such file", "at all"), IsError: true},
			llm.ToolResult{ID: "c3", Name: "f", Parts: texts("error: not JSON"), IsError: true},
			llm.ToolResult{ID: "c4", Name: "f", Parts: []llm.Part{llm.Text("see"), media(t, "image/png", "")}},
			llm.ToolResult{ID: "c5", Name: "f", IsError: true},
		)), `[{"type":"message","role":"user","content":"hi"},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Let me see."}]},
		{"type":"function_call","call_id":"c1","name":"a_b","arguments":"{\"x\": 1}"},
		{"type":"function_call","call_id":"c2","name":"f","arguments":"{}"},
		{"type":"function_call","call_id":"c3","name":"f","arguments":"{\"invalid_arguments\":\"{\\\"cut\\\":\"}"},
		{"type":"function_call","call_id":"c4","name":"f","arguments":"{}"},
		{"type":"function_call","call_id":"c5","name":"f","arguments":"{}"},
		{"type":"function_call_output","call_id":"c1","output":"one"},
		{"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"Error: no such file"},{"type":"input_text","text":"at all"}]},
		{"type":"function_call_output","call_id":"c3","output":"error: not JSON"},
		{"type":"function_call_output","call_id":"c4","output":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:image/png;base64,ZGF0YQ=="}]},
		{"type":"function_call_output","call_id":"c5","output":"Error: the tool failed"}]`)
}

// answer is what the model said in a fixture.
func answer(t *testing.T, name string) llm.Message {
	t.Helper()
	resp, err := stream(t, fixture(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return resp.Message
}

const (
	rs1   = `{"type":"reasoning","id":"rs_1","encrypted_content":"gAAA-1==","summary":[{"type":"summary_text","text":"**Plan** 🌞"},{"type":"summary_text","text":"Ask for the weather."}]}`
	bare1 = `{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Let me look: 你好🦀"}]}`
	msg1  = `{"id":"msg_1","type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Let me look: 你好🦀"}]}`
	call1 = `{"type":"function_call","call_id":"call_1","name":"weather","arguments":"{\"City\":\"Toulouse\"}"}`
	call2 = `{"type":"function_call","call_id":"call_2","name":"clock","arguments":"{}"}`
	user  = `{"type":"message","role":"user","content":"hi"}`
	done2 = `{"type":"function_call_output","call_id":"call_1","output":"22 C"},{"type":"function_call_output","call_id":"call_2","output":"noon"}`
)

func said() llm.Message {
	return results(llm.ToolResult{ID: "call_1", Name: "weather", Parts: texts("22 C")}, llm.ToolResult{ID: "call_2", Name: "clock", Parts: texts("noon")})
}

// An answer goes back as it came, in order and complete, as often as it is sent, and
// the same after it was stored.
func TestAnAnswerGoesBackAsItCame(t *testing.T) {
	t.Parallel()
	m := answer(t, "tools.sse")
	want := `[` + user + `,` + rs1 + `,` + msg1 + `,` + call1 + `,` + call2 + `,` + done2 + `]`
	same(t, "the input", turns(t, llm.User("hi"), m, said()), want)
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var stored llm.Message
	if err := json.Unmarshal(data, &stored); err != nil {
		t.Fatal(err)
	}
	same(t, "the input after a store", turns(t, llm.User("hi"), stored, said()), want)
}

// The server refuses reasoning without the very item that followed it.
func TestReasoningIsNeverAnOrphan(t *testing.T) {
	t.Parallel()
	whole := answer(t, "tools.sse")
	without := func(gone ...int) llm.Message {
		m := whole
		m.Parts = nil
		for i := range whole.Parts {
			keep := true
			for _, g := range gone {
				keep = keep && g != i
			}
			if keep {
				m.Parts = append(m.Parts, whole.Parts[i])
			}
		}
		return m
	}
	same(t, "what followed is gone", turns(t, llm.User("hi"), without(1), said()), `[`+user+`,`+call1+`,`+call2+`,`+done2+`]`)
	same(t, "what comes later is gone", turns(t, llm.User("hi"), without(2, 3)), `[`+user+`,`+rs1+`,`+msg1+`]`)
	same(t, "all else is gone", turns(t, llm.User("hi"), without(1, 2, 3), llm.User("hi")), `[`+user+`,`+user+`]`)
	same(t, "the reasoning is gone", turns(t, llm.User("hi"), without(0), said()), `[`+user+`,`+bare1+`,`+call1+`,`+call2+`,`+done2+`]`)
	redacted := without()
	redacted.Parts[0].Signature = ""
	same(t, "its secret part is gone", turns(t, llm.User("hi"), redacted, said()), `[`+user+`,`+bare1+`,`+call1+`,`+call2+`,`+done2+`]`)
	changed := without()
	changed.Parts[0].Text = "shorter"
	same(t, "its text has changed", turns(t, llm.User("hi"), changed, said()), `[`+user+`,{"type":"reasoning","id":"rs_1","encrypted_content":"gAAA-1==","summary":[{"type":"summary_text","text":"shorter"}]},`+msg1+`,`+call1+`,`+call2+`,`+done2+`]`)
}

// Reasoning without a summary still has one: an empty list.
func TestServerItemsGoBackInPlace(t *testing.T) {
	t.Parallel()
	same(t, "the input", turns(t, llm.User("hi"), answer(t, "search.sse")), `[`+user+`,{"type":"reasoning","id":"rs_1","encrypted_content":"gAAA-2==","summary":[]},
		{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"solar wind","novel_field":[1,{"x":"y"}]}},
		{"type":"message","role":"assistant","phase":"final_answer","content":[{"type":"output_text","text":"400 km/s",
			"annotations":[{"type":"url_citation","url":"https://example.org/wind","title":"Wind","start_index":0,"end_index":3}]}]}]`)
}

// An answer that was cut goes back as far as it came.
func TestACutAnswerGoesBack(t *testing.T) {
	t.Parallel()
	same(t, "the input", turns(t, llm.User("hi"), answer(t, "incomplete.sse"), llm.User("hi")), `[`+user+`,
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"The solar wi"}]},`+user+`]`)
}

// Two pieces of one message are one message again, reasoning in a row stays so.
func TestItemsOfSeveralParts(t *testing.T) {
	t.Parallel()
	body := event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"A"}}`) +
		event(`{"type":"response.output_item.done","output_index":1,"item":{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"B"}}`) +
		event(`{"type":"response.output_item.done","output_index":2,"item":{"type":"message","id":"m_1","role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]}}`) +
		event(`{"type":"response.output_item.done","output_index":3,"item":{"type":"message","id":"m_2","role":"assistant","content":[{"type":"output_text","text":"c"}]}}`) + done
	resp, err := stream(t, body)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the input", turns(t, resp.Message), `[{"type":"reasoning","id":"rs_1","encrypted_content":"A","summary":[]},{"type":"reasoning","id":"rs_2","encrypted_content":"B","summary":[]},
		{"id":"m_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"c"}]}]`)
}

// Open models tell what they thought; that is all there is to send back.
func TestReasoningInPlainTextGoesBack(t *testing.T) {
	t.Parallel()
	body := event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"hm"},{"type":"reasoning_text","text":"so"}]}}`) +
		event(`{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{}"}}`) + done
	resp, err := stream(t, body)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the input", turns(t, resp.Message), `[{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"hm"},{"type":"reasoning_text","text":"so"}]},
		{"id":"fc_1","type":"function_call","call_id":"c","name":"f","arguments":"{}"}]`)
}

// A conversation that another provider began goes on here without what is its own.
func TestAConversationFromElsewhere(t *testing.T) {
	t.Parallel()
	const theirs = "anthropic/claude-sonnet-5"
	foreign := &llm.Opaque{Provider: "anthropic", Data: json.RawMessage(`{"id":"x","type":"server_tool_use"}`)}
	same(t, "the input", turns(t, llm.User("hi"), llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{
		{Kind: llm.PartThinking, Text: "hm", Signature: "S", Model: theirs},
		{Kind: llm.PartOpaque, Opaque: foreign, Model: theirs},
		{Kind: llm.PartText, Text: "a", Opaque: foreign, Model: theirs},
		{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "toolu_1", Name: "f", Args: json.RawMessage(`{}`)}, Signature: "S", Model: theirs},
	}}, results(llm.ToolResult{ID: "toolu_1", Name: "f", Parts: texts("x")}),
		llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{{Kind: llm.PartOpaque, Opaque: foreign, Model: theirs}}},
		llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{media(t, "image/png", "sun.png")}},
	), `[`+user+`,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]},
		{"type":"function_call","call_id":"toolu_1","name":"f","arguments":"{}"},
		{"type":"function_call_output","call_id":"toolu_1","output":"x"},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"[image/png \"sun.png\", 4 bytes]"}]}]`)
	// Reasoning is the model's own, items are the provider's.
	m := answer(t, "search.sse")
	req := &llm.Request{Messages: []llm.Message{m}}
	input, ok := sent(t, req, nil, "gpt-6-luna")["input"].([]any)
	if !ok || len(input) != 2 {
		t.Errorf("another model of ours is sent %v, want the search and the text", input)
	}
}

func TestLongIDsArePaired(t *testing.T) {
	t.Parallel()
	long := "call_" + string(make([]byte, 100))
	input, ok := turns(t, llm.Assistant("", call(long, "f", `{}`)), results(llm.ToolResult{ID: long, Name: "f", Parts: texts("x")})).([]any)
	if !ok || len(input) != 2 {
		t.Fatal(input)
	}
	a, b := input[0].(map[string]any)["call_id"], input[1].(map[string]any)["call_id"]
	if a != b || len(a.(string)) > 64 {
		t.Errorf("%q is answered as %q", a, b)
	}
}
