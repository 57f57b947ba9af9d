package polite_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/helios-go/helios/helio/internal/polite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server and a client that notes its waits instead of waiting.
func serve(t *testing.T, h http.HandlerFunc) (base string, c *polite.Client, waits *[]time.Duration) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	t.Cleanup(s.Client().CloseIdleConnections)
	waits = new([]time.Duration)
	var mu sync.Mutex
	return s.URL, &polite.Client{HTTP: s.Client(), Sleep: func(_ context.Context, d time.Duration) error {
		mu.Lock()
		defer mu.Unlock()
		*waits = append(*waits, d)
		return nil
	}}, waits
}

func TestABusyServerIsAskedAgainWhenItWantsTo(t *testing.T) {
	t.Parallel()
	n := 0
	base, c, waits := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		switch n++; n {
		case 1:
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			io.WriteString(w, "ok")
		}
	})
	body, _, err := c.GetAll(t.Context(), base, nil, 10)
	if err != nil || string(body) != "ok" {
		t.Fatalf("%q, %v", body, err)
	}
	if len(*waits) != 2 || (*waits)[0] != 7*time.Second || (*waits)[1] < 2*time.Second || (*waits)[1] > 2500*time.Millisecond {
		t.Errorf("waited %v, want 7 s as asked, then 2 s and up to a quarter more", *waits)
	}
}

func TestWhatWillNotChangeIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	for _, code := range []int{400, 401, 403, 404, 410, 501} {
		n := 0
		base, c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			n++
			http.Error(w, "no such\nparameter", code)
		})
		_, err := c.Get(t.Context(), base+"/data?token=secret", nil)
		status, ok := errors.AsType[*polite.StatusError](err)
		if !ok || status.Code != code || n != 1 {
			t.Errorf("status %d: %v after %d requests, want a StatusError after one", code, err, n)
			continue
		}
		if want := fmt.Sprintf("%s: status %d: no such parameter", strings.TrimPrefix(base, "http://"), code); err.Error() != want {
			t.Errorf("the error says %q, want %q", err, want)
		}
	}
}

func TestRetriesEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ retries, want int }{{0, 5}, {2, 3}, {-1, 1}} {
		n := 0
		base, client, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			n++
			w.WriteHeader(http.StatusBadGateway)
		})
		client.Retries = c.retries
		if _, err := client.Get(t.Context(), base, nil); err == nil || n != c.want {
			t.Errorf("Retries %d: %v after %d requests, want an error after %d", c.retries, err, n, c.want)
		}
	}
}

func TestAServerThatAsksForAnHourIsTold(t *testing.T) {
	t.Parallel()
	base, c, waits := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	_, err := c.Get(t.Context(), base, nil)
	if err == nil || len(*waits) != 0 || !strings.Contains(err.Error(), "wait 1h0m0s") {
		t.Errorf("%v after waits of %v", err, *waits)
	}
}

func TestABrokenBodyIsAskedForAgain(t *testing.T) {
	t.Parallel()
	n := 0
	base, c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if n++; n == 1 {
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, "half")
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, "the whole")
	})
	body, _, err := c.GetAll(t.Context(), base, nil, 100)
	if err != nil || string(body) != "the whole" || n != 2 {
		t.Errorf("%q, %v after %d requests", body, err, n)
	}
}

func TestABodyHasALimit(t *testing.T) {
	t.Parallel()
	n := 0
	base, c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { n++; io.WriteString(w, "0123456789") })
	if body, _, err := c.GetAll(t.Context(), base, nil, 10); err != nil || len(body) != 10 {
		t.Errorf("a body of just the limit: %q, %v", body, err)
	}
	_, _, err := c.GetAll(t.Context(), base, nil, 9)
	if _, ok := errors.AsType[*polite.TooLongError](err); !ok || n != 2 {
		t.Errorf("%v after %d requests, want a TooLongError at once", err, n)
	}
}

