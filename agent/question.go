package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/helios-go/helios/tool"
)

// pending is an open question that this session knows more about than its log.
type pending struct {
	id       string
	answered chan struct{} // closed when there is an answer, or never will be
	later    bool          // the approver left it to Answer
	expiry   *time.Timer   // of a question that was left; nil if it never expires
}

// pendingOn finds or makes what is known of an open question. Called with mu held.
func (s *Session) pendingOn(id string) *pending {
	i := slices.IndexFunc(s.pending, func(p pending) bool { return p.id == id })
	if i < 0 {
		i = len(s.pending)
		s.pending = append(s.pending, pending{id: id, answered: make(chan struct{})})
	}
	return &s.pending[i]
}

// prune wakes those that wait for an answer that is there, or whose call is over.
// Called with mu held.
func (s *Session) prune() {
	s.pending = slices.DeleteFunc(s.pending, func(p pending) bool {
		if q := s.st.question(p.id); q != nil && q.answer == nil {
			return false
		}
		close(p.answered)
		if p.expiry != nil {
			p.expiry.Stop()
		}
		return true
	})
	if len(s.pending) == 0 {
		s.pending = nil
	}
}

// leave notes that a question is left to Answer, which settles the session for
// those who wait.
func (s *Session) leave(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.st.question(id); q != nil && q.answer == nil {
		p := s.pendingOn(id)
		p.later = true
		if expires := q.q.Expires; !expires.IsZero() && p.expiry == nil {
			p.expiry = time.AfterFunc(time.Until(expires), func() { s.kick(true) })
		}
		s.wakeWaiters()
	}
}

// isLeft reports whether a question is left to Answer. Called with mu held.
func (s *Session) isLeft(id string) bool {
	return slices.ContainsFunc(s.pending, func(p pending) bool { return p.id == id && p.later })
}

// reply is what an approver returned.
type reply struct {
	answer tool.Answer
	err    error
}

// ask puts a question into the log unless it is there, has the approver answer
// it, and waits for whichever answer comes first. When the approver leaves it
// for later, ask waits on, or returns ErrLater if it may not wait.
func (r *run) ask(ctx context.Context, q *tool.Question, wait bool) (tool.Answer, error) {
	s := r.s
	if s.opts.Approver == nil {
		return tool.Answer{}, tool.ErrNoAsker
	}
	q, answered, err := r.pose(q)
	if err != nil {
		return tool.Answer{}, err
	}
	if answered == nil {
		return s.answerTo(q.ID)
	}
	if q.Expired(time.Now()) {
		return r.expire(q)
	}
	var cancel context.CancelFunc
	if q.Expires.IsZero() {
		ctx, cancel = context.WithCancel(ctx)
	} else {
		ctx, cancel = context.WithDeadlineCause(ctx, q.Expires, tool.ErrExpired)
	}
	defer cancel()
	replies := make(chan reply, 1)
	go func() {
		got := reply{err: errExited}
		defer func() { replies <- got }()
		got.answer, got.err = s.approve(ctx, q)
	}()
	for {
		select {
		case <-ctx.Done():
			if err := context.Cause(ctx); !errors.Is(err, tool.ErrExpired) {
				return tool.Answer{}, err
			}
			return r.expire(q)
		case <-answered:
			return s.answerTo(q.ID)
		case got := <-replies:
			switch {
			case errors.Is(got.err, ErrLater):
				s.leave(q.ID)
				if !wait {
					return tool.Answer{}, ErrLater
				}
			case got.err != nil:
				return tool.Answer{}, got.err
			default:
				if err := s.appendFor(r.l, r.id, q.Call, &QuestionAnswered{ID: q.ID, Answer: got.answer}); err != nil {
					return tool.Answer{}, err
				}
			}
		}
	}
}

// pose puts a question into the log unless it is there. It returns the question
// as it stands there, and what is closed when it is answered: nil if it is.
func (r *run) pose(q *tool.Question) (*tool.Question, <-chan struct{}, error) {
	s := r.s
	s.mu.Lock()
	known := s.st.question(q.ID)
	if known != nil {
		q = known.q
	}
	s.mu.Unlock()
	if known == nil {
		if red := s.redactor(); red != nil {
			q = redactQuestion(red, q)
		}
		if limit := s.agent.Limits.Answer; limit > 0 && q.Expires.IsZero() {
			q.Expires = time.Now().Add(limit).UTC().Truncate(time.Millisecond)
		}
		if err := s.appendFor(r.l, r.id, q.Call, &QuestionAsked{Question: q}); err != nil {
			return q, nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.st.question(q.ID); a != nil && a.answer != nil {
		return q, nil, nil
	}
	return q, s.pendingOn(q.ID).answered, nil
}

// expire closes a question that nobody has answered in time, unless somebody has.
func (r *run) expire(q *tool.Question) (tool.Answer, error) {
	if err := r.s.appendFor(r.l, r.id, q.Call, &QuestionAnswered{ID: q.ID, Expired: true}); err != nil {
		return tool.Answer{}, err
	}
	return r.s.answerTo(q.ID)
}

func (s *Session) answerTo(id string) (tool.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch a := s.st.question(id); {
	case a == nil || a.answer == nil:
		return tool.Answer{}, ErrNoQuestion
	case a.answer.Expired:
		return tool.Answer{}, tool.ErrExpired
	default:
		return a.answer.Answer, nil
	}
}

// approve calls the approver and checks its answer.
func (s *Session) approve(ctx context.Context, q *tool.Question) (a tool.Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.panicked("approver", p)
			err = fmt.Errorf("the approver panicked: %v", p)
		}
	}()
	if a, err = s.opts.Approver.Approve(ctx, q); err == nil {
		err = a.Fits(q)
	}
	return a, sound(err)
}
