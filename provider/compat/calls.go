package compat

import (
	"bytes"
	"crypto/rand"
	"encoding/json"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/scan"
)

// A call is a tool call in the making.
type call struct {
	part  int // its index in the message; -1 before it could be told
	index int64
	event int // the event that it began in
	id    string
	name  string // as the model said it
	told  int    // bytes of args that were told
	args  []byte
	extra json.RawMessage
}

// A fragment is what one event says of a call. Index is -1 where the server gives
// none. The slices are valid as long as the event.
type fragment struct {
	index    int64
	id, name string
	args     []byte
	extra    []byte
}

// toolCalls reads the list of fragments.
func (d *decoder) toolCalls() {
	s := &d.s
	if !s.Enter('[') {
		s.Skip() // null
		return
	}
	for s.More(']') {
		if !s.Enter('{') {
			s.Skip()
			continue
		}
		f := fragment{index: -1}
		for s.More('}') {
			switch string(s.Key()) {
			case "index":
				if n, ok := s.Int(); ok {
					f.index = n
				}
			case "id":
				f.id = s.Text()
			case "function":
				f.function(s, &d.room)
			case "extra_content":
				if f.extra = s.Raw(); len(f.extra) > 0 && f.extra[0] != '{' {
					f.extra = nil
				}
			default:
				s.Skip()
			}
		}
		if s.Bad() {
			return
		}
		d.call(&f)
	}
}

// function reads the name and the arguments, which are a string with JSON, or
// the JSON itself in some versions of Ollama. Room is for them.
func (f *fragment) function(s *scan.Scanner, room *[]byte) {
	if !s.Enter('{') {
		s.Skip()
		return
	}
	for s.More('}') {
		switch string(s.Key()) {
		case "name":
			f.name = s.Text()
		case "arguments":
			switch s.Peek() {
			case '"':
				*room = append((*room)[:0], s.Str()...) // the scanner has but one place for strings
				f.args = *room
			case '{', '[':
				f.args = s.Raw()
			default:
				s.Skip()
			}
		default:
			s.Skip()
		}
	}
}

// call takes a fragment to the call that it belongs to.
func (d *decoder) call(f *fragment) {
	c := d.find(f)
	if c == nil {
		d.close()
		d.calls = append(d.calls, call{part: -1, index: f.index, event: d.events})
		c = &d.calls[len(d.calls)-1]
	}
	if c.id == "" && f.id != "" && !d.taken(f.id) {
		c.id = f.id
	}
	if c.name == "" {
		c.name = f.name
	}
	if len(f.extra) > 0 {
		c.extra = bytes.Clone(f.extra)
	}
	if f.name == "" || !bytes.Equal(c.args, f.args) { // some say all of a call once more at its end
		c.args = append(c.args, f.args...)
	}
	d.tellCall(c)
}

// find is the call that a fragment goes on with, nil for one that begins a call.
// What servers send in place of the index and the id that they should decides here:
// see the package comment.
func (d *decoder) find(f *fragment) *call {
	if len(d.calls) == 0 {
		return nil
	}
	if f.index < 0 {
		if c := d.byID(f.id); c != nil || f.id != "" && f.name != "" {
			return c
		}
		last := &d.calls[len(d.calls)-1]
		if f.name != "" && !d.goesOn(last, f) {
			return nil
		}
		return last
	}
	for i := len(d.calls) - 1; i >= 0; i-- {
		c := &d.calls[i]
		if c.index != f.index {
			continue
		}
		switch {
		case f.name == "": // a call that begins says what it calls
			return c
		case f.id != "" && c.id != "" && f.id != c.id:
			return nil
		case f.id != "" && f.id == c.id, d.goesOn(c, f):
			return c
		}
		return nil
	}
	return nil
}

// goesOn reports whether a fragment with a name is more of a call, from a server
// that repeats the name, rather than a call of its own.
func (d *decoder) goesOn(c *call, f *fragment) bool {
	switch {
	case c.name == "":
		return true
	case c.name != f.name, c.event == d.events:
		return false
	}
	return !json.Valid(c.args) // of no arguments too
}

func (d *decoder) byID(id string) *call {
	for i := range d.calls {
		if id != "" && d.calls[i].id == id {
			return &d.calls[i]
		}
	}
	return nil
}

func (d *decoder) taken(id string) bool { return d.byID(id) != nil }

// tellCall makes the chunks of what is new about a call, once it has its name.
func (d *decoder) tellCall(c *call) {
	if c.name == "" || d.submit != "" && c.name == d.submit {
		return
	}
	if c.part < 0 {
		if c.id == "" {
			c.id = newID()
		}
		c.part = d.parts
		d.parts++
		d.out = append(d.out, llm.Chunk{Kind: llm.ChunkCall, Index: c.part, Call: &llm.ToolCall{ID: c.id, Name: d.real(c.name)}})
	}
	if c.told < len(c.args) {
		d.out = append(d.out, llm.Chunk{Kind: llm.ChunkArgs, Index: c.part, Text: string(c.args[c.told:])})
		c.told = len(c.args)
	}
}

// newID is the id of a call that the server gave none. It is random: some servers
// count their answers from 1 after each start, so that nothing of an answer makes
// an id that no earlier one of the conversation has.
func newID() string { return "call_" + rand.Text()[:20] }

// whole is the finished call.
func (c *call) whole(d *decoder) *llm.Part {
	args := json.RawMessage(bytes.TrimSpace(c.args))
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	p := &llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: c.id, Name: d.real(c.name), Args: args}}
	if len(c.extra) > 0 {
		p.Model, p.Opaque = d.model, d.opaque("extra_content", c.extra)
	}
	return p
}

// opaque is what only the provider can read of a part.
func (d *decoder) opaque(member string, data json.RawMessage) *llm.Opaque {
	text := make([]byte, 0, len(member)+len(data)+5)
	text = append(append(append(text, `{"`...), member...), `":`...)
	return &llm.Opaque{Provider: d.provider, Data: append(append(text, data...), '}')}
}
