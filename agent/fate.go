package agent

import (
	"errors"
	"slices"
)

// fate is what becomes of a message that somebody waits for.
type fate struct {
	seq     Seq
	blocked *MessageBlocked // not nil: it was
	run     string          // that has taken it
	result  *Result         // of that run
}

// note takes an event into account.
func (f *fate) note(e *Event) {
	switch d := e.Data.(type) {
	case *MessageBlocked:
		if d.Message == f.seq {
			f.blocked = d
		}
	case *TurnStarted:
		if slices.Contains(d.Took, f.seq) {
			f.run = e.Run
		}
	case *RunEnded:
		if e.Run == f.run && f.result == nil {
			f.result = d.Result
		}
	}
}

func (s *Session) follow(seq Seq) *fate {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &fate{seq: seq}
	s.fates = append(s.fates, f)
	return f
}

// unfollow returns the result of the message's run, or that the message was blocked,
// or what waiting has come to.
func (s *Session) unfollow(f *fate, res *Result, err error) (*Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fates = slices.DeleteFunc(s.fates, func(o *fate) bool { return o == f })
	if len(s.fates) == 0 {
		s.fates = nil
	}
	switch {
	case f.result != nil:
		return f.result, f.result.Err
	case f.blocked == nil:
		return res, err
	}
	err = &StopError{Stop: StopBlocked, Err: errors.New(f.blocked.Reason)}
	return &Result{Session: s.id, Stop: StopBlocked, Err: err}, err
}
