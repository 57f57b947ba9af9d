// Package wire is what all providers do alike around their own translation:
// reaching the server, sorting what goes wrong into [llm.Error] with the setting
// that would cure it, and reading events.
//
//	conn, err := wire.New(&wire.Settings{Provider: "acme", KeyVar: "ACME_API_KEY", Home: "https://api.acme.example", ...})
//	resp, err := conn.Post(ctx, "/v1/messages", header, body)
//	for event, err := range conn.Events(resp) {
//		...
//	}
//	return conn.Cut() // unless the terminal event was among them
package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/internal/httpx"
	"github.com/helios-go/helios/llm"
)

// Settings say how a provider is reached. The fields that a caller of a provider
// sets have the names of that provider's Options.
type Settings struct {
	Provider string // "anthropic": the first half of the models' names
	Model    string // whose requests these are, for what is said of errors

	Key    string // "": that of the variable, which goes to Home and nowhere else
	KeyVar string // "ANTHROPIC_API_KEY"
	// KeyHeader and KeyPrefix say how the key is sent: "Authorization" with
	// "Bearer ", "X-Api-Key" with nothing.
	KeyHeader, KeyPrefix string
	Keyless              bool // the server wants no key

	Home    string // the provider's own base URL; "" where there is none
	BaseURL string // the caller's; "" is Home

	Header http.Header // the caller's: they replace ours of the same name, and no value removes one
	HTTP   *http.Client

	HeaderTimeout, IdleTimeout time.Duration
	MaxEvent                   int

	// Kinds sorts the provider's own names of errors (codes, types).
	Kinds map[string]llm.ErrorKind
	// Hint is said of a server that cannot be reached: what to start, what to set.
	// "" speaks of the network and the base URL.
	Hint string
}

// A Conn reaches one provider. It is safe for concurrent use.
type Conn struct {
	s       Settings
	base    *url.URL
	client  httpx.Client
	secrets []string // what is never said in errors
}

// New checks the settings. The error is an [*llm.Error] that names the one to
// change.
func New(s *Settings) (*Conn, error) {
	c := &Conn{s: *s}
	c.s.Header = own(s.Header)
	c.client = httpx.Client{HTTP: still(s.HTTP), HeaderTimeout: s.HeaderTimeout, IdleTimeout: s.IdleTimeout}
	if c.s.Key == "" && s.BaseURL == "" && s.KeyVar != "" {
		c.s.Key = os.Getenv(s.KeyVar)
	}
	c.s.Key = strings.TrimSpace(c.s.Key)
	c.keep()
	base := s.BaseURL
	if base == "" {
		base = s.Home
	}
	if base == "" {
		return nil, c.fail(llm.KindInvalidRequest, "set Options.BaseURL", "there is no base URL")
	}
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, c.fail(llm.KindInvalidRequest, "change Options.BaseURL", "the base URL does not begin with http:// or https:// and the name of a server")
	}
	c.base = u
	if strings.ContainsFunc(c.s.Key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return nil, c.fail(llm.KindAuth, c.keyHint(), "the key holds characters that no key has")
	}
	if c.s.Key == "" && s.BaseURL == "" && !s.Keyless && c.s.Header.Get(s.KeyHeader) == "" && c.s.Header.Get("Authorization") == "" {
		return nil, c.fail(llm.KindAuth, c.keyHint(), "there is no key")
	}
	return c, nil
}

