package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// OutputOptions say how an answer of type T is asked for. Nil and the zero value
// are the defaults.
type OutputOptions[T any] struct {
	// Name of the schema, for providers that want one; "" is "output".
	Name string
	// Attempts is how many answers the model may give, by default 2: one and a
	// corrected one.
	Attempts int
	// Validate is the submit validator: it checks what the schema cannot say, once
	// the answer has the right shape. The text of its error goes to the model, so
	// it should say what to do better. A panic counts as an error.
	Validate func(T) error
	// Provenance checks each entry of a [Provenanced] answer; nil is
	// [WithSources]. It is an error with any other T.
	Provenance ProvenanceRule
	// HideText keeps the model's text out of errors and corrections: neither what
	// it wrote nor the names that it invented, only those of the schema.
	HideText bool
}

// An OutputError says that the model has not given an answer of the wanted shape,
// be it that there is no JSON, that it does not fit the schema, or that a
// validator refused it.
type OutputError struct {
	Problems []string // what is wrong with the last answer, all of it
	Text     string   // the last answer; empty with HideText
	Attempts int
}

// Error lists the problems; the text is in the field.
func (e *OutputError) Error() string {
	return fmt.Sprintf("no valid output in %s: %s", plural(e.Attempts, "attempt"), joinProblems(e.Problems))
}

