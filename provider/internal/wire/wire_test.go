package wire_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/helios-go/helios/internal/sse"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-test-0123456789"

// acme are the settings of a provider at a server of the test's own.
func acme(base string) *wire.Settings {
	return &wire.Settings{
		Provider: "acme", Model: "rocket-1", Key: key, KeyVar: "ACME_API_KEY", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
		Home: "https://api.acme.invalid", BaseURL: base,
		Kinds: map[string]llm.ErrorKind{"overloaded_error": llm.KindTransient, "invalid_request_error": llm.KindInvalidRequest},
	}
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

func post(t *testing.T, s *wire.Settings) (*http.Response, error) {
	t.Helper()
	conn, err := wire.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return conn.Post(t.Context(), "/v1/do?a=1", http.Header{"Acme-Version": {"7"}}, []byte(`{"x":1}`))
}

// refused sends a request that comes to nothing.
func refused(t *testing.T, s *wire.Settings) error {
	t.Helper()
	resp, err := post(t, s)
	if err == nil {
		resp.Body.Close()
		t.Fatal("there is an answer")
	}
	return err
}

func TestARequestCarriesTheKeyAndTheCallersHeaders(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body []byte
	base := serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r; body, _ = io.ReadAll(r.Body) })
	s := acme(base + "/proxy?tenant=9")
	s.Header = http.Header{"acme-version": {"8"}, "X-Mine": {"a", "b"}, "Accept": nil}
	resp, err := post(t, s)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got.URL.String() != "/proxy/v1/do?tenant=9&a=1" || got.Method != http.MethodPost || string(body) != `{"x":1}` {
		t.Errorf("%s %s %s", got.Method, got.URL, body)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer " + key, "Content-Type": "application/json", "Acme-Version": "8", "X-Mine": "a", "Accept": "",
	} {
		if v := got.Header.Get(name); v != want {
			t.Errorf("%s is %q, want %q", name, v, want)
		}
	}
	if n := len(got.Header.Values("Acme-Version")); n != 1 {
		t.Errorf("%d values of the header that the caller replaces", n)
	}
}

// The key of the environment is the provider's own and goes nowhere else.
func TestHeadersAreTheCallersAgainOnceAConnectionIsMade(t *testing.T) {
	t.Parallel()
	var got http.Header
	base := serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header })
	s := acme(base)
	s.Header = http.Header{"Acme-Team": {"blue"}}
	conn, err := wire.New(s)
	if err != nil {
		t.Fatal(err)
	}
	s.Header.Set("Acme-Team", "red")
	s.Header.Set("Acme-New", "1")
	resp, err := conn.Post(t.Context(), "/", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got.Get("Acme-Team") != "blue" || got.Get("Acme-New") != "" {
		t.Errorf("sent %q and %q, want what the headers were when the connection was made", got.Get("Acme-Team"), got.Get("Acme-New"))
	}
}

func TestAKeyMayComeInAHeaderInAnyCase(t *testing.T) {
	t.Parallel()
	s := acme("")
	s.Key, s.KeyVar = "", "ACME_KEY_THAT_IS_NOT_SET"
	s.Header = http.Header{"authorization": {"Bearer " + key}}
	if _, err := wire.New(s); err != nil {
		t.Errorf("the key in a header was not found: %v", err)
	}
}

// Go takes X-Api-Key along to any host that a redirect names.
func TestAKeyFollowsNoRedirectWithTheCallersClient(t *testing.T) {
	t.Parallel()
	asked := false
	other := serve(t, func(http.ResponseWriter, *http.Request) { asked = true })
	s := acme(serve(t, http.RedirectHandler(other, http.StatusTemporaryRedirect).ServeHTTP))
	s.KeyHeader, s.KeyPrefix, s.HTTP = "X-Api-Key", "", &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if err := refused(t, s); asked {
		t.Errorf("the other host was asked: %v", err)
	}
}

func TestTheEnvironmentsKeyGoesHomeOnly(t *testing.T) {
	t.Setenv("ACME_API_KEY", key)
	var sent http.Header
	base := serve(t, func(_ http.ResponseWriter, r *http.Request) { sent = r.Header })
	s := acme(base)
	s.Key = ""
	resp, err := post(t, s)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if sent.Get("Authorization") != "" {
		t.Error("the key of the environment went to another server")
	}
	s = acme("")
	s.Key, s.Home = "", base
	if resp, err = post(t, s); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if sent.Get("Authorization") != "Bearer "+key {
		t.Error("the key of the environment was not sent home")
	}
}

