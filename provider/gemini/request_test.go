package gemini_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/gemini"
)

func TestRequestGoesToTheVersionWithItsRevision(t *testing.T) { // cases 51, 52
	t.Parallel()
	for name, c := range map[string]struct {
		o                    gemini.Options
		host, path, revision string
		key                  string
	}{
		"default":            {gemini.Options{Key: testKey}, "generativelanguage.googleapis.com", "/v1beta/interactions", "2026-05-20", testKey},
		"v1":                 {gemini.Options{Key: testKey, Version: "v1"}, "generativelanguage.googleapis.com", "/v1/interactions", "2026-05-20", testKey},
		"another revision":   {gemini.Options{Key: testKey, Revision: "2026-11-01"}, "generativelanguage.googleapis.com", "/v1beta/interactions", "2026-11-01", testKey},
		"a base URL":         {gemini.Options{BaseURL: "https://proxy.example.org/g/v9/", Version: "v1"}, "proxy.example.org", "/g/v9/interactions", "2026-05-20", ""},
		"a header":           {gemini.Options{Key: testKey, Header: http.Header{"api-revision": {"2027-01-01"}, "X-Team": {"a"}}}, "generativelanguage.googleapis.com", "/v1beta/interactions", "2027-01-01", testKey},
		"a header of no key": {gemini.Options{Key: testKey, Header: http.Header{"x-goog-api-key": nil}}, "generativelanguage.googleapis.com", "/v1beta/interactions", "2026-05-20", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := sent(t, &c.o, ask("hi"))
			if q.Method != http.MethodPost || q.Host != c.host || q.Path != c.path {
				t.Errorf("%s %s%s, want POST %s%s", q.Method, q.Host, q.Path, c.host, c.path)
			}
			if got := q.Header.Get("Api-Revision"); got != c.revision {
				t.Errorf("revision %q, want %q", got, c.revision)
			}
			if got := q.Header.Get("X-Goog-Api-Key"); got != c.key {
				t.Errorf("key %q, want %q", got, c.key)
			}
		})
	}
}

func TestRefusalOfAVersionIsNotTriedOnAnother(t *testing.T) { // case 53
	t.Parallel()
	wire := llmtest.NewWire(llmtest.JSON(400, `{"error":{"code":"invalid_request","message":"not on v1"}}`))
	_, err := llm.Generate(context.Background(), on(wire, &gemini.Options{Key: testKey, Version: "v1"}), ask("hi"))
	if !errors.Is(err, llm.ErrInvalidRequest) || len(wire.Requests()) != 1 {
		t.Errorf("error %v after %d requests, want one", err, len(wire.Requests()))
	}
}

func TestSmallestRequest(t *testing.T) {
	t.Parallel()
	q := sent(t, nil, ask("hi"))
	err := q.SameJSON(`{"model":"gemini-3.8-flash","input":[{"type":"user_input","content":[{"type":"text","text":"hi"}]}],"store":false,"stream":true}`)
	if err != nil {
		t.Error(err)
	}
}