// Correction is what to tell the model: the problems, one a line, and never the
// text itself.
func (e *OutputError) Correction() string {
	var b strings.Builder
	b.WriteString("That is not the output that was asked for:\n")
	for _, p := range capped(e.Problems) {
		b.WriteString("- " + p + "\n")
	}
	b.WriteString("Answer again with the whole JSON value, corrected, and nothing else.")
	return b.String()
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// GenerateAs asks for an answer of type T, a struct or a map, whose schema it
// sends along (see [SchemaFor]). An answer that does not fit is sent back with
// what is wrong, up to the attempts; then the error is an [*OutputError]. The
// response is that of the last attempt, its usage that of all.
//
// It runs no tools: a call is answered with an error and counts as an attempt.
// An answer that was cut at the output limit is not asked for again, as it would
// be cut again.
func GenerateAs[T any](ctx context.Context, m Model, req *Request, opts *OutputOptions[T]) (T, *Response, error) {
	var zero T
	out, err := NewOutput(opts)
	if err != nil {
		return zero, &Response{}, err
	}
	asked := *req
	asked.Output = out.Schema
	var usage Usage
	for attempt := 1; ; attempt++ {
		resp, err := Generate(ctx, m, &asked)
		usage = usage.Add(resp.Usage)
		resp.Usage = usage
		if err != nil {
			return zero, resp, err
		}
		if resp.Finish == FinishRefusal || resp.Finish == FinishContentFilter {
			return zero, resp, &Error{Kind: KindRefused, Provider: m.Name(), Err: errors.New(string(resp.Finish))}
		}
		calls := resp.Message.Calls()
		var bad *OutputError
		if len(calls) > 0 {
			bad = out.bad(resp.Text(), "no tool can be called here")
		} else if v, err := out.Decode(resp.Text()); !errors.As(err, &bad) {
			return v, resp, err
		}
		if resp.Finish == FinishLength {
			bad.Problems = append(bad.Problems, "it was cut at the output limit; allow more with Options.MaxTokens")
		}
		if bad.Attempts = attempt; attempt >= out.Attempts || resp.Finish == FinishLength {
			return zero, resp, bad
		}
		n := len(asked.Messages)
		asked.Messages = append(asked.Messages[:n:n], correct(resp.Message, calls, bad)...)
	}
}

// correct is what the conversation goes on with after a bad answer. A message
// without parts is left out, since no provider takes one back.
func correct(answer Message, calls []*ToolCall, bad *OutputError) []Message {
	var more []Message
	if len(answer.Parts) > 0 {
		more = append(more, answer)
	}
	if len(calls) > 0 {
		results := Message{Role: RoleTool}
		for _, c := range calls {
			results.Parts = append(results.Parts, Part{Kind: PartResult, Result: &ToolResult{
				ID: c.ID, Name: c.Name, IsError: true, Parts: []Part{Text("not run: no tool can be called here")},
			}})
		}
		more = append(more, results)
	}
	return append(more, Message{Role: RoleUser, Origin: "correction", Parts: []Part{Text(bad.Correction())}})
}

// An Output decodes answers of type T. It is safe for concurrent use if the
// validators are.
type Output[T any] struct {
	Schema   *Schema
	Attempts int // at least 1

	opts OutputOptions[T]
}

// NewOutput infers the schema of T and applies the defaults.
func NewOutput[T any](opts *OutputOptions[T]) (*Output[T], error) {
	o := &Output[T]{Attempts: 2}
	if opts != nil {
		o.opts = *opts
	}
	if o.opts.Attempts > 0 {
		o.Attempts = o.opts.Attempts
	}
	name := o.opts.Name
	if name == "" {
		name = "output"
	}
	if _, ok := any(new(T)).(provenanced); ok == (o.opts.Provenance == nil) {
		if !ok {
			return nil, errors.New("a provenance rule is for outputs of type llm.Provenanced")
		}
		o.opts.Provenance = WithSources
	}
	var err error
	o.Schema, err = SchemaFor[T](name)
	return o, err
}

// Decode finds the JSON value in a text, checks it and decodes it: the schema,
// then for a [Provenanced] answer that each field has its entry and what the rule
// says of each, then the submit validator. An error is an [*OutputError] with the
// problems for the model to correct. Nothing else decodes outputs, so no check
// can be missed.
func (o *Output[T]) Decode(text string) (T, error) {
	var zero T
	data, err := ExtractJSON(text)
	if err != nil {
		return zero, o.bad(text, err.Error())
	}
	if Deeper(data, MaxDepth) {
		return zero, o.bad(text, fmt.Sprintf("it nests deeper than %d levels", MaxDepth))
	}
	var wrong *SchemaError
	if err := o.Schema.validate(data, o.opts.HideText); errors.As(err, &wrong) {
		return zero, o.bad(text, wrong.Problems...)
	}
	v, err := decodeAs[T](data)
	if err != nil {
		return zero, o.bad(text, decodeProblem(err, o.opts.HideText))
	}
	if p, ok := any(&v).(provenanced); ok {
		problems := structure(o.Schema, data, p.entries(), o.opts.HideText)
		if len(problems) == 0 {
			problems = o.applyRule(p.entries())
		}
		if len(problems) > 0 {
			return zero, o.bad(text, problems...)
		}
	}
	if o.opts.Validate != nil {
		if err := o.guard("submit validator", func() error { return o.opts.Validate(v) }); err != nil {
			return zero, o.bad(text, err.Error())
		}
	}
	return v, nil
}

// JSON is Decode for who wants the value as JSON: what Decode has found in the text.
func (o *Output[T]) JSON(text string) (json.RawMessage, error) {
	if _, err := o.Decode(text); err != nil {
		return nil, err
	}
	return ExtractJSON(text)
}

func (o *Output[T]) bad(text string, problems ...string) *OutputError {
	e := &OutputError{Problems: problems, Text: text, Attempts: 1}
	if o.opts.HideText {
		e.Text = ""
	}
	return e
}

// guard calls a validator. What it panics with, or an error without a text, is
// worded for the model.
func (o *Output[T]) guard(what string, check func() error) (err error) {
	defer func() {
		p := recover()
		switch {
		case p != nil && o.opts.HideText:
			err = fmt.Errorf("%s panicked", what)
		case p != nil:
			err = fmt.Errorf("%s panicked: %v", what, p)
		case err != nil && strings.TrimSpace(err.Error()) == "":
			err = fmt.Errorf("the %s refuses it", what)
		}
	}()
	if err = check(); err != nil {
		_ = err.Error() // which panics for a nil pointer in an error
	}
	return err
}

// decodeAs decodes what the schema has admitted. A type's own UnmarshalJSON may
// refuse it still, or panic.
func decodeAs[T any](data json.RawMessage) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("decoding it panicked: %v", p)
		}
	}()
	return v, json.Unmarshal(data, &v)
}

func decodeProblem(err error, hide bool) string {
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mismatch):
		at := mismatch.Field
		if at == "" {
			at = "the value"
		}
		return fmt.Sprintf("%s does not fit into %v", at, mismatch.Type)
	case hide:
		return "a value is not of its type"
	}
	return err.Error()
}
