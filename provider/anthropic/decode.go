package anthropic

import (
	"bytes"
	"encoding/json"

	"github.com/helios-go/helios/internal/sse"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
	"github.com/helios-go/helios/provider/internal/wire"
)

// A decoder turns the events of an answer into chunks. Blocks are kept by their
// index, since those of several may come mixed.
type decoder struct {
	model *Model
	names *adapt.Names
	yield func(llm.Chunk, error) bool
	left  bool // the reader has gone

	base   int // index of the segment's first part, after pauses
	blocks []*open
	parts  []llm.Part // of the segment, finished
	usage  llm.Usage  // of the segment
	spent  llm.Usage  // of the segments before it
	calls  int
	stop   string
	meta   meta
	delta  deltaEvent
	json   *wire.Decoder
}

func (m *Model) decoder(names *adapt.Names, yield func(llm.Chunk, error) bool) *decoder {
	return &decoder{model: m, names: names, yield: yield, json: m.conn.NewDecoder()}
}

// meta is what the terminal chunk says besides.
type meta struct {
	ID      string          `json:"id,omitempty"`
	Model   string          `json:"model,omitempty"`
	Stop    string          `json:"stop_reason,omitempty"`
	Seq     string          `json:"stop_sequence,omitempty"`
	Details json.RawMessage `json:"stop_details,omitempty"`
	Tier    string          `json:"service_tier,omitempty"`
}

// An open is a block that has begun.
type open struct {
	index     int
	at        int // of the part
	kind      string
	head      json.RawMessage // as it began
	id, name  string
	text      []byte // text, thought or arguments
	signature []byte
	citations []json.RawMessage
	ended     bool
}

