package llmtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"time"

	"github.com/helios-go/helios/llm"
)

// A Recorder is a model that writes down every request and every stream of another
// one. It is safe for concurrent use; streams are written one after the other, each
// when it has ended.
type Recorder struct {
	model llm.Model
	opts  CassetteOptions

	mu   sync.Mutex
	w    io.Writer
	n    int    // requests written
	last []line // the lines of the last one
	err  error
}

// Record returns a model that asks m and writes what comes of it to w, as a
// cassette for [Replay]. Most tests want [Cassette] instead.
func Record(m llm.Model, w io.Writer, opts *CassetteOptions) *Recorder {
	r := &Recorder{model: m, w: w}
	if opts != nil {
		r.opts = *opts
	}
	head := tapeHead{Model: m.Name(), Version: tapeVersion}
	if s, ok := m.(llm.Sizer); ok {
		head.Size = s.Size()
	}
	r.write(line{"cassette", head})
	return r
}

const tapeVersion = 1

type tapeHead struct {
	Model   string   `json:"model"`
	Version int      `json:"version"`
	Size    llm.Size `json:"size,omitzero"`
}

// Name is the recorded model's.
func (r *Recorder) Name() string { return r.model.Name() }

// Size is the recorded model's, zero if it does not tell.
func (r *Recorder) Size() llm.Size {
	if s, ok := r.model.(llm.Sizer); ok {
		return s.Size()
	}
	return llm.Size{}
}

// Err is the first error of writing the cassette. What the model's readers see
// does not depend on it.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Stream runs the request and writes it down once the stream has ended.
func (r *Recorder) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		var x exchange
		var failed error
		x.request, failed = r.opts.requestLines(req) // before anybody changes it
		x.end.Left = true                            // unless it ends by itself
		defer func() { r.exchange(&x, failed) }()
		began, done := time.Now(), false
		for c, err := range r.model.Stream(ctx, req) {
			if err != nil {
				x.end = tapeEnd{Error: errorOnTape(err)}
				yield(c, err)
				return
			}
			at := time.Duration(0)
			if r.opts.Timing {
				at = time.Since(began)
			}
			x.chunks = append(x.chunks, onTape(&c, at))
			if done = done || c.Kind == llm.ChunkDone; done {
				x.end = tapeEnd{}
			}
			if !yield(c, nil) {
				return
			}
		}
		x.end = tapeEnd{Cut: !done}
	}
}

// exchange writes a request and its answer.
func (r *Recorder) exchange(x *exchange, failed error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	keep := 0
	for keep < len(r.last) && keep < len(x.request) && r.last[keep].equal(x.request[keep]) {
		keep++
	}
	r.last = x.request
	head := tapeRequest{N: r.n, Keep: keep}
	lines := append([]line{{"request", head}}, x.request[keep:]...)
	for _, c := range whole(x.chunks, r.opts.Redact) {
		tree, err := r.opts.tree(c)
		failed = errors.Join(failed, err)
		lines = append(lines, line{"chunk", tree})
	}
	end, err := r.opts.tree(x.end)
	lines = append(lines, line{"end", end})
	if err = errors.Join(failed, err); err != nil {
		r.fail(fmt.Errorf("llmtest: record request %d: %w", r.n, err))
		return
	}
	r.write(lines...)
}

type tapeRequest struct {
	N    int `json:"n"`
	Keep int `json:"keep,omitempty"`
}

func (r *Recorder) write(lines ...line) {
	for _, l := range lines {
		data, err := l.bytes()
		if err == nil && r.err == nil {
			_, err = r.w.Write(append(data, '\n'))
		}
		r.fail(err)
	}
}

func (r *Recorder) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// whole redacts texts that came in pieces as the whole that they are. Where that
// changes something, the first piece holds all of it.
func whole(chunks []tapeChunk, redact func(string) string) []tapeChunk {
	if redact == nil {
		return chunks
	}
	type series struct {
		kind  string
		index int
	}
	texts := map[series]string{}
	for i := range chunks {
		c := &chunks[i]
		texts[series{c.Kind, c.Index}] += c.Text + string(c.Bytes)
	}
	first := map[series]bool{}
	for i := range chunks {
		c := &chunks[i]
		key := series{c.Kind, c.Index}
		text := texts[key]
		clean := redactText(text, redact)
		if clean == text {
			continue
		}
		c.Bytes, c.Text = nil, ""
		if !first[key] {
			first[key], c.Text = true, clean
		}
	}
	return chunks
}

// redactText redacts a text, and in one that is JSON what its strings say.
func redactText(text string, redact func(string) string) string {
	clean := redact(text)
	tree, err := decodeJSON([]byte(clean))
	if err != nil {
		return clean
	}
	before, err := encodeJSON(tree)
	if err != nil {
		return clean
	}
	o := CassetteOptions{Redact: redact}
	after, err := encodeJSON(o.redact(tree))
	if err != nil || string(after) == string(before) {
		return clean
	}
	return string(after)
}
