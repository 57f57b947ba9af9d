package openai_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/openai"
)

var weather = llm.ToolSpec{Name: "weather", Description: "The weather now", Input: json.RawMessage(
	`{"type":"object","properties":{"city":{"type":"string"},"unit":{"type":"string","enum":["celsius","kelvin"]}},"required":["city"],"additionalProperties":false}`)}

func TestARequestInFull(t *testing.T) {
	t.Parallel()
	schema, err := llm.ParseSchema("the answer", json.RawMessage(`{"type":"object","properties":{"warm":{"type":"boolean"}},"required":["warm"]}`))
	if err != nil {
		t.Fatal(err)
	}
	req := &llm.Request{
		System:   []llm.Part{llm.Text("a"), llm.Text(" "), llm.Text("b")},
		Messages: []llm.Message{llm.User("Is it <warm> & dry?")},
		Tools:    []llm.ToolSpec{weather},
		Choice:   llm.ToolChoice{Mode: llm.ChoiceAny},
		Output:   schema,
		Options: llm.Options{MaxTokens: 1024, Thinking: llm.ThinkingHigh, Temperature: new(0.2),
			Provider: map[string]json.RawMessage{"openai": json.RawMessage(`{"service_tier":"flex","include":["x"]}`), "anthropic": json.RawMessage(`{"a":1}`)}},
	}
	same(t, "the request", sent(t, req, &openai.Options{PromptCacheKey: "p"}, "gpt-6-sol"), `{
		"model":"gpt-6-sol","stream":true,"store":false,"include":["x"],"service_tier":"flex","prompt_cache_key":"p",
		"instructions":"a\n\nb","max_output_tokens":1024,"reasoning":{"effort":"high","summary":"auto"},
		"input":[{"type":"message","role":"user","content":"Is it <warm> & dry?"}],
		"tools":[{"type":"function","name":"weather","description":"The weather now","strict":true,"parameters":{"type":"object",
			"properties":{"city":{"type":"string"},"unit":{"type":["string","null"],"enum":["celsius","kelvin",null]}},"required":["city","unit"],"additionalProperties":false}}],
		"tool_choice":"required",
		"text":{"format":{"type":"json_schema","name":"the_answer","strict":true,"schema":{"type":"object","properties":{"warm":{"type":"boolean"}},"required":["warm"],"additionalProperties":false}}}}`)
	same(t, "the shortest request", sent(t, hello(), nil, "gpt-6-sol"), `{"model":"gpt-6-sol","stream":true,"store":false,
		"include":["reasoning.encrypted_content"],"input":[{"type":"message","role":"user","content":"hi"}]}`)
}

// Models that do not reason refuse to be asked for what they reasoned.
func TestOnlyModelsThatReasonAreAskedForIt(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{"gpt-6-sol": true, "o3": true, "gpt-4.1": false, "gpt-4o-2024-08-06": false, "gpt-4.9": false, "gpt-5-chat-latest": false, "my-deployment": true} {
		if _, got := sent(t, hello(), nil, id)["include"]; got != want {
			t.Errorf("%s: %t, want %t", id, got, want)
		}
	}
}

