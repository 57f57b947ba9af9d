package llm

import "encoding/json"

// ChunkKind says what a [Chunk] carries.
type ChunkKind uint8

// The kinds of chunks. Deltas are for showing; ChunkPart carries a finished
// part verbatim and is what a message is made of. A provider sends deltas then
// the part, or only the part.
const (
	ChunkText     ChunkKind = iota + 1 // Text: more of a text part
	ChunkThinking                      // Text: more of a thinking part
	ChunkCall                          // Call: a tool call begins (ID and Name known, Args not)
	ChunkArgs                          // Text: more of the raw arguments of the call at Index
	ChunkPart                          // Part: the part at Index is finished
	ChunkUsage                         // Usage: the running total so far
	ChunkDone                          // terminal: Finish, Usage, Meta
)

// A Chunk is one step of a model's answer.
type Chunk struct {
	Kind   ChunkKind
	Index  int // which part of the message this belongs to
	Text   string
	Call   *ToolCall
	Part   *Part
	Usage  *Usage
	Finish FinishReason
	Meta   json.RawMessage // provider metadata, on ChunkDone
}

// FinishReason says why a model stopped.
type FinishReason string

// The finish reasons.
const (
	FinishStop          FinishReason = "stop"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishLength        FinishReason = "length"
	FinishContentFilter FinishReason = "content_filter"
	FinishRefusal       FinishReason = "refusal"
)

// A Response is a drained stream.
type Response struct {
	Message Message
	Finish  FinishReason
	Usage   Usage
	Meta    json.RawMessage
}

// Text returns the text of the response.
func (r *Response) Text() string { return r.Message.Text() }
