package fault_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/fault"
)

var (
	errFlaky = errors.New("connection reset")
	errFinal = errors.New("no such page")
)

// script is a call that fails with the given errors, one a time, and then succeeds.
type script struct {
	errs  []error
	calls int
}

func (s *script) call(context.Context) (string, error) {
	s.calls++
	if s.calls <= len(s.errs) {
		return "", s.errs[s.calls-1]
	}
	return "result", nil
}

func failures(n int) *script { return &script{errs: slices.Repeat([]error{errFlaky}, n)} }

func TestZeroRetryMakesThreeAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, begin := failures(9), time.Now()
		_, err := fault.Do(t.Context(), fault.Policy{Retry: &fault.Retry{}}, s.call)
		var exhausted *fault.ExhaustedError
		if !errors.As(err, &exhausted) || exhausted.Attempts != 3 || s.calls != 3 || !errors.Is(err, errFlaky) {
			t.Errorf("%d calls, error %#v, want 3 and an ExhaustedError of 3", s.calls, err)
		}
		if got, want := err.Error(), "gave up after 3 attempts: connection reset"; got != want {
			t.Errorf("error %q, want %q", got, want)
		}
		if waited := time.Since(begin); waited < 1350*time.Millisecond || waited > 1650*time.Millisecond {
			t.Errorf("waited %v, want 1.5 s within 10 %%", waited)
		}
	})
}

func TestRetryStopsAtSuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := failures(2)
		got, err := fault.Do(t.Context(), fault.Policy{Retry: &fault.Retry{}}, s.call)
		if got != "result" || err != nil || s.calls != 3 {
			t.Errorf("Do = %q, %v after %d calls", got, err, s.calls)
		}
	})
}

func TestErrorNotToBeRepeatedIsReturnedAsItIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		retry := &fault.Retry{Attempts: 5, If: func(err error) bool { return errors.Is(err, errFlaky) }}
		for _, s := range []*script{{errs: []error{errFinal}}, {errs: []error{errFlaky, errFlaky, errFinal}}} {
			_, err := fault.Do(t.Context(), fault.Policy{Retry: retry}, s.call)
			if err != errFinal || s.calls != len(s.errs) { //nolint:errorlint // the very error is promised
				t.Errorf("%d calls, error %v, want %d and %v itself", s.calls, err, len(s.errs), errFinal)
			}
		}
	})
}

func TestExhaustionCountsTheRealAttempts(t *testing.T) {
	t.Parallel()
	for attempts, want := range map[int]int{-1: 1, 1: 1, 2: 2, 7: 7} {
		s := failures(99)
		_, err := fault.Do(t.Context(), fault.Policy{Retry: &fault.Retry{Attempts: attempts, Backoff: fault.Fixed(0)}}, s.call)
		var exhausted *fault.ExhaustedError
		if !errors.As(err, &exhausted) || exhausted.Attempts != want || s.calls != want {
			t.Errorf("Attempts %d: %d calls, error %v, want %d", attempts, s.calls, err, want)
		}
	}
}

func TestCancelDuringTheWaitEndsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		s, begin := failures(9), time.Now()
		_, err := fault.Do(ctx, fault.Policy{Retry: &fault.Retry{Backoff: fault.Fixed(time.Hour)}}, s.call)
		if !errors.Is(err, context.Canceled) || !errors.Is(err, errFlaky) || s.calls != 1 || time.Since(begin) != time.Minute {
			t.Errorf("%d calls, error %v after %v", s.calls, err, time.Since(begin))
		}
	})
}

func TestEndOfTheContextIsNeverRepeated(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	asked, calls := 0, 0
	retry := &fault.Retry{If: func(error) bool { asked++; return true }}
	_, err := fault.Do(ctx, fault.Policy{Retry: retry}, func(ctx context.Context) (int, error) {
		calls++
		cancel()
		return 0, ctx.Err()
	})
	if err != context.Canceled || calls != 1 || asked != 0 { //nolint:errorlint // the very error is promised
		t.Errorf("%d calls, %d questions, error %v", calls, asked, err)
	}
	if _, err := fault.Do(ctx, fault.Policy{}, func(context.Context) (int, error) { calls++; return 0, nil }); !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("a context that has ended: %d calls, error %v", calls, err)
	}
}

func TestRetryWaitsAsLongAsTheServiceAsks(t *testing.T) {
	t.Parallel()
	var waits, told []time.Duration
	asks := map[error]time.Duration{errFlaky: time.Minute, errFinal: time.Millisecond}
	retry := &fault.Retry{
		Attempts: 4,
		After:    func(err error) time.Duration { return asks[err] },
		Rand:     func() float64 { return 0.5 },
		Sleep:    func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil },
		Notify: func(attempt int, err error, wait time.Duration) {
			if attempt != len(told)+1 || err == nil {
				t.Errorf("told of attempt %d, %v", attempt, err)
			}
			told = append(told, wait)
		},
	}
	s := &script{errs: []error{errFinal, errFlaky, errFinal, errFinal}}
	_, err := fault.Do(t.Context(), fault.Policy{Retry: retry}, s.call)
	want := []time.Duration{500 * time.Millisecond, time.Minute, 2 * time.Second}
	if !slices.Equal(waits, want) || !slices.Equal(told, want) || !errors.Is(err, errFinal) {
		t.Errorf("waits %v, told %v, want %v; error %v", waits, told, want, err)
	}
}

func TestSleepThatFailsEndsTheSeries(t *testing.T) {
	t.Parallel()
	retry := &fault.Retry{Sleep: func(context.Context, time.Duration) error { return errors.New("shutting down") }}
	s := failures(9)
	if _, err := fault.Do(t.Context(), fault.Policy{Retry: retry}, s.call); !errors.Is(err, errFlaky) || !strings.Contains(err.Error(), "shutting down") || s.calls != 1 {
		t.Errorf("%d calls, error %v", s.calls, err)
	}
}
