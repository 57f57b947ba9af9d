package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/helios-go/helios/llm"
)

// An open is a block of an answer that has begun.
type open struct {
	index     int
	at        int // of the part
	kind      string
	head      json.RawMessage // as it began
	id, name  string
	grown     string // the field that text is of
	text      []byte // text, thought or input
	signature []byte
	citations []json.RawMessage
	ended     bool
}

// block finds an open block, which is one of the last as a rule.
func (d *decoder) block(index int64) *open {
	for _, b := range slices.Backward(d.blocks) {
		if int64(b.index) == index {
			if b.ended {
				return nil
			}
			return b
		}
	}
	return nil
}

// begin opens a block. Blocks begin in the order of their indexes.
func (d *decoder) begin(index int, data []byte) error {
	if n := len(d.blocks); index < 0 || n > 0 && index <= d.blocks[n-1].index {
		return fmt.Errorf("block %d begins where a later one has to", index)
	}
	var head struct {
		Type      string            `json:"type"`
		ID        string            `json:"id"`
		Name      string            `json:"name"`
		Text      string            `json:"text"`
		Thinking  string            `json:"thinking"`
		Signature string            `json:"signature"`
		Input     json.RawMessage   `json:"input"`
		Citations []json.RawMessage `json:"citations"`
	}
	if err := unmarshal(data, &head); err != nil {
		// A block of a new kind may have fields of these names and other types.
		if json.Unmarshal(data, &struct {
			Type *string `json:"type"`
		}{&head.Type}) != nil || head.Type == "text" || head.Type == "thinking" || head.Type == "tool_use" {
			return err
		}
	}
	b := &open{index: index, at: d.base + index, kind: head.Type, head: bytes.Clone(data), id: head.ID}
	d.blocks = append(d.blocks, b)
	switch b.kind {
	case "text":
		b.citations = head.Citations
		d.grow(b, "text", head.Text)
	case "thinking":
		b.signature = []byte(head.Signature)
		d.grow(b, "thinking", head.Thinking)
	case "tool_use":
		d.calls++
		b.name = d.names.Back(head.Name)
		d.emit(llm.Chunk{Kind: llm.ChunkCall, Index: b.at, Call: &llm.ToolCall{ID: b.id, Name: b.name}})
		if input := string(bytes.TrimSpace(head.Input)); input != "{}" && input != "null" {
			d.grow(b, "input", input)
		}
	}
	return nil
}

// grow adds to the field of a block and shows what was added.
func (d *decoder) grow(b *open, field, text string) {
	if text == "" {
		return
	}
	b.grown = field
	b.text = append(b.text, text...)
	switch b.kind {
	case "text":
		d.emit(llm.Chunk{Kind: llm.ChunkText, Index: b.at, Text: text})
	case "thinking":
		d.emit(llm.Chunk{Kind: llm.ChunkThinking, Index: b.at, Text: text})
	case "tool_use":
		d.emit(llm.Chunk{Kind: llm.ChunkArgs, Index: b.at, Text: text})
	}
}

// end makes the part of a block that is whole.
func (d *decoder) end(b *open) {
	b.ended = true
	part, ok := d.part(b)
	if !ok {
		return
	}
	d.parts = append(d.parts, part)
	d.emit(llm.Chunk{Kind: llm.ChunkPart, Index: b.at, Part: &part})
}

func (d *decoder) part(b *open) (llm.Part, bool) {
	p := llm.Part{}
	var besides *object
	switch b.kind {
	case "text":
		if len(b.text) == 0 {
			return p, false
		}
		p.Kind, p.Text = llm.PartText, string(b.text)
		besides = beside(b.head, "type", "text", "citations")
		if len(b.citations) > 0 {
			besides.add("citations", b.citations)
		}
	case "thinking":
		if len(b.text) == 0 && len(b.signature) == 0 {
			return p, false
		}
		p.Kind, p.Text, p.Signature = llm.PartThinking, string(b.text), string(b.signature)
		p.Model = d.model.name
		besides = beside(b.head, "type", "thinking", "signature")
	case "tool_use":
		args := json.RawMessage(b.text)
		if len(bytes.TrimSpace(args)) == 0 {
			args = json.RawMessage("{}")
		}
		if a := d.args[b.name]; a != nil {
			args = a.Back(args)
		}
		p.Kind, p.Call = llm.PartCall, &llm.ToolCall{ID: b.id, Name: b.name, Args: args}
		besides = beside(b.head, "type", "id", "name", "input")
	default:
		p.Kind, p.Model = llm.PartOpaque, d.model.name
		p.Opaque = &llm.Opaque{Provider: "anthropic", Data: b.raw()}
		return p, true
	}
	if data := besides.json(); data != nil {
		p.Opaque, p.Model = &llm.Opaque{Provider: "anthropic", Data: data}, d.model.name
	}
	return p, true
}

// raw is a block of the API's own: byte for byte as it began where nothing was
// added, else with what was.
func (b *open) raw() json.RawMessage {
	field, value := b.grown, any(string(b.text))
	if field == "input" {
		if value = json.RawMessage(b.text); !json.Valid(b.text) {
			field = "" // cut off: it stays as empty as it began
		}
	}
	if field == "" && len(b.signature) == 0 && len(b.citations) == 0 {
		return b.head
	}
	o := &object{}
	if field != "" {
		o.add(field, value)
	}
	if len(b.signature) > 0 {
		o.add("signature", string(b.signature))
	}
	if len(b.citations) > 0 {
		o.add("citations", b.citations)
	}
	return o.over(b.head)
}
