package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/openai"
)

// told is a message in lines, with all that is kept of it.
func told(m *llm.Message) string {
	var b strings.Builder
	for i := range m.Parts {
		p := &m.Parts[i]
		fmt.Fprintf(&b, "%s %q", p.Kind, p.Text)
		if p.Call != nil {
			fmt.Fprintf(&b, " %s %s %s", p.Call.ID, p.Call.Name, p.Call.Args)
		}
		if p.Signature != "" {
			fmt.Fprintf(&b, " signed %s", p.Signature)
		}
		if p.Opaque != nil {
			fmt.Fprintf(&b, " %s", p.Opaque.Data)
		}
		if p.Model != "" {
			fmt.Fprintf(&b, " of %s", p.Model)
		}
		b.WriteString("\n")
	}
	return b.String()
}

const toolsTold = `thinking "**Plan** 🌞\n\nAsk for the weather." signed gAAA-1== {"helios":{"next":"msg_1","summary":[13,20]},"id":"rs_1"} of openai/gpt-6-sol
text "Let me look: 你好🦀" {"id":"msg_1","phase":"commentary"} of openai/gpt-6-sol
tool_call "" call_1 weather {"City":"Toulouse"} {"id":"fc_1"} of openai/gpt-6-sol
tool_call "" call_2 clock {} {"id":"fc_2"} of openai/gpt-6-sol
`

func TestATurnWithEverything(t *testing.T) {
	t.Parallel()
	resp, err := stream(t, fixture(t, "tools.sse"))
	if err != nil {
		t.Fatal(err)
	}
	if got := told(&resp.Message); got != toolsTold {
		t.Errorf("the message is\n%swant\n%s", got, toolsTold)
	}
	if resp.Finish != llm.FinishToolCalls || resp.Usage != (llm.Usage{Input: 50, CacheRead: 40, CacheWrite: 10, Output: 57}) {
		t.Errorf("%s, %+v", resp.Finish, resp.Usage)
	}
	same(t, "the meta", resp.Meta, `{"id":"resp_1","model":"gpt-6-sol-2026-09-22","status":"completed","service_tier":"default","reasoning_tokens":30}`)
}

// What is shown while it comes is what there is in the end, part by part.
func TestDeltasAddUp(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tools.sse", "search.sse", "refusal.sse", "incomplete.sse"} {
		wire := llmtest.NewWire(llmtest.SSE(fixture(t, name)))
		m := openai.New("gpt-6-sol", &openai.Options{Key: key, HTTP: wire.Client()})
		deltas := map[int]string{}
		for c, err := range m.Stream(t.Context(), hello()) {
			if err != nil {
				t.Fatal(err)
			}
			switch c.Kind {
			case llm.ChunkText, llm.ChunkThinking, llm.ChunkArgs:
				deltas[c.Index] += c.Text
			case llm.ChunkCall:
				if c.Call.ID == "" || c.Call.Name == "" || len(c.Call.Args) > 0 {
					t.Errorf("%s: a call begins as %v", name, c.Call)
				}
			case llm.ChunkPart:
				want := c.Part.Text
				if c.Part.Call != nil {
					want = string(c.Part.Call.Args)
				}
				if deltas[c.Index] != want {
					t.Errorf("%s: the deltas of part %d are %q, want %q", name, c.Index, deltas[c.Index], want)
				}
			}
		}
	}
}

// Whatever the pieces and the ends of lines, and whoever leaves out the name of the
// event, the sequence number or the blank after the colon.
func TestTheSameFromAnyPieces(t *testing.T) {
	t.Parallel()
	body := fixture(t, "tools.sse")
	for ending, end := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r"} {
		for name, cut := range llmtest.Cuts() {
			t.Run(ending+" "+name, func(t *testing.T) {
				t.Parallel()
				resp, _, err := ask(t, hello(), nil, "gpt-6-sol", llmtest.SSE(llmtest.LineEnds(body, end)).Cut(cut))
				if err != nil || told(&resp.Message) != toolsTold {
					t.Errorf("%v\n%s", err, told(&resp.Message))
				}
			})
		}
	}
	lean := ": ping\n\n"
	for line := range strings.Lines(body) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			at := strings.LastIndex(data, `,"sequence_number"`)
			lean += "data:" + data[:at] + "}\n\n"
		}
	}
	resp, err := stream(t, lean)
	if err != nil || told(&resp.Message) != toolsTold {
		t.Errorf("%v\n%s", err, told(&resp.Message))
	}
}