func TestSettingsThatCannotWorkAreNamed(t *testing.T) {
	t.Setenv("ACME_API_KEY", "")
	for name, tt := range map[string]struct {
		change func(*wire.Settings)
		kind   error
		want   string
	}{
		"no key":           {func(s *wire.Settings) { s.Key, s.BaseURL = "", "" }, llm.ErrAuth, "acme: there is no key; set ACME_API_KEY or Options.Key"},
		"a key with lines": {func(s *wire.Settings) { s.Key = "a\nb" }, llm.ErrAuth, "acme: the key holds characters that no key has; set ACME_API_KEY or Options.Key"},
		"no base":          {func(s *wire.Settings) { s.BaseURL, s.Home = "", "" }, llm.ErrInvalidRequest, "acme: there is no base URL; set Options.BaseURL"},
		"no URL":           {func(s *wire.Settings) { s.BaseURL = "api.acme.example" }, llm.ErrInvalidRequest, "change Options.BaseURL"},
		"a file":           {func(s *wire.Settings) { s.BaseURL = "file:///etc/passwd" }, llm.ErrInvalidRequest, "change Options.BaseURL"},
	} {
		s := acme("http://127.0.0.1:1")
		tt.change(s)
		_, err := wire.New(s)
		if err == nil || !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	for name, change := range map[string]func(*wire.Settings){
		"a server of one's own": func(s *wire.Settings) { s.Key, s.BaseURL = "", "http://127.0.0.1:1" },
		"a key in a header": func(s *wire.Settings) {
			s.Key, s.BaseURL, s.Header = "", "", http.Header{"Authorization": {"Bearer x"}}
		},
		"a server without keys":  func(s *wire.Settings) { s.Key, s.BaseURL, s.Keyless = "", "", true },
		"a line end at its end":  func(s *wire.Settings) { s.Key += "\n" },
		"a slash behind the URL": func(s *wire.Settings) { s.BaseURL = "http://127.0.0.1:1/v1/" },
	} {
		s := acme("http://127.0.0.1:1")
		change(s)
		if _, err := wire.New(s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestARefusalSaysWhyAndWhatToChange(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		header http.Header
		body   string
		kind   error // nil: none of the sentinels
		wait   time.Duration
		want   string
	}{
		"a wrong key": {401, nil, `{"error":{"type":"authentication_error","message":"invalid key ` + key + `"}}`, llm.ErrAuth, 0,
			"acme: HTTP 401: invalid key <redacted>; check ACME_API_KEY or Options.Key"},
		"a model that is not there": {404, nil, `{"error":{"message":"no such model","code":"model_not_found"}}`, llm.ErrInvalidRequest, 0,
			"acme: HTTP 404: no such model; check the model (rocket-1) and Options.BaseURL"},
		"too many": {429, http.Header{"Retry-After": {"2"}}, `{"error":{"message":"slow down"}}`, llm.ErrTransient, 2 * time.Second, "acme: HTTP 429: slow down"},
		"overload": {529, http.Header{"Retry-After-Ms": {"1500"}}, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
			llm.ErrTransient, 1500 * time.Millisecond, "acme: HTTP 529: Overloaded"},
		"never again":     {500, http.Header{"X-Should-Retry": {"false"}}, `{"error":{"message":"broken"}}`, nil, 0, "acme: HTTP 500: broken"},
		"once more":       {400, http.Header{"X-Should-Retry": {"true"}}, `{"error":{"message":"odd"}}`, llm.ErrTransient, 0, "acme: HTTP 400: odd"},
		"a conflict":      {409, nil, ``, llm.ErrTransient, 0, "acme: HTTP 409: Conflict"},
		"by its type":     {400, nil, `{"error":{"type":"overloaded_error","message":"busy"}}`, llm.ErrTransient, 0, "acme: HTTP 400: busy"},
		"too long":        {400, nil, `{"error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}`, llm.ErrContextTooLong, 0, "acme: HTTP 400: prompt is too long: 9 > 8"},
		"too large":       {413, nil, ``, llm.ErrContextTooLong, 0, "acme: HTTP 413: Request Entity Too Large"},
		"a text":          {503, nil, "no healthy upstream\n", llm.ErrTransient, 0, "acme: HTTP 503: no healthy upstream"},
		"a string":        {400, nil, `{"error":"json: cannot unmarshal"}`, llm.ErrInvalidRequest, 0, "acme: HTTP 400: json: cannot unmarshal"},
		"a detail":        {422, nil, `{"detail":[{"loc":["body"]}]}`, llm.ErrInvalidRequest, 0, `acme: HTTP 422: [{"loc":["body"]}]`},
		"a list of one":   {400, nil, `[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]`, llm.ErrInvalidRequest, 0, "acme: HTTP 400: bad"},
		"another address": {308, http.Header{"Location": {"https://new.acme.example/v1?key=" + key}}, ``, llm.ErrInvalidRequest, 0, "new.acme.example"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				maps.Copy(w.Header(), tt.header)
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			err := refused(t, acme(base))
			var e *llm.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) || e.Status != tt.status || e.RetryAfter != tt.wait {
				t.Fatalf("%v (%+v), want %q", err, e, tt.want)
			}
			if tt.kind == nil && e.Kind != llm.KindOther || tt.kind != nil && !errors.Is(err, tt.kind) {
				t.Errorf("its kind is %v, want %v", e.Kind, tt.kind)
			}
			if strings.Contains(err.Error(), key) {
				t.Error("the error shows the key")
			}
		})
	}
}

func TestALongRefusalIsCut(t *testing.T) {
	t.Parallel()
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		io.WriteString(w, strings.Repeat("x", 70<<10))
	})
	err := refused(t, acme(base))
	if !strings.HasSuffix(err.Error(), "[truncated: error body exceeded 65536 bytes]") {
		t.Errorf("the error does not say that it was cut")
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.NotFoundHandler())
	host := srv.Listener.Addr().String()
	srv.Close()
	s := acme("http://" + host)
	err := refused(t, s)
	want := "acme: no answer from the server: " + host + ": connection refused; check the network and Options.BaseURL"
	if !errors.Is(err, llm.ErrTransient) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	s.Hint = "start it with acme serve"
	if err = refused(t, s); !strings.HasSuffix(err.Error(), "; start it with acme serve") {
		t.Errorf("%v, want the provider's own hint", err)
	}
}

