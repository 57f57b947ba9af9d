package series

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMedianIsWhatSortingGives(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 400; n++ {
		for _, different := range []int{1, 2, 7, 1000} {
			values := make([]float64, n)
			for i := range values {
				values[i] = float64(random.IntN(different))
			}
			sorted := slices.Sorted(slices.Values(values))
			want := (sorted[(n-1)/2] + sorted[n/2]) / 2
			if got := median(values); got != want {
				t.Fatalf("%d values of %d different: got %v, want %v", n, different, got, want)
			}
		}
	}
}

// The order that makes a median-of-three pivot the second smallest each time
// costs n^2 without the way out.
func TestMedianOfAnAdversarysOrderIsStillQuick(t *testing.T) {
	t.Parallel()
	const n = 1 << 18
	values := make([]float64, n)
	for i := range n / 2 {
		values[2*i] = float64(i)
		values[2*i+1] = float64(n/2 + i)
	}
	slices.Reverse(values[n/4:])
	if got := median(values); got != (n-1)/2.0 {
		t.Errorf("got %v, want %v", got, (n-1)/2.0)
	}
}
