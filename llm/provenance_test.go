package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

type flare struct {
	Class string `json:"class"`
	Year  int    `json:"year"`
	Note  string `json:"note,omitempty"`
}

// An answer whose fields tell where they come from.
func ExampleProvenanced() {
	model := llmtest.New(
		llmtest.Text(`{"output":{"class":"X45","year":2003},"provenance":[
			{"field":"class","sources":[{"url":"doi:10.1029/2004GL020802","excerpts":["a peak of X45"]}],"reasoning":"stated","confidence":"high"},
			{"field":"year","sources":[],"reasoning":"known","confidence":"MEDIUM"}]}`),
		llmtest.Text(`{"output":{"class":"X45","year":2003},"provenance":[
			{"field":"class","sources":[{"url":"doi:10.1029/2004GL020802","excerpts":["a peak of X45"]}],"reasoning":"stated","confidence":"high"},
			{"field":"year","sources":[],"reasoning":"known","confidence":"LOW"}]}`),
	)
	req := &llm.Request{Messages: []llm.Message{llm.User("How strong was the flare of 4 November 2003?")}}
	p, _, err := llm.GenerateAs[llm.Provenanced[flare]](context.Background(), model, req, nil)
	class, _ := p.Field("class")
	fmt.Println(p.Output.Class, class.Confidence, class.Sources[0].URL, err)
	fmt.Println(model.Requests()[1].Messages[2].Text())
	// Output:
	// X45 HIGH doi:10.1029/2004GL020802 <nil>
	// That is not the output that was asked for:
	// - provenance[1]: the confidence in "year" is MEDIUM, which needs at least one source; name it or say LOW
	// Answer again with the whole JSON value, corrected, and nothing else.
}

// A rule of one's own is added to the usual one.
func ExampleProvenanceRule_And() {
	short, err := llm.ExcerptLimit(10)
	if err != nil {
		fmt.Println(err)
		return
	}
	rule := llm.ProvenanceRule(llm.WithSources).And(short)
	fmt.Println(rule(llm.FieldProvenance{Field: "year", Confidence: llm.ConfidenceHigh}))
	fmt.Println(rule(llm.FieldProvenance{Field: "year", Confidence: llm.ConfidenceHigh, Sources: []llm.Source{{URL: "doi:1", Excerpts: []string{"in the year 2003"}}}}))
	_, err = llm.ExcerptLimit(0)
	fmt.Println(err)
	// Output:
	// the confidence in "year" is HIGH, which needs at least one source; name it or say LOW
	// excerpt 1 of source 1 of "year" has 16 bytes; quote at most 10
	// an excerpt limit of 0 bytes; it is at least 1
}

func TestSchemaOfAProvenancedType(t *testing.T) {
	t.Parallel()
	s, err := llm.SchemaFor[llm.Provenanced[flare]]("p")
	if err != nil {
		t.Fatal(err)
	}
	source := `{"type":"object","properties":{"title":{"type":"string"},"url":{"type":"string","description":"where it is, with any scheme"},` +
		`"excerpts":{"type":"array","items":{"type":"string"},"description":"the passages, word by word"}},"required":["url","excerpts"],"additionalProperties":false}`
	entry := `{"type":"object","properties":{"field":{"type":"string","description":"name of the field of output","enum":["class","year","note"]},` +
		`"sources":{"type":"array","items":` + source + `,"description":"what the value was taken from; may be empty with confidence LOW only"},` +
		`"reasoning":{"type":"string","description":"how the value follows from the sources"},` +
		`"confidence":{"type":"string","enum":["LOW","MEDIUM","HIGH"]}},"required":["field","sources","reasoning","confidence"],"additionalProperties":false}`
	want := `{"type":"object","properties":{"output":{"type":"object","properties":{"class":{"type":"string"},"year":{"type":"integer"},"note":{"type":"string"}},` +
		`"required":["class","year"],"additionalProperties":false},` +
		`"provenance":{"type":"array","items":` + entry + `,"description":"exactly one entry for each top-level field of output"}},` +
		`"required":["output","provenance"],"additionalProperties":false}`
	if string(s.JSON) != want {
		t.Errorf("schema:\n%s\nwant:\n%s", s.JSON, want)
	}
	if _, err := llm.SchemaFor[llm.Provenanced[chan int]]("p"); err == nil {
		t.Error("a channel has a schema")
	}
}

