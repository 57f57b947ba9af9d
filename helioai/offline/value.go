package offline

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/llm"
)

// A value is a number, a time or a text that a tool has recorded.
type value struct {
	name   string // of the ledger entry
	number float64
	time   string // ISO, for a time
	text   string
	units  string
	sample []float64 // the first elements of an array
}

// values are what the tools have recorded for this question, by ledger name.
type values map[string]value

// readExports takes the exported values out of a result of run_python or
// run_recipe. They come as a list of documents or as an object by name.
func (v values) readExports(r *llm.ToolResult) {
	var body struct {
		Exports json.RawMessage `json:"exports"`
		Values  json.RawMessage `json:"values"`
	}
	if json.Unmarshal([]byte(r.Text()), &body) != nil {
		return
	}
	for _, raw := range []json.RawMessage{body.Exports, body.Values} {
		var list []exported
		if json.Unmarshal(raw, &list) == nil {
			for _, e := range list {
				v.add(e.Name, e)
			}
			continue
		}
		var byName map[string]exported
		if json.Unmarshal(raw, &byName) == nil {
			for name, e := range byName {
				v.add(name, e)
			}
		}
	}
}

type exported struct {
	Name   string          `json:"name"`
	Value  json.RawMessage `json:"value"`
	Time   string          `json:"time"`
	Text   string          `json:"text"`
	Units  string          `json:"units"`
	Mean   *float64        `json:"mean"`
	Sample []*float64      `json:"sample"`
}

func (v values) add(name string, e exported) {
	out := value{name: name, units: e.Units, time: e.Time, text: e.Text}
	var number float64
	switch {
	case e.Time != "" || e.Text != "":
	case len(e.Value) > 0 && json.Unmarshal(e.Value, &number) == nil:
		out.number = number
	case len(e.Value) > 0 && json.Unmarshal(e.Value, &out.text) == nil:
		if _, err := tt.Parse(out.text); err == nil {
			out.time, out.text = out.text, ""
		}
	default:
		for _, s := range e.Sample {
			if s == nil {
				out.sample = append(out.sample, math.NaN())
			} else {
				out.sample = append(out.sample, *s)
			}
		}
		if len(out.sample) == 0 {
			return
		}
	}
	v[name] = out
}

// readStats takes the statistics of get_timeseries, which are in the ledger
// under the column's key.
func (v values) readStats(f *fetched) {
	for _, s := range f.Stats {
		number := func(name string, x *float64, units string) {
			if x != nil {
				v[s.Key+"_"+name] = value{name: s.Key + "_" + name, number: *x, units: units}
			}
		}
		n, missing := float64(s.N), float64(s.NMissing)
		number("n_samples", &n, "")
		number("n_missing", &missing, "")
		number("mean", s.Mean, f.Units)
		number("median", s.Median, f.Units)
		number("std", s.Std, f.Units)
		number("min", s.Min, f.Units)
		number("max", s.Max, f.Units)
		for name, text := range map[string]string{"min_time": s.MinTime, "max_time": s.MaxTime} {
			if text != "" {
				v[s.Key+"_"+name] = value{name: s.Key + "_" + name, time: text}
			}
		}
	}
}

// A claim is one number or time of the answer and the entry it comes from.
type claim struct {
	Name   string `json:"name"`
	Value  any    `json:"value"`
	Units  string `json:"units,omitempty"`
	Source string `json:"source"`
}

// formatNumber writes a number to so many significant digits, without an
// exponent where a reader needs none: 1425031, 0.00367, 1.4787e-10.
func formatNumber(v float64, digits int) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e15 && digits >= 6 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	exponent := int(math.Floor(math.Log10(math.Abs(v))))
	if exponent < -4 || exponent > 9 {
		return strconv.FormatFloat(v, 'e', digits-1, 64)
	}
	text := strconv.FormatFloat(v, 'f', max(0, digits-1-exponent), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// formatTime writes a time as exactly as the data have it, to milliseconds at
// most.
func formatTime(iso string) string {
	t, err := tt.Parse(iso)
	if err != nil {
		return iso
	}
	text := t.Format(3)
	body, zone := strings.TrimSuffix(text, "Z"), ""
	if body != text {
		zone = "Z"
	}
	if strings.Contains(body, ".") {
		body = strings.TrimRight(strings.TrimRight(body, "0"), ".")
	}
	return body + zone
}
