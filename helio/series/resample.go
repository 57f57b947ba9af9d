package series

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// ResampleOptions says how [Series.Resample] and [Series.ResampleAt] work. The
// zero value, like nil, takes means over bins that are labelled by their begin.
type ResampleOptions struct {
	// Method is [Mean] where empty.
	Method Method
	// Label is where in its bin the time of a result lies: [Begin], also when
	// empty, or [Center]. The result's TimeStampLocation says the same. It has
	// no meaning for Nearest and Linear, whose values are at the times
	// themselves.
	Label string
	// Width is how long the bins of ResampleAt are; 0 is the median step of
	// its times. A bin never reaches into the next.
	Width time.Duration
	// MinCoverage, from 0 to 1, is which part of the records that a bin could
	// hold must be valid, column by column; a bin with less is NaN. Count
	// counts regardless.
	MinCoverage float64
	// MaxGap is the longest distance between two valid values that Nearest and
	// Linear bridge; 0 is [GapSteps] times the cadence, and below 0 all are.
	MaxGap time.Duration
	// Interval is how long one record of the series lasts: what
	// TimeStampLocation and MinCoverage refer to. 0 is the median step of its
	// time axis.
	Interval time.Duration
}

// Resample puts the series on a regular grid from start to below stop, as
// [Grid] makes it. Where start is [tt.Fill] the grid begins a whole number of
// steps after the midnight before the first record, and where stop is, it
// holds the last record.
//
// Bins are half-open: a record at the begin of one belongs to it, one at its
// end to the next. A record counts as being at the middle of its interval, so
// that an hour of Dst, stamped at its end, falls into the same bin as the
// minutes of OMNI, stamped at their begin; where Meta.TimeStampLocation is
// empty or "other" its time is taken as it stands. Missing values are left
// out column by column. A bin without any is NaN, and nothing is ever filled
// in: only Nearest and Linear reach between records, over gaps up to MaxGap.
// Nearest takes the earlier of two that are equally far, and at the edge of a
// longer gap it reaches half an interval, for which a record stands.
//
// Bins of an [Axis] that vary with time cannot be averaged over time: that is
// an error, see [Series.Rebinned].
func (s *Series) Resample(start, stop tt.Time, step time.Duration, opts *ResampleOptions) (*Series, error) {
	r, err := newResampling(s, opts)
	if err != nil {
		return nil, err
	}
	if s = r.s; s.Len() > 0 && step > 0 {
		if start == tt.Fill {
			start = gridStart(s.Time[0]+r.middle, step)
		}
		if stop == tt.Fill {
			// Up to the begin of the first bin without a record.
			stop = s.Time[s.Len()-1] + r.middle + 1
			if r.opts.Method.binned() {
				stop = gridStart(stop-1, step).Add(step)
				stop = max(stop, s.Time[s.Len()-1]+r.middle+1)
			}
		}
	}
	if start == tt.Fill || stop == tt.Fill {
		start, stop = 0, 0
	}
	times, err := Grid(start, stop, step)
	if err != nil {
		return nil, fmt.Errorf("resample %s: %w", s.label(), err)
	}
	return r.run(&timeBins{labels: times, stop: stop}), nil
}

// ResampleAt puts the series on given times, which are in order without
// repetition. Nearest and Linear give the values at these times; the other
// methods those of bins that begin at them, or with the Label [Center] lie
// around them, Width long. Everything else is as in [Series.Resample].
func (s *Series) ResampleAt(times []tt.Time, opts *ResampleOptions) (*Series, error) {
	r, err := newResampling(s, opts)
	if err != nil {
		return nil, err
	}
	if i := slices.Index(times, tt.Fill); i >= 0 {
		return nil, fmt.Errorf("resample %s: time %d of %d is missing; leave it out", s.label(), i+1, len(times))
	}
	for i := 1; i < len(times); i++ {
		if times[i] <= times[i-1] {
			return nil, fmt.Errorf("resample %s: the times go from %v to %v; give them in order and once each", s.label(), times[i-1], times[i])
		}
	}
	width := tt.Time(r.opts.Width)
	if width <= 0 {
		width = tt.Time(Cadence(times))
	}
	if width <= 0 && r.opts.Method.binned() && len(times) > 0 {
		return nil, fmt.Errorf("resample %s: %d times do not say how long a bin is; give a Width", s.label(), len(times))
	}
	bins := &timeBins{labels: slices.Clone(times), longest: width, stop: tt.Max}
	if r.opts.Label == Center {
		bins.shift = -width / 2
	}
	return r.run(bins), nil
}

