package series

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/helios-go/helios/helio/tt"
)

// A block is columns of a table: a series, or the bins of one that vary with
// time.
type block struct {
	of     *Series
	bins   bool   // the bins of the series ahead, and not the series
	name   string // unique in the table
	labels []string
	units  string
	values []float64
	width  int
	dims   []int
	axes   []boundAxis // of the series
}

// A boundAxis is an axis, and the names of the blocks with its bins where they
// vary.
type boundAxis struct {
	Axis
	centers, ranges string
}

// A sheet is what several series on one time axis come to as a table.
type sheet struct {
	times  []tt.Time
	digits int // decimals of a second, the same in all rows
	blocks []block
}

// newSheet is an error where the series do not share their times, or one does
// not add up.
func newSheet(all []*Series) (*sheet, error) {
	if len(all) == 0 {
		return nil, errors.New("there is nothing to write; give at least one series")
	}
	sh := &sheet{times: all[0].Time}
	sh.digits = decimals(sh.times)
	names := map[string]bool{}
	for _, s := range all {
		if len(s.Values) != s.Len()*s.Width() {
			return nil, fmt.Errorf("%d values of %s do not fill %d records of %d", len(s.Values), s.label(), s.Len(), s.Width())
		}
		if !slices.Equal(s.Time, sh.times) {
			return nil, fmt.Errorf("%s and %s have other times; put them on one axis with Join", all[0].label(), s.label())
		}
		if slices.Contains(s.Time, tt.Fill) {
			return nil, fmt.Errorf("a record of %s has no time; leave it out", s.label())
		}
		if err := sh.add(s, names); err != nil {
			return nil, fmt.Errorf("%s: %w", s.label(), err)
		}
	}
	return sh, nil
}

// add appends the block of s and those of its axes.
func (sh *sheet) add(s *Series, names map[string]bool) error {
	b := block{of: s, name: unique(names, s.Name, s.Meta.Dataset), units: s.Units, values: s.Values, width: s.Width(), dims: s.dims()}
	for i := range b.width {
		b.labels = append(b.labels, s.column(i))
	}
	var more []block
	n := s.Len()
	for d, a := range s.Axes {
		bound := boundAxis{Axis: a}
		if a.Varying && n > 0 {
			if len(a.Centers)%n != 0 || len(a.Ranges)%n != 0 {
				return fmt.Errorf("axis %d (%s) has %d centers and %d limits for %d records; correct the axis", d, a.Name, len(a.Centers), len(a.Ranges), n)
			}
			bins := func(values []float64, what string, dims []int) string {
				if len(values) == 0 {
					return ""
				}
				one := block{of: s, bins: true, name: unique(names, b.name+"_"+orElse(a.Name, "axis"+strconv.Itoa(d))+what, ""), units: a.Units, values: values, width: len(values) / n, dims: dims}
				for i := range one.width {
					one.labels = append(one.labels, one.name+"_"+strconv.Itoa(i))
				}
				more = append(more, one)
				return one.name
			}
			bound.centers = bins(a.Centers, "_centers", []int{len(a.Centers) / n})
			bound.ranges = bins(a.Ranges, "_ranges", []int{len(a.Ranges) / n / 2, 2})
		}
		b.axes = append(b.axes, bound)
	}
	sh.blocks = append(append(sh.blocks, b), more...)
	return nil
}

// unique returns a name that no other block has, from what there is to tell
// them apart.
func unique(taken map[string]bool, name, dataset string) string {
	name = orElse(name, "values")
	candidate := name
	if taken[candidate] && dataset != "" {
		candidate = dataset + "_" + name
	}
	for i := 2; taken[candidate]; i++ {
		candidate = name + "_" + strconv.Itoa(i)
	}
	taken[candidate] = true
	return candidate
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// columnNames are those of all blocks, each once, on one line: the label where
// it tells, otherwise with the block's name ahead. With units they end in
// them, in brackets, and are different without.
func (sh *sheet) columnNames(units bool) []string {
	seen, out := map[string]bool{"time": true, "": true}, []string(nil)
	for _, b := range sh.blocks {
		free := func(name string) bool {
			name = oneLine(name)
			if units && b.units != "" {
				name = oneLine(name + " (" + b.units + ")")
			}
			bare, _ := splitUnits(name)
			if seen[bare] || seen[name] {
				return false
			}
			seen[bare], seen[name] = true, true
			out = append(out, name)
			return true
		}
		for _, label := range b.labels {
			if b.width == 1 {
				label = b.name
			}
			if free(label) || free(b.name+" "+label) {
				continue
			}
			// The number comes first: brackets later on may count as units.
			for n := len(out) + 1; !free("column " + strconv.Itoa(n) + " " + label); {
				n++
			}
		}
	}
	return out
}

// decimals is how many decimals of a second show all the times exactly: 0, 3,
// 6 or 9.
func decimals(times []tt.Time) int {
	digits := 0
	for _, t := range times {
		_, _, _, _, _, _, ns := t.Calendar()
		switch {
		case ns%1e6 != 0 && ns%1e3 != 0:
			return 9
		case ns%1e6 != 0:
			digits = 6
		case ns != 0:
			digits = max(digits, 3)
		}
	}
	return digits
}

// common returns what f says of all the series, where they agree.
func (sh *sheet) common(f func(*Series) string) string {
	first := f(sh.blocks[0].of)
	for _, b := range sh.blocks {
		if f(b.of) != first {
			return ""
		}
	}
	return first
}
