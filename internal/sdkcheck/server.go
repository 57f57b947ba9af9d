package sdkcheck

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"

	"github.com/helios-go/helios/llm/llmtest"
)

// A Server plays many wires at once, each under a prefix of its own.
type Server struct {
	http  *httptest.Server
	mu    sync.Mutex
	wires map[string]*llmtest.Wire
}

// NewServer listens on this machine. Close ends it.
func NewServer() *Server {
	s := &Server{wires: map[string]*llmtest.Wire{}}
	s.http = httptest.NewServer(s)
	return s
}

// Close ends the server.
func (s *Server) Close() { s.http.Close() }

// Play returns the place of a wire that plays the replies in order.
func (s *Server) Play(replies ...llmtest.Reply) (Place, *llmtest.Wire) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wire := llmtest.NewWire(replies...)
	prefix := fmt.Sprintf("/%d", len(s.wires))
	s.wires[prefix] = wire
	return Place{Base: s.http.URL + prefix, HTTP: s.http.Client()}, wire
}

// Redirected is a client whose requests all end up at the place, wherever they are
// addressed to: our providers do some things only at their servers' own addresses.
func (p Place) Redirected() *http.Client {
	return &http.Client{Transport: redirect(p)}
}

type redirect Place

func (r redirect) RoundTrip(q *http.Request) (*http.Response, error) {
	base, err := url.Parse(r.Base)
	if err != nil {
		return nil, err
	}
	q = q.Clone(q.Context())
	q.URL.Scheme, q.URL.Host, q.Host = base.Scheme, base.Host, base.Host
	q.URL.Path = base.Path + q.URL.Path
	transport := r.HTTP.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	return transport.RoundTrip(q)
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	prefix, _, _ := strings.Cut(strings.TrimPrefix(q.URL.Path, "/"), "/")
	s.mu.Lock()
	wire := s.wires["/"+prefix]
	s.mu.Unlock()
	if wire == nil {
		http.NotFound(w, q)
		return
	}
	http.StripPrefix("/"+prefix, wire).ServeHTTP(w, q)
}
