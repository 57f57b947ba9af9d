package files

import (
	"container/list"
	"crypto/sha256"
	"sync"
)

// A fingerprint tells whether a file still is what a session has seen.
type fingerprint [sha256.Size]byte

func fingerprintOf(data []byte) fingerprint { return sha256.Sum256(data) }

// How much a tracker remembers. What has not been used for longest goes first; a
// session that comes back to it is asked to read again.
const (
	maxSessions = 1024
	maxTracked  = 4096 // files of a session
)

// A tracker remembers what each session has last seen of each file. It is safe for
// concurrent use.
type tracker struct {
	mu       sync.Mutex
	sessions recent[*recent[fingerprint]]
}

func newTracker() *tracker {
	return &tracker{sessions: recent[*recent[fingerprint]]{most: maxSessions}}
}

// saw notes that a session knows a file's content.
func (t *tracker) saw(session, path string, f fingerprint) {
	t.mu.Lock()
	defer t.mu.Unlock()
	files, ok := t.sessions.get(session)
	if !ok {
		files = &recent[fingerprint]{most: maxTracked}
		t.sessions.put(session, files)
	}
	files.put(path, f)
}

// last returns what a session last knew of a file.
func (t *tracker) last(session, path string) (fingerprint, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	files, ok := t.sessions.get(session)
	if !ok {
		return fingerprint{}, false
	}
	return files.get(path)
}

// recent is a map of at most so many entries, those used last.
type recent[V any] struct {
	most  int
	byKey map[string]*list.Element
	order list.List // of entry[V], the one used last in front
}

type entry[V any] struct {
	key   string
	value V
}

func (r *recent[V]) get(key string) (V, bool) {
	e, ok := r.byKey[key]
	if !ok {
		var none V
		return none, false
	}
	r.order.MoveToFront(e)
	return e.Value.(*entry[V]).value, true //nolint:forcetypeassert // put puts nothing else
}

func (r *recent[V]) put(key string, value V) {
	if e, ok := r.byKey[key]; ok {
		r.order.MoveToFront(e)
		e.Value.(*entry[V]).value = value //nolint:forcetypeassert // as above
		return
	}
	if r.byKey == nil {
		r.byKey = map[string]*list.Element{}
	}
	r.byKey[key] = r.order.PushFront(&entry[V]{key, value})
	if len(r.byKey) > r.most {
		oldest := r.order.Remove(r.order.Back())
		delete(r.byKey, oldest.(*entry[V]).key) //nolint:forcetypeassert // as above
	}
}
