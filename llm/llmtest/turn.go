package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
)

// A Turn is one answer of a scripted model. Make it with [Text], [Call],
// [Parts] or [Fail] and refine it with the methods, which return a changed copy.
type Turn struct {
	parts  []llm.Part
	usage  llm.Usage
	finish llm.FinishReason
	err    error
	cut    bool
	delay  time.Duration
	gap    time.Duration
	hang   bool
	chunks []llm.Chunk // with raw, in place of parts
	raw    bool
}

// Text is an answer of one text.
func Text(s string) Turn { return Parts(llm.Text(s)) }

// Call is a single tool call with arguments as the model would send them, which
// need not be valid JSON.
func Call(name, args string) Turn { return Turn{}.And(name, args) }

// Parts is an answer of any parts.
func Parts(parts ...llm.Part) Turn { return Turn{parts: parts} }

// Chunks is a stream of exactly these chunks. Without a terminal one it ends as a
// cut stream does; [Turn.Failing] ends it with an error.
func Chunks(chunks ...llm.Chunk) Turn { return Turn{chunks: slices.Clone(chunks), raw: true} }

// Fail is a stream that ends with err. After parts (see [Turn.Failing]) it
// breaks in the middle.
func Fail(err error) Turn { return Turn{err: err} }

// And adds a tool call. Its id is call_1, call_2, ... by position among the
// turn's calls.
func (t Turn) And(name, args string) Turn {
	n := 1
	for _, p := range t.parts {
		if p.Kind == llm.PartCall {
			n++
		}
	}
	call := &llm.ToolCall{ID: fmt.Sprintf("call_%d", n), Name: name, Args: json.RawMessage(args)}
	t.parts = append(slices.Clip(t.parts), llm.Part{Kind: llm.PartCall, Call: call})
	return t
}

// Using sets the usage that the turn reports.
func (t Turn) Using(u llm.Usage) Turn { t.usage = u; return t }

// Ending sets the finish reason; without it that is tool_calls with calls and
// stop without.
func (t Turn) Ending(f llm.FinishReason) Turn { t.finish = f; return t }

// After waits before the first chunk.
func (t Turn) After(d time.Duration) Turn { t.delay = d; return t }

// Every waits before each chunk but the first.
func (t Turn) Every(d time.Duration) Turn { t.gap = d; return t }

// Failing breaks the stream with err after the deltas of the last part, before
// that part is whole.
func (t Turn) Failing(err error) Turn { t.err = err; return t }

// Cut ends the stream cleanly after the deltas of the last part: no error and no
// terminal chunk, as a broken proxy does.
func (t Turn) Cut() Turn { t.cut = true; return t }

// Hanging waits after the deltas of the last part until the request is
// cancelled.
func (t Turn) Hanging() Turn { t.hang = true; return t }

// play yields the turn's chunks. Texts come as one delta a word.
func (t Turn) play(ctx context.Context, yield func(llm.Chunk, error) bool) {
	if err := sleep(ctx, t.delay); err != nil {
		yield(llm.Chunk{}, err)
		return
	}
	first, stopped := true, false
	send := func(c llm.Chunk) bool {
		if !first && !stopped {
			if err := sleep(ctx, t.gap); err != nil {
				yield(llm.Chunk{}, err)
				stopped = true
			}
		}
		first = false
		stopped = stopped || !yield(c, nil)
		return !stopped
	}
	for i := range t.chunks {
		if !send(t.chunks[i]) {
			return
		}
	}
	broken := t.err != nil || t.cut || t.hang
	finish := llm.FinishStop
	for i := range t.parts {
		p := &t.parts[i]
		if p.Kind == llm.PartCall {
			finish = llm.FinishToolCalls
		}
		if p.Kind == llm.PartText && p.Text == "" {
			continue
		}
		if !deltas(i, p, send) || broken && i == len(t.parts)-1 {
			break
		}
		if !send(llm.Chunk{Kind: llm.ChunkPart, Index: i, Part: p}) {
			break
		}
	}
	if t.finish != "" {
		finish = t.finish
	}
	switch {
	case stopped || t.cut:
	case t.raw && t.err == nil && !t.hang:
	case t.err != nil:
		yield(llm.Chunk{}, t.err)
	case t.hang:
		<-ctx.Done()
		yield(llm.Chunk{}, context.Cause(ctx))
	default:
		usage := t.usage
		send(llm.Chunk{Kind: llm.ChunkDone, Finish: finish, Usage: &usage})
	}
}

func deltas(i int, p *llm.Part, send func(llm.Chunk) bool) bool {
	switch p.Kind {
	case llm.PartText, llm.PartThinking:
		kind := llm.ChunkText
		if p.Kind == llm.PartThinking {
			kind = llm.ChunkThinking
		}
		for word := range strings.SplitAfterSeq(p.Text, " ") {
			if word != "" && !send(llm.Chunk{Kind: kind, Index: i, Text: word}) {
				return false
			}
		}
	case llm.PartCall:
		return send(llm.Chunk{Kind: llm.ChunkCall, Index: i, Call: &llm.ToolCall{ID: p.Call.ID, Name: p.Call.Name}}) &&
			send(llm.Chunk{Kind: llm.ChunkArgs, Index: i, Text: string(p.Call.Args)})
	}
	return true
}

func sleep(ctx context.Context, d time.Duration) error {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
	}
	return context.Cause(ctx)
}