func provenance(output string, entries ...string) string {
	return `{"output":` + output + `,"provenance":[` + strings.Join(entries, ",") + `]}`
}

func entry(field, confidence string, urls ...string) string {
	sources := []llm.Source{}
	for _, u := range urls {
		sources = append(sources, llm.Source{URL: u, Excerpts: []string{}})
	}
	data, err := json.Marshal(map[string]any{"field": field, "confidence": confidence, "sources": sources, "reasoning": "because"})
	if err != nil {
		panic(err)
	}
	return string(data)
}

func TestEveryFieldHasExactlyOneEntry(t *testing.T) {
	t.Parallel()
	out, err := llm.NewOutput[llm.Provenanced[flare]](nil)
	if err != nil {
		t.Fatal(err)
	}
	const both = `{"class":"X","year":1}`
	class, year := entry("class", "HIGH", "doi:1"), entry("year", "LOW")
	for _, tt := range []struct {
		text string
		want []string
	}{
		{provenance(both, class, year), nil},
		{provenance(both, year, entry("class", " medium ", "any:thing")), nil},
		{provenance(both, class, year, entry("note", "low")), nil}, // says why it is left out
		{provenance(`{"class":"X","year":1,"note":null}`, class, year), nil},
		{provenance(both, class), []string{`"year" has no entry in provenance`}},
		{provenance(both), []string{`"class" has no entry in provenance`, `"year" has no entry in provenance`}},
		{provenance(`{"class":"X","year":1,"note":"n"}`, class, year), []string{`"note" has no entry in provenance`}},
		{provenance(both, class, year, class), []string{`provenance[2] is the second entry for "class"; give one`}},
		{provenance(both, class, entry("yeer", "LOW")), []string{`provenance[1].field must be one of "class", "year", "note"; did you mean "year"?`}},
		{provenance(both, class, entry("year", "certain")), []string{`provenance[1].confidence must be one of "LOW", "MEDIUM", "HIGH"`}},
		{provenance(both, class, entry("year", "LOW", " ")), []string{"provenance[1].sources[0].url is blank"}},
		{provenance(both, class, strings.Replace(year, "because", " ", 1)), []string{"provenance[1].reasoning is blank"}},
		{provenance(both, entry("class", "HIGH"), entry("year", "medium")), []string{
			`provenance[0]: the confidence in "class" is HIGH, which needs at least one source; name it or say LOW`,
			`provenance[1]: the confidence in "year" is MEDIUM, which needs at least one source; name it or say LOW`,
		}},
		{`{"output":{"class":"X","year":1}}`, []string{"provenance is required but missing"}},
		{`{"provenance":[]}`, []string{"output is required but missing"}},
	} {
		_, err := out.Decode(tt.text)
		var got []string
		if bad, ok := errors.AsType[*llm.OutputError](err); ok {
			got = bad.Problems
		}
		if !slices.Equal(got, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%s:\n%q\nwant %q", tt.text, got, tt.want)
		}
	}
}

