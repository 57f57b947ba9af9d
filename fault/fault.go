// Package fault keeps one call that fails from becoming many: it repeats what a
// repeat may cure, stops asking a service that is down, and bounds the time.
//
// A [Policy] says how, and [Do] calls under it, whatever the result's type:
//
//	p := fault.Policy{
//		Timeout: time.Minute,                            // over all attempts
//		Breaker: &fault.Breaker{},                       // shared by all calls to one service
//		Retry:   &fault.Retry{If: isTransient},          // three attempts, backing off
//	}
//	page, err := fault.Do(ctx, p, func(ctx context.Context) (*Page, error) {
//		return fetch(ctx, url)
//	})
//
// They nest as timeout(breaker(retry(call))): the timeout covers every attempt
// and the waits between them, and a whole series is one outcome to the breaker.
// Every zero value means something: Policy{} only calls, the zero Retry and
// Breaker have the usual numbers.
//
// No goroutine is started. The call runs in the caller's and must end when its
// context does; a call that ignores it is waited for. A panic goes through, and
// counts as a failure.
package fault

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Policy says what surrounds a call. The zero value surrounds it with nothing.
// It is a value that may be copied, compared and shared; what it points to may be
// shared among goroutines and policies too.
type Policy struct {
	Timeout time.Duration // for everything together; 0: none, less: it has passed
	Breaker *Breaker      // nil: none
	Retry   *Retry        // nil: one attempt, whose error is returned as it is
}

// WithoutRetry returns the policy with its breaker and timeout alone, for a call
// that must not be repeated.
func (p Policy) WithoutRetry() Policy {
	p.Retry = nil
	return p
}

// Do calls op under the policy and returns its result. The errors are op's own,
// as they are, and:
//
//   - [*ExhaustedError] around op's last error when the attempts are used up;
//   - [*OpenError] when the breaker let nothing through; op was not called;
//   - [*TimeoutError] when the policy's timeout passed and op failed thereupon;
//   - an error that errors.Is ctx.Err() when ctx ended, with op's last error in it.
//
// A result that comes in spite of a timeout is returned. With an error the result
// is op's last one, often the zero value.
func Do[T any](ctx context.Context, p Policy, op func(context.Context) (T, error)) (T, error) {
	if p.Timeout == 0 {
		return guarded(ctx, p, op)
	}
	passed := &TimeoutError{After: p.Timeout}
	ctx, cancel := context.WithTimeoutCause(ctx, p.Timeout, passed)
	defer cancel()
	result, err := guarded(ctx, p, op)
	if err == nil || context.Cause(ctx) != error(passed) { //nolint:errorlint // this very timeout, not another
		return result, err
	}
	passed.Err = err
	return result, passed
}

// guarded is Do inside its timeout.
func guarded[T any](ctx context.Context, p Policy, op func(context.Context) (T, error)) (result T, err error) {
	if p.Breaker == nil {
		return repeated(ctx, p.Retry, op)
	}
	if ctx.Err() != nil { // the service has no part in that
		return result, ctx.Err()
	}
	period, err := p.Breaker.enter()
	if err != nil {
		return result, err
	}
	o := failure // unless all that is called returns: it may panic
	defer func() { p.Breaker.leave(period, o) }()
	result, err = repeated(ctx, p.Retry, op)
	o = p.Breaker.outcome(ctx, err)
	return result, err
}

// repeated is Do inside its breaker.
func repeated[T any](ctx context.Context, r *Retry, op func(context.Context) (T, error)) (result T, err error) {
	for attempt := 1; ; attempt++ {
		if ctx.Err() != nil {
			return result, stopped(ctx.Err(), attempt-1, err)
		}
		result, err = op(ctx)
		if err == nil {
			return result, nil
		}
		if ctx.Err() != nil {
			return result, stopped(ctx.Err(), attempt, err)
		}
		if r == nil || r.If != nil && !r.If(err) {
			return result, err
		}
		if attempt >= r.attempts() {
			return result, &ExhaustedError{Attempts: attempt, Err: err}
		}
		if end := r.pause(ctx, attempt, err); end != nil {
			return result, stopped(end, attempt, err)
		}
	}
}

// stopped is the error of a series that ended by end after so many attempts, of
// which err was the last one's.
func stopped(end error, attempts int, err error) error {
	switch {
	case err == nil:
		return end
	case errors.Is(err, end):
		return err
	default:
		return fmt.Errorf("%w after %d attempts, the last of which failed: %w", end, attempts, err)
	}
}

// A TimeoutError says that the timeout of a [Policy] passed. It is a
// context.DeadlineExceeded to errors.Is.
type TimeoutError struct {
	After time.Duration // the policy's timeout
	Err   error         // how the call ended
}

// Error names the timeout and how the call ended.
func (e *TimeoutError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("no result within %v", e.After)
	}
	return fmt.Sprintf("no result within %v: %v", e.After, e.Err)
}

// Unwrap returns how the call ended.
func (e *TimeoutError) Unwrap() error { return e.Err }

// Is matches context.DeadlineExceeded.
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// Timeout is true, as the errors of package net have it.
func (e *TimeoutError) Timeout() bool { return true }