// A connection may break anywhere: there is no whole answer, and nothing to run.
func TestAnAnswerIsWholeOnlyAtItsEnd(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tools.sse", "refusal.sse", "incomplete.sse"} {
		body := fixture(t, name)
		last := strings.LastIndex(body, "data: ")
		end := last + strings.IndexByte(body[last:], '\n')
		for at := 0; at < len(body); at += 1 + len(body)/700 {
			for how, reply := range map[string]llmtest.Reply{"broken": llmtest.SSE(body).Dropping(at), "ended": llmtest.SSE(body[:at])} {
				resp, _, err := ask(t, hello(), nil, "gpt-6-sol", reply)
				if at >= end {
					continue
				}
				if err == nil || !errors.Is(err, llm.ErrTransient) || !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("%s, %s after %d bytes: %v", name, how, at, err)
				}
				if len(resp.Message.Calls()) > 0 {
					t.Fatalf("%s, %s after %d bytes: there are calls", name, how, at)
				}
			}
		}
	}
}

func TestWhatTheServerDoesItselfIsKeptInPlace(t *testing.T) {
	t.Parallel()
	resp, err := stream(t, fixture(t, "search.sse"))
	if err != nil {
		t.Fatal(err)
	}
	want := `thinking "" signed gAAA-2== {"helios":{"next":"ws_1"},"id":"rs_1"} of openai/gpt-6-sol
opaque "" {"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"solar wind","novel_field":[1,{"x":"y"}]}} of openai/gpt-6-sol
text "400 km/s" {"content":{"annotations":[{"type":"url_citation","url":"https://example.org/wind","title":"Wind","start_index":0,"end_index":3}]},"id":"msg_1","phase":"final_answer"} of openai/gpt-6-sol
`
	if got := told(&resp.Message); got != want || resp.Finish != llm.FinishStop {
		t.Errorf("%s, the message is\n%swant\n%s", resp.Finish, got, want)
	}
}

func TestHowAnswersEnd(t *testing.T) {
	t.Parallel()
	text := event(`{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"partial"}`)
	call := event(`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":""}}`)
	usage := `"usage":{"input_tokens":5,"output_tokens":2}`
	for name, tt := range map[string]struct {
		body   string
		finish llm.FinishReason
	}{
		"refused":             {fixture(t, "refusal.sse"), llm.FinishRefusal},
		"cut at the limit":    {fixture(t, "incomplete.sse"), llm.FinishLength},
		"filtered":            {text + event(`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"},`+usage+`}}`), llm.FinishContentFilter},
		"without a reason":    {text + event(`{"type":"response.completed","response":{"status":"incomplete","incomplete_details":null,`+usage+`}}`), llm.FinishLength},
		"well":                {text + event(`{"type":"response.completed","response":{"status":"completed",`+usage+`}}`), llm.FinishStop},
		"without a status":    {text + event(`{"type":"response.completed","response":{}}`), llm.FinishStop},
		"with a call":         {call + event(`{"type":"response.completed","response":{"status":"completed"}}`), llm.FinishToolCalls},
		"cut with a call":     {call + event(`{"type":"response.incomplete","response":{"status":"incomplete"}}`), llm.FinishLength},
		"with [DONE]":         {text + "data: [DONE]\n\n" + event(`{"type":"response.completed","response":{"status":"completed"}}`), llm.FinishStop},
		"without a line":      {text + strings.TrimSpace(event(`{"type":"response.completed","response":{"status":"completed"}}`)), llm.FinishStop},
		"nothing but the end": {done, llm.FinishStop},
	} {
		resp, err := stream(t, tt.body)
		if err != nil || resp.Finish != tt.finish {
			t.Errorf("%s: %s, %v; want %s", name, resp.Finish, err, tt.finish)
		}
		if strings.Contains(tt.body, usage) && resp.Usage != (llm.Usage{Input: 5, Output: 2}) {
			t.Errorf("%s: the usage is %+v", name, resp.Usage)
		}
	}
}

