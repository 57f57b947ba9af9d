package llmtest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/llm/llmtest"
)

const stream = "event: message_start\ndata: {\"text\":\"你好🦀\"}\n\nevent: message_stop\ndata: {}\n\n"

// A provider is tested against the bytes that its server once sent.
func ExampleWire() {
	wire := llmtest.NewWire(
		llmtest.JSON(429, `{"error":"slow down"}`).Header("Retry-After", "2"),
		llmtest.SSE("data: {\"text\":\"hi\"}\n\n").Cut(llmtest.CutEvery(1)).To("POST", "/v1/messages").
			Where(func(q *llmtest.WireRequest) error { return q.SameJSON(`{"stream":true,"model":"m"}`) }),
	)
	client := wire.Client()
	for range 3 {
		resp, err := client.Post("https://api.example/v1/messages", "application/json", strings.NewReader(`{"model":"m","stream":true}`))
		if err != nil {
			fmt.Println(err)
			return
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Printf("%s %q %q %v\n", resp.Status, resp.Header.Get("Retry-After"), body, err)
	}
	fmt.Println(wire.Done())
	// Output:
	// 429 Too Many Requests "2" "{\"error\":\"slow down\"}" <nil>
	// 200 OK "" "data: {\"text\":\"hi\"}\n\n" <nil>
	// 400 Bad Request "" "llmtest: request 3, POST /v1/messages: there are 2 replies\n" <nil>
	// llmtest: request 3, POST /v1/messages: there are 2 replies
}

// What curl -i has printed is a reply.
func ExampleRawReply() {
	reply, err := llmtest.RawReply([]byte("HTTP/2 529 \r\nrequest-id: req_1\r\n\r\n{\"type\":\"error\"}"))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := llmtest.NewWire(reply).Client().Get("https://api.example/")
	if err != nil {
		fmt.Println(err)
		return
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	fmt.Println(resp.StatusCode, resp.Header.Get("Request-Id"), string(body), err)
	// Output: 529 req_1 {"type":"error"} <nil>
}

func TestCutsLoseNothing(t *testing.T) {
	t.Parallel()
	bodies := []string{"", "a", stream, llmtest.LineEnds(stream, "\r\n"), llmtest.LineEnds(stream, "\r")}
	for name, cut := range llmtest.Cuts() {
		for _, body := range bodies {
			last := 0
			for _, at := range cut([]byte(body)) {
				if at <= last || at >= len(body) {
					t.Errorf("%s: %q is cut at %d after %d", name, body, at, last)
				}
				last = at
			}
			resp, err := llmtest.NewWire(llmtest.SSE(body).Cut(cut)).Client().Get("https://x/")
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			if resp.Body.Close(); string(got) != body || err != nil {
				t.Errorf("%s: %q, %v; want %q", name, got, err, body)
			}
		}
	}
	crlf := []byte(llmtest.LineEnds(stream, "\r\n"))
	for name, tt := range map[string]struct{ got, want int }{
		"every byte":        {len(llmtest.CutEvery(1)([]byte(stream))), len(stream) - 1},
		"lines":             {len(llmtest.CutLines([]byte(stream))), 5},
		"events":            {len(llmtest.CutEvents([]byte(stream))), 1},
		"events in CRLF":    {len(llmtest.CutEvents(crlf)), 1},
		"events in CR":      {len(llmtest.CutEvents([]byte(llmtest.LineEnds(stream, "\r")))), 1},
		"between CRLF":      {len(llmtest.CutCRLF(crlf)), 6},
		"inside characters": {len(llmtest.CutRunes([]byte(stream))), 3},
		"at":                {len(llmtest.CutAt(3, 1, -5, 0, 10_000)([]byte(stream))), 2},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %d cuts, want %d", name, tt.got, tt.want)
		}
	}
}

// Over a real connection the client reads the very pieces, and the very bytes.
func TestAServerSendsWhatWasRecorded(t *testing.T) {
	t.Parallel()
	raw, err := llmtest.RawReply([]byte("HTTP/1.1 200 OK\nX-Odd: a\nX-Odd: b\nTransfer-Encoding: chunked\nContent-Length: 4\n\na\r\nb"))
	if err != nil {
		t.Fatal(err)
	}
	wire := llmtest.NewWire(raw, llmtest.SSE(stream).Cut(llmtest.CutRunes), llmtest.SSE(stream).Dropping(20), llmtest.SSE(stream).Unanswered(), llmtest.SSE(stream).Stalling(7))
	server := httptest.NewServer(wire)
	defer server.Close()
	get := func() (http.Header, string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		t.Cleanup(cancel)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/v1?x=1", strings.NewReader("body"))
		if err != nil {
			return nil, "", err
		}
		resp, err := server.Client().Do(req)
		if err != nil {
			return nil, "", err
		}
		defer resp.Body.Close()
		if len(wire.Requests()) == 5 {
			head := make([]byte, 7)
			_, err := io.ReadFull(resp.Body, head)
			return resp.Header, string(head), err
		}
		body, err := io.ReadAll(resp.Body)
		return resp.Header, string(body), err
	}
	header, body, err := get()
	if err != nil || body != "a\r\nb" || len(header["X-Odd"]) != 2 || header.Get("Date") != "" || header.Get("Content-Type") != "" {
		t.Errorf("%v %q, %v", header, body, err)
	}
	if header, body, err = get(); err != nil || body != stream || header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		t.Errorf("%v %q, %v", header, body, err)
	}
	if _, body, err = get(); err == nil || body != stream[:20] {
		t.Errorf("a dropped connection: %q, %v", body, err)
	}
	if header, _, err = get(); err == nil {
		t.Errorf("an unanswered request: %v", header)
	}
	if _, body, err = get(); err != nil || body != stream[:7] {
		t.Errorf("a stalled stream: %q, %v", body, err)
	}
	if err := wire.Done(); err != nil {
		t.Error(err)
	}
	q := wire.Requests()[0]
	if q.Method != http.MethodPost || q.Path != "/v1?x=1" || string(q.Body) != "body" || q.Header == nil {
		t.Errorf("request = %+v", q)
	}
}

func TestPausesAndStallsTakeTheirTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		read := func(ctx context.Context, r llmtest.Reply) (string, time.Duration, error) {
			began := time.Now()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://x/", nil)
			if err != nil {
				return "", 0, err
			}
			resp, err := llmtest.NewWire(r).Client().Do(req)
			if err != nil {
				return "", time.Since(began), err
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			return string(body), time.Since(began), err
		}
		body, took, err := read(t.Context(), llmtest.SSE("a\nb\nc\n").Cut(llmtest.CutLines).After(time.Minute).Every(2*time.Second))
		if body != "a\nb\nc\n" || took != time.Minute+4*time.Second || err != nil {
			t.Errorf("%q after %v, %v", body, took, err)
		}
		for name, r := range map[string]llmtest.Reply{
			"stall":         llmtest.SSE("abc").Stalling(1),
			"stall at once": llmtest.SSE("abc").Stalling(0),
			"late response": llmtest.SSE("abc").After(time.Hour),
			"late piece":    llmtest.SSE("abc").Cut(llmtest.CutEvery(1)).Every(time.Hour),
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if body, took, err = read(ctx, r); !errors.Is(err, context.DeadlineExceeded) || took != time.Minute {
				t.Errorf("%s: %q after %v, %v", name, body, took, err)
			}
			cancel()
		}
		if body, _, err = read(t.Context(), llmtest.SSE("abc").Dropping(2)); body != "ab" || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a dropped connection: %q, %v", body, err)
		}
		if _, _, err = read(t.Context(), llmtest.SSE("abc").Unanswered()); !errors.Is(err, io.EOF) {
			t.Errorf("an unanswered request: %v", err)
		}
		resp, err := llmtest.NewWire(llmtest.SSE("abc").Stalling(0)).Client().Get("https://x/")
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() { resp.Body.Close() })
		if _, err := io.ReadAll(resp.Body); err == nil {
			t.Error("a body that was closed can be read to its end")
		}
	})
}

