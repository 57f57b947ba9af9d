//go:build !race

package fault_test

import (
	"context"
	"testing"
	"time"

	"github.com/helios-go/helios/fault"
)

// It does not run in parallel: it would count the allocations of others.
func TestAllocationCeilings(t *testing.T) {
	ctx := t.Context()
	op := func(context.Context) (int, error) { return 1, nil }
	b := new(fault.Breaker)
	for _, c := range []struct {
		name   string
		most   float64
		policy fault.Policy
	}{
		{"nothing", 0, fault.Policy{}},
		{"retry", 0, fault.Policy{Retry: &fault.Retry{}}},
		{"breaker", 0, fault.Policy{Breaker: b}},
		{"breaker and retry", 0, fault.Policy{Breaker: b, Retry: &fault.Retry{}}},
		{"everything", 7, fault.Policy{Timeout: time.Hour, Breaker: b, Retry: &fault.Retry{}}},
	} {
		if got := testing.AllocsPerRun(100, func() { _, _ = fault.Do(ctx, c.policy, op) }); got > c.most {
			t.Errorf("%s: %v allocations, want at most %v", c.name, got, c.most)
		}
	}
}
