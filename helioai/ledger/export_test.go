package ledger_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/helioai/ledger"
)

func TestExportFramesBecomeEntries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, frame string
		ok          func(ledger.Entry) bool
	}{
		{"a float", `{"type":"export","name":"b","kind":"number","units":"nT","value":3.6705}`,
			func(e ledger.Entry) bool {
				return e.Kind == ledger.KindNumber && e.Value == 3.6705 && e.Units == "nT" && !e.Integer
			}},
		{"a whole float is no count", `{"name":"b","kind":"number","value":11.0}`,
			func(e ledger.Entry) bool { return e.Value == 11 && !e.Integer && e.Units == "" }},
		{"a count", `{"name":"n","kind":"number","units":null,"value":11}`,
			func(e ledger.Entry) bool { return e.Value == 11 && e.Integer }},
		{"a negative count", `{"name":"n","kind":"number","value":-3}`,
			func(e ledger.Entry) bool { return e.Value == -3 && e.Integer }},
		{"a count too large to be exact", `{"name":"n","kind":"number","value":9007199254740993}`,
			func(e ledger.Entry) bool { return !e.Integer }},
		{"a bool", `{"name":"n","kind":"number","value":true}`,
			func(e ledger.Entry) bool { return e.Value == 1 && e.Integer }},
		{"null", `{"name":"n","kind":"number","value":null}`, func(e ledger.Entry) bool { return math.IsNaN(e.Value) }},
		{"NaN text", `{"name":"n","kind":"number","value":"NaN"}`, func(e ledger.Entry) bool { return math.IsNaN(e.Value) }},
		{"bare NaN", `{"name":"NaN -Infinity \" NaN","kind":"number","value":NaN}`,
			func(e ledger.Entry) bool { return math.IsNaN(e.Value) && e.Name == `NaN -Infinity " NaN` }},
		{"bare infinity", `{"name":"n","kind":"number","value":-Infinity}`, func(e ledger.Entry) bool { return math.IsInf(e.Value, -1) }},
		{"a series", `{"name":"s","kind":"series","units":"nT","shape":[2,3],"n_finite":5,"n_nan":1,"mean":1.2,"min":-4.0,"max":5.0,"std":2.1,"sample":[1.0,null,3.0]}`,
			func(e ledger.Entry) bool {
				return e.N == 5 && e.NaN == 1 && e.Mean == 1.2 && e.Min == -4 && len(e.Sample) == 3 && math.IsNaN(e.Sample[1]) && !e.Integer
			}},
		{"a series of counts", `{"name":"s","kind":"series","shape":[3],"n_finite":3,"n_nan":0,"mean":2.0,"min":1,"max":3,"std":0.8,"sample":[1,2,3]}`,
			func(e ledger.Entry) bool { return e.Integer }},
		{"a series of nothing", `{"name":"s","kind":"series","shape":[2],"n_finite":0,"n_nan":2,"mean":null,"min":null,"max":null,"std":null,"sample":[null,null]}`,
			func(e ledger.Entry) bool { return math.IsNaN(e.Mean) && math.IsNaN(e.Min) && e.NaN == 2 }},
		{"an empty series", `{"name":"s","kind":"series","shape":[0,3],"n_finite":0,"n_nan":0,"mean":NaN,"min":NaN,"max":NaN,"std":NaN,"sample":[]}`,
			func(e ledger.Entry) bool { return len(e.Sample) == 0 }},
		{"instants", `{"name":"s","kind":"series","shape":[2],"n_finite":1,"n_nan":1,"times_ns_unix":[1672630861000000000,null]}`,
			func(e ledger.Entry) bool {
				return len(e.Times) == 2 && e.Times[0].String() == "2023-01-02T03:41:01Z" && e.Times[1].IsFill()
			}},
		{"a time", `{"name":"t","kind":"time","time_ns_unix":1672630861000000000,"tolerance_s":16.0}`,
			func(e ledger.Entry) bool {
				return e.Time.String() == "2023-01-02T03:41:01Z" && e.Tolerance == 16*time.Second
			}},
		{"an ISO time", `{"name":"t","kind":"time","time":"2024-256T14","tolerance_s":null}`,
			func(e ledger.Entry) bool { return e.Time.String() == "2024-09-12T14:00:00Z" && e.Tolerance == 0 }},
		{"no time", `{"name":"t","kind":"time","time_ns_unix":-9223372036854775808}`, func(e ledger.Entry) bool { return e.Time.IsFill() }},
		{"a text", "{\"name\":\"x\",\"kind\":\"text\",\"text\":\"red \\u001b[31m\\nblue\"}",
			func(e ledger.Entry) bool { return e.Text == "red  [31m\nblue" }},
	} {
		o := ledger.Origin{Tool: "run_python", Code: "code_0.py"}
		e, err := ledger.FromExport(json.RawMessage(c.frame), o)
		if err != nil || !c.ok(e) || e.Origin.Code != "code_0.py" {
			t.Errorf("%s: FromExport(%s) = %+v, %v", c.name, c.frame, e, err)
			continue
		}
		var l ledger.Ledger
		if err := l.Add(e); err != nil {
			t.Errorf("%s: the entry cannot be added: %v", c.name, err)
		}
	}
}

