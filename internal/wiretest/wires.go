// Package wiretest drives the wires of all providers with one set of fixtures,
// for the tests of what has to be the same on each of them.
//
//	for _, w := range wiretest.Wires() {
//		line := w.Dial(t, mockllm.Start(t, mockllm.Options{Fixtures: "testdata/answers.json"}))
//		a := agent.Agent{Model: line.Model}
//		...
//		line.CheckHistory(t) // would the provider have taken our requests?
//	}
//
// The server is one that others wrote (see package mockllm). It takes nearly any
// request, so what providers refuse is told by [CheckHistory].
package wiretest

import (
	"net/http"
	"testing"

	"github.com/helios-go/helios/internal/mockllm"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/anthropic"
	"github.com/helios-go/helios/provider/compat"
	"github.com/helios-go/helios/provider/gemini"
	"github.com/helios-go/helios/provider/openai"
)

// A Form is the form that requests have on a wire.
type Form string

// The forms.
const (
	FormMessages     Form = "messages"
	FormResponses    Form = "responses"
	FormInteractions Form = "interactions"
	FormChat         Form = "chat"
)

// A Wire is a way to a provider.
type Wire struct {
	Name string
	Form Form
	Mock mockllm.Wire
	// Thoughts is set where the mock server sends a fixture's reasoning.
	Thoughts bool
	// Stored is set where the server keeps the conversation, and is sent what is new.
	Stored bool
	// Refuses says what this provider alone refuses; nil is nothing.
	Refuses func(body []byte) error

	open func(baseURL string, header http.Header, client *http.Client) llm.Model
}

// key is what the mock server is told, which wants none.
const key = "sk-not-a-key"

// Wires returns all wires.
func Wires() []Wire {
	wires := []Wire{
		{
			Name: "anthropic", Form: FormMessages, Mock: mockllm.Messages, Thoughts: true,
			open: func(baseURL string, header http.Header, client *http.Client) llm.Model {
				return anthropic.New("claude-sonnet-4-6", &anthropic.Options{Key: key, BaseURL: baseURL, Header: header, HTTP: client})
			},
		},
		{
			Name: "anthropic-adaptive", Form: FormMessages, Mock: mockllm.Messages, Thoughts: true,
			open: func(baseURL string, header http.Header, client *http.Client) llm.Model {
				return anthropic.New("claude-sonnet-5", &anthropic.Options{Key: key, BaseURL: baseURL, Header: header, HTTP: client})
			},
		},
		{
			Name: "openai", Form: FormResponses, Mock: mockllm.Responses, Thoughts: true,
			open: func(baseURL string, header http.Header, client *http.Client) llm.Model {
				return openai.New("gpt-5.6-sol", &openai.Options{Key: key, BaseURL: baseURL, Header: header, HTTP: client})
			},
		},
		{
			Name: "gemini", Form: FormInteractions, Mock: mockllm.Interactions,
			open: func(baseURL string, header http.Header, client *http.Client) llm.Model {
				return gemini.New("gemini-3.5-flash", &gemini.Options{Key: key, BaseURL: baseURL, Header: header, HTTP: client})
			},
		},
		{
			Name: "openai-stored", Form: FormResponses, Mock: mockllm.Responses, Thoughts: true, Stored: true,
			open: func(baseURL string, header http.Header, client *http.Client) llm.Model {
				return openai.New("gpt-5.6-sol", &openai.Options{Key: key, BaseURL: baseURL, Header: header, HTTP: client, Continuation: true})
			},
		},
		{
			Name: "gemini-stored", Form: FormInteractions, Mock: mockllm.Interactions, Stored: true,
			open: func(baseURL string, header http.Header, client *http.Client) llm.Model {
				return gemini.New("gemini-3.5-flash", &gemini.Options{Key: key, BaseURL: baseURL, Header: header, HTTP: client, Continuation: true})
			},
		},
	}
	for _, chat := range []struct {
		name    string
		mock    mockllm.Wire
		refuses func(body []byte) error
		open    func(baseURL string, o *compat.Options) llm.Model
	}{
		{"openai-chat", mockllm.Chat, nil, func(_ string, o *compat.Options) llm.Model { return compat.OpenAI("gpt-5.6-sol", o) }},
		{"groq", mockllm.Groq, nil, func(_ string, o *compat.Options) llm.Model { return compat.Groq("openai/gpt-oss-120b", o) }},
		{"azure", mockllm.Azure, nil, func(endpoint string, o *compat.Options) llm.Model {
			o.BaseURL = ""
			return compat.Azure(endpoint, "gpt-5-mini", "2025-04-01-preview", o)
		}},
		{"openrouter", mockllm.OpenRouter, nil, func(_ string, o *compat.Options) llm.Model {
			return compat.OpenRouter("anthropic/claude-sonnet-4.6", o)
		}},
		{"mistral", mockllm.Chat, mistralRefuses, func(_ string, o *compat.Options) llm.Model { return compat.Mistral("magistral-medium-2509", o) }},
		{"deepseek", mockllm.Chat, nil, func(_ string, o *compat.Options) llm.Model { return compat.DeepSeek("deepseek-reasoner", o) }},
	} {
		wires = append(wires, Wire{
			Name: chat.name, Form: FormChat, Mock: chat.mock, Thoughts: true, Refuses: chat.refuses,
			open: func(baseURL string, header http.Header, client *http.Client) llm.Model {
				return chat.open(baseURL, &compat.Options{Key: key, BaseURL: baseURL, Header: header, HTTP: client})
			},
		})
	}
	return wires
}

// A Line is a model on a wire to the mock server, of one test.
type Line struct {
	Wire
	Model llm.Model
	Scope *mockllm.Scope
	Tap   *Tap
}

// Dial opens a line.
func (w Wire) Dial(tb testing.TB, server *mockllm.Server) *Line {
	tb.Helper()
	return w.DialScope(tb, server, server.Scope(tb))
}

// DialScope opens a line whose fixtures are counted with those of others.
func (w Wire) DialScope(tb testing.TB, server *mockllm.Server, scope *mockllm.Scope) *Line {
	tb.Helper()
	transport := &http.Transport{}
	tb.Cleanup(transport.CloseIdleConnections)
	l := &Line{Wire: w, Scope: scope, Tap: &Tap{Next: transport}}
	l.Model = w.open(server.URL(w.Mock), scope.Header(), &http.Client{Transport: l.Tap})
	return l
}

// CheckHistory holds every request so far to the rules of the wire.
func (l *Line) CheckHistory(tb testing.TB) {
	tb.Helper()
	for i, r := range l.Tap.Requests() {
		err := CheckHistory(l.Form, r.Body)
		if err == nil && l.Refuses != nil {
			err = l.Refuses(r.Body)
		}
		if err != nil {
			tb.Errorf("%s would refuse request %d: %v\n%s", l.Name, i+1, err, r.Body)
		}
	}
}
