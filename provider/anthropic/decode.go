package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/helios-go/helios/internal/sse"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
	"github.com/helios-go/helios/provider/internal/scan"
	"github.com/helios-go/helios/provider/internal/wire"
)

// A decoder turns the events of an answer into chunks. Blocks are kept by their
// index, since those of several may come mixed.
type decoder struct {
	model *Model
	names *adapt.Names
	args  map[string]*adapt.Adapted // of tools whose arguments have other names in the API
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

	scan scan.Scanner
	now  fields
}

func (m *Model) decoder(names *adapt.Names, yield func(llm.Chunk, error) bool) *decoder {
	return &decoder{model: m, names: names, yield: yield}
}

// meta is what the terminal chunk says besides.
type meta struct {
	ID        string          `json:"id,omitempty"`
	Model     string          `json:"model,omitempty"`
	Stop      string          `json:"stop_reason,omitempty"`
	Seq       string          `json:"stop_sequence,omitempty"`
	Details   json.RawMessage `json:"stop_details,omitempty"`
	Container json.RawMessage `json:"container,omitempty"`
	Tier      string          `json:"service_tier,omitempty"`
	Thought   int64           `json:"thinking_tokens,omitempty"`
	Served    json.RawMessage `json:"server_tool_use,omitempty"` // how often each tool of the API's own ran
	Pauses    int             `json:"pauses,omitempty"`
}

// fields are the members of an event, as they are written.
type fields struct {
	kind                                []byte // its type, without quotes
	index                               int64
	message, block, delta, usage, error []byte
}

// event takes the next event. Done is true after the last one, and once the reader
// has left.
func (d *decoder) event(e sse.Event) (done bool, err error) {
	if string(e.Data) == "[DONE]" { // gateways end streams as another provider does
		return false, nil
	}
	if err := d.read(e); err != nil {
		if string(e.Name) == "error" && !e.Cut { // in whatever words
			return false, d.failed(e.Data)
		}
		return false, d.model.conn.Garbled(e.Cut, err)
	}
	kind := d.now.kind
	if len(kind) == 0 {
		kind = e.Name
	}
	switch string(kind) {
	case "message_start":
		err = d.start(d.now.message)
	case "content_block_start":
		err = d.begin(int(d.now.index), d.now.block)
	case "content_block_delta":
		err = d.more(int(d.now.index))
	case "content_block_stop":
		if b := d.block(d.now.index); b != nil {
			d.end(b)
		}
	case "message_delta":
		err = d.message(d.now.delta, d.now.usage)
	case "message": // from a server that does not stream
		if err = d.whole(e.Data); err == nil {
			d.finish()
			return true, nil
		}
	case "message_stop":
		if d.lost() {
			return false, d.model.conn.Cut()
		}
		d.finish()
		return true, nil
	case "error":
		return false, d.failed(e.Data)
	default:
		if d.now.error != nil {
			return false, d.failed(e.Data)
		}
	}
	if err != nil {
		return false, d.model.conn.Garbled(e.Cut, err)
	}
	return d.left, nil
}

func (d *decoder) failed(data []byte) error {
	p := wire.ParseProblem(data)
	return d.model.conn.Fail(0, &p)
}

var errNotJSON = errors.New("it is not a JSON object")

// read finds the members of an event.
func (d *decoder) read(e sse.Event) error {
	s := &d.scan
	s.Reset(e.Data)
	d.now = fields{}
	if s.Enter('{') {
		for s.More('}') {
			switch string(s.Key()) {
			case "type":
				d.now.kind = bytes.Trim(s.Raw(), `"`)
			case "index":
				d.now.index, _ = s.Int()
			case "message":
				d.now.message = s.Raw()
			case "content_block":
				d.now.block = s.Raw()
			case "delta":
				d.now.delta = s.Raw()
			case "usage":
				d.now.usage = s.Raw()
			case "error":
				d.now.error = s.Raw()
			default:
				s.Skip()
			}
		}
	} else {
		return errNotJSON
	}
	if !s.End() {
		return errNotJSON
	}
	return nil
}

func (d *decoder) emit(c llm.Chunk) {
	if !d.left && !d.yield(c, nil) {
		d.left = true
	}
}

// unmarshal reads a member, which may be missing.
func unmarshal(data []byte, v any) error {
	if len(data) == 0 {
		return nil
	}
	return json.Unmarshal(data, v)
}

