package llm

import (
	"fmt"
	"math/bits"
)

// A Price is what a million tokens of each class cost.
type Price struct {
	Input, CacheRead, CacheWrite, Output Micros
}

// Prices maps a model's name, as [Model.Name] gives it, to its price. A model
// that is not in the table has no known price: that is not the same as free,
// and a money limit with such a model is an error.
type Prices map[string]Price

// Cost is the price of the tokens, rounded down to a micro-dollar once, over
// the sum of all classes. Negative counts cost nothing; an amount beyond int64
// stays at the largest.
func (p Price) Cost(u Usage) Micros {
	var hi, lo uint64
	for _, c := range [...]struct {
		tokens int64
		rate   Micros
	}{{u.Input, p.Input}, {u.CacheRead, p.CacheRead}, {u.CacheWrite, p.CacheWrite}, {u.Output, p.Output}} {
		if c.tokens <= 0 || c.rate <= 0 {
			continue
		}
		h, l := bits.Mul64(uint64(c.tokens), uint64(c.rate))
		var carry uint64
		lo, carry = bits.Add64(lo, l, 0)
		hi, _ = bits.Add64(hi, h, carry)
	}
	const million, most = 1_000_000, 1<<63 - 1
	if hi >= million {
		return most
	}
	q, _ := bits.Div64(hi, lo, million)
	return Micros(min(q, most))
}

// String shows the amount in dollars, to the cent or as finely as it needs.
func (m Micros) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	if m%10_000 == 0 {
		return fmt.Sprintf("%s$%d.%02d", sign, m/1_000_000, m%1_000_000/10_000)
	}
	return fmt.Sprintf("%s$%d.%06d", sign, m/1_000_000, m%1_000_000)
}
