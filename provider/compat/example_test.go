package compat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/compat"
)

// A model of Groq. In a program the options are nil, and the key is that of
// GROQ_API_KEY; here a Wire plays the server.
func ExampleGroq() {
	wire := llmtest.NewWire(llmtest.SSE(
		`data: {"choices":[{"index":0,"delta":{"content":"A stream of plasma "}}]}` + "\n\n" +
			`data: {"choices":[{"index":0,"delta":{"content":"from the Sun."}}]}` + "\n\n" +
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"usage":{"prompt_tokens":20,"completion_tokens":8}}}` + "\n\n" +
			"data: [DONE]\n\n"))
	model := compat.Groq("llama-3.3-70b-versatile", &compat.Options{HTTP: wire.Client(), Key: "test"})
	resp, err := llm.Generate(context.Background(), model, &llm.Request{
		Messages: []llm.Message{llm.User("What is the solar wind?")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Name())
	fmt.Println(resp.Text())
	fmt.Println(resp.Usage.Output, "tokens")
	// Output:
	// groq/llama-3.3-70b-versatile
	// A stream of plasma from the Sun.
	// 8 tokens
}

// A server of one's own needs an address, and a name to be called by.
func ExampleNew() {
	wire := llmtest.NewWire(llmtest.SSE(
		`data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"weather","arguments":"{\"City\":\"Toulouse\"}"}}]},"finish_reason":"stop"}]}` + "\n\n"))
	model := compat.New("acme", "rocket-1", &compat.Options{HTTP: wire.Client(), BaseURL: "https://llm.acme.example/v1"})
	resp, err := llm.Generate(context.Background(), model, &llm.Request{
		Messages: []llm.Message{llm.User("Is it warm in Toulouse?")},
		Tools:    []llm.ToolSpec{{Name: "weather", Input: json.RawMessage(`{"type":"object","properties":{"City":{"type":"string"}}}`)}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, call := range resp.Message.Calls() {
		fmt.Printf("%s %s\n", call.Name, call.Args)
	}
	fmt.Println(wire.Requests()[0].Host)
	// Output:
	// weather {"City":"Toulouse"}
	// llm.acme.example
}

// A dialect is a value: a copy may be changed, here for a vLLM of before late 2025,
// which has another name for what a model thought.
func ExampleLookup() {
	d, known := compat.Lookup("vllm")
	if !known {
		return
	}
	d.EchoField = "reasoning_content"
	d.SystemRole = "developer"
	model := d.New("openai/gpt-oss-120b", &compat.Options{BaseURL: "http://gpu.example:8000/v1"})
	fmt.Println(model.Name(), model.Err())
	// Output: vllm/openai/gpt-oss-120b <nil>
}

// What is asked of a server that cannot be reached is an error of one sentence, with
// what to do about it.
func ExampleList() {
	wire := llmtest.NewWire(llmtest.JSON(401, `{"error":{"message":"Invalid API Key","code":"invalid_api_key"}}`))
	d, _ := compat.Lookup("groq")
	_, err := compat.List(context.Background(), d, &compat.Options{HTTP: wire.Client(), Key: "not-mine"})
	fmt.Println(err)
	// Output: groq: HTTP 401: Invalid API Key; check GROQ_API_KEY or Options.Key
}

// Ollama is found by itself when it runs on this machine, or where OLLAMA_HOST says;
// here a server of the test stands for it.
func ExampleFindOllama() {
	server := httptest.NewServer(llmtest.NewWire(llmtest.JSON(200, `{"object":"list","data":[{"id":"qwen3:8b"}]}`)))
	defer server.Close()
	defer os.Setenv("OLLAMA_HOST", os.Getenv("OLLAMA_HOST"))
	os.Setenv("OLLAMA_HOST", server.URL)

	_, models, err := compat.FindOllama(context.Background())
	if err != nil || len(models) == 0 {
		fmt.Println(err) // nil: it has no models; `ollama pull` gets one
		return
	}
	fmt.Println(compat.Ollama(models[0], nil).Name())
	// Output: ollama/qwen3:8b
}
