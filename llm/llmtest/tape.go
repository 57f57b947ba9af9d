package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/helios-go/helios/llm"
)

// An exchange is one request and the stream that answered it.
type exchange struct {
	request []line
	chunks  []tapeChunk
	end     tapeEnd
}

var chunkKinds = [...]string{
	llm.ChunkText: "text", llm.ChunkThinking: "thinking", llm.ChunkCall: "call", llm.ChunkArgs: "args",
	llm.ChunkPart: "part", llm.ChunkUsage: "usage", llm.ChunkDone: "done",
}

// A tapeChunk is a chunk as it is written. Bytes is the text where that is not
// UTF-8, which JSON cannot hold.
type tapeChunk struct {
	Kind   string           `json:"kind"`
	Index  int              `json:"index"`
	Text   string           `json:"text,omitempty"`
	Bytes  []byte           `json:"bytes,omitempty"`
	Call   *llm.ToolCall    `json:"call,omitempty"`
	Part   *llm.Part        `json:"part,omitempty"`
	Usage  *llm.Usage       `json:"usage,omitempty"`
	Finish llm.FinishReason `json:"finish,omitempty"`
	Meta   json.RawMessage  `json:"meta,omitempty"`
	Millis float64          `json:"ms,omitempty"` // since the request
}

func onTape(c *llm.Chunk, after time.Duration) tapeChunk {
	t := tapeChunk{Index: c.Index, Text: c.Text, Call: c.Call, Part: c.Part, Usage: c.Usage, Finish: c.Finish}
	if int(c.Kind) < len(chunkKinds) {
		t.Kind = chunkKinds[c.Kind]
	}
	if !utf8.ValidString(c.Text) {
		t.Text, t.Bytes = "", []byte(c.Text)
	}
	if json.Valid(c.Meta) {
		t.Meta = c.Meta
	}
	t.Millis = float64(after.Microseconds()) / 1000
	return t
}

func (t *tapeChunk) chunk() (llm.Chunk, error) {
	kind := slices.Index(chunkKinds[:], t.Kind)
	if kind <= 0 {
		return llm.Chunk{}, fmt.Errorf("a chunk of kind %q", t.Kind)
	}
	c := llm.Chunk{Kind: llm.ChunkKind(kind), Index: t.Index, Text: t.Text, Call: t.Call, Part: t.Part, Usage: t.Usage, Finish: t.Finish, Meta: t.Meta}
	if len(t.Bytes) > 0 {
		c.Text = string(t.Bytes)
	}
	return c, nil
}

// A tapeEnd says how a stream ended: without anything after its terminal chunk.
type tapeEnd struct {
	Error *tapeError `json:"error,omitempty"`
	Cut   bool       `json:"cut,omitempty"`  // no terminal chunk and no error
	Left  bool       `json:"left,omitempty"` // the reader stopped before the end
}

// A tapeError is an error as it is written. Kind is empty for one that is no
// [llm.Error].
type tapeError struct {
	Text     string  `json:"text"`
	Kind     string  `json:"kind,omitempty"`
	Provider string  `json:"provider,omitempty"`
	Status   int     `json:"status,omitempty"`
	Retry    float64 `json:"retry_after_ms,omitempty"`
	Cause    string  `json:"cause,omitempty"` // a well-known error that it is
}

var (
	causeNames = [...]string{"canceled", "deadline", "eof"}
	causes     = [...]error{context.Canceled, context.DeadlineExceeded, io.ErrUnexpectedEOF}
)

func errorOnTape(err error) *tapeError {
	t := &tapeError{Text: err.Error()}
	if e, ok := errors.AsType[*llm.Error](err); ok {
		t.Kind, t.Provider, t.Status = e.Kind.String(), e.Provider, e.Status
		t.Retry = float64(e.RetryAfter.Microseconds()) / 1000
		if e.Err != nil {
			t.Text = e.Err.Error()
		}
	}
	for i, cause := range causes {
		if errors.Is(err, cause) {
			t.Cause = causeNames[i]
		}
	}
	return t
}

func (t *tapeError) error() error {
	var err error = &recordedError{text: t.Text}
	if i := slices.Index(causeNames[:], t.Cause); i >= 0 {
		err = &recordedError{text: t.Text, cause: causes[i]}
	}
	if t.Kind == "" {
		return err
	}
	e := &llm.Error{Provider: t.Provider, Status: t.Status, RetryAfter: time.Duration(t.Retry * float64(time.Millisecond)), Err: err}
	for kind := llm.KindOther; kind <= llm.KindInvalidRequest; kind++ {
		if kind.String() == t.Kind {
			e.Kind = kind
		}
	}
	return e
}

// A recordedError says what a recorded error said and is what it was.
type recordedError struct {
	text  string
	cause error
}

func (e *recordedError) Error() string { return e.text }
func (e *recordedError) Unwrap() error { return e.cause }
