package mockllm_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/helios-go/helios/internal/mockllm"
)

const hello = "testdata/hello.json"

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(mockllm.M{M: m})
}

// requests are the plain requests that say hello on each wire, and where they go.
var requests = map[mockllm.Wire]struct{ path, body string }{
	mockllm.Messages:     {"/v1/messages", `{"model":"claude-sonnet-5","max_tokens":100,"stream":true,"messages":[{"role":"user","content":"PROMPT"}]}`},
	mockllm.Responses:    {"/responses", `{"model":"gpt-6","stream":true,"input":"PROMPT"}`},
	mockllm.Interactions: {"/interactions", `{"model":"gemini-3-flash","stream":true,"input":"PROMPT"}`},
	mockllm.Chat:         {"/chat/completions", `{"model":"gpt-6","stream":true,"messages":[{"role":"user","content":"PROMPT"}]}`},
	mockllm.Groq:         {"/chat/completions", `{"model":"llama","stream":true,"messages":[{"role":"user","content":"PROMPT"}]}`},
	mockllm.Azure:        {"/openai/deployments/mine/chat/completions?api-version=2024-10-21", `{"stream":true,"messages":[{"role":"user","content":"PROMPT"}]}`},
	mockllm.OpenRouter:   {"/chat/completions", `{"model":"a/b","stream":true,"messages":[{"role":"user","content":"PROMPT"}]}`},
}

// plain leaves no connection behind.
var plain = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// ask sends a plain request and returns the status, the headers and the body.
func ask(t *testing.T, s *mockllm.Server, c *mockllm.Scope, wire mockllm.Wire, prompt string) (int, http.Header, string) {
	t.Helper()
	r := requests[wire]
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL(wire)+r.path, strings.NewReader(strings.Replace(r.body, "PROMPT", prompt, 1)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = c.Header()
	req.Header.Set("Content-Type", "application/json")
	resp, err := plain.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(body)
}

func TestOneFileAnswersOnEveryWire(t *testing.T) {
	t.Parallel()
	for wire := range requests {
		t.Run(string(wire), func(t *testing.T) {
			t.Parallel()
			server := mockllm.Start(t, mockllm.Options{Fixtures: hello, Chunk: 100})
			scope := server.Scope(t)
			status, header, body := ask(t, server, scope, wire, "hello")
			if status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "text/event-stream") || !strings.Contains(body, "Hello 🌞 from the sun") {
				t.Errorf("got %d, %s and\n%s\nwant a stream that says hello", status, header.Get("Content-Type"), body)
			}
			entries := scope.Journal()
			if len(entries) != 1 {
				t.Fatalf("the journal has %d entries, want 1", len(entries))
			}
			if e := entries[0]; len(e.Body.Messages) != 1 || e.Body.Messages[0].Role != "user" || e.Body.Messages[0].Text() != "hello" || e.Response.Status != http.StatusOK {
				t.Errorf("the journal has %+v", e)
			}
		})
	}
}

func TestScopesAreApart(t *testing.T) {
	t.Parallel()
	server := mockllm.Start(t, mockllm.Options{Fixtures: hello})
	if server != mockllm.Start(t, mockllm.Options{Fixtures: hello}) {
		t.Error("the same options give two servers")
	}
	one, two := server.Scope(t), server.Scope(t)
	one.Chaos(mockllm.Chaos{Drop: 1})
	if status, _, _ := ask(t, server, one, mockllm.Chat, "hello"); status != http.StatusInternalServerError {
		t.Errorf("where requests are dropped: %d, want 500", status)
	}
	one.Chaos(mockllm.Chaos{})
	for _, scope := range []*mockllm.Scope{one, two} {
		status, header, _ := ask(t, server, scope, mockllm.Chat, "twice")
		if status != http.StatusTooManyRequests || header.Get("Retry-After") != "7" {
			t.Errorf("the first answer is %d with Retry-After %q, want 429 with 7", status, header.Get("Retry-After"))
		}
		if status, _, _ := ask(t, server, scope, mockllm.Chat, "twice"); status != http.StatusOK {
			t.Errorf("the second answer is %d, want 200", status)
		}
		if status, _, body := ask(t, server, scope, mockllm.Chat, "nonsense"); status != http.StatusServiceUnavailable {
			t.Errorf("what no fixture has is answered with %d %s, want 503", status, body)
		}
	}
	one.Add(mockllm.Fixture{Match: map[string]any{"userMessage": "nonsense"}, Response: map[string]any{"content": "It makes sense now"}})
	if status, _, body := ask(t, server, one, mockllm.Responses, "nonsense"); status != http.StatusOK || !strings.Contains(body, "It makes sense") {
		t.Errorf("a fixture that was added is answered with %d %s", status, body)
	}
	if status, _, _ := ask(t, server, two, mockllm.Responses, "nonsense"); status != http.StatusServiceUnavailable {
		t.Errorf("a fixture of another scope is answered with %d, want 503", status)
	}
	if got := len(one.Journal()); got != 5 {
		t.Errorf("the first scope's journal has %d entries, want 5", got)
	}
	if got := len(two.Journal()); got != 4 {
		t.Errorf("the second scope's journal has %d entries, want 4", got)
	}
}

// TestServerEndsWithABinaryThatIsKilled runs this binary a second time, which
// starts a server, tells its address and waits to be killed.
func TestServerEndsWithABinaryThatIsKilled(t *testing.T) {
	t.Parallel()
	const inside = "HELIOS_MOCKLLM_INSIDE"
	if os.Getenv(inside) != "" {
		server := mockllm.Start(t, mockllm.Options{Fixtures: hello})
		_, _ = io.WriteString(os.Stdout, server.URL(mockllm.Messages)+"\n")
		select {}
	}
	mockllm.Start(t, mockllm.Options{Fixtures: hello}) // or skip
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), inside+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the binary tells no address: %q, %v", line, err)
	}
	url := strings.TrimSpace(line) + "/health"
	if !alive(url) {
		t.Fatalf("no server answers at %s", url)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for alive(url) {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("a minute after the binary was killed its server still answers")
		}
	}
}

func alive(url string) bool {
	resp, err := plain.Get(url)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return true
}

func TestThePinsAreWholeAndNameNoHost(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("npm/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "://") || strings.Contains(string(data), "resolved") {
		t.Error("package-lock.json says where packages come from; make it with npm's option omit-lockfile-registry-resolved")
	}
	var lock struct {
		Packages map[string]struct{ Version, Integrity string }
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		t.Fatal(err)
	}
	for name, p := range lock.Packages {
		if name != "" && (p.Version == "" || !strings.HasPrefix(p.Integrity, "sha512-")) {
			t.Errorf("%s has version %q and hash %q, want both", name, p.Version, p.Integrity)
		}
	}
	if len(lock.Packages) != 3 {
		t.Errorf("package-lock.json has %d packages, want the two and itself", len(lock.Packages))
	}
}
