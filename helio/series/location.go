package series

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// Where in its interval a record's time lies, as Meta.TimeStampLocation says
// it. OMNI stamps an hour at its begin, many plasma moments are stamped at
// their center.
const (
	Begin  = "begin"
	Center = "center"
	End    = "end"
)

// toMiddle is how far after its time the middle of a record's interval lies,
// for records that are step apart.
func toMiddle(location string, step tt.Time) tt.Time {
	switch strings.ToLower(location) {
	case Begin:
		return step / 2
	case End:
		return -step / 2
	}
	return 0
}

// middle is the same for the records of s. Their interval is the median step
// of the whole axis, missing records included: an hour that holds one value in
// two is still made of minutes.
func (s *Series) middle() tt.Time {
	if toMiddle(s.Meta.TimeStampLocation, 2) == 0 {
		return 0
	}
	return toMiddle(s.Meta.TimeStampLocation, tt.Time(Cadence(s.Time)))
}

// Restamped returns the series with its times moved to another place in their
// intervals: [Begin], [Center] or [End]. interval is how long one record lasts;
// 0 takes the median step of the time axis. The values are those of s, shared.
//
// It is an error when the series does not say where its times lie now, because
// a shift by half an interval would be a guess.
func (s *Series) Restamped(location string, interval time.Duration) (*Series, error) {
	for _, l := range []string{s.Meta.TimeStampLocation, location} {
		if !slices.Contains([]string{Begin, Center, End}, strings.ToLower(l)) {
			return nil, fmt.Errorf("restamp %s from %q to %q: set TimeStampLocation to begin, center or end before, and ask for one of them",
				s.label(), s.Meta.TimeStampLocation, location)
		}
	}
	step := tt.Time(interval)
	if step == 0 {
		step = tt.Time(Cadence(s.Time))
	}
	shift := toMiddle(s.Meta.TimeStampLocation, step) - toMiddle(location, step)
	out := *s
	out.Meta.TimeStampLocation = strings.ToLower(location)
	out.Time = make([]tt.Time, s.Len())
	for i, t := range s.Time {
		out.Time[i] = t.Add(time.Duration(shift))
	}
	return &out, nil
}

// label names the series in errors.
func (s *Series) label() string {
	switch {
	case s.ID != "":
		return s.ID
	case s.Name != "":
		return s.Name
	}
	return "a series without a name"
}
