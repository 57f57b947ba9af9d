package fault

import (
	"math"
	"time"
)

// A Backoff says how long to wait after each failed attempt: Initial, then each
// time Factor as long, never longer than Max; and Jitter moves that by chance, so
// that those who failed together do not come back together. The zero value waits
// 0.5 s, 1 s, 2 s ... up to 5 min, each within 10 % of that.
type Backoff struct {
	Initial time.Duration // 0: 500 ms; less: no wait
	Factor  float64       // 0: 2; otherwise at least 1, which is what less counts as
	Max     time.Duration // 0 or less: 5 min
	Jitter  float64       // as a part of the wait, in [0, 1]; 0: 0.1; less: none
}

// Fixed waits d each time, without jitter.
func Fixed(d time.Duration) Backoff {
	if d <= 0 {
		d = -1
	}
	return Backoff{Initial: d, Factor: 1, Max: math.MaxInt64, Jitter: -1}
}

// Delay returns how long to wait after the attempt, of which the first is 1,
// before chance has its part.
func (b Backoff) Delay(attempt int) time.Duration {
	initial, factor, most := b.Initial, b.Factor, b.Max
	switch {
	case initial < 0:
		return 0
	case initial == 0:
		initial = 500 * time.Millisecond
	}
	if factor == 0 {
		factor = 2
	}
	if most <= 0 {
		most = 5 * time.Minute
	}
	d := float64(initial)
	if factor > 1 {
		d *= math.Pow(factor, float64(max(attempt, 1)-1))
	}
	if d >= float64(most) {
		return most
	}
	return time.Duration(d)
}

// Jittered returns the delay moved by chance: for u from 0 to 1 evenly from
// Delay less its jitter to Delay more it, never below 0.
func (b Backoff) Jittered(attempt int, u float64) time.Duration {
	d, j := b.Delay(attempt), b.Jitter
	switch {
	case j == 0:
		j = 0.1
	case j < 0 || math.IsNaN(j):
		return d
	}
	moved := float64(d) * (1 + min(j, 1)*(2*u-1))
	if moved >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(0, time.Duration(moved))
}