func event(data string) string { return "data: " + data + "\n\n" }

// A refusal is a text that goes back as what it is.
func TestARefusalIsToldAndKept(t *testing.T) {
	t.Parallel()
	resp, err := stream(t, fixture(t, "refusal.sse"))
	if err != nil || resp.Text() != "I cannot help." {
		t.Fatalf("%q, %v", resp.Text(), err)
	}
	req := &llm.Request{Messages: []llm.Message{llm.User("hi"), resp.Message, llm.User("why?")}}
	same(t, "the input", sent(t, req, nil, "gpt-6-sol")["input"], `[{"type":"message","role":"user","content":"hi"},
		{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"I cannot help."}]},
		{"type":"message","role":"user","content":"why?"}]`)
}

// Servers leave out what they like: places, ids, the last events, the whole text.
func TestServersThatSayLess(t *testing.T) {
	t.Parallel()
	end := event(`{"type":"response.completed","response":{"status":"completed"}}`)
	for name, tt := range map[string]struct{ body, want string }{
		"no item is ever done": {event(`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":""}}`) +
			event(`{"type":"response.function_call_arguments.delta","item_id":"fc_1","delta":"{\"a\":1}"}`) +
			event(`{"type":"response.function_call_arguments.done","item_id":"fc_1","arguments":"{\"a\":1}"}`) + end,
			`tool_call "" call_1 f {"a":1}` + "\n"},
		"deltas and nothing after them": {event(`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f"}}`) +
			event(`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"a\":"}`) +
			event(`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"1}"}`) + end,
			`tool_call "" call_1 f {"a":1}` + "\n"},
		"two calls without places": {event(`{"type":"response.output_item.added","item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f"}}`) +
			event(`{"type":"response.output_item.added","item":{"type":"function_call","id":"fc_2","call_id":"call_2","name":"g"}}`) +
			event(`{"type":"response.function_call_arguments.delta","item_id":"fc_2","delta":"{\"b\":2}"}`) +
			event(`{"type":"response.function_call_arguments.delta","item_id":"fc_1","delta":"{\"a\":1}"}`) + end,
			`tool_call "" call_1 f {"a":1}` + "\n" + `tool_call "" call_2 g {"b":2}` + "\n"},
		"an id that changes": {event(`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"x1","call_id":"call_1","name":"f"}}`) +
			event(`{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"x2","delta":"{\"a\":1}"}`) +
			event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"x3","call_id":"call_1","name":"f","arguments":"{\"a\":1}"}}`) + end,
			`tool_call "" call_1 f {"a":1} {"id":"x3"} of openai/gpt-6-sol` + "\n"},
		"arguments in the last event only": {event(`{"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call","call_id":"call_1","name":"f","arguments":"{\"a\":1}"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"and"}]}]}}`),
			`tool_call "" call_1 f {"a":1}` + "\n" + `text "and"` + "\n"},
		"arguments as an object": {event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"call_1","name":"f","arguments":{"a":1}}}`) + end,
			`tool_call "" call_1 f {"a":1}` + "\n"},
		"no arguments": {event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"call_1","name":"f","arguments":""}}`) + end,
			`tool_call "" call_1 f {}` + "\n"},
		"no id of any kind": {event(`{"type":"response.output_item.done","output_index":3,"item":{"type":"function_call","name":"f","arguments":"{}"}}`) + end,
			`tool_call "" call_3 f {}` + "\n"},
		"cut arguments": {event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"call_1","name":"f","arguments":"{\"path\":\"a\",\"content\":\"x"}}`) + end,
			`tool_call "" call_1 f {"path":"a","content":"x` + "\n"},
		"a text without deltas": {event(`{"type":"response.output_text.done","item_id":"m","output_index":0,"content_index":0,"text":"all of it"}`) + end,
			`text "all of it"` + "\n"},
		"reasoning as it was thought": {event(`{"type":"response.reasoning_text.delta","item_id":"rs_1","output_index":0,"content_index":0,"delta":"hm"}`) +
			event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]}}`) +
			event(`{"type":"response.output_item.done","output_index":1,"item":{"type":"message","id":"m_1","role":"assistant","content":[{"type":"output_text","text":"so"}]}}`) + end,
			`thinking "hm" {"helios":{"next":"m_1","content":[2]},"id":"rs_1"} of openai/gpt-6-sol` + "\n" + `text "so" {"id":"m_1"} of openai/gpt-6-sol` + "\n"},
	} {
		resp, err := stream(t, tt.body)
		if err != nil || told(&resp.Message) != tt.want {
			t.Errorf("%s: %v\n%swant\n%s", name, err, told(&resp.Message), tt.want)
		}
	}
}

// A server that does not stream answers with the whole at once.
func TestAnAnswerThatIsNotAStream(t *testing.T) {
	t.Parallel()
	resp, _, err := ask(t, hello(), nil, "gpt-6-sol", llmtest.JSON(200, `{"id":"resp_1","object":"response","status":"completed",
		"output":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"E"},{"type":"message","id":"m_1","role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]}],
		"usage":{"input_tokens":5,"output_tokens":2}}`))
	if err != nil || resp.Text() != "ab" || resp.Usage.Total() != 7 || resp.Message.Parts[0].Signature != "E" {
		t.Errorf("%v, %+v", err, resp)
	}
	_, _, err = ask(t, hello(), nil, "gpt-6-sol", llmtest.JSON(200, `{"id":"resp_1","object":"response","status":"queued","output":[]}`))
	if err == nil || !strings.Contains(err.Error(), "queued") {
		t.Errorf("%v, want that it is queued", err)
	}
}

func TestLongLinesAreRead(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef\\n", 4<<20/18)
	body := event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m_1","role":"assistant","content":[{"type":"output_text","text":"`+long+`"}]}}`) + done
	resp, err := stream(t, body)
	if err != nil || resp.Text() != strings.ReplaceAll(long, `\n`, "\n") {
		t.Errorf("%v, %d bytes", err, len(resp.Text()))
	}
}

