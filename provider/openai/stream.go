package openai

import (
	"context"
	"errors"
	"iter"
	"net/http"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
	"github.com/helios-go/helios/provider/internal/wire"
)

// Stream asks the model. See [llm.Model].
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	if err := m.Err(); err != nil {
		return wire.Dead(err)
	}
	return func(yield func(llm.Chunk, error) bool) {
		c, err := m.call(adapt.Distinct(req))
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		resp, err := m.post(ctx, c)
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		defer resp.Body.Close()
		m.read(resp, c, yield)
	}
}

// post sends a request, once more where the server lacks what it was thought to
// have.
func (m *Model) post(ctx context.Context, c *call) (*http.Response, error) {
	for again := false; ; again = true {
		data, err := m.conn.Body(&c.body, c.extra)
		if err != nil {
			return nil, err
		}
		resp, err := m.conn.Post(ctx, "/responses", nil, data)
		if err == nil || again || !m.again(c, err) {
			return resp, err
		}
	}
}

// read yields what an answer's events say.
func (m *Model) read(resp *http.Response, c *call, yield func(llm.Chunk, error) bool) {
	d := m.decoder(c)
	for e, err := range m.conn.Events(resp) {
		if err != nil { // d.out is still of the event before
			yield(llm.Chunk{}, err)
			return
		}
		if err = d.event(e.Data); errors.Is(err, errUnreadable) {
			err = m.conn.Garbled(e.Cut, err)
		}
		for i := range d.out {
			if !yield(d.out[i], nil) {
				return
			}
		}
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		if d.done {
			return
		}
	}
	yield(llm.Chunk{}, m.conn.Cut())
}
