package trace

import (
	"context"
	"errors"
	"fmt"

	"github.com/helios-go/helios/agent"
)

// A Sink takes the events of sessions, each session's in order.
type Sink interface {
	Put(session string, e agent.Event) error
}

// Follow passes the logged events of a session to the sinks, from a Seq on and
// then live, until ctx ends, whose error it returns, or the session is closed. Text
// that streams and other ephemeral events are left out: they are in the log as
// whole messages. What sub-agents' sessions log meanwhile is passed on too, as far
// as the sinks keep up with it; [Replay] reads all of it.
//
// It is a loop over [agent.Session.Events] and nothing more. A sink that fails gets
// no more events and the others go on; what failed is part of the error, and once
// no sink is left Follow returns.
func Follow(ctx context.Context, s *agent.Session, from agent.Seq, sinks ...Sink) error {
	m := mux{sinks: append([]Sink(nil), sinks...)}
	for e, err := range s.Events(ctx, from) {
		if err != nil {
			return errors.Join(append(m.errs, fmt.Errorf("follow session %s: %w", s.ID(), err))...)
		}
		session := s.ID()
		for child, ok := e.Data.(*agent.ChildEvent); ok; child, ok = e.Data.(*agent.ChildEvent) {
			session, e = child.Session, child.Event
		}
		if !e.Ephemeral() && !m.put(session, e) {
			break
		}
	}
	return errors.Join(m.errs...)
}

// Replay passes the whole logs of a session and of its sub-agents to the sinks, as
// they are in the store now: a sub-agent's after the event that began it.
func Replay(ctx context.Context, st agent.Store, session string, sinks ...Sink) error {
	m := mux{sinks: append([]Sink(nil), sinks...)}
	err := m.replay(ctx, st, session, map[string]bool{})
	return errors.Join(append(m.errs, err)...)
}

func (m *mux) replay(ctx context.Context, st agent.Store, session string, seen map[string]bool) error {
	if seen[session] {
		return nil
	}
	seen[session] = true
	for e, err := range st.Read(ctx, session, 1) {
		if err != nil {
			return fmt.Errorf("read the log of session %s: %w", session, err)
		}
		if !m.put(session, e) {
			return nil
		}
		if d, ok := e.Data.(*agent.ChildStarted); ok {
			if err := m.replay(ctx, st, d.Session, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// mux is several sinks, of which those that fail drop out.
type mux struct {
	sinks []Sink
	errs  []error
}

// put reports whether there is a sink left.
func (m *mux) put(session string, e agent.Event) bool {
	kept := m.sinks[:0]
	for _, s := range m.sinks {
		if err := s.Put(session, e); err != nil {
			m.errs = append(m.errs, err)
			continue
		}
		kept = append(kept, s)
	}
	m.sinks = kept
	return len(m.sinks) > 0
}
