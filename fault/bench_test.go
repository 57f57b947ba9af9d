package fault_test

import (
	"context"
	"testing"
	"time"

	"github.com/helios-go/helios/fault"
)

// BenchmarkDo is what a policy costs a call that succeeds.
func BenchmarkDo(b *testing.B) {
	op := func(context.Context) (int, error) { return 1, nil }
	for _, c := range []struct {
		name   string
		policy fault.Policy
	}{
		{"nothing", fault.Policy{}},
		{"retry", fault.Policy{Retry: &fault.Retry{}}},
		{"breaker", fault.Policy{Breaker: &fault.Breaker{}}},
		{"everything", fault.Policy{Timeout: time.Hour, Breaker: &fault.Breaker{}, Retry: &fault.Retry{}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = fault.Do(b.Context(), c.policy, op)
			}
		})
	}
}