// Characters that were cut in two, and bytes that are none, harm nothing later on.
func TestBrokenCharacters(t *testing.T) {
	t.Parallel()
	body := event(`{"type":"response.output_text.delta","output_index":0,"delta":"a\ud83dz \ud83c\udf1e`+"\xff\xed\xa0\xbd"+`"}`) +
		event(`{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":\"\\ud83d\"}"}}`) + done
	resp, err := stream(t, body)
	if err != nil || len(resp.Message.Parts) != 2 {
		t.Fatalf("%v, %+v", err, resp.Message)
	}
	if text := resp.Text(); text != "a\ufffdz 🌞\ufffd\ufffd\ufffd\ufffd" {
		t.Errorf("the text is %q", text)
	}
	// Those that come in two events are whole again.
	halves, err := stream(t, event(`{"type":"response.output_text.delta","output_index":0,"delta":"a\ud83c"}`)+event(`{"type":"response.output_text.delta","output_index":0,"delta":"\udf1e"}`)+done)
	if err != nil || halves.Text() != "a🌞" {
		t.Errorf("%q, %v", halves.Text(), err)
	}
	req := &llm.Request{Messages: []llm.Message{llm.User("hi"), resp.Message, {Role: llm.RoleTool, Parts: []llm.Part{
		{Kind: llm.PartResult, Result: &llm.ToolResult{ID: "c", Name: "f", Parts: []llm.Part{llm.Text("\xed\xa0\xbd \x80 \x00")}}}}}}}
	if in, err := json.Marshal(sent(t, req, nil, "gpt-6-sol")["input"]); err != nil || !json.Valid(in) {
		t.Errorf("%v: %s", err, in)
	}
}

// The terminal event repeats the whole answer: what no event told before is in it.
func TestAnItemThatOnlyTheEndTellsIsNotLost(t *testing.T) {
	t.Parallel()
	text := `{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"I look."}]}`
	resp, err := stream(t, `data: {"type":"response.output_item.done","output_index":0,"item":`+text+"}\n\n"+
		`data: {"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[`+text+
		`,{"id":"fc_1","type":"function_call","call_id":"call_1","name":"clock","arguments":"{}"}]}}`+"\n\n")
	if err != nil || resp.Message.Text() != "I look." || len(resp.Message.Calls()) != 1 || resp.Finish != llm.FinishToolCalls {
		t.Errorf("%+v, %v; want the text once, and the call", resp, err)
	}
}
