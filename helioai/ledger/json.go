package ledger

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// scalar is a float64 whose JSON also holds NaN and the infinities.
type scalar float64

func (r scalar) MarshalJSON() ([]byte, error) {
	v := float64(r)
	switch {
	case math.IsNaN(v):
		return []byte(`"NaN"`), nil
	case math.IsInf(v, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-Infinity"`), nil
	}
	return json.Marshal(v)
}

func (r *scalar) UnmarshalJSON(data []byte) error {
	text := string(data)
	if s, err := strconv.Unquote(text); err == nil {
		text = s
	}
	switch text {
	case "null", "NaN", "nan":
		*r = scalar(math.NaN())
	case "Infinity", "inf":
		*r = scalar(math.Inf(1))
	case "-Infinity", "-inf":
		*r = scalar(math.Inf(-1))
	default:
		if data[0] == '"' {
			return fmt.Errorf("%.40s is not a number", text)
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%.40s is not a number", text)
		}
		*r = scalar(v)
	}
	return nil
}

// reals converts a slice for the wire.
func reals(in []float64) []scalar {
	out := make([]scalar, len(in))
	for i, v := range in {
		out[i] = scalar(v)
	}
	return out
}

func floats(in []scalar) []float64 {
	if in == nil {
		return nil
	}
	out := make([]float64, len(in))
	for i, v := range in {
		out[i] = float64(v)
	}
	return out
}

// wire is an entry as it stands in the file: the members of other kinds are
// left out.
type wire struct {
	Name      string    `json:"name"`
	Kind      Kind      `json:"kind"`
	Units     string    `json:"units,omitempty"`
	Value     *scalar   `json:"value,omitempty"`
	Integer   bool      `json:"integer,omitempty"`
	Mean      *scalar   `json:"mean,omitempty"`
	Min       *scalar   `json:"min,omitempty"`
	Max       *scalar   `json:"max,omitempty"`
	Std       *scalar   `json:"std,omitempty"`
	N         int       `json:"n_finite,omitempty"`
	NaN       int       `json:"n_nan,omitempty"`
	Shape     []int     `json:"shape,omitempty"`
	Sample    []scalar  `json:"sample,omitempty"`
	Times     []tt.Time `json:"times,omitempty"`
	Time      *tt.Time  `json:"time,omitempty"`
	Tolerance float64   `json:"tolerance_s,omitempty"`
	Text      string    `json:"text,omitempty"`
	Origin    Origin    `json:"origin"`
	Created   time.Time `json:"created"`
}

// MarshalJSON writes the members that the entry's kind has. Times are ISO 8601
// to the nanosecond.
func (e Entry) MarshalJSON() ([]byte, error) {
	w := wire{Name: e.Name, Kind: e.Kind, Units: e.Units, Integer: e.Integer, Origin: e.Origin, Created: e.Created}
	switch e.Kind {
	case KindNumber:
		w.Value = (*scalar)(&e.Value)
	case KindTime:
		w.Time, w.Tolerance = &e.Time, e.Tolerance.Seconds()
	case KindText:
		w.Text = e.Text
	case KindSeries:
		w.N, w.NaN, w.Shape, w.Times = e.N, e.NaN, e.Shape, e.Times
		if len(e.Times) == 0 {
			w.Sample = reals(e.Sample)
			w.Mean, w.Min, w.Max, w.Std = (*scalar)(&e.Mean), (*scalar)(&e.Min), (*scalar)(&e.Max), (*scalar)(&e.Std)
		}
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON writes; a missing number is NaN.
func (e *Entry) UnmarshalJSON(data []byte) error {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*e = Entry{Name: w.Name, Kind: w.Kind, Units: w.Units, Integer: w.Integer, N: w.N, NaN: w.NaN, Shape: w.Shape,
		Sample: floats(w.Sample), Times: w.Times, Text: w.Text, Origin: w.Origin, Created: w.Created}
	number := func(r *scalar) float64 {
		if r == nil {
			return math.NaN()
		}
		return float64(*r)
	}
	switch w.Kind {
	case KindNumber:
		e.Value = number(w.Value)
	case KindSeries:
		e.Mean, e.Min, e.Max, e.Std = number(w.Mean), number(w.Min), number(w.Max), number(w.Std)
	case KindTime:
		e.Time = tt.Fill
		if w.Time != nil {
			e.Time = *w.Time
		}
		e.Tolerance = seconds(w.Tolerance)
	}
	return nil
}

// seconds returns a duration; what a duration cannot hold becomes negative,
// which validation refuses.
func seconds(s float64) time.Duration {
	if !(s >= 0) || s > maxTolerance.Seconds() {
		return -1
	}
	return time.Duration(math.Round(s * 1e9))
}
