package llmtest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Reply is one HTTP response of a [Wire], byte for byte. Make it with [SSE],
// [JSON] or [RawReply] and refine it with the methods, which return a changed copy.
type Reply struct {
	status int
	header http.Header
	body   []byte

	cut    Cut
	delay  time.Duration
	gap    time.Duration
	until  int // bytes of the body that are sent; below 0 all
	stall  bool
	silent bool // no response at all

	method, path string
	check        func(*WireRequest) error
}

// SSE is a stream of events with status 200.
func SSE(body string) Reply {
	return reply(http.StatusOK, []byte(body)).Header("Content-Type", "text/event-stream; charset=utf-8")
}

// JSON is a response of one JSON text.
func JSON(status int, body string) Reply {
	return reply(status, []byte(body)).Header("Content-Type", "application/json")
}

func reply(status int, body []byte) Reply {
	return Reply{status: status, body: body, until: -1, header: http.Header{}}
}

// RawReply reads a response as `curl -i` prints it and [RecordWire] keeps it: the
// status line, the headers, a blank line, and the body as it came, decoded from
// chunks and from nothing else. Lines of the head end in CRLF or LF; the body is
// not touched.
func RawReply(dump []byte) (Reply, error) {
	head, body, ok := cutHead(dump)
	lines := strings.Split(head, "\n")
	status, err := statusOf(strings.TrimSuffix(lines[0], "\r"))
	if err != nil {
		return Reply{}, err
	}
	if !ok {
		return Reply{}, errors.New("no blank line between the headers and the body")
	}
	r := reply(status, body)
	for i, text := range lines[1:] {
		name, value, ok := strings.Cut(strings.TrimSuffix(text, "\r"), ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return Reply{}, fmt.Errorf("line %d is no header: %q", i+2, shorten(text))
		}
		r.header.Add(name, strings.TrimSpace(value))
	}
	return r, nil
}

// cutHead parts a message at its first blank line.
func cutHead(dump []byte) (head string, body []byte, ok bool) {
	for at := 0; at < len(dump); {
		n := bytes.IndexByte(dump[at:], '\n')
		if n < 0 {
			break
		}
		if text := dump[at : at+n]; len(text) == 0 || string(text) == "\r" {
			return strings.TrimSuffix(string(dump[:at]), "\n"), dump[at+n+1:], true
		}
		at += n + 1
	}
	return string(dump), nil, false
}

// statusOf reads a status line: HTTP/1.1 200 OK.
func statusOf(text string) (int, error) {
	version, rest, _ := strings.Cut(text, " ")
	code, _, _ := strings.Cut(rest, " ")
	status, err := strconv.Atoi(code)
	if !strings.HasPrefix(version, "HTTP/") || err != nil || status < 200 || status > 999 {
		return 0, fmt.Errorf("the first line is %q, want one like HTTP/1.1 200 OK", shorten(text))
	}
	return status, nil
}

// Header adds a header.
func (r Reply) Header(name, value string) Reply {
	r.header = maps.Clone(r.header)
	name = http.CanonicalHeaderKey(name)
	r.header[name] = append(slices.Clone(r.header[name]), value)
	return r
}

// Status replaces the status.
func (r Reply) Status(status int) Reply { r.status = status; return r }

// Cut sends the body in pieces.
func (r Reply) Cut(c Cut) Reply { r.cut = c; return r }

// After waits before the response begins.
func (r Reply) After(d time.Duration) Reply { r.delay = d; return r }

// Every waits before each piece of the body but the first.
func (r Reply) Every(d time.Duration) Reply { r.gap = d; return r }

// Dropping breaks the connection after so many bytes of the body.
func (r Reply) Dropping(after int) Reply { r.until, r.stall = max(0, after), false; return r }

// Stalling sends so many bytes of the body and then nothing more, until the client
// gives up.
func (r Reply) Stalling(after int) Reply { r.until, r.stall = max(0, after), true; return r }

// Unanswered breaks the connection without a response.
func (r Reply) Unanswered() Reply { r.silent = true; return r }

// To wants the request to be of this method and path (with its query, if the path
// here has one).
func (r Reply) To(method, path string) Reply { r.method, r.path = method, path; return r }

// Where wants the request to pass a check.
func (r Reply) Where(check func(*WireRequest) error) Reply { r.check = check; return r }

// pieces is the body as it is sent.
func (r *Reply) pieces() [][]byte {
	body := r.body
	if r.until >= 0 && r.until < len(body) {
		body = body[:r.until]
	}
	var pieces [][]byte
	from := 0
	if r.cut != nil {
		for _, at := range r.cut(body) {
			if at > from && at < len(body) {
				pieces = append(pieces, body[from:at])
				from = at
			}
		}
	}
	if from < len(body) {
		pieces = append(pieces, body[from:])
	}
	return pieces
}

// refuses says what is wrong with a request, if anything is.
func (r *Reply) refuses(q *WireRequest) error {
	path := q.Path
	if !strings.Contains(r.path, "?") {
		path, _, _ = strings.Cut(path, "?")
	}
	if r.path != "" && (q.Method != r.method || path != r.path) {
		return fmt.Errorf("it is %s %s, want %s %s", q.Method, path, r.method, r.path)
	}
	if r.check != nil {
		return r.check(q)
	}
	return nil
}
