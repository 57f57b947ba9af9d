package agent

import (
	"context"
	"errors"
	"fmt"
)

// ErrNoSession is what [Attach] returns for a session that the store has not.
var ErrNoSession = errors.New("no such session")

// Attach opens a session to look at and to talk to, without an agent: it never
// runs anything. What it sends, answers and interrupts is done by whoever owns the
// session, or opens it next, see [ResumeAll]: a session that is idle in another
// process does not notice by itself. Its Events are those of the log, live too;
// deltas are seen only in the process that runs the session. Its Wait waits for
// others to do the work. It cannot be forked. A session that the store has not is an
// [ErrNoSession].
func Attach(ctx context.Context, st Store, session string) (*Session, error) {
	if st == nil {
		return nil, errors.New("attach to a session: no store")
	}
	s := &Session{id: session, guest: true, opts: OpenOptions{Store: st, SessionID: session}}
	if !validID(session) {
		return nil, fmt.Errorf("attach to session %q: an id is 1 to 64 of A-Z a-z 0-9 _ -", session)
	}
	s.prepare()
	s.ctx = ctx
	if err := s.catchUp(ctx); err != nil {
		return nil, fmt.Errorf("attach to session %s: %w", session, err)
	}
	if !s.st.opened {
		return nil, fmt.Errorf("attach to session %s: %w", session, ErrNoSession)
	}
	return s, nil
}
