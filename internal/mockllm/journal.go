package mockllm

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// An Entry is a request and how it was answered.
type Entry struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	// Body is the request as the server has understood it: translated from each
	// wire into chat completions. It is not there for more than 64 KiB.
	Body struct {
		Model    string    `json:"model"`
		Messages []Message `json:"messages"`
		Tools    []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	} `json:"body"`
	Response struct {
		Status      int    `json:"status"`
		Interrupted bool   `json:"interrupted"`
		Chaos       string `json:"chaosAction"`
	} `json:"response"`
}

// A Message of a request.
type Message struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"` // null, a string or an array of parts
	ToolCall  string          `json:"tool_call_id"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// Text is the message's text.
func (m *Message) Text() string {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(m.Content, &parts)
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Journal returns the requests of the scope so far, in the order they came.
func (c *Scope) Journal() []Entry {
	c.tb.Helper()
	var entries []Entry
	c.call(http.MethodGet, "/__aimock/journal?testId="+url.QueryEscape(c.id), nil, &entries)
	return entries
}
