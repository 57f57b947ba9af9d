package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A Wire plays HTTP responses, each to one request, in order. It stands for a
// provider's server in tests of what speaks to one: bodies are sent byte for byte,
// in any pieces, with pauses, and may stall or break off.
//
// It is an [http.Handler], for a server of httptest, and an [http.RoundTripper],
// which needs no network, so that with testing/synctest pauses cost no time:
//
//	wire := llmtest.NewWire(llmtest.SSE(stream).Cut(llmtest.CutEvery(1)).To("POST", "/v1/messages"))
//	model := anthropic.New("claude-sonnet-5", &anthropic.Options{HTTP: wire.Client(), Key: "test"})
//	resp, err := llm.Generate(ctx, model, req)
//	if err := wire.Done(); err != nil {
//		t.Error(err)
//	}
//
// A request that no reply is left for, or that its reply refuses, gets status 400
// and an explanation, and Done tells. A Wire is safe for concurrent use.
type Wire struct {
	mu       sync.Mutex
	replies  []Reply
	requests []*WireRequest
	errs     []error
}

// NewWire returns a wire that plays the replies in order.
func NewWire(replies ...Reply) *Wire { return &Wire{replies: replies} }

// A WireRequest is a request that came.
type WireRequest struct {
	Method string
	Path   string // with its query
	Host   string
	Header http.Header
	Body   []byte
}

// JSON decodes the body.
func (q *WireRequest) JSON(v any) error {
	if err := json.Unmarshal(q.Body, v); err != nil {
		return fmt.Errorf("the body %q: %w", shorten(string(q.Body)), err)
	}
	return nil
}

// SameJSON reports where the body differs from this JSON, whatever the order of
// members.
func (q *WireRequest) SameJSON(want string) error {
	a, err := decodeJSON([]byte(want))
	if err != nil {
		return fmt.Errorf("the JSON to compare with: %w", err)
	}
	b, err := decodeJSON(q.Body)
	if err != nil {
		return fmt.Errorf("the body %q: %w", shorten(string(q.Body)), err)
	}
	if where, what := differTree(a, b, "body"); what != "" {
		return fmt.Errorf("%s %s", where, what)
	}
	return nil
}

// Requests are the requests that came, in order.
func (w *Wire) Requests() []*WireRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]*WireRequest(nil), w.requests...)
}

// Done is an error unless each reply was played and each request was as its reply
// wants it.
func (w *Wire) Done() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	errs := w.errs
	if n := len(w.requests); n < len(w.replies) {
		errs = append(slices.Clip(errs), fmt.Errorf("llmtest: %d replies, and %d requests came", len(w.replies), n))
	}
	return errors.Join(errs...)
}

// Client is a client whose requests go nowhere but here. It has no timeout.
func (w *Wire) Client() *http.Client { return &http.Client{Transport: w} }

// take notes a request and returns what answers it.
func (w *Wire) take(q *http.Request) Reply {
	seen := &WireRequest{Method: q.Method, Path: q.URL.RequestURI(), Host: q.Host, Header: q.Header.Clone()}
	var unread error
	if q.Body != nil {
		seen.Body, unread = io.ReadAll(q.Body)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, seen)
	n := len(w.requests)
	var r Reply
	err := unread
	switch {
	case err != nil:
	case n > len(w.replies):
		err = fmt.Errorf("there are %d replies", len(w.replies))
	default:
		r = w.replies[n-1]
		err = r.refuses(seen)
	}
	if err != nil {
		err = fmt.Errorf("llmtest: request %d, %s %s: %w", n, seen.Method, seen.Path, err)
		w.errs = append(w.errs, err)
		return reply(http.StatusBadRequest, []byte(err.Error()+"\n")).Header("Content-Type", "text/plain; charset=utf-8")
	}
	return r
}

// ServeHTTP implements [http.Handler].
func (w *Wire) ServeHTTP(out http.ResponseWriter, q *http.Request) {
	r := w.take(q)
	if sleep(q.Context(), r.delay) != nil || r.silent {
		panic(http.ErrAbortHandler)
	}
	header := out.Header()
	header["Date"], header["Content-Type"] = nil, nil // as recorded, or not at all
	for name, values := range r.header {
		switch name {
		case "Connection", "Transfer-Encoding": // of the connection that it was recorded on
		default:
			header[name] = values
		}
	}
	out.WriteHeader(r.status)
	flush := func() { _ = http.NewResponseController(out).Flush() } // a writer that cannot flush sends at the end
	flush()
	for i, piece := range r.pieces() {
		if i > 0 && sleep(q.Context(), r.gap) != nil {
			panic(http.ErrAbortHandler)
		}
		if _, err := out.Write(piece); err != nil {
			return
		}
		flush()
	}
	switch {
	case r.stall:
		<-q.Context().Done()
		panic(http.ErrAbortHandler)
	case r.until >= 0:
		panic(http.ErrAbortHandler)
	}
}

// RoundTrip implements [http.RoundTripper].
func (w *Wire) RoundTrip(q *http.Request) (*http.Response, error) {
	r := w.take(q)
	if q.Body != nil {
		_ = q.Body.Close()
	}
	if err := sleep(q.Context(), r.delay); err != nil {
		return nil, err
	}
	if r.silent {
		return nil, fmt.Errorf("llmtest: the connection broke: %w", io.EOF)
	}
	ctx, cancel := context.WithCancelCause(q.Context())
	return &http.Response{
		StatusCode: r.status, Status: fmt.Sprintf("%d %s", r.status, http.StatusText(r.status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1, Request: q,
		Header: r.header.Clone(), Body: &wireBody{ctx: ctx, cancel: cancel, pieces: r.pieces(), gap: r.gap, stall: r.stall, broken: r.until >= 0},
	}, nil
}

// A wireBody gives a body piece by piece, at most one a Read.
type wireBody struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	pieces [][]byte
	gap    time.Duration
	stall  bool
	broken bool
}

func (b *wireBody) Read(p []byte) (int, error) {
	if err := context.Cause(b.ctx); err != nil {
		return 0, err
	}
	for len(b.pieces) > 0 && len(b.pieces[0]) == 0 {
		if b.pieces = b.pieces[1:]; len(b.pieces) == 0 {
			break
		}
		if err := sleep(b.ctx, b.gap); err != nil {
			return 0, err
		}
	}
	switch {
	case len(b.pieces) > 0:
		n := copy(p, b.pieces[0])
		b.pieces[0] = b.pieces[0][n:]
		return n, nil
	case b.stall:
		<-b.ctx.Done()
		return 0, context.Cause(b.ctx)
	case b.broken:
		return 0, io.ErrUnexpectedEOF
	}
	return 0, io.EOF
}

// Close ends a Read that waits.
func (b *wireBody) Close() error {
	b.cancel(errors.New("llmtest: the body was closed"))
	return nil
}