func events(t *testing.T, base string) (got []string, err error) {
	t.Helper()
	s := acme(base)
	s.MaxEvent = 1 << 10
	conn, err := wire.New(s)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := conn.Post(t.Context(), "/", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for e, eventErr := range conn.Events(resp) {
		if eventErr != nil {
			err = eventErr
			break
		}
		got = append(got, fmt.Sprintf("%s %s %t", e.Name, e.Data, e.Cut))
	}
	return got, err
}

func TestWhatComesInsteadOfAStream(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kind, body string
		want       int
		err        error
		says       string
	}{
		"a stream":      {"text/event-stream; charset=utf-8", "data: 1\n\ndata: 2\n\n", 2, nil, ""},
		"no type":       {"", "data: 1\n\n", 1, nil, ""},
		"one JSON text": {"application/json", "{\n}", 1, nil, ""},
		"a web page":    {"text/html; charset=utf-8", "<html>", 0, llm.ErrInvalidRequest, "Options.BaseURL"},
		"a long event":  {"text/event-stream", "data: 1\n\ndata: " + strings.Repeat("x", 40<<10), 1, nil, "Options.MaxEvent"},
		"a long text":   {"application/json", strings.Repeat("x", 40<<10), 0, nil, "Options.MaxEvent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := events(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				if tt.kind != "" {
					w.Header().Set("Content-Type", tt.kind)
				}
				io.WriteString(w, tt.body)
			}))
			if len(got) != tt.want || (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%q, %v", got, err)
			}
			if tt.err != nil && !errors.Is(err, tt.err) {
				t.Errorf("%v, want %v", err, tt.err)
			}
		})
	}
}