func TestWholeRequest(t *testing.T) {
	t.Parallel()
	schema, err := llm.ParseSchema("out", json.RawMessage(`{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]}`))
	if err != nil {
		t.Fatal(err)
	}
	pdf, err := llm.NewMedia("application/pdf", []byte("%PDF"), "a.pdf")
	if err != nil {
		t.Fatal(err)
	}
	clip, err := llm.NewFile("https://h/v1beta/files/abc-1", "video/mp4", "clip")
	if err != nil {
		t.Fatal(err)
	}
	req := &llm.Request{
		System:   []llm.Part{llm.Text("Be brief."), llm.Text("Be <kind> & true.")},
		Messages: []llm.Message{llm.User("look", pdf, clip)},
		Tools:    tools("f", "admin.tools.list"),
		Choice:   llm.ToolChoice{Mode: llm.ChoiceAny},
		Output:   schema,
		Options: llm.Options{
			MaxTokens: 100, Temperature: new(0.5), TopP: new(0.9), Seed: new(int64(7)), Stop: []string{"END"}, Thinking: llm.ThinkingMedium,
			Provider: map[string]json.RawMessage{"gemini": json.RawMessage(`{"service_tier":"flex","labels":{"team":"a"}}`), "openai": json.RawMessage(`{"x":1}`)},
		},
	}
	q := sent(t, &gemini.Options{Key: testKey, WebSearch: true}, req)
	err = q.SameJSON(`{"model":"gemini-3.8-flash","stream":true,"store":false,
		"system_instruction":"Be brief.\n\nBe <kind> & true.",
		"input":[{"type":"user_input","content":[{"type":"text","text":"look"},{"type":"document","mime_type":"application/pdf","data":"JVBERg=="},
			{"type":"video","mime_type":"video/mp4","uri":"https://h/v1beta/files/abc-1"}]}],
		"tools":[{"type":"function","name":"f","description":"does f","parameters":{"type":"object","properties":{"a":{"type":"integer"}}}},
			{"type":"function","name":"admin_tools_list","description":"does admin.tools.list","parameters":{"type":"object","properties":{"a":{"type":"integer"}}}},
			{"type":"google_search"}],
		"generation_config":{"max_output_tokens":100,"temperature":0.5,"top_p":0.9,"seed":7,"stop_sequences":["END"],"thinking_level":"medium","thinking_summaries":"auto","tool_choice":"any"},
		"response_format":{"type":"text","mime_type":"application/json","schema":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]}},
		"service_tier":"flex","labels":{"team":"a"}}`)
	if err != nil {
		t.Error(err)
	}
}

func TestThinkingLevels(t *testing.T) {
	t.Parallel()
	for level, want := range map[llm.Thinking]string{
		llm.ThinkingMinimal: "low", // the model has nothing lower
		llm.ThinkingLow:     "low", llm.ThinkingMedium: "medium", llm.ThinkingHigh: "high", llm.ThinkingXHigh: "high", llm.ThinkingMax: "high",
	} {
		q := sent(t, nil, with(ask("hi"), func(r *llm.Request) { r.Options.Thinking = level }))
		if !strings.Contains(string(q.Body), `"thinking_level":"`+want+`","thinking_summaries":"auto"`) {
			t.Errorf("%s: %s, want %s", level, q.Body, want)
		}
	}
	if body := string(sent(t, nil, ask("hi")).Body); strings.Contains(body, "thinking") {
		t.Errorf("without a level: %s", body)
	}
	if body := string(sent(t, &gemini.Options{Key: testKey, Summary: "auto"}, ask("hi")).Body); !strings.Contains(body, `{"thinking_summaries":"auto"}`) {
		t.Errorf("with summaries: %s", body)
	}
	err := refused(t, nil, with(ask("hi"), func(r *llm.Request) { r.Options.Thinking = llm.ThinkingNone }))
	if !strings.Contains(err.Error(), "minimal") {
		t.Errorf("error %v does not say what to set", err)
	}
	wire := llmtest.NewWire(llmtest.SSE(saying("ok")))
	old := gemini.New("gemini-3-flash-preview", &gemini.Options{Key: testKey, HTTP: wire.Client()})
	if _, err := llm.Generate(context.Background(), old, with(ask("hi"), func(r *llm.Request) { r.Options.Thinking = llm.ThinkingMinimal })); err != nil {
		t.Fatal(err)
	}
	if body := string(wire.Requests()[0].Body); !strings.Contains(body, `"thinking_level":"minimal"`) {
		t.Errorf("minimal: %s", body)
	}
}

func TestToolChoices(t *testing.T) { // case 60, with a mode that holds the model to it
	t.Parallel()
	for want, choice := range map[string]llm.ToolChoice{
		`"tool_choice":"any"`:  {Mode: llm.ChoiceAny},
		`"tool_choice":"none"`: {Mode: llm.ChoiceNone},
		`"tool_choice":{"allowed_tools":{"mode":"any","tools":["a","b_c"]}}`: {Mode: llm.ChoiceNamed, Names: []string{"a", "b.c"}},
	} {
		q := sent(t, nil, with(ask("hi"), func(r *llm.Request) { r.Tools, r.Choice = tools("a", "b.c", "d"), choice }))
		if !strings.Contains(string(q.Body), want) {
			t.Errorf("%v: %s, want %s", choice, q.Body, want)
		}
	}
	for name, q := range map[string]*llmtest.WireRequest{
		"auto":               sent(t, nil, with(ask("hi"), func(r *llm.Request) { r.Tools = tools("a") })),
		"none without tools": sent(t, nil, with(ask("hi"), func(r *llm.Request) { r.Choice.Mode = llm.ChoiceNone })),
	} {
		if strings.Contains(string(q.Body), "tool_choice") {
			t.Errorf("%s: %s, want no tool_choice", name, q.Body)
		}
	}
}

