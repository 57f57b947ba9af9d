package agent

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"
)

// A MemoryStore is a [Store] in this process's memory: what an agent uses when
// it is given none. Events stay the values they are, without JSON. It is safe
// for concurrent use.
type MemoryStore struct {
	mu       sync.Mutex
	only     *memorySession // while there is one: most stores hold a single session
	sessions map[string]*memorySession
}

type memorySession struct {
	id      string
	info    *SessionInfo  // nil at rest
	still   string        // the info at rest
	packed  []stretch     // of the log, at rest
	log     []record      // what follows
	changed chan struct{} // made for whoever waits, closed and dropped on a change
}

// A record is an event without what its place tells: idle sessions are many.
type record struct {
	nanos int64 // unix time; 0 is the zero time
	turn  int
	run   string
	data  EventData
}

func (r *record) event(seq Seq) Event {
	e := Event{Seq: seq, Run: r.run, Turn: r.turn, Data: r.data}
	if r.nanos != 0 {
		e.Time = time.Unix(0, r.nanos).UTC()
	}
	return e
}

// owned reports whether a lease is the latest.
func (i *SessionInfo) owned(l Lease) bool { return i.Epoch == l.Epoch && i.Owner == l.Owner }

// NewMemoryStore returns an empty store.
func NewMemoryStore() *MemoryStore { return &MemoryStore{} }

// find returns a session, nil if there is none. Called with mu held.
func (m *MemoryStore) find(id string) *memorySession {
	if m.only != nil && m.only.id == id {
		return m.only
	}
	return m.sessions[id]
}

// session finds or makes a session. Called with mu held.
func (m *MemoryStore) session(id string) *memorySession {
	s := m.find(id)
	switch {
	case s != nil:
		return s
	case m.only == nil && m.sessions == nil:
		m.only = newMemorySession(id)
		return m.only
	case m.sessions == nil:
		m.sessions = map[string]*memorySession{m.only.id: m.only}
		m.only = nil
	}
	s = newMemorySession(id)
	m.sessions[id] = s
	return s
}

// all returns the sessions. Called with mu held.
func (m *MemoryStore) all() iter.Seq[*memorySession] {
	if m.only != nil {
		return slices.Values([]*memorySession{m.only})
	}
	return maps.Values(m.sessions)
}

// Append implements [Store].
func (m *MemoryStore) Append(_ context.Context, l Lease, events []Event) (Seq, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.find(l.Session)
	if s == nil || !s.wake().owned(l) {
		return 0, fmt.Errorf("append to session %s: %w", l.Session, ErrFenced)
	}
	return s.add(events), nil
}

// Post implements [Store].
func (m *MemoryStore) Post(_ context.Context, session string, events []Event) (Seq, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.session(session).add(events), nil
}

func newMemorySession(id string) *memorySession {
	return &memorySession{id: id, info: &SessionInfo{ID: id, State: StateIdle}}
}

// wake unpacks what is known of a session that is about to change.
func (s *memorySession) wake() *SessionInfo {
	s.info = s.look()
	s.still = ""
	return s.info
}

// look is what is known of the session.
func (s *memorySession) look() *SessionInfo {
	if s.info != nil {
		return s.info
	}
	return unpackInfo(s.id, s.still)
}

func (s *memorySession) add(events []Event) Seq {
	if s.log == nil {
		s.log = make([]record, 0, 10) // a question, a tool call and the answer
	}
	info := s.wake()
	for _, e := range events {
		e.Seq = info.Seq + 1
		info.Apply(e)
		s.log = append(s.log, record{nanos: nanos(e.Time), turn: e.Turn, run: e.Run, data: e.Data})
	}
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
	return info.Seq
}

// Read implements [Store].
func (m *MemoryStore) Read(ctx context.Context, session string, from Seq) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		from := max(from, 1)
		stretches, log := m.log(session)
		next := Seq(1)
		for i := range stretches {
			p := &stretches[i]
			if p.end() > from && !read(ctx, p.unpack(session), p.from, from, yield) {
				return
			}
			next = p.end()
		}
		read(ctx, log, next, from, yield)
	}
}

// read yields those of the records from first on whose Seq is at least from.
func read(ctx context.Context, records []record, first, from Seq, yield func(Event, error) bool) bool {
	for i := int(max(from-first, 0)); i < len(records); i++ {
		if err := ctx.Err(); err != nil {
			yield(Event{}, err)
			return false
		}
		if !yield(records[i].event(first+Seq(i)), nil) {
			return false
		}
	}
	return true
}

// log shares the log of a session: its records never change, and an append
// writes beyond them.
func (m *MemoryStore) log(session string) ([]stretch, []record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.find(session)
	if s == nil {
		return nil, nil
	}
	return s.packed, s.log
}

// rest implements [rester].
func (m *MemoryStore) rest(session string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.find(session)
	if s == nil || s.info == nil {
		return
	}
	if len(s.log) > 0 {
		s.packed = append(s.packed, packLog(s.id, s.info.Seq-Seq(len(s.log))+1, s.log))
		s.log = nil
	}
	s.still, s.info = packInfo(s.info), nil
}

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// Changed implements [Notifier].
func (m *MemoryStore) Changed(session string) <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.session(session)
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// Acquire implements [Store].
func (m *MemoryStore) Acquire(_ context.Context, session, owner string, ttl time.Duration) (Lease, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, now := m.session(session), time.Now()
	info := s.wake()
	if info.Leased(now) && info.Owner != owner {
		return Lease{}, &LeasedError{Session: session, Until: info.Until}
	}
	info.Owner, info.Until = owner, now.Add(ttl)
	info.Epoch++
	return Lease{Session: session, Owner: owner, Epoch: info.Epoch, TTL: ttl}, nil
}

// Renew implements [Store].
func (m *MemoryStore) Renew(_ context.Context, l Lease) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.find(l.Session)
	if s == nil || !s.wake().owned(l) {
		return fmt.Errorf("renew the lease of session %s: %w", l.Session, ErrFenced)
	}
	s.info.Until = time.Now().Add(l.TTL)
	return nil
}

// Release implements [Store].
func (m *MemoryStore) Release(_ context.Context, l Lease) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.find(l.Session); s != nil && s.wake().owned(l) {
		s.info.Owner, s.info.Until = "", time.Time{}
	}
	return nil
}

// List implements [Store].
func (m *MemoryStore) List(_ context.Context, f Filter) iter.Seq2[SessionInfo, error] {
	return func(yield func(SessionInfo, error) bool) {
		infos := m.list(f)
		slices.SortFunc(infos, func(a, b SessionInfo) int {
			return cmp.Or(b.Active.Compare(a.Active), cmp.Compare(a.ID, b.ID))
		})
		for i, info := range infos {
			if f.Limit > 0 && i >= f.Limit || !yield(info, nil) {
				return
			}
		}
	}
}

func (m *MemoryStore) list(f Filter) []SessionInfo {
	m.mu.Lock()
	defer m.mu.Unlock()
	var infos []SessionInfo
	for s := range m.all() {
		if info := s.look(); info.Seq > 0 && f.Match(info) {
			infos = append(infos, *info)
		}
	}
	return infos
}

// Purge implements [Store].
func (m *MemoryStore) Purge(_ context.Context, olderThan time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for s := range m.all() {
		info := s.look()
		if info.State != StateIdle || !info.Active.Before(olderThan) || info.Leased(time.Now()) || info.Seq == 0 && s.changed != nil {
			continue
		}
		delete(m.sessions, s.id)
		if m.only == s {
			m.only = nil
		}
		if info.Seq > 0 { // others were asked about, and never began
			n++
		}
	}
	return n, nil
}
