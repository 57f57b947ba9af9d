package fault_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/fault"
)

func call(ctx context.Context, b *fault.Breaker, result error) error {
	_, err := fault.Do(ctx, fault.Policy{Breaker: b}, func(context.Context) (int, error) { return 0, result })
	return err
}

func wantState(t *testing.T, b *fault.Breaker, want fault.State) {
	t.Helper()
	if got := b.State(); got != want {
		t.Errorf("state %v, want %v", got, want)
	}
}

func TestBreakerOpensAfterFiveFailuresInARow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b fault.Breaker
		for _, err := range []error{errFlaky, errFlaky, errFlaky, errFlaky, nil, errFlaky, errFlaky, errFlaky, errFlaky} {
			_ = call(t.Context(), &b, err)
			wantState(t, &b, fault.Closed)
		}
		_ = call(t.Context(), &b, errFlaky)
		wantState(t, &b, fault.Open)

		time.Sleep(10 * time.Second)
		s := failures(0)
		_, err := fault.Do(t.Context(), fault.Policy{Breaker: &b}, s.call)
		var open *fault.OpenError
		if !errors.Is(err, fault.ErrOpen) || !errors.As(err, &open) || open.Wait != 20*time.Second || open.State != fault.Open || s.calls != 0 {
			t.Errorf("%d calls while open, error %v", s.calls, err)
		}
		time.Sleep(20 * time.Second)
		wantState(t, &b, fault.Open) // not longer than 30 s yet
		time.Sleep(time.Nanosecond)
		wantState(t, &b, fault.HalfOpen)
	})
}

func TestHalfOpenBreakerLetsOneProbeThrough(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &fault.Breaker{Failures: 1, OpenFor: time.Second}
		_ = call(t.Context(), b, errFlaky)
		time.Sleep(time.Second + 1)
		done, err := b.Allow()
		if err != nil {
			t.Fatalf("the probe: %v", err)
		}
		var open *fault.OpenError
		if err := call(t.Context(), b, nil); !errors.As(err, &open) || open.State != fault.HalfOpen || open.Wait != 0 {
			t.Errorf("beside the probe: %v, want an OpenError", err)
		}
		done(errFlaky)
		done(nil) // does nothing
		wantState(t, b, fault.Open)

		time.Sleep(time.Second) // the time began anew
		wantState(t, b, fault.Open)
		time.Sleep(time.Nanosecond)
		if err := call(t.Context(), b, nil); err != nil {
			t.Errorf("second probe: %v", err)
		}
		wantState(t, b, fault.Closed)
	})
}

func TestBreakerWantsAsManySuccessesAsItIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &fault.Breaker{Failures: 1, Successes: 2, OpenFor: time.Second}
		_ = call(t.Context(), b, errFlaky)
		for _, c := range []struct {
			err  error
			want fault.State
		}{{nil, fault.HalfOpen}, {errFlaky, fault.Open}, {nil, fault.HalfOpen}, {nil, fault.Closed}} {
			time.Sleep(time.Second + 1)
			_ = call(t.Context(), b, c.err)
			wantState(t, b, c.want)
		}
	})
}

func TestOutcomesThatSayNothingAreNotCounted(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	b := &fault.Breaker{Failures: 1, OpenFor: time.Second, Now: func() time.Time { return now }}
	late, err := b.Allow()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := func(context.Context) (int, error) { cancel(); return 0, errFlaky }
	if _, err := fault.Do(ctx, fault.Policy{Breaker: b}, cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled call: %v", err)
	}
	wantState(t, b, fault.Closed)

	_ = call(t.Context(), b, errFlaky)
	now = now.Add(time.Second + 1)
	wantState(t, b, fault.HalfOpen)
	late(errFlaky) // began while it was closed
	wantState(t, b, fault.HalfOpen)

	probe, _ := b.Allow()
	probe(context.Canceled) // and the next may try
	if err := call(t.Context(), b, nil); err != nil {
		t.Errorf("after a probe that was cancelled: %v", err)
	}
	wantState(t, b, fault.Closed)
}

func TestCountsDecidesWhatIsAFailure(t *testing.T) {
	t.Parallel()
	b := &fault.Breaker{Failures: 2, Counts: func(err error) bool { return errors.Is(err, errFlaky) }}
	for _, err := range []error{errFlaky, errFinal, errFlaky, errFinal, errFinal} {
		_ = call(t.Context(), b, err)
	}
	wantState(t, b, fault.Closed)
}

func TestPanicIsAFailureAndGoesThrough(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		breaker *fault.Breaker
		call    func() error
	}{
		{"of the call", &fault.Breaker{Failures: 1}, func() error { panic("a bug") }},
		{"of Counts", &fault.Breaker{Failures: 1, Counts: func(error) bool { panic("a bug") }}, func() error { return errFlaky }},
	} {
		func() {
			defer func() {
				if got := recover(); got != "a bug" {
					t.Errorf("%s: recovered %v", c.name, got)
				}
			}()
			_, _ = fault.Do(t.Context(), fault.Policy{Breaker: c.breaker}, func(context.Context) (int, error) { return 0, c.call() })
		}()
		wantState(t, c.breaker, fault.Open)
	}
}

func TestResetCloses(t *testing.T) {
	t.Parallel()
	b := &fault.Breaker{Failures: 2}
	_ = call(t.Context(), b, errFlaky)
	b.Reset()
	_ = call(t.Context(), b, errFlaky)
	wantState(t, b, fault.Closed)
	_ = call(t.Context(), b, errFlaky)
	wantState(t, b, fault.Open)
	b.Reset()
	wantState(t, b, fault.Closed)
	if got := fault.State(9).String(); got != "state(9)" {
		t.Errorf("an unknown state is %q", got)
	}
}