func TestBadExportFramesAreRefusedInOneSentence(t *testing.T) {
	t.Parallel()
	for name, frame := range map[string]string{
		"nothing":              ``,
		"no object":            `[1]`,
		"null":                 `null`,
		"cut":                  `{"name":"a","kind":"number","value":`,
		"trailing":             `{"name":"a","kind":"number","value":1} {}`,
		"no name":              `{"kind":"number","value":1}`,
		"name of another type": `{"name":["a"],"kind":"number","value":1}`,
		"long name":            `{"name":"` + strings.Repeat("é", 65) + `","kind":"number","value":1}`,
		"escape in name":       `{"name":"a\u001b[2J","kind":"number","value":1}`,
		"newline in units":     `{"name":"a","kind":"number","units":"n\nT","value":1}`,
		"long units":           `{"name":"a","kind":"number","units":"` + strings.Repeat("m", 65) + `","value":1}`,
		"kind":                 `{"name":"a","kind":"image","value":1}`,
		"no value":             `{"name":"a","kind":"number"}`,
		"value is text":        `{"name":"a","kind":"number","value":"3.6"}`,
		"value is huge":        `{"name":"a","kind":"number","value":1e999}`,
		"value is an array":    `{"name":"a","kind":"number","value":[1]}`,
		"series without shape": `{"name":"a","kind":"series","n_finite":1,"n_nan":0,"mean":1,"min":1,"max":1,"std":0,"sample":[1]}`,
		"series without mean":  `{"name":"a","kind":"series","shape":[1],"n_finite":1,"n_nan":0,"min":1,"max":1,"std":0,"sample":[1]}`,
		"counts against shape": `{"name":"a","kind":"series","shape":[3],"n_finite":1,"n_nan":0,"mean":1,"min":1,"max":1,"std":0,"sample":[1]}`,
		"min above max":        `{"name":"a","kind":"series","shape":[2],"n_finite":2,"n_nan":0,"mean":1,"min":2,"max":1,"std":0,"sample":[1]}`,
		"mean outside":         `{"name":"a","kind":"series","shape":[2],"n_finite":2,"n_nan":0,"mean":9,"min":1,"max":2,"std":0,"sample":[1]}`,
		"negative std":         `{"name":"a","kind":"series","shape":[2],"n_finite":2,"n_nan":0,"mean":1,"min":1,"max":2,"std":-1,"sample":[1]}`,
		"null min of finite":   `{"name":"a","kind":"series","shape":[2],"n_finite":2,"n_nan":0,"mean":1,"min":null,"max":2,"std":1,"sample":[1]}`,
		"long sample":          `{"name":"a","kind":"series","shape":[9],"n_finite":9,"n_nan":0,"mean":1,"min":1,"max":1,"std":0,"sample":[1,1,1,1,1,1,1,1,1]}`,
		"vast shape":           `{"name":"a","kind":"series","shape":[4294967296,4294967296],"n_finite":0,"n_nan":0,"mean":null,"min":null,"max":null,"std":null,"sample":[]}`,
		"time out of range":    `{"name":"a","kind":"time","time_ns_unix":-9223372036854775000}`,
		"time is a float":      `{"name":"a","kind":"time","time_ns_unix":1.5e18}`,
		"time is words":        `{"name":"a","kind":"time","time":"yesterday"}`,
		"negative tolerance":   `{"name":"a","kind":"time","time":"2023","tolerance_s":-1}`,
		"vast tolerance":       `{"name":"a","kind":"time","time":"2023","tolerance_s":1e30}`,
		"text without text":    `{"name":"a","kind":"text"}`,
		"long text":            `{"name":"a","kind":"text","text":"` + strings.Repeat("x", 5000) + `"}`,
		"too long":             `{"name":"a","kind":"text","text":"` + strings.Repeat("x", 70000) + `"}`,
	} {
		e, err := ledger.FromExport(json.RawMessage(frame), ledger.Origin{})
		if err == nil {
			t.Errorf("%s: accepted as %+v", name, e)
			continue
		}
		if msg := err.Error(); strings.ContainsAny(msg, "\n\x1b") || len(msg) > 300 {
			t.Errorf("%s: the error is not one short sentence: %q", name, msg)
		}
	}
}

func FuzzFromExport(f *testing.F) {
	f.Add([]byte(`{"name":"s","kind":"series","units":"nT","shape":[2,3],"n_finite":5,"n_nan":1,"mean":1.2,"min":-4,"max":5,"std":2.1,"sample":[1.0,null,3.0]}`))
	f.Add([]byte(`{"name":"t","kind":"time","time_ns_unix":1672630861000000000,"tolerance_s":16}`))
	f.Add([]byte(`{"name":"n","kind":"number","value":NaN}`))
	f.Add([]byte(`{"name":"x","kind":"text","text":"\ud800"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := ledger.FromExport(data, ledger.Origin{})
		if err != nil {
			return
		}
		var l ledger.Ledger
		if err := l.Add(e); err != nil {
			t.Fatalf("accepted but not addable: %v", err)
		}
		line, err := json.Marshal(l.Entries()[0])
		var back ledger.Entry
		if err != nil || json.Unmarshal(line, &back) != nil || !same(l.Entries(), []ledger.Entry{back}) {
			t.Fatalf("%s does not come back: %v", line, err)
		}
	})
}
