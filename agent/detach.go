package agent

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrDetached is why a session's run does not go on here: see [Session.Detach].
var ErrDetached = errors.New("session detached: its run goes on where it is opened next")

// Detach closes the session and leaves its run open, for whoever opens it next: a
// process that is told to stop hands its work over, where Close would end it. What
// the model is writing is given up and asked for again. Tools that run are waited
// for until ctx ends; then they are cancelled, and what is not done by then counts
// as it does after a crash. A session in memory alone is lost with its process.
func (s *Session) Detach(ctx context.Context) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.leaving = true
	if s.st.idling() {
		s.abandon()
	}
	var children []*Session
	if s.loop != nil {
		children = slices.Clone(s.loop.children)
	}
	s.mu.Unlock()
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.abandon()
	})
	defer stop()
	var group sync.WaitGroup
	for _, child := range children {
		group.Go(func() { _ = child.Detach(ctx) }) // it has nothing to say but nil
	}
	group.Wait()
	return s.Close()
}

// abandon cancels the run that goes on. Called with mu held.
func (s *Session) abandon() {
	if s.loop != nil && s.loop.cancel != nil {
		s.loop.cancel(ErrDetached)
	}
}

// idling reports whether the run may be cut short without losing what a tool does:
// the model is writing, or a permission is asked for and no call runs.
func (s *state) idling() bool {
	if s.run == nil || s.run.phase != phaseTools {
		return true
	}
	q := s.openQuestion()
	return q != nil && q.Permission && !slices.ContainsFunc(s.run.open, func(c openCall) bool { return c.started != nil && c.result == nil })
}

// adopt has Detach leave a sub-agent's session open too, until the function that
// it returns is called.
func (s *Session) adopt(l *loop, child *Session) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.children = append(l.children, child)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		l.children = slices.DeleteFunc(l.children, func(c *Session) bool { return c == child })
	}
}

// isLeaving reports whether the run is to be left as it is.
func (s *Session) isLeaving() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leaving
}

// leftBehind is what is written of a model call that is given up: what it has cost.
func leftBehind(msg *ModelMessage) []EventData {
	if msg.Usage.Total() == 0 && msg.Cost == 0 {
		return nil
	}
	return []EventData{&ModelRetried{Reason: ErrDetached.Error(), Attempt: msg.Attempt, Usage: msg.Usage, Cost: msg.Cost}}
}
