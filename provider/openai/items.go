package openai

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"github.com/helios-go/helios/llm"
)

// A waiting part is reasoning of which it is not known yet what follows it.
type waiting struct {
	place     int
	text, sig string
	fields    fields
	notes     notes
}

// ended takes a finished item: what it says is what counts.
func (d *decoder) ended(index int, raw []byte) error {
	f := members(raw)
	if f == nil {
		return errUnreadable
	}
	id, kind := f.text("id"), f.text("type")
	it := d.find(&event{index: index, itemID: []byte(id)}, kind)
	if it.ended {
		return nil
	}
	it.ended, it.id, it.kind = true, id, kind
	d.followed(id)
	switch kind {
	case "message":
		d.message(it, f)
	case "reasoning":
		d.reasoning(it, f)
	case "function_call":
		d.call(it, f)
	default:
		d.part(it.place(0), llm.Part{Kind: llm.PartOpaque, Opaque: &llm.Opaque{Provider: providerName, Data: bytes.Clone(raw)}})
	}
	return nil
}

// part emits a finished part.
func (d *decoder) part(place int, p llm.Part) {
	if p.Opaque != nil || p.Signature != "" {
		p.Model = d.model
	}
	d.emit(llm.Chunk{Kind: llm.ChunkPart, Index: place, Part: &p})
}

// notes are what is to be remembered of each part.
func (d *decoder) notes() notes {
	if d.before == "" || d.response == "" {
		return notes{}
	}
	return notes{Response: d.response, Before: d.before}
}

// message emits the texts of a message.
func (d *decoder) message(it *item, f fields) {
	contents := f["content"]
	f.without("type", "role", "content")
	i := -1
	for content := range elements(contents) {
		i++
		c := members(content)
		kind := c.text("type")
		text := c.text("text")
		if kind == "refusal" {
			d.refused = true
			text = c.text("refusal")
		}
		if text == "" {
			continue
		}
		if d.output != nil && kind != "refusal" {
			text = string(d.output.Back([]byte(text)))
		}
		more := maps.Clone(f)
		if c.without("text", "refusal"); kind == "output_text" || kind == "text" {
			delete(c, "type")
		}
		if len(c) > 0 {
			more["content"] = c.object()
		}
		n := d.notes()
		d.part(it.place(i), llm.Part{Kind: llm.PartText, Text: text, Opaque: opaque(more, &n)})
	}
}

// call emits a call. What its item says counts, else what came before it.
func (d *decoder) call(it *item, f fields) {
	if id := f.text("call_id"); id != "" {
		it.callID = id
	}
	if name := f.text("name"); name != "" {
		it.name = name
	}
	if args := f.text("arguments"); args != "" {
		it.final = args
	} else if raw := f["arguments"]; len(raw) > 0 && raw[0] == '{' {
		it.final = string(raw)
	}
	n := d.notes()
	d.called(it, opaque(f.without("type", "call_id", "name", "arguments"), &n))
}

func (d *decoder) called(it *item, o *llm.Opaque) {
	d.calls++
	name := d.names.Back(it.name)
	args := json.RawMessage(it.final)
	if len(args) == 0 {
		args = it.args
	}
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if a := d.tools[name]; a != nil {
		args = a.Back(args)
	}
	d.part(it.place(0), llm.Part{Kind: llm.PartCall, Opaque: o, Call: &llm.ToolCall{ID: it.call(), Name: name, Args: args}})
}

// reasoning keeps what was reasoned until it is known what follows.
func (d *decoder) reasoning(it *item, f fields) {
	w := &waiting{place: it.place(0), sig: f.text("encrypted_content"), notes: d.notes()}
	summary, lengths := joined(f["summary"])
	thought, whole := joined(f["content"])
	switch {
	case summary != "":
		w.text, w.notes.Summary = summary, lengths
		if len(lengths) == 1 {
			w.notes.Summary = nil
		}
	case thought != "":
		w.text, w.notes.Content = thought, whole
		delete(f, "content")
	}
	w.fields = f.without("type", "summary", "encrypted_content")
	for name, value := range w.fields { // which are the event's
		w.fields[name] = bytes.Clone(value)
	}
	d.waiting = w
}

// joined are the texts of a list of pieces as one, and their lengths.
func joined(list []byte) (text string, lengths []int) {
	var b strings.Builder
	for piece := range elements(list) {
		if lengths != nil {
			b.WriteString(between)
		}
		t := members(piece).text("text")
		b.WriteString(t)
		lengths = append(lengths, len(t))
	}
	return b.String(), lengths
}

// followed emits the reasoning that waits, if any, now that an item has followed it.
func (d *decoder) followed(id string) {
	w := d.waiting
	if w == nil {
		return
	}
	d.waiting = nil
	w.notes.Next = id
	d.part(w.place, llm.Part{Kind: llm.PartThinking, Text: w.text, Signature: w.sig, Opaque: opaque(w.fields, &w.notes)})
}
