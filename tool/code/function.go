package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// A Function of the host that cells can call. Make one with [Func] or [FromTool].
// It is a value, safe for concurrent use if the Go function behind it is.
type Function struct {
	Name string
	Doc  string // what it does, for the model; the first thing that it reads
	// Timeout bounds one call. 0 is Options.CallTimeout, negative no bound.
	Timeout time.Duration

	err    error
	params []property // in positional order
	must   []string   // those that have to be given
	result shape
	check  func(args json.RawMessage) (json.RawMessage, error)
	run    func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)
}

// Func makes a function of the host. In is a struct whose fields are the
// parameters, in the order of their declaration; tags say what [llm.SchemaFor]
// reads in them: names, descriptions, allowed values, what may be left out. Names
// must be identifiers in JavaScript and in Python. Out is what the cell gets, as
// JSON; NaN and infinities, which JSON has not, become null.
//
//	lookup := code.Func("lookup", "Flux at a time", func(ctx context.Context, in struct {
//		Day   string `json:"day" jsonschema:"as 2003-10-29"`
//		Limit int    `json:"limit,omitempty"`
//	}) ([]float64, error) { ... })
//
// A cell calls it by position or by name: lookup("2003-10-29"), in JavaScript
// lookup({day: "2003-10-29"}), in Python lookup(day="2003-10-29"). Arguments are
// checked on the host's side before the function sees them. An error, and a panic,
// is thrown into the cell with its text, and the cell can catch it; one made by
// [tool.Abort] ends the cell and the run.
//
// The context is that of the Execute call: [tool.CallFrom] tells which one it is,
// with an IdempotencyKey for each call of a function. What is wrong with the
// function itself is an error of [New].
func Func[In, Out any](name, doc string, fn func(context.Context, In) (Out, error)) Function {
	f := Function{Name: name, Doc: doc}
	switch in := reflect.TypeFor[In](); {
	case in.Kind() != reflect.Struct:
		f.err = fmt.Errorf("its input is %v; it must be a struct, whose fields are the parameters", in)
		return f
	case fn == nil:
		f.err = errors.New("it has no Go function")
		return f
	}
	t := tool.New(name, doc, func(ctx context.Context, in In) (boxed[Out], error) {
		out, err := fn(ctx, in)
		return boxed[Out]{out}, err
	})
	f.take(t)
	f.result = resultShape[Out]()
	f.run = func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		res, err := t.Run(ctx, args)
		if err != nil {
			return nil, err
		}
		var out boxed[json.RawMessage]
		err = json.Unmarshal(res.Data, &out)
		return out.V, err
	}
	return f
}

// boxed holds a result of any type, so that a tool returns all of them as JSON.
type boxed[Out any] struct {
	V Out `json:"v"`
}

// FromTool makes a function of a tool, named and described as it is. Its
// parameters are the properties of the tool's schema, in their order there, and
// its result the tool's Data, or its text where it has none.
//
// A call from a cell does not go through the agent's pipeline: no policy decides
// about it, no hook sees it, the log does not show it. So only tools that are
// ReadOnly, and not final, can be functions; any other is an error of [New].
func FromTool(t tool.Tool) Function {
	f := Function{Name: t.Spec.Name, Doc: t.Spec.Description, Timeout: t.Timeout}
	switch {
	case t.Err() != nil:
		f.err = t.Err()
		return f
	case t.Effect != tool.ReadOnly:
		f.err = fmt.Errorf("its effect is %s: a call from a cell asks no permission, so only read_only tools can be functions", t.Effect)
		return f
	case t.IsFinal:
		f.err = errors.New("it is a final tool, and no cell can end a run with it")
		return f
	}
	f.take(t)
	f.run = func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		res, err := t.Run(ctx, args)
		switch {
		case err != nil:
			return nil, err
		case res.IsError:
			return nil, errors.New(res.Text())
		case len(res.Data) > 0:
			return res.Data, nil
		}
		return quoted(res.Text()), nil
	}
	return f
}

// take has a tool say what the parameters are, and check arguments.
func (f *Function) take(t tool.Tool) {
	if f.err = t.Err(); f.err != nil {
		return
	}
	s := shapeOf(t.Spec.Input)
	f.params, f.must, f.check = s.Properties, s.Required, t.Check
}

// Err tells what is wrong with the function: its name or one of a parameter, its
// description, its types. It is nil for one that [New] takes.
func (f Function) Err() error {
	if err := f.problem(); err != nil {
		return fmt.Errorf("function %q: %w", f.Name, err)
	}
	return nil
}

func (f *Function) problem() error {
	if err := checkFunctionName(f.Name); err != nil {
		return err
	}
	switch {
	case f.err != nil:
		return f.err
	case f.run == nil:
		return errors.New("the zero Function does nothing; make one with code.Func")
	case strings.TrimSpace(f.Doc) == "":
		return errors.New("it has no description, and the model needs one")
	}
	for _, p := range f.params {
		if err := checkName(p.Name); err != nil {
			return fmt.Errorf("a parameter: %w", err)
		}
	}
	return nil
}

// names are those of the parameters, in positional order.
func (f *Function) names() []string {
	names := make([]string, len(f.params))
	for i, p := range f.params {
		names[i] = p.Name
	}
	return names
}

// signature writes the function as a language declares it.
func (f *Function) signature(d *dialect) string {
	params := make([]string, len(f.params))
	for i := range f.params {
		p := &f.params[i]
		typ := d.typ(&p.shape, 0)
		if slices.Contains(f.must, p.Name) {
			params[i] = p.Name + ": " + typ
		} else {
			params[i] = d.optional(p.Name, typ)
		}
	}
	return f.Name + "(" + strings.Join(params, ", ") + ")" + d.result + d.typ(&f.result, 0)
}

// resultShape is the type of a result, any where it has no schema.
func resultShape[Out any]() shape {
	schema, err := llm.SchemaFor[boxed[Out]]("result")
	if err != nil {
		return shape{}
	}
	s := shapeOf(schema.JSON)
	if len(s.Properties) != 1 {
		return shape{}
	}
	return s.Properties[0].shape
}