// The fields of a map are those that the answer has.
func TestProvenanceOfAMap(t *testing.T) {
	t.Parallel()
	out, err := llm.NewOutput[llm.Provenanced[map[string]float64]](nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := out.Decode(provenance(`{"b":1,"a":2}`, entry("a", "LOW"), entry("b", "HIGH", "doi:1")))
	if b, ok := p.Field("b"); err != nil || !ok || b.Confidence != llm.ConfidenceHigh || len(p.ByField()) != 2 {
		t.Errorf("output = %+v, %v", p, err)
	}
	if _, ok := p.Field("c"); ok {
		t.Error("a field that is not there has an entry")
	}
	_, err = out.Decode(provenance(`{"b":1,"a":2}`, entry("c", "LOW")))
	want := `no valid output in 1 attempt: provenance[0].field is "c", which is no field of output; "a" has no entry in provenance; "b" has no entry in provenance`
	if err == nil || err.Error() != want {
		t.Errorf("error = %v\nwant %s", err, want)
	}
}

func TestConfidenceIsReadWhateverItsCase(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]llm.Confidence{"LOW": llm.ConfidenceLow, " high\n": llm.ConfidenceHigh, "Medium": llm.ConfidenceMedium, "": "", "sure": ""} {
		var c llm.Confidence
		if err := c.UnmarshalText([]byte(in)); c != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v", in, c, err)
		}
	}
	type finding struct {
		Sure  llm.Confidence   `json:"sure"`
		Maybe *llm.Confidence  `json:"maybe"`
		All   []llm.Confidence `json:"all,omitempty"`
	}
	s, err := llm.SchemaFor[finding]("f")
	if err != nil {
		t.Fatal(err)
	}
	for in, ok := range map[string]bool{
		`{"sure":"low","maybe":null}`: true, `{"sure":"LOW","maybe":"high","all":["medium","LOW"]}`: true,
		`{"sure":"x","maybe":null}`: false, `{"sure":"low","maybe":"x"}`: false, `{"sure":"low","maybe":null,"all":["x"]}`: false,
	} {
		if err := s.Validate(json.RawMessage(in)); (err == nil) != ok {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// The default rule, one's own rules and the submit validator hold in the one place
// that decodes, in this order, and a panic of any is a problem like another.
func TestRulesAndTheSubmitValidatorHold(t *testing.T) {
	t.Parallel()
	good := provenance(`{"class":"X","year":1}`, entry("class", "HIGH", "doi:1"), entry("year", "LOW"))
	bad := provenance(`{"class":"X","year":1}`, entry("class", "HIGH"), entry("year", "LOW"))
	type options = llm.OutputOptions[llm.Provenanced[flare]]
	for name, tt := range map[string]struct {
		opts options
		text string
		want string
	}{
		"defaults":              {options{}, good, ""},
		"default rule":          {options{}, bad, "needs at least one source"},
		"other rule":            {options{Provenance: func(llm.FieldProvenance) error { return nil }}, bad, ""},
		"rule that panics":      {options{Provenance: func(llm.FieldProvenance) error { panic("boom") }}, good, "provenance[0]: provenance rule panicked: boom"},
		"rule without a word":   {options{Provenance: func(llm.FieldProvenance) error { return errors.New(" ") }}, good, "the provenance rule refuses it"},
		"validator":             {options{Validate: func(llm.Provenanced[flare]) error { return errors.New("say it better") }}, good, "say it better"},
		"validator that panics": {options{Validate: func(llm.Provenanced[flare]) error { panic("boom") }}, good, "submit validator panicked: boom"},
		"rule before validator": {options{Validate: func(llm.Provenanced[flare]) error { panic("not reached") }}, bad, "needs at least one source"},
		"panic, hidden":         {options{HideText: true, Validate: func(llm.Provenanced[flare]) error { panic("SENTINEL") }}, good, "submit validator panicked"},
	} {
		m := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text(tt.text) })
		_, _, err := llm.GenerateAs(t.Context(), m, &llm.Request{Messages: []llm.Message{llm.User("?")}}, &tt.opts)
		if (err == nil) != (tt.want == "") || err != nil && (!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "SENTINEL")) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if n := len(m.Requests()); err != nil && n != 2 {
			t.Errorf("%s: %d requests, want 2", name, n)
		}
	}
	if _, err := llm.NewOutput(&llm.OutputOptions[flare]{Provenance: llm.WithSources}); err == nil || !strings.Contains(err.Error(), "Provenanced") {
		t.Errorf("a rule for an output without provenance: %v", err)
	}
}

// Whatever a model writes is decoded, or refused with problems that do not repeat it.
func FuzzDecode(f *testing.F) {
	out, err := llm.NewOutput(&llm.OutputOptions[llm.Provenanced[map[string]any]]{HideText: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(provenance(`{"a":1}`, entry("a", "high", "doi:1")))
	f.Add("```json\n" + provenance(`{"a":1}`, entry("b", "LOW"), entry("b", "LOW")) + "\n```")
	f.Add(`{"output":null,"provenance":null}`)
	f.Add(`[1] {"output":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := out.Decode(text)
		var bad *llm.OutputError
		switch {
		case err == nil:
			for field := range p.Output {
				if _, ok := p.Field(field); !ok && p.Output[field] != nil {
					t.Errorf("%q passes without an entry for %q", text, field)
				}
			}
		case !errors.As(err, &bad) || len(bad.Problems) == 0 || bad.Text != "":
			t.Errorf("%q: %v", text, err)
		case len(text) > 40 && strings.Contains(bad.Correction(), text):
			t.Errorf("the correction repeats %q", text)
		}
	})
}
