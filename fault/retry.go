package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// A Retry repeats a call that failed. The zero value makes three attempts at
// most, whatever the error, and backs off as the zero [Backoff] does. It is not
// changed by use, and safe for concurrent use as far as its functions are.
type Retry struct {
	// Attempts counts the first one too; 0: three. Less than 1 is one.
	Attempts int
	Backoff  Backoff
	// If tells whether a repeat may cure the error; nil: always. An error that it
	// does not want repeated is returned as it is. It is not asked about a failure
	// after the context's end, which is never repeated.
	If func(error) bool
	// After returns how long the service asked to be left alone, as HTTP's
	// Retry-After does; 0: it did not. The wait is at least that. Nil: never asked.
	After func(error) time.Duration
	// Notify is told of each failure that will be repeated, before the wait; for logs.
	Notify func(attempt int, err error, wait time.Duration)
	// Rand returns the chance for the jitter, in [0, 1); nil: math/rand/v2.
	Rand func() float64
	// Sleep waits and returns an error when ctx ends first; nil: a timer.
	Sleep func(ctx context.Context, d time.Duration) error
}

func (r *Retry) attempts() int {
	if r.Attempts == 0 {
		return 3
	}
	return r.Attempts
}

// pause waits for the next attempt.
func (r *Retry) pause(ctx context.Context, attempt int, err error) error {
	chance, wait := r.Rand, r.Sleep
	if chance == nil {
		chance = rand.Float64
	}
	if wait == nil {
		wait = sleep
	}
	d := r.Backoff.Jittered(attempt, chance())
	if r.After != nil {
		d = max(d, r.After(err))
	}
	if r.Notify != nil {
		r.Notify(attempt, err, d)
	}
	return wait(ctx, d)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// An ExhaustedError says that every attempt has failed, the last one with Err.
type ExhaustedError struct {
	Attempts int // how many were made
	Err      error
}

// Error gives the number of attempts and the last error.
func (e *ExhaustedError) Error() string {
	if e.Attempts == 1 {
		return fmt.Sprintf("gave up after 1 attempt: %v", e.Err)
	}
	return fmt.Sprintf("gave up after %d attempts: %v", e.Attempts, e.Err)
}

// Unwrap returns the last error.
func (e *ExhaustedError) Unwrap() error { return e.Err }
