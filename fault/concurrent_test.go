package fault_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/helios-go/helios/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCallersTogetherGetOneProbe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &fault.Breaker{Failures: 1, OpenFor: time.Second}
		_ = call(t.Context(), b, errFlaky)
		time.Sleep(2 * time.Second)
		var through atomic.Int32
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				_, _ = fault.Do(t.Context(), fault.Policy{Breaker: b, Timeout: time.Minute}, func(context.Context) (int, error) {
					through.Add(1)
					time.Sleep(time.Second)
					return 0, nil
				})
			})
		}
		all.Wait()
		if got := through.Load(); got != 1 {
			t.Errorf("%d probes, want 1", got)
		}
		wantState(t, b, fault.Closed)
	})
}
