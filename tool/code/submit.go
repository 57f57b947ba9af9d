package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// Submit lets cells hand over the run's output: submit(output) checks it and keeps
// it once, for [Code.Submitted] and for the result of the Execute call.
type Submit struct {
	// Schema is what the output has to fit; nil is any JSON.
	Schema *llm.Schema
	// Validate, if not nil, checks what the schema cannot say. Its error goes to the
	// model; an [llm.OutputError] as a list of problems, and so do the lines of any
	// other. A panic counts as an error.
	Validate func(output json.RawMessage) error
}

// SubmitOf is the Submit of a type: a struct or a map, or one of them in
// [llm.Provenanced], for an output that is an envelope {output, provenance} in
// which each field says where it comes from. The options are those of
// [llm.GenerateAs]; Attempts means nothing here.
func SubmitOf[T any](opts *llm.OutputOptions[T]) (*Submit, error) {
	out, err := llm.NewOutput(opts)
	if err != nil {
		return nil, err
	}
	return &Submit{Schema: out.Schema, Validate: func(output json.RawMessage) error {
		_, err := out.Decode(string(output))
		return err
	}}, nil
}

// errSubmitted is what the second submit of a run is told.
var errSubmitted = errors.New("submit has already been called in this run, and its output was accepted; there is nothing more to submit")

// A SubmitError is thrown into a cell whose output does not do.
type SubmitError struct {
	Problems []string
	Required []string // the fields that the schema wants at the top
}

// Error tells the model all that is wrong, and what to do.
func (e *SubmitError) Error() string {
	var b strings.Builder
	b.WriteString("Submit validation failed:\n")
	for i, p := range e.Problems {
		if i == maxProblems {
			fmt.Fprintf(&b, "  - and %d more\n", len(e.Problems)-i)
			break
		}
		b.WriteString("  - " + p + "\n")
	}
	if len(e.Required) > 0 {
		fmt.Fprintf(&b, "Required fields: [%s]\n", strings.Join(e.Required, ", "))
	}
	b.WriteString("Fix the output value and call submit again.")
	return b.String()
}

const maxProblems = 50

// accepted is what the cell gets for an output that was accepted.
var accepted = json.RawMessage(`{"status":"accepted"}`)

// submit checks an output and keeps it.
func (c *Code) submit(ctx context.Context, s *session, output json.RawMessage) error {
	run := tool.CallFrom(ctx).Run
	c.mu.Lock()
	taken := s.taken(run)
	c.mu.Unlock()
	if taken {
		return errSubmitted
	}
	output, _ = c.redactor().JSON(output)
	problems := c.opts.Submit.problems(output)
	if len(problems) > 0 && c.opts.Submit.wraps() && json.Valid(output) {
		// JavaScript's submit({output: x}) is x by name, and was meant as the object.
		whole := json.RawMessage(`{"output":` + string(output) + `}`)
		if len(c.opts.Submit.problems(whole)) == 0 {
			output, problems = whole, nil
		}
	}
	if len(problems) > 0 {
		e := &SubmitError{Problems: problems}
		if schema := c.opts.Submit.Schema; schema != nil {
			e.Required = shapeOf(schema.JSON).Required
		}
		return e
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.taken(run) { // by another thread of the cell
		return errSubmitted
	}
	s.submitted, s.submittedIn = output, run
	if s.cell != nil {
		s.cell.submitted = output
	}
	return nil
}

// taken tells whether a run has submitted already. A cell that tries again reports
// what was accepted: that of the first one may never have arrived. Code.mu is held.
func (s *session) taken(run string) bool {
	if s.submitted == nil || s.submittedIn != run {
		return false
	}
	if s.cell != nil {
		s.cell.submitted = s.submitted
	}
	return true
}

// wraps tells whether the output has a field that is named as the parameter is.
func (s *Submit) wraps() bool {
	return s.Schema != nil && slices.ContainsFunc(shapeOf(s.Schema.JSON).Properties, func(p property) bool { return p.Name == "output" })
}

// problems is everything that is wrong with an output.
func (s *Submit) problems(output json.RawMessage) []string {
	switch {
	case len(output) == 0:
		return []string{"there is no output"}
	case !json.Valid(output):
		return []string{"it is not JSON"}
	case llm.Deeper(output, llm.MaxDepth):
		return []string{fmt.Sprintf("it nests deeper than %d levels", llm.MaxDepth)}
	}
	if s.Schema != nil {
		if err := s.Schema.Validate(output); err != nil {
			return problemsOf(err)
		}
	}
	if s.Validate == nil {
		return nil
	}
	return problemsOf(guarded("the submit validator", func() error { return s.Validate(output) }))
}

func problemsOf(err error) []string {
	var schema *llm.SchemaError
	var out *llm.OutputError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &schema) && len(schema.Problems) > 0:
		return schema.Problems
	case errors.As(err, &out) && len(out.Problems) > 0:
		return out.Problems
	}
	var problems []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" {
			problems = append(problems, line)
		}
	}
	if len(problems) == 0 {
		problems = []string{"the submit validator refuses it"}
	}
	return problems
}

// Submitted returns the output that a session has submitted last, and whether
// there is one. In a session of several runs it is that of the latest run that
// submitted.
func (c *Code) Submitted(session string) (json.RawMessage, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessions[session]
	if s == nil || s.submitted == nil {
		return nil, false
	}
	return s.submitted, true
}

// Submit is the tool of that name: what submit is in a cell, for a model that ends
// its run with a call instead. It is [tool.Final]: its Data is the output, and its
// text the same JSON. Without Options.Submit it cannot be used, and says so.
func (c *Code) Submit() tool.Tool {
	if c.opts.Submit == nil {
		return tool.Raw(llm.ToolSpec{Name: "Submit"}, nil) // whose Err says that it has no function
	}
	spec := llm.ToolSpec{
		Name:        "Submit",
		Description: "Hand over the output of this run, which ends with it. An output that does not fit is refused with all that is wrong with it; correct it and call again.",
		Input:       c.opts.Submit.input(),
	}
	return tool.Raw(spec, func(ctx context.Context, args json.RawMessage) (tool.Result, error) {
		var in struct {
			Output json.RawMessage `json:"output"`
		}
		if err := json.Unmarshal(args, &in); err != nil {
			return tool.Result{}, err
		}
		s, err := c.session(ctx)
		if err != nil {
			return tool.Result{}, err
		}
		if err := c.submit(ctx, s, in.Output); err != nil {
			return tool.Result{}, c.redactor().Err(err)
		}
		output, _ := c.Submitted(s.id)
		return tool.Result{Parts: []llm.Part{llm.Text(string(output))}, Data: output}, nil
	}, tool.Final(), tool.WithEffect(tool.Idempotent), tool.WithKind(tool.KindControl))
}

// input is the schema of the arguments of the tool. A schema with references
// within itself cannot stand inside of another; submit checks it anyway.
func (s *Submit) input() json.RawMessage {
	output := json.RawMessage(`{}`)
	if s.Schema != nil && !strings.Contains(string(s.Schema.JSON), `"$`) {
		output = s.Schema.JSON
	}
	return json.RawMessage(`{"type":"object","properties":{"output":` + string(output) + `},"required":["output"],"additionalProperties":false}`)
}
