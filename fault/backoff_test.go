package fault_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/fault"
)

func TestDelaysGrowUpToTheMost(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for _, c := range []struct {
		name    string
		backoff fault.Backoff
		want    []time.Duration
	}{
		{"zero value", fault.Backoff{}, []time.Duration{s / 2, s, 2 * s, 4 * s, 8 * s}},
		{"1 s, 4, 30 s", fault.Backoff{Initial: s, Factor: 4, Max: 30 * s}, []time.Duration{s, 4 * s, 16 * s, 30 * s, 30 * s}},
		{"fixed", fault.Fixed(time.Hour), []time.Duration{time.Hour, time.Hour, time.Hour}},
		{"none", fault.Fixed(0), []time.Duration{0, 0}},
		{"negative", fault.Backoff{Initial: -s}, []time.Duration{0, 0}},
		{"factor below 1", fault.Backoff{Initial: s, Factor: 0.5}, []time.Duration{s, s}},
		{"factor is no number", fault.Backoff{Initial: s, Factor: math.NaN()}, []time.Duration{s, s}},
		{"initial above the most", fault.Backoff{Initial: time.Hour, Max: s}, []time.Duration{s, s}},
	} {
		var got []time.Duration
		for attempt := range c.want {
			got = append(got, c.backoff.Delay(attempt+1))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: delays %v, want %v", c.name, got, c.want)
		}
	}
	if got := (fault.Backoff{}).Delay(1 << 40); got != 5*time.Minute {
		t.Errorf("delay of a late attempt = %v, want 5 min", got)
	}
}

func TestJitterStaysWithinItsPart(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for _, c := range []struct {
		jitter     float64
		low, high  time.Duration
		atMidpoint time.Duration
	}{
		{0, 900 * time.Millisecond, 1100 * time.Millisecond, s},
		{0.5, s / 2, 3 * s / 2, s},
		{7, 0, 2 * s, s},
		{-1, s, s, s},
		{math.NaN(), s, s, s},
	} {
		b := fault.Backoff{Initial: s, Factor: 1, Jitter: c.jitter}
		if low, mid, high := b.Jittered(1, 0), b.Jittered(1, 0.5), b.Jittered(1, 1); low != c.low || mid != c.atMidpoint || high != c.high {
			t.Errorf("jitter %v: %v, %v, %v, want %v, %v, %v", c.jitter, low, mid, high, c.low, c.atMidpoint, c.high)
		}
	}
}

func TestNoBackoffIsNegativeOrOverflows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := fault.Backoff{
			Initial: time.Duration(rapid.Int64().Draw(t, "initial")),
			Factor:  rapid.Float64().Draw(t, "factor"),
			Max:     time.Duration(rapid.Int64().Draw(t, "max")),
			Jitter:  rapid.Float64().Draw(t, "jitter"),
		}
		attempt := rapid.Int().Draw(t, "attempt")
		if d := b.Delay(attempt); d < 0 {
			t.Errorf("%+v: Delay(%d) = %v", b, attempt, d)
		}
		if d := b.Jittered(attempt, rapid.Float64Range(0, 1).Draw(t, "u")); d < 0 {
			t.Errorf("%+v: Jittered(%d) = %v", b, attempt, d)
		}
	})
}
