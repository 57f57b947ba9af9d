package llm

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Role says who speaks in a [Message]. Instructions are not a role: they are
// [Request.System].
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool" // holds tool results only
)

// A Message is one turn of a conversation: an ordered list of parts.
type Message struct {
	Role   Role   `json:"role"`
	Parts  []Part `json:"parts"`
	Origin string `json:"origin,omitempty"` // who made it when not the speaker itself: "hook", "correction", ...
}

// PartKind says which field of a [Part] counts.
type PartKind string

// The kinds of parts.
const (
	PartText     PartKind = "text"
	PartThinking PartKind = "thinking"
	PartCall     PartKind = "tool_call"
	PartResult   PartKind = "tool_result"
	PartMedia    PartKind = "media"
	PartFile     PartKind = "file"
	PartOpaque   PartKind = "opaque"
)

// A Part is one piece of a message; Kind says which field holds it.
//
// Signature and Opaque are what a provider wants to get back, and Model says
// whose they are: another model is sent the part without them. Beside a text, a
// thought or a call, Opaque holds what the provider's own form of that part says
// besides (ids, citations); it never repeats what the other fields hold.
type Part struct {
	Kind      PartKind    `json:"kind"`
	Text      string      `json:"text,omitempty"`      // PartText, PartThinking
	Signature string      `json:"signature,omitempty"` // opaque, echoed verbatim (thinking, calls)
	Call      *ToolCall   `json:"call,omitempty"`
	Result    *ToolResult `json:"result,omitempty"`
	Media     *Media      `json:"media,omitempty"`
	File      *FileRef    `json:"file,omitempty"`
	Opaque    *Opaque     `json:"opaque,omitempty"`
	Model     string      `json:"model,omitempty"` // Model.Name of whose Signature and Opaque these are; "": of any
	Cache     bool        `json:"cache,omitempty"` // a prompt-cache breakpoint after this part
}

// A ToolCall is a model's wish to run a tool. Args are the bytes that the model
// sent: kept raw until the tool decodes them, but for characters that were cut in
// two (see [Accumulator.Add]).
type ToolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type toolCallJSON struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
	Text string          `json:"args_text,omitempty"`
}

// MarshalJSON writes arguments that are not valid JSON, as a cut stream leaves
// them, or that nest deeper than [MaxDepth], as the string args_text, so that any
// call can be stored. What is not UTF-8 becomes the replacement character.
func (c ToolCall) MarshalJSON() ([]byte, error) {
	out := toolCallJSON{ID: c.ID, Name: c.Name, Args: c.Args}
	switch {
	case len(c.Args) == 0:
	case !utf8.Valid(c.Args):
		c.Args = bytes.ToValidUTF8(c.Args, []byte("\uFFFD"))
		return c.MarshalJSON()
	case !json.Valid(c.Args), Deeper(c.Args, MaxDepth):
		out.Args, out.Text = nil, string(c.Args)
	}
	return marshal(out) // with <, > and & as the model wrote them
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *ToolCall) UnmarshalJSON(data []byte) error {
	var in toolCallJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*c = ToolCall{ID: in.ID, Name: in.Name, Args: in.Args}
	if in.Text != "" {
		c.Args = json.RawMessage(in.Text)
	}
	return nil
}

// A ToolResult answers the call with the same ID.
type ToolResult struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Parts   []Part `json:"parts"`
	IsError bool   `json:"is_error,omitempty"`
}

// Opaque is a provider's own block, stored and echoed byte for byte.
type Opaque struct {
	Provider string          `json:"provider"`
	Data     json.RawMessage `json:"data"`
}

type opaqueJSON struct {
	Provider string          `json:"provider"`
	Data     json.RawMessage `json:"data"`
	Text     string          `json:"data_text,omitempty"`
}

// MarshalJSON writes data that is not valid JSON, or that nests deeper than
// [MaxDepth], as the string data_text, so that any block can be stored. What is not
// UTF-8 becomes the replacement character there.
func (o Opaque) MarshalJSON() ([]byte, error) {
	out := opaqueJSON{Provider: o.Provider, Data: o.Data}
	if len(o.Data) > 0 && (!json.Valid(o.Data) || Deeper(o.Data, MaxDepth)) {
		out.Data, out.Text = nil, string(o.Data)
	}
	return marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Opaque) UnmarshalJSON(data []byte) error {
	var in opaqueJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*o = Opaque{Provider: in.Provider, Data: in.Data}
	if in.Text != "" {
		o.Data = json.RawMessage(in.Text)
	}
	return nil
}

// Text returns a text part.
func Text(s string) Part { return Part{Kind: PartText, Text: s} }

// Cached returns the part with a prompt-cache breakpoint after it: what comes up to
// there is the same in many requests. Providers without such marks ignore it.
func (p Part) Cached() Part { p.Cache = true; return p }

// User returns a user message: a text, unless it is empty, and what goes with it.
//
//	llm.User("What is in this image?", image)
func User(text string, more ...Part) Message {
	return Message{Role: RoleUser, Parts: textAnd(text, more)}
}

// Assistant returns an assistant message: a text, unless it is empty, and what
// goes with it.
func Assistant(text string, more ...Part) Message {
	return Message{Role: RoleAssistant, Parts: textAnd(text, more)}
}

// textAnd copies the parts, so that the message is its own.
func textAnd(text string, more []Part) []Part {
	if len(more) == 0 {
		return []Part{Text(text)}
	}
	parts := make([]Part, 0, 1+len(more))
	if text != "" {
		parts = append(parts, Text(text))
	}
	return append(parts, more...)
}

// Text returns the message's text parts, joined.
func (m Message) Text() string { return joinText(m.Parts) }

// Calls returns the message's tool calls in order.
func (m Message) Calls() []*ToolCall {
	var calls []*ToolCall
	for _, p := range m.Parts {
		if p.Kind == PartCall && p.Call != nil {
			calls = append(calls, p.Call)
		}
	}
	return calls
}

// Text returns the result's text parts, joined.
func (r ToolResult) Text() string { return joinText(r.Parts) }

func joinText(parts []Part) string {
	n, last := 0, ""
	for _, p := range parts {
		if p.Kind == PartText {
			n, last = n+1, p.Text
		}
	}
	if n <= 1 {
		return last
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Kind == PartText {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}
