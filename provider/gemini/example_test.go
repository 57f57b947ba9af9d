package gemini_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/gemini"
)

// played is a client whose requests are answered with these streams, in order. A
// program leaves Options.HTTP alone.
func played(streams ...string) *http.Client {
	var replies []llmtest.Reply
	for _, s := range streams {
		replies = append(replies, llmtest.SSE(s))
	}
	return llmtest.NewWire(replies...).Client()
}

func Example() {
	model := gemini.New("gemini-3.8-flash", &gemini.Options{Key: "test", HTTP: played(saying("A stream of charged particles."))})
	resp, err := llm.Generate(context.Background(), model, &llm.Request{
		Messages: []llm.Message{llm.User("What is the solar wind?")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	cost, known := model.Cost(llm.Usage{Input: 1_000_000, Output: 100_000})
	fmt.Println(resp.Text())
	fmt.Println(model.Name(), resp.Usage.Total(), "tokens;", cost, known)
	// Output:
	// A stream of charged particles.
	// gemini/gemini-3.8-flash 14 tokens; $1.125 true
}

// The answer is streamed, thoughts before what they led to.
func ExampleModel_Stream() {
	model := gemini.New("gemini-3.8-flash", &gemini.Options{Key: "test", HTTP: played(thoughtAndCall)})
	req := &llm.Request{
		Messages: []llm.Message{llm.User("Call f with 1.")},
		Tools:    []llm.ToolSpec{{Name: "f", Description: "does f", Input: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}}}`)}},
		Options:  llm.Options{Thinking: llm.ThinkingHigh},
	}
	for c, err := range model.Stream(context.Background(), req) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch c.Kind {
		case llm.ChunkThinking:
			fmt.Println("thinks:", c.Text)
		case llm.ChunkCall:
			fmt.Println("calls:", c.Call.Name)
		case llm.ChunkDone:
			fmt.Println("ends:", c.Finish)
		}
	}
	// Output:
	// thinks: pondering
	// calls: f
	// ends: tool_calls
}

// With Continuation the server keeps the conversation, and a request holds only what
// is new.
func ExampleOptions_continuation() {
	wire := llmtest.NewWire(llmtest.SSE(saying("Hello, Ada.")), llmtest.SSE(saying("Ada.")))
	model := gemini.New("gemini-3.8-flash", &gemini.Options{Key: "test", HTTP: wire.Client(), Continuation: true})
	messages := []llm.Message{llm.User("I am Ada.")}
	for _, next := range []string{"Who am I?", ""} {
		resp, err := llm.Generate(context.Background(), model, &llm.Request{Messages: messages})
		if err != nil {
			fmt.Println(err)
			return
		}
		messages = append(messages, resp.Message, llm.User(next))
	}
	for _, q := range wire.Requests() {
		fmt.Println(string(q.Body))
	}
	// Output:
	// {"model":"gemini-3.8-flash","input":[{"type":"user_input","content":[{"type":"text","text":"I am Ada."}]}],"stream":true}
	// {"model":"gemini-3.8-flash","input":[{"type":"user_input","content":[{"type":"text","text":"Who am I?"}]}],"previous_interaction_id":"int_1","stream":true}
}

// A file is uploaded in pieces, referred to in a message, and removed.
func ExampleFiles() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodDelete:
			fmt.Println("removed", strings.TrimPrefix(r.URL.Path, "/v1beta/"))
		case r.Header.Get("X-Goog-Upload-Command") == "start":
			w.Header().Set("X-Goog-Upload-Url", "http://"+r.Host+"/upload/1")
		default:
			_, _ = fmt.Fprint(w, `{"file":{"name":"files/clip-1","uri":"https://example.org/v1beta/files/clip-1","mimeType":"video/mp4","state":"ACTIVE"}}`)
		}
	}))
	defer server.Close()
	files := gemini.NewFiles(&gemini.Options{Key: "test", BaseURL: server.URL + "/v1beta"})

	file, err := files.ManagedReader(context.Background(), strings.NewReader("a short film"), 12, &gemini.UploadOptions{
		MIME:     "video/mp4",
		Progress: func(p gemini.Progress) { fmt.Println(p.Sent, "of", p.Size) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	msg := llm.Message{Role: llm.RoleUser, Parts: []llm.Part{file.Part(), llm.Text("What happens here?")}}
	fmt.Println(msg.Parts[0].File.MIME)
	if err := file.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 12 of 12
	// video/mp4
	// removed files/clip-1
}
