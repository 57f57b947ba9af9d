package agent_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// streaming is a model that sends chunks, one each pause, and then what they add
// up to, turn after turn. The last turn is repeated.
type streaming struct {
	turns [][]llm.Chunk
	pause time.Duration
	next  int
}

func (*streaming) Name() string { return "test/streaming" }

func (m *streaming) Stream(ctx context.Context, _ *llm.Request) iter.Seq2[llm.Chunk, error] {
	chunks := m.turns[min(m.next, len(m.turns)-1)]
	m.next++
	return func(yield func(llm.Chunk, error) bool) {
		for _, c := range chunks {
			if m.pause > 0 {
				select {
				case <-ctx.Done():
					yield(llm.Chunk{}, ctx.Err())
					return
				case <-time.After(m.pause):
				}
			}
			if !yield(c, nil) {
				return
			}
		}
		yield(llm.Chunk{Kind: llm.ChunkDone}, nil)
	}
}

// drawChunks makes the chunks of a message: parts of text and thinking, each in
// deltas and some then whole, and a call.
func drawChunks(t *rapid.T, call bool) []llm.Chunk {
	var chunks []llm.Chunk
	parts := rapid.IntRange(1, 4).Draw(t, "parts")
	for index := range parts {
		kind, part := llm.ChunkText, llm.PartText
		if rapid.Bool().Draw(t, "thinking") {
			kind, part = llm.ChunkThinking, llm.PartThinking
		}
		deltas := rapid.SliceOfN(rapid.StringN(1, 5, 20), 1, 6).Draw(t, "deltas")
		for _, d := range deltas {
			chunks = append(chunks, llm.Chunk{Kind: kind, Index: index, Text: d})
		}
		if rapid.Bool().Draw(t, "whole") {
			chunks = append(chunks, llm.Chunk{Kind: llm.ChunkPart, Index: index, Part: &llm.Part{Kind: part, Text: strings.Join(deltas, "")}})
		}
	}
	if call {
		chunks = append(chunks,
			llm.Chunk{Kind: llm.ChunkCall, Index: parts, Call: &llm.ToolCall{ID: "c", Name: "echo"}},
			llm.Chunk{Kind: llm.ChunkArgs, Index: parts, Text: `{"text":`},
			llm.Chunk{Kind: llm.ChunkArgs, Index: parts, Text: `"x"}`})
	}
	return chunks
}

// spoken is what deltas amount to, part by part, and what the message says.
type spoken map[string]string

func (s spoken) add(e agent.Event) {
	at := func(index int) string { return fmt.Sprintf("%s/%d/%d", e.Run, e.Turn, index) }
	switch d := e.Data.(type) {
	case *agent.TextDelta:
		s[at(d.Index)] += d.Text
	case *agent.ThinkingDelta:
		s[at(d.Index)] += d.Text
	case *agent.ToolArgsDelta:
		s[at(d.Index)] += d.Name + d.Args
	}
}

func (s spoken) check(t *rapid.T, e agent.Event, m *agent.ModelMessage) {
	for i, p := range m.Message.Parts {
		want := p.Text
		if p.Call != nil {
			want = p.Call.Name + string(p.Call.Args)
		}
		if got := s[fmt.Sprintf("%s/%d/%d", e.Run, e.Turn, i)]; got != want {
			t.Errorf("part %d of turn %d was shown as %q, and is %q", i, e.Turn, got, want)
		}
	}
}

