package hapi_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// A sample is a dataset of random parameters with random records, and plain encoders
// of it that share nothing with the decoders.
type sample struct {
	info    *hapi.Info
	header  string
	records [][]any      // of a record: the time, then the values of each parameter: []float64, []int32 or []string
	want    hapi.Records // without padding and fill
}

var sampleShapes = [][]int{nil, nil, nil, {1}, {3}, {2, 3}, {3, 3}, {2, 1, 2}, {12}}

func newSample(tb testing.TB, seed uint64) *sample {
	tb.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	s := &sample{}
	times := sampleTimes(rng, 1+rng.IntN(6))
	params := []map[string]any{{"name": "Time", "type": "isotime", "units": "UTC", "fill": nil, "length": len(times[0])}}
	makers := []func() any{}
	n := rng.IntN(6)
	if seed%7 == 0 {
		n = 9 // enough singles in a row to be read together
	}
	for i := range n {
		p, draw := sampleParameter(rng, i, seed%7 == 0)
		params = append(params, p)
		makers = append(makers, draw)
	}
	header, err := json.Marshal(map[string]any{"HAPI": "3.3", "status": map[string]any{"code": 1200, "message": "OK"}, "startDate": "1990-01-01Z", "stopDate": "2030-01-01Z", "parameters": params})
	if err != nil {
		tb.Fatal(err)
	}
	s.header = string(header)
	if s.info, err = hapi.ParseInfo(header); err != nil {
		tb.Fatalf("%s: %v", header, err)
	}
	s.want = hapi.Records{Info: s.info, Columns: make([]hapi.Column, n)}
	for _, stamp := range times {
		record := []any{stamp}
		for _, draw := range makers {
			record = append(record, draw())
		}
		s.add(tb, record)
	}
	return s
}

func sampleTimes(rng *rand.Rand, n int) []string {
	form := []string{"2021-03-%02dT04:05:06.%03dZ", "2021-03-%02dT04:05:06Z%.0d", "2021-0%02dT04:05:06.%06dZ", "2021-03-%02dT04:05Z%.0d", "2021-03-%02dZ%.0d", "2021-03-%02dT04:05:06.%09dZ", "1965-03-%02dT04:05:06.%03dZ"}[rng.IntN(7)]
	var times []string
	for i := range n {
		times = append(times, fmt.Sprintf(form, 1+i, 0))
	}
	if strings.Contains(form, ".%03d") {
		for i := range n {
			times[i] = fmt.Sprintf(form, 1+i/3, rng.IntN(1000))
		}
	}
	return times
}

func sampleParameter(rng *rand.Rand, i int, single bool) (p map[string]any, draw func() any) {
	kind := rng.IntN(4)
	shape := sampleShapes[rng.IntN(len(sampleShapes))]
	if single {
		kind, shape = min(kind, 1), nil
		if i < 6 {
			kind = 0
		}
	}
	width := 1
	for _, n := range shape {
		width *= n
	}
	p = map[string]any{"name": []string{"p%d", "name with blank %d", "Größe_%d ☃", "a,b%d"}[rng.IntN(4)], "units": nil}
	p["name"] = fmt.Sprintf(p["name"].(string), i)
	if shape != nil {
		p["size"] = shape
	}
	switch kind {
	case 0:
		fill := []any{nil, "-1e31", -1e31, "NaN", "999.9", 99999.9, "0", "-1.0E+31"}[rng.IntN(8)]
		p["type"], p["fill"] = "double", fill
		return p, func() any { return many(width, func() float64 { return sampleDouble(rng, fill) }) }
	case 1:
		fill := []any{nil, "-999", -2147483648, "0", "NaN"}[rng.IntN(5)]
		p["type"], p["fill"] = "integer", fill
		return p, func() any {
			return many(width, func() int32 {
				return []int32{0, 1, -1, -999, 7, math.MaxInt32, math.MinInt32, int32(rng.Uint32())}[rng.IntN(8)]
			})
		}
	case 2:
		p["type"], p["fill"], p["length"] = "string", []any{nil, "none", "", "äöü"}[rng.IntN(4)], 24
		words := []string{"", "a", "none", "with, comma", `say "x"`, `"`, `""`, "äöü", "☃ 🎉", `back\slash`, "two\nlines", "tab\there", "NaN", "null", "-1e31", "/path?x=1&y=<2>", "x", "trailing  "}
		return p, func() any { return many(width, func() string { return words[rng.IntN(len(words))] }) }
	}
	p["type"], p["fill"], p["length"] = "isotime", []any{nil, "0001-01-01T00:00:00Z"}[rng.IntN(2)], 20
	return p, func() any {
		return many(width, func() string { return []string{"2016-12-31T23:59:60Z", "0001-01-01T00:00:00Z", ""}[rng.IntN(3)] })
	}
}

