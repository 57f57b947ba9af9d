package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

func Example() {
	weather := tool.New("weather", "Weather in a city now",
		func(ctx context.Context, in struct {
			City string `json:"city" jsonschema:"the city"`
			Unit string `json:"unit,omitempty" enum:"celsius,kelvin"`
		}) (string, error) {
			return "22 C in " + in.City, nil
		}, tool.WithEffect(tool.ReadOnly))

	for _, args := range []string{`{"city":"Toulouse"}`, `{"cty":"Toulouse"}`, `{"city":"Tou`} {
		checked, err := weather.Check(json.RawMessage(args))
		if err != nil {
			fmt.Println(err)
			continue
		}
		res, err := weather.Run(context.Background(), checked)
		fmt.Println(res.Text(), err)
	}
	// Output:
	// 22 C in Toulouse <nil>
	// invalid arguments for weather: city is required but missing; cty is unknown; did you mean "city"?
	// invalid arguments for weather: not valid JSON: it ends in the middle, after 12 bytes
}

// A struct goes to the model as JSON, and stays for programs in Data.
func ExampleNew_struct() {
	type stats struct {
		Mean float64 `json:"mean"`
		Max  float64 `json:"max"`
	}
	t := tool.New("stats", "Statistics of a series", func(context.Context, struct{}) (stats, error) {
		return stats{Mean: 3.67, Max: 5.26}, nil
	}, tool.WithEffect(tool.ReadOnly))
	res, err := t.Run(context.Background(), json.RawMessage(`{}`))
	fmt.Println(res.Text(), string(res.Data), err)
	// Output: {"mean":3.67,"max":5.26} {"mean":3.67,"max":5.26} <nil>
}

// Raw takes a schema from elsewhere.
func ExampleRaw() {
	spec := llm.ToolSpec{
		Name: "add", Description: "Add numbers",
		Input: json.RawMessage(`{"type":"object","properties":{"n":{"type":"array","items":{"type":"number"},"minItems":1}},"required":["n"]}`),
	}
	add := tool.Raw(spec, func(_ context.Context, args json.RawMessage) (tool.Result, error) {
		var in struct{ N []float64 }
		if err := json.Unmarshal(args, &in); err != nil {
			return tool.Result{}, err
		}
		sum := 0.0
		for _, n := range in.N {
			sum += n
		}
		return tool.Text(fmt.Sprint(sum)), nil
	}, tool.WithEffect(tool.ReadOnly))
	res, err := add.Run(context.Background(), json.RawMessage(`{"n":[1,2,3.5]}`))
	fmt.Println(res.Text(), err)
	_, err = add.Check(json.RawMessage(`{"n":[]}`))
	fmt.Println(err)
	// Output:
	// 6.5 <nil>
	// invalid arguments for add: n has 0 items, which is not allowed
}

// A tool that writes names what it would touch, so that a policy can decide.
func ExampleWithKey() {
	write := tool.New("write", "Write a file", func(context.Context, struct {
		Path string `json:"path"`
		Text string `json:"text"`
	}) (string, error) {
		return "written", nil
	}, tool.WithEffect(tool.Mutating), tool.WithKind(tool.KindWrite), tool.WithKey(tool.PathKey("path")))
	key, err := write.Key(json.RawMessage(`{"path":"./notes//../notes/a.md","text":"hi"}`))
	fmt.Println(write.Effect, write.Kind, key, err)
	_, err = write.Key(json.RawMessage(`{"path":"../a.md","text":"hi"}`))
	fmt.Println(err)
	// Output:
	// mutating write notes/a.md <nil>
	// path "../a.md": it leads out of the workspace
}

// host answers the questions of a tool under test.
type host struct{ shown []string }

func (h *host) Progress(part llm.Part) { h.shown = append(h.shown, part.Text) }
func (h *host) Ask(_ context.Context, q tool.Question) (tool.Answer, error) {
	return tool.Answer{Choices: []string{q.Choices[0].Label}}, nil
}

