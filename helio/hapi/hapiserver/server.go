// Package hapiserver shares an archive of local files with every HAPI client.
//
//	arch, err := archive.OpenLocal([]string{"/data/cdf"})
//	if err != nil {
//		return err
//	}
//	server, err := hapiserver.New(ctx, arch, &hapiserver.Options{Title: "Our spacecraft"})
//	if err != nil {
//		return err
//	}
//	return http.ListenAndServe("127.0.0.1:8000", server) // http://127.0.0.1:8000/hapi
//
// Files that are parts of one dataset, such as the daily files
// ac_h0_mfi_20230102_v07.cdf and ac_h0_mfi_20230103_v07.cdf, are one dataset of the
// server, "ac_h0_mfi"; of several versions of a day the newest counts. Parameters of a
// file that have a time axis of their own are a dataset of their own.
//
// It speaks version 3.3 of the specification and takes the names of requests of 2.x
// as well. What is asked for must be right: an unknown field of a request, a
// parameter out of order, a time that is none is an error with its code, in the JSON
// of the answer. A window without records is status 1201 with nothing in it; a window
// of fill values is returned.
//
// It answers GET and HEAD and nothing else, names no file of the host, and a request
// that cannot be served to its end breaks off, so that no client takes half of the
// data for all of them.
package hapiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/helios-go/helios/helio/archive"
)

// Version is the version of the specification that the server speaks.
const Version = "3.3"

// Options of [New]. The zero value, like nil, has the defaults.
type Options struct {
	ID      string // of the server; "" is "helios"
	Title   string // "" says what it is
	Contact string // who answers questions; "" says nobody
	// MaxRecords is how many records one request may ask for, about; 0 is
	// [MaxRecords].
	MaxRecords int
	// Parallel is how many requests for data are answered at a time; others wait. 0 is
	// [Parallel].
	Parallel int
	// Failed, unless nil, is told what went wrong on this side.
	Failed func(error)
}

// What a server does that has no other options.
const (
	MaxRecords = 10_000_000
	Parallel   = 8
)

// A Server answers HAPI requests below /hapi. It is safe for concurrent use.
type Server struct {
	opts     Options
	arch     archive.Archive
	datasets []*dataset
	byID     map[string]*dataset
	places   chan struct{}
}

// New lists the archive, which must be able to describe its parameters, and makes a
// server of it. Files that come later are not seen.
func New(ctx context.Context, arch archive.Archive, opts *Options) (*Server, error) {
	s := &Server{arch: arch, byID: map[string]*dataset{}}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.ID == "" {
		s.opts.ID = "helios"
	}
	if s.opts.Title == "" {
		s.opts.Title = "Local data, served by Helios"
	}
	if s.opts.MaxRecords <= 0 {
		s.opts.MaxRecords = MaxRecords
	}
	if s.opts.Parallel <= 0 {
		s.opts.Parallel = Parallel
	}
	s.places = make(chan struct{}, s.opts.Parallel)
	list, err := arch.Inventory(ctx)
	if err != nil {
		return nil, fmt.Errorf("serve %s: %w", arch.Name(), err)
	}
	s.datasets = collect(list, s.opts.MaxRecords)
	if len(s.datasets) == 0 {
		return nil, fmt.Errorf("serve %s: nothing in it is a parameter with records over time", arch.Name())
	}
	for _, d := range s.datasets {
		s.byID[d.id] = d
	}
	return s, nil
}

// Datasets returns the ids of the datasets, in order.
func (s *Server) Datasets() []string {
	ids := make([]string, len(s.datasets))
	for i, d := range s.datasets {
		ids[i] = d.id
	}
	return ids
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		s.refuse(w, &refusal{code: 1400, http: http.StatusMethodNotAllowed, message: "only GET and HEAD are answered"})
		return
	}
	path := r.URL.Path
	if trimmed := strings.TrimRight(path, "/"); trimmed != path {
		to := url.URL{Path: trimmed, RawQuery: r.URL.RawQuery}
		if trimmed == "" {
			to.Path = "/hapi"
		}
		// Never "//host": what begins with two slashes would lead elsewhere.
		to.Path = "/" + strings.TrimLeft(to.Path, "/")
		http.Redirect(w, r, to.String(), http.StatusMovedPermanently)
		return
	}
	if err := s.answer(w, r, strings.TrimPrefix(path, "/hapi")); err != nil {
		s.refuse(w, err)
	}
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, endpoint string) *refusal {
	if !strings.HasPrefix(r.URL.Path, "/hapi") || endpoint == r.URL.Path {
		return &refusal{code: 1400, http: http.StatusNotFound, message: "the answers are below /hapi"}
	}
	switch endpoint {
	case "":
		return s.landing(w, r)
	case "/about":
		return s.about(w, r)
	case "/capabilities":
		return s.capabilities(w, r)
	case "/catalog":
		return s.catalog(w, r)
	case "/info":
		return s.info(w, r)
	case "/data":
		return s.data(w, r)
	}
	return &refusal{code: 1400, http: http.StatusNotFound, message: fmt.Sprintf("there is no endpoint %.60q; there are about, capabilities, catalog, info and data", endpoint)}
}

// A refusal is an answer with a code of the specification.
type refusal struct {
	code    int
	http    int // 0: what fits the code
	message string
}

var titles = map[int]string{
	1400: "user input error", 1401: "unknown request field", 1402: "error in start", 1403: "error in stop", 1404: "start equal to or after stop",
	1405: "time outside valid range", 1406: "unknown dataset id", 1407: "unknown dataset parameter", 1408: "too much time or data requested",
	1409: "unsupported output format", 1410: "unsupported include value", 1411: "out of order or duplicate parameters",
	1412: "unsupported resolve_references value", 1413: "unsupported depth value", 1500: "internal server error",
}

func refuse(code int, format string, args ...any) *refusal {
	return &refusal{code: code, message: fmt.Sprintf(format, args...)}
}

func (s *Server) refuse(w http.ResponseWriter, e *refusal) {
	status := e.http
	switch {
	case status != 0:
	case e.code == 1406 || e.code == 1407:
		status = http.StatusNotFound
	case e.code >= 1500:
		status = http.StatusInternalServerError
	default:
		status = http.StatusBadRequest
	}
	message := fmt.Sprintf("HAPI error %d: %s", e.code, titles[e.code])
	if e.message != "" {
		message += ": " + e.message
	}
	writeJSON(w, status, map[string]any{"HAPI": Version, "status": map[string]any{"code": e.code, "message": message}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil { // of values of our own
		status, text = http.StatusInternalServerError, []byte(`{"HAPI":"`+Version+`","status":{"code":1500,"message":"internal server error"}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", fmt.Sprint(len(text)+1))
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // the client may have gone
}

func (s *Server) failed(err error) {
	if s.opts.Failed != nil && err != nil {
		s.opts.Failed(err)
	}
}
