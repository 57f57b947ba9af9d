package agent

import (
	"encoding/json"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
)

// Seq numbers the events of a session, from 1 and without gaps. The store
// assigns it.
type Seq int64

// An Event is one entry of a session's log. Data says what happened; the rest
// says when and where. Events are shared by all readers: do not change them.
//
//	switch d := e.Data.(type) {
//	case *agent.TextDelta:
//		fmt.Print(d.Text)
//	case *agent.ToolStarted:
//		fmt.Println("running", d.Call.Name)
//	}
type Event struct {
	Seq  Seq       // 0: ephemeral, shown live and never stored
	Time time.Time // UTC, to the millisecond
	Run  string    // id of the run, "" outside of one
	Turn int       // the run's model call, from 1; 0 outside of one
	Data EventData
}

// Kind names the event's kind, as in its JSON form.
func (e Event) Kind() EventKind {
	if e.Data == nil {
		return ""
	}
	return e.Data.kind()
}

// Ephemeral reports whether the event is only shown live: deltas, progress, what
// happens in a sub-agent's session, and the notice that some of those were dropped.
func (e Event) Ephemeral() bool {
	switch e.Data.(type) {
	case *TextDelta, *ThinkingDelta, *ToolArgsDelta, *ToolProgress, *ChildEvent, *Dropped:
		return true
	}
	return false
}

// EventData is what happened: a pointer to one of this package's types named
// after an [EventKind].
type EventData interface{ kind() EventKind }

// EventKind names what an event holds.
type EventKind string

// The kinds of events. The last five are ephemeral.
const (
	KindSessionOpened    EventKind = "session_opened"
	KindSessionForked    EventKind = "session_forked"
	KindUserMessage      EventKind = "user_message"
	KindRunStarted       EventKind = "run_started"
	KindTurnStarted      EventKind = "turn_started"
	KindModelMessage     EventKind = "model_message"
	KindModelRetried     EventKind = "model_retried"
	KindToolStarted      EventKind = "tool_started"
	KindToolEnded        EventKind = "tool_ended"
	KindQuestionAsked    EventKind = "question_asked"
	KindQuestionAnswered EventKind = "question_answered"
	KindChildStarted     EventKind = "child_started"
	KindChildEnded       EventKind = "child_ended"
	KindRunEnded         EventKind = "run_ended"
	KindContextWarning   EventKind = "context_warning"
	KindContextEdited    EventKind = "context_edited"
	KindHookFired        EventKind = "hook_fired"
	KindMessageBlocked   EventKind = "message_blocked"
	KindCustom           EventKind = "custom"

	KindTextDelta     EventKind = "text_delta"
	KindThinkingDelta EventKind = "thinking_delta"
	KindToolArgsDelta EventKind = "tool_args_delta"
	KindToolProgress  EventKind = "tool_progress"
	KindChildEvent    EventKind = "child_event"
	KindDropped       EventKind = "dropped"
)

// SessionOpened is the first event of a session. It is written with the first
// message, or whatever else comes first, not by Open.
type SessionOpened struct {
	Agent  string  `json:"agent,omitempty"`
	Model  string  `json:"model,omitempty"`
	User   string  `json:"user,omitempty"`
	Parent *Parent `json:"parent,omitempty"`
}

// A Parent is the call that a sub-agent's session works for.
type Parent struct {
	Session string `json:"session"`
	Run     string `json:"run"`
	Call    string `json:"call"`
}

// Where a [UserMessage] comes from.
const (
	OriginUser       = "user"
	OriginHook       = "hook"
	OriginCorrection = "correction"
	OriginInterrupt  = "interrupt"
	OriginLimit      = "limit"
	OriginSummary    = "summary"
)

// UserMessage is a message accepted for the session, or a wish to interrupt it.
// It becomes part of the conversation with the turn that takes it.
type UserMessage struct {
	Message  llm.Message `json:"message"`
	Delivery Delivery    `json:"delivery,omitempty"`
	Origin   string      `json:"origin,omitempty"`
	At       SafePoint   `json:"at,omitempty"`       // with OriginInterrupt: where to stop
	Replaces Seq         `json:"replaces,omitempty"` // the message whose place it takes, changed by a hook
	Key      string      `json:"key,omitempty"`      // of Session.SendOnce: the first message with it counts
}

