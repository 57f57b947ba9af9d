package code_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/code"
)

type flare struct {
	Class string `json:"class"`
	Year  int    `json:"year" jsonschema:"UTC"`
	Note  string `json:"note,omitempty"`
}

func submitOf[T any](tb testing.TB, opts *llm.OutputOptions[T]) *code.Submit {
	tb.Helper()
	s, err := code.SubmitOf(opts)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestSubmitSaysAllThatIsWrongAndAcceptsOnce(t *testing.T) {
	t.Parallel()
	c := open(t, &code.Options{Submit: submitOf[flare](t, nil)})
	ctx := in(t.Context(), "a")
	text, r := run(ctx, t, c, `try submit {"output":{"class":7}}`)
	wantHas(t, "an output that does not fit", text, "caught: Submit validation failed:\n  - ", "class", "year", "\nRequired fields: [class, year]\nFix the output value and call submit again.")
	wantEqual(t, "submitted", string(r.Submitted), "")
	text, _ = run(ctx, t, c, `try submit {}`)
	wantHas(t, "none", text, "there is no output")
	if _, ok := c.Submitted("a"); ok {
		t.Error("something was submitted")
	}
	text, r = run(ctx, t, c, `call submit {"output":{"class":"X45","year":2003}}`)
	wantText(t, "one that fits", text, "{\"status\":\"accepted\"}\n[submitted: {\"class\":\"X45\",\"year\":2003}]")
	wantText(t, "in the report", string(r.Submitted), `{"class":"X45","year":2003}`)
	text, r = run(ctx, t, c, `try submit {"output":{"class":"X1","year":2003}}`)
	wantHas(t, "a second one", text, "caught: submit has already been called")
	wantText(t, "in its report", string(r.Submitted), `{"class":"X45","year":2003}`)
	output, ok := c.Submitted("a")
	wantEqual(t, "ok", ok, true)
	wantText(t, "submitted", string(output), `{"class":"X45","year":2003}`)
	if _, ok := c.Submitted("b"); ok {
		t.Error("another session has submitted")
	}
}

func TestALaterRunOfASessionSubmitsForItself(t *testing.T) {
	t.Parallel()
	c := open(t, &code.Options{Submit: &code.Submit{}})
	run(at(t.Context(), tool.Call{Session: "a", Run: "1", Turn: 1}), t, c, `call submit {"output":1}`)
	text, r := run(at(t.Context(), tool.Call{Session: "a", Run: "2", Turn: 1}), t, c, `call submit {"output":1}`)
	wantHas(t, "the second run", text, "[submitted: 1]")
	wantText(t, "in the report", string(r.Submitted), "1")
}

func TestAnyOutputFitsWithoutASchema(t *testing.T) {
	t.Parallel()
	c := open(t, &code.Options{Submit: &code.Submit{}})
	text, _ := run(in(t.Context(), "a"), t, c, `call submit {"output":null}`)
	wantHas(t, "null", text, "[submitted: null]")
}

func TestTheSubmitValidatorHasTheLastWord(t *testing.T) {
	t.Parallel()
	typed := submitOf(t, &llm.OutputOptions[flare]{Validate: func(f flare) error {
		switch f.Year {
		case 1:
			return errors.New("the year is before the Sun was watched; give one from 1859 on")
		case 2:
			panic("ouch")
		}
		return nil
	}})
	raw := &code.Submit{Validate: func(output json.RawMessage) error {
		switch string(output) {
		case "1":
			return errors.Join(errors.New("too small"), errors.New("too odd"))
		case "2":
			panic("ouch")
		case "3":
			return errors.New("")
		}
		return nil
	}}
	for _, test := range []struct {
		submit *code.Submit
		output string
		want   string
	}{
		{typed, `{"class":"X","year":1}`, "  - the year is before the Sun was watched; give one from 1859 on\nRequired fields: [class, year]\nFix"},
		{typed, `{"class":"X","year":2}`, "  - submit validator panicked: ouch\n"},
		{raw, `1`, "  - too small\n  - too odd\nFix"},
		{raw, `2`, "  - the submit validator panicked: ouch\n"},
		{raw, `3`, "  - the submit validator refuses it\n"},
	} {
		c := open(t, &code.Options{Submit: test.submit})
		text, _ := run(in(t.Context(), "a"), t, c, `try submit {"output":`+test.output+`}`)
		wantHas(t, test.output, text, "caught: Submit validation failed:\n"+test.want)
	}
}

func TestAnEnvelopeSaysWhereEachFieldComesFrom(t *testing.T) {
	t.Parallel()
	c := open(t, &code.Options{Submit: submitOf[llm.Provenanced[flare]](t, nil)})
	ctx := in(t.Context(), "a")
	const output = `{"output":{"output":{"class":"X45","year":2003},"provenance":[`
	const class = `{"field":"class","sources":[{"url":"doi:1","excerpts":["X45"]}],"reasoning":"stated","confidence":"HIGH"}`
	const year = `{"field":"year","sources":[],"reasoning":"known","confidence":"LOW"}`
	for _, test := range []struct{ entries, want string }{
		{class, `"year" has no entry in provenance`},
		{class + "," + class + "," + year, `second entry for "class"`},
		{class + "," + year + `,{"field":"colour","sources":[],"reasoning":"x","confidence":"LOW"}`, `provenance[2].field must be one of`},
		{class + `,{"field":"year","sources":[],"reasoning":"known","confidence":"HIGH"}`, "provenance[1]"},
	} {
		text, _ := run(ctx, t, c, "try submit "+output+test.entries+"]}}")
		wantHas(t, test.want, text, "caught: Submit validation failed:\n  - ", test.want)
	}
	text, _ := run(ctx, t, c, "call submit "+output+class+","+year+"]}}")
	wantHas(t, "a whole envelope", text, "[submitted: ")
}

func TestManyProblemsAreCut(t *testing.T) {
	t.Parallel()
	c := open(t, &code.Options{Submit: &code.Submit{Validate: func(json.RawMessage) error {
		return errors.New(strings.Repeat("wrong\n", 80))
	}}})
	text, _ := run(in(t.Context(), "a"), t, c, `try submit {"output":1}`)
	wantEqual(t, "problems", strings.Count(text, "  - wrong"), 50)
	wantHas(t, "the rest", text, "  - and 30 more\n")
}

func TestTheSubmitToolIsFinal(t *testing.T) {
	t.Parallel()
	c := open(t, &code.Options{Submit: submitOf[flare](t, nil)})
	submit := c.Submit()
	wantEqual(t, "final", submit.IsFinal, true)
	wantEqual(t, "kind", submit.Kind, tool.KindControl)
	_, err := submit.Check([]byte(`{"output":{"class":"X"}}`))
	wantError(t, "an output that does not fit", err, "year")
	res, err := submit.Run(in(t.Context(), "a"), []byte(`{"output":{"class":"X45","year":2003}}`))
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, "text", res.Text(), `{"class":"X45","year":2003}`)
	wantText(t, "data", string(res.Data), `{"class":"X45","year":2003}`)
	_, err = submit.Run(in(t.Context(), "a"), []byte(`{"output":{"class":"X45","year":2003}}`))
	wantError(t, "a second one", err, "already been called")
	wantError(t, "without the option", open(t, nil).Submit().Err(), "no function")

	// A schema with references within itself is checked by submit alone.
	schema, err := llm.ParseSchema("tree", []byte(`{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","required":["v"],"properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/node"}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	submit = open(t, &code.Options{Submit: &code.Submit{Schema: schema}}).Submit()
	args, err := submit.Check([]byte(`{"output":{"v":1,"next":{"w":2}}}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = submit.Run(in(t.Context(), "a"), args)
	wantError(t, "a tree", err, "Submit validation failed", "v")
}
