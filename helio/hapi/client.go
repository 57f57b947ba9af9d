package hapi

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/internal/polite"
)

// What a client does that has no other [Options].
const (
	MaxRecords  = 1_000_000        // in one request
	DocumentAge = 10 * time.Minute // how long a header or a list is taken without asking
)

// Options of [New]. The zero value, like nil, has the defaults.
type Options struct {
	HTTP      *http.Client // nil: one with a pool of connections of its own
	UserAgent string       // "": this library's name
	// Cache keeps what was fetched; nil: nothing is kept.
	Cache *cache.Cache
	// Offline takes everything from the cache, however old, and asks nobody.
	Offline bool
	// Format is the only one to ask for; "": binary, csv or json, the first of them
	// that the server offers and does not refuse, or csv first where texts are among
	// the parameters.
	Format Format
	// Parallel is how many requests are under way at a time; 0 is 4. Each may hold
	// its records, about 32 MB of them, until the caller has taken them.
	Parallel   int
	MaxRecords int           // in one request, about; 0 is [MaxRecords]
	Age        time.Duration // how long a header or a list is taken without asking; 0 is [DocumentAge]

	Now func() time.Time // nil is time.Now
	// Sleep waits, or returns the context's error; nil is a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Waiting, unless nil, is told before each wait for a busy server, and why.
	Waiting func(d time.Duration, why error)
}

// A Client speaks with one server. It is safe for concurrent use.
type Client struct {
	base   string // without a slash at the end
	host   string
	server string // its name in the cache: host and path
	opts   Options
	http   *polite.Client

	mu      sync.Mutex
	memory  map[string]document
	plain   bool                     // compressed data were seen to come to a halt
	refused map[Format]bool          // formats that were offered and not given
	longest map[string]time.Duration // by dataset: windows that the server was found to accept
}

// New prepares a client for the service at a base address, the part in front of
// /capabilities, as in "https://cdaweb.gsfc.nasa.gov/hapi". It asks nothing yet.
func New(base string, opts *Options) *Client {
	c := &Client{base: strings.TrimRight(base, "/"), memory: map[string]document{}, refused: map[Format]bool{}, longest: map[string]time.Duration{}}
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.MaxRecords <= 0 {
		c.opts.MaxRecords = MaxRecords
	}
	if c.opts.Parallel <= 0 {
		c.opts.Parallel = polite.Parallel
	}
	if c.opts.Age <= 0 {
		c.opts.Age = DocumentAge
	}
	if c.opts.Now == nil {
		c.opts.Now = time.Now
	}
	if c.opts.Sleep == nil {
		c.opts.Sleep = polite.Sleep
	}
	c.host, c.server = c.base, c.base
	if u, err := url.Parse(c.base); err == nil && u.Host != "" {
		c.host, c.server = u.Host, u.Host+u.Path
	}
	c.http = &polite.Client{
		HTTP: c.opts.HTTP, UserAgent: c.opts.UserAgent, Parallel: c.opts.Parallel, Sleep: c.opts.Sleep,
		Waiting: func(ctx context.Context, w polite.Wait) { c.waiting(ctx, w.For, w.Err) },
	}
	return c
}

// Base returns the address of the service, without a slash at the end.
func (c *Client) Base() string { return c.base }

// waiting tells whoever asked that a wait begins.
func (c *Client) waiting(ctx context.Context, d time.Duration, why error) {
	if c.opts.Waiting != nil {
		c.opts.Waiting(d, why)
	}
	if t, ok := ctx.Value(trackerKey{}).(*tracker); ok {
		t.tell(func(p *Progress) { p.Wait = d })
	}
}