func TestWebPagesAndToolsExcludeEachOther(t *testing.T) { // case 59
	t.Parallel()
	o := &gemini.Options{Key: testKey, WebFetch: true}
	err := refused(t, o, with(ask("hi"), func(r *llm.Request) { r.Tools = tools("f") }))
	if !strings.Contains(err.Error(), "WebFetch") {
		t.Errorf("error %v does not name the setting", err)
	}
	if q := sent(t, o, ask("hi")); !strings.Contains(string(q.Body), `"tools":[{"type":"url_context"}]`) {
		t.Errorf("body %s", q.Body)
	}
}

func TestSchemasAreMadeAcceptable(t *testing.T) {
	t.Parallel()
	spec := llm.ToolSpec{Name: "f", Description: "does f", Input: json.RawMessage(`{"type":"object","properties":{
		"p":{"$ref":"#/$defs/point"},"every":{"type":"integer","enum":[60,1440]},"none":{"type":"string","enum":[]}},"$defs":{"point":{"type":"object","properties":{"x":{"type":"number"}}}}}`)}
	q := sent(t, nil, with(ask("hi"), func(r *llm.Request) { r.Tools = []llm.ToolSpec{spec} }))
	for _, no := range []string{"$ref", "$defs", `"enum":[]`, `"enum":[60`} {
		if strings.Contains(string(q.Body), no) {
			t.Errorf("the schema still holds %s: %s", no, q.Body)
		}
	}
	bad := llm.ToolSpec{Name: "f", Description: "does f", Input: json.RawMessage(`7`)}
	if err := refused(t, nil, with(ask("hi"), func(r *llm.Request) { r.Tools = []llm.ToolSpec{bad} })); !strings.Contains(err.Error(), `"f"`) {
		t.Errorf("error %v does not name the tool", err)
	}
}

func TestNamesOfToolsComeBack(t *testing.T) {
	t.Parallel()
	stream := strings.Replace(thoughtAndCall, `"name":"f"`, `"name":"admin_tools_list"`, 1)
	resp := must(t, stream, nil, with(ask("hi"), func(r *llm.Request) { r.Tools = tools("admin.tools.list") }))
	if got := resp.Message.Calls()[0].Name; got != "admin.tools.list" {
		t.Errorf("name %q", got)
	}
}

func TestSettingsThatCannotBeUsedAreSaid(t *testing.T) {
	for _, v := range []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"} {
		t.Setenv(v, "")
	}
	for name, c := range map[string]struct {
		model string
		o     *gemini.Options
		is    error
		names string
	}{
		"no key":        {"gemini-3.8-flash", nil, llm.ErrAuth, "GEMINI_API_KEY"},
		"no model":      {" ", &gemini.Options{Key: testKey}, llm.ErrInvalidRequest, "model"},
		"a bad version": {"gemini-3.8-flash", &gemini.Options{Key: testKey, Version: "../x"}, llm.ErrInvalidRequest, "Options.Version"},
		"a bad base":    {"gemini-3.8-flash", &gemini.Options{BaseURL: "nowhere"}, llm.ErrInvalidRequest, "Options.BaseURL"},
		"bad summaries": {"gemini-3.8-flash", &gemini.Options{Key: testKey, Summary: "yes"}, llm.ErrInvalidRequest, "Options.Summary"},
	} {
		m := gemini.New(c.model, c.o)
		if err := m.Err(); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := llm.Generate(context.Background(), m, ask("hi")); !errors.Is(err, c.is) {
			t.Errorf("%s: Generate says %v", name, err)
		}
	}
	files := gemini.NewFiles(nil)
	if _, err := files.Managed(context.Background(), "clip.mp4", nil); !errors.Is(err, llm.ErrAuth) || !errors.Is(files.Err(), llm.ErrAuth) {
		t.Errorf("files without a key: %v", err)
	}
	if err := files.Delete(context.Background(), "files/a"); !errors.Is(err, llm.ErrAuth) {
		t.Errorf("files without a key: %v", err)
	}
	t.Setenv("GOOGLE_API_KEY", testKey)
	wire := llmtest.NewWire(llmtest.SSE(saying("ok")))
	if _, err := llm.Generate(context.Background(), gemini.New("models/gemini-3.8-flash", &gemini.Options{HTTP: wire.Client()}), ask("hi")); err != nil {
		t.Fatal(err)
	}
	if got := wire.Requests()[0]; got.Header.Get("X-Goog-Api-Key") != testKey || !strings.Contains(string(got.Body), `"model":"gemini-3.8-flash"`) {
		t.Errorf("key %q, body %s", got.Header.Get("X-Goog-Api-Key"), got.Body)
	}
}

