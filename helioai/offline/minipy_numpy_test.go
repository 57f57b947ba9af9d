package offline

import (
	"math"
	"slices"

	"github.com/helios-go/helios/helio/tt"
)

// numpy computes the functions that the scripts call.
func numpy(name string, args []any) any {
	switch name {
	case "isfinite":
		x := args[0].(pyNums)
		mask := make(pyMask, len(x))
		for i, v := range x {
			mask[i] = !math.IsNaN(v) && !math.IsInf(v, 0)
		}
		return mask
	case "count_nonzero":
		n := 0.0
		for _, b := range args[0].(pyMask) {
			if b {
				n++
			}
		}
		return n
	case "datetime64":
		t, err := tt.Parse(args[0].(string))
		if err != nil {
			panic("ValueError: " + err.Error())
		}
		return pyTime{t}
	case "timedelta64":
		return pySpan(args[0].(float64))
	case "diff":
		t := args[0].(pyTimes)
		out := make(pySpans, max(0, len(t)-1))
		for i := range out {
			out[i] = t[i+1].Sub(t[i]).Seconds()
		}
		return out
	case "abs":
		out := slices.Clone(args[0].(pySpans))
		for i, v := range out {
			out[i] = math.Abs(v)
		}
		return out
	case "argmin":
		d := args[0].(pySpans)
		return float64(slices.Index(d, slices.Min(d)))
	case "median":
		if d, ok := args[0].(pySpans); ok {
			return pySpan(percentile(d, 50))
		}
		return percentile(args[0].(pyNums), 50)
	}
	x := args[0].(pyNums)
	valid := slices.DeleteFunc(slices.Clone(x), math.IsNaN)
	if len(valid) == 0 {
		panic("ValueError: All-NaN slice encountered")
	}
	mean := 0.0
	for _, v := range valid {
		mean += v / float64(len(valid))
	}
	variance := 0.0
	for _, v := range valid {
		variance += (v - mean) * (v - mean) / float64(len(valid))
	}
	switch name {
	case "nanmean":
		return mean
	case "nanvar":
		return variance
	case "nanstd":
		return math.Sqrt(variance)
	case "nanmedian":
		return percentile(valid, 50)
	case "nanpercentile":
		return percentile(valid, args[1].(float64))
	case "nanargmin":
		return float64(slices.Index(x, slices.Min(valid)))
	case "nanargmax":
		return float64(slices.Index(x, slices.Max(valid)))
	}
	panic("NameError: np." + name)
}

// percentile interpolates linearly between neighbours, as numpy does.
func percentile(values []float64, p float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	at := p / 100 * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
