package agent

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/helios-go/helios/llm"
)

// feedSize is how many events a reader may lag behind before it has to read the
// store again and loses deltas. They are kept in blocks, made as they are needed.
const (
	feedSize  = 1024
	blockSize = 64
)

// feed holds the latest events, also the ephemeral ones, for the readers that
// there are. Each reader has a position of its own, so nobody waits for it. A feed
// whose readers have all fallen behind holds nothing and only counts, until one
// of them comes back. It is guarded by Session.mu; without readers there is none.
type feed struct {
	readers []*reader
	blocks  [feedSize / blockSize]*[blockSize]shown // a ring
	head    int64                                   // position of the next event
	low     int64                                   // position of the oldest event that is kept
	shown   int64                                   // ephemeral events before head
	lost    int64                                   // ephemeral events before low
	idle    bool                                    // nobody is near enough to be shown more
	wake    chan struct{}                           // made for readers that wait, closed when there is more
}

// shown is an event in the feed. A delta is made an event when somebody reads it:
// most of what a model streams may never be.
type shown struct {
	record
	seq     Seq
	text    string // of a delta that nobody has read
	index   int32
	attempt int32
	kind    llm.ChunkKind
}

// event is what readers get. Called with mu held.
func (e *shown) event() Event {
	if e.data == nil {
		c := llm.Chunk{Kind: e.kind, Index: int(e.index), Text: e.text}
		e.data = deltaOf(&c, int(e.attempt))
	}
	return e.record.event(e.seq)
}

// publish shows an event to the readers.
func (f *feed) publish(e Event) {
	f.add(shown{record: record{nanos: nanos(e.Time), turn: e.Turn, run: e.Run, data: e.Data}, seq: e.Seq})
}

func (f *feed) add(e shown) {
	if e.seq == 0 {
		f.shown++
	}
	if f.head-f.low == feedSize {
		f.advance()
	}
	if f.idle {
		return
	}
	if block := &f.blocks[f.head%feedSize/blockSize]; *block == nil {
		*block = new([blockSize]shown)
	}
	*f.at(f.head) = e
	f.head++
	f.rouse()
}

// at is the place of a position.
func (f *feed) at(pos int64) *shown {
	return &f.blocks[pos%feedSize/blockSize][pos%blockSize]
}

// advance forgets the oldest event; now and then it looks if that of all is of
// no use to anybody.
func (f *feed) advance() {
	if f.low%(feedSize/8) == 0 && !slices.ContainsFunc(f.readers, func(r *reader) bool { return r.pos >= f.low }) {
		clear(f.blocks[:])
		f.low, f.idle = f.head, true
		return
	}
	if f.at(f.low).seq == 0 {
		f.lost++
	}
	f.low++
}

// resume goes on showing events, if that had no use. What has been shown until
// now is lost.
func (f *feed) resume() {
	if f.idle {
		f.idle, f.lost = false, f.shown
	}
}

// rouse wakes the readers that wait.
func (f *feed) rouse() {
	if f.wake != nil {
		close(f.wake)
		f.wake = nil
	}
}

// wakeReaders has the readers look again. Called with mu held.
func (s *Session) wakeReaders() {
	if s.feed != nil {
		s.feed.rouse()
	}
}

// watched reports whether somebody reads. Called with mu held.
func (s *Session) watched() bool {
	if s.feed == nil {
		return false
	}
	if s.feed.idle {
		s.feed.shown++ // and dropped
	}
	return !s.feed.idle
}

// show gives the readers an ephemeral event, which is made only if there are any.
func (s *Session) show(data func() EventData) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watched() {
		s.feed.publish(s.event(data()))
	}
	if s.above != nil {
		s.raise(func() Event { return s.event(data()) })
	}
}

// raise shows what happens in a sub-agent's session to the readers of its
// caller's. Called with mu held; a caller's comes after a sub-agent's.
func (s *Session) raise(e func() Event) {
	if !s.overseen() {
		return
	}
	s.above.show(func() EventData {
		return &ChildEvent{Session: s.id, Agent: s.agent.Name, Call: s.parent.Call, Event: e()}
	})
}

// overseen reports whether somebody reads what happens in the caller's session,
// or in that of its caller. Called with mu held.
func (s *Session) overseen() bool {
	if s.above == nil {
		return false
	}
	s.above.mu.Lock()
	defer s.above.mu.Unlock()
	return s.above.feed != nil && !s.above.feed.idle || s.above.overseen()
}

