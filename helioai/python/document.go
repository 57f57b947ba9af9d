package python

import (
	"errors"
	"fmt"
	"math"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/helios-go/helios/helio/tt"
)

// The kinds of a [Document].
const (
	KindNumber = "number"
	KindSeries = "series"
	KindTime   = "time"
	KindText   = "text"
	KindError  = "error" // a value that could not be recorded
)

// A Document says what is kept of one exported value.
type Document struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Units string `json:"units,omitempty"`

	Value *float64 `json:"value,omitempty"` // KindNumber
	// Scale is how large the numbers are that a KindNumber was computed from;
	// 0 where unknown. A mean near zero is reproduced relative to it.
	Scale float64 `json:"scale,omitempty"`

	*Summary // KindSeries

	Time string `json:"time,omitempty"` // KindTime: UTC, ISO with nine digits
	Text string `json:"text,omitempty"` // KindText

	Error string `json:"error,omitempty"` // KindError: why
	Repr  string `json:"repr,omitempty"`  // KindError: what it was, shortened
}

// A Summary stands for an array: its statistics over finite elements and the
// first elements themselves.
type Summary struct {
	Shape  []int      `json:"shape"`
	N      int        `json:"n"`   // finite elements
	NaN    int        `json:"nan"` // the others
	Mean   float64    `json:"mean"`
	Std    float64    `json:"std"` // of the population
	Min    float64    `json:"min"`
	Max    float64    `json:"max"`
	Sample []*float64 `json:"sample"` // at most 8, row-major; null is NaN
}

// Number makes the document of a number.
func Number(name string, value float64, units string) Document {
	return Document{Name: name, Kind: KindNumber, Value: &value, Units: units}
}

// Instant makes the document of a time. It is what numpy's datetime64[ns] shows:
// which has no leap second, so a time within one is the last instant before it.
func Instant(name string, t tt.Time) Document {
	utc := time.Unix(0, t.UnixNanoUTC()).UTC()
	return Document{Name: name, Kind: KindTime, Time: utc.Format("2006-01-02T15:04:05.000000000Z")}
}

const (
	maxName   = 200
	maxUnits  = 100
	maxText   = 8000
	maxSample = 8
)

// check reports what the runtime would never have sent.
func (d *Document) check() error {
	if err := plain("name", d.Name, 1, maxName); err != nil {
		return err
	}
	if err := plain("units", d.Units, 0, maxUnits); err != nil {
		return err
	}
	switch d.Kind {
	case KindNumber:
		if d.Value == nil {
			return errors.New("a number without a value")
		}
	case KindTime:
		if _, err := tt.Parse(d.Time); err != nil {
			return err
		}
	case KindText:
		return limited("text", d.Text, maxText)
	case KindError:
		return errors.Join(limited("error", d.Error, maxText), limited("repr", d.Repr, maxText))
	case KindSeries:
		if d.Summary == nil {
			return errors.New("a series without statistics")
		}
		return d.Summary.check()
	default:
		return fmt.Errorf("unknown kind %.20q", d.Kind)
	}
	return nil
}

func (s *Summary) check() error {
	size := 1
	for _, n := range s.Shape {
		if n < 1 || n > math.MaxInt32/size {
			return fmt.Errorf("impossible shape %v", s.Shape)
		}
		size *= n
	}
	switch {
	case len(s.Shape) == 0 || len(s.Shape) > 16:
		return fmt.Errorf("impossible shape of %d dimensions", len(s.Shape))
	case s.N < 1 || s.NaN < 0 || s.N+s.NaN != size:
		return fmt.Errorf("%d and %d elements do not make the shape %v", s.N, s.NaN, s.Shape)
	case len(s.Sample) > maxSample:
		return fmt.Errorf("a sample of %d", len(s.Sample))
	case !(s.Min <= s.Mean && s.Mean <= s.Max) && !nearly(s):
		return errors.New("a mean outside of its range")
	}
	return nil
}

// nearly allows the mean of equal numbers to be off by rounding.
func nearly(s *Summary) bool {
	slack := 1e-9 * max(math.Abs(s.Min), math.Abs(s.Max))
	return s.Min-slack <= s.Mean && s.Mean <= s.Max+slack
}

// plain checks a short string for people: no control characters.
func plain(what, s string, least, most int) error {
	if n := len(s); n < least || n > most {
		return fmt.Errorf("a %s of %d bytes", what, n)
	}
	for _, r := range s {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return fmt.Errorf("a %s with control characters", what)
		}
	}
	return nil
}

func limited(what, s string, most int) error {
	if len(s) > most {
		return fmt.Errorf("a %s of %d bytes", what, len(s))
	}
	return nil
}