// WithCall gives a tool under test the call that it looks at.
func ExampleWithCall() {
	pick := tool.New("pick", "Pick a colour", func(ctx context.Context, _ struct{}) (string, error) {
		call := tool.CallFrom(ctx)
		call.Progress(llm.Text("asking"))
		a, err := call.Ask(ctx, tool.Question{Text: "Which?", Choices: []tool.Choice{{Label: "red"}, {Label: "blue"}}})
		if err != nil {
			return "", err
		}
		return call.ID + " picks " + a.Choices[0], nil
	}, tool.WithEffect(tool.ReadOnly))
	h := &host{}
	ctx := tool.WithCall(context.Background(), &tool.Call{ID: "call_1", Host: h})
	res, err := pick.Run(ctx, json.RawMessage(`{}`))
	fmt.Println(res.Text(), err, h.shown)
	// Output: call_1 picks red <nil> [asking]
}

func TestATypeWithoutASchemaIsToldByErr(t *testing.T) {
	t.Parallel()
	none := func(context.Context, struct{}) (string, error) { return "", nil }
	for name, tt := range map[string]struct {
		t    tool.Tool
		want string
	}{
		"argument is no object": {tool.New("x", "", func(context.Context, int) (string, error) { return "", nil }), "not an object"},
		"no function":           {tool.New[struct{}, string]("x", "", nil), "no function"},
		"blank in the name":     {tool.New("a b", "", none), `"a b"`},
		"name too long":         {tool.New(strings.Repeat("x", 65), "", none), "64"},
		"no name":               {tool.New("", "", none), `""`},
		"bad schema":            {tool.Raw(llm.ToolSpec{Name: "x", Input: json.RawMessage(`{"type":7}`)}, nil), "x"},
		"zero":                  {tool.Tool{}, "tool.New"},
	} {
		err := tt.t.Err()
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, tt.want)
		}
		if _, err := tt.t.Check(nil); err == nil {
			t.Errorf("%s: its arguments are checked", name)
		}
		if _, err := tt.t.Run(t.Context(), nil); err == nil {
			t.Errorf("%s: it runs", name)
		}
	}
}

func TestKindFollowsFromTheEffect(t *testing.T) {
	t.Parallel()
	none := func(context.Context, struct{}) (string, error) { return "", nil }
	for _, tt := range []struct {
		opts []tool.Option
		want tool.Kind
	}{
		{nil, tool.KindExecute},
		{[]tool.Option{tool.WithEffect(tool.ReadOnly)}, tool.KindRead},
		{[]tool.Option{tool.WithEffect(tool.Mutating)}, tool.KindExecute},
		{[]tool.Option{tool.WithKind(tool.KindSearch), tool.WithEffect(tool.ReadOnly)}, tool.KindSearch},
	} {
		if got := tool.New("x", "", none, tt.opts...).Kind; got != tt.want {
			t.Errorf("kind = %v, want %v", got, tt.want)
		}
	}
}

func TestEffectsAndKindsAreNames(t *testing.T) {
	t.Parallel()
	type both struct {
		E tool.Effect
		K tool.Kind
	}
	for e := tool.Unknown; e <= tool.Mutating; e++ {
		for k := tool.KindDefault; k <= tool.KindDelegate; k++ {
			data, err := json.Marshal(both{e, k})
			var back both
			if err == nil {
				err = json.Unmarshal(data, &back)
			}
			if err != nil || back != (both{e, k}) {
				t.Errorf("%v %v is written as %s and read as %v: %v", e, k, data, back, err)
			}
		}
	}
	var back both
	if err := json.Unmarshal([]byte(`{"E":"later","K":"later"}`), &back); err != nil || back != (both{}) {
		t.Errorf("unknown names are read as %v, %v", back, err)
	}
	if got := tool.Effect(9).String() + tool.Kind(99).String(); got != "unknown(9)default(99)" {
		t.Errorf("values without a name are %s", got)
	}
	if !tool.ReadOnly.Repeatable() || !tool.Idempotent.Repeatable() || tool.Mutating.Repeatable() || tool.Unknown.Repeatable() {
		t.Error("the wrong effects are repeatable")
	}
}