func TestOneHostIsAskedAFewThingsAtATime(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	arrived := make(chan struct{}, 20)
	release := make(chan struct{})
	base, c, _ := serve(t, func(http.ResponseWriter, *http.Request) {
		most.Store(max(most.Load(), now.Add(1)))
		arrived <- struct{}{}
		<-release
		now.Add(-1)
	})
	c.Parallel = 3
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			resp, err := c.Get(t.Context(), base, nil)
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
		})
	}
	for range 3 {
		<-arrived
	}
	close(release)
	wg.Wait()
	if most.Load() > 3 {
		t.Errorf("%d requests at a time, want at most 3", most.Load())
	}
}

func TestAPlaceIsFreeWhenItsBodyHasEnded(t *testing.T) {
	t.Parallel()
	base, c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x") })
	c.Parallel = 1
	for range 3 {
		resp, err := c.Get(t.Context(), base, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(resp.Body); err != nil { // to its end, without Close
			t.Fatal(err)
		}
		defer resp.Body.Close()
	}
	resp, err := c.Get(t.Context(), base, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Get(ctx, base, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for a place with an ended context: %v", err)
	}
	resp.Body.Close()
	resp.Body.Close() // twice is once
	if resp, err = c.Get(t.Context(), base, nil); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
}

func TestRedirectsAreFollowedAndKeysStayHome(t *testing.T) {
	t.Parallel()
	var got http.Header
	other, _, _ := serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header })
	base, c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a":
			http.Redirect(w, r, "/b/", http.StatusMovedPermanently)
		case "/b/":
			http.Redirect(w, r, strings.Replace(other, "127.0.0.1", "localhost", 1), http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		case "/none":
			w.WriteHeader(http.StatusFound)
		}
	})
	resp, err := c.Get(t.Context(), base+"/a", http.Header{"Authorization": {"secret"}, "Accept": {"text/xml"}})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got.Get("Authorization") != "" || got.Get("Accept") != "text/xml" || got.Get("User-Agent") != polite.UserAgent {
		t.Errorf("the other host got %v", got)
	}
	for _, path := range []string{"/loop", "/file", "/none"} {
		if _, err := c.Get(t.Context(), base+path, nil); err == nil || !strings.Contains(err.Error(), "not followed") {
			t.Errorf("%s: %v, want an error that it is not followed", path, err)
		}
	}
}

func TestConditionalAnswersAreAnswers(t *testing.T) {
	t.Parallel()
	base, c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-Modified-Since") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	for header, want := range map[string]int{"": 204, "Sat, 01 Jan 2022 00:00:00 GMT": 304} {
		h := http.Header{}
		if header != "" {
			h.Set("If-Modified-Since", header)
		}
		resp, err := c.Get(t.Context(), base, h)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("status %d, want %d", resp.StatusCode, want)
		}
	}
}

func TestAHostThatIsNotThereIsToldAtOnce(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	c := &polite.Client{HTTP: s.Client(), Sleep: func(context.Context, time.Duration) error { t.Error("it waited"); return nil }}
	if _, err := c.Get(t.Context(), s.URL, nil); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("%v, want that the connection was refused", err)
	}
	for _, address := range []string{"", "ftp://x/y", "http://", "::"} {
		if _, err := c.Get(t.Context(), address, nil); err == nil {
			t.Errorf("address %q: no error", address)
		}
	}
}

func TestWaitingIsToldAndEndsWithTheContext(t *testing.T) {
	t.Parallel()
	base, c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	c.Sleep = nil
	c.Backoff = time.Hour
	stop := errors.New("enough")
	c.Waiting = func(_ context.Context, w polite.Wait) {
		if w.Attempt != 1 || w.For < time.Minute || w.Err == nil {
			t.Errorf("told %+v", w)
		}
		cancel(stop)
	}
	if _, err := c.Get(ctx, base, nil); !errors.Is(err, stop) {
		t.Errorf("%v, want the context's cause", err)
	}
}
