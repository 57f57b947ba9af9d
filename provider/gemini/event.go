package gemini

import (
	"encoding/json"
)

// An event is one event of a stream, or a whole interaction from a server that does
// not stream.
type event struct {
	Type        string          `json:"event_type"`
	Index       int             `json:"index"`
	Step        json.RawMessage `json:"step"`  // step.start
	Delta       json.RawMessage `json:"delta"` // step.delta
	Interaction *interaction    `json:"interaction"`
	Error       json.RawMessage `json:"error"`
	Usage       *usage          `json:"usage"` // step.stop, interaction.status_update

	// Of interaction.status_update.
	ID     string `json:"interaction_id"`
	Status string `json:"status"`
	Token  string `json:"continuation_token"`
}

// An interaction is what the server tells of the whole.
type interaction struct {
	ID     string            `json:"id"`
	Status string            `json:"status"`
	Token  string            `json:"continuation_token"`
	Steps  []json.RawMessage `json:"steps"`
	Usage  *usage            `json:"usage"`
	Error  json.RawMessage   `json:"error"`
	Errors []json.RawMessage `json:"errors"`
}

// wireStep is what this package reads of a step. What else there is, is kept raw.
type wireStep struct {
	Type      string            `json:"type"`
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Arguments json.RawMessage   `json:"arguments"`
	Signature string            `json:"signature"`
	Summary   []json.RawMessage `json:"summary"`
	Content   []json.RawMessage `json:"content"`
	Error     json.RawMessage   `json:"error"`
}

// wireContent is a piece of a text, a picture, a sound.
type wireContent struct {
	Type        string            `json:"type"`
	Text        string            `json:"text"`
	MIME        string            `json:"mime_type"`
	Data        []byte            `json:"data"`
	URI         string            `json:"uri"`
	Annotations []json.RawMessage `json:"annotations"`
}

// wireDelta is what a delta may hold.
type wireDelta struct {
	wireContent
	Content   json.RawMessage `json:"content"`   // thought_summary
	Signature string          `json:"signature"` // thought_signature
	Arguments json.RawMessage `json:"arguments"` // arguments_delta
}

// The statuses of an interaction.
const (
	statusAction       = "requires_action"
	statusCompleted    = "completed"
	statusIncomplete   = "incomplete"
	statusFailed       = "failed"
	statusCancelled    = "cancelled"
	statusBudget       = "budget_exceeded"
	statusContinuation = "requires_continuation"
)

// terminal reports whether nothing comes after a status.
func terminal(status string) bool {
	switch status {
	case statusAction, statusCompleted, statusIncomplete, statusFailed, statusCancelled, statusBudget, statusContinuation:
		return true
	}
	return false
}

// text is a JSON string, or nothing.
func text(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}
