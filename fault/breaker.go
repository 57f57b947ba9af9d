package fault

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A State is what a [Breaker] does with calls.
type State uint8

// The states.
const (
	Closed   State = iota // lets every call through
	Open                  // lets none through
	HalfOpen              // lets one probe through at a time
)

var stateNames = [...]string{"closed", "open", "half-open"}

// String names the state.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("state(%d)", uint8(s))
}

// A Breaker stops calls to a service that keeps failing, and tries one now and
// then to see whether it is back. Failures in a row open it; when it has been open
// for longer than OpenFor it is half-open: one call at a time goes through, a
// success closes it, a failure opens it again. A call that was let through in one
// state and ends in another is not counted.
//
// The zero value is closed and ready. It is safe for concurrent use, must not be
// copied, and the fields must not be changed after the first use.
type Breaker struct {
	Failures  int           // in a row that open it; 0 or less: 5
	Successes int           // of probes in a row that close it; 0 or less: 1
	OpenFor   time.Duration // until a probe is let through; 0 or less: 30 s
	// Counts tells whether an error says that the service is ill; nil: every error
	// does. What does not is a success: the service has answered. It is not asked
	// about a call whose context was cancelled, which says nothing either way.
	Counts func(error) bool
	Now    func() time.Time // nil: time.Now

	mu       sync.Mutex
	state    State
	period   uint64    // counts changes of state, and resets
	failures int       // in a row, while closed
	good     int       // probes in a row, while half-open
	probing  bool      // a probe is on its way
	opened   time.Time // when it last opened
}

// ErrOpen is what an [*OpenError] is to errors.Is.
var ErrOpen = errors.New("circuit breaker is open")

// An OpenError says that a breaker has not let a call through.
type OpenError struct {
	State State         // Open, or HalfOpen when a probe was on its way
	Wait  time.Duration // until a probe will be let through; 0 when half-open
}

// Error says when to come back.
func (e *OpenError) Error() string {
	if e.State == HalfOpen {
		return "circuit breaker is half-open and its probe still on its way; try again when that has ended"
	}
	return fmt.Sprintf("circuit breaker is open; try again in more than %v", e.Wait)
}

// Is matches [ErrOpen].
func (e *OpenError) Is(target error) bool { return target == ErrOpen }

// State returns the state now.
func (b *Breaker) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.age()
	return b.state
}

// Reset closes the breaker and forgets what was counted. Calls that are on their
// way will not count.
func (b *Breaker) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.become(Closed)
}

// Allow is for calls that [Do] does not fit, streams for example: it returns an
// [*OpenError], or a function that must be called once, with the call's error or
// nil, when it has ended. Until then a probe keeps others out. Calling it again
// does nothing. An error that is context.Canceled says nothing about the service.
func (b *Breaker) Allow() (done func(error), err error) {
	period, err := b.enter()
	if err != nil {
		return nil, err
	}
	var once sync.Once
	return func(err error) {
		once.Do(func() {
			if errors.Is(err, context.Canceled) {
				b.leave(period, unknown)
			} else {
				b.leave(period, b.judge(err))
			}
		})
	}, nil
}

// How a call ended, as far as the service is concerned.
type outcome uint8

const (
	unknown outcome = iota
	success
	failure
)

// outcome judges a call made by Do under ctx.
func (b *Breaker) outcome(ctx context.Context, err error) outcome {
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return unknown
	}
	return b.judge(err)
}

func (b *Breaker) judge(err error) outcome {
	if err == nil || b.Counts != nil && !b.Counts(err) {
		return success
	}
	return failure
}

// enter lets a call through and returns the period in which it counts.
func (b *Breaker) enter() (uint64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.age()
	switch {
	case b.state == Open:
		return 0, &OpenError{State: Open, Wait: b.openFor() - b.now().Sub(b.opened)}
	case b.state == HalfOpen && b.probing:
		return 0, &OpenError{State: HalfOpen}
	}
	b.probing = b.state == HalfOpen
	return b.period, nil
}

// leave counts how a call ended that entered in the period.
func (b *Breaker) leave(period uint64, o outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if period != b.period {
		return
	}
	b.probing = false
	switch {
	case o == unknown:
	case b.state == Closed && o == success:
		b.failures = 0
	case b.state == Closed:
		if b.failures++; b.failures >= orDefault(b.Failures, 5) {
			b.become(Open)
		}
	case o == success:
		if b.good++; b.good >= orDefault(b.Successes, 1) {
			b.become(Closed)
		}
	default:
		b.become(Open)
	}
}

// age makes an open breaker half-open when its time has come.
func (b *Breaker) age() {
	if b.state == Open && b.now().Sub(b.opened) > b.openFor() {
		b.become(HalfOpen)
	}
}

func (b *Breaker) become(s State) {
	b.state = s
	b.period++
	b.failures, b.good, b.probing = 0, 0, false
	if s == Open {
		b.opened = b.now()
	}
}

func (b *Breaker) openFor() time.Duration { return orDefault(b.OpenFor, 30*time.Second) }

func (b *Breaker) now() time.Time {
	if b.Now == nil {
		return time.Now()
	}
	return b.Now()
}

func orDefault[T int | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}
