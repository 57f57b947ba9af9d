package agent

import "github.com/helios-go/helios/llm"

// A session that nobody asks anything of holds its conversation packed. Longer
// ones stay as they are: to unpack them for each run would cost more than it
// spares, and most of their bytes are texts.
const restMessages = 16

// A rester is a store that can pack the log of a session.
type rester interface{ rest(session string) }

// rest packs what the session remembers, once it is idle and nobody waits for
// its result.
func (s *Session) rest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loop != nil || s.waiters > 0 || s.st.run != nil || len(s.st.inbox) > 0 {
		return
	}
	if st, ok := s.opts.Store.(rester); ok {
		st.rest(s.id)
	}
	if s.resting == nil && len(s.st.history) <= restMessages {
		s.resting = packMemory(s.id, s.st.history, s.st.last)
		s.st.history, s.st.last = nil, nil
	}
}

// rouse unpacks what the session remembers, to go on from it. Called with mu
// held.
func (s *Session) rouse() {
	s.st.history, s.st.last = s.memory()
	s.resting = nil
}

// memory is the conversation and the last result. Called with mu held.
func (s *Session) memory() ([]llm.Message, *Result) {
	if s.resting == nil {
		return s.st.history, s.st.last
	}
	return unpackMemory(s.id, s.resting)
}

func packMemory(session string, history []llm.Message, last *Result) *packed {
	var c coder
	var buf [1024]byte
	c.pack(buf[:], session)
	c.memory(&history, &last)
	p := c.packed()
	return &p
}

func unpackMemory(session string, p *packed) (history []llm.Message, last *Result) {
	var c coder
	c.unpack(*p, session)
	c.memory(&history, &last)
	return history, last
}

func (c *coder) memory(history *[]llm.Message, last **Result) {
	n := c.length(len(*history))
	if c.unpacking && n > 0 {
		*history = make([]llm.Message, n, n+4) // the next run's
	}
	for i := range *history {
		c.message(&(*history)[i])
	}
	rare := *last != nil && !plain(*last)
	if c.truth(&rare); rare {
		if kept, ok := c.keep(*last).(*Result); ok && c.unpacking {
			*last = kept
		}
		return
	}
	there := *last != nil
	if c.truth(&there); there {
		c.runResult(last)
	}
}
