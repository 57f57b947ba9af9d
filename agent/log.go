package agent

import (
	"context"
	"errors"
	"time"
)

// What a session knows of its log is brought up to date here, and only here:
// every write and every look at what others wrote goes through the lock
// writing, so that events are folded and shown in the order of their Seq.

// event wraps data for the run that is going on. Called with writing or mu held.
func (s *Session) event(data EventData) Event {
	e := Event{Time: s.now(), Data: data}
	if s.st.run != nil {
		e.Run, e.Turn = s.st.run.id, s.st.run.turns
	}
	return e
}

func (s *Session) now() time.Time {
	now := time.Now
	if s.opts.Clock != nil {
		now = s.opts.Clock
	}
	return now().UTC().Truncate(time.Millisecond)
}

// post writes an event that needs no lease. The first one of a session opens it.
func (s *Session) post(ctx context.Context, data EventData) (Seq, error) {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return 0, ErrClosed
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if !s.st.opened && !s.private {
		if err := s.read(ctx, 0); err != nil { // somebody else may have opened it
			return 0, err
		}
	}
	events := make([]Event, 0, 2)
	if !s.st.opened {
		events = append(events, Event{Time: s.now(), Data: &SessionOpened{
			Agent: s.agent.Name, Model: s.agent.Model.Name(), User: s.opts.User, Parent: s.parent,
		}})
	}
	s.redact(data)
	events = append(events, Event{Time: s.now(), Data: data})
	last, err := s.opts.Store.Post(ctx, s.id, events)
	if err != nil {
		return 0, err
	}
	if last <= s.st.seq { // the log was purged meanwhile: what is known is no more
		s.forget()
	}
	if err := s.absorb(context.WithoutCancel(ctx), last, events); err != nil {
		s.warn("read the log", err) // what was posted is there, and will be seen
	}
	return last, nil
}

// forget has the session begin anew. Called with writing held.
func (s *Session) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st, s.resting = state{}, nil
}

// append writes events of the run that is going on. They are written even when
// the run's context has ended: what was done is recorded.
func (s *Session) append(l *loop, data ...EventData) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.write(l, data...)
}

// errOver is what a tool gets that still has something to say when its call or
// the whole run is over.
var errOver = errors.New("the call is over")

// appendFor writes an event on behalf of a call, as long as its run goes on and,
// if it must, the call has no result.
func (s *Session) appendFor(l *loop, run, call string, data EventData) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.st.run == nil || s.st.run.id != run || call != "" && !s.st.isOpen(call) {
		return errOver
	}
	return s.write(l, data)
}

// write is append with writing held.
func (s *Session) write(l *loop, data ...EventData) error {
	if len(data) == 0 {
		return nil
	}
	events := l.scratch[:0]
	if events == nil {
		events = l.room[:0]
	}
	at := s.event(nil)
	for _, d := range data {
		switch d.(type) {
		case *RunStarted:
			at.Run, at.Turn = NewID(), 0
		case *TurnStarted:
			at.Turn++
		}
		s.redact(d)
		at.Data = d
		events = append(events, at)
	}
	l.scratch = events
	last, err := s.opts.Store.Append(l.durable, l.lease, events)
	if err != nil {
		return err
	}
	if b := s.payer(l); b != nil {
		for _, d := range data {
			b.charge(d)
		}
	}
	return s.absorb(l.durable, last, events)
}

// absorb folds events that were just written and end at last, after those that
// others wrote in between. Called with writing held.
func (s *Session) absorb(ctx context.Context, last Seq, events []Event) error {
	first := last - Seq(len(events)) + 1
	if first > s.st.seq+1 {
		if err := s.read(ctx, first); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range events {
		events[i].Seq = first + Seq(i)
		s.apply(&events[i])
	}
	return nil
}

// catchUp folds what others have written.
func (s *Session) catchUp(ctx context.Context) error {
	if s.private {
		return nil
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.read(ctx, 0)
}

// read folds events from the store, up to the one before stop, or all. Called
// with writing held.
func (s *Session) read(ctx context.Context, stop Seq) error {
	for e, err := range s.opts.Store.Read(ctx, s.id, s.st.seq+1) {
		if err != nil {
			return err
		}
		if stop > 0 && e.Seq >= stop {
			break
		}
		s.mu.Lock()
		s.apply(&e)
		s.mu.Unlock()
	}
	return nil
}

// apply folds one event, shows it, and lets the loop react to it. Called with
// writing and mu held.
func (s *Session) apply(e *Event) {
	switch e.Data.(type) {
	case *RunStarted, *SessionForked: // nothing else that comes to an idle session touches its conversation
		s.rouse()
	}
	s.st.apply(e)
	if s.feed != nil {
		s.feed.publish(*e)
	}
	if s.above != nil {
		s.raise(func() Event { return *e })
	}
	switch e.Data.(type) {
	case *ModelMessage, *ModelRetried, *RunEnded:
		if s.loop != nil {
			s.loop.streaming = nil
		}
	}
	for _, f := range s.fates {
		f.note(e)
	}
	switch e.Data.(type) {
	case *UserMessage, *ModelMessage, *QuestionAsked:
		s.react()
	case *QuestionAnswered, *ToolEnded:
		s.prune()
	case *RunEnded:
		s.prune()
		s.succeed()
	}
}

// succeed has the session look for the lease of another owner, whose run has ended,
// if there is something left to do: the other one may be about to close. Called with
// mu held.
func (s *Session) succeed() {
	if s.loop == nil && !s.guest && !s.opening && s.working() {
		s.leased = 0
		time.AfterFunc(s.opts.Poll, func() { s.kick(false) })
	}
}

// react cancels the run where an interrupt wants that. Called with mu held.
func (s *Session) react() {
	l := s.loop
	if l == nil || l.cancel == nil || s.st.run == nil {
		return
	}
	at := s.st.run.interrupt
	tools := s.st.run.phase == phaseTools
	if at == Now || at == AfterModel && tools || at == AfterTools && tools && s.st.openQuestion() != nil {
		l.cancel(ErrInterrupted)
	}
}

// asking reports whether a question waits for its answer: a run that is to be
// interrupted does not wait for that.
func (s *Session) asking() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.st.openQuestion() != nil
}

// await waits for the channel, and when nobody runs the session here, also for
// others to write to its log or to give it up.
func (s *Session) await(ctx context.Context, wake <-chan struct{}, local bool) error {
	if local || s.private {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-wake:
			return nil
		}
	}
	changed := s.changed()
	timer := time.NewTimer(s.opts.Poll)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-wake:
		return nil
	case <-changed:
	case <-timer.C:
	}
	return s.takeOver(ctx)
}

// changed is the store's own notice of new events, nil if it gives none.
func (s *Session) changed() <-chan struct{} {
	if n, ok := s.opts.Store.(Notifier); ok {
		return n.Changed(s.id)
	}
	return nil
}
