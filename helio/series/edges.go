package series

import (
	"fmt"
	"math"
	"slices"
)

// Edges returns the limits of bins around centers, as pairs of the lower and
// the upper: half way between neighbours, on a log axis in the logarithm. The
// outermost limits lie as far from their center as the inner ones. Centers may
// go up or down. A center that is missing, or not above 0 on a log axis, has
// no limits (NaN), and none beside it is widened to make up for that. One
// center alone has none either.
func Edges(centers []float64, log bool) []float64 {
	scaled := make([]float64, len(centers))
	for i, c := range centers {
		if scaled[i] = c; log {
			scaled[i] = math.Log(c)
		}
		if !finite(scaled[i]) {
			scaled[i] = math.NaN()
		}
	}
	at := func(i int) float64 {
		if i < 0 || i >= len(scaled) {
			return math.NaN()
		}
		return scaled[i]
	}
	out := make([]float64, 2*len(centers))
	for i, c := range scaled {
		// Half the distance to the neighbour on either side, or on the other.
		down, up := (c-at(i-1))/2, (at(i+1)-c)/2
		if math.IsNaN(down) {
			down = up
		}
		if math.IsNaN(up) {
			up = down
		}
		low, high := c-down, c+up
		if log {
			low, high = math.Exp(low), math.Exp(high)
		}
		out[2*i], out[2*i+1] = min(low, high), max(low, high)
	}
	return out
}

// Logarithmic reports whether centers are spaced by equal factors rather than
// by equal steps, as energy channels are. Fewer than three, or one that is not
// above 0, are not.
func Logarithmic(centers []float64) bool {
	valid := slices.DeleteFunc(slices.Clone(centers), math.IsNaN)
	if len(valid) < 3 || slices.Min(valid) <= 0 {
		return false
	}
	steps, factors := make([]float64, 0, len(valid)), make([]float64, 0, len(valid))
	for i := 1; i < len(valid); i++ {
		steps = append(steps, valid[i]-valid[i-1])
		factors = append(factors, math.Log(valid[i]/valid[i-1]))
	}
	return unevenness(factors) < unevenness(steps)
}

// unevenness is the standard deviation over the mean.
func unevenness(steps []float64) float64 {
	n := float64(len(steps))
	mean := strideSum(steps, 0, 1) / n
	return apply(Std, slices.Clone(steps)) / math.Abs(mean)
}

// Limits returns the lower and upper limits of the bins of one record of n, as
// pairs: Ranges where the axis has them, otherwise [Edges] of its centers, on
// a log axis where they are [Logarithmic]. The slice is not to be changed.
func (a Axis) Limits(record, n int) []float64 {
	if a.Varying {
		a = a.window(record, record+1, n)
	}
	if len(a.Ranges) > 0 {
		return a.Ranges
	}
	return Edges(a.Centers, Logarithmic(a.Centers))
}

// A limiter gives the limits of one record after the other. Sweeps alternate
// between few tables of energies, so it seldom makes new ones.
type limiter struct {
	axis            Axis
	records         int
	centers, limits []float64 // of the record before
}

func (l *limiter) of(record int) []float64 {
	a := l.axis
	if a.Varying {
		a = a.window(record, record+1, l.records)
	}
	if len(a.Ranges) > 0 {
		return a.Ranges
	}
	if l.limits == nil || !equalNumbers(a.Centers, l.centers) {
		l.centers, l.limits = a.Centers, Edges(a.Centers, Logarithmic(a.Centers))
	}
	return l.limits
}

// fixedAxes returns s with its bins fixed in time; an error where they differ.
func (s *Series) fixedAxes() (*Series, error) {
	if !slices.ContainsFunc(s.Axes, func(a Axis) bool { return a.Varying }) {
		return s, nil
	}
	out := *s
	out.Axes = slices.Clone(s.Axes)
	for i, a := range s.Axes {
		if !a.Varying || s.Len() == 0 {
			out.Axes[i].Varying = false
			continue
		}
		first := a.window(0, 1, s.Len())
		for r := 1; r < s.Len(); r++ {
			if b := a.window(r, r+1, s.Len()); !equalNumbers(b.Centers, first.Centers) || !equalNumbers(b.Ranges, first.Ranges) {
				return nil, fmt.Errorf("the bins of axis %d (%s) vary with time; put them on fixed ones with Rebinned, or choose a range with Integrated or Averaged", i, a.Name)
			}
		}
		first.Varying = false
		out.Axes[i] = first
	}
	return &out, nil
}
