package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
)

// A Store keeps the logs of sessions. It is safe for concurrent use, and the
// durable ones by several processes. agenttest.TestStore checks an
// implementation.
//
// A log is append-only. What a run does is appended under a [Lease], so that a
// session has one owner at a time; what comes from outside (messages, answers,
// interrupts, custom events) is posted by anyone at any time. Both end up in
// one sequence without gaps.
type Store interface {
	// Append adds events at the end, all or none, assigns their Seq and returns
	// that of the last one. It fails with ErrFenced when the session has been
	// acquired again since l. It does not keep the slice.
	Append(ctx context.Context, l Lease, events []Event) (Seq, error)
	// Post adds events without a lease, as Append does, and makes the session if
	// there is none.
	Post(ctx context.Context, session string, events []Event) (Seq, error)
	// Read yields the events from a Seq on, in order, up to the last one there is.
	// An unknown session has none.
	Read(ctx context.Context, session string, from Seq) iter.Seq2[Event, error]
	// Acquire makes owner the session's owner for a time. It fails with a
	// *LeasedError while another owner's lease lasts.
	Acquire(ctx context.Context, session, owner string, ttl time.Duration) (Lease, error)
	// Renew extends a lease by its TTL from now, or fails with ErrFenced.
	Renew(ctx context.Context, l Lease) error
	// Release ends a lease early. Releasing one that is over is no error.
	Release(ctx context.Context, l Lease) error
	// List yields the sessions that the filter lets through, the latest activity
	// first. An error is the last thing it yields; whoever drops it takes a broken
	// store for an empty one.
	List(ctx context.Context, f Filter) iter.Seq2[SessionInfo, error]
	// Purge deletes the sessions that are idle, not leased and without activity
	// since a time, and returns how many.
	Purge(ctx context.Context, olderThan time.Time) (int, error)
}

// A Notifier is a [Store] that can tell of new events. Without it sessions ask
// every [OpenOptions].Poll.
type Notifier interface {
	// Changed returns a channel that is closed when the session next gets events.
	Changed(session string) <-chan struct{}
}

// A Lease says who owns a session. The epoch grows with each Acquire, and an
// append must match it.
type Lease struct {
	Session string
	Owner   string
	Epoch   int64
	TTL     time.Duration
}

// ErrFenced is what an owner gets that is no longer one: stop, and write nothing.
var ErrFenced = errors.New("the session has a new owner")

// A LeasedError says that somebody else owns the session.
type LeasedError struct {
	Session string
	Until   time.Time // unless the owner renews
}

// Error names the session.
func (e *LeasedError) Error() string {
	return fmt.Sprintf("session %s is owned by another process until %s", e.Session, e.Until.UTC().Format(time.RFC3339))
}

// SessionState says what a session is doing.
type SessionState string

// The states of a session, as far as its log tells. A session with work but no
// live lease waits for someone to open it.
const (
	StateIdle     SessionState = "idle"     // nothing to do
	StateReady    SessionState = "ready"    // a message waits to be taken
	StateRunning  SessionState = "running"  // a run has begun and not ended
	StateQuestion SessionState = "question" // the run waits for an answer; Attach and Session.Questions tell to what
)

// SessionInfo describes a session in a list. A store keeps it up to date with
// [SessionInfo.Apply].
type SessionInfo struct {
	ID      string
	Agent   string
	User    string
	Parent  string // the parent session of a sub-agent's
	State   SessionState
	Pending int // messages that no turn has taken yet
	Seq     Seq
	Created time.Time
	Active  time.Time // of the last event

	Owner string    // "" when not leased
	Until time.Time // end of the lease
	Epoch int64
}

// Leased reports whether somebody owns the session at a time.
func (i *SessionInfo) Leased(now time.Time) bool { return i.Owner != "" && i.Until.After(now) }

// Apply takes the next event of the session's log into account.
func (i *SessionInfo) Apply(e Event) {
	if i.Seq == 0 {
		i.Created = e.Time
		i.State = StateIdle
	}
	i.Seq, i.Active = e.Seq, e.Time
	switch d := e.Data.(type) {
	case *SessionOpened:
		i.Agent, i.User = d.Agent, d.User
		if d.Parent != nil {
			i.Parent = d.Parent.Session
		}
	case *UserMessage:
		if d.Origin == OriginInterrupt || d.Replaces > 0 {
			break
		}
		i.Pending++
		if i.State == StateIdle {
			i.State = StateReady
		}
	case *MessageBlocked:
		if i.Pending--; i.Pending == 0 && i.State == StateReady {
			i.State = StateIdle
		}
	case *TurnStarted:
		i.Pending -= len(d.Took)
	case *RunStarted, *QuestionAnswered:
		i.State = StateRunning
	case *QuestionAsked:
		i.State = StateQuestion
	case *RunEnded:
		i.Pending -= len(d.Dropped)
		i.State = StateIdle
		if i.Pending > 0 {
			i.State = StateReady
		}
	}
}

// A Filter selects sessions. The zero value lets all through.
type Filter struct {
	States []SessionState // none: any
	User   string         // "": any
	Agent  string         // "": any
	Prefix string         // of the id
	Top    bool           // leave out sub-agents' sessions
	Limit  int            // 0: no limit
}

// Match reports whether the filter lets a session through.
func (f *Filter) Match(i *SessionInfo) bool {
	return (len(f.States) == 0 || slices.Contains(f.States, i.State)) &&
		(f.User == "" || f.User == i.User) &&
		(f.Agent == "" || f.Agent == i.Agent) &&
		len(i.ID) >= len(f.Prefix) && i.ID[:len(f.Prefix)] == f.Prefix &&
		(!f.Top || i.Parent == "")
}
