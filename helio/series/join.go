package series

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// Exact is the [Method] of [Join] that takes records as they are, where their
// times agree.
const Exact Method = "exact"

// JoinOptions says how [Join] puts series on one axis. The zero value, like
// nil, takes the axis of the first and what the others have at its times.
type JoinOptions struct {
	// Method is [Exact] where empty. With [Nearest] and [Linear] the values
	// are those at the axis' times. With [Mean], [Median], [Min], [Max], [Std]
	// and [Count] the axis is that of the coarsest series, the one with the
	// longest median step, and the values are over its intervals.
	Method Method
	// Tolerance is how far apart two times may be for Exact to take them as
	// one; the nearest record counts, the earlier of two.
	Tolerance time.Duration
	// Union makes the axis of all times that any series has, those within
	// Tolerance of each other taken as one.
	Union bool
	// Times is the axis itself, in order and once each. With Mean and its
	// like the intervals lie around the times.
	Times []tt.Time
	// MaxGap and MinCoverage are those of [ResampleOptions].
	MaxGap      time.Duration
	MinCoverage float64
}

// Join puts series of any cadences on one axis: the results, one for each and
// in their order, share their Time, and so can be written to one table. Names,
// units, labels and descriptions are kept; what a series does not have at a
// time is NaN.
//
// Times are compared at the middles of the intervals that they stand for, as
// far as TimeStampLocation tells: an hour stamped at its begin meets the same
// hour stamped at its end. The results carry the stamps, and the
// TimeStampLocation, of the series that gave the axis. Where a result is equal
// to its series it shares its slices.
func Join(all []*Series, opts *JoinOptions) ([]*Series, error) {
	j := &joining{}
	if opts != nil {
		j.JoinOptions = *opts
	}
	out, err := j.join(all)
	if err != nil {
		return nil, fmt.Errorf("join %d series: %w", len(all), err)
	}
	return out, nil
}

type joining struct {
	JoinOptions
	axis         []tt.Time
	middle, step tt.Time // where in its interval a time of the axis lies
	location     string
}

func (j *joining) join(all []*Series) ([]*Series, error) {
	if len(all) == 0 {
		return nil, errors.New("there is nothing to join; give at least one")
	}
	var err error
	if j.Method, err = j.Method.known(Exact, Nearest, Linear, Mean, Median, Min, Max, Std, Count); err != nil {
		return nil, err
	}
	if c := j.MinCoverage; !(c >= 0 && c <= 1) {
		return nil, fmt.Errorf("a coverage of %v is not possible; give a part from 0 to 1", c)
	}
	ordered := make([]*Series, len(all))
	for i, s := range all {
		if len(s.Values) != s.Len()*s.Width() {
			return nil, fmt.Errorf("%s has %d values, which do not fill its %d records of %d", s.label(), len(s.Values), s.Len(), s.Width())
		}
		if j.Method != Exact {
			if s, err = s.fixedAxes(); err != nil {
				return nil, fmt.Errorf("%s: %w", all[i].label(), err)
			}
		}
		ordered[i] = s.Sorted()
	}
	if err := j.chooseAxis(ordered); err != nil {
		return nil, err
	}
	out := make([]*Series, len(all))
	for i, s := range ordered {
		out[i] = j.put(s)
	}
	return out, nil
}

// chooseAxis sets the axis and what its times mean. The series are in order.
func (j *joining) chooseAxis(all []*Series) error {
	if j.Times != nil {
		for i, t := range j.Times {
			if t == tt.Fill || i > 0 && t <= j.Times[i-1] {
				return fmt.Errorf("the times of the axis are not in order and once each at number %d, %v; sort them", i+1, t)
			}
		}
		j.axis, j.location, j.step = j.Times, Center, tt.Time(Cadence(j.Times))
		if j.step == 0 && len(j.Times) > 0 && j.Method.binned() {
			return errors.New("one time does not say how long its interval is; give more, or use ResampleAt with a Width")
		}
		return nil
	}
	leader := all[0]
	if j.Method.binned() {
		for _, s := range all[1:] {
			if Cadence(s.Time) > Cadence(leader.Time) {
				leader = s
			}
		}
	}
	j.location, j.step = leader.Meta.TimeStampLocation, tt.Time(Cadence(leader.Time))
	j.middle = toMiddle(j.location, j.step)
	j.axis = once(leader.Time)
	if j.Union {
		j.axis = j.union(all)
	}
	return nil
}

