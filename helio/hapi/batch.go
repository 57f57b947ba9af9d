package hapi

import (
	"slices"
	"sort"

	"github.com/helios-go/helios/helio/tt"
)

// empty returns records without any, with a column of the right kind for each
// parameter and room for n.
func empty(info *Info, n int) *Records {
	r := &Records{Info: info, Time: make([]tt.Time, 0, n)}
	for i := range info.Parameters {
		if i == 0 {
			continue
		}
		p := &info.Parameters[i]
		if p.Type.IsText() {
			r.Columns = append(r.Columns, Column{Text: make([]string, 0, n*p.Width())})
		} else {
			r.Columns = append(r.Columns, Column{Float: make([]float64, 0, n*p.Width())})
		}
	}
	return r
}

// slice is a view of the records from i up to j, whose slices do not grow into
// what follows.
func (r *Records) slice(i, j int) *Records {
	out := &Records{Info: r.Info, Time: r.Time[i:j:j], Columns: make([]Column, len(r.Columns))}
	for k := range r.Columns {
		w := r.Info.Parameters[k+1].Width()
		if c := r.Columns[k]; c.Text != nil {
			out.Columns[k].Text = c.Text[i*w : j*w : j*w]
		} else {
			out.Columns[k].Float = c.Float[i*w : j*w : j*w]
		}
	}
	return out
}

// append adds the records of s, of the same parameters.
func (r *Records) append(s *Records) {
	r.Time = append(r.Time, s.Time...)
	for k := range r.Columns {
		r.Columns[k].Float = append(r.Columns[k].Float, s.Columns[k].Float...)
		r.Columns[k].Text = append(r.Columns[k].Text, s.Columns[k].Text...)
	}
}

// truncate keeps the first n records.
func (r *Records) truncate(n int) {
	r.Time = r.Time[:n]
	for k := range r.Columns {
		w := r.Info.Parameters[k+1].Width()
		if r.Columns[k].Text != nil {
			r.Columns[k].Text = r.Columns[k].Text[:n*w]
		} else {
			r.Columns[k].Float = r.Columns[k].Float[:n*w]
		}
	}
}

// pick returns the records of those numbers.
func (r *Records) pick(numbers []int) *Records {
	out := empty(r.Info, len(numbers))
	for _, i := range numbers {
		out.append(r.slice(i, i+1))
	}
	return out
}

// before is how many records of an ordered axis lie before t.
func (r *Records) before(t tt.Time) int {
	return sort.Search(len(r.Time), func(i int) bool { return r.Time[i] >= t })
}

// within are the records in [start, stop), a view.
func (r *Records) within(start, stop tt.Time) *Records {
	return r.slice(r.before(start), r.before(stop))
}

// ordered returns the records in time order; those of one time stay as they are.
func (r *Records) ordered() *Records {
	if slices.IsSorted(r.Time) {
		return r
	}
	numbers := make([]int, len(r.Time))
	for i := range numbers {
		numbers[i] = i
	}
	slices.SortStableFunc(numbers, func(i, j int) int {
		switch {
		case r.Time[i] < r.Time[j]:
			return -1
		case r.Time[i] > r.Time[j]:
			return 1
		}
		return 0
	})
	return r.pick(numbers)
}
