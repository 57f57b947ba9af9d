package llm

import (
	"bytes"
	"encoding/json"
	"iter"
)

// An Accumulator puts a message together from the chunks of one stream. The
// zero value is ready; it is not safe for concurrent use. [Generate] and the
// agent loop both use it, so what they keep of an answer cannot differ.
type Accumulator struct {
	slots  []slot
	usage  Usage
	finish FinishReason
	meta   json.RawMessage
	done   bool
}

// A slot is one part in the making.
type slot struct {
	index int
	kind  ChunkKind // what the deltas were: ChunkText, ChunkThinking or ChunkCall
	ended bool      // part is final
	part  Part
	text  []byte
}

// Add takes the next chunk. Chunks after the terminal one are ignored, and so are
// negative token counts. Of the arguments of calls, what no server would take back
// is replaced: half surrogate pairs and bytes that are not UTF-8.
func (a *Accumulator) Add(c Chunk) {
	if a.done {
		return
	}
	switch c.Kind {
	case ChunkText, ChunkThinking:
		s := a.slot(c.Index)
		s.kind = c.Kind
		s.text = append(s.text, c.Text...)
	case ChunkCall:
		s := a.slot(c.Index)
		s.kind = ChunkCall
		s.part.Call = c.Call
	case ChunkArgs:
		s := a.slot(c.Index)
		s.kind = ChunkCall
		s.text = append(s.text, c.Text...)
	case ChunkPart:
		if c.Part != nil {
			s := a.slot(c.Index)
			s.part, s.ended = *c.Part, true
		}
	case ChunkUsage:
		if c.Usage != nil {
			a.usage = c.Usage.sound()
		}
	case ChunkDone:
		if c.Usage != nil {
			a.usage = c.Usage.sound()
		}
		a.finish, a.meta, a.done = c.Finish, c.Meta, true
	}
}

// slot finds or makes the slot of a part, keeping slots in order of index.
func (a *Accumulator) slot(index int) *slot {
	at := len(a.slots)
	for at > 0 && a.slots[at-1].index > index {
		at--
	}
	if at > 0 && a.slots[at-1].index == index {
		return &a.slots[at-1]
	}
	a.slots = append(a.slots, slot{})
	copy(a.slots[at+1:], a.slots[at:])
	a.slots[at] = slot{index: index}
	return &a.slots[at]
}

// Reset begins another message. It keeps room for as many parts.
func (a *Accumulator) Reset() {
	clear(a.slots)
	*a = Accumulator{slots: a.slots[:0]}
}

// Deltas yields what has been streamed so far, as one delta for each part of the
// message: ChunkText, ChunkThinking, or ChunkCall with the arguments there are
// as its Text. Parts that came whole and without deltas are not among them.
func (a *Accumulator) Deltas() iter.Seq[Chunk] {
	return func(yield func(Chunk) bool) {
		for i := range a.slots {
			s := &a.slots[i]
			begun := len(s.text) > 0 || s.kind == ChunkCall
			if begun && !yield(Chunk{Kind: s.kind, Index: s.index, Text: string(s.text), Call: s.part.Call}) {
				return
			}
		}
	}
}

// Done reports whether the terminal chunk has been seen. A stream that ended
// before it is incomplete.
func (a *Accumulator) Done() bool { return a.done }

// Response returns what has been gathered. Before the terminal chunk that is a
// partial answer: finished parts and the text so far, but no tool calls and no
// thinking without its end, since neither can be used or echoed.
func (a *Accumulator) Response() *Response {
	r := &Response{}
	a.fill(r) // apart, so that the response need not be on the heap
	return r
}

func (a *Accumulator) fill(r *Response) {
	*r = Response{Message: Message{Role: RoleAssistant}, Finish: a.finish, Usage: a.usage, Meta: a.meta}
	if len(a.slots) > 0 {
		r.Message.Parts = make([]Part, 0, len(a.slots))
	}
	for i := range a.slots {
		if p, ok := a.slots[i].finished(a.done); ok {
			r.Message.Parts = append(r.Message.Parts, p)
		}
	}
	if a.done && r.Finish == "" {
		r.Finish = FinishStop
	}
}

// finished returns the slot's part, assembled from its deltas where the stream
// never sent the whole part.
func (s *slot) finished(whole bool) (Part, bool) {
	if s.ended {
		if s.part.Kind == PartCall && s.part.Call != nil {
			s.part.Call = soundCall(s.part.Call)
		}
		return s.part, whole || s.part.Kind != PartCall
	}
	switch {
	case s.kind == ChunkText && len(s.text) > 0:
		return Text(string(s.text)), true
	case s.kind == ChunkThinking && whole:
		return Part{Kind: PartThinking, Text: string(s.text)}, true
	case s.kind == ChunkCall && whole && s.part.Call != nil:
		call := *s.part.Call
		if len(s.text) > 0 {
			call.Args = soundArgs(s.text)
		}
		return Part{Kind: PartCall, Call: &call}, true
	}
	return Part{}, false
}

// soundCall is the call, or a copy with arguments that can be sent back.
func soundCall(c *ToolCall) *ToolCall {
	args := soundArgs(c.Args)
	if bytes.Equal(args, c.Args) {
		return c
	}
	sound := *c
	sound.Args = args
	return &sound
}
