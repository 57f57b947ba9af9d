package compat

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/scan"
	"github.com/helios-go/helios/provider/internal/wire"
)

// A decoder turns the events of one answer into chunks. It does no input of its
// own, so that any stream can be given to it.
type decoder struct {
	model    string              // stamped on parts that carry what is the provider's own
	provider string              // of the Opaque of parts
	real     func(string) string // the name that a tool had before it was mangled
	submit   string              // the tool whose arguments are the answer; "" without one

	s   scan.Scanner
	out []llm.Chunk // what the event under way makes

	parts   int // how many parts have begun
	open    llm.ChunkKind
	at      int    // the index of the open part: text or thinking
	thought []byte // the text of the open part, when that is thinking
	prose   []byte // text that is held back while a tool may give the answer
	details details
	held    *llm.Part // the thought that details are of, until all of them are there
	heldAt  int
	extra   json.RawMessage // extra_content of the message

	events int
	calls  []call
	room   []byte // for the arguments in a fragment

	usage   llm.Usage
	counted bool
	finish  []byte // the last finish_reason
	whole   bool   // an event with one was read to its end
	refused bool
	meta    meta
}

// errNoChunk is an event that is no JSON object.
var errNoChunk = errors.New("it is not a JSON object")

// done is what ends a stream that has one more event than it needs.
var done = []byte("[DONE]")

// event reads one event. What it makes is in d.out until the next one. A problem is
// what the server reports in place of an answer. Last is true for the event after
// which nothing comes.
func (d *decoder) event(data []byte) (last bool, problem *wire.Problem, err error) {
	d.out = d.out[:0]
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return false, nil, nil
	}
	if bytes.Equal(data, done) {
		return true, nil, nil
	}
	d.events++
	s := &d.s
	s.Reset(data)
	if !s.Enter('{') {
		return false, nil, errNoChunk
	}
	var groq json.RawMessage
	failed, chunk, said := false, false, false
	for s.More('}') {
		switch string(s.Key()) {
		case "choices":
			chunk = true
			d.choices()
		case "usage":
			d.count()
		case "x_groq":
			groq = d.groq()
		case "error":
			failed = says(s.Raw()) || failed
		case "message", "detail":
			said = true
			s.Skip()
		case "id":
			d.meta.set(&d.meta.ID, s)
		case "model":
			d.meta.set(&d.meta.Model, s)
		case "provider":
			d.meta.set(&d.meta.Provider, s)
		case "system_fingerprint":
			d.meta.set(&d.meta.Fingerprint, s)
		case "service_tier":
			d.meta.set(&d.meta.Tier, s)
		default:
			s.Skip()
		}
	}
	if !s.End() {
		return false, nil, errors.New("it is no JSON")
	}
	d.whole = len(d.finish) > 0
	switch {
	case groq != nil:
		data = append(append([]byte(`{"error":`), groq...), '}')
	case !failed && (chunk || !said):
		return false, nil, nil
	}
	p := wire.ParseProblem(data)
	return false, &p, nil
}

// says reports whether the error in an event is one: some servers send null, or
// nothing in quotes or braces, with every event.
func says(raw []byte) bool { return len(raw) > 2 && (raw[0] == '{' || raw[0] == '"') }

// choices reads the list of alternatives, of which only the first is asked for.
func (d *decoder) choices() {
	if !d.s.Enter('[') {
		d.s.Skip() // null
		return
	}
	for d.s.More(']') {
		if d.s.Peek() != '{' || d.other() {
			d.s.Skip()
			continue
		}
		d.choice()
	}
}

// other reports whether the next choice is not the first: its index stands before
// the rest as a rule, but need not.
func (d *decoder) other() bool {
	s := d.s.Ahead()
	s.Enter('{')
	for s.More('}') {
		if string(s.Key()) == "index" {
			n, _ := s.Int()
			return n > 0
		}
		s.Skip()
	}
	return false
}

