package hapitest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// send sends an answer, as net/http does where that is enough, else by hand.
func (s *Server) send(w http.ResponseWriter, r *http.Request, o *Options, q *Request, a answer) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	if a.status == http.StatusOK {
		if !o.Modified.IsZero() {
			h.Set("Last-Modified", o.Modified.UTC().Format(http.TimeFormat))
		}
		if o.ETag {
			h.Set("ETag", tag(a.body))
		}
		if unchanged(r, h) {
			a.status, a.body = http.StatusNotModified, nil
		}
	}
	if o.Gzip && len(a.body) > 0 && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(a.body); err != nil {
			panic(err)
		}
		_ = z.Close()
		a.body = b.Bytes()
	}
	cut := -1
	s.mu.Lock()
	q.Status, q.Size = a.status, len(a.body)
	if a.data && a.status == http.StatusOK {
		if o.Cut != nil {
			cut = o.Cut(s.answers, len(a.body))
		}
		s.answers++
	}
	s.mu.Unlock()
	if r.Method == http.MethodHead {
		h.Set("Content-Length", strconv.Itoa(len(a.body)))
		w.WriteHeader(a.status)
		return
	}
	if cut < 0 && o.Framing == AnyFraming && a.reason == "" {
		w.WriteHeader(a.status)
		s.pieces(o, q, a, func(p []byte) error {
			_, err := w.Write(p)
			return err
		}, func() { _ = http.NewResponseController(w).Flush() })
		return
	}
	s.byHand(w, o, q, a, cut)
}

func unchanged(r *http.Request, h http.Header) bool {
	if asked := r.Header.Get("If-None-Match"); asked != "" {
		return asked == h.Get("ETag")
	}
	asked, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	if err != nil {
		return false
	}
	last, err := http.ParseTime(h.Get("Last-Modified"))
	return err == nil && !last.After(asked)
}

// pieces sends a body piece by piece and notes how far it came.
func (s *Server) pieces(o *Options, q *Request, a answer, write func([]byte) error, flush func()) {
	piece := 1 << 16
	if a.data && o.Pause != nil {
		piece = 1 << 12
	}
	for at := 0; at < len(a.body); {
		n := min(piece, len(a.body)-at)
		if a.data && o.Pause != nil {
			o.Pause(at)
		}
		if write(a.body[at:at+n]) != nil {
			return
		}
		flush()
		at += n
		s.mu.Lock()
		q.Sent = at
		s.mu.Unlock()
	}
	s.mu.Lock()
	q.Whole = true
	s.mu.Unlock()
}

// byHand writes the whole answer itself, and closes the connection.
func (s *Server) byHand(w http.ResponseWriter, o *Options, q *Request, a answer, cut int) {
	header := w.Header().Clone()
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	reason := a.reason
	if reason == "" {
		reason = http.StatusText(a.status)
	}
	framing := o.Framing
	if framing == AnyFraming {
		framing = Length
	}
	header.Set("Connection", "close")
	bodyless := a.status == http.StatusNoContent || a.status == http.StatusNotModified
	switch {
	case bodyless:
	case framing == Length:
		header.Set("Content-Length", strconv.Itoa(len(a.body)))
	case framing == Chunked:
		header.Set("Transfer-Encoding", "chunked") //nolint:gosec // one or the other
	}
	fmt.Fprintf(rw, "HTTP/1.1 %d %s\r\n", a.status, reason)
	if err := header.Write(rw); err != nil {
		return
	}
	if _, err := rw.WriteString("\r\n"); err != nil || rw.Flush() != nil || bodyless {
		return
	}
	whole := cut < 0
	if !whole {
		a.body = a.body[:min(cut, len(a.body))]
	}
	s.pieces(o, q, a, func(p []byte) error {
		if framing == Chunked {
			fmt.Fprintf(rw, "%x\r\n", len(p))
			defer fmt.Fprint(rw, "\r\n")
		}
		_, err := rw.Write(p)
		return err
	}, func() { rw.Flush() })
	if framing == Chunked && whole {
		fmt.Fprint(rw, "0\r\n\r\n")
	}
	if !whole {
		s.mu.Lock()
		q.Whole = false
		s.mu.Unlock()
	}
	rw.Flush()
}
