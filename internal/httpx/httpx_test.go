package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/helios-go/helios/internal/httpx"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func get(ctx context.Context, t *testing.T, url string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// fail sends a request that gets no answer.
func fail(t *testing.T, c *httpx.Client, req *http.Request) error {
	t.Helper()
	resp, err := c.Do(req)
	if err == nil {
		resp.Body.Close()
		t.Fatal("there is an answer")
	}
	return err
}

// pipe is a client whose connections end in a handler, without a network, so that
// the time of a synctest bubble counts.
func pipe(t *testing.T, h http.HandlerFunc) *http.Client {
	t.Helper()
	l := &listener{conns: make(chan net.Conn), done: make(chan struct{})}
	srv := &http.Server{Handler: h}
	go srv.Serve(l)
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		here, there := net.Pipe()
		select {
		case l.conns <- there:
			return here, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	t.Cleanup(func() { tr.CloseIdleConnections(); srv.Close() })
	return &http.Client{Transport: tr}
}

type listener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l *listener) Close() error   { close(l.done); return nil }
func (l *listener) Addr() net.Addr { return &net.TCPAddr{} }

// A model may think for longer than any limit on the whole as long as it says
// something now and then.
func TestASlowBodyIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &httpx.Client{IdleTimeout: 10 * time.Second, HeaderTimeout: 10 * time.Second, HTTP: pipe(t, func(w http.ResponseWriter, _ *http.Request) {
			for i := range 100 {
				time.Sleep(9 * time.Second)
				fmt.Fprintf(w, "%d ", i%10)
				w.(http.Flusher).Flush()
			}
		})}
		resp, err := client.Do(get(t.Context(), t, "http://models.example/"))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		if err != nil || len(data) != 200 {
			t.Errorf("%d bytes, %v; want all 200", len(data), err)
		}
	})
}

func TestSilenceEndsABody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &httpx.Client{IdleTimeout: 10 * time.Second, HTTP: pipe(t, func(w http.ResponseWriter, req *http.Request) {
			io.WriteString(w, "begun")
			w.(http.Flusher).Flush()
			<-req.Context().Done()
		})}
		resp, err := client.Do(get(t.Context(), t, "http://models.example/v1?key=secret"))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		begun := time.Now()
		data, err := io.ReadAll(resp.Body)
		if string(data) != "begun" || !errors.Is(err, httpx.ErrSilent) {
			t.Errorf("%q, %v; want what came and ErrSilent", data, err)
		}
		if err != nil && err.Error() != "models.example: no more data for 10s" {
			t.Errorf("the error says %q", err)
		}
		if d := time.Since(begun); d != 10*time.Second {
			t.Errorf("it took %s, want 10 s", d)
		}
	})
}

// Who reads slowly does not make the server silent.
func TestASlowReaderIsNotSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &httpx.Client{IdleTimeout: time.Second, HTTP: pipe(t, func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "ab")
		})}
		resp, err := client.Do(get(t.Context(), t, "http://models.example/"))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		one := make([]byte, 1)
		for range 2 {
			time.Sleep(time.Hour)
			if _, err := io.ReadFull(resp.Body, one); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestNoHeadersInTimeIsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &httpx.Client{HeaderTimeout: 3 * time.Second, HTTP: pipe(t, func(_ http.ResponseWriter, req *http.Request) {
			<-req.Context().Done()
		})}
		err := fail(t, client, get(t.Context(), t, "http://models.example/"))
		if !errors.Is(err, httpx.ErrNoAnswer) || err.Error() != "models.example: no answer within 3s" {
			t.Errorf("%v, want ErrNoAnswer", err)
		}
	})
}

func TestTheEndOfTheContextIsTheError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &httpx.Client{HTTP: pipe(t, func(w http.ResponseWriter, req *http.Request) {
			io.WriteString(w, "begun")
			w.(http.Flusher).Flush()
			<-req.Context().Done()
		})}
		stopped := errors.New("stopped by the user")
		ctx, cancel := context.WithCancelCause(t.Context())
		resp, err := client.Do(get(ctx, t, "http://models.example/"))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		go cancel(stopped)
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, stopped) {
			t.Errorf("%v, want the context's cause", err)
		}
	})
}

func TestFailuresNameTheHostAndNothingSecret(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	}))
	host := srv.Listener.Addr().String()
	client := &httpx.Client{}
	check := func(want string) {
		t.Helper()
		err := fail(t, client, get(t.Context(), t, "http://user:hunter2@"+host+"/v1?key=hunter2"))
		var e *httpx.Error
		if !errors.As(err, &e) || err.Error() != host+": "+want {
			t.Errorf("%v, want %s: %s", err, host, want)
		}
	}
	check("the connection was closed without an answer")
	srv.Close()
	check("connection refused")
}

// A key must not follow a redirect to somebody else.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var asked bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	srv := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer srv.Close()
	req := get(t.Context(), t, srv.URL)
	req.Header.Set("X-Api-Key", "secret")
	resp, err := (&httpx.Client{}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusTemporaryRedirect || asked {
		t.Errorf("status %d, the other host asked: %t; want the redirect itself", resp.StatusCode, asked)
	}
}

func TestBodiesOfErrorsAreBounded(t *testing.T) {
	t.Parallel()
	for n, cut := range map[int]bool{10: false, httpx.MaxErrorBody: false, httpx.MaxErrorBody + 1: true, 10 << 20: true} {
		resp := &http.Response{Body: io.NopCloser(strings.NewReader(strings.Repeat("x", n)))}
		got := httpx.ErrorBody(resp)
		if strings.HasSuffix(got, "[truncated: error body exceeded 65536 bytes]") != cut || len(got) > httpx.MaxErrorBody+60 {
			t.Errorf("of %d bytes, %d are told, ending in %q", n, len(got), got[max(0, len(got)-50):])
		}
	}
}

func TestTimesToWait(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 200_000_000, time.UTC)
	tests := []struct {
		ms, after string
		want      time.Duration
		ok        bool
	}{
		{"", "2", 2 * time.Second, true},
		{"", "1.5", 1500 * time.Millisecond, true},
		{"", "0.0001", time.Millisecond, true},
		{"250", "9", 250 * time.Millisecond, true},
		{"x", "9", 9 * time.Second, true},
		{"", "Mon, 30 Nov 2026 12:00:03 GMT", 2800 * time.Millisecond, true},
		{"", "Mon, 30 Nov 2026 12:00:00 GMT", 0, false},
		{"", "99999", 99999 * time.Second, true},
		{"", "1e300", 1<<63 - 1, true},
		{"", "0", 0, false},
		{"", "-1", 0, false},
		{"", "abc", 0, false},
		{"", "NaN", 0, false},
		{"", "", 0, false},
	}
	for _, tt := range tests {
		h := http.Header{}
		h.Set("Retry-After-Ms", tt.ms)
		h.Set("Retry-After", tt.after)
		if got, ok := httpx.RetryAfter(h, now); got != tt.want || ok != tt.ok {
			t.Errorf("%q, %q: %s, %t; want %s, %t", tt.ms, tt.after, got, ok, tt.want, tt.ok)
		}
	}
}
