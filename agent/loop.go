package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helios-go/helios/llm"
)

// A loop owns the session while there is work, in a goroutine of its own.
type loop struct {
	lease     Lease
	durable   context.Context         // of the session's without its end, for writing what was done
	scratch   []Event                 // events being written; guarded by Session.writing
	room      [2]Event                // of scratch, as a rule
	cancel    context.CancelCauseFunc // of the run that is going on; guarded by Session.mu
	vetted    map[Seq]bool            // messages that the hooks have seen
	purse     *Budget                 // of the run's sub-agents, once there are any; guarded by Session.mu
	streaming *attempt                // whose message is not in the log yet; guarded by Session.mu
	children  []*Session              // sub-agents' sessions that work for the run; guarded by Session.mu
}

// working reports whether an owner has something to do. Questions that were
// asked by a process that is gone are asked again. Called with mu held.
func (s *Session) working() bool {
	if s.st.hasWork() {
		return true
	}
	q := s.st.openQuestion()
	return s.st.run != nil && q != nil && !s.isLeft(q.ID)
}

// kick starts a loop if there is work and none runs. Unless it must, it leaves a
// session alone while somebody else's lease lasts.
func (s *Session) kick(must bool) {
	if l := s.claim(must); l != nil {
		go s.work(l)
	}
}

// claim is kick, but leaves it to the caller to have the loop work.
func (s *Session) claim(must bool) *loop {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guest || s.opening || s.loop != nil || s.ended() != nil || !s.working() {
		return nil
	}
	if !must && time.Now().UnixNano() < s.leased {
		return nil
	}
	l := s.newLoop()
	s.begin(l)
	return l
}

func (s *Session) newLoop() *loop { return &loop{durable: context.WithoutCancel(s.ctx)} }

// begin has a loop own the session, which now has to work. Called with mu held.
func (s *Session) begin(l *loop) {
	s.loop, s.broken = l, nil
	s.loops.Add(1)
}