func many[T any](n int, one func() T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = one()
	}
	return out
}

func sampleDouble(rng *rand.Rand, fill any) float64 {
	switch rng.IntN(10) {
	case 0:
		return math.NaN()
	case 1, 2:
		if v, err := strconv.ParseFloat(fmt.Sprint(fill), 64); err == nil {
			return []float64{v, float64(float32(v)), math.Nextafter(v, 0)}[rng.IntN(3)]
		}
	case 3:
		return float64(rng.IntN(1000))
	case 4:
		return math.Round(rng.NormFloat64()*1000) / 1000
	case 5:
		return rng.NormFloat64() * math.Pow(10, float64(rng.IntN(60)-30))
	case 6:
		return float64(int64(rng.Uint64()>>1)) / 8
	case 7:
		return math.Copysign(0, float64(rng.IntN(2))-0.5)
	}
	return math.Sin(math.Pi * float64(rng.IntN(1e6)) / 600)
}

// add adds a record, and what is to be read of it.
func (s *sample) add(tb testing.TB, record []any) {
	tb.Helper()
	s.records = append(s.records, record)
	at, err := tt.Parse(record[0].(string))
	if err != nil {
		tb.Fatal(err)
	}
	s.want.Time = append(s.want.Time, at)
	for i, values := range record[1:] {
		p, c := &s.info.Parameters[i+1], &s.want.Columns[i]
		fill := math.NaN()
		if f, err := strconv.ParseFloat(p.Fill, 64); err == nil && p.HasFill {
			fill = f
		}
		switch values := values.(type) {
		case []float64:
			for _, v := range values {
				if series.IsFill(v, fill) {
					v = math.NaN()
				}
				c.Float = append(c.Float, v)
			}
		case []int32:
			for _, v := range values {
				f := float64(v)
				if f == fill {
					f = math.NaN()
				}
				c.Float = append(c.Float, f)
			}
		case []string:
			for _, v := range values {
				if v = strings.TrimRight(v, " "); p.HasFill && v == p.Fill {
					v = ""
				}
				c.Text = append(c.Text, v)
			}
		}
	}
}

// data writes the records without a header.
func (s *sample) data(tb testing.TB, f hapi.Format) []byte {
	tb.Helper()
	var b bytes.Buffer
	switch f {
	case hapi.CSV:
		w := csv.NewWriter(&b)
		for _, record := range s.records {
			row := []string{record[0].(string)}
			for _, values := range record[1:] {
				row = append(row, sampleFields(values)...)
			}
			_ = w.Write(row)
		}
		w.Flush()
	case hapi.Binary:
		for _, record := range s.records {
			b.WriteString(record[0].(string))
			for i, values := range record[1:] {
				if words, ok := values.([]string); ok {
					for _, word := range words {
						b.WriteString(word + strings.Repeat("\x00", s.info.Parameters[i+1].Length-len(word)))
					}
					continue
				}
				_ = binary.Write(&b, binary.LittleEndian, values)
			}
		}
	case hapi.JSON:
		s.json(tb, &b, func(p *hapi.Parameter, values []any) any { return nested(p.Size, values) })
	}
	return b.Bytes()
}

