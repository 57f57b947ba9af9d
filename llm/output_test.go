package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

func ExampleGenerateAs() {
	type event struct {
		Name string  `json:"name"`
		Year int     `json:"year"`
		Kind string  `json:"kind" enum:"shock,cloud"`
		Peak float64 `json:"peak" jsonschema:"strongest field in nT"`
	}
	model := llmtest.New(
		llmtest.Text(`Sure: {"name":"St Patrick's Day","year":"2015","kind":"storm"}`),
		llmtest.Text(`{"name":"St Patrick's Day","year":2015,"kind":"cloud","peak":32.1}`),
	)
	req := &llm.Request{Messages: []llm.Message{llm.User("Describe the storm of March 2015.")}}
	e, resp, err := llm.GenerateAs[event](context.Background(), model, req, nil)
	fmt.Println(e, resp.Finish, err)
	fmt.Println(model.Requests()[1].Messages[2].Text())
	// Output:
	// {St Patrick's Day 2015 cloud 32.1} stop <nil>
	// That is not the output that was asked for:
	// - peak is required but missing
	// - kind must be one of "shock", "cloud"
	// - year must be integer, not string
	// Answer again with the whole JSON value, corrected, and nothing else.
}

type number struct {
	N int `json:"n"`
}

func TestOutputIsGivenUpAfterTheAttempts(t *testing.T) {
	t.Parallel()
	for _, hide := range []bool{false, true} {
		m := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("n is 5").Using(llm.Usage{Output: 2}) })
		_, resp, err := llm.GenerateAs(t.Context(), m, &llm.Request{Messages: []llm.Message{llm.User("?")}}, &llm.OutputOptions[number]{Attempts: 3, HideText: hide})
		var bad *llm.OutputError
		if !errors.As(err, &bad) || bad.Attempts != 3 || (bad.Text == "n is 5") == hide || resp.Usage.Output != 6 {
			t.Errorf("error = %+v, usage %+v", err, resp.Usage)
		}
		if n := len(m.Requests()); n != 3 {
			t.Errorf("%d requests, want 3", n)
		}
		if schema := m.Requests()[0].Output; schema == nil || schema.Name != "output" {
			t.Errorf("the schema is not sent: %+v", schema)
		}
	}
}

func TestOutputIsValidatedBeyondItsSchema(t *testing.T) {
	t.Parallel()
	m := llmtest.New(llmtest.Text(`{"n":3}`), llmtest.Text(`{"n":0}`), llmtest.Text(`{"n":4}`))
	even := func(v number) error {
		if v.N == 0 {
			panic("zero")
		}
		if v.N%2 != 0 {
			return errors.New("n must be even")
		}
		return nil
	}
	v, _, err := llm.GenerateAs(t.Context(), m, &llm.Request{Messages: []llm.Message{llm.User("?")}}, &llm.OutputOptions[number]{Attempts: 3, Validate: even})
	if err != nil || v.N != 4 {
		t.Errorf("output = %+v, %v", v, err)
	}
	for i, want := range []string{"n must be even", "panicked: zero"} {
		msgs := m.Requests()[i+1].Messages
		if got := msgs[len(msgs)-1].Text(); !strings.Contains(got, want) {
			t.Errorf("correction %d = %q, want %q in it", i, got, want)
		}
	}
}

func TestARefusalIsNotCorrected(t *testing.T) {
	t.Parallel()
	m := llmtest.New(llmtest.Text("I cannot.").Ending(llm.FinishRefusal))
	if _, resp, err := llm.GenerateAs[number](t.Context(), m, &llm.Request{}, nil); !errors.Is(err, llm.ErrRefused) || resp.Text() != "I cannot." {
		t.Errorf("refusal = %v", err)
	}
	if _, _, err := llm.GenerateAs[number](t.Context(), llmtest.New(), &llm.Request{}, nil); err == nil {
		t.Error("a failing model gives output")
	}
	if _, _, err := llm.GenerateAs[int](t.Context(), llmtest.New(), &llm.Request{}, nil); err == nil {
		t.Error("an int has a schema")
	}
}

