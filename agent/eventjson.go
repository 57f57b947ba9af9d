package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/helios-go/helios/llm"
)

// formatVersion is the v of the envelope. A reader keeps events of a newer
// version as [Unrecognized].
const formatVersion = 1

type envelope struct {
	V    int       `json:"v"`
	Seq  Seq       `json:"seq,omitempty"`
	Time time.Time `json:"time"`
	Run  string    `json:"run,omitempty"`
	Turn int       `json:"turn,omitempty"`
	Kind EventKind `json:"kind"`
}

// MarshalJSON writes the envelope and the data as one flat object:
//
//	{"v":1,"seq":12,"time":"2026-11-30T12:00:00.123Z","run":"...","turn":3,"kind":"custom","name":"plan","data":{}}
//
// Text that is not valid UTF-8 gets replacement characters. What UnmarshalJSON could
// not read again is an error.
func (e Event) MarshalJSON() ([]byte, error) {
	switch {
	case e.Data == nil:
		return nil, fmt.Errorf("write event %d: it has no data", e.Seq)
	case !complete(e.Data):
		return nil, fmt.Errorf("write %s event %d: %w", e.Kind(), e.Seq, errIncomplete)
	}
	version := formatVersion
	var body []byte
	var err error
	if u, ok := e.Data.(*Unrecognized); ok {
		version, body = max(u.Version, formatVersion), u.Raw
	} else if body, err = marshal(e.Data); err != nil {
		return nil, fmt.Errorf("write %s event %d: %w", e.Kind(), e.Seq, err)
	}
	head, err := marshal(envelope{version, e.Seq, e.Time, e.Run, e.Turn, e.Kind()})
	if err != nil {
		return nil, fmt.Errorf("write %s event %d: %w", e.Kind(), e.Seq, err)
	}
	if len(body) <= len("{}") {
		return head, nil
	}
	if llm.Deeper(body, maxReadDepth) {
		return nil, fmt.Errorf("write %s event %d: it nests deeper than %d levels, which cannot be read again", e.Kind(), e.Seq, maxReadDepth)
	}
	head[len(head)-1] = ','
	return append(head, body[1:]...), nil
}

// maxReadDepth is as deep as encoding/json reads.
const maxReadDepth = 10_000

var errIncomplete = errors.New("it lacks what it is about")

// UnmarshalJSON reads what MarshalJSON writes. An event of a kind or version
// that it does not know becomes an [Unrecognized] one, without loss.
func (e *Event) UnmarshalJSON(data []byte) error {
	var env envelope
	if err := json.Unmarshal(data, &env); err != nil {
		return fmt.Errorf("read event: %w", err)
	}
	if env.Kind == "" {
		return fmt.Errorf("read event %d: it has no kind", env.Seq)
	}
	*e = Event{Seq: env.Seq, Time: env.Time, Run: env.Run, Turn: env.Turn}
	if e.Data = newData(env.Kind); e.Data == nil || env.V > formatVersion {
		raw, err := withoutEnvelope(data)
		e.Data = &Unrecognized{Version: env.V, Name: env.Kind, Raw: raw}
		return err
	}
	err := json.Unmarshal(data, e.Data)
	if err == nil && !complete(e.Data) {
		err = errIncomplete
	}
	if err != nil {
		return fmt.Errorf("read %s event %d: %w", env.Kind, env.Seq, err)
	}
	return nil
}

// complete reports whether an event has what everybody relies on.
func complete(d EventData) bool {
	switch d := d.(type) {
	case *ToolStarted:
		return d.Call != nil && d.Index >= 0
	case *ToolEnded:
		return d.Result != nil && d.Index >= 0
	case *QuestionAsked:
		return d.Question != nil
	case *ChildEnded:
		return d.Result != nil
	case *RunEnded:
		return d.Result != nil
	}
	return true
}

// withoutEnvelope returns the object without the members of the envelope.
func withoutEnvelope(data []byte) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, fmt.Errorf("read event: %w", err)
	}
	for _, name := range [...]string{"v", "seq", "time", "run", "turn", "kind"} {
		delete(members, name)
	}
	return marshal(members)
}

// newData returns an empty value for a kind, nil for one that is not known.
func newData(k EventKind) EventData {
	switch k {
	case KindSessionOpened:
		return new(SessionOpened)
	case KindSessionForked:
		return new(SessionForked)
	case KindUserMessage:
		return new(UserMessage)
	case KindRunStarted:
		return new(RunStarted)
	case KindTurnStarted:
		return new(TurnStarted)
	case KindModelMessage:
		return new(ModelMessage)
	case KindModelRetried:
		return new(ModelRetried)
	case KindToolStarted:
		return new(ToolStarted)
	case KindToolEnded:
		return new(ToolEnded)
	case KindQuestionAsked:
		return new(QuestionAsked)
	case KindQuestionAnswered:
		return new(QuestionAnswered)
	case KindChildStarted:
		return new(ChildStarted)
	case KindChildEnded:
		return new(ChildEnded)
	case KindRunEnded:
		return new(RunEnded)
	case KindHookFired:
		return new(HookFired)
	case KindMessageBlocked:
		return new(MessageBlocked)
	case KindContextWarning:
		return new(ContextWarning)
	case KindContextEdited:
		return new(ContextEdited)
	case KindCustom:
		return new(Custom)
	case KindTextDelta:
		return new(TextDelta)
	case KindThinkingDelta:
		return new(ThinkingDelta)
	case KindToolArgsDelta:
		return new(ToolArgsDelta)
	case KindToolProgress:
		return new(ToolProgress)
	case KindChildEvent:
		return new(ChildEvent)
	case KindDropped:
		return new(Dropped)
	}
	return nil
}

// marshalShallow is marshal for data that goes into an event, see [llm.MaxDepth].
func marshalShallow(v any) ([]byte, error) {
	data, err := marshal(v)
	if err == nil && llm.Deeper(data, llm.MaxDepth) {
		return nil, fmt.Errorf("it nests deeper than %d levels", llm.MaxDepth)
	}
	return data, err
}

// marshal is json.Marshal without HTML escapes, which would hide a secret from
// whoever looks for it.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
