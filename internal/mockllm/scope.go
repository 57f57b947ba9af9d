package mockllm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
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
func (c *Scope) Header() http.Header {
	return http.Header{"X-Test-Id": {c.id}, "X-Aimock-Context": {c.id}}
}

// A Fixture is a request and its answer, as in a file of fixtures: see the
// documentation of the npm package.
type Fixture struct {
	Match    map[string]any `json:"match"`
	Response map[string]any `json:"response"`
}

// Add adds fixtures for the scope alone, after those of the file.
func (c *Scope) Add(fixtures ...Fixture) {
	c.tb.Helper()
	fixtures = slices.Clone(fixtures) // other scopes may add the same
	for i := range fixtures {
		match := maps.Clone(fixtures[i].Match)
		match["context"] = c.id
		fixtures[i].Match = match
	}
	c.call(http.MethodPost, "/__aimock/fixtures", map[string]any{"fixtures": fixtures}, nil)
}

// Chaos are faults, each with its probability from 0 to 1 but for the wait.
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
	c.call(http.MethodPost, "/__aimock/chaos", faults, nil)
}

// call asks the server something about itself.
func (c *Scope) call(method, path string, body, answer any) {
	c.tb.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		c.tb.Fatal(err)
	}
	req, err := http.NewRequestWithContext(context.WithoutCancel(c.tb.Context()), method, c.server.url+path, bytes.NewReader(data))
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
		said, _ := io.ReadAll(resp.Body)
		c.tb.Fatalf("the mock model server answers %s %s with %s: %s", method, path, resp.Status, said)
	}
	if answer == nil {
		return
	}
	if err := json.NewDecoder(resp.Body).Decode(answer); err != nil {
		c.tb.Fatalf("read the journal of the mock model server: %v", err)
	}
}