func TestSilenceIsTransient(t *testing.T) {
	t.Parallel()
	s := acme(serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	s.IdleTimeout = time.Millisecond
	conn, err := wire.New(s)
	if err != nil {
		t.Fatal(err)
	}
	var last error
	for _, err := range conn.Ask(t.Context(), "/", nil, nil) {
		last = err
	}
	if !errors.Is(last, llm.ErrTransient) || !strings.Contains(last.Error(), "no more data for 1ms") {
		t.Errorf("%v, want a transient end", last)
	}
}

func TestABrokenConnectionIsTransient(t *testing.T) {
	t.Parallel()
	got, err := events(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	if len(got) != 1 || !errors.Is(err, llm.ErrTransient) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v; want one event, then a transient end", got, err)
	}
}

func TestTheCallersOwnEndIsNoFailureOfTheProvider(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{})
	base := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		close(entered)
		<-r.Context().Done()
	})
	conn, err := wire.New(acme(base))
	if err != nil {
		t.Fatal(err)
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-entered; cancel(stopped) }()
	resp, err := conn.Post(ctx, "/", nil, []byte("{}"))
	if err == nil {
		resp.Body.Close()
	}
	if !errors.Is(err, stopped) || errors.Is(err, llm.ErrTransient) {
		t.Errorf("%v, want the cause and nothing transient", err)
	}
}

func TestFieldsOfTheCallersOwnReplaceOurs(t *testing.T) {
	t.Parallel()
	conn, err := wire.New(acme("http://127.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	body := struct {
		A string `json:"a"`
		B int    `json:"b"`
	}{"<&>", 1}
	for extra, want := range map[string]string{"": `{"a":"<&>","b":1}`, `{"b":9007199254740993,"c":null}`: `{"a":"<&>","b":9007199254740993,"c":null}`} {
		got, err := conn.Body(body, json.RawMessage(extra))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", extra, got, err, want)
		}
	}
	if _, err := conn.Body(body, json.RawMessage(`[1]`)); !errors.Is(err, llm.ErrInvalidRequest) {
		t.Errorf("a list: %v, want an invalid request", err)
	}
}

func TestEventsAreDecodedOneByOne(t *testing.T) {
	t.Parallel()
	conn, err := wire.New(acme("http://127.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	d := conn.NewDecoder()
	var v struct{ N int }
	for i := range 100 {
		if err := d.Decode(sse.Event{Data: fmt.Appendf(nil, "{\"n\":%d} \n", i)}, &v); err != nil || v.N != i {
			t.Fatalf("event %d: %d, %v", i, v.N, err)
		}
	}
	for data, cut := range map[string]bool{`{"n":1}{"n":2}`: false, `{"n":`: true, ``: true, `{"n":x}`: false} {
		err := conn.NewDecoder().Decode(sse.Event{Data: []byte(data), Cut: cut}, &v)
		if !errors.Is(err, llm.ErrTransient) || errors.Is(err, io.ErrUnexpectedEOF) != cut {
			t.Errorf("%q: %v; want an error, and a cut one: %t", data, err, cut)
		}
	}
}

func TestPrintedOptionsShowNoValues(t *testing.T) {
	t.Parallel()
	v := wire.Print(key, "https://user:hunter2@api.example/v1?key=hunter2", http.Header{"X-B": {"hunter2"}, "X-A": {"hunter2"}})
	text := v.String()
	if strings.Contains(text, "hunter2") || strings.Contains(text, key) {
		t.Errorf("it shows what it must not: %s", text)
	}
	for _, want := range []string{"<redacted>", "https://api.example/v1", "X-A X-B"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s does not show %s", text, want)
		}
	}
}

func FuzzParseProblem(f *testing.F) {
	for _, s := range []string{
		`{"error":{"message":"m","type":"t","code":"c","param":null}}`, `{"error":"x"}`, `{"error":{"code":502,"message":"m","metadata":{"raw":"r"}}}`,
		`[{"error":{"status":"S"}}]`, `{"detail":"d"}`, `{"message":7}`, `null`, `[]`, `{"error":null}`, `<html>`, `{"error":{"message":{"a":1}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		conn, err := wire.New(acme("http://127.0.0.1:1"))
		if err != nil {
			t.Fatal(err)
		}
		p := wire.ParseProblem(body)
		if e := conn.Fail(200, &p); e.Err == nil || e.Err.Error() == "" {
			t.Errorf("%q: an error without a text", body)
		}
	})
}