func TestHowMuchIsReasoned(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		id    string
		level llm.Thinking
		want  string // "": nothing is sent
		err   string
	}{
		{"gpt-6-sol", llm.ThinkingDefault, "", ""},
		{"gpt-6-sol", llm.ThinkingNone, "none", ""},
		{"gpt-6-sol", llm.ThinkingMinimal, "low", ""},
		{"gpt-6-sol", llm.ThinkingMax, "max", ""},
		{"gpt-5.6", llm.ThinkingNone, "none", ""},
		{"gpt-5.4", llm.ThinkingNone, "", ""},
		{"gpt-5.4", llm.ThinkingXHigh, "xhigh", ""},
		{"gpt-5.4", llm.ThinkingMax, "xhigh", ""},
		{"gpt-5.4-mini", llm.ThinkingMax, "high", ""},
		{"gpt-5.4-mini-2026-03-17", llm.ThinkingMinimal, "low", ""},
		{"gpt-5", llm.ThinkingMinimal, "minimal", ""},
		{"o3", llm.ThinkingXHigh, "high", ""},
		{"o3", llm.ThinkingNone, "", "o3 always reasons"},
		{"gpt-6.1-sol", llm.ThinkingNone, "", "gpt-6.1-sol always reasons"},
		{"gpt-4.1", llm.ThinkingNone, "", ""},
		{"gpt-4.1", llm.ThinkingLow, "", "gpt-4.1 does not reason"},
		{"novel-1", llm.ThinkingMinimal, "minimal", ""},
		{"novel-1", llm.ThinkingNone, "none", ""},
	} {
		req := hello()
		req.Options.Thinking = tt.level
		if tt.err != "" {
			refusedBefore(t, req, tt.id, tt.err)
			continue
		}
		want := `null`
		switch tt.want {
		case "":
		case "none":
			want = `{"effort":"none"}`
		default:
			want = `{"effort":"` + tt.want + `","summary":"auto"}`
		}
		same(t, tt.id+" "+tt.level.String(), sent(t, req, nil, tt.id)["reasoning"], want)
	}
	req := hello()
	req.Options.Thinking = llm.ThinkingLow
	same(t, "without a summary", sent(t, req, &openai.Options{Summary: "none"}, "o3")["reasoning"], `{"effort":"low"}`)
	same(t, "a long summary", sent(t, req, &openai.Options{Summary: "detailed"}, "o3")["reasoning"], `{"effort":"low","summary":"detailed"}`)
}

// refusedBefore checks that a request is an error before anything is sent.
func refusedBefore(t *testing.T, req *llm.Request, id, want string) {
	t.Helper()
	_, wire, err := ask(t, req, nil, id)
	if err == nil || !errors.Is(err, llm.ErrInvalidRequest) || !strings.Contains(err.Error(), want) || len(wire.Requests()) > 0 {
		t.Errorf("%s: %v after %d requests, want %q before any", id, err, len(wire.Requests()), want)
	}
}

func TestSamplingAndReasoning(t *testing.T) {
	t.Parallel()
	options := llm.Options{Temperature: new(0.5), TopP: new(0.9)}
	ask := func(thinking llm.Thinking, topP *float64) *llm.Request {
		req := hello()
		req.Options = options
		req.Options.Thinking, req.Options.TopP = thinking, topP
		return req
	}
	for name, tt := range map[string]struct {
		req         *llm.Request
		id          string
		temperature any
		topP        any
	}{
		"by default":        {ask(llm.ThinkingDefault, options.TopP), "gpt-4.1", 0.5, 0.9},
		"while it reasons":  {ask(llm.ThinkingLow, nil), "gpt-5.4", nil, nil},
		"by itself":         {ask(llm.ThinkingDefault, nil), "gpt-6.1-sol", nil, nil},
		"not by itself":     {ask(llm.ThinkingDefault, options.TopP), "gpt-5.4", 0.5, 0.9},
		"told not to":       {ask(llm.ThinkingNone, options.TopP), "gpt-6-sol", 0.5, 0.9},
		"nobody knows whom": {ask(llm.ThinkingLow, options.TopP), "novel-1", nil, 0.9},
	} {
		body := sent(t, tt.req, nil, tt.id)
		if body["temperature"] != tt.temperature || body["top_p"] != tt.topP {
			t.Errorf("%s: %v %v", name, body["temperature"], body["top_p"])
		}
	}
	refusedBefore(t, ask(llm.ThinkingLow, options.TopP), "gpt-5.4", "top_p")
	refusedBefore(t, ask(llm.ThinkingDefault, options.TopP), "o3", "top_p")
}

