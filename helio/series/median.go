package series

import (
	"slices"

	"github.com/helios-go/helios/helio/tt"
)

// median returns the middle value, or the mean of the middle two, and
// reorders values on the way. There must be one, and none may be NaN.
func median[T float64 | tt.Time](values []T) T {
	n := len(values)
	choose(values, n/2)
	high := values[n/2]
	if n%2 == 1 {
		return high
	}
	low := slices.Max(values[:n/2])
	return low + (high-low)/2
}

// choose reorders values so that values[k] is what sorting would put there,
// with nothing larger before it. Sorting a year of one-second data takes
// seconds; this takes a tenth of that. Where the choice of pivots goes wrong
// too often, as it can for values made to that end, it sorts after all.
func choose[T float64 | tt.Time](values []T, k int) {
	lo, hi := 0, len(values)-1
	for tries := 64; lo < hi; tries-- {
		if tries == 0 {
			slices.Sort(values[lo : hi+1])
			return
		}
		pivot := middle(values[lo], values[lo+(hi-lo)/2], values[hi])
		i, j := lo, hi
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for pivot < values[j] {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return
		}
	}
}

func middle[T float64 | tt.Time](a, b, c T) T {
	return max(min(a, b), min(max(a, b), c))
}
