package fault_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helios-go/helios/fault"
)

// All three together, around a call that succeeds at the second attempt.
func Example() {
	policy := fault.Policy{
		Timeout: time.Minute,
		Breaker: &fault.Breaker{},
		Retry:   &fault.Retry{Backoff: fault.Fixed(time.Millisecond)},
	}
	attempts := 0
	page, err := fault.Do(context.Background(), policy, func(context.Context) (string, error) {
		if attempts++; attempts == 1 {
			return "", errors.New("connection reset")
		}
		return "<h1>Hello</h1>", nil
	})
	fmt.Println(page, err, attempts)
	// Output: <h1>Hello</h1> <nil> 2
}

// Only what a repeat may cure is repeated; everything else comes back as it was.
func ExampleRetry() {
	errBusy, errGone := errors.New("busy"), errors.New("gone")
	policy := fault.Policy{Retry: &fault.Retry{
		Attempts: 4,
		Backoff:  fault.Fixed(0),
		If:       func(err error) bool { return errors.Is(err, errBusy) },
		Notify: func(attempt int, err error, wait time.Duration) {
			fmt.Printf("attempt %d: %v, again in %v\n", attempt, err, wait)
		},
	}}
	for _, failure := range []error{errBusy, errGone} {
		_, err := fault.Do(context.Background(), policy, func(context.Context) (int, error) { return 0, failure })
		fmt.Println(err)
	}
	// Output:
	// attempt 1: busy, again in 0s
	// attempt 2: busy, again in 0s
	// attempt 3: busy, again in 0s
	// gave up after 4 attempts: busy
	// gone
}

// A service that keeps failing is left alone, and tried once after a while.
func ExampleBreaker() {
	now := time.Unix(0, 0)
	breaker := &fault.Breaker{Failures: 2, OpenFor: time.Minute, Now: func() time.Time { return now }}
	call := func(result error) {
		_, err := fault.Do(context.Background(), fault.Policy{Breaker: breaker}, func(context.Context) (int, error) { return 0, result })
		fmt.Printf("%v: %v\n", breaker.State(), err)
	}
	call(errors.New("down"))
	call(errors.New("down"))
	call(nil)
	now = now.Add(time.Minute + 1)
	call(nil)
	// Output:
	// closed: down
	// open: down
	// open: circuit breaker is open; try again in more than 1m0s
	// closed: <nil>
}

// A stream outlives the function that began it, so it tells the breaker itself.
func ExampleBreaker_Allow() {
	breaker := &fault.Breaker{Failures: 1}
	done, err := breaker.Allow()
	if err != nil {
		return
	}
	// ... read the stream to its end or to an error, then:
	done(errors.New("stream broke off"))
	fmt.Println(breaker.State())
	// Output: open
}

func ExampleBackoff() {
	b := fault.Backoff{Initial: time.Second, Factor: 4, Max: 30 * time.Second}
	for attempt := 1; attempt <= 4; attempt++ {
		fmt.Print(b.Delay(attempt), " ")
	}
	fmt.Println(b.Jittered(1, 0), b.Jittered(1, 1))
	// Output: 1s 4s 16s 30s 900ms 1.1s
}

func ExamplePolicy_WithoutRetry() {
	policy := fault.Policy{Timeout: time.Second, Retry: &fault.Retry{}}
	fmt.Println(policy.WithoutRetry().Retry == nil, policy.WithoutRetry().Timeout)
	// Output: true 1s
}