func TestSettingsThatTheAPILacksAreErrors(t *testing.T) {
	t.Parallel()
	stop := hello()
	stop.Options.Stop = []string{"END"}
	refusedBefore(t, stop, "gpt-6-sol", "Options.Stop")
	seed := hello()
	seed.Options.Seed = new(int64(7))
	refusedBefore(t, seed, "gpt-6-sol", "Options.Seed")
	system := hello()
	image, err := llm.NewMedia("image/png", []byte("x"), "")
	if err != nil {
		t.Fatal(err)
	}
	system.System = []llm.Part{image}
	refusedBefore(t, system, "gpt-6-sol", "Request.System[0]")
	other := hello()
	other.Options.Provider = map[string]json.RawMessage{"openai": json.RawMessage(`[1]`)}
	refusedBefore(t, other, "gpt-6-sol", `Options.Provider["openai"]`)
}

func TestWhichToolsMustBeCalled(t *testing.T) {
	t.Parallel()
	clock := llm.ToolSpec{Name: "admin.clock", Input: json.RawMessage(`{"type":"object"}`)}
	for _, tt := range []struct {
		choice llm.ToolChoice
		want   string
	}{
		{llm.ToolChoice{}, `null`},
		{llm.ToolChoice{Mode: llm.ChoiceNone}, `"none"`},
		{llm.ToolChoice{Mode: llm.ChoiceAny}, `"required"`},
		{llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"admin.clock"}}, `{"type":"function","name":"admin_clock"}`},
		{llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"weather", "admin.clock"}},
			`{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"weather"},{"type":"function","name":"admin_clock"}]}`},
	} {
		req := hello()
		req.Tools, req.Choice = []llm.ToolSpec{weather, clock}, tt.choice
		same(t, tt.choice.Mode.String(), sent(t, req, nil, "gpt-6-sol")["tool_choice"], tt.want)
	}
}

// A schema with a map of any keys cannot be strict, and stays as it is.
func TestSchemasAreStrictWhereTheyCanBe(t *testing.T) {
	t.Parallel()
	open := `{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"object","properties":{"a":{"type":"string"}}}}},"required":["m"]}`
	closed := `{"type":"object","properties":{"o":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}},"required":["o"]}`
	for in, want := range map[string]string{
		open:   `[{"type":"function","name":"f","strict":false,"parameters":` + open + `}]`,
		closed: `[{"type":"function","name":"f","strict":true,"parameters":{"type":"object","properties":{"o":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}},"required":["o"],"additionalProperties":false}}]`,
		``:     `[{"type":"function","name":"f","strict":true,"parameters":{"type":"object","properties":{},"required":[],"additionalProperties":false}}]`,
	} {
		req := hello()
		req.Tools = []llm.ToolSpec{{Name: "f", Input: json.RawMessage(in)}}
		same(t, "the tools", sent(t, req, nil, "gpt-6-sol")["tools"], want)
	}
	bad := hello()
	bad.Tools = []llm.ToolSpec{{Name: "f", Input: json.RawMessage(`[]`)}}
	refusedBefore(t, bad, "gpt-6-sol", "the tool f")
}

// What was optional and comes back as null was not given; names are ours again.
func TestStrictAnswersComeBackAsTheSchemaWantsThem(t *testing.T) {
	t.Parallel()
	tool := weather
	tool.Name = "admin.weather"
	schema, err := llm.ParseSchema("a", json.RawMessage(`{"type":"object","properties":{"warm":{"type":"boolean"},"why":{"type":"string"}},"required":["warm"]}`))
	if err != nil {
		t.Fatal(err)
	}
	req := hello()
	req.Tools, req.Output = []llm.ToolSpec{tool}, schema
	body := event(`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"admin_weather","arguments":""}}`) +
		event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"admin_weather","arguments":"{\"city\":\"Toulouse\",\"unit\":null}"}}`) +
		event(`{"type":"response.output_item.done","output_index":1,"item":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"{\"warm\":true,\"why\":null}"}]}}`) + done
	resp, _, err := ask(t, req, nil, "gpt-6-sol", llmtest.SSE(body))
	if err != nil {
		t.Fatal(err)
	}
	call := resp.Message.Calls()[0]
	if call.Name != "admin.weather" || string(call.Args) != `{"city":"Toulouse"}` || resp.Text() != `{"warm":true}` {
		t.Errorf("%s %s, %s", call.Name, call.Args, resp.Text())
	}
}
