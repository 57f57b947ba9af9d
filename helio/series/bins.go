package series

import (
	"math"

	"github.com/helios-go/helios/helio/tt"
)

// Bins in time: half-open intervals in order that do not overlap. Bin i begins
// shift after label i and ends where the next begins, or longest after its
// begin where that comes first. The last one ends at stop.
type timeBins struct {
	labels         []tt.Time
	shift, longest tt.Time // longest 0: up to the next
	stop           tt.Time
}

func (b *timeBins) bounds(i int) (lo, hi tt.Time) {
	lo = b.labels[i] + b.shift
	hi = b.stop
	if i+1 < len(b.labels) {
		hi = b.labels[i+1] + b.shift
	}
	if b.longest > 0 && hi-lo > b.longest {
		hi = lo + b.longest
	}
	return lo, hi
}

// reduce fills each bin from the records of s, whose time is taken middle
// later. s is in order. A bin in which fewer values are valid than coverage of
// those that records step apart would give has none.
func (b *timeBins) reduce(s *Series, m Method, middle, step tt.Time, coverage float64) []float64 {
	w := s.Width()
	out := make([]float64, len(b.labels)*w)
	r := reducer{method: m}
	next := 0
	if len(b.labels) > 0 {
		next, _ = Bounds(s.Time, b.labels[0]+b.shift-middle, tt.Fill)
	}
	for i := range b.labels {
		from, to := b.bounds(i)
		lo := next
		for lo < len(s.Time) && s.Time[lo]+middle < from {
			lo++
		}
		hi := lo
		for hi < len(s.Time) && s.Time[hi]+middle < to {
			hi++
		}
		next = hi
		rows := s.Values[lo*w : hi*w]
		for c := range w {
			v, valid := r.reduce(rows, c, w)
			if m != Count && coverage > 0 && float64(valid)*float64(step) < coverage*float64(to-from)*(1-1e-9) {
				v = math.NaN()
			}
			out[i*w+c] = v
		}
	}
	return out
}
