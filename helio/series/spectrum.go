package series

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Bin returns bin i along dimension dim of the records, both counted from 0,
// with that dimension gone: one energy of a spectrum, say.
func (s *Series) Bin(dim, i int) (*Series, error) {
	sh, err := s.along(dim)
	if err != nil {
		return nil, fmt.Errorf("bin of %s: %w", s.label(), err)
	}
	if i < 0 || i >= sh.n {
		return nil, fmt.Errorf("bin of %s: there is no bin %d; give one from 0 to %d", s.label(), i, sh.n-1)
	}
	out := s.without(dim, sh)
	for o := range sh.outer {
		for k := range sh.inner {
			from, to := (o*sh.n+i)*sh.inner+k, o*sh.inner+k
			out.Columns[to] = s.column(from)
			for r := range s.Len() {
				out.Values[r*len(out.Columns)+to] = s.Values[r*s.Width()+from]
			}
		}
	}
	return out, nil
}

// BinAt returns, record by record, the bin along dimension dim that holds the
// given value, as an energy; the one below where it is a limit of two. A
// record where no bin holds it is NaN; where that is so for all, it is an
// error.
func (s *Series) BinAt(dim int, value float64) (*Series, error) {
	return s.overBins("bin of", dim, value, value, func(weights, limits []float64) {
		taken := false
		for i := range weights {
			inside := !taken && limits[2*i] <= value && value <= limits[2*i+1]
			if weights[i] = 0; inside {
				weights[i], taken = 1, true
			}
		}
	}, false)
}

// Integrated returns the integral along dimension dim, counted from 0, over
// the bins between low and high: values times the part of each bin's width
// that lies between. The bins' limits are those of [Axis.Limits]. A value that
// is missing in a bin that takes part makes the result NaN, because the
// integral over the rest is a smaller number. What no bin covers adds nothing;
// a record none of whose bins reaches into the range is NaN, and where that is
// so for all it is an error. The unit is that of the values times that of the
// axis, as text.
func (s *Series) Integrated(dim int, low, high float64) (*Series, error) {
	out, err := s.overBins("integrate", dim, low, high, overlaps(low, high), false)
	if err == nil && s.Axes[dim].Units != "" {
		out.Units = strings.TrimSpace(s.Units + " " + s.Axes[dim].Units)
	}
	return out, err
}

// Averaged returns the mean along dimension dim, counted from 0, over the bins
// between low and high, each with the weight of the part of its width that
// lies between. Missing values are left out. Otherwise as [Series.Integrated].
func (s *Series) Averaged(dim int, low, high float64) (*Series, error) {
	return s.overBins("average", dim, low, high, overlaps(low, high), true)
}

// Rebinned puts the values on fixed bins along dimension dim, counted from 0:
// bin i lies between edges i and i+1, which go up. Each gets the mean of the
// old bins that reach into it, weighted as in [Series.Averaged]; it is NaN
// where none does. Nothing is interpolated.
func (s *Series) Rebinned(dim int, edges []float64) (*Series, error) {
	fail := func(err error) (*Series, error) { return nil, fmt.Errorf("rebin %s: %w", s.label(), err) }
	sh, err := s.along(dim)
	if err != nil {
		return fail(err)
	}
	for i := 1; i < len(edges); i++ {
		if !(edges[i] > edges[i-1]) {
			return fail(fmt.Errorf("the edges go from %v to %v; give them upwards", edges[i-1], edges[i]))
		}
	}
	if len(edges) < 2 {
		return fail(fmt.Errorf("%d edges make no bin; give at least two", len(edges)))
	}
	m := len(edges) - 1
	out := *s
	out.Dims = slices.Clone(s.dims())
	out.Dims[dim] = m
	axis := Axis{Name: s.Axes[dim].Name, Units: s.Axes[dim].Units}
	for i := range m {
		axis.Ranges = append(axis.Ranges, edges[i], edges[i+1])
		center := (edges[i] + edges[i+1]) / 2
		if edges[0] > 0 && Logarithmic(edges) {
			center = math.Sqrt(edges[i] * edges[i+1])
		}
		axis.Centers = append(axis.Centers, center)
	}
	out.Axes = slices.Clone(s.Axes)
	out.Axes[dim] = axis
	out.Columns = s.numbered(sh.outer * m * sh.inner)
	out.Values = make([]float64, s.Len()*len(out.Columns))
	fillNaN(out.Values)
	for i := range m {
		one := s.weighBins(dim, sh, overlaps(edges[i], edges[i+1]), true)
		for r := range s.Len() {
			for o := range sh.outer {
				to := out.Values[r*len(out.Columns)+(o*m+i)*sh.inner:]
				copy(to[:sh.inner], one[(r*sh.outer+o)*sh.inner:])
			}
		}
	}
	return &out, nil
}

