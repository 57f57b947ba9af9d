package series

import (
	"fmt"
	"math"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// MaxGrid is how many instants [Grid] makes at most, about 1 GB of them.
const MaxGrid = 1 << 27

const (
	utcDay = int64(24 * time.Hour)
	// utcSteady is 1972-01-01 in nanoseconds since 1970: from then on a second
	// of UTC is one of TT2000.
	utcSteady = 730 * utcDay
)

// Grid returns the instants from start on, below stop, that lie step apart in
// UTC: every hour of a year is on the hour, before a leap second and after it.
// The step that holds a leap second is a second longer, or more than one step
// where a step is no longer than a second.
//
// A step that is not above 0, a bound that is [tt.Fill], and more than
// [MaxGrid] instants are errors.
func Grid(start, stop tt.Time, step time.Duration) ([]tt.Time, error) {
	if step <= 0 {
		return nil, fmt.Errorf("grid from %v to %v: a step of %v leads nowhere; give one above 0", start, stop, step)
	}
	if start == tt.Fill || stop == tt.Fill {
		return nil, fmt.Errorf("grid from %v to %v: a bound is missing; give both", start, stop)
	}
	if stop <= start {
		return nil, nil
	}
	n := (uint64(stop) - uint64(start)) / uint64(step)
	if n >= MaxGrid {
		return nil, fmt.Errorf("grid from %v to %v: a step of %v makes %d instants, more than %d; take a larger step or a shorter window", start, stop, step, n, MaxGrid)
	}
	g := &gridder{step: tt.Time(step), stop: stop, out: make([]tt.Time, 0, n+1)}
	u := start.UnixNanoUTC()
	if back, err := tt.FromUnixNano(u); err != nil || back != start {
		// It lies in a leap second, or where UTC in nanoseconds ends.
		g.out = append(g.out, start)
		g.rest()
		return g.out, nil
	}
	g.days(u)
	return g.out, nil
}

// A gridder makes the instants of a grid.
type gridder struct {
	step, stop tt.Time
	out        []tt.Time
}

// days makes the instants day by day, from u nanoseconds of UTC since 1970 on.
func (g *gridder) days(u int64) {
	step := int64(g.step)
	for {
		t, err := tt.FromUnixNano(u)
		if err != nil {
			g.rest()
			return
		}
		if g.add(t); t >= g.stop {
			return
		}
		// Within a day of today's UTC one can count; conversions are slower.
		if u >= utcSteady {
			for midnight := u - u%utcDay + utcDay; u < midnight-step; {
				u += step
				if t += g.step; t >= g.stop {
					return
				}
				g.out = append(g.out, t)
			}
		}
		if u > math.MaxInt64-step {
			g.rest()
			return
		}
		u += step
	}
}

// add appends t, and before it what a leap second leaves room for.
func (g *gridder) add(t tt.Time) {
	if n := len(g.out); n > 0 {
		last := g.out[n-1]
		for last += g.step; t-last >= g.step && last < g.stop; last += g.step {
			g.out = append(g.out, last)
		}
		if t <= g.out[len(g.out)-1] {
			return // when UTC was set ahead, before 1972, some instants never were
		}
	}
	if t < g.stop {
		g.out = append(g.out, t)
	}
}

// rest goes on step by step from the last instant.
func (g *gridder) rest() {
	for last := g.out[len(g.out)-1]; g.stop-last > g.step; {
		last += g.step
		g.out = append(g.out, last)
	}
}

// gridStart is the last instant at or before t that lies a whole number of
// steps after its midnight.
func gridStart(t tt.Time, step time.Duration) tt.Time {
	u := t.UnixNanoUTC()
	ofDay := (u%utcDay + utcDay) % utcDay
	start, err := tt.FromUnixNano(u - ofDay%int64(step))
	if err != nil || start > t || start == tt.Fill {
		return t
	}
	return start
}
