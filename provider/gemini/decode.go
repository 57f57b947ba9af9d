package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
)

// A decoder turns the events of one answer into chunks. It does no input or output;
// an answer that comes in several streams goes through one decoder.
type decoder struct {
	model   string // Model.Name, for the parts
	names   *adapt.Names
	args    map[string]*adapt.Adapted
	keep    bool   // the server keeps the conversation: note its id
	history string // fingerprint of what it was given

	scan   deltaScanner
	chunks []llm.Chunk // what the last event came to
	parts  int         // made so far, in all streams
	calls  int
	steps  []*step // open, in the order in which they began
	began  int     // steps of this stream
	spare  *step

	id      string // of the interaction
	noted   bool   // a part holds the id
	status  string
	token   string
	ended   bool // the interaction's last event has come
	torn    bool // and a call was not whole by then
	usage   llm.Usage
	earlier llm.Usage // of the streams before
	problem json.RawMessage
}

// begin makes ready for another stream of the same answer.
func (d *decoder) begin() {
	d.chunks, d.steps, d.began = d.chunks[:0], d.steps[:0], 0
	d.id, d.noted, d.status, d.token, d.ended = "", false, "", "", false
	d.torn = false
	d.earlier, d.usage = d.earlier.Add(d.usage), llm.Usage{}
}

// finished reports whether nothing comes any more. A status that ends an interaction
// counts where the server has said nothing after it.
func (d *decoder) finished() bool { return d.ended || terminal(d.status) }

// event takes the next event. The chunks that come of it are in d.chunks until the
// next one. The error is of what cannot be read.
func (d *decoder) event(kind, data []byte) error {
	d.chunks = d.chunks[:0]
	if t, ok := d.scan.scan(data); ok {
		d.status = ""
		d.more(&t)
		if !t.more {
			return nil
		}
		var e event
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		return d.besides(e.Index, e.Delta)
	}
	if string(bytes.TrimSpace(data)) == "[DONE]" {
		return nil
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		if _, odd := errors.AsType[*json.UnmarshalTypeError](err); odd && !ours(e.Type) {
			return nil // an event of tomorrow, with fields of other types
		}
		return err
	}
	if e.Type == "" {
		e.Type = string(kind)
	}
	switch e.Type {
	case "interaction.created":
		d.told(e.Interaction)
	case "interaction.status_update":
		d.told(&interaction{ID: e.ID, Status: e.Status, Token: e.Token, Usage: e.Usage})
	case "interaction.completed":
		return d.complete(e.Interaction)
	case "step.start":
		d.status = ""
		return d.start(e.Index, e.Step)
	case "step.delta":
		d.status = ""
		return d.delta(e.Index, e.Delta)
	case "step.stop":
		d.status = ""
		d.stop(e.Index)
		d.count(e.Usage)
	case "error":
		d.fail(data)
	default:
		if len(e.Error) > 0 {
			d.fail(data)
		} else if e.Type == "" && e.Status != "" { // a whole interaction
			var whole interaction
			if err := json.Unmarshal(data, &whole); err != nil {
				return err
			}
			return d.complete(&whole)
		}
	}
	return nil
}

// ours reports whether an event is one that this package reads.
func ours(kind string) bool {
	return kind == "" || kind == "error" || strings.HasPrefix(kind, "step.") || strings.HasPrefix(kind, "interaction.")
}

// cut reports whether a call is open of whose arguments some have not come: it must
// not be made without them. An answer that is too long may end so.
func (d *decoder) cut() bool {
	if d.status != statusAction && d.status != statusCompleted {
		return false
	}
	for _, s := range d.steps {
		if s.kind == callStepKind && !json.Valid(s.text) && (len(s.text) > 0 || len(s.args) <= len("{}")) {
			return true
		}
	}
	return d.torn
}

func (d *decoder) emit(c llm.Chunk) { d.chunks = append(d.chunks, c) }

// fail ends the answer with what the server says went wrong.
func (d *decoder) fail(data []byte) {
	d.problem, d.status, d.ended = bytes.Clone(data), statusFailed, true
}

