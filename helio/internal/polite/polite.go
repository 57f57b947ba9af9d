// Package polite is how the archives' clients speak HTTP: they say who they are,
// ask one host a few things at a time and no more, wait as long as a server wants
// them to, and try again what may work a moment later.
//
//	client := &polite.Client{Parallel: 2}
//	resp, err := client.Get(ctx, "https://archive.example/data?id=1", nil)
//	if err != nil {
//		return err // "archive.example: status 404: unknown id"
//	}
//	defer resp.Body.Close()
//
// An error names the host of an address and nothing else of it, since the rest may
// hold a password or a token.
package polite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/helios-go/helios/internal/httpx"
)

// What a zero [Client] does.
const (
	UserAgent = "helios (+https://github.com/helios-go/helios)"
	Parallel  = 4
	Retries   = 4
	Backoff   = time.Second
)

const (
	maxBackoff   = time.Minute
	maxWait      = 10 * time.Minute // the longest Retry-After that is obeyed
	maxRedirects = 5
)

// A Client sends requests without a body. The zero value is ready. It is safe for
// concurrent use, but must not be changed or copied once it is used.
type Client struct {
	HTTP      *http.Client  // nil: a pool of connections of its own. Redirects are followed here in any case
	UserAgent string        // "" is [UserAgent]
	Parallel  int           // requests at a time to one host; 0 is [Parallel]
	Retries   int           // how often a request is tried again; 0 is [Retries], below 0 is never
	Backoff   time.Duration // the first wait, which doubles up to a minute; 0 is [Backoff]

	// Sleep waits, or returns the context's error; nil is a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Waiting, unless nil, is told before each wait, with the request's context.
	Waiting func(context.Context, Wait)

	once sync.Once
	via  httpx.Client

	mu    sync.Mutex
	hosts map[string]chan struct{}
}

// A Wait is about to begin.
type Wait struct {
	Host    string
	Attempt int // that failed, from 1
	For     time.Duration
	Err     error // why
}

// A StatusError is an answer that is none of 200, 204 and 304.
type StatusError struct {
	Host       string
	Code       int
	Reason     string // what the status line says behind the code
	Body       []byte // at most 64 KiB of it
	Type       string // Content-Type of the body
	RetryAfter time.Duration
}

// Error is one line, with the beginning of a body that is plain text.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("%s: status %d", e.Host, e.Code)
	if said := e.said(); said != "" {
		return text + ": " + said
	}
	return text
}

func (e *StatusError) said() string {
	const most = 200
	text := strings.Join(strings.Fields(string(e.Body)), " ")
	if text == "" || text[0] == '<' || text[0] == '{' || text[0] == '[' || strings.Contains(e.Type, "html") {
		text = e.Reason
	}
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "�"))
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