// Events yields the session's events from a Seq on, 0 or 1 for all: first those
// that are in the log, then what happens, live, with deltas and progress, until ctx
// ends (which is the last error) or the session is closed (after the last one in
// the log). It listens from the call on, not only from the loop on: what is sent
// after it is seen. Of a message that is streaming by then, it first tells what
// there is so far, in one delta for each part.
//
// Breaking the loop detaches the reader, and so does the end of ctx where there
// never is a loop. There may be any number of readers; none slows the session
// down. A reader that is too slow gets every logged event, and a [Dropped] event in
// place of the ephemeral ones that it missed.
func (s *Session) Events(ctx context.Context, from Seq) iter.Seq2[Event, error] {
	first := s.attach(from)
	stop := context.AfterFunc(ctx, func() { s.detach(first) })
	return func(yield func(Event, error) bool) {
		r := first
		if !stop() { // ctx has ended, or this is the second loop
			r = s.attach(from)
		}
		defer s.detach(r)
		for {
			batch, more := r.next()
			for i := range batch {
				if !yield(batch[i], nil) {
					return
				}
			}
			var err error
			switch {
			case r.behind:
				var ok bool
				if ok, err = r.replay(ctx, yield); !ok {
					return
				}
			case len(batch) > 0:
			case more == nil:
				return
			default:
				err = s.awaitEvents(ctx, more)
			}
			if err == nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				yield(Event{}, err)
				return
			}
		}
	}
}

// reader is a position in the feed and in the log.
type reader struct {
	s      *Session
	seq    Seq     // next one of the log
	pos    int64   // next one in the feed
	seen   int64   // ephemeral events before pos, or told of as dropped
	until  Seq     // replay the log before this one
	behind bool    // replay before going on with the feed
	early  []Event // deltas from before it was attached
	buf    [32]Event
}

func (s *Session) attach(from Seq) *reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.feed == nil {
		s.feed = &feed{}
	}
	s.feed.resume()
	r := &reader{
		s: s, seq: max(from, 1), pos: s.feed.head, seen: s.feed.shown,
		until: s.st.seq + 1, behind: true, early: s.soFar(),
	}
	s.feed.readers = append(s.feed.readers, r)
	return r
}

// soFar is what was shown of the message that is streaming, one delta for each of
// its parts. Called with mu held.
func (s *Session) soFar() []Event {
	if s.loop == nil || s.loop.streaming == nil {
		return nil
	}
	a := s.loop.streaming
	var events []Event
	deltas := a.acc.Deltas()
	if a.veil != nil {
		deltas = a.veil.deltas()
	}
	for c := range deltas {
		events = append(events, s.event(deltaOf(&c, a.n)))
	}
	return events
}

func (s *Session) detach(r *reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.feed == nil {
		return
	}
	s.feed.readers = slices.DeleteFunc(s.feed.readers, func(o *reader) bool { return o == r })
	if len(s.feed.readers) == 0 {
		s.feed = nil
	}
}

// next returns what the feed has. Where it has lost events, the reader is behind
// until it has replayed them from the log. With nothing to return, more is
// closed when there is; it is nil when there never will be.
func (r *reader) next() (batch []Event, more <-chan struct{}) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	f := r.s.feed
	if r.behind {
		return nil, nil
	}
	if batch, r.early = r.early, nil; len(batch) > 0 {
		return batch, nil
	}
	if f.resume(); r.pos < f.low {
		n := f.lost - r.seen
		r.pos, r.seen, r.behind, r.until = f.low, f.lost, true, r.s.st.seq+1
		for pos := f.low; pos < f.head; pos++ {
			if e := f.at(pos); e.seq > 0 {
				r.until = e.seq
				break
			}
		}
		if n > 0 {
			r.buf[0] = r.s.event(&Dropped{N: int(n)})
			return r.buf[:1], nil
		}
		return nil, nil
	}
	n := 0
	for ; n < len(r.buf) && r.pos < f.head; r.pos++ {
		e := f.at(r.pos)
		switch {
		case e.seq == 0:
			r.seen++
		case e.seq < r.seq:
			continue
		default:
			r.seq = e.seq + 1
		}
		r.buf[n] = e.event()
		n++
	}
	if n > 0 {
		return r.buf[:n], nil
	}
	if r.s.closed && r.s.loop == nil {
		return nil, nil
	}
	if f.wake == nil {
		f.wake = make(chan struct{})
	}
	return nil, f.wake
}

// replay yields what the reader has missed of the log. It reports whether the
// reader still listens.
func (r *reader) replay(ctx context.Context, yield func(Event, error) bool) (bool, error) {
	for e, err := range r.s.opts.Store.Read(ctx, r.s.id, r.seq) {
		if err != nil {
			return true, err
		}
		if e.Seq >= r.until {
			break
		}
		r.seq = e.Seq + 1
		if !yield(e, nil) {
			return false, nil
		}
	}
	r.behind = false
	return true, nil
}

// awaitEvents waits for more in the feed; when nobody runs the session here, it
// looks for what others write.
func (s *Session) awaitEvents(ctx context.Context, more <-chan struct{}) error {
	s.mu.Lock()
	local := s.loop != nil
	s.mu.Unlock()
	if local || s.private {
		select {
		case <-ctx.Done():
		case <-more:
		}
		return nil
	}
	changed := s.changed()
	timer := time.NewTimer(s.opts.Poll)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-more:
	case <-changed:
		return s.takeOver(ctx)
	case <-timer.C:
		return s.takeOver(ctx)
	}
	return nil
}

// takeOver looks at what others have written, and does their work if they are gone.
func (s *Session) takeOver(ctx context.Context) error {
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	s.kick(false)
	return nil
}
