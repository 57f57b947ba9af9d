package agent

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"
)

// A MemoryStore is a [Store] in this process's memory: what an agent uses when
// it is given none. Events stay the values they are, without JSON. It is safe
// for concurrent use.
type MemoryStore struct {
	mu       sync.Mutex
	sessions map[string]*memorySession
}

type memorySession struct {
	info    SessionInfo
	events  []Event
	changed chan struct{} // made for whoever waits, closed and dropped on a change
}

// NewMemoryStore returns an empty store.
func NewMemoryStore() *MemoryStore {
	return &MemoryStore{sessions: make(map[string]*memorySession)}
}

// Append implements [Store].
func (m *MemoryStore) Append(_ context.Context, l Lease, events []Event) (Seq, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[l.Session]
	if s == nil || s.info.Epoch != l.Epoch || s.info.Owner != l.Owner {
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

func (m *MemoryStore) session(id string) *memorySession {
	s := m.sessions[id]
	if s == nil {
		s = &memorySession{info: SessionInfo{ID: id, State: StateIdle}}
		m.sessions[id] = s
	}
	return s
}

func (s *memorySession) add(events []Event) Seq {
	for _, e := range events {
		e.Seq = s.info.Seq + 1
		s.info.Apply(e)
		s.events = append(s.events, e)
	}
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
	return s.info.Seq
}

// Read implements [Store].
func (m *MemoryStore) Read(ctx context.Context, session string, from Seq) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for _, e := range m.tail(session, from) {
			if err := ctx.Err(); err != nil {
				yield(Event{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// tail shares the events: they never change, and an append writes beyond them.
func (m *MemoryStore) tail(session string, from Seq) []Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[session]
	if s == nil || from > s.info.Seq {
		return nil
	}
	return s.events[max(from, 1)-1:]
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
	if s.info.Leased(now) && s.info.Owner != owner {
		return Lease{}, &LeasedError{Session: session, Until: s.info.Until}
	}
	s.info.Owner, s.info.Until = owner, now.Add(ttl)
	s.info.Epoch++
	return Lease{Session: session, Owner: owner, Epoch: s.info.Epoch, TTL: ttl}, nil
}

// Renew implements [Store].
func (m *MemoryStore) Renew(_ context.Context, l Lease) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[l.Session]
	if s == nil || s.info.Epoch != l.Epoch || s.info.Owner != l.Owner {
		return fmt.Errorf("renew the lease of session %s: %w", l.Session, ErrFenced)
	}
	s.info.Until = time.Now().Add(l.TTL)
	return nil
}

// Release implements [Store].
func (m *MemoryStore) Release(_ context.Context, l Lease) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sessions[l.Session]; s != nil && s.info.Epoch == l.Epoch && s.info.Owner == l.Owner {
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
	for _, s := range m.sessions {
		if s.info.Seq > 0 && f.Match(&s.info) {
			infos = append(infos, s.info)
		}
	}
	return infos
}

// Purge implements [Store].
func (m *MemoryStore) Purge(_ context.Context, olderThan time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for id, s := range m.sessions {
		if s.info.State == StateIdle && s.info.Active.Before(olderThan) && !s.info.Leased(time.Now()) {
			delete(m.sessions, id)
			n++
		}
	}
	return n, nil
}
