package wiretest

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// A Tap is a transport that keeps what goes through it. It is safe for
// concurrent use.
type Tap struct {
	Next http.RoundTripper
	// Before sees a request before it goes, and may change its header.
	Before func(header http.Header, body []byte)
	// Edit changes the body of an answer, for what the mock server cannot say;
	// nil changes nothing, and lets answers stream.
	Edit func(body []byte) []byte

	mu       sync.Mutex
	requests []Sent
}

// Sent is a request that was sent.
type Sent struct {
	Method, URL string
	Header      http.Header
	Body        []byte
}

// Requests returns the requests so far.
func (t *Tap) Requests() []Sent {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Sent(nil), t.requests...)
}

// RoundTrip implements [http.RoundTripper].
func (t *Tap) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		_ = req.Body.Close()
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	if t.Before != nil {
		req.Header = req.Header.Clone()
		t.Before(req.Header, body)
	}
	t.mu.Lock()
	t.requests = append(t.requests, Sent{req.Method, req.URL.String(), req.Header.Clone(), body})
	t.mu.Unlock()
	resp, err := t.Next.RoundTrip(req)
	if err != nil || t.Edit == nil {
		return resp, err
	}
	answer, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(t.Edit(answer)))
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return resp, nil
}