// Passing reports whether trying again later may help.
func (e *StatusError) Passing() bool {
	switch e.Code {
	case http.StatusTooManyRequests, http.StatusRequestEntityTooLarge, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// Get is [Client.Do] with GET.
func (c *Client) Get(ctx context.Context, address string, header http.Header) (*http.Response, error) {
	return c.Do(ctx, http.MethodGet, address, header)
}

// Do sends a request and returns an answer of status 200, 204 or 304; any other is
// a [*StatusError], and no answer an error of package httpx. Both come after the
// retries. The body must be closed: while it is open it holds one of the places
// for its host. The header is not changed and may be nil.
func (c *Client) Do(ctx context.Context, method, address string, header http.Header) (*http.Response, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("send a request: the address of the server is not an http or https address")
	}
	for attempt := 1; ; attempt++ {
		resp, err := c.attempt(ctx, method, u, header)
		if err == nil {
			return resp, nil
		}
		if err := c.pause(ctx, u.Host, attempt, err); err != nil {
			return nil, err
		}
	}
}

// GetAll reads the whole body of a GET, which must not be longer than limit bytes.
// A body that breaks off is asked for again. The response's own body is spent.
func (c *Client) GetAll(ctx context.Context, address string, header http.Header, limit int64) (body []byte, resp *http.Response, err error) {
	err = c.Read(ctx, address, header, func(r *http.Response) error {
		resp = r
		body, err = readAll(r, limit)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return body, resp, nil
}

// Read hands the answer to a GET to a function that reads its body. Where that fails
// because the body broke off, the answer is asked for again, and read begins anew.
func (c *Client) Read(ctx context.Context, address string, header http.Header, read func(*http.Response) error) error {
	for attempt := 1; ; attempt++ {
		resp, err := c.Get(ctx, address, header)
		if err != nil {
			return err
		}
		err = read(resp)
		closed := resp.Body.Close()
		if err == nil {
			return closed
		}
		if err := c.pause(ctx, resp.Request.URL.Host, attempt, err); err != nil {
			return err
		}
	}
}

// TooLongError is a body that is longer than its reader takes.
type TooLongError struct {
	Host  string
	Limit int64
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("%s: the answer is longer than the %d bytes that are taken", e.Host, e.Limit)
}

func readAll(resp *http.Response, limit int64) ([]byte, error) {
	var b bytes.Buffer
	if n := resp.ContentLength; n > 0 && n <= min(limit, 1<<26) {
		b.Grow(int(n) + bytes.MinRead)
	}
	if _, err := b.ReadFrom(io.LimitReader(resp.Body, limit+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > limit {
		return nil, &TooLongError{Host: resp.Request.URL.Host, Limit: limit}
	}
	return b.Bytes(), nil
}

// pause waits until a request may be tried again. It returns err when it should
// not be.
func (c *Client) pause(ctx context.Context, host string, attempt int, err error) error {
	retries := c.Retries
	if retries == 0 {
		retries = Retries
	}
	if ctx.Err() != nil || attempt > retries || !passing(err) {
		return err
	}
	wait := c.Backoff
	if wait <= 0 {
		wait = Backoff
	}
	wait = min(wait<<min(attempt-1, 16), maxBackoff)
	wait += time.Duration(rand.Int64N(int64(wait)/4 + 1)) // so that many clients do not come back at once
	if status, ok := errors.AsType[*StatusError](err); ok && status.RetryAfter > 0 {
		if wait = status.RetryAfter; wait > maxWait {
			return fmt.Errorf("%w; the server asks to wait %v, try again then", err, wait.Round(time.Second))
		}
	}
	if c.Waiting != nil {
		c.Waiting(ctx, Wait{Host: host, Attempt: attempt, For: wait, Err: err})
	}
	sleep := c.Sleep
	if sleep == nil {
		sleep = Sleep
	}
	if stopped := sleep(ctx, wait); stopped != nil {
		return stopped
	}
	return nil
}

// Sleep waits for d, or less if the context ends, whose error it then returns.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// passing reports whether an error may be gone a moment later. A host that does
// not exist or refuses connections is told at once.
func passing(err error) bool {
	if status, ok := errors.AsType[*StatusError](err); ok {
		return status.Passing()
	}
	if _, ok := errors.AsType[*TooLongError](err); ok {
		return false
	}
	var dns *net.DNSError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, errRedirect), errors.As(err, &dns) && dns.IsNotFound:
		return false
	}
	_, lost := errors.AsType[*httpx.Error](err)
	return lost || errors.Is(err, io.ErrUnexpectedEOF)
}

// Transient reports whether an error of this package may be gone when the same is
// tried again later.
func Transient(err error) bool { return passing(err) }

var errRedirect = errors.New("the redirect is not followed")

// attempt tries once, redirects included.
func (c *Client) attempt(ctx context.Context, method string, u *url.URL, header http.Header) (*http.Response, error) {
	c.once.Do(c.init)
	for range maxRedirects + 1 {
		req := (&http.Request{Method: method, URL: u, Header: c.header(header), Host: u.Host}).WithContext(ctx)
		resp, err := c.send(req)
		if err != nil {
			return nil, err
		}
		switch resp.StatusCode {
		case http.StatusOK, http.StatusNoContent, http.StatusNotModified:
			return resp, nil
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
			next, err := redirect(u, resp)
			if err != nil {
				return nil, err
			}
			if next.Host != u.Host {
				header = foreign(header)
			}
			u = next
			continue
		}
		wait, _ := httpx.RetryAfter(resp.Header, time.Now())
		_, reason, _ := strings.Cut(resp.Status, " ")
		return nil, &StatusError{
			Host: u.Host, Code: resp.StatusCode, Reason: reason, RetryAfter: wait,
			Type: resp.Header.Get("Content-Type"), Body: []byte(httpx.ErrorBody(resp)),
		}
	}
	return nil, fmt.Errorf("%s: %w, it is the %dth in a row", u.Host, errRedirect, maxRedirects+1)
}

func (c *Client) init() {
	if c.HTTP == nil {
		return // httpx's own does not follow redirects
	}
	own := *c.HTTP
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.via.HTTP = &own
}

func (c *Client) header(from http.Header) http.Header {
	h := from.Clone()
	if h == nil {
		h = http.Header{}
	}
	if h.Get("User-Agent") == "" {
		name := c.UserAgent
		if name == "" {
			name = UserAgent
		}
		h.Set("User-Agent", name)
	}
	return h
}

func redirect(from *url.URL, resp *http.Response) (*url.URL, error) {
	resp.Body.Close()
	next, err := from.Parse(resp.Header.Get("Location"))
	if err != nil || next.Host == "" || resp.Header.Get("Location") == "" {
		return nil, fmt.Errorf("%s: %w, it leads nowhere", from.Host, errRedirect)
	}
	if next.Scheme != "https" && (next.Scheme != "http" || from.Scheme == "https") {
		return nil, fmt.Errorf("%s: %w, it leads from https to %s", from.Host, errRedirect, next.Scheme)
	}
	return next, nil
}

// foreign is what may be sent to a host that the caller did not name.
func foreign(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range []string{"Authorization", "Cookie", "Proxy-Authorization"} {
		h.Del(name)
	}
	return h
}

// send waits for a place and sends one request, without redirects. The place is
// free again when the body has ended or is closed.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	places := c.places(req.URL.Host)
	select {
	case places <- struct{}{}:
	case <-req.Context().Done():
		return nil, context.Cause(req.Context())
	}
	resp, err := c.via.Do(req)
	if err != nil {
		<-places
		return nil, err
	}
	resp.Body = &place{ReadCloser: resp.Body, free: sync.OnceFunc(func() { <-places })}
	return resp, nil
}

func (c *Client) places(host string) chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hosts == nil {
		c.hosts = map[string]chan struct{}{}
	}
	if c.hosts[host] == nil {
		n := c.Parallel
		if n <= 0 {
			n = Parallel
		}
		c.hosts[host] = make(chan struct{}, n)
	}
	return c.hosts[host]
}

// A place is a body that holds one of the places for its host.
type place struct {
	io.ReadCloser
	free func()
}

func (p *place) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if err != nil {
		p.free()
	}
	return n, err
}

func (p *place) Close() error {
	defer p.free()
	return p.ReadCloser.Close()
}
