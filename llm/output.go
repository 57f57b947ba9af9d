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
	// Validate checks what the schema cannot say. Its error goes to the model. A
	// panic counts as an error.
	Validate func(T) error
	// HideText keeps the model's text out of errors.
	HideText bool
}

// An OutputError says that the model has not given an answer of the wanted shape.
type OutputError struct {
	Problems []string // what is wrong with the last answer
	Text     string   // the last answer; empty with HideText
	Attempts int
}

// Error lists the problems; the text is in the field.
func (e *OutputError) Error() string {
	return fmt.Sprintf("no valid output in %d attempts: %s", e.Attempts, strings.Join(e.Problems, "; "))
}

// Correction is what to tell the model: the problems, one a line, and never the
// text itself.
func (e *OutputError) Correction() string {
	var b strings.Builder
	b.WriteString("That is not the output that was asked for:\n")
	for _, p := range e.Problems {
		b.WriteString("- " + p + "\n")
	}
	b.WriteString("Answer again with the whole JSON value, corrected, and nothing else.")
	return b.String()
}

// GenerateAs asks for an answer of type T, a struct or a map, whose schema it
// sends along (see [SchemaFor]). An answer that does not fit is sent back with
// what is wrong, up to the attempts; then the error is an [*OutputError]. The
// response is that of the last attempt, its usage that of all.
func GenerateAs[T any](ctx context.Context, m Model, req *Request, opts *OutputOptions[T]) (T, *Response, error) {
	var zero T
	if opts == nil {
		opts = &OutputOptions[T]{}
	}
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
		v, err := out.Decode(resp.Text())
		var bad *OutputError
		if !errors.As(err, &bad) {
			return v, resp, err
		}
		if bad.Attempts = attempt; attempt >= out.Attempts {
			return zero, resp, bad
		}
		n := len(asked.Messages)
		asked.Messages = append(asked.Messages[:n:n], resp.Message, Message{
			Role: RoleUser, Origin: "correction", Parts: []Part{Text(bad.Correction())},
		})
	}
}

// An Output decodes answers of type T. It is safe for concurrent use if Validate
// is.
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
	var err error
	o.Schema, err = SchemaFor[T](name)
	return o, err
}

// Decode finds the JSON value in a text, checks it and decodes it. An error is an
// [*OutputError] with the problems for the model to correct.
func (o *Output[T]) Decode(text string) (T, error) {
	var v, zero T
	fail := func(problems ...string) (T, error) {
		e := &OutputError{Problems: problems, Text: text, Attempts: 1}
		if o.opts.HideText {
			e.Text = ""
		}
		return zero, e
	}
	data, err := ExtractJSON(text)
	if err != nil {
		return fail(err.Error())
	}
	var bad *SchemaError
	if err := o.Schema.Validate(data); errors.As(err, &bad) {
		return fail(bad.Problems...)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return fail(err.Error())
	}
	if o.opts.Validate != nil {
		if err := validate(o.opts.Validate, v); err != nil {
			return fail(err.Error())
		}
	}
	return v, nil
}

func validate[T any](f func(T) error, v T) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the validation panicked: %v", p)
		}
	}()
	return f(v)
}

// ExtractJSON finds the JSON value in what a model wrote: the whole text, the
// inside of a code fence, or the first object or array in the prose.
func ExtractJSON(text string) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, errors.New("there is no output")
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	if inside, ok := fenced(text); ok && json.Valid([]byte(inside)) {
		return json.RawMessage(inside), nil
	}
	const most = 100 // candidates, so that odd text takes no odd time
	for i, tried := 0, 0; i < len(text) && tried < most; i++ {
		if text[i] != '{' && text[i] != '[' {
			continue
		}
		tried++
		if end := balanced(text[i:]); end > 0 && json.Valid([]byte(text[i:i+end])) {
			return json.RawMessage(text[i : i+end]), nil
		}
	}
	_, err := decodeAny([]byte(text))
	return nil, fmt.Errorf("it holds no valid JSON: %w", err)
}

// fenced returns what is between the first code fence and the one that closes it.
func fenced(text string) (string, bool) {
	_, rest, ok := strings.Cut(text, "```")
	if !ok {
		return "", false
	}
	_, rest, ok = strings.Cut(rest, "\n") // the rest of the line names a language
	if !ok {
		return "", false
	}
	inside, _, ok := strings.Cut(rest, "```")
	return strings.TrimSpace(inside), ok
}

// balanced is the length of the object or array that the text begins with, 0 if
// it does not end. Brackets inside of strings do not count.
func balanced(text string) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}