// resume reads the log of a session that may exist, and goes on with what was
// cut short there.
func (s *Session) resume(ctx context.Context) error {
	s.mu.Lock()
	s.opening = true // nobody else takes the work up meanwhile
	s.mu.Unlock()
	l, err := s.takeUp(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening = false
	s.resumed = s.st.opened
	var leased *LeasedError
	switch {
	case errors.As(err, &leased):
		s.resumed = true // whoever owns it goes on
		s.later(leased)
		return nil
	case l == nil:
		return err
	}
	s.begin(l)
	go s.work(l)
	return nil
}

// takeUp returns a loop that owns the session, nil if there is nothing to do.
func (s *Session) takeUp(ctx context.Context) (*loop, error) {
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	working := s.working()
	s.mu.Unlock()
	if !working {
		return nil, nil
	}
	l := s.newLoop()
	if err := s.acquire(ctx, l); err != nil {
		s.release(l)
		return nil, err
	}
	return l, nil
}

// later has the session look for work again when another owner's lease is over.
// Called with mu held.
func (s *Session) later(e *LeasedError) {
	time.AfterFunc(time.Until(e.Until), func() { s.kick(false) })
}

// work runs the session until there is nothing left to do.
func (s *Session) work(l *loop) {
	deepenRun(0)
	defer s.loops.Done()
	err := errExited // of whatever it is of the user's that does not come back
	defer func() {
		s.settle(err)
		s.rest()
	}()
	for {
		err = s.own(l)
		s.mu.Lock()
		again := err == nil && s.working() && s.ended() == nil
		s.mu.Unlock()
		if !again {
			return
		}
		err = errExited
	}
}

// settle ends the loop, and tells those who wait. An owner who is still alive is
// asked for the work again when the lease is over.
func (s *Session) settle(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loop, s.broken = nil, nil
	var leased *LeasedError
	switch {
	case err == nil, s.ended() != nil, errors.Is(err, ErrFenced):
		// there is nothing more to do here
	case errors.As(err, &leased):
		s.later(leased)
	default:
		s.broken = &StopError{Stop: StopFailed, Err: err}
	}
	s.wakeWaiters()
	s.wakeReaders()
}

// own does the work that there is under a lease. After it has released the
// lease it looks again: whoever posts a message and finds the lease taken may
// rely on that.
func (s *Session) own(l *loop) error {
	if l.lease.Epoch == 0 {
		if err := s.acquire(s.ctx, l); err != nil {
			s.release(l)
			return err
		}
	}
	if err := s.owned(l); err != nil {
		return err
	}
	s.look(l.durable)
	return nil
}

// owned does the work under the lease that there is.
func (s *Session) owned(l *loop) (err error) {
	defer s.release(l)
	defer s.observe(l)()
	defer s.keep(l)()
	defer func() {
		if p := recover(); p != nil {
			s.panicked("the session's loop", p)
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return s.runs(l)
}

// runs drives runs until none is left to drive.
func (s *Session) runs(l *loop) error {
	for {
		s.mu.Lock()
		todo := s.working() && !s.leaving && (s.ended() == nil || s.st.run != nil)
		s.mu.Unlock()
		if !todo {
			return nil
		}
		if err := s.drive(l); err != nil {
			return err
		}
	}
}

// acquire makes this session the owner and the log known to it, and refuses to
// go on where calls may or may not have happened.
func (s *Session) acquire(ctx context.Context, l *loop) error {
	if s.owner == "" {
		s.owner = "local" // where nobody else can reach the store
		if !s.private {
			s.owner = NewID()
		}
	}
	lease, err := s.opts.Store.Acquire(ctx, s.id, s.owner, s.opts.Lease)
	if err != nil {
		if taken, ok := errors.AsType[*LeasedError](err); ok {
			s.mu.Lock()
			s.leased = taken.Until.UnixNano()
			s.mu.Unlock()
		}
		return err
	}
	l.lease = lease
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	return s.unsafe(ctx)
}

func (s *Session) release(l *loop) {
	if l.lease.Epoch == 0 {
		return
	}
	if err := s.opts.Store.Release(l.durable, l.lease); err != nil {
		s.warn("release the lease", err)
	}
	l.lease = Lease{}
}

// unsafe is an *UnsafeResumeError if the log holds calls that started, did not
// end and cannot be repeated, unless the model is to be told.
func (s *Session) unsafe(ctx context.Context) error {
	if s.opts.Unsafe == TellModel {
		return nil
	}
	s.mu.Lock()
	calls, children := s.st.doubts()
	s.mu.Unlock()
	for len(children) > 0 { // those of sub-agents are as bad
		var st state
		for e, err := range s.opts.Store.Read(ctx, children[0], 1) {
			if err != nil {
				return err
			}
			st.apply(&e)
		}
		below, more := st.doubts()
		calls, children = append(calls, below...), append(children[1:], more...)
	}
	if len(calls) == 0 {
		return nil
	}
	return &UnsafeResumeError{Session: s.id, Calls: calls}
}

// doubts are the calls of the open run of which nobody knows if they took effect,
// and the sub-agents' sessions that work for it.
func (s *state) doubts() (calls []*llm.ToolCall, children []string) {
	for _, c := range s.openCalls() {
		if c.doubtful() {
			calls = append(calls, c.started.Call)
		}
	}
	if s.run == nil {
		return calls, nil
	}
	for _, c := range s.run.children {
		if !c.ended {
			children = append(children, c.session)
		}
	}
	return calls, children
}

// doubtful reports whether nobody knows if the call took effect.
func (c *openCall) doubtful() bool {
	return c.started != nil && c.result == nil && !c.started.Effect.Repeatable()
}

// keep renews the lease and watches for what others post, until the function
// that it returns is called. A store that nobody else can reach needs neither.
func (s *Session) keep(l *loop) func() {
	if s.private {
		return func() {}
	}
	ctx, cancel := context.WithCancel(l.durable)
	done, quit := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		s.keeper(ctx, l, quit)
	}()
	return func() {
		close(quit)
		cancel() // also what the store is at
		<-done
	}
}

func (s *Session) keeper(ctx context.Context, l *loop, quit <-chan struct{}) {
	renew := time.NewTicker(s.opts.Lease / 4)
	defer renew.Stop()
	var poll <-chan time.Time
	notifier, _ := s.opts.Store.(Notifier)
	if notifier == nil {
		ticker := time.NewTicker(s.opts.Poll)
		defer ticker.Stop()
		poll = ticker.C
	}
	renewed := time.Now()
	for {
		changed := s.changed()
		if notifier != nil {
			s.look(ctx) // after asking to be told, so that nothing is missed
		}
		select {
		case <-quit:
			return
		case <-changed:
		case <-poll:
			s.look(ctx)
		case <-renew.C:
			err := s.opts.Store.Renew(ctx, l.lease)
			switch {
			case err == nil:
				renewed = time.Now()
			case errors.Is(err, ErrFenced) || time.Since(renewed) > s.opts.Lease:
				s.stopRun(l, errors.Join(ErrFenced, err)) // it is no longer the owner
				return
			case ctx.Err() == nil:
				s.warn("renew the lease", err)
			}
		}
	}
}

func (s *Session) look(ctx context.Context) {
	if err := s.catchUp(ctx); err != nil && ctx.Err() == nil {
		s.warn("read the log", err)
	}
}

func (s *Session) warn(doing string, err error) {
	if s.opts.Logger != nil {
		s.opts.Logger.Warn(doing, "session", s.id, "error", err)
	}
}
