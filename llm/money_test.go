package llm_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/llm"
)

func ExamplePrices() {
	prices := llm.Prices{"anthropic/claude": {Input: 3 * llm.Dollar, CacheRead: 30 * llm.Cent, Output: 15 * llm.Dollar}}
	cost, known := prices.Cost("anthropic/claude", llm.Usage{Input: 7, CacheRead: 9000, CacheWrite: 500, Output: 200})
	fmt.Println(cost, cost.Cents(), known)
	_, known = prices.Cost("anthropic/unknown", llm.Usage{Input: 7})
	fmt.Println(known)
	prices["x"] = llm.Price{Output: -llm.Cent}
	fmt.Println(prices.Validate())
	// Output:
	// $0.007221 $0.01 true
	// false
	// prices of x: the price of Output is -$0.01; a price is not negative
}

func TestAmountsAreShownToTheCent(t *testing.T) {
	t.Parallel()
	for m, want := range map[llm.Micros]string{
		1_500_000: "$1.50", 5_000: "$0.01", 4_999: "$0.00", 0: "$0.00", -5_000: "-$0.01", -4_999: "$0.00", 999_995_000: "$1000.00",
		math.MaxInt64: "$9223372036854.78", math.MinInt64: "-$9223372036854.78",
	} {
		if got := m.Cents(); got != want {
			t.Errorf("%d is %s, want %s", int64(m), got, want)
		}
	}
	if got := llm.Micros(math.MinInt64).String(); got != "-$9223372036854.775808" {
		t.Errorf("the smallest amount is %s", got)
	}
}

func TestCachedTokensCostAsInputUnlessPriced(t *testing.T) {
	t.Parallel()
	u := llm.Usage{Input: 1e6, CacheRead: 1e6, CacheWrite: 1e6}
	for _, tt := range []struct {
		p    llm.Price
		want llm.Micros
	}{
		{llm.Price{Input: 3 * llm.Dollar}, 9 * llm.Dollar},
		{llm.Price{Input: 3 * llm.Dollar, CacheRead: 30 * llm.Cent}, 6*llm.Dollar + 30*llm.Cent},
		{llm.Price{}, 0},
	} {
		if got := tt.p.Cost(u); got != tt.want {
			t.Errorf("%+v costs %v, want %v", tt.p, got, tt.want)
		}
	}
}

func TestNothingWraps(t *testing.T) {
	t.Parallel()
	most := llm.Usage{Input: math.MaxInt64, CacheRead: math.MaxInt64, CacheWrite: math.MaxInt64, Output: math.MaxInt64}
	if got := most.Add(llm.Usage{Input: 1, CacheRead: math.MaxInt64}); got != most || got.Total() != math.MaxInt64 {
		t.Errorf("the largest usage and one more = %+v, total %d", got, got.Total())
	}
	if got := (llm.Usage{Input: 3, Output: 2}).Total() + (llm.Usage{Input: 1, CacheWrite: 3, CacheRead: 4, Output: 2}).Total(); got != 15 {
		t.Errorf("totals = %d", got)
	}
	if got := llm.Micros(math.MaxInt64).Add(1); got != math.MaxInt64 {
		t.Errorf("the largest amount and one more = %d", got)
	}
	if got := llm.Micros(math.MinInt64).Add(-1); got != math.MinInt64 {
		t.Errorf("the smallest amount and one less = %d", got)
	}
	full := llm.Price{Input: math.MaxInt64, CacheRead: math.MaxInt64, CacheWrite: math.MaxInt64, Output: math.MaxInt64}
	if got := full.Cost(most); got != math.MaxInt64 {
		t.Errorf("the largest cost = %d", got)
	}
	if err := full.Validate(); err != nil {
		t.Error(err)
	}
	for _, p := range []llm.Price{{Input: -1}, {CacheRead: -1}, {CacheWrite: -1}, {Output: -1}} {
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "not negative") {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// The cost of a sum is the sum of the costs, but for one rounding each.
func TestCostIsRoundedOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.Int64Range(0, 1e9)
		rate := rapid.Custom(func(rt *rapid.T) llm.Micros { return llm.Micros(rapid.Int64Range(1, 100e6).Draw(rt, "rate")) })
		u := llm.Usage{Input: n.Draw(rt, "in"), CacheRead: n.Draw(rt, "read"), CacheWrite: n.Draw(rt, "write"), Output: n.Draw(rt, "out")}
		p := llm.Price{Input: rate.Draw(rt, "in"), CacheRead: rate.Draw(rt, "read"), CacheWrite: rate.Draw(rt, "write"), Output: rate.Draw(rt, "out")}
		want := (u.Input*int64(p.Input) + u.CacheRead*int64(p.CacheRead) + u.CacheWrite*int64(p.CacheWrite) + u.Output*int64(p.Output)) / 1e6
		if got := p.Cost(u); got != llm.Micros(want) {
			rt.Fatalf("%+v at %+v costs %d, want %d", u, p, got, want)
		}
	})
}

// A provider that subtracts more than there was counts no tokens, not fewer.
func TestNegativeCountsAreNoTokens(t *testing.T) {
	t.Parallel()
	resp, err := llm.Generate(t.Context(), chunks(llm.Chunk{Kind: llm.ChunkDone, Usage: &llm.Usage{Input: -5, Output: 7}}), &llm.Request{})
	if err != nil || resp.Usage != (llm.Usage{Output: 7}) {
		t.Errorf("usage = %+v, %v", resp.Usage, err)
	}
}
