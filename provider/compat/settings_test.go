package compat_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider"
	"github.com/helios-go/helios/provider/compat"
)

// member is one member of a body, compact, "" without it.
func member(t *testing.T, body json.RawMessage, name string) string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		t.Fatal(err)
	}
	return string(members[name])
}

func TestLevelsOfThinkingHaveTheNamesOfTheDialect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect string
		level   llm.Thinking
		field   string
		want    string // "error": refused before anything is sent
	}{
		{"openai-chat", llm.ThinkingDefault, "reasoning_effort", ""},
		{"openai-chat", llm.ThinkingNone, "reasoning_effort", `"none"`},
		{"openai-chat", llm.ThinkingMax, "reasoning_effort", `"max"`},
		{"openrouter", llm.ThinkingMax, "reasoning", `{"effort":"xhigh"}`},
		{"openrouter", llm.ThinkingMinimal, "reasoning", `{"effort":"minimal"}`},
		{"ollama", llm.ThinkingMinimal, "reasoning_effort", `"low"`},
		{"ollama", llm.ThinkingNone, "reasoning_effort", `"none"`},
		{"ollama", llm.ThinkingMax, "reasoning_effort", `"high"`},
		{"vllm", llm.ThinkingNone, "chat_template_kwargs", `{"enable_thinking":false,"thinking":false}`},
		{"vllm", llm.ThinkingNone, "reasoning_effort", ""},
		{"vllm", llm.ThinkingLow, "reasoning_effort", `"low"`},
		{"llamacpp", llm.ThinkingMedium, "chat_template_kwargs", `{"reasoning_effort":"medium"}`},
		{"deepseek", llm.ThinkingNone, "thinking", `{"type":"disabled"}`},
		{"deepseek", llm.ThinkingNone, "reasoning_effort", ""},
		{"deepseek", llm.ThinkingMedium, "thinking", `{"type":"enabled"}`},
		{"deepseek", llm.ThinkingMedium, "reasoning_effort", `"high"`},
		{"mistral", llm.ThinkingNone, "reasoning_effort", `"none"`},
		{"gemini-chat", llm.ThinkingXHigh, "reasoning_effort", `"high"`},
	} {
		body, err := sent(t, dialect(t, tt.dialect), &llm.Request{Messages: []llm.Message{llm.User("hi")}, Options: llm.Options{Thinking: tt.level}})
		if err != nil {
			t.Fatal(err)
		}
		if got := member(t, body, tt.field); got != tt.want {
			t.Errorf("%s at %s: %s is %s, want %s", tt.dialect, tt.level, tt.field, got, tt.want)
		}
	}
	for level, want := range map[llm.Thinking]string{llm.ThinkingNone: `"none"`, llm.ThinkingHigh: `"default"`} {
		wire := llmtest.NewWire(llmtest.SSE(events(stopped)))
		model := compat.Groq("qwen/qwen3.6-27b", &compat.Options{HTTP: wire.Client(), Key: "test-key"})
		if _, err := llm.Generate(t.Context(), model, &llm.Request{Messages: []llm.Message{llm.User("hi")}, Options: llm.Options{Thinking: level}}); err != nil {
			t.Fatal(err)
		}
		if got := member(t, wire.Requests()[0].Body, "reasoning_effort"); got != want {
			t.Errorf("Groq's Qwen at %s: %s, want %s", level, got, want)
		}
	}
	d := *dialect(t, "vllm")
	d.Thinking = compat.Levels{}
	if _, err := sent(t, &d, &llm.Request{Messages: []llm.Message{llm.User("hi")}, Options: llm.Options{Thinking: llm.ThinkingLow}}); !errors.Is(err, llm.ErrInvalidRequest) {
		t.Errorf("a level that cannot be told: %v, want an invalid request", err)
	}
}

func TestChoicesAreSaidAsEachServerUnderstandsThem(t *testing.T) {
	t.Parallel()
	tools := []llm.ToolSpec{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	for _, tt := range []struct {
		dialect string
		choice  llm.ToolChoice
		choose  string
		tools   string
	}{
		{"openai-chat", llm.ToolChoice{}, "", "abc"},
		{"openai-chat", llm.ToolChoice{Mode: llm.ChoiceNone}, `"none"`, "abc"},
		{"ollama", llm.ToolChoice{Mode: llm.ChoiceNone}, "", ""},
		{"openai-chat", llm.ToolChoice{Mode: llm.ChoiceAny}, `"required"`, "abc"},
		{"openai-chat", llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"b"}}, `{"type":"function","function":{"name":"b"}}`, "abc"},
		{"openai-chat", llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"a", "c"}}, `"required"`, "ac"},
		{"llamacpp", llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"b"}}, `"required"`, "b"},
		{"deepseek", llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"b"}}, "", "b"},
	} {
		body, err := sent(t, dialect(t, tt.dialect), &llm.Request{Messages: []llm.Message{llm.User("hi")}, Tools: tools, Choice: tt.choice})
		if err != nil {
			t.Fatal(err)
		}
		names := ""
		var in struct {
			Tools []struct{ Function struct{ Name string } }
		}
		if err := json.Unmarshal(body, &in); err != nil {
			t.Fatal(err)
		}
		for _, tool := range in.Tools {
			names += tool.Function.Name
		}
		if got := member(t, body, "tool_choice"); got != tt.choose || names != tt.tools {
			t.Errorf("%s, %+v: %s of %s, want %s of %s", tt.dialect, tt.choice, got, names, tt.choose, tt.tools)
		}
	}
}

