package series

import (
	"fmt"
	"math"
	"slices"
)

// A Method is how several values become one.
type Method string

// Mean to Count are of the values in a bin or a window, missing ones left out:
// where there is none the result is NaN, and Count is 0. Nearest and Linear
// are values at an instant.
const (
	Mean    Method = "mean"
	Median  Method = "median"
	Min     Method = "min"
	Max     Method = "max"
	Std     Method = "std" // of the population, as in [Stats]
	Count   Method = "count"
	Nearest Method = "nearest"
	Linear  Method = "linear"
)

// binned reports whether the method is one over many values.
func (m Method) binned() bool {
	return slices.Contains([]Method{Mean, Median, Min, Max, Std, Count}, m)
}

// known is an error for a method that is none of these; the empty one is mean.
func (m Method) known(of ...Method) (Method, error) {
	if m == "" {
		m = of[0]
	}
	if !slices.Contains(of, m) {
		return "", fmt.Errorf("there is no method %q; use one of %q", m, of)
	}
	return m, nil
}

// A reducer applies a method to one column of some records.
type reducer struct {
	method  Method
	scratch []float64
}

// reduce returns the result over every w-th of the values from the first on,
// and how many of them are valid.
func (r *reducer) reduce(values []float64, first, w int) (result float64, valid int) {
	if r.method == Mean {
		// A sum with something missing in it is not finite: most bins need no
		// look at each value.
		if total := strideSum(values, first, w); finite(total) && len(values) > 0 {
			n := (len(values) - first + w - 1) / w
			return total / float64(n), n
		}
	}
	r.scratch = r.scratch[:0]
	for i := first; i < len(values); i += w {
		if finite(values[i]) {
			r.scratch = append(r.scratch, values[i])
		}
	}
	return apply(r.method, r.scratch), len(r.scratch)
}

// apply reduces finite values; it may reorder them.
func apply(m Method, values []float64) float64 {
	switch {
	case m == Count:
		return float64(len(values))
	case len(values) == 0:
		return math.NaN()
	}
	switch m {
	case Median:
		return median(values)
	case Min:
		return slices.Min(values)
	case Max:
		return slices.Max(values)
	case Std:
		mean := strideSum(values, 0, 1) / float64(len(values))
		squares := 0.0
		for _, v := range values {
			squares += (v - mean) * (v - mean)
		}
		return math.Sqrt(squares / float64(len(values)))
	}
	return strideSum(values, 0, 1) / float64(len(values))
}

// strideSum adds every w-th value from the first on, in four sums that do not
// wait for each other and lose fewer digits than one.
func strideSum(values []float64, first, w int) float64 {
	var a, b, c, d float64
	i := first
	if w == 1 {
		for ; i+4 <= len(values); i += 4 {
			v := values[i : i+4 : i+4]
			a += v[0]
			b += v[1]
			c += v[2]
			d += v[3]
		}
	} else {
		for ; i+3*w < len(values); i += 4 * w {
			a += values[i]
			b += values[i+w]
			c += values[i+2*w]
			d += values[i+3*w]
		}
	}
	for ; i < len(values); i += w {
		a += values[i]
	}
	return (a + b) + (c + d)
}
