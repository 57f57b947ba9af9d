package hapitest

import (
	"maps"
	"strconv"
	"time"
)

// A Param is a parameter: what the header says, and its values.
type Param struct {
	Name   string
	Type   string // double, integer, string or isotime
	Size   []int
	Length int
	Units  any
	Fill   any            // a string or nil
	More   map[string]any // further keys of the header
	// Value makes the record of number i at time t: float64, int, string, or a
	// slice of one of them with the product of Size values, the last index fastest.
	Value func(i int64, t time.Time) any
}

// A Dataset has one record every Cadence from Start up to and without Stop.
type Dataset struct {
	ID, Title   string
	Start, Stop time.Time
	Cadence     time.Duration
	Hidden      bool // the header does not tell the cadence
	Params      []Param
	More        map[string]any // further keys of the header
	// Absent, unless nil, says which records there are not.
	Absent func(i int64, t time.Time) bool
	// Shuffle, unless nil, says which record of an answer stands at the place of the
	// ith, as a server does that does not sort.
	Shuffle func(i int64) int64
}

// header is the answer to info, of some parameters: all but the time by number.
func (d *Dataset) header(o *Options, params []int, resolved bool) map[string]any {
	list := []any{map[string]any{
		"name": "Time", "type": "isotime", "units": "UTC", "fill": nil, "length": len(stamp(o, d.Start)),
	}}
	for _, i := range params {
		list = append(list, d.Params[i].header(o, resolved, d.More["definitions"]))
	}
	h := map[string]any{
		"HAPI": o.version(), "status": map[string]any{"code": 1200, "message": "OK"},
		"startDate": brief(d.Start), "stopDate": brief(d.Stop), "parameters": list,
	}
	if !d.Hidden {
		h["cadence"] = "PT" + strconv.FormatFloat(d.Cadence.Seconds(), 'f', -1, 64) + "S"
	}
	maps.Copy(h, d.More)
	if resolved {
		delete(h, "definitions")
	}
	return h
}

func (p *Param) header(o *Options, resolved bool, definitions any) map[string]any {
	h := map[string]any{"name": p.Name, "type": p.Type, "units": p.Units, "fill": p.Fill}
	if o.NullUnits {
		h["units"], h["fill"] = nil, nil
	}
	if p.Length > 0 {
		h["length"] = p.Length
	}
	if p.Size != nil {
		h["size"] = p.Size
	}
	maps.Copy(h, p.More)
	if resolved {
		for k, v := range h {
			h[k] = resolve(v, definitions)
		}
	}
	return h
}

// resolve replaces references by what they refer to.
func resolve(v, definitions any) any {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			defs, _ := definitions.(map[string]any)
			return defs[ref[len("#/definitions/"):]]
		}
		out := map[string]any{}
		for k, e := range v {
			out[k] = resolve(e, definitions)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = resolve(e, definitions)
		}
		return out
	}
	return v
}

// A record is its number and its time.
type record struct {
	i int64
	t time.Time
}

// records lists what lies in [start, stop).
func (d *Dataset) records(start, stop time.Time) []record {
	i := max(int64(start.Sub(d.Start)/d.Cadence)-1, 0)
	var list []record
	for ; ; i++ {
		t := d.Start.Add(time.Duration(i) * d.Cadence)
		if !t.Before(stop) || !t.Before(d.Stop) {
			return d.shuffled(list)
		}
		if !t.Before(start) && (d.Absent == nil || !d.Absent(i, t)) {
			list = append(list, record{i, t})
		}
	}
}

func (d *Dataset) shuffled(list []record) []record {
	if d.Shuffle == nil || len(list) == 0 {
		return list
	}
	out := make([]record, len(list))
	for i := range list {
		out[i] = list[i]
		if j := d.Shuffle(int64(i)); j >= 0 && j < int64(len(list)) {
			out[i] = list[j]
		}
	}
	return out
}

func (o *Options) version() string {
	if o.Version == "" {
		return "3.3"
	}
	return o.Version
}

// stamp is how times of records are written.
func stamp(o *Options, t time.Time) string {
	if o.DayOfYear {
		return t.Format("2006-002T15:04:05.000Z")
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}

// brief is how times are written in headers: cut from the right.
func brief(t time.Time) string {
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format("2006-01-02Z")
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}
