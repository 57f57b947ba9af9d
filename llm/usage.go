package llm

import "math"

// Usage counts tokens in four disjoint classes: every token is in exactly one.
// A provider whose "input" includes cached tokens has them subtracted.
type Usage struct {
	Input      int64 `json:"input"`       // read afresh
	CacheRead  int64 `json:"cache_read"`  // read from the prompt cache
	CacheWrite int64 `json:"cache_write"` // read and written to the prompt cache
	Output     int64 `json:"output"`      // generated, thinking included
}

// Add returns the sum of both usages, class by class. A sum beyond int64 stays
// at the largest (or smallest) and never wraps, so that limits still hold.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: addInt64(u.Input, v.Input), CacheRead: addInt64(u.CacheRead, v.CacheRead),
		CacheWrite: addInt64(u.CacheWrite, v.CacheWrite), Output: addInt64(u.Output, v.Output),
	}
}

// Total is the number of tokens of all classes. It stays at the largest int64 as
// Add does.
func (u Usage) Total() int64 {
	return addInt64(addInt64(u.Input, u.CacheRead), addInt64(u.CacheWrite, u.Output))
}

// sound is the usage without what cannot be: a negative count, as a provider
// reports that subtracts more than there was, is no token.
func (u Usage) sound() Usage {
	return Usage{Input: max(0, u.Input), CacheRead: max(0, u.CacheRead), CacheWrite: max(0, u.CacheWrite), Output: max(0, u.Output)}
}

// addInt64 adds and stays within int64.
func addInt64(a, b int64) int64 {
	sum := a + b
	switch {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt64
	}
	return sum
}
