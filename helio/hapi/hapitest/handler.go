package hapitest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// An answer is what will be sent.
type answer struct {
	status int
	reason string // "" is the usual one
	kind   string // Content-Type
	body   []byte
	data   bool // from the endpoint data
}

// ServeHTTP answers one request below /hapi.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, n, o := s.note(r)
	if o.Busy != nil {
		if status, after := o.Busy(n); status != 0 {
			if after != "" {
				w.Header().Set("Retry-After", after)
			}
			q.Status = status
			http.Error(w, "come back later", status)
			return
		}
	}
	if strings.HasSuffix(r.URL.Path, "/") && r.URL.Path != "/hapi/" {
		to := *r.URL
		to.Path = strings.TrimSuffix(to.Path, "/")
		http.Redirect(w, r, to.RequestURI(), http.StatusMovedPermanently) //nolint:gosec // to its own host
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	s.send(w, r, &o, q, s.answer(r, q, &o))
}

func (s *Server) answer(r *http.Request, q *Request, o *Options) answer {
	switch q.Path {
	case "", "/":
		return answer{kind: "text/html", body: []byte("<html>a HAPI server</html>")}
	case "/about":
		if o.NoAbout {
			return answer{status: 404, kind: "text/html", body: []byte("<html>not found</html>")}
		}
		return ok(map[string]any{"id": "hapitest", "title": "A server for tests", "contact": "nobody", "x_own": true,
			"dataTest": map[string]any{"name": "ping", "query": map[string]any{"dataset": "minutes", "parameters": "Magnitude", "start": "2023-01-02Z", "stop": "2023-01-02T00:10Z"}}}, o)
	case "/capabilities":
		if a, bad := refuseFields(q, o); bad {
			return a
		}
		return ok(map[string]any{"outputFormats": o.formats(), "catalogDepthOptions": []string{"dataset"}}, o)
	case "/catalog":
		return s.catalog(q, o)
	case "/info":
		return s.info(q, o)
	case "/data":
		return s.data(r, q, o)
	}
	return refuse(o, 1400, "unknown endpoint")
}

func (o *Options) formats() []string {
	if o.Formats == nil {
		return []string{"csv", "binary", "json"}
	}
	return o.Formats
}

func (o *Options) old() bool { return strings.HasPrefix(o.version(), "2") }

func ok(v map[string]any, o *Options) answer {
	v["HAPI"], v["status"] = o.version(), map[string]any{"code": 1200, "message": "OK"}
	return answer{kind: "application/json", body: marshal(v)}
}

