package fault_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helios-go/helios/fault"
)

// Which error means what.
func ExampleDo() {
	ctx := context.Background()
	down := errors.New("connection refused")
	call := func(context.Context) (string, error) { return "", down }

	_, err := fault.Do(ctx, fault.Policy{}, call)
	fmt.Println(err == down) //nolint:errorlint // as it is
	_, err = fault.Do(ctx, fault.Policy{Retry: &fault.Retry{Attempts: 2, Backoff: fault.Fixed(0)}}, call)
	gaveUp, ok := errors.AsType[*fault.ExhaustedError](err)
	fmt.Println(ok, gaveUp.Attempts, errors.Is(err, down))

	slow := func(ctx context.Context) (string, error) {
		<-ctx.Done() // a call must end when its context does
		return "", context.Cause(ctx)
	}
	_, err = fault.Do(ctx, fault.Policy{Timeout: time.Millisecond}, slow)
	_, ok = errors.AsType[*fault.TimeoutError](err)
	fmt.Println(ok, errors.Is(err, context.DeadlineExceeded))

	b := &fault.Breaker{Failures: 1}
	fault.Do(ctx, fault.Policy{Breaker: b}, call)
	_, err = fault.Do(ctx, fault.Policy{Breaker: b}, call)
	fmt.Println(errors.Is(err, fault.ErrOpen))
	b.Reset()
	fmt.Println(b.State())
	// Output:
	// true
	// true 2 true
	// true true
	// true
	// closed
}
