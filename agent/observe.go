package agent

import "slices"

// observe shows the hooks that watch what happens from now on, until the function
// that it returns is called, which returns when they have seen all.
func (s *Session) observe(l *loop) func() {
	if !slices.ContainsFunc(s.agent.Hooks, func(h Hook) bool { return h.Event != nil }) {
		return func() {}
	}
	s.mu.Lock()
	from := s.st.seq + 1
	if len(s.st.inbox) > 0 { // what the run is about to begin with
		from = s.st.inbox[0].seq
	}
	if from == 2 {
		from = 1 // the session's own beginning
	}
	s.mu.Unlock()
	r, done, over := s.attach(from), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		defer s.detach(r)
		s.watch(l, r, over)
	}()
	return func() {
		close(over)
		<-done
	}
}

// watch hands on what the reader gets, until over is closed and nothing is left.
func (s *Session) watch(l *loop, r *reader, over <-chan struct{}) {
	tell := func(e Event, err error) bool {
		if err != nil {
			s.warn("show the log to hooks", err)
			return false
		}
		s.tell(l, e)
		return true
	}
	for last := false; ; {
		batch, more := r.next()
		for i := range batch {
			tell(batch[i], nil)
		}
		switch {
		case r.behind:
			if _, err := r.replay(l.durable, tell); err != nil {
				tell(Event{}, err)
				return
			}
		case len(batch) > 0:
		case last || more == nil:
			return
		default:
			select {
			case <-more:
			case <-over:
				last = true
			}
		}
	}
}

// tell shows an event to the hooks, whatever they do with it.
func (s *Session) tell(l *loop, e Event) {
	at := Moment{Session: s.id, User: s.opts.User, Run: e.Run, Turn: e.Turn}
	for i := range s.agent.Hooks {
		h := &s.agent.Hooks[i]
		if h.Event == nil {
			continue
		}
		_, err := guarded(s, h, func() (struct{}, error) {
			h.Event(l.durable, at, e)
			return struct{}{}, nil
		})
		if err != nil {
			s.warn("show an event to a hook", err)
		}
	}
}
