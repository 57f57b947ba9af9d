package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/helios-go/helios/internal/sse"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
)

// decoded reads a stream without a server.
func decoded(m *Model, stream io.Reader) (*llm.Response, error) {
	var acc llm.Accumulator
	d := m.decoder(adapt.NewNames(nil, nil, 0), func(c llm.Chunk, _ error) bool { acc.Add(c); return true })
	r := sse.NewReader(stream, 0)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return acc.Response(), m.conn.Cut()
		}
		if err != nil {
			return acc.Response(), err
		}
		if done, err := d.event(e); done || err != nil {
			return acc.Response(), err
		}
	}
}

const short = `event: message_start
data: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"some words of the answer "}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}

event: message_stop
data: {"type":"message_stop"}

`

// However a stream is made, it ends in an error or in a whole answer, and what comes
// of it can be stored and sent back.
func FuzzStream(f *testing.F) {
	f.Add([]byte(short))
	f.Add([]byte(`data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"a"}}

data: {"type":"content_block_delta","index":0,"delta":{"signature":"S"}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{"a":1},"caller":{"type":"direct"}}}

data: {"type":"content_block_delta","index":1,"delta":{"partial_json":"{\"a\":"}}

data: {"type":"content_block_start","index":2,"content_block":{"type":"web_search_tool_result","tool_use_id":"x","content":[]}}

data: {"type":"message_stop"}
`))
	f.Add([]byte("event: error\ndata: {\"error\":{\"type\":\"overloaded_error\"}}\n\n"))
	m := New("claude-opus-5", &Options{Key: "k"})
	f.Fuzz(func(t *testing.T, stream []byte) {
		resp, err := decoded(m, bytes.NewReader(stream))
		if err != nil {
			var e *llm.Error
			if !errors.As(err, &e) || len(resp.Message.Calls()) > 0 {
				t.Errorf("%v, %v", resp, err)
			}
			return
		}
		data, err := json.Marshal(resp.Message)
		if err != nil {
			t.Fatalf("the answer cannot be stored: %v", err)
		}
		var back llm.Message
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatalf("the answer cannot be read again: %v\n%s", err, data)
		}
		e, err := m.encoder(&llm.Request{Messages: []llm.Message{llm.User("hi"), back, llm.User("on")}})
		if err != nil {
			t.Fatal(err)
		}
		if body, err := e.body(); err != nil || !json.Valid(body) {
			t.Errorf("the answer cannot be sent back: %v\n%s", err, data)
		}
	})
}

func TestAnEventCostsFewAllocations(t *testing.T) { //nolint:paralleltest // it counts what everybody allocates
	head, tail, _ := strings.Cut(short, "event: content_block_stop")
	_, delta, _ := strings.Cut(head, "event: content_block_delta")
	m := New("claude-opus-5", &Options{Key: "k"})
	count := func(n int) float64 {
		stream := head + strings.Repeat("event: content_block_delta"+delta, n) + "event: content_block_stop" + tail
		return testing.AllocsPerRun(5, func() {
			if _, err := decoded(m, strings.NewReader(stream)); err != nil {
				t.Fatal(err)
			}
		})
	}
	const events = 2000
	got := (count(2*events) - count(events)) / events
	if t.Logf("%.2f allocations an event", got); got > 1.5 {
		t.Errorf("an event takes %.2f allocations, want at most 1.5", got)
	}
}

func BenchmarkStream(b *testing.B) {
	head, tail, _ := strings.Cut(short, "event: content_block_stop")
	_, delta, _ := strings.Cut(head, "event: content_block_delta")
	stream := head + strings.Repeat("event: content_block_delta"+delta, 10<<20/len("event: content_block_delta"+delta)) + "event: content_block_stop" + tail
	m := New("claude-opus-5", &Options{Key: "k"})
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decoded(m, strings.NewReader(stream)); err != nil {
			b.Fatal(err)
		}
	}
}