func (d *decoder) choice() {
	s := &d.s
	s.Enter('{')
	for s.More('}') {
		switch string(s.Key()) {
		case "delta", "message": // message where the server does not stream
			d.delta()
		case "finish_reason":
			if reason := s.Str(); len(reason) > 0 {
				d.finish = append(d.finish[:0], reason...)
			}
		case "native_finish_reason":
			d.meta.set(&d.meta.Native, s)
		case "usage": // Moonshot
			d.count()
		default:
			s.Skip()
		}
	}
}

func (d *decoder) delta() {
	s := &d.s
	if !s.Enter('{') {
		s.Skip()
		return
	}
	thought := false // a server that has two names for it says it twice
	for s.More('}') {
		switch string(s.Key()) {
		case "content":
			d.content()
		case "reasoning", "reasoning_content", "reasoning_text":
			if thought || s.Peek() != '"' {
				s.Skip()
				continue
			}
			thought = d.say(llm.ChunkThinking, s.Str())
		case "refusal":
			if refusal := s.Str(); len(refusal) > 0 {
				d.refused = true
				d.say(llm.ChunkText, refusal)
			}
		case "reasoning_details":
			d.details.add(s)
		case "tool_calls":
			d.toolCalls()
		case "function_call": // before tool_calls there was one of these
			if s.Peek() == '{' {
				f := fragment{index: -1}
				f.function(s, &d.room)
				d.call(&f)
			} else {
				s.Skip()
			}
		case "extra_content":
			if s.Peek() == '{' {
				d.extra = bytes.Clone(s.Raw())
			} else {
				s.Skip()
			}
		default:
			s.Skip()
		}
	}
}

// content is a text, or the parts that Mistral makes of an answer with thoughts.
func (d *decoder) content() {
	s := &d.s
	if !s.Enter('[') {
		d.say(llm.ChunkText, s.Str())
		return
	}
	for s.More(']') {
		d.piece(llm.ChunkText)
	}
}

// piece is one part of a content: a text, or a list of texts that are thoughts.
func (d *decoder) piece(kind llm.ChunkKind) {
	s := &d.s
	if !s.Enter('{') {
		d.say(kind, s.Str())
		return
	}
	for s.More('}') {
		switch string(s.Key()) {
		case "text":
			d.say(kind, s.Str())
		case "thinking":
			if !s.Enter('[') {
				d.say(llm.ChunkThinking, s.Str())
				continue
			}
			for s.More(']') {
				d.piece(llm.ChunkThinking)
			}
		default:
			s.Skip()
		}
	}
}

// say goes on with the open part, or begins one of this kind. It is false for no
// text.
func (d *decoder) say(kind llm.ChunkKind, text []byte) bool {
	if len(text) == 0 || d.s.Bad() {
		return false
	}
	if d.open != kind {
		d.close()
		d.open, d.at = kind, -1
	}
	d.tell(text)
	return true
}

// tell is a delta of the open part.
func (d *decoder) tell(text []byte) {
	if len(text) == 0 {
		return
	}
	if d.open == llm.ChunkText && d.submit != "" {
		d.prose = append(d.prose, text...)
		return
	}
	if d.at < 0 {
		d.at = d.parts
		d.parts++
	}
	if d.open == llm.ChunkThinking {
		d.thought = append(d.thought, text...)
	}
	d.out = append(d.out, llm.Chunk{Kind: d.open, Index: d.at, Text: string(text)})
}

// close ends the open part. A thought is told once more as a whole, with whose it
// is: another provider's model must not be sent it.
func (d *decoder) close() {
	if d.open == llm.ChunkThinking && d.at >= 0 {
		p := &llm.Part{Kind: llm.PartThinking, Text: string(d.thought), Model: d.model}
		if d.held == nil && len(d.details.list) > 0 {
			d.held, d.heldAt = p, d.at
		} else {
			d.part(d.at, p)
		}
		d.thought = d.thought[:0]
	}
	d.open = 0
}

func (d *decoder) part(index int, p *llm.Part) {
	d.out = append(d.out, llm.Chunk{Kind: llm.ChunkPart, Index: index, Part: p})
}
