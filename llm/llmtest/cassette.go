package llmtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/helios-go/helios/llm"
)

// A cassette is a file of JSON lines that a reviewer can read: what was asked and
// every chunk of every answer, in order.
//
//	{"cassette":{"model":"anthropic/claude-sonnet-5","version":1}}
//	{"request":{"n":1}}
//	{"system":{"kind":"text","text":"You answer in one sentence."}}
//	{"message":{"parts":[{"kind":"text","text":"Hello"}],"role":"user"}}
//	{"chunk":{"index":0,"kind":"text","text":"Good "}}
//	{"chunk":{"finish":"stop","index":0,"kind":"done","usage":{...}}}
//	{"end":{}}
//	{"request":{"keep":2,"n":2}}
//
// A request that begins as the one before it does says how many of its lines it
// keeps (those below "request", up to the answer), so that each turn shows what is
// new in it. Members of objects are sorted. Media in requests are kept as their
// checksum.

// CassetteOptions say how a conversation is recorded and compared; nil is the zero
// value. Use the same for recording and for playing.
type CassetteOptions struct {
	// Normalise may change a request before it is written or compared: it takes out
	// what differs from run to run, such as times and ids. It gets a copy of its own.
	Normalise func(*llm.Request)
	// Redact is given every text before it is written or compared, keys of objects
	// excepted, and returns it without secrets. Texts that came in pieces are given
	// whole.
	Redact func(string) string
	// Timing records when each chunk came, and plays it so.
	Timing bool
}

// TB is what [Cassette] needs of a *testing.T.
type TB interface {
	Helper()
	Name() string
	Failed() bool
	Cleanup(f func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// RecordVariable is the environment variable that makes [Cassette] record.
const RecordVariable = "HELIOS_RECORD"

// Cassette returns a model that plays the cassette at path. With HELIOS_RECORD=1
// in the environment it is the model that live makes, recorded: the file is written
// when the test has passed, so a failure leaves the old one. It fails the test where
// a request differs from the recorded one, where there is no cassette, and where
// recorded requests were not made.
//
//	model := llmtest.Cassette(t, "testdata/weather.jsonl", func() llm.Model { return anthropic.New("claude-sonnet-5", nil) }, nil)
func Cassette(t TB, path string, live func() llm.Model, opts *CassetteOptions) llm.Model {
	t.Helper()
	if os.Getenv(RecordVariable) != "" {
		return recordTo(t, path, live(), opts)
	}
	again := fmt.Sprintf("record it again: %s=1 go test -run '^%s$'", RecordVariable, t.Name())
	data, err := os.ReadFile(filepath.Clean(path))
	if errors.Is(err, os.ErrNotExist) {
		t.Fatalf("llmtest: there is no cassette %s; %s", path, again)
	} else if err != nil {
		t.Fatalf("llmtest: read a cassette: %v", err)
	}
	p, err := Replay(bytes.NewReader(data), opts)
	if err != nil {
		t.Fatalf("llmtest: cassette %s: %v; %s", path, err, again)
	}
	p.again = again
	t.Cleanup(func() {
		if err := p.Done(); err != nil && !t.Failed() {
			t.Errorf("%v", err)
		}
	})
	return p
}

func recordTo(t TB, path string, live llm.Model, opts *CassetteOptions) llm.Model {
	t.Helper()
	var tape bytes.Buffer
	r := Record(live, &tape, opts)
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		err := r.Err()
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, tape.Bytes(), 0o644)
		}
		if err != nil {
			t.Errorf("llmtest: write the cassette %s: %v", path, err)
		}
	})
	return r
}

// A line is one line of a cassette: what it is, and its JSON as a tree.
type line struct {
	kind  string
	value any
}

func (l line) bytes() ([]byte, error) { return encodeJSON(map[string]any{l.kind: l.value}) }

// equal compares lines as they are written.
func (l line) equal(m line) bool {
	a, errA := l.bytes()
	b, errB := m.bytes()
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// requestLines turns a request into the lines that it is written as and compared by.
func (o *CassetteOptions) requestLines(req *llm.Request) ([]line, error) {
	if o.Normalise != nil {
		data, err := json.Marshal(req)
		if err != nil {
			return nil, err
		}
		req = new(llm.Request)
		if err := json.Unmarshal(data, req); err != nil {
			return nil, err
		}
		o.Normalise(req)
	}
	var lines []line
	var failed error
	add := func(kind string, v any) {
		tree, err := o.tree(v)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", kind, err))
		}
		lines = append(lines, line{kind, digest(tree)})
	}
	for i := range req.System {
		add("system", req.System[i])
	}
	for i := range req.Tools {
		add("tool", req.Tools[i])
	}
	if req.Output != nil {
		add("output", req.Output)
	}
	settings, err := encodeJSON(struct {
		Choice  *llm.ToolChoice `json:"choice,omitempty"`
		Options llm.Options     `json:"options,omitzero"`
	}{choiceOf(req), req.Options})
	if err != nil {
		return nil, err
	}
	if string(settings) != `{"options":{}}` && string(settings) != `{}` {
		add("settings", json.RawMessage(settings))
	}
	for i := range req.Messages {
		add("message", req.Messages[i])
	}
	return lines, failed
}

func choiceOf(req *llm.Request) *llm.ToolChoice {
	if req.Choice.Mode == llm.ChoiceAuto {
		return nil
	}
	return &req.Choice
}

// tree turns a value into JSON without structure of Go, redacted.
func (o *CassetteOptions) tree(v any) (any, error) {
	data, err := encodeJSON(v)
	if err != nil {
		return nil, err
	}
	tree, err := decodeJSON(data)
	if err != nil {
		return nil, err
	}
	return o.redact(tree), nil
}

func (o *CassetteOptions) redact(tree any) any {
	if o.Redact == nil {
		return tree
	}
	switch v := tree.(type) {
	case string:
		return o.Redact(v)
	case []any:
		for i := range v {
			v[i] = o.redact(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = o.redact(v[name])
		}
	}
	return tree
}

// digest puts a checksum in the place of longer media.
func digest(tree any) any {
	switch v := tree.(type) {
	case []any:
		for i := range v {
			v[i] = digest(v[i])
		}
	case map[string]any:
		data, isText := v["data"].(string)
		if _, isMedia := v["mime"]; isMedia && isText && len(data) > 1024 {
			if raw, err := base64.StdEncoding.DecodeString(data); err == nil {
				v["data"] = fmt.Sprintf("sha256 %x of %d bytes", sha256.Sum256(raw), len(raw))
			}
			return v
		}
		for name := range v {
			v[name] = digest(v[name])
		}
	}
	return tree
}

func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// decodeJSON decodes one value, with numbers as they are written.
func decodeJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, err
	}
	if rest := strings.TrimSpace(string(data[dec.InputOffset():])); rest != "" {
		return nil, errors.New("more than one JSON value")
	}
	return tree, nil
}
