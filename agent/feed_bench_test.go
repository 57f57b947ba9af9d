package agent_test

import (
	"context"
	"encoding/json"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// prose is a model that calls a tool turn after turn, with a few words of text each
// time, which come in chunks. Each chunk is decoded from JSON, as that of a
// provider is, unless it is free.
type prose struct {
	turns, chunks int
	free          bool
	pause         time.Duration
}

func (*prose) Name() string { return "test/prose" }

const proseChunk = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word "}}`

func (m *prose) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		began := time.Now()
		for i := range m.chunks {
			c := llm.Chunk{Kind: llm.ChunkText, Text: "word "}
			if !m.free {
				var in struct {
					Index int `json:"index"`
					Delta struct {
						Text string `json:"text"`
					} `json:"delta"`
				}
				if err := json.Unmarshal([]byte(proseChunk), &in); err != nil {
					yield(llm.Chunk{}, err)
					return
				}
				c.Index, c.Text = in.Index, in.Delta.Text
			}
			if m.pause > 0 {
				// By the clock, as a model elsewhere does, which does not wait: a sleep
				// lasts up to a millisecond too long where a process has other things to do.
				time.Sleep(time.Until(began.Add(time.Duration(i+1) * m.pause)))
			}
			if ctx.Err() != nil || !yield(c, nil) {
				return
			}
		}
		if len(req.Messages) < 2*m.turns-1 {
			call := &llm.ToolCall{ID: "c", Name: "echo", Args: json.RawMessage(`{"text":"x"}`)}
			if !yield(llm.Chunk{Kind: llm.ChunkPart, Index: 1, Part: &llm.Part{Kind: llm.PartCall, Call: call}}, nil) {
				return
			}
		}
		yield(llm.Chunk{Kind: llm.ChunkDone}, nil)
	}
}

// talk runs a session once, with whatever watch starts beside it, and returns what
// took of the processor and of time.
func talk(b *testing.B, m llm.Model, watch func(*agent.Session) (stop func())) (cpu, wall time.Duration) {
	b.Helper()
	a := agent.Agent{Model: m, Tools: []tool.Tool{echo("echo", tool.ReadOnly)}}
	s, err := a.Open(context.Background(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if err := s.Custom(context.Background(), "begin", nil); err != nil {
		b.Fatal(err)
	}
	defer watch(s)()
	cpu, began := cpuTime(b), time.Now()
	if _, err := s.Run(context.Background(), "go"); err != nil {
		b.Fatal(err)
	}
	return cpuTime(b) - cpu, time.Since(began)
}

func nobody(*agent.Session) func() { return func() {} }

// sleeper attaches a reader that takes one event and no more.
func sleeper(s *agent.Session) func() {
	ctx, cancel := context.WithCancel(context.Background())
	attached, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for range s.Events(ctx, 0) {
			close(attached)
			<-ctx.Done()
			break
		}
	}()
	<-attached
	return func() { cancel(); <-done }
}

// What a reader that never reads costs the loop, in per cent of the processor time
// of the same run without it; the two in
// turn, the least of each.
func BenchmarkAReaderThatNeverReads(b *testing.B) {
	for name, m := range map[string]*prose{
		"chunks decoded/50 turns":  {turns: 50, chunks: 100},
		"chunks decoded/2 turns":   {turns: 2, chunks: 100},
		"chunks for free/50 turns": {turns: 50, chunks: 100, free: true},
	} {
		b.Run(name, func(b *testing.B) {
			without, with := time.Hour, time.Hour
			for b.Loop() {
				cpu, _ := talk(b, m, nobody)
				without = min(without, cpu)
				cpu, _ = talk(b, m, sleeper)
				with = min(with, cpu)
			}
			b.ReportMetric(100*(float64(with)/float64(without)-1), "%more-cpu")
		})
	}
}

// crowd keeps a hundred readers coming and going: each stays for 10 to 60
// milliseconds, and is back after as many.
func crowd(s *agent.Session) func() {
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			stay := time.Duration(10+i%50) * time.Millisecond
			for ctx.Err() == nil {
				visit, leave := context.WithTimeout(ctx, stay)
				for _, err := range s.Events(visit, agent.Seq(i%5)) {
					if err != nil {
						break
					}
				}
				leave()
				time.Sleep(stay)
			}
		})
	}
	return func() { cancel(); group.Wait() }
}

// How much longer a run takes beside a hundred readers that come and go, when its
// model sends a chunk every five milliseconds; the two in
// turn, the least of each.
func BenchmarkAHundredReadersThatComeAndGo(b *testing.B) {
	m := &prose{turns: 2, chunks: 50, pause: 5 * time.Millisecond}
	without, with := time.Hour, time.Hour
	for b.Loop() {
		_, wall := talk(b, m, nobody)
		without = min(without, wall)
		_, wall = talk(b, m, crowd)
		with = min(with, wall)
	}
	b.ReportMetric(100*(float64(with)/float64(without)-1), "%longer")
}
