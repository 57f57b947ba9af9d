package tool

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/llm"
)

type inner struct {
	X float64 `json:"x"`
	Y int     `json:"-"`
}

type Promoted struct {
	P string `json:"p"`
}

// Label is no struct, so it is a field like another when it is embedded.
type Label string

type outer struct {
	Promoted
	A float64            `json:"a"`
	B []float64          `json:"b"`
	C map[string]float64 `json:"c,omitempty"`
	D *inner             `json:"d,omitempty"`
	E any                `json:"e"`
	F string             `json:",omitempty"`
	G time.Time          `json:"g,omitzero"`
	H [2]float32         `json:"h"`
	I []byte             `json:"i"`
	J map[int]string     `json:"j,omitempty"`
	K json.RawMessage    `json:"k,omitempty"`
	L struct{}           `json:"l"`
	M time.Duration      `json:"m,omitempty"`
	N int                `json:"n,omitempty,string"`
	O *float64           `json:"o,omitempty,string"`
	Q string             `json:"q,omitempty,string"`
	Label
	small float64
}

func TestNumbersThatJSONCannotHoldBecomeNull(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	v := outer{
		Promoted: Promoted{"p"}, A: nan, B: []float64{1, -inf}, C: map[string]float64{"z": inf, "a<b": 2}, D: &inner{X: nan, Y: 1},
		E: []any{nan, "t", nil, map[string]any{"n": inf}}, G: time.Unix(0, 0).UTC(), H: [2]float32{float32(nan), 1}, J: map[int]string{2: "b", 10: "a"},
		K: json.RawMessage(`{"raw":1}`), O: &nan, Q: "x", Label: "t", small: nan,
	}
	want := `{"p":"p","a":null,"b":[1,null],"c":{"a<b":2,"z":null},"d":{"x":null},"e":[null,"t",null,{"n":null}],` +
		`"g":"1970-01-01T00:00:00Z","h":[null,1],"i":null,"j":{"10":"a","2":"b"},"k":{"raw":1},"l":{},"o":null,"q":"\"x\"","Label":"t"}`
	got, err := encode(v)
	if err != nil || string(got) != want {
		t.Errorf("encode = %s, %v\nwant %s", got, err, want)
	}
}

func TestValuesThatCannotBeWrittenAreErrors(t *testing.T) {
	t.Parallel()
	cycle := map[string]any{"x": math.NaN()}
	cycle["self"] = cycle
	for name, v := range map[string]any{"cycle": cycle, "channel": make(chan int), "function beside NaN": []any{math.NaN(), func() {}}, "marshaler of NaN": nanMarshaler{}} {
		if data, err := encode(v); err == nil {
			t.Errorf("%s is written as %s", name, data)
		}
	}
	if _, err := toResult(make(chan int)); err == nil || !strings.Contains(err.Error(), "JSON") {
		t.Errorf("the result of a tool: %v", err)
	}
}

type nanMarshaler struct{}

func (nanMarshaler) MarshalJSON() ([]byte, error) { return json.Marshal(math.NaN()) }

// Where encoding/json can write a value, the lenient encoder writes the same.
func TestLenientAgreesWithEncodingJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		v := outer{
			Promoted: Promoted{rapid.String().Draw(rt, "p")},
			A:        rapid.Float64Range(-1e300, 1e300).Draw(rt, "a"),
			B:        rapid.SliceOf(rapid.Float64Range(-1, 1)).Draw(rt, "b"),
			C:        rapid.MapOf(rapid.String(), rapid.Float64Range(0, 1e9)).Draw(rt, "c"),
			E:        rapid.SampledFrom([]any{nil, 1, "x", 2.5, true, []any{1, nil}, map[string]any{"k": "v"}, &inner{X: 1}}).Draw(rt, "e"),
			F:        rapid.String().Draw(rt, "f"),
			I:        rapid.SliceOf(rapid.Byte()).Draw(rt, "i"),
			J:        rapid.MapOf(rapid.Int(), rapid.String()).Draw(rt, "j"),
			M:        time.Duration(rapid.Int64().Draw(rt, "m")),
			N:        rapid.Int().Draw(rt, "n"),
			O:        new(rapid.Float64Range(-1, 1).Draw(rt, "o")),
			Q:        rapid.String().Draw(rt, "q"),
			Label:    Label(rapid.String().Draw(rt, "label")),
		}
		if rapid.Bool().Draw(rt, "d?") {
			v.D = &inner{X: rapid.Float64Range(0, 1).Draw(rt, "d")}
		}
		want, err := strict(v)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := encodeLenient(v)
		if err != nil || string(got) != string(want) {
			rt.Fatalf("lenient: %s, %v\nstrict:  %s", got, err, want)
		}
	})
}

func TestWhatAToolMayReturn(t *testing.T) {
	t.Parallel()
	run := func(t Tool) Result {
		res, err := t.Run(context.Background(), json.RawMessage(`{}`))
		if err != nil {
			return Text("error: " + err.Error())
		}
		return res
	}
	type none = struct{}
	image := llm.Part{Kind: llm.PartMedia, Media: &llm.Media{MIME: "image/png"}}
	for name, tt := range map[string]struct {
		t     Tool
		text  string
		data  string
		parts int
	}{
		"text":      {New("x", "", func(context.Context, none) (string, error) { return "hi", nil }), "hi", "", 1},
		"error":     {New("x", "", func(context.Context, none) (string, error) { return "", errors.New("no") }), "error: no", "", 1},
		"part":      {New("x", "", func(context.Context, none) (llm.Part, error) { return image, nil }), "", "", 1},
		"parts":     {New("x", "", func(context.Context, none) ([]llm.Part, error) { return []llm.Part{llm.Text("a"), image}, nil }), "a", "", 2},
		"result":    {New("x", "", func(context.Context, none) (Result, error) { return Result{Data: []byte(`1`)}, nil }), "", "1", 0},
		"pointer":   {New("x", "", func(context.Context, none) (*Result, error) { return &Result{Data: []byte(`1`)}, nil }), "", "1", 0},
		"nil":       {New("x", "", func(context.Context, none) (*Result, error) { return nil, nil }), "", "", 0},
		"number":    {New("x", "", func(context.Context, none) (float64, error) { return 3.5, nil }), "3.5", "3.5", 1},
		"nothing":   {New("x", "", func(context.Context, none) (none, error) { return none{}, nil }), "{}", "{}", 1},
		"interface": {New("x", "", func(context.Context, none) (any, error) { return nil, nil }), "null", "null", 1},
	} {
		res := run(tt.t)
		if res.Text() != tt.text || string(res.Data) != tt.data || len(res.Parts) != tt.parts {
			t.Errorf("%s: %q, data %s, %d parts; want %q, %s, %d", name, res.Text(), res.Data, len(res.Parts), tt.text, tt.data, tt.parts)
		}
	}
}
