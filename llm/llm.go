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
type Model interface {
	// Name identifies the model, as in "anthropic/claude-sonnet-5".
	Name() string
	// Stream runs one request. The sequence is single use; breaking the loop
	// cancels the request; an error is terminal and is the last value yielded.
	// A whole answer ends with a chunk of kind [ChunkDone].
	Stream(ctx context.Context, req *Request) iter.Seq2[Chunk, error]
}

// Size is what a model can take and give, in tokens. Zero means unknown.
type Size struct {
	Context   int64 // context window
	MaxOutput int64 // most tokens of one answer
}

// A Sizer is a [Model] that knows its [Size].
type Sizer interface{ Size() Size }

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

// ToolChoice says whether and what the model must call.
type ToolChoice struct {
	Mode  ChoiceMode
	Names []string // with ChoiceNamed: one of these must be called
}

// ChoiceMode is the kind of a [ToolChoice].
type ChoiceMode uint8

// The modes of a [ToolChoice].
const (
	ChoiceAuto  ChoiceMode = iota // the model decides
	ChoiceNone                    // no calls
	ChoiceAny                     // at least one call
	ChoiceNamed                   // a call of one of Names
)

// Options tune a request; the zero value leaves everything to the provider.
type Options struct {
	MaxTokens   int64
	Temperature *float64
	Thinking    Thinking
	Stop        []string
	Provider    map[string]json.RawMessage // provider-specific settings, by provider name
}

// Thinking is how much a model should reason before it answers.
type Thinking uint8

// Levels of [Thinking]. Providers map or clamp them, never silently drop them.
const (
	ThinkingDefault Thinking = iota
	ThinkingNone
	ThinkingMinimal
	ThinkingLow
	ThinkingMedium
	ThinkingHigh
	ThinkingMax
)