type usageCounts struct {
	Input      *int64 `json:"input_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	Output     *int64 `json:"output_tokens"`
	Tier       string `json:"service_tier"`
}

type deltaEvent struct {
	Index int `json:"index"`
	Delta struct {
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Args      string          `json:"partial_json"`
		Signature string          `json:"signature"`
		Citation  json.RawMessage `json:"citation"`
	} `json:"delta"`
}

// event takes the next event. Done is true after the last one, and once the reader
// has left.
func (d *decoder) event(e sse.Event) (done bool, err error) {
	kind := e.Name
	if len(kind) == 0 || string(kind) == "message" { // from a server that leaves the event line out
		var typed struct {
			Type string `json:"type"`
		}
		if err := d.read(e, &typed); err != nil {
			return false, err
		}
		kind = []byte(typed.Type)
	}
	switch string(kind) {
	case "message_start":
		err = d.start(e)
	case "content_block_start":
		err = d.begin(e)
	case "content_block_delta":
		err = d.more(e)
	case "content_block_stop":
		var in struct {
			Index int `json:"index"`
		}
		if err = d.read(e, &in); err == nil {
			if b := d.block(in.Index); b != nil {
				d.end(b)
			}
		}
	case "message_delta":
		err = d.message(e)
	case "message_stop":
		d.finish()
		return true, nil
	case "error":
		p := wire.ParseProblem(e.Data)
		if e.Cut && !json.Valid(e.Data) {
			return false, d.model.conn.Cut()
		}
		return false, d.model.conn.Fail(0, &p)
	}
	return d.left, err
}

func (d *decoder) read(e sse.Event, v any) error { return d.json.Decode(e, v) }

func (d *decoder) emit(c llm.Chunk) {
	if !d.left && !d.yield(c, nil) {
		d.left = true
	}
}

func (d *decoder) start(e sse.Event) error {
	var in struct {
		Message struct {
			ID    string      `json:"id"`
			Model string      `json:"model"`
			Usage usageCounts `json:"usage"`
		} `json:"message"`
	}
	if err := d.read(e, &in); err != nil {
		return err
	}
	d.meta.ID, d.meta.Model = in.Message.ID, in.Message.Model
	d.count(&in.Message.Usage)
	return nil
}

// count takes counters, which are totals of the segment: the last ones count.
func (d *decoder) count(u *usageCounts) {
	for _, c := range [...]struct {
		from *int64
		to   *int64
	}{{u.Input, &d.usage.Input}, {u.CacheRead, &d.usage.CacheRead}, {u.CacheWrite, &d.usage.CacheWrite}, {u.Output, &d.usage.Output}} {
		if c.from != nil {
			*c.to = *c.from
		}
	}
	if u.Tier != "" {
		d.meta.Tier = u.Tier
	}
	total := d.spent.Add(d.usage)
	d.emit(llm.Chunk{Kind: llm.ChunkUsage, Usage: &total})
}

// block finds an open block.
func (d *decoder) block(index int) *open {
	for _, b := range d.blocks {
		if b.index == index && !b.ended {
			return b
		}
	}
	return nil
}

func (d *decoder) begin(e sse.Event) error {
	var in struct {
		Index int             `json:"index"`
		Block json.RawMessage `json:"content_block"`
	}
	if err := d.read(e, &in); err != nil {
		return err
	}
	var head struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		Input     json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(in.Block, &head); err != nil {
		return d.model.conn.Garbled(e.Cut, err)
	}
	b := &open{index: in.Index, at: d.base + in.Index, kind: head.Type, head: in.Block, id: head.ID, name: head.Name, signature: []byte(head.Signature)}
	d.blocks = append(d.blocks, b)
	switch b.kind {
	case "text":
		d.grow(b, llm.ChunkText, head.Text)
	case "thinking":
		d.grow(b, llm.ChunkThinking, head.Thinking)
	case "tool_use":
		d.calls++
		b.name = d.names.Back(head.Name)
		d.emit(llm.Chunk{Kind: llm.ChunkCall, Index: b.at, Call: &llm.ToolCall{ID: b.id, Name: b.name}})
	}
	if input := bytes.TrimSpace(head.Input); len(input) > 0 && string(input) != "{}" && string(input) != "null" && b.kind == "tool_use" {
		d.grow(b, llm.ChunkArgs, string(input))
	}
	return nil
}

// grow adds to a block and shows what was added.
func (d *decoder) grow(b *open, kind llm.ChunkKind, text string) {
	if text == "" {
		return
	}
	b.text = append(b.text, text...)
	if kind != 0 {
		d.emit(llm.Chunk{Kind: kind, Index: b.at, Text: text})
	}
}

func (d *decoder) more(e sse.Event) error {
	in := &d.delta
	*in = deltaEvent{}
	if err := d.read(e, in); err != nil {
		return err
	}
	b := d.block(in.Index)
	if b == nil {
		return nil
	}
	switch {
	case in.Delta.Text != "":
		d.grow(b, llm.ChunkText, in.Delta.Text)
	case in.Delta.Thinking != "":
		d.grow(b, llm.ChunkThinking, in.Delta.Thinking)
	case in.Delta.Args != "" && b.kind == "tool_use":
		d.grow(b, llm.ChunkArgs, in.Delta.Args)
	case in.Delta.Args != "":
		d.grow(b, 0, in.Delta.Args)
	case in.Delta.Signature != "":
		b.signature = append(b.signature, in.Delta.Signature...)
	case len(in.Delta.Citation) > 0:
		b.citations = append(b.citations, in.Delta.Citation)
	}
	return nil
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
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		p.Kind, p.Call = llm.PartCall, &llm.ToolCall{ID: b.id, Name: b.name, Args: args}
		besides = beside(b.head, "type", "id", "name", "input")
	default:
		p.Kind, p.Model = llm.PartOpaque, d.model.name
		p.Opaque = &llm.Opaque{Provider: "anthropic", Data: d.whole(b)}
		return p, true
	}
	if data := besides.json(); data != nil {
		p.Opaque, p.Model = &llm.Opaque{Provider: "anthropic", Data: data}, d.model.name
	}
	return p, true
}

// whole is a block of the API's own as it began, with the input that came for it.
func (d *decoder) whole(b *open) json.RawMessage {
	if len(b.text) == 0 || !json.Valid(b.text) {
		return b.head
	}
	o := beside(b.head, "input")
	o.add("input", json.RawMessage(b.text))
	return o.json()
}

func (d *decoder) message(e sse.Event) error {
	var in struct {
		Delta struct {
			Stop    string          `json:"stop_reason"`
			Seq     string          `json:"stop_sequence"`
			Details json.RawMessage `json:"stop_details"`
		} `json:"delta"`
		Usage usageCounts `json:"usage"`
	}
	if err := d.read(e, &in); err != nil {
		return err
	}
	if in.Delta.Stop != "" {
		d.stop, d.meta.Stop = in.Delta.Stop, in.Delta.Stop
	}
	d.meta.Seq = in.Delta.Seq
	if len(in.Delta.Details) > 0 && string(in.Delta.Details) != "null" {
		d.meta.Details = in.Delta.Details
	}
	d.count(&in.Usage)
	return nil
}

// finish ends the answer, or the segment of one that was paused.
func (d *decoder) finish() {
	for _, b := range d.blocks {
		if !b.ended {
			d.end(b)
		}
	}
	if d.stop == "pause_turn" {
		return
	}
	total := d.spent.Add(d.usage)
	data, err := wire.Marshal(&d.meta)
	if err != nil { // details that are JSON can be written
		data = nil
	}
	d.emit(llm.Chunk{Kind: llm.ChunkDone, Finish: d.reason(), Usage: &total, Meta: data})
}

func (d *decoder) reason() llm.FinishReason {
	switch d.stop {
	case "refusal":
		return llm.FinishRefusal
	case "max_tokens", "model_context_window_exceeded":
		return llm.FinishLength
	}
	if d.calls > 0 {
		return llm.FinishToolCalls
	}
	return llm.FinishStop
}

// segment is what a paused turn has so far, and makes ready for the next one.
func (d *decoder) segment() []llm.Part {
	parts := d.parts
	for _, b := range d.blocks {
		d.base = max(d.base, b.at+1)
	}
	d.spent = d.spent.Add(d.usage)
	d.usage, d.parts, d.blocks, d.stop = llm.Usage{}, nil, nil, ""
	return parts
}
