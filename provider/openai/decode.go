package openai

import (
	"errors"
	"slices"
	"strconv"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
	"github.com/helios-go/helios/provider/internal/scan"
	"github.com/helios-go/helios/provider/internal/wire"
)

// A decoder makes chunks of the events of one stream. It does no input or output.
type decoder struct {
	model  string // Model.Name
	fail   func(status int, p *wire.Problem) *llm.Error
	names  *adapt.Names
	tools  map[string]*adapt.Adapted
	output *adapt.Adapted
	before string

	items    []*item
	response string // its id
	waiting  *waiting
	calls    int
	refused  bool

	out  []llm.Chunk // what the last event made
	done bool

	scanner, strings scan.Scanner // of events, and of texts in them
}

func (m *Model) decoder(c *call) *decoder {
	return &decoder{model: m.Name(), fail: m.conn.Fail, names: c.names, tools: c.tools, output: c.output, before: c.before}
}

// An item is one of an answer's output, in the making.
type item struct {
	index int
	id    string
	kind  string // "message", "reasoning", "function_call" ...
	ended bool

	streamed bool   // there were deltas
	summary  int    // of the last delta of reasoning
	callID   string // of a function call
	name     string
	args     []byte // as far as they came
	final    string // all of them
}

// An event is what is read of an event; values are as they are written.
type event struct {
	kind                                                     []byte
	itemID, item, response, delta, text, refusal, args, fail []byte
	index, content, summary                                  int
	object                                                   []byte
}

// errUnreadable is what an event that is no JSON object gives.
var errUnreadable = errors.New("it is not a JSON object")

// event takes the next event's data. The chunks that it makes are in d.out until
// the next one.
func (d *decoder) event(data []byte) error {
	clear(d.out)
	d.out = d.out[:0]
	if string(data) == "[DONE]" {
		return nil
	}
	s := &d.scanner
	s.Reset(data)
	if !s.Enter('{') {
		return errUnreadable
	}
	e := event{index: -1}
	for s.More('}') {
		switch string(s.Key()) {
		case "type":
			e.kind = inner(s.Raw())
		case "item_id":
			e.itemID = inner(s.Raw())
		case "output_index":
			e.index = number(s.Raw())
		case "content_index":
			e.content = max(0, number(s.Raw()))
		case "summary_index":
			e.summary = max(0, number(s.Raw()))
		case "delta":
			e.delta = s.Raw()
		case "text":
			e.text = s.Raw()
		case "refusal":
			e.refusal = s.Raw()
		case "arguments":
			e.args = s.Raw()
		case "item":
			e.item = s.Raw()
		case "response":
			e.response = s.Raw()
		case "error":
			e.fail = s.Raw()
		case "object":
			e.object = inner(s.Raw())
		default:
			s.Skip()
		}
	}
	if !s.End() {
		return errUnreadable
	}
	return d.dispatch(data, &e)
}

func (d *decoder) dispatch(data []byte, e *event) error {
	switch string(e.kind) {
	case "response.output_text.delta", "response.refusal.delta":
		d.text(e, e.delta)
	case "response.output_text.done":
		d.late(e, e.text)
	case "response.refusal.done":
		d.late(e, e.refusal)
	case "response.function_call_arguments.delta":
		d.arguments(e)
	case "response.function_call_arguments.done":
		d.find(e, "function_call").final = unquote(e.args)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta", "response.reasoning.delta":
		d.thinking(e)
	case "response.output_item.added":
		d.added(e)
	case "response.output_item.done":
		return d.ended(e.index, e.item)
	case "response.created", "response.in_progress":
		if id := head(e.response); id != "" {
			d.response = id
		}
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		return d.end(string(e.kind), e.response)
	case "error":
		return d.failed(data)
	case "":
		switch {
		case string(e.object) == "response": // a server that does not stream
			return d.end("", data)
		case len(e.fail) > 0 && string(e.fail) != "null":
			return d.failed(data)
		}
	}
	return nil
}

// find is the item of an event. A server that leaves out events gets one made.
func (d *decoder) find(e *event, kind string) *item {
	for _, it := range slices.Backward(d.items) {
		switch {
		case e.index >= 0:
			if it.index == e.index {
				return it
			}
		case len(e.itemID) > 0:
			if it.id == string(e.itemID) {
				return it
			}
		case it.kind == kind && !it.ended:
			return it
		}
	}
	index := e.index
	if index < 0 {
		index = d.next()
	}
	it := &item{index: index, id: string(e.itemID), kind: kind}
	d.items = append(d.items, it)
	return it
}

// next is the place of an item that has none.
func (d *decoder) next() int {
	next := 0
	for _, it := range d.items {
		next = max(next, it.index+1)
	}
	return next
}

// places is how many parts an item may have: places among the message's parts are
// given before it is known how many there are.
const places = 64

func (it *item) place(content int) int { return it.index*places + min(content, places-1) }

func (d *decoder) emit(c llm.Chunk) { d.out = append(d.out, c) }

// piece is more of an item's text.
func (d *decoder) piece(value []byte) string {
	d.strings.Reset(value)
	return d.strings.Text()
}

func (d *decoder) text(e *event, value []byte) {
	it := d.find(e, "message")
	it.streamed = true
	if text := d.piece(value); text != "" {
		d.emit(llm.Chunk{Kind: llm.ChunkText, Index: it.place(e.content), Text: text})
	}
	if string(e.kind) == "response.refusal.delta" {
		d.refused = true
	}
}

// late is a text that came without deltas.
func (d *decoder) late(e *event, value []byte) {
	it := d.find(e, "message")
	if string(e.kind) == "response.refusal.done" {
		d.refused = true
	}
	if it.streamed || it.ended {
		return
	}
	d.emit(llm.Chunk{Kind: llm.ChunkText, Index: it.place(e.content), Text: unquote(value)})
}

func (d *decoder) arguments(e *event) {
	it := d.find(e, "function_call")
	text := d.piece(e.delta)
	if text == "" {
		return
	}
	it.args = append(it.args, text...)
	d.emit(llm.Chunk{Kind: llm.ChunkArgs, Index: it.place(0), Text: text})
}

func (d *decoder) thinking(e *event) {
	it := d.find(e, "reasoning")
	text := d.piece(e.delta)
	if n := max(e.summary, e.content); n > it.summary {
		it.summary = n
		text = between + text
	}
	if text != "" {
		d.emit(llm.Chunk{Kind: llm.ChunkThinking, Index: it.place(0), Text: text})
	}
}

// added begins an item.
func (d *decoder) added(e *event) {
	f := members(e.item)
	if len(e.itemID) == 0 {
		e.itemID = inner(f["id"])
	}
	kind := f.text("type")
	it := d.find(e, kind)
	it.kind, it.callID, it.name = kind, f.text("call_id"), f.text("name")
	if kind == "function_call" {
		d.emit(llm.Chunk{Kind: llm.ChunkCall, Index: it.place(0), Call: &llm.ToolCall{ID: it.call(), Name: d.names.Back(it.name)}})
	}
}

// call is the id that pairs a call with its result.
func (it *item) call() string {
	switch {
	case it.callID != "":
		return it.callID
	case it.id != "":
		return it.id
	}
	return "call_" + strconv.Itoa(it.index)
}
