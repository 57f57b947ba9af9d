package mockllm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// A Scope is one test's part of a server: its fixtures are counted from the
// beginning, its faults hit nobody else, and it has a journal of its own.
type Scope struct {
	tb     testing.TB
	server *Server
	id     string
}

// scopes counts the scopes, as a test that runs twice has two.
var scopes atomic.Int64

var unusual = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// Scope returns a new scope. What the server has said is logged when the test fails.
func (s *Server) Scope(tb testing.TB) *Scope {
	tb.Helper()
	c := &Scope{tb: tb, server: s, id: fmt.Sprintf("%s-%d", unusual.ReplaceAllString(tb.Name(), "-"), scopes.Add(1))}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("the mock model server said:\n%s", s.process.output())
		}
	})
	return c
}

// Header has to go with each request of the scope.
func (c *Scope) Header() http.Header { return http.Header{"X-Test-Id": {c.id}} }

// Chaos sets the faults of the scope from now on, each with its probability
// from 0 to 1 but for the wait.
type Chaos struct {
	Drop       float64 `json:"dropRate,omitempty"`       // a 500
	Malformed  float64 `json:"malformedRate,omitempty"`  // a 200 that is no JSON
	Disconnect float64 `json:"disconnectRate,omitempty"` // the connection ends without an answer
	RateLimit  float64 `json:"rateLimitRate,omitempty"`  // a 429 with Retry-After
	Latency    int     `json:"latencyMs,omitempty"`      // milliseconds before the answer
}

// Chaos sets the faults of the scope from now on; the zero value ends them.
func (c *Scope) Chaos(faults Chaos) {
	c.tb.Helper()
	body, err := json.Marshal(faults)
	if err != nil {
		c.tb.Fatal(err)
	}
	c.call(http.MethodPost, "/__aimock/chaos", string(body), nil)
}

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
	c.call(http.MethodGet, "/__aimock/journal?testId="+url.QueryEscape(c.id), "", &entries)
	return entries
}

// call asks the server something about itself.
func (c *Scope) call(method, path, body string, answer any) {
	c.tb.Helper()
	req, err := http.NewRequestWithContext(c.tb.Context(), method, c.server.url+path, strings.NewReader(body))
	if err != nil {
		c.tb.Fatal(err)
	}
	req.Header = c.Header()
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		c.tb.Fatalf("ask the mock model server: %v", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		c.tb.Fatalf("the mock model server answers %s %s with %s", method, path, resp.Status)
	}
	if answer == nil {
		return
	}
	if err := json.NewDecoder(resp.Body).Decode(answer); err != nil {
		c.tb.Fatalf("read the journal of the mock model server: %v", err)
	}
}
