package hapi

import (
	"sync"
	"time"
)

// Progress tells how far a request for data is. It is told after each chunk,
// while a long one comes in, and before each wait; never by two goroutines at once.
type Progress struct {
	Dataset string
	Chunks  int // that the window has
	Done    int // of them, in time order
	Cached  int // of those that are done: taken from the cache
	Records int64
	Bytes   int64         // that came from the server
	Wait    time.Duration // that begins now, because the server is busy or a stream broke off; else 0
	// Note says what a user should know of the data, as that they come from the
	// cache of a certain day; "" otherwise.
	Note string
}

// A tracker is the progress of one request for data.
type tracker struct {
	mu  sync.Mutex
	now Progress
	to  func(Progress)
}

type trackerKey struct{}

func (t *tracker) tell(change func(*Progress)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Wait = 0
	change(&t.now)
	if t.to != nil {
		t.to(t.now)
	}
}
