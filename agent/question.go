package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/helios-go/helios/tool"
)

// waiter is a call that waits for the answer to its question.
type waiter struct {
	id string
	ch chan struct{}
}

// listen returns a channel that is closed when the question is answered. Called
// with mu held.
func (s *Session) listen(id string) <-chan struct{} {
	for _, w := range s.waiters {
		if w.id == id {
			return w.ch
		}
	}
	w := waiter{id, make(chan struct{})}
	s.waiters = append(s.waiters, w)
	return w.ch
}

// answered wakes those that wait for an answer. Called with mu held.
func (s *Session) answered(id string) {
	s.deferred = slices.DeleteFunc(s.deferred, func(d string) bool { return d == id })
	s.waiters = slices.DeleteFunc(s.waiters, func(w waiter) bool {
		if w.id == id {
			close(w.ch)
		}
		return w.id == id
	})
}

// deferQuestion notes that a question is left to Answer, which settles the
// session for those who wait.
func (s *Session) deferQuestion(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.st.question(id); q == nil || q.answer != nil {
		return
	}
	if !s.isDeferred(id) {
		s.deferred = append(s.deferred, id)
	}
	s.wakeWaiters()
}

func (s *Session) isDeferred(id string) bool { return slices.Contains(s.deferred, id) }

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
	s.mu.Lock()
	known := s.st.question(q.ID) != nil
	s.mu.Unlock()
	if !known {
		if err := s.appendFor(r.l, r.id, q.Call, &QuestionAsked{Question: q}); err != nil {
			return tool.Answer{}, err
		}
	}
	s.mu.Lock()
	if a := s.st.question(q.ID); a != nil && a.answer != nil {
		defer s.mu.Unlock()
		return *a.answer, nil
	}
	answered := s.listen(q.ID)
	s.mu.Unlock()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	replies := make(chan reply, 1)
	go func() {
		a, err := s.approve(ctx, q)
		replies <- reply{a, err}
	}()
	for {
		select {
		case <-ctx.Done():
			return tool.Answer{}, context.Cause(ctx)
		case <-answered:
			return s.answerTo(q.ID)
		case got := <-replies:
			switch {
			case errors.Is(got.err, ErrLater):
				s.deferQuestion(q.ID)
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

func (s *Session) answerTo(id string) (tool.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.st.question(id); a != nil && a.answer != nil {
		return *a.answer, nil
	}
	return tool.Answer{}, ErrNoQuestion
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
	return a, err
}
