package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/helios-go/helios/secret"
)

// A Result is what came of a call. In JSON, as the tool's Data, its members are
// exit_code, stdout, stderr, timed_out, truncated, duration_ms and redactions.
type Result struct {
	// ExitCode is -1 after a timeout, and 128 and the signal when a signal ended
	// the program.
	ExitCode       int
	Stdout, Stderr string // redacted, valid UTF-8, and cut where Truncated says so
	TimedOut       bool
	Truncated      bool // one of the streams was cut, and says at its end that it was
	Duration       time.Duration
	Redactions     secret.Counts // in both streams, as far as they were kept
}

// MarshalJSON writes the duration in milliseconds.
func (r *Result) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ExitCode   int           `json:"exit_code"`
		Stdout     string        `json:"stdout"`
		Stderr     string        `json:"stderr"`
		TimedOut   bool          `json:"timed_out"`
		Truncated  bool          `json:"truncated"`
		DurationMS int64         `json:"duration_ms"`
		Redactions secret.Counts `json:"redactions,omitempty"`
	}{r.ExitCode, r.Stdout, r.Stderr, r.TimedOut, r.Truncated, r.Duration.Milliseconds(), r.Redactions})
}

// text is what the model sees.
func (r *Result) text(stderr bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[exit %d", r.ExitCode)
	if r.TimedOut {
		b.WriteString(" TIMEOUT")
	}
	if r.Truncated {
		b.WriteString(" TRUNCATED")
	}
	b.WriteString("]\n" + r.Stdout)
	if stderr && r.Stderr != "" {
		if r.Stdout != "" && !strings.HasSuffix(r.Stdout, "\n") {
			b.WriteString("\n")
		}
		b.WriteString("[stderr]\n" + r.Stderr)
	}
	return b.String()
}
