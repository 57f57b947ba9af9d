package agent

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/helios-go/helios/llm"
)

// OutputOptions say how [RunAs] asks for its output.
type OutputOptions[T any] = llm.OutputOptions[T]

// RunAs asks one question, as [Agent.Run] does, and returns the answer as a value
// of type T. The schema of T goes along with each request, and the text of the
// final message is held to it. An answer that does not fit is sent back with what
// is wrong, up to the attempts; then the run fails with an *llm.OutputError. The
// Result's Output is the JSON, its Text what the model wrote.
func RunAs[T any](ctx context.Context, a Agent, prompt string, opts *OutputOptions[T]) (T, *Result, error) {
	var zero T
	out, err := llm.NewOutput(opts)
	if err != nil {
		return zero, &Result{Stop: StopFailed, Err: err}, err
	}
	a.output = &output{schema: out.Schema, attempts: out.Attempts, decode: func(text string) (json.RawMessage, error) {
		if _, err := out.Decode(text); err != nil {
			return nil, err
		}
		return llm.ExtractJSON(text)
	}}
	res, err := a.Run(ctx, prompt)
	if err != nil {
		return zero, res, err
	}
	text := res.Text // a hook may have changed it, or answered
	if len(res.Output) > 0 {
		text = string(res.Output)
	}
	v, err := out.Decode(text)
	return v, res, err
}

// output is the shape that a run's answer must have.
type output struct {
	schema   *llm.Schema
	attempts int
	decode   func(text string) (json.RawMessage, error)
}

// correct holds an answer to the shape that it must have. It returns the message
// that asks for a better one, or an error when there have been enough.
func (r *run) correct(v *runState) (*UserMessage, error) {
	out := r.s.agent.output
	data, err := out.decode(v.text)
	var bad *llm.OutputError
	switch {
	case err == nil:
		r.output = data
		return nil, nil
	case !errors.As(err, &bad):
		return nil, err
	}
	if bad.Attempts = v.corrections + 1; bad.Attempts >= out.attempts {
		return nil, bad
	}
	return &UserMessage{Message: llm.User(bad.Correction()), Delivery: Steer, Origin: OriginCorrection}, nil
}
