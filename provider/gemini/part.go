package gemini

import (
	"bytes"
	"encoding/json"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/wire"
)

// closeText ends the text under way, if there is one.
func (d *decoder) closeText(s *step) {
	if !s.texting {
		return
	}
	s.texting = false
	p := llm.Part{Kind: llm.PartText, Text: string(s.text)}
	var extras map[string]any
	if len(s.annotations) > 0 {
		extras = map[string]any{"annotations": s.annotations}
	}
	s.text, s.annotations = s.text[:0], nil
	if p.Text != "" || extras != nil {
		d.finish(s.part, p, extras)
	}
}

func (d *decoder) closeThought(s *step) {
	if len(s.text) == 0 && s.signature == "" {
		return
	}
	extras := others(s.raw, "type", "signature", "summary")
	if len(s.pictures) > 0 {
		if extras == nil {
			extras = map[string]any{}
		}
		extras["summary"] = s.pictures
	}
	d.finish(s.part, llm.Part{Kind: llm.PartThinking, Text: string(s.text), Signature: s.signature}, extras)
}

func (d *decoder) closeCall(s *step) {
	args := bytes.Clone(s.text)
	switch {
	case len(bytes.TrimSpace(args)) > 0:
	case len(s.args) > 0:
		args = s.args
		if quoted, ok := text(args); ok { // a server that sends them as a text
			args = []byte(quoted)
		}
	default:
		args = []byte("{}")
	}
	if a := d.args[s.wireName]; a != nil && json.Valid(args) {
		args = a.Back(args)
	}
	s.call.Args = args
	d.finish(s.part, llm.Part{Kind: llm.PartCall, Call: s.call, Signature: s.signature}, others(s.raw, "type", "id", "name", "arguments", "signature"))
}

// others are the fields of a step that a part has no place for.
func others(raw json.RawMessage, known ...string) map[string]any {
	var all map[string]any
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	for _, k := range known {
		delete(fields, k)
	}
	for k, v := range fields {
		if all == nil {
			all = map[string]any{}
		}
		all[k] = v
	}
	return all
}

// finish gives a part that is whole, with what else the server said of it.
func (d *decoder) finish(index int, p llm.Part, extras map[string]any) {
	if d.keep && !d.noted && d.id != "" {
		if extras == nil {
			extras = map[string]any{}
		}
		extras[refField] = reference{ID: d.id, History: d.history}
		d.noted = true
	}
	if len(extras) > 0 {
		if data, err := wire.Marshal(extras); err == nil {
			p.Opaque = &llm.Opaque{Provider: vendor, Data: bytes.ToValidUTF8(data, []byte("\uFFFD"))}
		}
	}
	if p.Signature != "" || p.Opaque != nil {
		p.Model = d.model
	}
	d.emit(llm.Chunk{Kind: llm.ChunkPart, Index: index, Part: &p})
}

// opaque gives a step that this package only hands back.
func (d *decoder) opaque(index int, raw json.RawMessage) {
	data := bytes.ToValidUTF8(bytes.Clone(raw), []byte("\uFFFD"))
	d.emit(llm.Chunk{Kind: llm.ChunkPart, Index: index, Part: &llm.Part{
		Kind: llm.PartOpaque, Opaque: &llm.Opaque{Provider: vendor, Data: data}, Model: d.model,
	}})
}