func TestAbortIsSeenThrough(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	var abort *tool.AbortError
	err := fmt.Errorf("tool: %w", tool.Abort(boom))
	if !errors.Is(err, boom) || !errors.As(err, &abort) || err.Error() != "tool: boom" {
		t.Errorf("abort = %v", err)
	}
	if tool.Abort(nil) != nil {
		t.Error("Abort(nil) is an error")
	}
}

func TestQuestionsAndAnswersAreChecked(t *testing.T) {
	t.Parallel()
	choices := []tool.Choice{{Label: "a"}, {Label: "b"}}
	for _, tt := range []struct {
		q    tool.Question
		a    tool.Answer
		want string
	}{
		{tool.Question{Text: "?"}, tool.Answer{Text: "x"}, ""},
		{tool.Question{Text: "?"}, tool.Answer{}, "nothing is chosen"},
		{tool.Question{Text: " "}, tool.Answer{Text: "x"}, "no text"},
		{tool.Question{Text: "?", Choices: choices}, tool.Answer{Choices: []string{"a"}}, ""},
		{tool.Question{Text: "?", Choices: choices}, tool.Answer{Text: "neither"}, ""},
		{tool.Question{Text: "?", Choices: choices}, tool.Answer{Choices: []string{"c"}}, "not among the choices"},
		{tool.Question{Text: "?", Choices: choices}, tool.Answer{Choices: []string{"a", "b"}}, "one choice"},
		{tool.Question{Text: "?", Choices: choices, Multiple: true}, tool.Answer{Choices: []string{"a", "b"}}, ""},
		{tool.Question{Text: "?", Choices: choices, Multiple: true}, tool.Answer{Choices: []string{"a", "a"}}, "chosen twice"},
		{tool.Question{Text: "?", Choices: choices, Permission: true}, tool.Answer{Text: "hm"}, "nothing is chosen"},
		{tool.Question{Text: "?", Choices: choices, Permission: true}, tool.Answer{Choices: []string{" A\n"}}, ""},
		{tool.Question{Text: "?", Choices: choices}, tool.Answer{Choices: []string{"A"}}, "not among the choices"},
		{tool.Question{Text: "?", Choices: []tool.Choice{{}}}, tool.Answer{}, "no label"},
		{tool.Question{Text: "?", Choices: []tool.Choice{{Label: "a"}, {Label: "a"}}}, tool.Answer{}, "two choices"},
	} {
		err := tt.q.Validate()
		if err == nil {
			err = tt.a.Fits(&tt.q)
		}
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v to %+v: %v, want %q", tt.a, tt.q, err, tt.want)
		}
	}
	if _, err := tool.CallFrom(t.Context()).Ask(t.Context(), tool.Question{}); err == nil || errors.Is(err, tool.ErrNoAsker) {
		t.Errorf("a question without text: %v", err)
	}
}

