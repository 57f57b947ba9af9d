package hapiserver

import (
	"fmt"
	"html"
	"net/http"
	"strings"
)

var ok = map[string]any{"code": 1200, "message": "OK"}

func (s *Server) about(w http.ResponseWriter, r *http.Request) *refusal {
	if _, e := fields(r); e != nil {
		return e
	}
	about := map[string]any{"HAPI": Version, "status": ok, "id": s.opts.ID, "title": s.opts.Title, "contact": s.opts.Contact}
	d := s.datasets[0]
	about["dataTest"] = map[string]any{"name": "the beginning of " + d.id, "query": map[string]any{
		"dataset": d.id, "start": d.info.StartDate.String(), "stop": d.info.StartDate.Add(max(d.cadence*10, 1e9)).String(), "parameters": d.info.Parameters[1].Name,
	}}
	writeJSON(w, http.StatusOK, about)
	return nil
}

func (s *Server) capabilities(w http.ResponseWriter, r *http.Request) *refusal {
	if _, e := fields(r); e != nil {
		return e
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"HAPI": Version, "status": ok, "outputFormats": []string{"csv", "binary", "json"}, "catalogDepthOptions": []string{"dataset", "all"},
	})
	return nil
}

func (s *Server) catalog(w http.ResponseWriter, r *http.Request) *refusal {
	f, e := fields(r, "depth", "resolve_references")
	if e == nil {
		e = references(f)
	}
	if e != nil {
		return e
	}
	depth, given := f["depth"]
	if given && depth != "dataset" && depth != "all" {
		return refuse(1413, "%.40q is neither dataset nor all", depth)
	}
	list := make([]map[string]any, len(s.datasets))
	for i, d := range s.datasets {
		list[i] = map[string]any{"id": d.id}
		if d.title != "" {
			list[i]["title"] = d.title
		}
		if depth == "all" {
			list[i]["info"] = d.info
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"HAPI": Version, "status": ok, "catalog": list})
	return nil
}

func (s *Server) info(w http.ResponseWriter, r *http.Request) *refusal {
	f, e := fields(r, "dataset", "id", "parameters", "resolve_references")
	if e == nil {
		e = references(f)
	}
	if e != nil {
		return e
	}
	d, e := s.dataset(f)
	if e != nil {
		return e
	}
	in, e := d.selected(f)
	if e != nil {
		return e
	}
	writeJSON(w, http.StatusOK, in)
	return nil
}

// landing is a page for people.
func (s *Server) landing(w http.ResponseWriter, r *http.Request) *refusal {
	if _, e := fields(r); e != nil {
		return e
	}
	var b strings.Builder
	title := html.EscapeString(s.opts.Title)
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>\n<style>body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}td{padding:.2em 1em .2em 0;vertical-align:top}</style></head><body>\n<h1>%s</h1>\n", title, title)
	fmt.Fprintf(&b, "<p>A <a href=\"https://hapi-server.org\">HAPI</a> server (version %s): <a href=\"hapi/about\">about</a>, <a href=\"hapi/capabilities\">capabilities</a>, <a href=\"hapi/catalog\">catalog</a>.</p>\n<table>\n", Version)
	for _, d := range s.datasets {
		query := "dataset=" + escapeQuery(d.id)
		fmt.Fprintf(&b, "<tr><td><a href=\"hapi/info?%s\">%s</a></td><td>%v to %v</td><td>%s</td></tr>\n", query, html.EscapeString(d.id), d.info.StartDate, d.info.StopDate, html.EscapeString(d.title))
	}
	b.WriteString("</table></body></html>\n")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	_, _ = w.Write([]byte(b.String())) // the client may have gone
	return nil
}
