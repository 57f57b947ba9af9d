package llm

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// Micros is an amount of money in millionths of a US dollar, or a price in
// millionths of a dollar per million tokens. Of an amount in dollars, such as a
// flag, it is Micros(math.Round(dollars * 1e6)).
type Micros int64

// Amounts to count in: 3 * Dollar, 80 * Cent.
const (
	Cent   Micros = 10_000
	Dollar Micros = 1_000_000
)

// Add returns the sum. One beyond int64 stays at the largest (or smallest), so
// that a limit is never passed unseen.
func (m Micros) Add(n Micros) Micros { return Micros(addInt64(int64(m), int64(n))) }

// String shows the exact amount in dollars: $1.50, or as finely as it needs,
// $0.0135.
func (m Micros) String() string {
	sign, n := m.abs()
	if n%uint64(Cent) == 0 {
		return fmt.Sprintf("%s$%d.%02d", sign, n/uint64(Dollar), n%uint64(Dollar)/uint64(Cent))
	}
	part := strings.TrimRight(fmt.Sprintf("%06d", n%uint64(Dollar)), "0")
	return fmt.Sprintf("%s$%d.%s", sign, n/uint64(Dollar), part)
}

// Cents shows the amount in dollars to the nearest cent, half a cent away from
// zero: 5,000 is $0.01. It is for people; amounts are compared as they are.
func (m Micros) Cents() string {
	sign, n := m.abs()
	n = (n + uint64(Cent)/2) / uint64(Cent)
	if n == 0 {
		sign = ""
	}
	return fmt.Sprintf("%s$%d.%02d", sign, n/100, n%100)
}

func (m Micros) abs() (sign string, n uint64) {
	if m < 0 {
		return "-", -uint64(m) // also right for the smallest int64
	}
	return "", uint64(m)
}

// A Price is what a million tokens of each class cost: Price{Input: 3 * Dollar,
// Output: 15 * Dollar}. Without a price of their own, tokens that are read from
// the cache or written to it cost what Input does: an amount that is too high
// stops a run too early, one that is too low does not stop it.
type Price struct {
	Input, CacheRead, CacheWrite, Output Micros
}

// Validate reports a negative rate.
func (p Price) Validate() error {
	for _, c := range [...]struct {
		class string
		rate  Micros
	}{{"Input", p.Input}, {"CacheRead", p.CacheRead}, {"CacheWrite", p.CacheWrite}, {"Output", p.Output}} {
		if c.rate < 0 {
			return fmt.Errorf("the price of %s is %s; a price is not negative", c.class, c.rate)
		}
	}
	return nil
}

// Cost is the price of the tokens, rounded down to a micro-dollar once, over
// the sum of all classes. Negative counts and rates cost nothing; an amount
// beyond int64 stays at the largest.
func (p Price) Cost(u Usage) Micros {
	if p.CacheRead == 0 {
		p.CacheRead = p.Input
	}
	if p.CacheWrite == 0 {
		p.CacheWrite = p.Input
	}
	var hi, lo uint64
	for _, c := range [...]struct {
		tokens int64
		rate   Micros
	}{{u.Input, p.Input}, {u.CacheRead, p.CacheRead}, {u.CacheWrite, p.CacheWrite}, {u.Output, p.Output}} {
		if c.tokens <= 0 || c.rate <= 0 {
			continue
		}
		h, l := bits.Mul64(uint64(c.tokens), uint64(c.rate)) // below 2^126, so four of them fit
		var carry uint64
		lo, carry = bits.Add64(lo, l, 0)
		hi, _ = bits.Add64(hi, h, carry)
	}
	const million = 1_000_000
	if hi >= million {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, million)
	return Micros(min(q, math.MaxInt64))
}

// Prices maps a model's name, as [Model.Name] gives it, to its price. A model
// that is not in the table has no known price: that is not the same as free,
// and a money limit with such a model is an error.
type Prices map[string]Price

// Validate reports the first model, by name, whose price is negative.
func (p Prices) Validate() error {
	first, bad := "", error(nil) // of the names in order, so that the error is always the same
	for model, price := range p {
		if err := price.Validate(); err != nil && (bad == nil || model < first) {
			first, bad = model, fmt.Errorf("prices of %s: %w", model, err)
		}
	}
	return bad
}

// Cost is the price of the tokens of a model, and whether it is known.
func (p Prices) Cost(model string, u Usage) (Micros, bool) {
	price, ok := p[model]
	return price.Cost(u), ok
}
