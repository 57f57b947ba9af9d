package series

import (
	"math"

	"github.com/helios-go/helios/helio/tt"
)

// A sampler takes the values of a series at given instants.
type sampler struct {
	s      *Series // in order
	method Method  // Nearest or Linear
	middle tt.Time // how far after its time a record lies
	gap    tt.Time // the longest distance between valid values that is bridged
	reach  tt.Time // how far Nearest goes at the edge of a longer gap
}

// at returns the values shift after each of the instants, which are in order.
// Each column is on its own: one that is missing takes the others' neighbours
// from nobody.
func (p *sampler) at(instants []tt.Time, shift tt.Time) []float64 {
	w := p.s.Width()
	out := make([]float64, len(instants)*w)
	for c := range w {
		before, after := -1, p.nextValid(0, c)
		for i, t := range instants {
			t += shift
			for after < len(p.s.Time) && p.time(after) <= t {
				before, after = after, p.nextValid(after+1, c)
			}
			out[i*w+c] = p.value(before, after, c, t)
		}
	}
	return out
}

func (p *sampler) time(record int) tt.Time { return p.s.Time[record] + p.middle }

func (p *sampler) nextValid(record, column int) int {
	w := p.s.Width()
	for ; record < len(p.s.Time); record++ {
		if finite(p.s.Values[record*w+column]) {
			return record
		}
	}
	return record
}

// value is that of a column at t, which lies at or after the record before and
// ahead of the record after; either may not be there.
func (p *sampler) value(before, after, column int, t tt.Time) float64 {
	w, nan := p.s.Width(), math.NaN()
	get := func(record int) float64 { return p.s.Values[record*w+column] }
	hasBefore, hasAfter := before >= 0, after < len(p.s.Time)
	if hasBefore && p.time(before) == t {
		return get(before)
	}
	bridged := hasBefore && hasAfter && p.time(after)-p.time(before) <= p.gap
	if p.method == Linear {
		if !bridged {
			return nan
		}
		a, b := get(before), get(after)
		share := float64(t-p.time(before)) / float64(p.time(after)-p.time(before))
		return max(min(a, b), min(max(a, b), a+(b-a)*share))
	}
	switch {
	case bridged && t-p.time(before) <= p.time(after)-t:
		return get(before)
	case bridged:
		return get(after)
	case hasBefore && t-p.time(before) <= p.reach:
		return get(before)
	case hasAfter && p.time(after)-t <= p.reach:
		return get(after)
	}
	return nan
}
