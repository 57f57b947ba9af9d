package series

import (
	"slices"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// An Interval is the time from Start to below Stop.
type Interval struct{ Start, Stop tt.Time }

// Duration is how long it lasts.
func (i Interval) Duration() time.Duration { return i.Stop.Sub(i.Start) }

// Coverage says which parts of a window hold data.
type Coverage struct {
	Window    Interval
	Intervals []Interval // with data, in order, none touching the next
	Covered   time.Duration
	Pct       float64 // of the window; 0 for one of no length
}

// Coverage returns which parts of the window from start to below stop hold
// data: the intervals for which the records with at least one finite value
// stand, those put together between which there is no gap longer than maxGap.
// With maxGap 0 that is [GapSteps] times the cadence, as in [Series.Quality].
// A record stands for one cadence around its time, or after or before it, as
// TimeStampLocation says. Where start or stop is [tt.Fill] the window ends
// with the data on that side.
func (s *Series) Coverage(start, stop tt.Time, maxGap time.Duration) Coverage {
	times := s.validTimes()
	cadence := tt.Time(Cadence(times))
	limit := s.gapLimit(maxGap)
	shift := toMiddle(s.Meta.TimeStampLocation, cadence) - cadence/2
	var all []Interval
	for i, t := range times {
		if i > 0 && t-times[i-1] <= limit {
			all[len(all)-1].Stop = t + shift + cadence
			continue
		}
		all = append(all, Interval{t + shift, t + shift + cadence})
	}
	var c Coverage
	if len(all) > 0 {
		c.Window = Interval{all[0].Start, all[len(all)-1].Stop}
	}
	if start != tt.Fill {
		c.Window.Start = start
	}
	if stop != tt.Fill {
		c.Window.Stop = stop
	}
	c.Window.Stop = max(c.Window.Start, c.Window.Stop)
	for _, one := range all {
		one.Start, one.Stop = max(one.Start, c.Window.Start), min(one.Stop, c.Window.Stop)
		// A record alone, or a limit below the cadence, may touch the next.
		if n := len(c.Intervals); n > 0 && one.Start < c.Intervals[n-1].Stop {
			one.Start = c.Intervals[n-1].Stop
		}
		if one.Stop > one.Start {
			c.Intervals = append(c.Intervals, one)
			c.Covered += one.Duration()
		}
	}
	if whole := c.Window.Duration(); whole > 0 {
		c.Pct = 100 * float64(c.Covered) / float64(whole)
	}
	return c
}

// Gaps returns the parts of the window that Intervals leaves out, in order.
func (c Coverage) Gaps() []Interval {
	var out []Interval
	from := c.Window.Start
	for _, i := range append(slices.Clone(c.Intervals), Interval{c.Window.Stop, c.Window.Stop}) {
		if i.Start > from {
			out = append(out, Interval{from, i.Start})
		}
		from = i.Stop
	}
	return out
}