// With HideText nothing that the model chose is in the error or the correction,
// and the model still learns what to do.
func TestNoTextOfTheModelIsToldWhenItIsHidden(t *testing.T) {
	t.Parallel()
	const secret = "SENTINEL"
	type shape struct {
		N    int             `json:"n"`
		Tags map[string]int  `json:"tags,omitempty"`
		When timeOf          `json:"when,omitempty"`
		Unit string          `json:"unit,omitempty" enum:"km,mile"`
		Raw  json.RawMessage `json:"raw,omitempty"`
	}
	for text, want := range map[string]string{
		secret:                                  "no valid JSON",
		`{"` + secret + `":1,"n":1}`:            "* is unknown; known are n, raw, tags, unit, when",
		`{"n":"` + secret + `"}`:                "n must be integer, not string",
		`{"n":1,"tags":{"` + secret + `":"x"}}`: "tags.* must be integer, not string",
		`{"n":1,"unit":"` + secret + `"}`:       `unit must be one of "km", "mile"`,
		`{"n":1,"when":"` + secret + `"}`:       "a value is not of its type",
		`{"n":1e30,"raw":"` + secret + `"}`:     "n does not fit into int",
		"```\n{\"n\":\"" + secret + "\"}\n```":  "n must be integer",
	} {
		m := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text(text) })
		_, _, err := llm.GenerateAs(t.Context(), m, &llm.Request{}, &llm.OutputOptions[shape]{HideText: true})
		correction := m.Requests()[1].Messages[1].Text()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(correction, want) || strings.Contains(fmt.Sprintf("%+v %s %#v", err, correction, err), secret) {
			t.Errorf("%s: %v\n%s", text, err, correction)
		}
	}
	type p = llm.Provenanced[map[string]int]
	m := llmtest.Func(func(*llm.Request) llmtest.Turn {
		return llmtest.Text(`{"output":{"` + secret + `":1,"b` + secret + `":1},"provenance":[` + entry(secret, "HIGH") + `,` + entry(secret+"2", "LOW") + `,` + entry(secret, "LOW") + `]}`)
	})
	_, _, err := llm.GenerateAs(t.Context(), m, &llm.Request{}, &llm.OutputOptions[p]{HideText: true})
	if err == nil || strings.Contains(err.Error(), secret) || strings.Count(err.Error(), "a field of output") != 2 || !strings.Contains(err.Error(), "provenance[1].field is none of output") {
		t.Errorf("error = %v", err)
	}
	m = llmtest.Func(func(*llm.Request) llmtest.Turn {
		return llmtest.Text(`{"output":{"` + secret + `":1},"provenance":[` + entry(secret, "HIGH") + `]}`)
	})
	if _, _, err := llm.GenerateAs(t.Context(), m, &llm.Request{}, &llm.OutputOptions[p]{HideText: true}); err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "at least one source") {
		t.Errorf("error = %v", err)
	}
}

// timeOf decodes itself, and repeats what it cannot decode.
type timeOf string

func (t *timeOf) UnmarshalText(text []byte) error {
	if string(text) == "panic" {
		panic("boom")
	}
	return fmt.Errorf("%s is no time", text)
}

