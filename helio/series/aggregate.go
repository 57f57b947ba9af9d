package series

import (
	"math"
	"slices"
)

// A window holds the values of one stretch of time; pop is of the value pushed
// first.
type window interface {
	push(v float64)
	pop(v float64)
	result(m Method) (n int, value float64)
}

// A medianWindow keeps its values sorted. Pushing and popping move what lies
// behind, which for windows of a few thousand values is quicker than a tree.
type medianWindow struct{ sorted []float64 }

func (m *medianWindow) push(v float64) {
	i, _ := slices.BinarySearch(m.sorted, v)
	m.sorted = slices.Insert(m.sorted, i, v)
}

func (m *medianWindow) pop(v float64) {
	i, _ := slices.BinarySearch(m.sorted, v)
	m.sorted = slices.Delete(m.sorted, i, i+1)
}

func (m *medianWindow) result(Method) (int, float64) {
	n := len(m.sorted)
	if n == 0 {
		return 0, math.NaN()
	}
	low, high := m.sorted[(n-1)/2], m.sorted[n/2]
	return n, low + (high-low)/2
}

// A statWindow is a queue made of two stacks: what was pushed since the last
// turn, as one aggregate and the values, and what was pushed before, as
// aggregates of each value with all that came after it. Popping takes one of
// those off; when none is left, the first stack is turned over into it.
type statWindow struct {
	back   []float64
	behind aggregate // of back
	front  []aggregate
}

func (q *statWindow) push(v float64) {
	q.back = append(q.back, v)
	q.behind = q.behind.merge(aggregateOf(v))
}

func (q *statWindow) pop(float64) {
	if len(q.front) == 0 {
		var sum aggregate
		for _, v := range slices.Backward(q.back) {
			sum = aggregateOf(v).merge(sum)
			q.front = append(q.front, sum)
		}
		q.back, q.behind = q.back[:0], aggregate{}
	}
	q.front = q.front[:len(q.front)-1]
}

func (q *statWindow) result(m Method) (int, float64) {
	all := q.behind
	if n := len(q.front); n > 0 {
		all = q.front[n-1].merge(all)
	}
	return int(all.n), all.value(m)
}

// An aggregate is what is known of some values; merging two needs no value.
// The squares are those of the distances from the mean, after Chan, Golub and
// LeVeque (1979), which does not cancel as a sum of squares does.
type aggregate struct{ n, mean, squares, min, max float64 }

func aggregateOf(v float64) aggregate { return aggregate{1, v, 0, v, v} }

func (a aggregate) merge(b aggregate) aggregate {
	switch {
	case a.n == 0:
		return b
	case b.n == 0:
		return a
	}
	n, apart := a.n+b.n, b.mean-a.mean
	return aggregate{
		n:       n,
		mean:    a.mean + apart*(b.n/n),
		squares: a.squares + b.squares + apart*apart*(a.n*b.n/n),
		min:     min(a.min, b.min),
		max:     max(a.max, b.max),
	}
}

func (a aggregate) value(m Method) float64 {
	switch {
	case m == Count:
		return a.n
	case a.n == 0:
		return math.NaN()
	}
	switch m {
	case Min:
		return a.min
	case Max:
		return a.max
	case Std:
		return math.Sqrt(a.squares / a.n)
	}
	return a.mean
}