// Left is what the limits leave to a run. Zero Money means no limit on it.
type Left struct {
	Turns     int           `json:"turns"`
	ToolCalls int           `json:"tool_calls"`
	Wall      time.Duration `json:"wall_ns"`
	Money     llm.Micros    `json:"money_micros,omitempty"`
}

// RunStarted begins a run.
type RunStarted struct {
	Left Left `json:"left"`
}

// TurnStarted begins a model call of a run.
type TurnStarted struct {
	Took  []Seq `json:"took,omitempty"`  // the user messages that join the conversation here
	Final bool  `json:"final,omitempty"` // the limits leave only this turn: the model must answer
	Left  Left  `json:"left"`
}

// ModelMessage is what the model said in a turn.
type ModelMessage struct {
	Model   string           `json:"model"`
	Message llm.Message      `json:"message"`
	Usage   llm.Usage        `json:"usage"`
	Cost    llm.Micros       `json:"cost_micros,omitempty"`
	Finish  llm.FinishReason `json:"finish,omitempty"`
	Meta    json.RawMessage  `json:"meta,omitempty"`
	Partial bool             `json:"partial,omitempty"` // the stream was cut or broke: text only
	Attempt int              `json:"attempt,omitempty"` // from 1
}

// ModelRetried says that a model call failed before anything of it was shown,
// and is made again.
type ModelRetried struct {
	Reason  string        `json:"reason"`
	Attempt int           `json:"attempt"` // that failed, from 1
	Wait    time.Duration `json:"wait_ns"`
	Usage   llm.Usage     `json:"usage"`
	Cost    llm.Micros    `json:"cost_micros,omitempty"`
}

// ToolStarted says that a tool is about to run. After a crash a call may start
// again, if its effect allows that.
type ToolStarted struct {
	Index          int           `json:"index"` // position among the message's calls
	Call           *llm.ToolCall `json:"call"`  // with the arguments that the tool gets
	Effect         tool.Effect   `json:"effect"`
	ToolKind       tool.Kind     `json:"tool_kind"`
	Key            string        `json:"key,omitempty"`
	Decision       Decision      `json:"decision"`
	IdempotencyKey string        `json:"idempotency_key"`
	Redactions     secret.Counts `json:"redactions,omitempty"` // in Call and Key; the tool got them whole
}

// An Outcome says how a call ended.
type Outcome string

// The outcomes of a call. All but OutcomeOK give the model an error result.
const (
	OutcomeOK          Outcome = "ok"
	OutcomeError       Outcome = "error"       // the tool returned an error
	OutcomePanic       Outcome = "panic"       // the tool panicked
	OutcomeAborted     Outcome = "aborted"     // the tool ended the run with tool.Abort
	OutcomeTimeout     Outcome = "timeout"     // its time was up
	OutcomeInterrupted Outcome = "interrupted" // the run stopped before it had a result
	OutcomeUnknown     Outcome = "unknown"     // it may or may not have happened
	OutcomeInvalid     Outcome = "invalid"     // no such tool, or arguments that it cannot take
	OutcomeDenied      Outcome = "denied"      // the policy or the user said no
	OutcomeLimit       Outcome = "limit"       // a limit of the run was reached
)

// ToolEnded is the one result of a call, also of a call that never ran.
type ToolEnded struct {
	Index      int             `json:"index"`
	Outcome    Outcome         `json:"outcome"`
	Result     *llm.ToolResult `json:"result"`         // as the model sees it
	Data       json.RawMessage `json:"data,omitempty"` // the tool's own, for programs
	Duration   time.Duration   `json:"duration_ns,omitempty"`
	Final      bool            `json:"final,omitempty"`      // the result is the run's answer
	Redactions secret.Counts   `json:"redactions,omitempty"` // secrets taken out, by name
}

// QuestionAsked puts a question to the user.
type QuestionAsked struct {
	Question *tool.Question `json:"question"`
}

// QuestionAnswered answers the question with the same ID; the first answer
// counts. With [tool.Always] it also answers the open questions about calls that
// it grants.
type QuestionAnswered struct {
	ID      string      `json:"id"`
	Answer  tool.Answer `json:"answer"`
	Expired bool        `json:"expired,omitempty"` // nobody answered in time
}