// once returns an ordered axis without repetitions; itself where it has none.
func once(axis []tt.Time) []tt.Time {
	for i := 1; i < len(axis); i++ {
		if axis[i] == axis[i-1] {
			return slices.Compact(slices.Clone(axis))
		}
	}
	return axis
}

// union is the axis of all times; of several that are one the first counts.
func (j *joining) union(all []*Series) []tt.Time {
	total := 0
	for _, s := range all {
		total += s.Len()
	}
	times := make([]tt.Time, 0, total)
	for _, s := range all {
		shift := s.middle() - j.middle
		for _, t := range s.Time {
			times = append(times, t+shift)
		}
	}
	if !slices.IsSorted(times) {
		slices.Sort(times)
	}
	kept := times[:0]
	for _, t := range times {
		if n := len(kept); n == 0 || t-kept[n-1] > tt.Time(j.Tolerance) {
			kept = append(kept, t)
		}
	}
	return kept
}

// put returns s on the axis.
func (j *joining) put(s *Series) *Series {
	out := *s
	out.Meta.TimeStampLocation = j.location
	if j.Times != nil && toMiddle(s.Meta.TimeStampLocation, 2) == 0 {
		out.Meta.TimeStampLocation = s.Meta.TimeStampLocation
	}
	middle := s.middle()
	same := middle == j.middle && slices.Equal(s.Time, j.axis)
	switch {
	case j.Method == Exact && same:
	case j.Method == Exact:
		j.match(&out, s, middle)
	case j.Method.binned():
		bins := &timeBins{labels: j.axis, shift: j.middle - j.step/2, longest: max(1, j.step), stop: tt.Max}
		out.Values = bins.reduce(s, j.Method, middle, tt.Time(Cadence(s.Time)), j.MinCoverage)
		describe(&out, j.Method)
	default:
		p := &sampler{s: s, method: j.Method, middle: middle, gap: s.gapLimit(j.MaxGap), reach: tt.Time(Cadence(s.Time)) / 2}
		out.Values = p.at(j.axis, j.middle)
		out.Meta.Fill = nil
	}
	out.Time = j.axis
	return &out
}

// match takes for each time of the axis the nearest record of s within the
// tolerance.
func (j *joining) match(out, s *Series, middle tt.Time) {
	w := s.Width()
	out.Values = make([]float64, len(j.axis)*w)
	varying := slices.ContainsFunc(s.Axes, func(a Axis) bool { return a.Varying })
	var records []int32 // only bins that vary need them all at once
	next := 0           // the first record at or after the time
	for i, t := range j.axis {
		t += j.middle - middle
		for next < s.Len() && s.Time[next] < t {
			next++
		}
		record := j.nearest(s, next, t)
		if varying {
			records = append(records, int32(record))
		}
		if row := out.Values[i*w : (i+1)*w]; record >= 0 {
			copy(row, s.Values[record*w:])
		} else {
			fillNaN(row)
		}
	}
	if varying {
		out.Axes = s.pickAxes(records)
	}
}

// nearest is the record within the tolerance of t, -1 for none. next is the
// first at or after it.
func (j *joining) nearest(s *Series, next int, t tt.Time) int {
	before, after := tt.Max, tt.Max
	if next > 0 {
		before = t - s.Time[next-1]
	}
	if next < s.Len() {
		after = s.Time[next] - t
	}
	switch limit := tt.Time(j.Tolerance); {
	case before <= after && before <= limit:
		return firstOf(s.Time, next-1)
	case after <= limit:
		return next
	}
	return -1
}

// firstOf is the first of the records that share the instant of this one.
func firstOf(axis []tt.Time, record int) int {
	for record > 0 && axis[record-1] == axis[record] {
		record--
	}
	return record
}
