package agent

import (
	"context"
	"fmt"

	"github.com/helios-go/helios/llm"
)

// SessionForked begins a session with the conversation of another one.
type SessionForked struct {
	Session  string        `json:"session"`
	At       Seq           `json:"at"`
	Messages []llm.Message `json:"messages"`
	Grants   []Grant       `json:"grants,omitempty"` // what had been granted there
}

func (*SessionForked) kind() EventKind { return KindSessionForked }

// Fork opens a new session in the same store, whose conversation begins as this
// one's was after an event; 0 is the last one there is. The two go their own ways
// from there. Calls that had no result at that point get "interrupted" as theirs,
// and messages that no turn had taken stay behind. What was granted for the session
// until then holds in the new one, too.
func (s *Session) Fork(ctx context.Context, at Seq) (*Session, error) {
	var st state
	for e, err := range s.opts.Store.Read(ctx, s.id, 1) {
		if err != nil {
			return nil, fmt.Errorf("fork session %s: %w", s.id, err)
		}
		if at > 0 && e.Seq > at {
			break
		}
		st.apply(&e)
	}
	if at < 0 || at > st.seq {
		return nil, fmt.Errorf("fork session %s at event %d: its log ends at %d", s.id, at, st.seq)
	}
	for i, c := range st.openCalls() {
		if c.result == nil {
			st.toolEnded(c.close(i, StopInterrupted))
		}
	}
	opts := s.opts
	opts.SessionID = NewID()
	fork, err := s.agent.open(s.ctx, &opts, s.private, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("fork session %s: %w", s.id, err)
	}
	if _, err := fork.post(ctx, &SessionForked{Session: s.id, At: st.seq, Messages: st.history, Grants: st.granted()}); err != nil {
		fork.Close()
		return nil, fmt.Errorf("fork session %s: %w", s.id, err)
	}
	return fork, nil
}
