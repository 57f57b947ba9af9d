package series

import (
	"slices"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// Cadence returns the median spacing of the records that hold at least one
// finite value; 0 when there are fewer than two. The grid of a file says
// little: hourly values on a grid of minutes have a cadence of one hour.
func (s *Series) Cadence() time.Duration {
	if !s.Ordered() {
		return Cadence(s.validTimes())
	}
	return time.Duration(medianStep(func(yield func(tt.Time)) {
		last := tt.Fill
		for i, t := range s.Time {
			if !slices.ContainsFunc(s.Row(i), finite) {
				continue
			}
			if last != tt.Fill && t > last {
				yield(t - last)
			}
			last = t
		}
	}))
}

// Cadence returns the median spacing of an axis, whatever its order; 0 when it
// has fewer than two different instants. Repeated instants are no step: two
// instruments in one file would otherwise have a cadence of zero.
func Cadence(axis []tt.Time) time.Duration {
	if !slices.IsSorted(axis) {
		axis = slices.Clone(axis)
		slices.Sort(axis)
	}
	return time.Duration(medianStep(func(yield func(tt.Time)) {
		for i := 1; i < len(axis); i++ {
			if step := axis[i] - axis[i-1]; step > 0 {
				yield(step)
			}
		}
	}))
}

// validTimes returns, in order, the instants of records with a finite value.
func (s *Series) validTimes() []tt.Time {
	out := make([]tt.Time, 0, s.Len())
	for i, t := range s.Time {
		if slices.ContainsFunc(s.Row(i), finite) {
			out = append(out, t)
		}
	}
	if !slices.IsSorted(out) {
		slices.Sort(out)
	}
	return out
}

// gapLimit is the longest distance between two records with data that is no
// gap: what the caller says, no limit below 0, or [GapSteps] median steps.
func (s *Series) gapLimit(limit time.Duration) tt.Time {
	switch {
	case limit < 0:
		return tt.Max
	case limit > 0:
		return tt.Time(limit)
	}
	return GapSteps * tt.Time(s.Cadence())
}

// medianStep is the median of the steps, which are above 0; 0 when there is
// none. each is called several times and gives the same each time.
//
// It holds none of them: a year of one-second data would take as much memory
// again. Most axes have one step that outnumbers the rest, which a vote finds;
// for the others the median is found digit by digit.
func medianStep(each func(yield func(tt.Time))) tt.Time {
	var n, votes int
	var favourite tt.Time
	each(func(step tt.Time) {
		n++
		switch {
		case votes == 0:
			favourite, votes = step, 1
		case step == favourite:
			votes++
		default:
			votes--
		}
	})
	if n == 0 {
		return 0
	}
	share := 0
	each(func(step tt.Time) {
		if step == favourite {
			share++
		}
	})
	if 2*share > n {
		return favourite
	}
	high := nthStep(each, n/2)
	if n%2 == 1 {
		return high
	}
	low := nthStep(each, n/2-1)
	return low + (high-low)/2
}

// nthStep is the k-th smallest step, found 16 bits at a time.
func nthStep(each func(yield func(tt.Time)), k int) tt.Time {
	const bits, digits = 16, 1 << 16
	counts := make([]int, digits)
	var found uint64
	for shift := 64 - bits; shift >= 0; shift -= bits {
		clear(counts)
		each(func(step tt.Time) {
			if v := uint64(step); v>>shift>>bits == found {
				counts[v>>shift%digits]++
			}
		})
		digit := 0
		for ; k >= counts[digit]; digit++ {
			k -= counts[digit]
		}
		found = found<<bits | uint64(digit)
	}
	return tt.Time(found)
}