// A resampling is a series, in order, with what its options come to.
type resampling struct {
	s            *Series
	opts         ResampleOptions
	middle, step tt.Time
	gap          tt.Time
}

func newResampling(s *Series, opts *ResampleOptions) (*resampling, error) {
	r := &resampling{}
	if opts != nil {
		r.opts = *opts
	}
	fail := func(err error) (*resampling, error) { return nil, fmt.Errorf("resample %s: %w", s.label(), err) }
	var err error
	if r.opts.Method, err = r.opts.Method.known(Mean, Median, Min, Max, Std, Count, Nearest, Linear); err != nil {
		return fail(err)
	}
	if r.opts.Label == "" {
		r.opts.Label = Begin
	}
	if r.opts.Label != Begin && r.opts.Label != Center {
		return fail(fmt.Errorf("a bin has no label at its %q; use begin or center", r.opts.Label))
	}
	if c := r.opts.MinCoverage; !(c >= 0 && c <= 1) {
		return fail(fmt.Errorf("a coverage of %v is not possible; give a part from 0 to 1", c))
	}
	if len(s.Values) != s.Len()*s.Width() {
		return fail(fmt.Errorf("%d values do not fill %d records of %d", len(s.Values), s.Len(), s.Width()))
	}
	fixed, err := s.fixedAxes()
	if err != nil {
		return fail(err)
	}
	r.s = fixed.Sorted()
	r.step = tt.Time(r.opts.Interval)
	located := toMiddle(s.Meta.TimeStampLocation, 2) != 0
	if r.step <= 0 && (located || r.opts.MinCoverage > 0 || r.opts.Method == Nearest) {
		r.step = tt.Time(Cadence(r.s.Time)) // a look at all times, where it matters
	}
	r.middle = toMiddle(s.Meta.TimeStampLocation, r.step)
	switch {
	case r.opts.Method.binned():
	case r.opts.MaxGap == 0 && r.opts.Interval > 0:
		r.gap = GapSteps * r.step
	default:
		r.gap = r.s.gapLimit(r.opts.MaxGap)
	}
	return r, nil
}

// run fills the bins, or takes the values at their labels, and describes the
// result.
func (r *resampling) run(bins *timeBins) *Series {
	out := *r.s
	out.Time = bins.labels
	if !r.opts.Method.binned() {
		p := &sampler{s: r.s, method: r.opts.Method, middle: r.middle, gap: r.gap, reach: r.step / 2}
		out.Values = p.at(bins.labels, 0)
		if toMiddle(out.Meta.TimeStampLocation, 2) != 0 {
			out.Meta.TimeStampLocation = Center
		}
		out.Meta.Fill = nil
		return &out
	}
	out.Values = bins.reduce(r.s, r.opts.Method, r.middle, r.step, r.opts.MinCoverage)
	if r.opts.Label == Center && bins.shift == 0 {
		for i := range bins.labels {
			from, to := bins.bounds(i)
			bins.labels[i] = from + (to-from)/2
		}
	}
	out.Meta.TimeStampLocation = r.opts.Label
	describe(&out, r.opts.Method)
	return &out
}

// describe adapts what is said of a series to what a method made of it.
func describe(s *Series, m Method) {
	s.Meta.Fill = nil
	switch m {
	case Count:
		s.Units = "1"
		s.Meta.ValidMin, s.Meta.ValidMax = nil, nil
	case Std:
		s.Meta.ValidMin, s.Meta.ValidMax = nil, nil
	}
	if s.Description != "" && m != Nearest && m != Linear {
		s.Description += ", " + strings.ToLower(string(m))
	}
}