func TestATypeThatCannotDecodeItsValueIsCorrected(t *testing.T) {
	t.Parallel()
	type shape struct {
		When timeOf `json:"when"`
	}
	out, err := llm.NewOutput[shape](nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{`{"when":"noon"}`: "noon is no time", `{"when":"panic"}`: "decoding it panicked: boom"} {
		if _, err := out.Decode(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// What goes back to the model is a conversation that a provider takes, whatever
// the answer was.
func TestCorrectionsKeepTheConversationValid(t *testing.T) {
	t.Parallel()
	m := llmtest.New(
		llmtest.Call("look", `{}`).And("look", `{}`),
		llmtest.Parts(),
		llmtest.Text(`{"n":7}`),
	)
	req := &llm.Request{Messages: []llm.Message{llm.User("?")}, Tools: []llm.ToolSpec{{Name: "look"}}}
	v, _, err := llm.GenerateAs(t.Context(), m, req, &llm.OutputOptions[number]{Attempts: 3})
	if err != nil || v.N != 7 || len(req.Messages) != 1 {
		t.Fatalf("output = %+v, %v; %d messages", v, err, len(req.Messages))
	}
	for i, r := range m.Requests() {
		if err := errors.Join(llm.CheckConversation(r.Messages), r.Validate()); err != nil {
			t.Errorf("request %d: %v", i, err)
		}
		for _, msg := range r.Messages {
			if len(msg.Parts) == 0 {
				t.Errorf("request %d has an empty message", i)
			}
		}
	}
	last := m.Requests()[2].Messages
	if len(last) != 5 || !strings.Contains(last[3].Text(), "no tool can be called here") || !strings.Contains(last[4].Text(), "there is no output") {
		t.Errorf("the last conversation is %v", last)
	}
}

func TestAnOutputCanBeHadAsJSON(t *testing.T) {
	t.Parallel()
	out, err := llm.NewOutput[number](nil)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := out.JSON(`As in [1], {"n": 7}.`); err != nil || string(data) != `{"n": 7}` {
		t.Errorf("output = %s, %v", data, err)
	}
	if data, err := out.JSON(`{"n":"7"}`); err == nil || data != nil {
		t.Errorf("output = %s, %v", data, err)
	}
}

func TestAnAnswerThatWasCutIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	m := llmtest.New(llmtest.Text(`{"n":`).Ending(llm.FinishLength), llmtest.Text(`{"n":7}`))
	_, resp, err := llm.GenerateAs[number](t.Context(), m, &llm.Request{}, nil)
	var bad *llm.OutputError
	if !errors.As(err, &bad) || bad.Text != `{"n":` || !strings.Contains(err.Error(), "MaxTokens") || resp.Finish != llm.FinishLength || m.Left() != 1 {
		t.Errorf("error = %v, %d turns left", err, m.Left())
	}
	whole := llmtest.New(llmtest.Text(`{"n":7} and then some`).Ending(llm.FinishLength))
	if v, _, err := llm.GenerateAs[number](t.Context(), whole, &llm.Request{}, nil); err != nil || v.N != 7 {
		t.Errorf("an answer that is whole: %+v, %v", v, err)
	}
}

func TestTenThousandProblemsAreToldBriefly(t *testing.T) {
	t.Parallel()
	type items struct {
		N []int `json:"n"`
	}
	out, err := llm.NewOutput[items](nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = out.Decode(`{"n":["x"` + strings.Repeat(`,"x"`, 9999) + `]}`)
	var bad *llm.OutputError
	if !errors.As(err, &bad) || len(bad.Problems) != 10_000 || len(bad.Correction()) > 10_000 || !strings.Contains(err.Error(), "and 9900 more") {
		t.Errorf("%d problems are told in %d bytes", len(bad.Problems), len(bad.Correction()))
	}
}

func TestJSONIsFoundInWhatModelsWrite(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":1}`:                            `{"a":1}`,
		" [1, 2] \n":                         `[1, 2]`,
		"```json\n{\"a\":1}\n```":            `{"a":1}`,
		"Here:\n```\n[1]\n```\nDone.":        `[1]`,
		`The answer is {"a":"}{\"" } indeed`: `{"a":"}{\"" }`,
		`{not json} but {"a":[1,{"b":2}]}.`:  `{"a":[1,{"b":2}]}`,
		`text [1] and {"a":1}`:               `{"a":1}`,
		`all: [{"a":1},{"a":2}] above`:       `[{"a":1},{"a":2}]`,
		`3`:                                  `3`,
		``:                                   "",
		`{"a":1`:                             "",
		"no json at all":                     "",
	} {
		got, err := llm.ExtractJSON(in)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}

func FuzzExtractJSON(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, "```json\n[1]\n```", `x {"a":"\"}"} y`, `[[[[`, `{"a":}`, "```"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := llm.ExtractJSON(text)
		if err == nil && !json.Valid(got) {
			t.Errorf("%q: %q is not JSON", text, got)
		}
	})
}
