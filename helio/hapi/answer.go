package hapi

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/helios-go/helios/helio/tt"
)

// An answer is the beginning of what a server sends when asked for data.
type answer struct {
	in     *bufio.Reader
	format Format
	// empty says that there is no record, and said that the server says so: with
	// the code 1201, or the status 204.
	empty, said bool
	// framed says that the end of the body can be told from a break.
	framed bool
	etag   string
	date   string // Last-Modified
	query  string
	close  func()
}

// open asks for the data in [start, stop). The answer must be closed.
func (f *fetcher) open(ctx context.Context, start, stop tt.Time, format Format, header bool) (*answer, error) {
	fields := window(f.old, f.dataset, start, stop)
	query := query(fields)
	if f.parameters != "" {
		query += "&parameters=" + f.parameters
	}
	query += "&format=" + string(format)
	if header {
		query += "&include=header"
	}
	h := http.Header{}
	h.Set("Accept-Encoding", f.c.encoding()) // by hand, so that the framing below it can be seen

	resp, err := f.c.get(ctx, "data", query, h) //nolint:bodyclose // the answer closes it
	if isCode(err, NoData) {
		return &answer{format: format, empty: true, said: true, framed: true, close: func() {}}, nil
	}
	if err != nil {
		return nil, &noAnswerError{err}
	}
	a := &answer{
		format: format, query: query, etag: resp.Header.Get("ETag"), date: resp.Header.Get("Last-Modified"),
		framed: resp.ProtoMajor >= 2 || resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0,
		close:  func() { resp.Body.Close() },
	}
	if err := a.begin(f, resp); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// encoding is what data may be compressed with.
func (c *Client) encoding() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.plain {
		return "identity"
	}
	return "gzip"
}

// uncompressed asks for plain data from now on: the reference server forgets to go
// on with what it compresses when the connection was full for a moment.
func (c *Client) uncompressed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plain = true
}

// begin looks at the first bytes: whether there is data at all, or a status.
func (a *answer) begin(f *fetcher, resp *http.Response) error {
	var body io.Reader = &sticky{r: resp.Body, count: func(n int) {
		f.track.tell(func(p *Progress) { p.Bytes += int64(n) })
	}}
	if strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		z, err := gzip.NewReader(body)
		switch {
		case errors.Is(err, io.EOF): // nothing was sent
			body = strings.NewReader("")
		case err != nil:
			return fmt.Errorf("%s: read compressed data: %w", f.c.host, err)
		default:
			body = &sticky{r: z}
		}
	}
	a.in = bufio.NewReaderSize(body, 1<<16)
	status, found := reasonStatus(resp.Status)
	if found && status.Code == NoData || resp.StatusCode == http.StatusNoContent {
		a.empty, a.said = true, true
		return nil
	}
	head, err := a.in.Peek(4096)
	text := bytes.TrimSpace(head)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil // the decoder meets it at its place
	case err != nil && len(text) == 0:
		a.empty = true
	case len(text) > 0 && text[0] == '{':
		return a.status(f, resp, text, err != nil)
	}
	return nil
}

// status finds a status where data should be: servers send one with the code 200,
// whatever the format.
func (a *answer) status(f *fetcher, resp *http.Response, text []byte, whole bool) error {
	if a.format != JSON && !whole {
		more, err := io.ReadAll(io.LimitReader(a.in, 1<<20))
		if err != nil {
			return err
		}
		text, whole = more, true
	}
	if !whole {
		return nil // the decoder reads it
	}
	status, found := bodyStatus(text)
	switch {
	case found && status.Code >= UserError:
		return &Error{Status: status, Host: f.c.host, HTTP: resp.StatusCode}
	case found && status.Code == NoData:
		a.empty, a.said = true, true
	case a.format != JSON:
		return &StreamError{Format: a.format, Reason: "it is JSON without a status"}
	case !bytes.Contains(text, []byte(`"data"`)):
		return &StreamError{Format: a.format, Reason: "it is an object without data, and without the status that there are none"}
	}
	return nil
}

// sticky repeats the error of a reader and counts what came.
type sticky struct {
	r     io.Reader
	err   error
	count func(int)
}

func (s *sticky) Read(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(b)
	s.err = err
	if n > 0 && s.count != nil {
		s.count(n)
	}
	return n, err
}
