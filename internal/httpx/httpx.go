// Package httpx is what every client of ours adds to net/http: a limit on silence
// instead of one on the whole, errors that name the host and nothing secret, bodies
// of errors that are bounded, and Retry-After in all its forms.
//
//	client := &httpx.Client{IdleTimeout: time.Minute}
//	resp, err := client.Do(req) // an answer within HeaderTimeout
//	if err != nil {
//		return err // "api.example.org: connection refused"
//	}
//	defer resp.Body.Close()
//	if resp.StatusCode != http.StatusOK {
//		return fmt.Errorf("%s: %s", resp.Status, httpx.ErrorBody(resp))
//	}
//
// A stream may last for hours as long as something comes: what ends it is silence,
// the end of the request's context, or closing the body.
package httpx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"syscall"
	"time"
)

// What a [Client] gives up on.
var (
	ErrNoAnswer = errors.New("no answer")    // no headers within HeaderTimeout
	ErrSilent   = errors.New("no more data") // nothing of the body within IdleTimeout
)

// The times that a zero [Client] waits.
const (
	HeaderTimeout = time.Minute
	IdleTimeout   = 2 * time.Minute
)

// A Client sends requests. The zero value is ready; it is safe for concurrent use,
// but is not changed then.
type Client struct {
	HTTP          *http.Client  // nil: one with a pool of connections of its own; it does not follow redirects
	HeaderTimeout time.Duration // until the headers are there; 0 is a minute
	IdleTimeout   time.Duration // between two pieces of the body; 0 is two minutes
}

// shared is the client of those who bring none. Redirects are answers: Go would
// send headers with a key along to another host.
var shared = sync.OnceValue(func() *http.Client {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	if std, ok := http.DefaultTransport.(*http.Transport); ok { // a program may have put its own there
		t = std.Clone()
	}
	t.MaxIdleConnsPerHost = 16
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
})

// Do sends a request and returns the answer, whatever its status. Its body obeys
// IdleTimeout and has to be closed. The error is an [*Error].
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	wait := c.HeaderTimeout
	if wait <= 0 {
		wait = HeaderTimeout
	}
	timer := time.AfterFunc(wait, func() { cancel(fmt.Errorf("%w within %s", ErrNoAnswer, wait)) })
	client := c.HTTP
	if client == nil {
		client = shared()
	}
	resp, err := client.Do(req.WithContext(ctx)) //nolint:gosec // where it goes is the caller's business
	timer.Stop()
	if err != nil {
		err = wrap(ctx, req.URL, err)
		cancel(nil)
		return nil, err
	}
	idle := c.IdleTimeout
	if idle <= 0 {
		idle = IdleTimeout
	}
	b := &body{src: resp.Body, ctx: ctx, cancel: cancel, url: req.URL, idle: idle}
	b.timer = time.AfterFunc(idle, func() { cancel(fmt.Errorf("%w for %s", ErrSilent, idle)) })
	b.timer.Stop() // it runs while somebody reads
	resp.Body = b
	resp.Request = resp.Request.WithContext(req.Context()) // the caller's: ours ends with the body
	return resp, nil
}

// A body ends when nothing comes for too long.
type body struct {
	src    io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	url    *url.URL
	idle   time.Duration
	timer  *time.Timer
}

func (b *body) Read(p []byte) (int, error) {
	b.timer.Reset(b.idle)
	n, err := b.src.Read(p)
	b.timer.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = wrap(b.ctx, b.url, err)
	}
	return n, err
}

func (b *body) Close() error {
	b.timer.Stop()
	b.cancel(nil) // which breaks off what still comes: it may be endless
	return b.src.Close()
}

// An Error is a request that got no answer, or an answer that broke off. It names
// the host and nothing else of the URL, which may hold a key.
type Error struct {
	Host string
	Err  error // matches the cause: ErrNoAnswer, ErrSilent, io.ErrUnexpectedEOF, the context's
}

// Error is one line.
func (e *Error) Error() string { return e.Host + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// wrap says why a request came to nothing: the context's cause if it has ended,
// else the error without its URL.
func wrap(ctx context.Context, u *url.URL, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	return &Error{Host: u.Host, Err: plain(err)}
}

// plain shortens what net says of failures that everybody meets.
func plain(err error) error {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return &worded{"there is no host of this name", err}
	case errors.As(err, &dns):
		return &worded{"its address could not be looked up", err}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &worded{"connection refused", err}
	case errors.Is(err, syscall.ECONNRESET):
		return &worded{"the connection was reset", err}
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return &worded{"it cannot be reached from here", err}
	case errors.Is(err, io.EOF):
		return &worded{"the connection was closed without an answer", io.ErrUnexpectedEOF}
	}
	return err
}

// worded is an error in fewer words.
type worded struct {
	text  string
	cause error
}

func (e *worded) Error() string { return e.text }
func (e *worded) Unwrap() error { return e.cause }

// MaxErrorBody is how much of the body of an error is read.
const MaxErrorBody = 64 << 10

// ErrorBody reads what a server says of an error, at most [MaxErrorBody] bytes of
// it with a note where more was cut off, and closes the body. What cannot be read
// is left out.
func ErrorBody(resp *http.Response) string {
	defer resp.Body.Close()
	data, _ := io.ReadAll(io.LimitReader(resp.Body, MaxErrorBody+1)) // what there is will do
	if len(data) > MaxErrorBody {
		return string(data[:MaxErrorBody]) + fmt.Sprintf("\n[truncated: error body exceeded %d bytes]", MaxErrorBody)
	}
	return string(data)
}