// own is a copy of the caller's headers under their canonical names: what happens to
// theirs later must not change requests under way.
func own(header http.Header) http.Header {
	h := make(http.Header, len(header))
	for name, values := range header {
		h[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	return h
}

// still is a client that follows no redirects, unless its owner says which: Go would
// take the key along to another host in a header that it does not know.
func still(client *http.Client) *http.Client {
	if client == nil || client.CheckRedirect != nil {
		return client
	}
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// Unmade is the error of a model, or whatever else asks a provider, that no
// constructor has made.
func Unmade(provider, constructor string) error {
	return &llm.Error{Kind: llm.KindInvalidRequest, Provider: provider, Err: errors.New("this is a zero value"), Hint: "make one with " + constructor}
}

// shortest is how long a key is at least: taking a shorter one out of a text would
// take the text apart.
const shortest = 6

// keep notes what must not be repeated: the key, and the values of the caller's
// headers that are long enough to be one.
func (c *Conn) keep() {
	if len(c.s.Key) >= shortest {
		c.secrets = append(c.secrets, c.s.Key)
	}
	for _, values := range c.s.Header {
		for _, v := range values {
			if v = strings.TrimPrefix(v, "Bearer "); len(v) >= 12 {
				c.secrets = append(c.secrets, v)
			}
		}
	}
}

// Scrub is a text without the key, which servers like to repeat.
func (c *Conn) Scrub(text string) string {
	for _, s := range c.secrets {
		text = strings.ReplaceAll(text, s, "<redacted>")
	}
	return text
}

func (c *Conn) keyHint() string {
	if c.s.KeyVar == "" {
		return "set Options.Key"
	}
	return "set " + c.s.KeyVar + " or Options.Key"
}

// Base is the URL that paths are appended to, without a slash at its end.
func (c *Conn) Base() *url.URL { u := *c.base; return &u }

// Post sends a JSON body to a path below the base URL, which may have a query, and
// returns the answer with status 200. Header is ours, beside the key and the
// content type.
func (c *Conn) Post(ctx context.Context, path string, header http.Header, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL(path), bytes.NewReader(body))
	if err != nil {
		return nil, c.fail(llm.KindInvalidRequest, "change Options.BaseURL", "the base URL cannot be used")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	maps.Copy(req.Header, header)
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, c.Refused(resp)
	}
	return resp, nil
}

// URL is the base URL with a path, which may have a query, behind its own.
func (c *Conn) URL(path string) string {
	u := *c.base
	path, query, _ := strings.Cut(path, "?")
	u.Path += path
	u.RawPath = ""
	if query != "" && u.RawQuery != "" {
		query = "&" + query
	}
	u.RawQuery += query
	return u.String()
}

// Do sends a request of one's own with the key and the caller's headers, and
// returns the answer, whatever its status: see [Conn.Refused].
func (c *Conn) Do(req *http.Request) (*http.Response, error) {
	if c.s.Key != "" {
		req.Header.Set(c.s.KeyHeader, c.s.KeyPrefix+c.s.Key)
	}
	for name, values := range c.s.Header {
		name = http.CanonicalHeaderKey(name)
		delete(req.Header, name)
		if len(values) > 0 {
			req.Header[name] = values
		}
		if name == "Host" && len(values) > 0 {
			req.Host = values[0]
		}
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, c.broken(req.Context(), err, true)
	}
	return resp, nil
}

// broken is the error of a request without an answer, or of an answer that broke
// off.
func (c *Conn) broken(ctx context.Context, err error, connecting bool) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	text := "the answer broke off"
	if connecting {
		text = "no answer from the server"
	}
	e := &llm.Error{Kind: llm.KindTransient, Provider: c.s.Provider, Err: fmt.Errorf("%s: %w", text, err)}
	if connecting {
		if e.Hint = c.s.Hint; e.Hint == "" {
			e.Hint = "check the network and Options.BaseURL"
		}
	}
	return e
}

// Cut is the error of a stream that ended before its terminal event.
func (c *Conn) Cut() error {
	return &llm.Error{Kind: llm.KindTransient, Provider: c.s.Provider, Err: fmt.Errorf("the stream ended before the answer did: %w", io.ErrUnexpectedEOF)}
}

// Garbled is the error of an event that cannot be read: broken off where the
// stream ends inside of it.
func (c *Conn) Garbled(cut bool, err error) error {
	if cut {
		return c.Cut()
	}
	return &llm.Error{Kind: llm.KindTransient, Provider: c.s.Provider, Err: fmt.Errorf("the server sent an event that cannot be read: %w", err)}
}

// Invalid is the error of a request that the provider could not take, before it is
// sent.
func (c *Conn) Invalid(format string, args ...any) error {
	return c.fail(llm.KindInvalidRequest, "", format, args...)
}

// fail is an error without an answer.
func (c *Conn) fail(kind llm.ErrorKind, hint, format string, args ...any) *llm.Error {
	return &llm.Error{Kind: kind, Provider: c.s.Provider, Err: fmt.Errorf(format, args...), Hint: hint}
}

// Dead yields an error once: the stream of a model that cannot be asked.
func Dead(err error) func(yield func(llm.Chunk, error) bool) {
	return func(yield func(llm.Chunk, error) bool) { yield(llm.Chunk{}, err) }
}

// Names of headers, sorted, for what prints options: never their values.
func Names(h http.Header) []string { return slices.Sorted(maps.Keys(h)) }

// Secret is how a key is printed.
func Secret(key string) string {
	if key == "" {
		return "none"
	}
	return "<redacted>"
}

// Print is the text and log form of options: each field that is set, the key and
// the values of headers kept back.
func Print(key, baseURL string, header http.Header, more ...slog.Attr) slog.Value {
	attrs := []slog.Attr{slog.String("key", Secret(key))}
	if baseURL != "" {
		attrs = append(attrs, slog.String("base_url", redacted(baseURL)))
	}
	if len(header) > 0 {
		attrs = append(attrs, slog.String("header", strings.Join(Names(header), " ")))
	}
	return slog.GroupValue(append(attrs, more...)...)
}

// JSON is what LogValue shows as a JSON object, for what is marshalled: some loggers
// do that with whatever they are given.
func JSON(v slog.Value) ([]byte, error) {
	fields := map[string]any{}
	for _, a := range v.Group() {
		fields[a.Key] = a.Value.Any()
	}
	return Marshal(fields)
}

// redacted is a URL without its query and what it says of a user, where keys are.
func redacted(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return "<no URL>"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
