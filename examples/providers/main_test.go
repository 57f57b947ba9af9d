package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/anthropic"
	"github.com/helios-go/helios/provider/compat"
)

const thinksAndCalls = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":900,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"I should look.","signature":"SIGNED"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"weather","input":{"City":"Toulouse"}}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":50}}

event: message_stop
data: {"type":"message_stop"}

`

const answers = `event: message_start
data: {"type":"message_start","message":{"id":"msg_2","usage":{"input_tokens":40,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Yes, 22 C."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":10}}

event: message_stop
data: {"type":"message_stop"}

`

const agrees = `data: {"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":"I agree."},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"id":"c1","choices":[],"usage":{"prompt_tokens":70,"completion_tokens":4,"total_tokens":74}}

data: [DONE]

`

func TestOneConversationWithTwoProviders(t *testing.T) {
	t.Parallel()
	first, second := llmtest.NewWire(llmtest.SSE(thinksAndCalls), llmtest.SSE(answers)), llmtest.NewWire(llmtest.SSE(agrees))
	models := []llm.Model{
		anthropic.New("claude-sonnet-5", &anthropic.Options{Key: "k", HTTP: first.Client()}),
		compat.Groq("llama-3.3-70b-versatile", &compat.Options{Key: "k", HTTP: second.Client()}),
	}
	var out bytes.Buffer
	if err := talk(t.Context(), models, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"anthropic/claude-sonnet-5: Yes, 22 C. (1000 tokens, $0.00248)\n", "groq/llama-3.3-70b-versatile: I agree. (74 tokens, "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q lacks %q", out.String(), want)
		}
	}
	sent := string(second.Requests()[0].Body)
	if strings.Contains(sent, "SIGNED") || !strings.Contains(sent, "toolu_1") || !strings.Contains(sent, "22 C in Toulouse") {
		t.Errorf("the second provider is sent %s", sent)
	}
}

func TestModelsByName(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "")
	for _, name := range []string{"anthropic/claude-sonnet-5", "openai/gpt-6-sol", "gemini/gemini-3.8-flash", "groq/x", "ollama/qwen3:8b"} {
		m, err := open(name)
		if err != nil || m.Name() != name {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	if _, err := open("acme/rocket"); err == nil {
		t.Error("a provider that there is not is opened")
	}
	m, err := open("anthropic/claude-sonnet-5")
	if err != nil {
		t.Fatal(err)
	}
	if err := talk(t.Context(), []llm.Model{m}, &bytes.Buffer{}); !errors.Is(err, llm.ErrAuth) || !strings.Contains(err.Error(), "set ANTHROPIC_API_KEY") {
		t.Errorf("without a key: %v", err)
	}
}