func TestWhatTheCallerAddsReplacesOurs(t *testing.T) {
	t.Parallel()
	body, err := sent(t, dialect(t, "vllm"), &llm.Request{
		Messages: []llm.Message{llm.User("a&b<c>")},
		Options: llm.Options{Temperature: new(0.5), Provider: map[string]json.RawMessage{
			"vllm": json.RawMessage(`{"temperature":0,"top_k":20,"stream_options":null}`), "groq": json.RawMessage(`{"x":1}`),
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"temperature": "0", "top_k": "20", "stream_options": "null", "x": "", "stream": "true", "messages": `[{"role":"user","content":"a&b<c>"}]`} {
		if got := member(t, body, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	_, err = sent(t, dialect(t, "vllm"), &llm.Request{Messages: []llm.Message{llm.User("hi")}, Options: llm.Options{Provider: map[string]json.RawMessage{"vllm": json.RawMessage(`[]`)}}})
	if !errors.Is(err, llm.ErrInvalidRequest) {
		t.Errorf("a list in place of members: %v", err)
	}
}

func TestKeysGoInTheHeaderOfTheDialect(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{"groq": {"Authorization", "Bearer test-key"}, "azure": {"Api-Key", "test-key"}} {
		_, wire, err := ask(t, dialect(t, name), llmtest.SSE(events(stopped)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := wire.Requests()[0].Header.Get(want[0]); got != want[1] {
			t.Errorf("%s: %s is %q, want %q", name, want[0], got, want[1])
		}
	}
	wire := llmtest.NewWire(llmtest.SSE(events(stopped)))
	model := compat.Groq("m", &compat.Options{HTTP: wire.Client(), Key: "test-key", Header: http.Header{"authorization": {"Basic x"}, "X-Mine": {"1"}}})
	if _, err := llm.Generate(t.Context(), model, &llm.Request{Messages: []llm.Message{llm.User("hi")}}); err != nil {
		t.Fatal(err)
	}
	h := wire.Requests()[0].Header
	if h.Get("Authorization") != "Basic x" || h.Get("X-Mine") != "1" || h.Get("Content-Type") != "application/json" {
		t.Errorf("headers are %v", h)
	}
	if q := wire.Requests()[0]; q.Host != "api.groq.com" || q.Path != "/openai/v1/chat/completions" {
		t.Errorf("it went to %s%s", q.Host, q.Path)
	}
}

// TestAHeaderMayStandForTheKey is for tokens of Entra ID, which Azure takes in
// another header than its keys.
func TestAHeaderMayStandForTheKey(t *testing.T) {
	t.Setenv("AZURE_OPENAI_API_KEY", "")
	wire := llmtest.NewWire(llmtest.SSE(events(stopped)))
	model := compat.Azure("https://acme.openai.azure.com", "d", "", &compat.Options{HTTP: wire.Client(), Header: http.Header{"authorization": {"Bearer token"}}})
	if _, err := llm.Generate(t.Context(), model, &llm.Request{Messages: []llm.Message{llm.User("hi")}}); err != nil {
		t.Fatal(err)
	}
	if h := wire.Requests()[0].Header; h.Get("Authorization") != "Bearer token" || h.Get("Api-Key") != "" {
		t.Errorf("headers are %v", h)
	}
}

func TestAzureHasItsOwnAddresses(t *testing.T) {
	t.Setenv("AZURE_OPENAI_ENDPOINT", "https://env.openai.azure.com/")
	for _, tt := range []struct{ endpoint, version, host, path string }{
		{"https://acme.openai.azure.com", "2025-04-01-preview", "acme.openai.azure.com", "/openai/deployments/my%20gpt/chat/completions?api-version=2025-04-01-preview"},
		{"https://acme.openai.azure.com/", "", "acme.openai.azure.com", "/openai/v1/chat/completions"},
		{"https://acme.services.ai.azure.com/openai/v1", "", "acme.services.ai.azure.com", "/openai/v1/chat/completions"},
		{"", "", "env.openai.azure.com", "/openai/v1/chat/completions"},
	} {
		wire := llmtest.NewWire(llmtest.SSE(events(stopped)))
		model := compat.Azure(tt.endpoint, "my gpt", tt.version, &compat.Options{HTTP: wire.Client(), Key: "test-key"})
		if _, err := llm.Generate(t.Context(), model, &llm.Request{Messages: []llm.Message{llm.User("hi")}}); err != nil {
			t.Fatal(err)
		}
		q := wire.Requests()[0]
		if q.Host != tt.host || q.Path != tt.path || q.Header.Get("Api-Key") != "test-key" || q.Header.Get("Authorization") != "" || member(t, q.Body, "model") != `"my gpt"` {
			t.Errorf("%+v: %s%s %v", tt, q.Host, q.Path, q.Header)
		}
		if model.Name() != "azure/my gpt" {
			t.Errorf("its name is %s", model.Name())
		}
	}
	t.Setenv("AZURE_OPENAI_ENDPOINT", "")
	if err := compat.Azure("", "d", "", nil).Err(); err == nil || !strings.Contains(err.Error(), "AZURE_OPENAI_ENDPOINT") {
		t.Errorf("without an endpoint: %v", err)
	}
}

//nolint:paralleltest // it sets the environment
func TestAMissingSettingIsKnownBeforeAnythingIsSent(t *testing.T) {
	for _, d := range compat.Dialects() {
		if d.KeyVar != "" {
			t.Setenv(d.KeyVar, "")
		}
	}
	for name, tt := range map[string]struct {
		model *compat.Model
		says  string
	}{
		"no key":     {compat.Groq("m", nil), "GROQ_API_KEY"},
		"no address": {compat.New("acme", "m", nil), "Options.BaseURL"},
		"no model":   {compat.Ollama("", nil), "model"},
	} {
		err := tt.model.Err()
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v does not say %q", name, err, tt.says)
		}
		if _, streamed := llm.Generate(t.Context(), tt.model, &llm.Request{Messages: []llm.Message{llm.User("hi")}}); !errors.Is(streamed, err) {
			t.Errorf("%s: the stream says %v, want %v", name, streamed, err)
		}
	}
	for _, model := range []*compat.Model{compat.VLLM("m", nil), compat.LlamaCpp("m", nil), compat.Ollama("m", nil)} {
		if model.Err() != nil {
			t.Errorf("%s needs no key: %v", model.Name(), model.Err())
		}
	}
}

func TestNothingSecretIsPrinted(t *testing.T) {
	t.Parallel()
	o := compat.Options{Key: "sk-secret-1", BaseURL: "https://u:sk-secret-2@h.example/v1?k=sk-secret-3", Header: http.Header{"X-Token": {"sk-secret-4"}}}
	m := compat.New("acme", "rocket", &o)
	for _, v := range []any{o, &o, m} {
		var log strings.Builder
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", v)
		for _, text := range []string{fmt.Sprintf("%v %+v %#v %s %d", v, v, v, v, v), log.String()} {
			if strings.Contains(text, "secret") || !strings.Contains(text, "X-Token") {
				t.Errorf("%T prints %s", v, text)
			}
		}
	}
}

func TestALocalModelCostsNothingAndAStrangersIsUnknown(t *testing.T) {
	t.Parallel()
	u := llm.Usage{Input: 1_000_000, Output: 1_000_000}
	info := &provider.Info{Size: llm.Size{Context: 32_768}, Prices: []provider.Tier{{Price: llm.Price{Input: llm.Dollar, Output: 2 * llm.Dollar}}}}
	for name, tt := range map[string]struct {
		model *compat.Model
		cost  llm.Micros
		known bool
	}{
		"on this machine": {compat.VLLM("m", nil), 0, true},
		"elsewhere":       {compat.VLLM("m", &compat.Options{BaseURL: "https://gpu.acme.example/v1"}), 0, false},
		"of its owner's":  {compat.VLLM("m", &compat.Options{Info: info}), 3 * llm.Dollar, true},
		"of a catalogue":  {compat.DeepSeek("deepseek-flash", &compat.Options{Key: "k"}), 150 * llm.Cent, true},
		"a gateway's":     {compat.OpenRouter("acme/rocket", &compat.Options{Key: "k"}), 0, false},
	} {
		if cost, known := tt.model.Cost(u); cost != tt.cost || known != tt.known {
			t.Errorf("%s: %s, %t; want %s, %t", name, cost, known, tt.cost, tt.known)
		}
	}
	if got := compat.VLLM("m", &compat.Options{Info: info}).Size().Context; got != 32_768 {
		t.Errorf("the window is %d", got)
	}
}