func TestRequestsAreHeldToWhatTheRepliesWant(t *testing.T) {
	t.Parallel()
	same := func(want string) func(*llmtest.WireRequest) error {
		return func(q *llmtest.WireRequest) error { return q.SameJSON(want) }
	}
	for want, r := range map[string]llmtest.Reply{
		"":                                      llmtest.SSE("").To("POST", "/v1/a").Where(same(`{"b":[1.0,{"c":"x"}],"a":null}`)),
		"it is POST /v1/a, want GET /v1/a":      llmtest.SSE("").To("GET", "/v1/a"),
		"want POST /v1/b":                       llmtest.SSE("").To("POST", "/v1/b"),
		"want POST /v1/a?key=2":                 llmtest.SSE("").To("POST", "/v1/a?key=2"),
		"body.b[0] is 1, recorded as 2":         llmtest.SSE("").Where(same(`{"a":null,"b":[2,{"c":"x"}]}`)),
		`body.b[1].c is "x", recorded as "y"`:   llmtest.SSE("").Where(same(`{"a":null,"b":[1,{"c":"y"}]}`)),
		"body.b has 2 items, recorded with 1":   llmtest.SSE("").Where(same(`{"a":null,"b":[1]}`)),
		"body.a was not recorded: null":         llmtest.SSE("").Where(same(`{"b":[1,{"c":"x"}]}`)),
		"body.d was recorded, and is missing":   llmtest.SSE("").Where(same(`{"a":null,"b":[1,{"c":"x"}],"d":1}`)),
		"body.b is [1,{\"c\":\"x\"}], recorded": llmtest.SSE("").Where(same(`{"a":null,"b":{}}`)),
		"the JSON to compare with":              llmtest.SSE("").Where(same(`{`)),
	} {
		wire := llmtest.NewWire(r)
		resp, err := wire.Client().Post("https://x/v1/a?key=1", "application/json", strings.NewReader(`{"a":null,"b":[1,{"c":"x"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		err = wire.Done()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	unused := llmtest.NewWire(llmtest.SSE("")).Done()
	if unused == nil || unused.Error() != "llmtest: 1 replies, and 0 requests came" {
		t.Errorf("an unused reply: %v", unused)
	}
	var v struct{ A int }
	if err := (&llmtest.WireRequest{Body: []byte(`{"a":3}`)}).JSON(&v); err != nil || v.A != 3 {
		t.Errorf("%+v, %v", v, err)
	}
	if err := (&llmtest.WireRequest{Body: []byte(`x`)}).JSON(&v); err == nil || (&llmtest.WireRequest{}).SameJSON(`{}`) == nil {
		t.Errorf("a body that is no JSON: %v", err)
	}
}

func TestAWireIsRecordedAndPlayedAgain(t *testing.T) {
	t.Parallel()
	const key = "sk-very-secret"
	dir := t.TempDir()
	behind := llmtest.NewWire(
		llmtest.SSE(llmtest.LineEnds(stream, "\r\n")).Cut(llmtest.CutEvery(3)).Header("Set-Cookie", key),
		llmtest.JSON(200, `{"echo":"`+key+`"}`), llmtest.JSON(200, "left unread"))
	recorder := &llmtest.WireRecorder{Dir: dir, Base: behind, Redact: func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(key), []byte("<key>")) }}
	post := func(client *http.Client, path, body string) (string, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://api.example"+path, strings.NewReader(body))
		if err != nil {
			return "", err
		}
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("X-Api-Key", key)
		resp, err := client.Do(req)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		if path == "/left" {
			return "", nil
		}
		data, err := io.ReadAll(resp.Body)
		return string(data), err
	}
	live := &http.Client{Transport: recorder}
	for _, q := range [][2]string{{"/v1/a", `{"x":1,"y":[2]}`}, {"/v1/b?q=1", "plain " + key}, {"/left", ""}} {
		if _, err := post(live, q[0], q[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"001.request", "001.response", "002.request", "002.response", "003.response"} {
		data, err := os.ReadFile(dir + "/" + name)
		if err != nil || bytes.Contains(data, []byte(key)) {
			t.Errorf("%s: %v\n%s", name, err, data)
		}
	}
	wire, err := llmtest.LoadWire(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := post(wire.Client(), "/v1/a", `{"y":[2],"x":1}`); got != llmtest.LineEnds(stream, "\r\n") || err != nil {
		t.Errorf("played: %q, %v", got, err)
	}
	if got, err := post(wire.Client(), "/v1/b?q=1", "plain <key>"); got != `{"echo":"<key>"}` || err != nil {
		t.Errorf("played: %q, %v", got, err)
	}
	if _, err := post(wire.Client(), "/left", "more"); err != nil {
		t.Error(err)
	}
	if err := wire.Done(); err == nil || !strings.Contains(err.Error(), `the body is "more", recorded as ""`) {
		t.Errorf("done = %v", err)
	}
	if _, err := llmtest.LoadWire(os.DirFS(t.TempDir())); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestResponsesThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	for dump, want := range map[string]string{
		"":                               "first line",
		"HTTP/1.1 200 OK":                "no blank line",
		"HTTP/1.1 200 OK\nA: b\n":        "no blank line",
		"200 OK\n\n":                     "first line",
		"HTTP/1.1 xyz OK\n\n":            "first line",
		"HTTP/1.1 99 Low\n\n":            "first line",
		"HTTP/1.1 200 OK\nno header\n\n": "line 2",
		"HTTP/1.1 200 OK\n: x\n\n":       "line 2",
	} {
		if _, err := llmtest.RawReply([]byte(dump)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", dump, err, want)
		}
	}
}

// Any dump is refused or played with the bytes behind its first blank line.
func FuzzRawReply(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: x\n\n"))
	f.Add([]byte("HTTP/2 529\nA: b\n\n\n"))
	f.Add([]byte("HTTP/1.1 200 OK\nA\n\n"))
	f.Fuzz(func(t *testing.T, dump []byte) {
		r, err := llmtest.RawReply(dump)
		if err != nil {
			return
		}
		for _, cut := range []llmtest.Cut{llmtest.CutEvery(2), llmtest.CutRunes, llmtest.CutEvents} {
			// Not through a client, which would follow a redirect.
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://x/", nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := llmtest.NewWire(r.Cut(cut)).RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || !bytes.HasSuffix(dump, body) {
				t.Errorf("%q is played as %q, %v", dump, body, err)
			}
		}
	})
}
