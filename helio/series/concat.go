package series

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/helios-go/helios/helio/tt"
)

// Concat puts the pieces of one variable together, as a download in chunks
// leaves them: in any order, and with records that two of them have. The
// result is in order of time. Of records with one instant in different pieces
// that of the first piece, by time, stays; records that share an instant
// within one piece all stay.
//
// The pieces must agree in units and labels. Bins that are fixed within the
// pieces and differ between them become bins that vary. Everything else is
// taken from the first piece, with the notes of all; source and checksum are
// dropped where pieces come from different files.
func Concat(pieces ...*Series) (*Series, error) {
	if len(pieces) == 0 {
		return nil, errors.New("concatenate: there is nothing to put together; give at least one series")
	}
	first := pieces[0]
	if i := slices.IndexFunc(pieces, func(p *Series) bool { return p != nil && p.Len() > 0 }); i >= 0 {
		first = pieces[i]
	}
	if first == nil {
		return nil, errors.New("concatenate: the first piece is nil")
	}
	parts := make([]*Series, 0, len(pieces))
	for _, p := range pieces {
		if err := first.sameKind(p); err != nil {
			return nil, fmt.Errorf("concatenate %s: %w", first.label(), err)
		}
		if p.Len() > 0 {
			parts = append(parts, p.Sorted())
		}
	}
	if len(parts) == 0 {
		return first, nil
	}
	slices.SortStableFunc(parts, func(a, b *Series) int { return cmp.Compare(a.Time[0], b.Time[0]) })
	out := *parts[0]
	for _, p := range parts {
		for _, note := range p.Meta.Notes {
			if !slices.Contains(out.Meta.Notes, note) {
				out.Meta.Notes = append(slices.Clone(out.Meta.Notes), note)
			}
		}
		if p.Meta.SHA256 != out.Meta.SHA256 {
			out.Meta.SHA256 = ""
		}
		if p.Meta.Source != out.Meta.Source {
			out.Meta.Source = ""
		}
	}
	seam := newSeam(parts)
	out.Time = make([]tt.Time, 0, seam.total)
	out.Values = make([]float64, 0, seam.total*out.Width())
	out.Axes = seam.axes()
	for r := range seam.runs {
		p, lo, hi, w := parts[r.part], r.lo, r.hi, out.Width()
		out.Time = append(out.Time, p.Time[lo:hi]...)
		out.Values = append(out.Values, p.Values[lo*w:hi*w]...)
		for i := range out.Axes {
			out.Axes[i].extend(p.Axes[i], lo, hi, p.Len())
		}
	}
	return &out, nil
}

// sameKind is an error where p is no piece of the variable s.
func (s *Series) sameKind(p *Series) error {
	switch {
	case p == nil:
		return errors.New("a piece is nil")
	case len(p.Values) != p.Len()*p.Width():
		return fmt.Errorf("a piece has %d values, which do not fill its %d records of %d", len(p.Values), p.Len(), p.Width())
	case p.Units != s.Units:
		return fmt.Errorf("a piece is in %q and the first in %q; convert one of them", p.Units, s.Units)
	case p.Width() != s.Width(), !slices.Equal(p.Columns, s.Columns), !slices.Equal(p.Dims, s.Dims):
		return fmt.Errorf("a piece has the columns %q and the first %q; give pieces of one variable", p.Columns, s.Columns)
	case len(p.Axes) != len(s.Axes):
		return fmt.Errorf("a piece has %d axes and the first %d; give pieces of one variable", len(p.Axes), len(s.Axes))
	case p.Meta.TimeStampLocation != s.Meta.TimeStampLocation:
		return fmt.Errorf("the times of a piece lie at the %q of its records and those of the first at the %q; use Restamped on one of them",
			p.Meta.TimeStampLocation, s.Meta.TimeStampLocation)
	}
	for i, a := range s.Axes {
		if p.Len() == 0 {
			break // no bins where there are no records
		}
		if b := p.Axes[i]; a.Units != b.Units || a.Binned() != b.Binned() {
			return fmt.Errorf("axis %d of a piece is %q in %q and that of the first %q in %q; give pieces of one variable", i, b.Name, b.Units, a.Name, a.Units)
		}
	}
	return nil
}

// A seam merges pieces that are in order.
type seam struct {
	parts []*Series
	total int // records, before duplicates are dropped
}

// A run is records of one part that follow each other in the whole.
type run struct{ part, lo, hi int }

func newSeam(parts []*Series) *seam {
	s := &seam{parts: parts}
	for _, p := range parts {
		s.total += p.Len()
	}
	return s
}

// apart reports whether each part ends before the next begins, as chunks do.
func (s *seam) apart() bool {
	for i, p := range s.parts[1:] {
		if before := s.parts[i]; before.Time[before.Len()-1] >= p.Time[0] {
			return false
		}
	}
	return true
}

// runs yields, in order of time, which records of which part come next.
func (s *seam) runs(yield func(run) bool) {
	if s.apart() {
		for i, p := range s.parts {
			if !yield(run{i, 0, p.Len()}) {
				return
			}
		}
		return
	}
	next := make([]int, len(s.parts))
	last, from := tt.Fill, -1 // the time taken last, and from which part
	for {
		// The part with the earliest record; the first of several.
		part := -1
		for i, p := range s.parts {
			for next[i] < p.Len() && from >= 0 && i != from && p.Time[next[i]] == last {
				next[i]++
			}
			if next[i] < p.Len() && (part < 0 || p.Time[next[i]] < s.parts[part].Time[next[part]]) {
				part = i
			}
		}
		if part < 0 {
			return
		}
		p, lo := s.parts[part], next[part]
		hi := p.Len()
		for i, q := range s.parts {
			if i != part && next[i] < q.Len() {
				// Up to and with the records of the instant where another goes on.
				h, _ := slices.BinarySearchFunc(p.Time[lo:hi], q.Time[next[i]], func(a, b tt.Time) int {
					if a <= b {
						return -1
					}
					return 1
				})
				hi = lo + h
			}
		}
		if !yield(run{part, lo, hi}) {
			return
		}
		next[part], last, from = hi, p.Time[hi-1], part
	}
}

// axes returns the axes of the whole, still without records where they vary.
func (s *seam) axes() []Axis {
	first := s.parts[0]
	out := slices.Clone(first.Axes)
	for i := range out {
		for _, p := range s.parts {
			a := p.Axes[i]
			if a.Varying || !equalNumbers(a.Centers, out[i].Centers) || !equalNumbers(a.Ranges, out[i].Ranges) {
				out[i].Varying = true
			}
		}
		if out[i].Varying {
			out[i].Centers, out[i].Ranges = nil, nil
		}
	}
	return out
}

// extend appends what from says of its records lo to hi of n.
func (a *Axis) extend(from Axis, lo, hi, n int) {
	if !a.Varying {
		return
	}
	if from.Varying {
		from = from.window(lo, hi, n)
		a.Centers = append(a.Centers, from.Centers...)
		a.Ranges = append(a.Ranges, from.Ranges...)
		return
	}
	for range hi - lo {
		a.Centers = append(a.Centers, from.Centers...)
		a.Ranges = append(a.Ranges, from.Ranges...)
	}
}

// equalNumbers compares numbers of which those that are NaN are equal.
func equalNumbers(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || x != x && y != y })
}