// told notes what an event says of the interaction.
func (d *decoder) told(i *interaction) {
	if i == nil {
		return
	}
	if i.ID != "" {
		d.id = i.ID
	}
	if i.Status != "" {
		d.status = i.Status
	}
	if i.Token != "" {
		d.token = i.Token
	}
	d.count(i.Usage)
}

// count notes a running total.
func (d *decoder) count(u *usage) {
	if u == nil {
		return
	}
	d.usage = u.usage()
	total := d.earlier.Add(d.usage)
	d.emit(llm.Chunk{Kind: llm.ChunkUsage, Usage: &total})
}

// complete takes the end of an interaction, with its steps where none came before.
func (d *decoder) complete(i *interaction) error {
	d.token = "" // one that came before was for a connection that breaks
	d.told(i)
	d.ended = true
	if i == nil {
		d.status = statusCompleted
		return nil
	}
	if d.began == 0 {
		for n, s := range i.Steps {
			if err := d.start(n, s); err != nil {
				return err
			}
			d.stop(n)
		}
	}
	d.torn = d.cut()
	for len(d.steps) > 0 {
		d.stop(d.steps[0].index)
	}
	switch {
	case len(i.Error) > 0 && string(i.Error) != "null":
		d.problem = i.Error
	case len(i.Errors) > 0:
		d.problem = i.Errors[0]
	}
	return nil
}

// open finds the step of an index.
func (d *decoder) open(index int) *step {
	for _, s := range d.steps {
		if s.index == index {
			return s
		}
	}
	return nil
}

// start begins a step.
func (d *decoder) start(index int, raw json.RawMessage) error {
	if len(raw) == 0 {
		return fmt.Errorf("the start of step %d has no step", index)
	}
	d.stop(index) // one that was left open
	var w wireStep
	if err := json.Unmarshal(raw, &w); err != nil {
		// Fields of a step that this package does not know may be of any type.
		var other struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(raw, &other) != nil {
			return err
		}
		switch other.Type {
		case "model_output", "thought", "function_call":
			return err
		}
		w = wireStep{Type: other.Type}
	}
	s := d.step(index)
	switch w.Type {
	case "model_output":
		s.kind = outputStep
		for _, c := range w.Content {
			d.content(s, c)
		}
		if len(w.Error) > 0 && string(w.Error) != "null" {
			d.problem = w.Error
		}
	case "thought":
		s.kind, s.raw = thoughtStepKind, bytes.Clone(raw)
		s.part = d.part()
		s.signature = w.Signature
		for _, c := range w.Summary {
			d.summary(s, c)
		}
	case "function_call":
		s.kind, s.raw = callStepKind, bytes.Clone(raw)
		s.part = d.part()
		s.signature = w.Signature
		s.call = &llm.ToolCall{ID: w.ID, Name: d.names.Back(w.Name)}
		s.wireName = w.Name
		if args := bytes.TrimSpace(w.Arguments); len(args) > 0 && string(args) != "null" {
			s.args = bytes.Clone(args)
		}
		d.calls++
		d.emit(llm.Chunk{Kind: llm.ChunkCall, Index: s.part, Call: &llm.ToolCall{ID: w.ID, Name: s.call.Name}})
	default:
		s.kind, s.raw = rawStep, bytes.Clone(raw)
		s.part = d.part()
	}
	return nil
}

func (d *decoder) part() int {
	d.parts++
	return d.parts - 1
}

// step makes an open step.
func (d *decoder) step(index int) *step {
	s := d.spare
	d.spare = nil
	if s == nil {
		s = &step{}
	}
	*s = step{index: index, text: s.text[:0]}
	d.steps = append(d.steps, s)
	d.began++
	return s
}

// stop ends a step, if it is open.
func (d *decoder) stop(index int) {
	s := d.open(index)
	if s == nil {
		return
	}
	for i := range d.steps {
		if d.steps[i] == s {
			d.steps = append(d.steps[:i], d.steps[i+1:]...)
			break
		}
	}
	switch s.kind {
	case outputStep:
		d.closeText(s)
	case thoughtStepKind:
		d.closeThought(s)
	case callStepKind:
		d.closeCall(s)
	case rawStep:
		d.opaque(s.part, s.raw)
	}
	d.spare = s
}
