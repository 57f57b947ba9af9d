package agent

import (
	"encoding/json"
	"errors"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// A Result is what a run achieved, also when it stopped short: the text and the
// counts of what was done are always there.
type Result struct {
	Session   string          `json:"session"`
	Run       string          `json:"run"`
	Text      string          `json:"text"`             // the answer, or the last text there was
	Output    json.RawMessage `json:"output,omitempty"` // Data of the final tool
	Stop      StopReason      `json:"stop"`
	Question  *tool.Question  `json:"question,omitempty"` // with StopQuestion: the first open one
	Usage     llm.Usage       `json:"usage"`
	Cost      llm.Micros      `json:"cost_micros,omitempty"` // 0 for models without a price
	Turns     int             `json:"turns"`                 // model calls
	ToolCalls int             `json:"tool_calls"`
	Err       error           `json:"-"` // nil with StopDone and StopQuestion, else a *StopError
}

// StopReason says why a run stopped. The zero value is that of a session that never
// ran.
type StopReason string

// The reasons to stop.
const (
	StopDone        StopReason = "done"
	StopQuestion    StopReason = "question"    // waits for Session.Answer
	StopInterrupted StopReason = "interrupted" // ErrInterrupted
	StopCancelled   StopReason = "cancelled"   // the context of Open ended, or Close was called (ErrClosed)
	StopTurns       StopReason = "turns"       // ErrTurns
	StopToolCalls   StopReason = "tool_calls"  // ErrToolCalls
	StopMoney       StopReason = "money"       // ErrMoney
	StopWall        StopReason = "wall"        // ErrWall
	StopContext     StopReason = "context"     // ErrContext
	StopRefused     StopReason = "refused"     // ErrRefused
	StopLength      StopReason = "length"      // ErrLength
	StopBlocked     StopReason = "blocked"     // ErrBlocked: a hook dropped the message of Session.Run
	StopFailed      StopReason = "failed"      // the model, a hook or the store failed, a tool aborted, the output did not fit; see the wrapped error
)

// What [Result].Err matches, for errors.Is.
var (
	ErrInterrupted = errors.New("interrupted")
	ErrClosed      = errors.New("session closed")
	ErrTurns       = errors.New("turn limit reached")
	ErrToolCalls   = errors.New("tool call limit reached")
	ErrMoney       = errors.New("money limit reached")
	ErrWall        = errors.New("time limit reached")
	ErrContext     = llm.ErrContextTooLong
	ErrRefused     = llm.ErrRefused
	ErrLength      = errors.New("answer cut at the output limit")
	ErrBlocked     = errors.New("message blocked")
)

// sentinel is the error that a stop for this reason matches, if any.
func (s StopReason) sentinel() error {
	switch s {
	case StopInterrupted:
		return ErrInterrupted
	case StopTurns:
		return ErrTurns
	case StopToolCalls:
		return ErrToolCalls
	case StopMoney:
		return ErrMoney
	case StopWall:
		return ErrWall
	case StopContext:
		return ErrContext
	case StopRefused:
		return ErrRefused
	case StopLength:
		return ErrLength
	case StopBlocked:
		return ErrBlocked
	}
	return nil
}

// A StopError is why a run stopped short. It matches the sentinel of its reason
// and everything that Err matches, until it has been through a log on disk: after
// that its reason and its text are left.
type StopError struct {
	Stop StopReason
	Err  error // the cause; nil where the reason says it all
}

// Error says why the run stopped.
func (e *StopError) Error() string {
	sentinel := e.Stop.sentinel()
	switch {
	case sentinel == nil && e.Err == nil:
		return "run stopped: " + string(e.Stop)
	case sentinel == nil:
		return "run " + string(e.Stop) + ": " + e.Err.Error()
	case e.Err == nil:
		return "run stopped: " + sentinel.Error()
	}
	return "run stopped: " + sentinel.Error() + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *StopError) Unwrap() error { return e.Err }

// Is matches the sentinel of the reason.
func (e *StopError) Is(target error) bool {
	sentinel := e.Stop.sentinel()
	return sentinel != nil && sentinel == target
}

type plainResult Result // without methods

// MarshalJSON writes the error as its text.
func (r Result) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		*plainResult
		Error string `json:"error,omitempty"`
	}{(*plainResult)(&r), errText(r.Err)})
}

// UnmarshalJSON reads what MarshalJSON writes; the error still matches the
// sentinel of the stop reason.
func (r *Result) UnmarshalJSON(data []byte) error {
	in := struct {
		*plainResult
		Error string `json:"error"`
	}{plainResult: (*plainResult)(r)}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	r.Err = nil
	if r.Stop != StopDone && r.Stop != StopQuestion && r.Stop != "" {
		e := &StopError{Stop: r.Stop}
		if in.Error != "" {
			e.Err = errors.New(in.Error)
		}
		r.Err = e
	}
	return nil
}

// errText is what a stop error says beyond its reason, so that reading it back
// does not repeat the reason.
func errText(err error) string {
	var stop *StopError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &stop) && stop.Err == nil:
		return ""
	case errors.As(err, &stop):
		return stop.Err.Error()
	}
	return err.Error()
}
