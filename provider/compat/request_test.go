package compat_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/compat"
)

var update = flag.Bool("update", false, "write the requests in testdata anew")

// sent is what a request looks like on the wire.
func sent(t *testing.T, d *compat.Dialect, req *llm.Request) (json.RawMessage, error) {
	t.Helper()
	_, wire, err := ask(t, d, llmtest.SSE(events(stopped)), req)
	if err != nil {
		return nil, err
	}
	q := wire.Requests()[0]
	if path := "/v1/chat/completions"; q.Path != path || q.Method != http.MethodPost {
		t.Errorf("%s %s, want POST %s", q.Method, q.Path, path)
	}
	return q.Body, nil
}

func media(t *testing.T, mime, data, name string) llm.Part {
	t.Helper()
	p, err := llm.NewMedia(mime, []byte(data), name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func result(id, name string, parts ...llm.Part) llm.Part {
	return llm.Part{Kind: llm.PartResult, Result: &llm.ToolResult{ID: id, Name: name, Parts: parts}}
}

func call(id, name, args string) llm.Part {
	return llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}}
}

func thought(text, model string) llm.Part {
	return llm.Part{Kind: llm.PartThinking, Text: text, Model: model}
}

// talk is a conversation with everything in it that dialects differ in. The
// thoughts are of the dialect's own model.
func talk(t *testing.T, dialect string) *llm.Request {
	t.Helper()
	failed := result("call_2", "admin.tools.list", llm.Text("no such city"))
	failed.Result.IsError = true
	own := dialect + "/m"
	return &llm.Request{
		System: []llm.Part{llm.Text("You are a forecaster.").Cached(), llm.Text("Today is Tuesday.")},
		Messages: []llm.Message{
			llm.User("Is it warm in Toulouse?", media(t, "image/png", "PNG", "sky.png")),
			llm.Assistant("", thought("Cold places first.", own), call("call_0", "weather", `{"City":"Kiruna"}`)),
			{Role: llm.RoleTool, Parts: []llm.Part{result("call_0", "weather", llm.Text("-20 C"))}},
			llm.Assistant("Kiruna is cold."),
			llm.User("And now?"),
			llm.User("Both, please."),
			llm.Assistant("Let me look.", thought("Two calls.", own), thought("A stranger's.", "anthropic/x"),
				call("call_1", "weather", `{"City":"Toulouse"}`), call("call_2", "admin.tools.list", `{"a":`)),
			{Role: llm.RoleTool, Parts: []llm.Part{
				result("call_1", "weather", llm.Text("22 C"), media(t, "image/png", "MAP", "map.png")),
				failed,
			}},
			llm.User("Go on."),
		},
		Tools: []llm.ToolSpec{
			{Name: "weather", Description: "Weather now", Input: json.RawMessage(`{"type":"object","properties":{"City":{"type":"string"}},"required":["City"],"additionalProperties":false}`)},
			{Name: "admin.tools.list", Input: nil},
		},
		Options: llm.Options{MaxTokens: 500, Temperature: new(0.5), TopP: new(0.9), Seed: new(int64(7)), Stop: []string{"END"}, Thinking: llm.ThinkingHigh},
	}
}

func TestEachDialectWritesItsOwnRequest(t *testing.T) {
	t.Parallel()
	for _, d := range compat.Dialects() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			body, err := sent(t, &d, talk(t, d.Name))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, d.Name, body)
		})
	}
}

// TestATextModelIsShownNoImages is for a model that cannot see: what a tool returns
// must not end the run, what the caller sends is the caller's mistake.
func TestATextModelIsShownNoImages(t *testing.T) {
	t.Parallel()
	d := *dialect(t, "vllm")
	d.Images = compat.ImagesNone
	req := talk(t, d.Name)
	if _, err := sent(t, &d, req); err == nil || !strings.Contains(err.Error(), "image/png") {
		t.Errorf("the caller's image: %v", err)
	}
	req.Messages[0].Parts = req.Messages[0].Parts[:1]
	body, err := sent(t, &d, req)
	if want := `"22 C\n\n[left out: image/png of 3 bytes, which this model cannot see]"`; err != nil || !strings.Contains(string(body), want) {
		t.Errorf("the tool's image: %s, %v", body, err)
	}
}

// golden compares a body with the file of a name.
func golden(t *testing.T, name string, body []byte) {
	t.Helper()
	var got bytes.Buffer
	if err := json.Indent(&got, body, "", "  "); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	got.WriteByte('\n')
	path := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("the request has changed; if that is meant, run the test with -update\n%s", got.String())
	}
}
