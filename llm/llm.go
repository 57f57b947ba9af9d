// Package llm says what a language model is to the rest of Helios: one method
// that turns a [Request] into a stream of [Chunk] values.
//
//	resp, err := llm.Generate(ctx, model, &llm.Request{
//		System:   []llm.Part{llm.Text("You answer in one sentence.")},
//		Messages: []llm.Message{llm.User("What is the solar wind?")},
//	})
//	if err != nil {
//		return err
//	}
//	fmt.Println(resp.Text())
//
// A message is an ordered list of parts, and what a provider must get back
// verbatim (signatures, opaque blocks) is kept verbatim. [Generate] drains the
// very stream that a caller could have read, so streaming and non-streaming
// cannot disagree. A stream counts as complete only at its own terminal chunk.
//
// [GenerateAs] gives the answer as a Go value: the schema comes from its type, and
// an answer that does not fit goes back to the model with all that is wrong with
// it. [Provenanced] wants each field's sources beside it. Errors tell what kind of
// failure they are ([ErrTransient], [ErrContextTooLong], [ErrRefused]), [Usage]
// counts each token in one class, and [Prices] turn it into [Micros] exactly.
//
// Messages can be printed and logged: texts are shortened, and bytes, signatures
// and URIs are not shown.
//
// All types here are plain values without locks: share them for reading, copy
// them before writing.
package llm

import (
	"context"
	"encoding/json"
	"iter"
)

// A Model turns a request into a stream of chunks. It is safe for concurrent
// use; the caller that made it closes it.
//
// One of one's own yields what comes as deltas, each part whole as a [ChunkPart],
// and a [ChunkDone] with the usage at the end; an [*Error] says whether a repeat may
// help. It neither retries nor counts money: that is the caller's.
type Model interface {
	// Name identifies the model, as in "anthropic/claude-sonnet-5".
	Name() string
	// Stream runs one request. The sequence is single use; breaking the loop
	// cancels the request; an error is terminal and is the last value yielded.
	// A whole answer ends with a chunk of kind [ChunkDone]. The end of ctx ends the
	// sequence soon after: an agent leaves a model behind that goes on.
	Stream(ctx context.Context, req *Request) iter.Seq2[Chunk, error]
}

// Size is what a model can take and give, in tokens. Zero means unknown.
type Size struct {
	Context   int64 // context window
	MaxOutput int64 // most tokens of one answer
}

// A Sizer is a [Model] that knows its [Size].
type Sizer interface{ Size() Size }

// A Pricer is a [Model] that knows what one answer costs. Known is false where it
// does not: that is not the same as free. A price can depend on how long the
// prompt was, so the usage is that of one request and not of several.
type Pricer interface {
	Cost(u Usage) (cost Micros, known bool)
}

// A Request is everything that one model call depends on.
type Request struct {
	System   []Part     // instructions, stable prefix first
	Messages []Message  // the conversation so far
	Tools    []ToolSpec // what the model may call
	Choice   ToolChoice // zero value: the model decides
	Output   *Schema    // nil: free text
	Options  Options
}

// ToolSpec describes a tool to a model.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input"` // JSON Schema of the arguments, an object
}
