package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/openai"
)

// The wire stands for OpenAI here; leave HTTP out to ask the real one.
func Example() {
	wire := llmtest.NewWire(llmtest.SSE(`
data: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"A stream of "}

data: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"charged particles."}

data: {"type":"response.completed","response":{"id":"resp_1","status":"completed","usage":{"input_tokens":18,"output_tokens":6}}}

`).To("POST", "/v1/responses"))
	model := openai.New("gpt-6-sol", &openai.Options{Key: "sk-example", HTTP: wire.Client()})

	resp, err := llm.Generate(context.Background(), model, &llm.Request{
		System:   []llm.Part{llm.Text("You answer in one sentence.")},
		Messages: []llm.Message{llm.User("What is the solar wind?")},
		Options:  llm.Options{Thinking: llm.ThinkingLow},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Text())
	fmt.Println(resp.Finish, resp.Usage.Total())
	// Output:
	// A stream of charged particles.
	// stop 24
}

// Settings that the package does not know go into the request as they are.
func ExampleOptions() {
	wire := llmtest.NewWire(llmtest.SSE("data: {\"type\":\"response.completed\",\"response\":{}}\n\n"))
	model := openai.New("my-deployment", &openai.Options{
		BaseURL: "https://name.openai.azure.com/openai/v1",
		Header:  http.Header{"Api-Key": {"the key"}},
		HTTP:    wire.Client(),
	})
	_, err := llm.Generate(context.Background(), model, &llm.Request{
		Messages: []llm.Message{llm.User("hi")},
		Options:  llm.Options{Provider: map[string]json.RawMessage{"openai": json.RawMessage(`{"service_tier":"flex"}`)}},
	})
	fmt.Println(err)
	q := wire.Requests()[0]
	fmt.Println(q.Host, q.Path)
	var body struct {
		ServiceTier string `json:"service_tier"`
	}
	fmt.Println(q.JSON(&body), body.ServiceTier)
	// Output:
	// <nil>
	// name.openai.azure.com /openai/v1/responses
	// <nil> flex
}
