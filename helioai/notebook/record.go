package notebook

import (
	"math"
	"strings"

	"github.com/helios-go/helios/helioai/check"
	"github.com/helios-go/helios/helioai/ledger"
)

// record is what the notebook compares with: recorded.json.
type record struct {
	Session   string                `json:"session"`
	Tolerance float64               `json:"tolerance"`
	Steps     map[string][]recorded `json:"steps"`
	Cited     []citation            `json:"cited"`
}

// A recorded value is a ledger entry in the form in which the Python side
// describes a value, see [ledger.FromExport].
type recorded struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Units string `json:"units"`

	Value any `json:"value,omitempty"`
	// Scale is how large the numbers are that Value is a statistic of; a mean
	// near zero is reproduced relative to it.
	Scale float64 `json:"scale,omitempty"`

	Shape   []int      `json:"shape,omitempty"`
	N       *int       `json:"n_finite,omitempty"`
	NaN     *int       `json:"n_nan,omitempty"`
	Mean    *float64   `json:"mean,omitempty"`
	Std     *float64   `json:"std,omitempty"`
	Min     *float64   `json:"min,omitempty"`
	Max     *float64   `json:"max,omitempty"`
	Sample  []*float64 `json:"sample,omitempty"`
	TimesNS []*int64   `json:"times_ns_unix,omitempty"`

	TimeNS *int64  `json:"time_ns_unix,omitempty"`
	Text   *string `json:"text,omitempty"`
}

// A citation is a number or time of the answer with where it comes from.
type citation struct {
	Text string `json:"text"`
	Step string `json:"step"`
	Name string `json:"name"`
}

func (f *folded) record() *record {
	r := &record{Session: f.Session, Tolerance: 1e-9, Steps: map[string][]recorded{}, Cited: []citation{}}
	for _, s := range f.steps {
		if !f.runs(&s) {
			continue
		}
		scales := statScales(s.data.Values)
		values, at := []recorded{}, map[string]int{}
		for i := range s.data.Values {
			e := &s.data.Values[i]
			v := toRecorded(e)
			if e.Kind == ledger.KindNumber && !e.Integer {
				v.Scale = scales[statKey(e.Name)]
			}
			if j, again := at[e.Name]; again {
				values[j] = v // the script exported the name twice: the last one stands
				continue
			}
			at[e.Name] = len(values)
			values = append(values, v)
		}
		r.Steps[s.name] = values
	}
	for _, turn := range f.Turns {
		if turn.Verdict == nil {
			continue
		}
		for _, lines := range [][]check.Line{turn.Verdict.Claims, turn.Verdict.Numbers} {
			for _, line := range lines {
				if c, ok := f.cite(r, &line); ok {
					r.Cited = append(r.Cited, c)
				}
			}
		}
	}
	return r
}

// cite finds the step that a line of a verdict was decided by: the script that
// it names, else the newest step with such a value.
func (f *folded) cite(r *record, line *check.Line) (citation, bool) {
	if line.Entry == "" {
		return citation{}, false
	}
	step := ""
	for _, s := range f.steps {
		for _, v := range r.Steps[s.name] {
			if v.Name == line.Entry && (step == "" || line.Code == "" || s.name == line.Code) {
				step = s.name
			}
		}
	}
	if step == "" {
		return citation{}, false
	}
	text := line.Value
	if line.Units != "" {
		text += " " + line.Units
	}
	if line.Name != "" {
		text = line.Name + " " + text
	}
	return citation{Text: text, Step: step, Name: line.Entry}, true
}

func toRecorded(e *ledger.Entry) recorded {
	v := recorded{Name: e.Name, Kind: string(e.Kind), Units: e.Units}
	switch e.Kind {
	case ledger.KindNumber:
		v.Value = e.Value
		if e.Integer {
			v.Value = int64(e.Value)
		}
	case ledger.KindTime:
		ns := e.Time.UnixNanoUTC()
		v.TimeNS = &ns
	case ledger.KindText:
		v.Text = &e.Text
	case ledger.KindSeries:
		v.Shape, v.N, v.NaN = e.Shape, &e.N, &e.NaN
		if len(e.Times) > 0 {
			for _, t := range e.Times {
				if t.IsFill() {
					v.TimesNS = append(v.TimesNS, nil)
					continue
				}
				ns := t.UnixNanoUTC()
				v.TimesNS = append(v.TimesNS, &ns)
			}
			break
		}
		v.Mean, v.Std, v.Min, v.Max = finite(e.Mean), finite(e.Std), finite(e.Min), finite(e.Max)
		for _, x := range e.Sample {
			v.Sample = append(v.Sample, finite(x))
		}
	}
	return v
}

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// statKey is the column that a statistic belongs to: its name without _mean and
// the like.
func statKey(name string) string {
	for _, stat := range []string{"_mean", "_median", "_std", "_min", "_max"} {
		if key, ok := strings.CutSuffix(name, stat); ok {
			return key
		}
	}
	return ""
}

// statScales returns the largest size of each column with statistics.
func statScales(values []ledger.Entry) map[string]float64 {
	scales := map[string]float64{}
	for i := range values {
		e := &values[i]
		if e.Origin.Tool != "get_timeseries" || e.Kind != ledger.KindNumber {
			continue
		}
		if key := statKey(e.Name); key != "" {
			scales[key] = max(scales[key], math.Abs(e.Value))
		}
	}
	return scales
}