func sampleFields(values any) []string {
	switch values := values.(type) {
	case []float64:
		out := make([]string, len(values))
		for i, v := range values {
			out[i] = strconv.FormatFloat(v, "gef"[i%3], -1, 64)
			if math.IsNaN(v) && i%2 == 1 {
				out[i] = "" // another way to say it
			}
		}
		return out
	case []int32:
		out := make([]string, len(values))
		for i, v := range values {
			out[i] = strconv.Itoa(int(v))
		}
		return out
	}
	return values.([]string)
}

// json writes an array of records; shape makes of the values of a parameter what stands
// in the record.
func (s *sample) json(tb testing.TB, b *bytes.Buffer, shape func(p *hapi.Parameter, values []any) any) {
	tb.Helper()
	for n, record := range s.records {
		row := []any{record[0]}
		for i, values := range record[1:] {
			v := shape(&s.info.Parameters[i+1], anys(values))
			if spread, ok := v.(spreadValues); ok {
				row = append(row, spread...)
				continue
			}
			row = append(row, v)
		}
		text, err := json.Marshal(row)
		if err != nil {
			tb.Fatal(err)
		}
		b.WriteString("[,"[min(n, 1):][:1] + "\n ")
		b.Write(text)
	}
	b.WriteString(" ]\n")
}

// spreadValues stand in the record itself.
type spreadValues []any

func anys(values any) []any {
	var out []any
	switch values := values.(type) {
	case []float64:
		for _, v := range values {
			if math.IsNaN(v) {
				out = append(out, nil)
				continue
			}
			out = append(out, v)
		}
	case []int32:
		for _, v := range values {
			out = append(out, v)
		}
	case []string:
		for _, v := range values {
			out = append(out, v)
		}
	}
	return out
}

func nested(size []int, values []any) any {
	if len(size) == 0 {
		return values[0]
	}
	out := make([]any, size[0])
	each := len(values) / size[0]
	for i := range out {
		out[i] = nested(size[1:], values[i*each:(i+1)*each])
	}
	return out
}

// streams are the records in all the ways that servers write them.
func (s *sample) streams(tb testing.TB) map[string]stream {
	tb.Helper()
	var pretty, flat, spread bytes.Buffer
	if err := json.Indent(&pretty, []byte(s.header), "", "\t"); err != nil {
		tb.Fatal(err)
	}
	lines := "#" + strings.ReplaceAll(pretty.String(), "\n", "\n#") + "\n"
	s.json(tb, &flat, func(p *hapi.Parameter, values []any) any {
		if len(p.Size) == 0 {
			return values[0]
		}
		return values
	})
	s.json(tb, &spread, func(_ *hapi.Parameter, values []any) any { return spreadValues(values) })
	inCSV, inBinary, inJSON := string(s.data(tb, hapi.CSV)), string(s.data(tb, hapi.Binary)), string(s.data(tb, hapi.JSON))
	head := s.header[:len(s.header)-1]
	all := map[string]stream{
		"csv":                {hapi.CSV, inCSV},
		"csv, a line":        {hapi.CSV, "#" + s.header + "\n" + inCSV},
		"csv, lines":         {hapi.CSV, lines + inCSV},
		"csv, a comment":     {hapi.CSV, "# made by hand\n" + inCSV},
		"binary":             {hapi.Binary, inBinary},
		"binary, a line":     {hapi.Binary, "#" + s.header + "\n" + inBinary},
		"binary, lines":      {hapi.Binary, strings.ReplaceAll(lines, "\n", "\r\n") + inBinary},
		"json":               {hapi.JSON, inJSON},
		"json, object":       {hapi.JSON, head + ",\n\"data\":" + inJSON + "}\n"},
		"json, data first":   {hapi.JSON, "{\"data\":" + inJSON + "," + s.header[1:]},
		"json, status later": {hapi.JSON, head + ",\"data\":" + inJSON + `, "x_took" : [1, {"a":"]}"}], "status":{"code":1200} } `},
		"json, flat":         {hapi.JSON, flat.String()},
		"json, spread":       {hapi.JSON, spread.String()},
	}
	if !strings.Contains(inCSV, "two\nlines") {
		all["csv, CRLF"] = stream{hapi.CSV, strings.ReplaceAll(inCSV, "\n", "\r\n")}
	}
	return all
}

type stream struct {
	format hapi.Format
	text   string
}
