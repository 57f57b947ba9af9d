package agent

import (
	"context"
	"time"
)

// Wait waits until the session is idle and returns the result of its last run,
// or until its run waits for an answer, with StopQuestion. Idle is when no message
// waits either, so of several queued ones it is the last one's.
//
// The Result is never nil. The error is Result.Err: a *[StopError], for errors.As,
// when a run stopped short; anything else (ctx has ended, the store cannot be read)
// says why there is no result. It is the last run's also when that was long ago, in
// another process. A session that never ran has no error and an empty result, whose
// Stop and Run are "".
//
// Wait also takes over from an owner that died, once its lease has ended.
//
// Ending ctx ends the wait, not the run; but where ctx is also that of Open, the
// run ends with it, and Wait returns what came of it.
func (s *Session) Wait(ctx context.Context) (*Result, error) {
	defer s.rest()
	return s.wait(ctx)
}

func (s *Session) wait(ctx context.Context) (*Result, error) {
	defer s.unwait()
	if s.waits() {
		ctx = context.WithoutCancel(ctx)
	}
	if err := s.catchUp(ctx); err != nil {
		return &Result{Session: s.id, Stop: StopFailed, Err: err}, err
	}
	s.kick(false) // an owner that died may have left work, or a question
	for {
		s.mu.Lock()
		res, done := s.settledResult()
		settled, local := s.waitChannel(done), s.loop != nil
		s.mu.Unlock()
		if done {
			return res, res.Err
		}
		if err := s.await(ctx, settled, local); err != nil {
			if s.stopping() {
				return s.wait(ctx) // which now lasts until the run has ended
			}
			return &Result{Session: s.id, Stop: StopFailed, Err: err}, err
		}
	}
}

// waits counts one who waits, and reports whether the session is stopping.
func (s *Session) waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiters++
	return s.ended() != nil
}

func (s *Session) unwait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiters--
}

// settledResult is what Wait returns now, if the session is settled. Called with
// mu held.
func (s *Session) settledResult() (*Result, bool) {
	run := s.st.current()
	switch q := s.st.openQuestion(); {
	case s.loop == nil && s.broken != nil:
		res := run.result(s.id, StopFailed, &StopError{Stop: StopFailed, Err: s.redactor().Err(s.broken.Err)})
		return res, true
	case q != nil && !q.Expired(time.Now()) && run.interrupt == "" && (s.loop == nil || s.isLeft(q.ID) && s.st.runs(q.Call)):
		res := run.result(s.id, StopQuestion, nil)
		res.Question = q
		return res, true
	case s.loop != nil:
		return nil, false
	case s.ended() != nil && s.st.hasWork():
		err := &StopError{Stop: StopCancelled, Err: s.ended()}
		return run.result(s.id, StopCancelled, err), true
	case s.st.hasWork():
		return nil, false
	}
	if _, last := s.memory(); last != nil {
		return last, true
	}
	return &Result{Session: s.id}, true
}

// waitChannel is closed when the session next settles. Called with mu held.
func (s *Session) waitChannel(done bool) <-chan struct{} {
	if done {
		return nil
	}
	if s.settled == nil {
		s.settled = make(chan struct{})
	}
	return s.settled
}

// wakeWaiters tells those in Wait to look again. Called with mu held.
func (s *Session) wakeWaiters() {
	if s.settled != nil {
		close(s.settled)
		s.settled = nil
	}
}

func (s *Session) stopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended() != nil
}

// ended is why no more runs may go on, if they may not. Called with mu held.
func (s *Session) ended() error {
	switch {
	case s.leaving:
		return ErrDetached
	case s.closed:
		return ErrClosed
	}
	return context.Cause(s.ctx)
}
