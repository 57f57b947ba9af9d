package fault_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/fault"
)

func TestZeroPolicyOnlyCalls(t *testing.T) {
	t.Parallel()
	s := failures(1)
	if _, err := fault.Do(t.Context(), fault.Policy{}, s.call); err != errFlaky || s.calls != 1 { //nolint:errorlint // the very error is promised
		t.Errorf("%d calls, error %v", s.calls, err)
	}
	if got, err := fault.Do(t.Context(), fault.Policy{}, s.call); got != "result" || err != nil {
		t.Errorf("Do = %q, %v", got, err)
	}
}

func TestTimeoutCoversAllAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls, begin := 0, time.Now()
		p := fault.Policy{Timeout: 10 * time.Second, Retry: &fault.Retry{Attempts: 99, Backoff: fault.Fixed(3 * time.Second)}}
		_, err := fault.Do(t.Context(), p, func(context.Context) (int, error) {
			calls++
			return 0, errFlaky
		})
		var timeout *fault.TimeoutError
		if !errors.As(err, &timeout) || timeout.After != 10*time.Second || !timeout.Timeout() {
			t.Errorf("error %v, want a TimeoutError of 10 s", err)
		}
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, errFlaky) || calls != 4 || time.Since(begin) != 10*time.Second {
			t.Errorf("%d calls in %v, error %v", calls, time.Since(begin), err)
		}
	})
}

func TestTimeoutCancelsTheCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		_, err := fault.Do(t.Context(), fault.Policy{Timeout: time.Second, Retry: &fault.Retry{}}, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		if got, want := err.Error(), "no result within 1s: context deadline exceeded"; got != want || time.Since(begin) != time.Second {
			t.Errorf("after %v: %q, want %q", time.Since(begin), got, want)
		}
	})
}

func TestTheCallersEndIsNotTheTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := fault.Do(ctx, fault.Policy{Timeout: time.Minute}, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		var timeout *fault.TimeoutError
		if errors.As(err, &timeout) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %#v, want the caller's own", err)
		}
	})
}

func TestTimeoutThatHasPassedCallsNothing(t *testing.T) {
	t.Parallel()
	var b fault.Breaker
	s := failures(0)
	_, err := fault.Do(t.Context(), fault.Policy{Timeout: -1, Breaker: &b}, s.call)
	if !errors.Is(err, context.DeadlineExceeded) || s.calls != 0 {
		t.Errorf("%d calls, error %v", s.calls, err)
	}
}

func TestResultInSpiteOfTheTimeoutIsReturned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got, err := fault.Do(t.Context(), fault.Policy{Timeout: time.Second}, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "late", nil
		})
		if got != "late" || err != nil {
			t.Errorf("Do = %q, %v", got, err)
		}
	})
}

func TestSeriesIsOneOutcomeToTheBreaker(t *testing.T) {
	t.Parallel()
	b := &fault.Breaker{Failures: 2}
	p := fault.Policy{Breaker: b, Retry: &fault.Retry{Backoff: fault.Fixed(0)}}
	s := failures(99)
	for i, want := range []fault.State{fault.Closed, fault.Open, fault.Open} {
		if _, err := fault.Do(t.Context(), p, s.call); err == nil {
			t.Fatal("Do = nil, want an error")
		}
		if got := b.State(); got != want {
			t.Errorf("after series %d: %v, want %v", i+1, got, want)
		}
	}
	if s.calls != 6 {
		t.Errorf("%d calls, want 6: two series of three, and none while open", s.calls)
	}
}

func TestWithoutRetryKeepsTheRest(t *testing.T) {
	t.Parallel()
	b := new(fault.Breaker)
	whole := fault.Policy{Timeout: time.Second, Breaker: b, Retry: &fault.Retry{}}
	if got, want := whole.WithoutRetry(), (fault.Policy{Timeout: time.Second, Breaker: b}); got != want {
		t.Errorf("WithoutRetry = %+v, want %+v", got, want)
	}
	if again := whole.WithoutRetry().WithoutRetry(); again != whole.WithoutRetry() {
		t.Error("a policy without retry has changed")
	}
	if whole.Retry == nil {
		t.Error("the original was changed")
	}
}
