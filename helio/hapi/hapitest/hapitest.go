// Package hapitest has a HAPI server for tests, with the habits of real ones at
// will: old and new names of request fields, data in forms of their own, refusals
// in the status line alone, streams that break off.
//
//	server := hapitest.New(t, &hapitest.Options{MaxSpan: 24 * time.Hour}, hapitest.Minutes())
//	client := hapi.New(server.URL, nil)
//	...
//	fmt.Println(len(server.Data())) // how often it was asked for data
//
// It is written from the specification, shares nothing with the package that it
// tests, and takes the plainest way to each format, so that a misreading in one of
// them shows.
package hapitest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Empty is how a server says that a window holds no data.
type Empty int

// The ways of real servers.
const (
	EmptyBody    Empty = iota // 200 and nothing
	EmptyReason               // "200 HAPI 1201: No data in interval" and one line feed
	EmptyPlain                // one line feed, nothing else
	EmptyNothing              // 204
	EmptyStatus               // 200 and a JSON status, whatever the format
)

// Refusal is how a server refuses.
type Refusal int

// The ways of real servers.
const (
	RefuseBoth   Refusal = iota // the code in a JSON body and in the status line
	RefuseBody                  // in the body alone
	RefuseReason                // in the status line alone, above a page for people
	RefuseOK                    // in a JSON body under the status 200
)

// Framing is how the end of an answer is told.
type Framing int

// The ways of HTTP/1.1. The zero value leaves it to net/http.
const (
	AnyFraming Framing = iota
	Chunked
	Length
	Close // by closing the connection: no end can be told from a break
)

// Options are a server's habits. The zero value, like nil, keeps to the
// specification in its version 3.3.
type Options struct {
	Version string   // "" is "3.3"; "2.0" knows id, time.min and time.max only
	Formats []string // nil is csv, binary and json
	Refuses []string // formats that are offered and refused all the same (1409)

	ManyLines    bool  // a header in csv and binary is a block of many # lines, not one
	BareJSON     bool  // json without a header is a bare array
	FlatJSON     bool  // json has matrices in one row
	SpreadJSON   bool  // json has the values of matrices in the record itself, as the reference server has
	QuotedBinary bool  // binary has texts in the quotes that csv needs, as the reference server has
	JSONNaN      bool  // json writes NaN, which it does not have, for null
	CRLF         bool  // csv lines end as on Windows
	Float32Fill  bool  // csv prints the fill -1e31 as 32 bits hold it
	DayOfYear    bool  // times are written 1970-001
	NullUnits    bool  // the header has null for all units and fills
	NoAbout      bool  // about is unknown
	Reorders     bool  // parameters out of order are answered in the header's order, not refused
	Empty        Empty // how no data is said
	Refusal      Refusal
	BadTimeIs500 bool // a malformed time is an internal error

	MaxSpan    time.Duration // longer windows are refused with 1408; 0 is no limit
	MaxRecords int           // so are more records; 0 is no limit

	Gzip     bool // for those who accept it
	Framing  Framing
	Modified time.Time // Last-Modified of all answers, and conditional requests for it
	ETag     bool      // of each answer's body, and conditional requests for it

	// Cut, unless nil, says for the nth answer with data, from 0, after how many
	// bytes of its body the connection ends; below 0 it does not.
	Cut func(n, size int) int
	// Busy, unless nil, says for the nth request, from 0, with which status and
	// Retry-After it is put off; 0 is not at all.
	Busy func(n int) (status int, retryAfter string)
	// Pause, unless nil, is called before each 4 KiB of data is sent.
	Pause func(sent int)
	// Beyond is how far answers reach before and after what was asked for.
	Beyond time.Duration
	// Trailer is put behind the records of every answer: the reference server, when
	// it fails in the middle, adds its JSON status to the data.
	Trailer string
	// Memo keeps bodies, so that a server that is asked the same again costs little.
	Memo bool
}

// A Request is what a server was asked, and how far its answer got.
type Request struct {
	Path   string // behind the base, as in "/data"
	Query  url.Values
	Header http.Header
	Status int
	Size   int  // bytes of the answer's body
	Sent   int  // bytes of it that were written
	Whole  bool // it was written to its end
}

// Window is the start and the stop of a request for data.
func (r Request) Window() (start, stop string) {
	return first(r.Query, "start", "time.min"), first(r.Query, "stop", "time.max")
}

// A Server answers on a loopback address until the test ends.
type Server struct {
	URL string // of the service, without a slash at the end

	mu       sync.Mutex
	opts     Options
	datasets []*Dataset
	requests []*Request
	answers  int // with data
	memo     map[string][]byte
}

// New starts a server of some datasets; without any it has those of [Datasets].
func New(tb testing.TB, opts *Options, datasets ...*Dataset) *Server {
	tb.Helper()
	s := NewServer(opts, datasets...)
	h := httptest.NewServer(s)
	tb.Cleanup(h.Close)
	s.URL = h.URL + "/hapi"
	return s
}

// NewServer makes a server that is an http.Handler below /hapi, for those who
// listen themselves.
func NewServer(opts *Options, datasets ...*Dataset) *Server {
	s := &Server{datasets: datasets, memo: map[string][]byte{}}
	if opts != nil {
		s.opts = *opts
	}
	if len(datasets) == 0 {
		s.datasets = Datasets()
	}
	return s
}

// Set changes the server's habits from now on.
func (s *Server) Set(change func(*Options)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.opts)
	clear(s.memo)
}

// Change changes a dataset from now on.
func (s *Server) Change(id string, change func(*Dataset)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, d := range s.datasets {
		if d.ID == id {
			changed := *d
			change(&changed)
			s.datasets = slices.Clone(s.datasets)
			s.datasets[i] = &changed
		}
	}
	clear(s.memo)
}

// Requests lists what was asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Request, len(s.requests))
	for i, r := range s.requests {
		list[i] = *r
	}
	return list
}

// Data lists the requests for data so far.
func (s *Server) Data() []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool { return r.Path != "/data" })
}

// Forget empties the list of requests, and begins to count answers anew.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.answers = nil, 0
}

func (s *Server) dataset(id string) *Dataset {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.datasets {
		if d.ID == id {
			return d
		}
	}
	return nil
}

// note records a request and returns its number and the habits of the moment.
func (s *Server) note(r *http.Request) (*Request, int, Options) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := &Request{Path: strings.TrimPrefix(r.URL.Path, "/hapi"), Query: r.URL.Query(), Header: r.Header.Clone()}
	s.requests = append(s.requests, q)
	return q, len(s.requests) - 1, s.opts
}

func first(q url.Values, names ...string) string {
	for _, n := range names {
		if q.Has(n) {
			return q.Get(n)
		}
	}
	return ""
}