func TestErrorsOfTheServerTellWhatToDo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply llmtest.Reply
		is    error
		text  string
		wait  string
	}{
		"a wrong key": {llmtest.JSON(400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`), llm.ErrAuth, "_API_KEY or Options.Key", "0s"},
		"no access":   {llmtest.JSON(403, `{"error":{"code":403,"message":"denied","status":"PERMISSION_DENIED"}}`), llm.ErrAuth, "Options.Key", "0s"},
		"no model":    {llmtest.JSON(404, `{"error":{"code":404,"message":"no such model","status":"NOT_FOUND"}}`), llm.ErrInvalidRequest, "gemini-3.8-flash", "0s"},
		"a limit":     {llmtest.JSON(429, `{"error":{"code":"rate_limit_exceeded","message":"Quota exceeded. Please retry in 34.5s."}}`), llm.ErrTransient, "Quota", "34.5s"},
		"a header":    {llmtest.JSON(429, `{"error":{"code":429,"message":"Please retry in 9s.","status":"RESOURCE_EXHAUSTED"}}`).Header("Retry-After", "2"), llm.ErrTransient, "retry", "2s"},
		"overload":    {llmtest.JSON(503, `{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}`), llm.ErrTransient, "overloaded", "0s"},
		"too long":    {llmtest.JSON(400, `{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens allowed 1048576.","status":"INVALID_ARGUMENT"}}`), llm.ErrContextTooLong, "token", "0s"},
		"a list":      {llmtest.JSON(400, `[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]`), llm.ErrInvalidRequest, "bad", "0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := llm.Generate(context.Background(), on(llmtest.NewWire(c.reply), nil), ask("hi"))
			e, ok := errors.AsType[*llm.Error](err)
			if !ok || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) || e.RetryAfter.String() != c.wait {
				t.Errorf("error %v (after %v)", err, e)
			}
		})
	}
}

func TestNothingSecretIsPrinted(t *testing.T) { // case 64
	t.Parallel()
	const secret = "Bearer-secret-value"
	o := gemini.Options{Key: testKey, BaseURL: "https://user:pass@proxy.example.org/v1beta?key=abc123", Header: http.Header{"X-Token": {secret}}, WebSearch: true}
	m := gemini.New("gemini-3.8-flash", &o)
	files := gemini.NewFiles(&o)
	for _, shown := range printed(o, &o, m, files, gemini.File{Name: "files/a", URI: "https://h/files/a?key=abc123"}) {
		for _, no := range []string{testKey, secret, "pass", "abc123"} {
			if strings.Contains(shown, no) {
				t.Errorf("%q is in %s", no, shown)
			}
		}
	}
	if got := o.String(); !strings.Contains(got, "X-Token") || !strings.Contains(got, "web_search=true") {
		t.Errorf("options %s", got)
	}
	wire := llmtest.NewWire(llmtest.JSON(400, `{"error":{"code":400,"message":"bad key `+testKey+` at `+secret+`"}}`), llmtest.SSE("").Unanswered())
	o.HTTP = wire.Client()
	for range 2 {
		_, err := llm.Generate(context.Background(), gemini.New("gemini-3.8-flash", &o), ask("hi"))
		for _, no := range []string{testKey, secret, "pass", "abc123", "interactions"} {
			if err == nil || strings.Contains(err.Error(), no) {
				t.Errorf("%q is in the error %v", no, err)
			}
		}
	}
}