func TestAReaderThatComesLateMissesNothingOfTheMessage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m := &streaming{turns: [][]llm.Chunk{drawChunks(rt, true), drawChunks(rt, false)}, pause: time.Millisecond}
		waits := rapid.SliceOfN(rapid.IntRange(0, 60_000), 1, 8).Draw(rt, "waits")
		synctest.Test(t, func(t *testing.T) {
			a := agent.Agent{Model: m, Tools: []tool.Tool{echo("echo", tool.ReadOnly)}}
			s, err := a.Open(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var group sync.WaitGroup
			for _, wait := range waits {
				group.Go(func() {
					time.Sleep(time.Duration(wait) * time.Microsecond)
					at := time.Now()
					heard, replayed := spoken{}, true
					for e, err := range s.Events(context.Background(), 0) {
						if err != nil {
							rt.Error(err)
						}
						heard.add(e)
						if replayed = replayed && !e.Time.After(at); e.Seq > 0 && replayed {
							continue // it was there before
						}
						if m, ok := e.Data.(*agent.ModelMessage); ok {
							heard.check(rt, e, m)
						}
					}
				})
			}
			if _, err := s.Run(t.Context(), "go"); err != nil {
				rt.Error(err)
			}
			time.Sleep(time.Minute)
			s.Close()
			group.Wait()
		})
	})
}

// tally is what a reader has got.
type tally struct{ logged, shown, dropped int }

// read reads all events there are, with pauses, until the session is closed.
func (b *bench) read(pause func(n int) time.Duration) (got tally) {
	for e, err := range b.Events(context.Background(), 0) {
		if err != nil {
			b.t.Error(err)
		}
		switch d := e.Data.(type) {
		case *agent.Dropped:
			got.dropped += d.N
		case *agent.TextDelta:
			got.shown++
		default:
			got.logged++
			wantEqual(b.t, "seq", int(e.Seq), got.logged)
		}
		time.Sleep(pause(got.logged + got.shown + got.dropped))
	}
	return got
}

func TestEveryReaderGetsTheWholeLogHoweverSlowItIs(t *testing.T) {
	t.Parallel()
	never := func(int) time.Duration { return 0 }
	fitful := func(n int) time.Duration {
		if n%600 == 1 {
			return 2*time.Second + time.Duration(rand.IntN(1000))*time.Millisecond
		}
		return 0
	}
	sleepy := func(n int) time.Duration { // it sleeps through most of it
		if n == 1 {
			return 5 * time.Second
		}
		return 0
	}
	for name, pauses := range map[string][]func(int) time.Duration{
		"fast": {never}, "slow": {fitful, sleepy}, "asleep": {sleepy}, "fast and slow": {never, fitful, sleepy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const deltas, runs = 700, 9
				words := make([]llm.Chunk, deltas)
				for i := range words {
					words[i] = llm.Chunk{Kind: llm.ChunkText, Text: "word "}
				}
				b := open(t, agent.Agent{Model: &streaming{turns: [][]llm.Chunk{words}, pause: time.Millisecond}}, nil)
				b.ask("first") // so that there is something to read
				got := make([]tally, len(pauses))
				var group sync.WaitGroup
				for i, pause := range pauses {
					group.Go(func() { got[i] = b.read(pause) })
				}
				time.Sleep(time.Millisecond / 2)
				for range runs {
					b.ask("more")
				}
				time.Sleep(time.Hour)
				b.Close()
				group.Wait()
				for i := range got {
					wantEqual(t, "events of the log", got[i].logged, len(b.log()))
					wantEqual(t, "deltas shown and dropped", got[i].shown+got[i].dropped, runs*deltas)
				}
				wantEqual(t, "the last one misses some", got[len(got)-1].dropped > 0, name != "fast")
			})
		})
	}
}

// What is sent after the call of Events is seen, however late the loop begins.
func TestEventsListensFromTheCallOn(t *testing.T) {
	t.Parallel()
	b := open(t, agent.Agent{Model: script(llmtest.Text("one two three"))}, nil)
	events := b.Events(t.Context(), 0)
	b.ask("go")
	for round, want := range []string{"one two three", ""} { // a second loop comes too late for deltas
		var shown strings.Builder
		for e, err := range events {
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := e.Data.(*agent.TextDelta); ok {
				shown.WriteString(d.Text)
			}
			if e.Kind() == agent.KindRunEnded {
				break
			}
		}
		if shown.String() != want {
			t.Errorf("round %d: %q, want %q", round, shown.String(), want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	never := b.Events(ctx, 0)
	cancel()
	for _, err := range never {
		if err == nil {
			continue // what the log holds may come first
		}
		wantEqual(t, "error", errors.Is(err, context.Canceled), true)
	}
}
