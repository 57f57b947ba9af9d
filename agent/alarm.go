package agent

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// An alarm ends what takes too long: a run, a silent stream, a call of a tool. It
// has one timer, which rings when the first of them may be due and is then set to
// the next. A stream that speaks only notes when.
type alarm struct {
	began time.Time    // what times count from
	heard atomic.Int64 // when the stream last spoke, in nanoseconds

	mu    sync.Mutex // before Session.mu
	run   *run       // nil once it is over
	timer *time.Timer
	rings time.Duration // when the timer does
	wall  time.Duration // when the run's time is up
	idle  time.Duration // how long the stream may be silent; 0: there is none
	calls *host         // whose time runs, the first of a list
}

// never is a time that does not come.
const never = time.Duration(math.MaxInt64)

// after is now and some, never where that is beyond what a duration holds.
func after(now, some time.Duration) time.Duration {
	if some > never-now {
		return never
	}
	return now + some
}

// start begins to watch over a run.
func (a *alarm) start(r *run, wall time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.run, a.began, a.wall, a.rings = r, time.Now(), wall, wall
	a.timer = time.AfterFunc(wall, a.ring)
}

func (a *alarm) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer.Stop()
	a.run = nil
}

// now is the time as the alarm counts it.
func (a *alarm) now() time.Duration { return time.Since(a.began) }

// set has the timer ring at a time, or before. Called with mu held.
func (a *alarm) set(at, now time.Duration) {
	if at < a.rings && a.run != nil {
		a.rings = at
		a.timer.Reset(at - now)
	}
}

// listen watches over a stream, until it is called with 0.
func (a *alarm) listen(idle time.Duration) {
	a.hear()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.idle = idle; idle > 0 {
		now := a.now()
		a.set(after(now, idle), now)
	}
}

// hear notes that the stream has spoken, and returns when.
func (a *alarm) hear() time.Duration {
	now := a.now()
	a.heard.Store(int64(now))
	return now
}

// add watches over a call, whose time runs from now on.
func (a *alarm) add(h *host) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	h.due = after(now, h.limit)
	h.next, a.calls = a.calls, h
	a.set(h.due, now)
}

// remove has the call's time stand still.
func (a *alarm) remove(h *host) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for at := &a.calls; *at != nil; at = &(*at).next {
		if *at == h {
			*at, h.next = h.next, nil
			h.limit = max(0, h.due-a.now())
			return
		}
	}
}

// ring ends what is due.
func (a *alarm) ring() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.run == nil {
		return
	}
	now := a.now()
	a.rings = never
	due := func(at time.Duration) bool {
		if at > now {
			a.rings = min(a.rings, at)
		}
		return at <= now
	}
	if due(a.wall) {
		a.run.s.stopRun(a.run.l, ErrWall)
	}
	if a.idle > 0 && due(after(time.Duration(a.heard.Load()), a.idle)) {
		a.idle = 0
		a.run.s.stopRun(a.run.l, errSilent)
	}
	for at := &a.calls; *at != nil; {
		h := *at
		if !due(h.due) {
			at = &h.next
			continue
		}
		*at, h.next = h.next, nil
		h.cancel(fmt.Errorf("%s %w after %s", h.call.Name, errTimeout, h.limit))
		h.limit = 0
	}
	if a.rings != never {
		a.timer.Reset(a.rings - now)
	}
}
