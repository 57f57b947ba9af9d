package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/helios-go/helios/llm"
)

// New makes a tool of a function. In is a struct (or a map with string keys)
// whose schema tells the model what to send; struct{} takes nothing. Out goes
// to the model: a string as it is, [llm.Part], []llm.Part and [Result] as what
// they are, anything else as JSON, which is also the result's Data. Numbers that
// JSON cannot hold (NaN, infinities) become null there.
func New[In, Out any](name, doc string, fn func(context.Context, In) (Out, error), opts ...Option) Tool {
	schema, err := llm.SchemaFor[In](name)
	var run func(context.Context, json.RawMessage) (Result, error)
	if fn != nil {
		run = func(ctx context.Context, args json.RawMessage) (Result, error) {
			var in In
			if err := json.Unmarshal(args, &in); err != nil {
				return Result{}, fmt.Errorf("invalid arguments for %s: %w", name, err)
			}
			out, err := fn(ctx, in)
			if err != nil {
				return Result{}, err
			}
			return toResult(out)
		}
	}
	return build(llm.ToolSpec{Name: name, Description: doc}, schema, err, run, opts)
}

// Raw makes a tool of a hand-written schema and a function that decodes the
// arguments itself. They have been checked against the schema; an empty schema
// admits no arguments.
func Raw(spec llm.ToolSpec, fn func(context.Context, json.RawMessage) (Result, error), opts ...Option) Tool {
	schema, err := llm.ParseSchema(spec.Name, spec.Input)
	return build(spec, schema, err, fn, opts)
}

func build(spec llm.ToolSpec, schema *llm.Schema, err error, run func(context.Context, json.RawMessage) (Result, error), opts []Option) Tool {
	t := Tool{Spec: spec, schema: schema, run: run}
	switch {
	case !nameOK.MatchString(spec.Name):
		t.err = fmt.Errorf("tool %q: a name is 1 to 64 of A-Z a-z 0-9 _ -", spec.Name)
	case err != nil:
		t.err = fmt.Errorf("tool %s: %w", spec.Name, err)
	case run == nil:
		t.err = fmt.Errorf("tool %s: %w", spec.Name, errors.New("it has no function"))
	default:
		t.Spec.Input = schema.JSON
	}
	for _, opt := range opts {
		opt(&t)
	}
	if t.Kind == KindDefault {
		t.Kind = KindExecute
		if t.Effect == ReadOnly {
			t.Kind = KindRead
		}
	}
	return t
}

// An Option changes a tool at construction.
type Option func(*Tool)

// WithEffect declares what running the tool does to the world; without it the
// effect is Unknown.
func WithEffect(e Effect) Option { return func(t *Tool) { t.Effect = e } }

// WithKind overrides the kind that follows from the effect.
func WithKind(k Kind) Option { return func(t *Tool) { t.Kind = k } }

// WithKey sets how the canonical permission key of a call is computed from its
// checked arguments: the path of a write (see [PathKey]), the program of a
// command. Equal keys must mean the same thing to the user who is asked. An error
// or a panic denies the call.
func WithKey(key func(json.RawMessage) (string, error)) Option {
	return WithKeys(func(args json.RawMessage) ([]string, error) {
		k, err := key(args)
		return []string{k}, err
	})
}

// WithKeys is [WithKey] for calls that are about several things, such as both
// paths of a move, or about one that has several names, such as a link and the
// file it leads to. What denies one key denies the call, and all must be allowed
// for the call to be. The first key is the one that is shown; none at all is an
// error, and denies.
func WithKeys(keys func(json.RawMessage) ([]string, error)) Option {
	return func(t *Tool) { t.keys = keys }
}

// WithTimeout bounds one call, time spent asking the user not counted. 0 is the
// agent's Limits.ToolTime, negative no bound. When it is up ctx is cancelled, and
// after Limits.Grace the run goes on without the call.
func WithTimeout(d time.Duration) Option { return func(t *Tool) { t.Timeout = d } }

// Final makes the tool one that ends the run well: called alone and without
// error, its result is the answer: its text Result.Text, its Data Result.Output.
// After an error the run goes on. Called beside others it is not run, and the
// model is asked to call it alone. It needs permission as any other tool does.
func Final() Option { return func(t *Tool) { t.IsFinal = true } }

// Abort wraps an error so that it ends the run, with agent.StopFailed, instead of
// going to the model. Calls beside it are cancelled. errors.Is and errors.As see
// through it. Abort(nil) is nil.
func Abort(err error) error {
	if err == nil {
		return nil
	}
	return &AbortError{err}
}

// An AbortError is what [Abort] makes.
type AbortError struct{ Err error }

// Error returns the wrapped error's message.
func (e *AbortError) Error() string {
	if e.Err == nil {
		return "the tool ended the run"
	}
	return e.Err.Error()
}

// Unwrap returns the wrapped error.
func (e *AbortError) Unwrap() error { return e.Err }