// Arguments come to the function as the model meant them, or not at all.
func TestArgumentsAsModelsSendThem(t *testing.T) {
	t.Parallel()
	type in struct {
		Path    string   `json:"path,omitempty"`
		Timeout *float64 `json:"timeout,omitempty"`
		Names   []string `json:"names,omitempty"`
	}
	typed := tool.New("read", "", func(_ context.Context, a in) (string, error) {
		return fmt.Sprintf("%q %v %v", a.Path, a.Timeout, a.Names), nil
	})
	raw := tool.Raw(llm.ToolSpec{Name: "read", Input: typed.Spec.Input}, func(_ context.Context, args json.RawMessage) (tool.Result, error) {
		return tool.Text(string(args)), nil
	})
	for _, tt := range []struct{ args, typed, raw string }{
		{``, `"" <nil> []`, `{}`},
		{" \n", `"" <nil> []`, `{}`},
		{`null`, `"" <nil> []`, `{}`},
		{`{}`, `"" <nil> []`, `{}`},
		{`{"timeout":null}`, `"" <nil> []`, `{"timeout":null}`},
		{`{"path":null,"names":null}`, `"" <nil> []`, `{"path":null,"names":null}`},
		{`{"path":"\ud83d"}`, `"�" <nil> []`, `{"path":"\ud83d"}`},
		{`{"path":"\ud83e\udd80"}`, `"🦀" <nil> []`, `{"path":"\ud83e\udd80"}`},
		{"{\"path\":\"a\xed\xa0\xbdb\x80\"}", `"a�b�" <nil> []`, `{"path":"a�b�"}`},
		{`{"path":"\u0000"}`, `"\x00" <nil> []`, `{"path":"\u0000"}`},
		{`{"path":"a","content":"x`, "ends in the middle", ""},
		{`{"pth":"a"}`, `pth is unknown; did you mean "path"?`, ""},
		{`{"path":1}`, "path must be string, not integer", ""},
		{`"path"`, "the value must be object, not string", ""},
		{`[]`, "the value must be object, not array", ""},
		{`{} {}`, "not valid JSON", ""},
	} {
		for which, x := range map[string]tool.Tool{"typed": typed, "raw": raw} {
			want := map[string]string{"typed": tt.typed, "raw": tt.raw}[which]
			args, err := x.Check(json.RawMessage(tt.args))
			if tt.raw == "" {
				if err == nil || !strings.Contains(err.Error(), tt.typed) {
					t.Errorf("%s %q: %v, want %q", which, tt.args, err, tt.typed)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s %q: %v", which, tt.args, err)
				continue
			}
			if res, err := x.Run(t.Context(), args); err != nil || res.Text() != want {
				t.Errorf("%s %q: %s, %v; want %s", which, tt.args, res.Text(), err, want)
			}
		}
	}
}

// What no log could hold as JSON no tool is called with.
func TestArgumentsThatNestTooDeepAreRefused(t *testing.T) {
	t.Parallel()
	take := tool.Raw(llm.ToolSpec{Name: "take", Input: json.RawMessage(`{"type":"object"}`)}, func(context.Context, json.RawMessage) (tool.Result, error) {
		return tool.Text("ok"), nil
	})
	nested := func(n int) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"a":`, n-1) + "{}" + strings.Repeat("}", n-1))
	}
	if _, err := take.Check(nested(llm.MaxDepth)); err != nil {
		t.Errorf("%d levels: %v", llm.MaxDepth, err)
	}
	if _, err := take.Check(nested(llm.MaxDepth + 1)); err == nil || !strings.Contains(err.Error(), "nest deeper than 1000 levels") {
		t.Errorf("%d levels: %v", llm.MaxDepth+1, err)
	}
}

// An array of a Go type always says what its items are.
func TestArraysHaveItems(t *testing.T) {
	t.Parallel()
	x := tool.New("x", "", func(context.Context, struct {
		Names []string         `json:"names"`
		Rows  []map[string]int `json:"rows"`
		Any   []any            `json:"any"`
	}) (string, error) {
		return "", nil
	})
	if n := strings.Count(string(x.Spec.Input), `"items":`); n != 3 {
		t.Errorf("schema = %s", x.Spec.Input)
	}
}

// What a struct's text fields hold is JSON that any wire takes.
func TestOddBytesInAResultAreValidJSON(t *testing.T) {
	t.Parallel()
	x := tool.New("x", "", func(context.Context, struct{}) (any, error) {
		return map[string]any{"a": "x\xed\xa0\xbd\x80\x00y", "nan": math.NaN(), "b": []byte{0x80, 0}}, nil
	})
	res, err := x.Run(t.Context(), json.RawMessage(`{}`))
	if want := `{"a":"x\ufffd\ufffd\ufffd\ufffd\u0000y","b":"gAA=","nan":null}`; err != nil || res.Text() != want || !json.Valid(res.Data) {
		t.Errorf("result = %s, %v; want %s", res.Text(), err, want)
	}
}
