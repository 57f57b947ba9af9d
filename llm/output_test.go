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

func TestJSONIsFoundInWhatModelsWrite(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":1}`:                            `{"a":1}`,
		" [1, 2] \n":                         `[1, 2]`,
		"```json\n{\"a\":1}\n```":            `{"a":1}`,
		"Here:\n```\n[1]\n```\nDone.":        `[1]`,
		`The answer is {"a":"}{\"" } indeed`: `{"a":"}{\"" }`,
		`{not json} but {"a":[1,{"b":2}]}.`:  `{"a":[1,{"b":2}]}`,
		`text [1] and {"a":1}`:               `[1]`,
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
