package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/helios-go/helios/llm"
)

// OutputOptions say how [RunAs] asks for its output.
type OutputOptions[T any] = llm.OutputOptions[T]

// WithOutput returns the agent with the answers of its runs held to type T: in
// sessions of any kind, on any store. The schema of T goes along with each request,
// and the text of the final message is held to it. An answer that does not fit is
// sent back with what is wrong, up to the attempts; then the run ends with
// StopFailed and an *llm.OutputError, for errors.As. Result.Output is the JSON,
// which [OutputOf] reads; Result.Text is what the model wrote.
//
// The other way to an answer with a shape is a tool marked tool.Final, for agents
// that should call it rather than write JSON, or whose answer a function is to check
// or complete. An agent may have both: what the tool returns is held to T as well.
func WithOutput[T any](a Agent, opts *OutputOptions[T]) (Agent, error) {
	out, err := llm.NewOutput(opts)
	if err != nil {
		return a, err
	}
	a.output = &output{schema: out.Schema, attempts: out.Attempts, decode: out.JSON}
	return a, nil
}

// OutputOf reads the output of a run whose agent is one of [WithOutput], or that
// a tool marked tool.Final has ended. Of a run that ended in another way it
// returns the zero value and why.
func OutputOf[T any](r *Result) (T, error) {
	var v, zero T
	switch {
	case r.Err != nil:
		return zero, r.Err
	case len(r.Output) == 0:
		return zero, fmt.Errorf("the run has no output: it stopped with %q", r.Stop)
	}
	if err := json.Unmarshal(r.Output, &v); err != nil {
		return zero, fmt.Errorf("read the run's output: %w", err)
	}
	return v, nil
}

// RunAs asks one question in a session of its own, as [Agent.Run] does, and
// returns the answer as a value of type T: see [WithOutput]. The Result is never
// nil; with an error the value is the zero one.
func RunAs[T any](ctx context.Context, a Agent, prompt string, opts *OutputOptions[T]) (T, *Result, error) {
	var zero T
	a, err := WithOutput(a, opts)
	if err != nil {
		return zero, &Result{Stop: StopFailed, Err: err}, err
	}
	res, err := a.Run(ctx, prompt)
	if err != nil {
		return zero, res, err
	}
	if len(res.Output) == 0 { // a hook may have answered
		if res.Output, err = a.output.decode(res.Text); err != nil {
			return zero, res, err
		}
	}
	v, err := OutputOf[T](res)
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
	data, correction, err := r.hold(v, v.text)
	if correction == nil && err == nil {
		r.output = data
	}
	return correction, err
}

// hold checks a text, or the data of a tool that ends the run. It returns what is
// to be the output, or the message that asks for a better one, or an error.
func (r *run) hold(v *runState, text string) (json.RawMessage, *UserMessage, error) {
	out := r.s.agent.output
	data, err := out.decode(text)
	var bad *llm.OutputError
	switch {
	case err == nil:
		return data, nil, nil
	case !errors.As(err, &bad):
		return nil, nil, err
	}
	if bad.Attempts = v.corrections + 1; bad.Attempts >= out.attempts {
		return nil, nil, bad
	}
	return nil, &UserMessage{Message: llm.User(bad.Correction()), Delivery: Steer, Origin: OriginCorrection}, nil
}
