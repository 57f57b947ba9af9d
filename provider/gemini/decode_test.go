package gemini

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helios-go/helios/internal/sse"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
)

func newDecoder() *decoder { return &decoder{model: "gemini/m", names: adapt.NewNames(nil, nil, 0)} }

// slow is what encoding/json reads of a usual delta.
func slow(data []byte) (d delta, ok bool) {
	var e struct {
		Type  string
		Index float64
		Delta map[string]any
	}
	var fields map[string]any
	if json.Unmarshal(data, &fields) != nil {
		return d, false
	}
	e.Type, _ = fields["event_type"].(string)
	e.Index, ok = fields["index"].(float64)
	e.Delta, _ = fields["delta"].(map[string]any)
	d.index = int(e.Index)
	kind, _ := e.Delta["type"].(string)
	d.kind = kindOf([]byte(kind))
	from := e.Delta["text"]
	switch d.kind {
	case argsDelta:
		from = e.Delta["arguments"]
	case thoughtDelta:
		content, _ := e.Delta["content"].(map[string]any)
		from = content["text"]
	}
	words, is := from.(string)
	d.text = words
	return d, ok && is && e.Type == "step.delta" && d.kind != 0
}

// agree compares what was read fast and slowly.
func agree(t *testing.T, data []byte) bool {
	t.Helper()
	var r deltaScanner
	fast, ok := r.scan(data)
	if !ok {
		return false
	}
	if want, valid := slow(data); !valid || fast.index != want.index || fast.kind != want.kind || fast.text != want.text {
		t.Errorf("%q: %+v, want %+v (valid %t)", data, fast, want, valid)
	}
	return true
}

// deltas are of the usual form, and nearly.
var deltas = []string{
	`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"hello"}}`,
	`{"event_id":"e1","delta":{"text":"a\"\\\/\b\f\n\r\t\u00e9\ud83e\udd80z","type":"text"},"index":12,"event_type":"step.delta"}`,
	` { "event_type" : "step.delta" , "index" : 3 , "delta" : { "type" : "thought_summary" , "content" : { "text" : "你好🦀" , "type" : "text" } } } `,
	`{"event_type":"step.delta","index":1,"delta":{"type":"arguments_delta","arguments":"{\"a\":"}}`,
	`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"\ud83e"}}`,
	`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"x","novel":{"a":[1]}},"metadata":{"total_usage":{}}}`,
	`{"event_type":"step.delta","index":1,"delta":{"type":"arguments_delta","arguments":{"a":1}}}`,
	`{"event_type":"step.delta","index":1,"delta":{"type":"thought_signature","signature":"x"}}`,
	`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"\u12"}}`,
	`{"event_type":"step.delta","index":01,"delta":{"type":"text","text":"x"}}`,
	`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"x"}}}`,
	`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"x","text":"y"}}`,
	`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"x\`,
	`{"event_type":"step.stop","index":0}`, `[DONE]`, `{}`, ``,
}

func TestUsualDeltasAreReadWithoutEncodingJSON(t *testing.T) {
	t.Parallel()
	for i, data := range deltas {
		if got, want := agree(t, []byte(data)), i < 6; got != want {
			t.Errorf("%s: %t, want %t", data, got, want)
		}
	}
}

// What is read fast is what encoding/json would have read.
func FuzzScanDelta(f *testing.F) {
	for _, d := range deltas {
		f.Add([]byte(d))
	}
	f.Fuzz(func(t *testing.T, data []byte) { agree(t, data) })
}

// No stream makes the decoder panic, and what it gives can be stored and sent back.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte("data: " + strings.Join(deltas, "\n\ndata: ") + "\n\n"))
	f.Add([]byte(`data: {"event_type":"step.start","index":0,"step":{"type":"google_search_call","arguments":{}}}

data: {"event_type":"step.delta","index":0,"delta":{"type":"google_search_call","arguments":{"q":[1]},"signature":"s"}}

data: {"event_type":"step.start","index":1,"step":{"type":"model_output","content":[{"type":"image","data":"AA==","mime_type":"image/png"},{"type":"x"}]}}

data: {"event_type":"interaction.completed","interaction":{"status":"completed","usage":{"total_input_tokens":-5}}}
`))
	f.Add([]byte(`data: {"id":"i","status":"completed","steps":[{"type":"thought","signature":"s","summary":[{"type":"image"}]},{"type":"function_call","name":"f","id":"c"}]}`))
	f.Fuzz(func(t *testing.T, stream []byte) {
		d, acc := newDecoder(), llm.Accumulator{}
		d.keep, d.history = true, "h"
		d.begin()
		events := sse.NewReader(strings.NewReader(string(stream)), 0)
		for !d.ended {
			e, err := events.Next()
			if err != nil {
				break
			}
			if err := d.event(e.Name, e.Data); err != nil {
				break
			}
			for _, c := range d.chunks {
				acc.Add(c)
			}
		}
		if d.finished() {
			acc.Add(llm.Chunk{Kind: llm.ChunkDone})
		}
		m := acc.Response().Message
		for _, p := range m.Parts {
			if p.Opaque != nil && !json.Valid(p.Opaque.Data) {
				t.Errorf("the block %q is no JSON", p.Opaque.Data)
			}
		}
		h := history{model: "gemini/m", names: adapt.NewNames(nil, []llm.Message{m}, 0), ids: adapt.NewIDs(adapt.AnyIDs, []llm.Message{m})}
		h.message(&m)
		if h.err != nil {
			t.Errorf("the answer cannot be sent back: %v", h.err)
		}
		for _, s := range h.steps {
			if !json.Valid(s) {
				t.Errorf("the step %q is no JSON", s)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	var s strings.Builder
	s.WriteString("data: {\"event_type\":\"step.start\",\"index\":0,\"step\":{\"type\":\"model_output\"}}\n\n")
	for i := range 10_000 {
		fmt.Fprintf(&s, "event: step.delta\ndata: {\"index\":0,\"delta\":{\"text\":\"some words of text, and more \\n\",\"type\":\"text\"},\"event_type\":\"step.delta\",\"event_id\":\"evt_%d\"}\n\n", i)
	}
	s.WriteString("data: {\"event_type\":\"interaction.completed\",\"interaction\":{\"status\":\"completed\"}}\n\n")
	b.SetBytes(int64(s.Len()))
	b.ReportAllocs()
	for b.Loop() {
		d := newDecoder()
		d.begin()
		events := sse.NewReader(strings.NewReader(s.String()), 0)
		for !d.ended {
			e, err := events.Next()
			if err != nil {
				b.Fatal(err)
			}
			if err := d.event(e.Name, e.Data); err != nil {
				b.Fatal(err)
			}
		}
	}
}
