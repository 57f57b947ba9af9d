package archive

import (
	"fmt"
	"slices"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// join puts the pieces of a window together, in order, and cuts them to it. It
// returns nil when none has a record.
func join(parts []*series.Series, start, stop tt.Time) (*series.Series, error) {
	parts = slices.DeleteFunc(parts, func(s *series.Series) bool { return s == nil || s.Len() == 0 })
	if len(parts) == 0 {
		return nil, nil
	}
	records := 0
	for _, p := range parts {
		if p.Width() != parts[0].Width() {
			return nil, fmt.Errorf("its records have %d values from %v on and %d before; choose a window on one side of that", p.Width(), p.Time[0], parts[0].Width())
		}
		records += p.Len()
	}
	if len(parts) == 1 {
		return nonempty(parts[0].Window(start, stop)), nil
	}
	out := *parts[0]
	out.Time = make([]tt.Time, 0, records)
	out.Values = make([]float64, 0, records*out.Width())
	out.Axes = joinAxes(parts)
	for _, p := range parts {
		out.Time = append(out.Time, p.Time...)
		out.Values = append(out.Values, p.Values...)
	}
	return nonempty(out.Window(start, stop)), nil
}

func nonempty(s *series.Series) *series.Series {
	if s.Len() == 0 {
		return nil
	}
	return s
}

// joinAxes keeps axes that are the same in all parts, and gives each record its own
// where they are not.
func joinAxes(parts []*series.Series) []series.Axis {
	out := slices.Clone(parts[0].Axes)
	for i := range out {
		same := !out[i].Varying
		for _, p := range parts {
			if len(p.Axes) != len(out) {
				return nil
			}
			a := p.Axes[i]
			same = same && !a.Varying && slices.Equal(a.Centers, out[i].Centers) && slices.Equal(a.Ranges, out[i].Ranges)
		}
		if same {
			continue
		}
		out[i].Centers, out[i].Ranges, out[i].Varying = nil, nil, true
		for _, p := range parts {
			a := p.Axes[i]
			times := 1
			if !a.Varying {
				times = p.Len()
			}
			for range times {
				out[i].Centers = append(out[i].Centers, a.Centers...)
				out[i].Ranges = append(out[i].Ranges, a.Ranges...)
			}
		}
	}
	return out
}