func (d *decoder) start(data []byte) error {
	var in struct {
		ID        string          `json:"id"`
		Model     string          `json:"model"`
		Container json.RawMessage `json:"container"`
		Usage     usageCounts     `json:"usage"`
	}
	if err := unmarshal(data, &in); err != nil {
		return err
	}
	d.meta.ID, d.meta.Model = in.ID, in.Model
	given(&d.meta.Container, in.Container)
	d.count(&in.Usage)
	return nil
}

// more takes what is added to a block: the commonest event by far.
func (d *decoder) more(index int) error {
	b := d.block(int64(index))
	if b == nil {
		return fmt.Errorf("there is more of block %d, which is not open", index)
	}
	s := &d.scan
	s.Reset(d.now.delta)
	if !s.Enter('{') {
		return nil
	}
	for s.More('}') {
		switch string(s.Key()) {
		case "text":
			d.grow(b, "text", s.Text())
		case "thinking":
			d.grow(b, "thinking", s.Text())
		case "partial_json":
			d.grow(b, "input", s.Text())
		case "signature":
			b.signature = append(b.signature, s.Text()...)
		case "citation":
			b.citations = append(b.citations, bytes.Clone(s.Raw()))
		default:
			s.Skip()
		}
	}
	return nil
}

func (d *decoder) message(delta, usage []byte) error {
	var in struct {
		Stop      string          `json:"stop_reason"`
		Seq       string          `json:"stop_sequence"`
		Details   json.RawMessage `json:"stop_details"`
		Container json.RawMessage `json:"container"`
	}
	var counts usageCounts
	if err := errors.Join(unmarshal(delta, &in), unmarshal(usage, &counts)); err != nil {
		return err
	}
	if in.Stop != "" {
		d.stop, d.meta.Stop = in.Stop, in.Stop
	}
	d.meta.Seq = in.Seq
	given(&d.meta.Details, in.Details)
	given(&d.meta.Container, in.Container)
	d.count(&counts)
	return nil
}

// whole takes an answer that came as one message.
func (d *decoder) whole(data []byte) error {
	var in struct {
		Content []json.RawMessage `json:"content"`
	}
	if err := errors.Join(unmarshal(data, &in), d.start(data)); err != nil {
		return err
	}
	for i, block := range in.Content {
		if err := d.begin(i, block); err != nil {
			return err
		}
		d.end(d.blocks[i])
	}
	return d.message(data, nil)
}

// given keeps what is there and not null.
func given(to *json.RawMessage, data json.RawMessage) {
	if len(data) > 0 && string(data) != "null" {
		*to = data
	}
}

type usageCounts struct {
	Input      *int64          `json:"input_tokens"`
	CacheRead  *int64          `json:"cache_read_input_tokens"`
	CacheWrite *int64          `json:"cache_creation_input_tokens"`
	Output     *int64          `json:"output_tokens"`
	Tier       string          `json:"service_tier"`
	Served     json.RawMessage `json:"server_tool_use"`
	Details    struct {
		Thought int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
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
	d.meta.Thought = max(d.meta.Thought, u.Details.Thought)
	given(&d.meta.Served, u.Served)
	total := d.spent.Add(d.usage)
	d.emit(llm.Chunk{Kind: llm.ChunkUsage, Usage: &total})
}

// paused reports whether the API wants the turn back to go on with it. With calls
// in it that is for their results to do.
func (d *decoder) paused() bool { return d.stop == "pause_turn" && d.calls == 0 }

// lost reports whether the stream is without the event that says why the answer
// ended, or without the end of a call although the model went on behind it: a call
// that is made with half of its arguments may do something else.
func (d *decoder) lost() bool {
	for _, b := range d.blocks {
		if b.kind == "tool_use" && !b.ended && d.stop == "tool_use" && !json.Valid(b.text) {
			return true
		}
	}
	return d.stop == ""
}

// finish ends the answer, or the segment of one that was paused.
func (d *decoder) finish() {
	for _, b := range d.blocks {
		if !b.ended {
			d.end(b)
		}
	}
	if d.paused() {
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

// container is the id of the place where the API's own tools ran, "" without one.
func (d *decoder) container() string {
	var in struct {
		ID string `json:"id"`
	}
	if unmarshal(d.meta.Container, &in) != nil {
		return ""
	}
	return in.ID
}

// segment is what a paused turn has so far, and makes ready for the next one.
func (d *decoder) segment() []llm.Part {
	parts := d.parts
	if n := len(d.blocks); n > 0 {
		d.base = d.blocks[n-1].at + 1
	}
	d.spent = d.spent.Add(d.usage)
	d.usage, d.parts, d.blocks, d.stop = llm.Usage{}, nil, nil, ""
	d.meta.Pauses++
	return parts
}
