package agent

import (
	"iter"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/secret"
)

// A veil redacts what readers are shown of a message that is streaming. It holds
// back of which a secret could begin, until the part is whole. Where the stream
// breaks, what is held back is never shown.
type veil struct {
	red   *secret.Redactor
	parts []*veiled
}

// veiled is a part of the message behind the veil.
type veiled struct {
	chunk llm.Chunk // of its deltas, without text
	out   *secret.Writer
	fresh strings.Builder // may be shown, and was not yet
	shown strings.Builder
	ended bool
}

// part finds or makes the one that a delta belongs to.
func (v *veil) part(c *llm.Chunk) *veiled {
	for _, p := range v.parts {
		if p.chunk.Index == c.Index {
			return p
		}
	}
	p := &veiled{chunk: llm.Chunk{Kind: c.Kind, Index: c.Index, Call: v.call(c.Call)}}
	p.out = v.red.Writer(&p.fresh)
	v.parts = append(v.parts, p)
	return p
}

// call is what may be shown of a call: an id or a name with a secret is left out,
// since the whole message has another one.
func (v *veil) call(c *llm.ToolCall) *llm.ToolCall {
	if c == nil {
		return nil
	}
	shown := *c
	for _, p := range [...]*string{&shown.ID, &shown.Name} {
		if _, leaks := v.red.Leaks(*p); leaks {
			*p = ""
		}
	}
	return &shown
}

// lift takes the next chunk, and yields what may be shown by now.
func (v *veil) lift(c *llm.Chunk) iter.Seq[llm.Chunk] {
	return func(yield func(llm.Chunk) bool) {
		switch {
		case isDelta(c):
			p := v.part(c)
			_, _ = p.out.Write([]byte(c.Text)) // a strings.Builder takes everything
			begins := c.Kind == llm.ChunkCall  // shown even without arguments
			_ = p.show(begins, yield)
		case c.Kind == llm.ChunkPart, c.Kind == llm.ChunkDone:
			for _, p := range v.parts {
				if p.ended || c.Kind == llm.ChunkPart && p.chunk.Index != c.Index {
					continue
				}
				p.ended = true
				_ = p.out.Close()
				if !p.show(false, yield) {
					return
				}
			}
		}
	}
}

// show yields what is fresh, if there is any, or if it must.
func (p *veiled) show(must bool, yield func(llm.Chunk) bool) bool {
	text := p.fresh.String()
	if text == "" && !must {
		return true
	}
	p.fresh.Reset()
	p.shown.WriteString(text)
	c := p.chunk
	c.Text = text
	if !must && c.Kind == llm.ChunkCall {
		c.Kind, c.Call = llm.ChunkArgs, nil
	}
	return yield(c)
}

// deltas yields what was shown so far, as one delta for each part.
func (v *veil) deltas() iter.Seq[llm.Chunk] {
	return func(yield func(llm.Chunk) bool) {
		for _, p := range v.parts {
			c := p.chunk
			if c.Text = p.shown.String(); (c.Text != "" || c.Kind == llm.ChunkCall) && !yield(c) {
				return
			}
		}
	}
}
