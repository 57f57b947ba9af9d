package llmtest

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A WireRecorder is an [http.RoundTripper] that keeps what goes over a real wire,
// as files for [LoadWire]: 001.request and 001.response, 002.request ... Each is
// the first line, the headers, a blank line, and the body as it was. It is safe for
// concurrent use.
type WireRecorder struct {
	// Dir is where the files go. It is made, and files of earlier recordings are
	// replaced.
	Dir string
	// Base makes the requests; nil is [http.DefaultTransport].
	Base http.RoundTripper
	// Redact is given each file before it is written, and returns it without
	// secrets. Headers whose name speaks of a key, token, cookie or authorisation
	// never get that far.
	Redact func([]byte) []byte

	mu sync.Mutex
	n  int
}

// RoundTrip makes the request and keeps it. The response is kept when its body has
// been read to the end or closed.
func (w *WireRecorder) RoundTrip(q *http.Request) (*http.Response, error) {
	var body []byte
	if q.Body != nil {
		var err error
		if body, err = io.ReadAll(q.Body); err != nil {
			return nil, err
		}
		_ = q.Body.Close()
		q = q.Clone(q.Context())
		q.Body = io.NopCloser(bytes.NewReader(body))
	}
	w.mu.Lock()
	w.n++
	n := w.n
	w.mu.Unlock()
	first := fmt.Sprintf("%s %s HTTP/1.1", q.Method, q.URL.RequestURI())
	if err := w.save(n, "request", first, q.Header, body); err != nil {
		return nil, err
	}
	base := w.Base
	if base == nil {
		base = http.DefaultTransport
	}
	resp, err := base.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	resp.Body = &teeBody{ReadCloser: resp.Body, save: func(body []byte) error {
		return w.save(n, "response", "HTTP/1.1 "+resp.Status, resp.Header, body)
	}}
	return resp, nil
}

func (w *WireRecorder) save(n int, what, first string, header http.Header, body []byte) error {
	var b bytes.Buffer
	b.WriteString(first + "\r\n")
	names := make([]string, 0, len(header))
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range header[name] {
			if secretHeader(name) {
				value = "redacted"
			}
			b.WriteString(name + ": " + value + "\r\n")
		}
	}
	b.WriteString("\r\n")
	b.Write(body)
	data := b.Bytes()
	if w.Redact != nil {
		data = w.Redact(data)
	}
	if err := os.MkdirAll(w.Dir, 0o755); err != nil {
		return fmt.Errorf("llmtest: record the wire: %w", err)
	}
	if err := os.WriteFile(filepath.Join(w.Dir, fmt.Sprintf("%03d.%s", n, what)), data, 0o644); err != nil {
		return fmt.Errorf("llmtest: record the wire: %w", err)
	}
	return nil
}

func secretHeader(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"auth", "key", "token", "cookie", "secret"}, func(word string) bool { return strings.Contains(name, word) })
}

// A teeBody keeps what is read of a body.
type teeBody struct {
	io.ReadCloser

	kept  bytes.Buffer
	saved bool
	save  func([]byte) error
}

func (t *teeBody) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.kept.Write(p[:n])
	if err != nil {
		if bad := t.finish(); bad != nil {
			err = bad
		}
	}
	return n, err
}

// Close keeps what has been read so far.
func (t *teeBody) Close() error {
	if err := t.finish(); err != nil {
		return err
	}
	return t.ReadCloser.Close()
}

func (t *teeBody) finish() error {
	if t.saved {
		return nil
	}
	t.saved = true
	return t.save(t.kept.Bytes())
}

// LoadWire reads what a [WireRecorder] has kept in a folder. Each reply wants its
// request to be of the recorded method and path, with the recorded body: the same
// JSON, or the same bytes. Headers are not compared.
func LoadWire(dir fs.FS) (*Wire, error) {
	names, err := fs.Glob(dir, "*.response")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("llmtest: there are no *.response files: %w", fs.ErrNotExist)
	}
	w := &Wire{}
	for _, name := range names { // sorted
		dump, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		r, err := RawReply(dump)
		if err != nil {
			return nil, fmt.Errorf("llmtest: %s: %w", name, err)
		}
		name = strings.TrimSuffix(name, "response") + "request"
		if dump, err = fs.ReadFile(dir, name); err != nil {
			return nil, err
		}
		if r, err = r.wanting(dump); err != nil {
			return nil, fmt.Errorf("llmtest: %s: %w", name, err)
		}
		w.replies = append(w.replies, r)
	}
	return w, nil
}

// wanting is the reply to a recorded request.
func (r Reply) wanting(dump []byte) (Reply, error) {
	head, body, ok := cutHead(dump)
	first, _, _ := strings.Cut(head, "\n")
	fields := strings.Fields(first)
	if !ok || len(fields) != 3 {
		return r, fmt.Errorf("the first line is %q, want one like POST /v1/messages HTTP/1.1, and a blank line behind the headers", shorten(first))
	}
	return r.To(fields[0], fields[1]).Where(func(q *WireRequest) error {
		if _, err := decodeJSON(body); err == nil {
			return q.SameJSON(string(body))
		}
		if !bytes.Equal(q.Body, body) {
			a, b := around(string(body), string(q.Body))
			return fmt.Errorf("the body is %q, recorded as %q", b, a)
		}
		return nil
	}), nil
}