// overlaps gives each bin the width of what it shares with [low, high].
func overlaps(low, high float64) func(weights, limits []float64) {
	return func(weights, limits []float64) {
		for i := range weights {
			w := min(high, limits[2*i+1]) - max(low, limits[2*i])
			if weights[i] = 0; w > 0 { // not for NaN
				weights[i] = w
			}
		}
	}
}

func (s *Series) overBins(what string, dim int, low, high float64, weigh func(weights, limits []float64), mean bool) (*Series, error) {
	fail := func(err error) (*Series, error) { return nil, fmt.Errorf("%s %s: %w", what, s.label(), err) }
	sh, err := s.along(dim)
	if err != nil {
		return fail(err)
	}
	if !(low <= high) {
		return fail(fmt.Errorf("the range from %v to %v is empty; give the lower end first", low, high))
	}
	if s.Len() > 0 && !s.reached(dim, sh, weigh) {
		return fail(fmt.Errorf("no bin of its axis %d (%s) lies between %v and %v; see its Limits", dim, s.Axes[dim].Name, low, high))
	}
	out := s.without(dim, sh)
	if len(out.Columns) == 1 {
		out.Columns[0] = s.Name
	} else {
		out.Columns = s.numbered(len(out.Columns))
	}
	out.Values = s.weighBins(dim, sh, weigh, mean)
	out.Meta.ValidMin, out.Meta.ValidMax = nil, nil
	return out, nil
}

func (s *Series) reached(dim int, sh shape, weigh func(weights, limits []float64)) bool {
	weights := make([]float64, sh.n)
	l := limiter{axis: s.Axes[dim], records: s.Len()}
	for r := range s.Len() {
		if r > 0 && !s.Axes[dim].Varying {
			return false
		}
		weigh(weights, l.of(r))
		if slices.ContainsFunc(weights, func(w float64) bool { return w > 0 }) {
			return true
		}
	}
	return false
}

// weighBins adds the values along a dimension with their weights; the mean
// leaves missing values out and divides by the weights of the rest.
func (s *Series) weighBins(dim int, sh shape, weigh func(weights, limits []float64), mean bool) []float64 {
	w := sh.outer * sh.inner
	out := make([]float64, s.Len()*w)
	weights := make([]float64, sh.n)
	l := limiter{axis: s.Axes[dim], records: s.Len()}
	for r := range s.Len() {
		if r == 0 || s.Axes[dim].Varying {
			weigh(weights, l.of(r))
		}
		row := s.Row(r)
		for o := range sh.outer {
			for k := range sh.inner {
				total, weight := 0.0, 0.0
				for i, share := range weights {
					v := row[(o*sh.n+i)*sh.inner+k]
					if share == 0 || mean && !finite(v) {
						continue
					}
					total += share * v
					weight += share
				}
				switch {
				case weight == 0:
					total = math.NaN()
				case mean:
					total /= weight
				}
				out[r*w+o*sh.inner+k] = total
			}
		}
	}
	return out
}