// ChildStarted says that a call of the run goes on in a session of its own, that
// of a sub-agent in the same store.
type ChildStarted struct {
	Session string `json:"session"`
	Agent   string `json:"agent,omitempty"`
	Call    string `json:"call"`
}

// ChildEnded says what a sub-agent's run amounted to. Its usage and cost count
// for the run that it worked for.
type ChildEnded struct {
	Session string  `json:"session"`
	Call    string  `json:"call"`
	Result  *Result `json:"result"`
}

// RunEnded ends a run.
type RunEnded struct {
	Result  *Result `json:"result"`
	Dropped []Seq   `json:"dropped,omitempty"` // messages of hooks that no turn was left for
}

// Custom is an application's own event, see [Session.Custom].
type Custom struct {
	Name string          `json:"name"`
	Data json.RawMessage `json:"data"`
}

// Unrecognized is an event of a kind that this version does not know. It is
// kept and passed on as it is.
type Unrecognized struct {
	Version int // of the event's format
	Name    EventKind
	Raw     json.RawMessage // a JSON object: the event without its envelope
}

// TextDelta is a piece of the model's text, as it arrives.
type TextDelta struct {
	Text    string `json:"text"`
	Index   int    `json:"index"`   // of the part in the message
	Attempt int    `json:"attempt"` // of the model call, from 1
}

// ThinkingDelta is a piece of the model's reasoning, as it arrives.
type ThinkingDelta struct {
	Text    string `json:"text"`
	Index   int    `json:"index"`
	Attempt int    `json:"attempt"`
}

// ToolArgsDelta is a piece of a call's arguments, as it arrives. The first one
// of a call names it and may hold no arguments yet.
type ToolArgsDelta struct {
	Call    string `json:"call,omitempty"`
	Name    string `json:"name,omitempty"`
	Args    string `json:"args"`
	Index   int    `json:"index"`
	Attempt int    `json:"attempt"`
}

// ToolProgress is something that a running tool shows.
type ToolProgress struct {
	Call string   `json:"call"`
	Name string   `json:"name"`
	Part llm.Part `json:"part"`
}

// ChildEvent is what happens in the session of a sub-agent, as it happens: its log
// and its ephemeral events. That of a sub-agent's sub-agent is in two of them.
type ChildEvent struct {
	Session string `json:"session"`
	Agent   string `json:"agent,omitempty"`
	Call    string `json:"call"` // that the sub-agent works for
	Event   Event  `json:"event"`
}

// Dropped tells a slow reader how many ephemeral events it missed here. Other
// events are never dropped.
type Dropped struct {
	N int `json:"n"`
}

func (*SessionOpened) kind() EventKind    { return KindSessionOpened }
func (*UserMessage) kind() EventKind      { return KindUserMessage }
func (*RunStarted) kind() EventKind       { return KindRunStarted }
func (*TurnStarted) kind() EventKind      { return KindTurnStarted }
func (*ModelMessage) kind() EventKind     { return KindModelMessage }
func (*ModelRetried) kind() EventKind     { return KindModelRetried }
func (*ToolStarted) kind() EventKind      { return KindToolStarted }
func (*ToolEnded) kind() EventKind        { return KindToolEnded }
func (*QuestionAsked) kind() EventKind    { return KindQuestionAsked }
func (*QuestionAnswered) kind() EventKind { return KindQuestionAnswered }
func (*ChildStarted) kind() EventKind     { return KindChildStarted }
func (*ChildEnded) kind() EventKind       { return KindChildEnded }
func (*RunEnded) kind() EventKind         { return KindRunEnded }
func (*Custom) kind() EventKind           { return KindCustom }
func (u *Unrecognized) kind() EventKind   { return u.Name }
func (*TextDelta) kind() EventKind        { return KindTextDelta }
func (*ThinkingDelta) kind() EventKind    { return KindThinkingDelta }
func (*ToolArgsDelta) kind() EventKind    { return KindToolArgsDelta }
func (*ToolProgress) kind() EventKind     { return KindToolProgress }
func (*ChildEvent) kind() EventKind       { return KindChildEvent }
func (*Dropped) kind() EventKind          { return KindDropped }
