package compat_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

type forecast struct {
	City string  `json:"city"`
	High float64 `json:"high"`
	Note string  `json:"note,omitempty"`
}

// wanted is a request for a forecast, with tools or without.
func wanted(t *testing.T, tools ...string) *llm.Request {
	t.Helper()
	schema, err := llm.SchemaFor[forecast]("fore cast")
	if err != nil {
		t.Fatal(err)
	}
	req := &llm.Request{Messages: []llm.Message{llm.User("hi")}, Output: schema}
	for _, name := range tools {
		req.Tools = append(req.Tools, llm.ToolSpec{Name: name})
	}
	return req
}

func TestASchemaIsGivenInTheFormTheServerKnows(t *testing.T) {
	t.Parallel()
	const tool = `"name":"submit_answer"`
	for _, tt := range []struct {
		dialect      string
		tools        []string
		format, find string // what response_format has, and what the body has besides
		choice       string
	}{
		{"openai-chat", nil, `"strict":true`, `"type":["string","null"]`, ""},
		{"openai-chat", []string{"a"}, `"name":"fore_cast"`, ``, ""},
		{"ollama", nil, `"json_schema"`, ``, ""},
		{"ollama", []string{"a"}, ``, tool, `"required"`},
		{"vllm", []string{"a"}, ``, tool, `"required"`},
		{"llamacpp", []string{"a"}, ``, tool, `"required"`},
		{"mistral", nil, `"json_schema"`, ``, ""},
		{"openrouter", []string{"a"}, ``, tool, `"required"`},
		{"groq", nil, ``, tool, `"required"`},
		{"groq", []string{"a", "submit_answer"}, ``, `"name":"submit_answer_"`, `"required"`},
		{"deepseek", nil, `{"type":"json_object"}`, `JSON Schema`, ""},
		{"deepseek", []string{"a"}, ``, tool, ""},
	} {
		body, err := sent(t, dialect(t, tt.dialect), wanted(t, tt.tools...))
		if err != nil {
			t.Fatal(err)
		}
		format := member(t, body, "response_format")
		if !strings.Contains(format, tt.format) || tt.format == "" && format != "" {
			t.Errorf("%s %v: response_format is %s, want %s", tt.dialect, tt.tools, format, tt.format)
		}
		if !strings.Contains(string(body), tt.find) || member(t, body, "tool_choice") != tt.choice {
			t.Errorf("%s %v: %s", tt.dialect, tt.tools, body)
		}
	}
}