func (s *Server) catalog(q *Request, o *Options) answer {
	if a, bad := refuseFields(q, o, "depth", "resolve_references"); bad {
		return a
	}
	if depth := q.Query.Get("depth"); depth != "" && depth != "dataset" {
		return refuse(o, 1413, "unsupported depth")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []any
	for _, d := range s.datasets {
		list = append(list, map[string]any{"id": d.ID, "title": d.Title})
	}
	return ok(map[string]any{"catalog": list}, o)
}

// refuseFields refuses fields that are not known; the old names of one that is
// known are known too, the new ones not to old servers.
func refuseFields(q *Request, o *Options, known ...string) (answer, bool) {
	if o.old() {
		known = slices.DeleteFunc(known, func(n string) bool {
			return n == "dataset" || n == "start" || n == "stop" || n == "depth" || n == "resolve_references"
		})
	}
	for name, values := range q.Query {
		if !slices.Contains(known, name) {
			return refuse(o, 1401, "unknown request field "+name), true
		}
		if len(values) > 1 {
			return refuse(o, 1400, name+" is given twice"), true
		}
	}
	return answer{}, false
}

func (s *Server) info(q *Request, o *Options) answer {
	if a, bad := refuseFields(q, o, "id", "dataset", "parameters", "resolve_references"); bad {
		return a
	}
	d := s.dataset(first(q.Query, "dataset", "id"))
	if d == nil {
		return refuse(o, 1406, "unknown dataset")
	}
	resolved := true
	switch q.Query.Get("resolve_references") {
	case "", "true":
	case "false":
		resolved = false
	default:
		return refuse(o, 1412, "unsupported resolve_references")
	}
	params, a, bad := d.selected(q, o)
	if bad {
		return a
	}
	return answer{kind: "application/json", body: marshal(d.header(o, params, resolved))}
}

// selected are the numbers of the parameters that a request names.
func (d *Dataset) selected(q *Request, o *Options) ([]int, answer, bool) {
	var all []int
	for i := range d.Params {
		all = append(all, i)
	}
	if !q.Query.Has("parameters") || q.Query.Get("parameters") == "" {
		return all, answer{}, false
	}
	var list []int
	last := -2
	for name := range strings.SplitSeq(q.Query.Get("parameters"), ",") {
		i := slices.IndexFunc(d.Params, func(p Param) bool { return p.Name == name })
		if name == "Time" {
			i = -1
		} else if i < 0 {
			return nil, refuse(o, 1407, "unknown parameter "+name), true
		}
		if i <= last && !o.Reorders {
			return nil, refuse(o, 1411, "out-of-order or duplicate parameters"), true
		}
		last = i
		if i >= 0 {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), answer{}, false
}

func (s *Server) data(r *http.Request, q *Request, o *Options) answer {
	known := []string{"id", "dataset", "time.min", "start", "time.max", "stop", "parameters", "format", "include", "resolve_references"}
	if a, bad := refuseFields(q, o, known...); bad {
		return a
	}
	d := s.dataset(first(q.Query, "dataset", "id"))
	if d == nil {
		return refuse(o, 1406, "unknown dataset")
	}
	params, a, bad := d.selected(q, o)
	if bad {
		return a
	}
	format := q.Query.Get("format")
	if format == "" {
		format = "csv"
	}
	if !slices.Contains(o.formats(), format) || slices.Contains(o.Refuses, format) {
		return refuse(o, 1409, "unsupported output format")
	}
	include := q.Query.Get("include")
	if include != "" && include != "header" {
		return refuse(o, 1410, "unsupported include value")
	}
	start, stop, a, bad := d.window(q, o)
	if bad {
		return a
	}
	if o.MaxSpan > 0 && stop.Sub(start) > o.MaxSpan {
		return refuse(o, 1408, "too much time requested")
	}
	if o.Memo {
		s.mu.Lock()
		body, known := s.memo[r.URL.RawQuery]
		s.mu.Unlock()
		if known {
			return answer{data: true, kind: kinds[format], body: body}
		}
	}
	list := d.records(start.Add(-o.Beyond), stop.Add(o.Beyond))
	if o.MaxRecords > 0 && len(list) > o.MaxRecords {
		return refuse(o, 1408, "too much data requested")
	}
	a = d.body(o, format, include == "header", params, list)
	if o.Memo && a.status == 0 && a.reason == "" {
		s.mu.Lock()
		s.memo[r.URL.RawQuery] = a.body
		s.mu.Unlock()
	}
	return a
}

var kinds = map[string]string{"csv": "text/csv", "binary": "application/octet-stream", "json": "application/json"}

func (d *Dataset) body(o *Options, format string, include bool, params []int, list []record) answer {
	var h map[string]any
	if include || format == "json" && !o.BareJSON {
		h = d.header(o, params, true)
		h["format"] = format
		if len(list) == 0 {
			h["status"] = map[string]any{"code": 1201, "message": "OK - no data for time range"}
		}
	}
	a := answer{data: true, kind: kinds[format]}
	if len(list) > 0 || include {
		a.body = append(d.encode(o, format, params, list, h), o.Trailer...)
		return a
	}
	switch o.Empty {
	case EmptyReason:
		a.reason, a.body = "HAPI 1201: No data in interval", []byte("\n")
	case EmptyPlain:
		a.body = []byte("\n")
	case EmptyNothing:
		a.status = http.StatusNoContent
	case EmptyStatus:
		a.kind = "application/json"
		a.body = marshal(map[string]any{"HAPI": o.version(), "status": map[string]any{"code": 1201, "message": "OK - no data for time range"}})
	}
	return a
}

func (d *Dataset) window(q *Request, o *Options) (start, stop time.Time, a answer, bad bool) {
	for _, f := range []struct {
		to    *time.Time
		names []string
		code  int
	}{{&start, []string{"start", "time.min"}, 1402}, {&stop, []string{"stop", "time.max"}, 1403}} {
		text := first(q.Query, f.names...)
		t, known := moment(text)
		if !known {
			if o.BadTimeIs500 {
				f.code = 1500
			}
			return start, stop, refuse(o, f.code, fmt.Sprintf("error in %s", f.names[0])), true
		}
		*f.to = t
	}
	if !start.Before(stop) {
		return start, stop, refuse(o, 1404, "start equal to or after stop"), true
	}
	if start.Before(d.Start) || stop.After(d.Stop) {
		return start, stop, refuse(o, 1405, "time outside valid range"), true
	}
	return start, stop, a, false
}

// moment reads the times of the specification, cut from the right or not.
func moment(text string) (time.Time, bool) {
	text = strings.TrimSuffix(text, "Z")
	for _, layout := range []string{
		"2006", "2006-01", "2006-002", "2006-01-02", "2006-01-02T15", "2006-002T15", "2006-01-02T15:04", "2006-002T15:04",
		"2006-01-02T15:04:05", "2006-002T15:04:05", // both with decimals
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// refuse is a refusal in the server's way.
func refuse(o *Options, code int, message string) answer {
	status := http.StatusBadRequest
	switch {
	case code == 1406 || code == 1407:
		status = http.StatusNotFound
	case code >= 1500:
		status = http.StatusInternalServerError
	}
	reason := fmt.Sprintf("HAPI error %d: %s", code, message)
	body := marshal(map[string]any{"HAPI": o.version(), "status": map[string]any{"code": code, "message": reason}})
	a := answer{status: status, reason: reason, kind: "application/json", body: body}
	switch o.Refusal {
	case RefuseBody:
		a.reason = ""
	case RefuseReason:
		a.kind, a.body = "text/html", []byte("<html><body>Sorry.</body></html>")
	case RefuseOK:
		a.status, a.reason = http.StatusOK, ""
	}
	return a
}

// tag is an ETag of a body.
func tag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}