func TestAnAnswerThatIsACallIsReadAsText(t *testing.T) {
	t.Parallel()
	const answer = `{"city":"Kiruna","high":-20}`
	quoted, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	submitted := `{"index":0,"id":"s","function":{"name":"submit_answer","arguments":` + string(quoted) + `}}`
	other := `{"index":1,"id":"b","function":{"name":"a","arguments":"{}"}}`
	for name, tt := range map[string]struct {
		events []string
		text   string
		calls  string
		finish llm.FinishReason
	}{
		"the call":                {[]string{called(submitted)}, answer, "", llm.FinishStop},
		"with prose before":       {[]string{delta(`{"content":"Here it is:"}`), called(submitted)}, answer, "", llm.FinishStop},
		"another call beside it":  {[]string{delta(`{"content":"First a."}`), called(submitted, other)}, "First a.", "b a {}", llm.FinishToolCalls},
		"another call only":       {[]string{called(other)}, "", "b a {}", llm.FinishToolCalls},
		"text in place of a call": {[]string{delta(`{"content":"{\"city\":"}`), delta(`{"content":"\"x\"}"}`)}, `{"city":"x"}`, "", llm.FinishStop},
		"a call without anything": {[]string{called(`{"index":0,"id":"s","function":{"name":"submit_answer"}}`)}, "{}", "", llm.FinishStop},
	} {
		resp, _, err := ask(t, dialect(t, "groq"), llmtest.SSE(events(append(tt.events, stopped)...)), wanted(t, "a"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if resp.Text() != tt.text || showCalls(t, resp) != tt.calls || resp.Finish != tt.finish {
			t.Errorf("%s: %q, %s, %s; want %q, %s, %s", name, resp.Text(), showCalls(t, resp), resp.Finish, tt.text, tt.calls, tt.finish)
		}
	}
}

func TestAnAnswerWithoutToolsIsAskedForWithoutThem(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"vllm": `"json_schema"`, "groq": `"submit_answer"`} {
		req := wanted(t, "a")
		req.Choice = llm.ToolChoice{Mode: llm.ChoiceNone}
		body, err := sent(t, dialect(t, name), req)
		if err != nil || !strings.Contains(string(body), want) || strings.Contains(string(body), `"name":"a"`) {
			t.Errorf("%s: %s, %v", name, body, err)
		}
	}
}

func TestACallThatTheCallerWantsIsNotTheAnswer(t *testing.T) {
	t.Parallel()
	req := wanted(t, "a")
	req.Choice = llm.ToolChoice{Mode: llm.ChoiceAny}
	body, err := sent(t, dialect(t, "groq"), req)
	if err != nil || strings.Contains(string(body), "submit_answer") {
		t.Errorf("%s, %v", body, err)
	}
}

func TestMediaGoAsTheServerTakesThem(t *testing.T) {
	t.Parallel()
	file := func(uri, mime string) llm.Part {
		p, err := llm.NewFile(uri, mime, "")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, tt := range []struct {
		dialect string
		part    llm.Part
		want    string // "" is an error
	}{
		{"ollama", media(t, "image/png", "x", ""), `{"type":"image_url","image_url":{"url":"data:image/png;base64,eA=="}}`},
		{"ollama", file("https://h.example/a.png", "image/png"), ""},
		{"openai-chat", file("https://h.example/a.png", "image/png"), `{"type":"image_url","image_url":{"url":"https://h.example/a.png"}}`},
		{"openai-chat", file("file-123", "application/pdf"), `{"type":"file","file":{"file_id":"file-123"}}`},
		{"openai-chat", media(t, "application/pdf", "x", ""), `{"type":"file","file":{"filename":"document.pdf","file_data":"data:application/pdf;base64,eA=="}}`},
		{"groq", media(t, "application/pdf", "x", ""), ""},
		{"deepseek", media(t, "image/png", "x", ""), `{"type":"image_url","image_url":{"url":"data:image/png;base64,eA=="}}`},
		{"openai-chat", media(t, "audio/mpeg", "x", ""), `{"type":"input_audio","input_audio":{"data":"eA==","format":"mp3"}}`},
		{"openai-chat", media(t, "audio/ogg", "x", ""), ""},
		{"openai-chat", media(t, "video/mp4", "x", ""), ""},
		{"deepseek", media(t, "text/csv; charset=utf-8", "a,b", "t.csv"), `"see\n\n[attachment t.csv text/csv]\na,b"`},
		{"deepseek", media(t, "application/json", "{}", ""), `"see\n\n[attachment application/json]\n{}"`},
	} {
		body, err := sent(t, dialect(t, tt.dialect), &llm.Request{Messages: []llm.Message{llm.User("see", tt.part)}})
		switch {
		case tt.want == "" && (!errors.Is(err, llm.ErrInvalidRequest) || !strings.Contains(err.Error(), tt.dialect)):
			t.Errorf("%s, %s: %v, want an error", tt.dialect, tt.part, err)
		case tt.want != "" && (err != nil || !strings.Contains(string(body), tt.want)):
			t.Errorf("%s, %s: %s, %v; want %s", tt.dialect, tt.part, body, err, tt.want)
		}
	}
}

func TestWhatIsNoTextIsSentAsValidJSON(t *testing.T) {
	t.Parallel()
	dirty := "a\xed\xa0\xbdb\x80c\x00"
	body, err := sent(t, dialect(t, "vllm"), &llm.Request{Messages: []llm.Message{
		llm.User(dirty), llm.Assistant("", call("c\x00\xff", "f", `{"s":"\ud83d","t":"`+"\xff"+`"}`)),
		{Role: llm.RoleTool, Parts: []llm.Part{result("c\x00\xff", "f", llm.Text(dirty))}},
	}})
	if err != nil || !json.Valid(body) || !utf8.Valid(body) {
		t.Errorf("%q, %v", body, err)
	}
}

func TestACallAndItsResultKeepTheSameID(t *testing.T) {
	t.Parallel()
	req := &llm.Request{Messages: []llm.Message{llm.User("hi")}}
	for _, id := range []string{"toolu_01AbC-very-long-identifier-of-another-provider-0123456789", "call.1", "aB3dE6gH9", "x"} {
		req.Messages = append(req.Messages, llm.Assistant("", call(id, "f", "{}")), llm.Message{Role: llm.RoleTool, Parts: []llm.Part{result(id, "f", llm.Text("ok"))}})
	}
	for _, name := range []string{"mistral", "openai-chat", "openrouter"} {
		body, err := sent(t, dialect(t, name), req)
		if err != nil {
			t.Fatal(err)
		}
		var in struct {
			Messages []struct {
				ID    string                `json:"tool_call_id"`
				Calls []struct{ ID string } `json:"tool_calls"`
			}
		}
		if err := json.Unmarshal(body, &in); err != nil {
			t.Fatal(err)
		}
		last, seen := "", map[string]bool{}
		for _, m := range in.Messages {
			switch {
			case len(m.Calls) > 0:
				last = m.Calls[0].ID
				if seen[last] || name == "mistral" && (len(last) != 9 || strings.ContainsAny(last, "_-.")) || len(last) > 40 || strings.Contains(last, ".") {
					t.Errorf("%s: the id %q", name, last)
				}
				seen[last] = true
			case m.ID != "" && m.ID != last:
				t.Errorf("%s: the result is of %q, the call of %q", name, m.ID, last)
			}
		}
	}
}
