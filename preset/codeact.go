package preset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/sandbox/repl"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/code"
)

// CodeAct is an agent that works by writing code: it gets an input of type I, whose
// fields are variables of an interpreter, runs cells in it, and answers with an
// output of type O. Both are structs (or O a map, or one of the two in
// [llm.Provenanced]).
//
//	sum := preset.CodeAct[Orders, Totals]{
//		Agent:   agent.Agent{Model: model},
//		Runtime: runtime,
//		Task:    "Add up the orders of each customer.",
//	}
//	totals, res, err := sum.Run(ctx, orders)
//
// The model sees the names and types of the input, never its values but what it
// prints of them: an input may be far larger than a context window.
//
// With Sub it is a recursive language model: cells can call predict, which has
// another model read and judge pieces of the input, within a budget, and the run
// ends when a cell calls submit with an output that fits. What Sub costs counts for
// the run, its limits on money included.
//
// Without Sub the answer is the model's final message, as JSON. It is not taken
// before a cell was run.
//
// A CodeAct is a value; only Agent.Model, Runtime and Task are required.
type CodeAct[I, O any] struct {
	// Agent has the model, and limits, prices, secrets, hooks, further tools.
	// Its Instructions stand before what the preset says. With a nil Policy the
	// cells are allowed, of the further tools those that are ReadOnly, and nothing
	// else, without asking.
	Agent   agent.Agent
	Runtime repl.Runtime // js.New or py.New
	Task    string       // what to do with the input; the first message

	// Code has functions of the host, limits and times. Inputs come before the fields
	// of I. Secrets are those of Agent, unless they are set.
	Code code.Options

	// Sub answers predict. Its Model is required then; Instructions stand before those
	// of each call. It has no tools unless they are given.
	Sub *agent.Agent
	// Calls is how often a session may call predict, by default 50.
	Calls int

	// Output checks what the schema of O cannot say.
	Output *agent.OutputOptions[O]
}

// Bound is a CodeAct with its input: an agent for as many sessions as one likes,
// each with an interpreter of its own. Close it.
type Bound[O any] struct {
	Agent agent.Agent
	Code  *code.Code // its Close, End and Spent are there for whoever runs sessions
	Task  string

	opts   *agent.OutputOptions[O]
	output *llm.Output[O] // of what is submitted
	submit bool
}

// Run does the task with one input, in a session and an interpreter of its own.
// The Result is never nil; with an error the value is the zero one.
func (c CodeAct[I, O]) Run(ctx context.Context, in I) (O, *agent.Result, error) {
	var zero O
	b, err := c.Bind(in)
	if err != nil {
		return zero, &agent.Result{Stop: agent.StopFailed, Err: err}, err
	}
	defer b.Close()
	res, err := b.Agent.Run(ctx, b.Task)
	if err != nil {
		return zero, res, err
	}
	out, err := b.OutputOf(res)
	if err != nil {
		return zero, res, err
	}
	return out, res, nil
}

// Bind makes the agent for an input, for those who open sessions themselves: send
// Task as the first message, and read the result with OutputOf. What is wrong with
// the CodeAct is its error.
func (c CodeAct[I, O]) Bind(in I) (*Bound[O], error) {
	switch {
	case c.Agent.Model == nil:
		return nil, errors.New("make a CodeAct agent: Agent has no Model")
	case c.Runtime == nil:
		return nil, errors.New("make a CodeAct agent: there is no Runtime; package js has one that needs nothing installed")
	case strings.TrimSpace(c.Task) == "":
		return nil, errors.New("make a CodeAct agent: there is no Task")
	case c.Sub != nil && c.Sub.Model == nil:
		return nil, errors.New("make a CodeAct agent: Sub has no Model")
	case c.Sub == nil && c.Calls != 0:
		return nil, errors.New("make a CodeAct agent: Calls is set, but there is no Sub")
	}
	b, err := c.bind(in)
	if err != nil {
		return nil, fmt.Errorf("make a CodeAct agent: %w", err)
	}
	return b, nil
}

func (c CodeAct[I, O]) bind(in I) (*Bound[O], error) {
	fields, err := code.InputsOf(in)
	if err != nil {
		return nil, err
	}
	opts := c.Code
	opts.Inputs = append(slices.Clip(opts.Inputs), fields...)
	if opts.Secrets == nil {
		opts.Secrets = c.Agent.Secrets
	}
	b := &Bound[O]{Agent: c.Agent, Task: c.Task, opts: c.Output, submit: c.Sub != nil}
	if b.output, err = llm.NewOutput(c.Output); err != nil {
		return nil, err
	}
	if b.submit {
		if opts.Submit, err = code.SubmitOf(c.Output); err != nil {
			return nil, err
		}
		opts.Predict = predict(*c.Sub, c.Calls)
	}
	if b.Code, err = code.New(c.Runtime, &opts); err != nil {
		return nil, err
	}
	return b, b.equip()
}

// equip gives the agent its tool, instructions, policy and the rule for its end.
func (b *Bound[O]) equip() error {
	a := &b.Agent
	if a.Name == "" {
		a.Name = "codeact"
	}
	cells := b.Code.Execute()
	if a.Policy == nil {
		a.Policy = onlyThese(cells, a.Tools)
	}
	a.Tools = append([]tool.Tool{cells}, a.Tools...)
	end := "# Your answer\n\nRun at least one cell, look at what came of it, and then answer with the JSON object alone."
	rule := &ending{cells: cells.Spec.Name, submit: b.submit}
	if b.submit {
		end = "# Your answer\n\nOnly what you submit counts; a message in words ends nothing."
	}
	a.Instructions = paragraphs(a.Instructions, b.Code.Prompt(), end)
	a.Hooks = append(slices.Clip(a.Hooks), rule.hook())
	if b.submit {
		return nil // the schema would have the model write the answer instead of submitting it
	}
	var err error
	*a, err = agent.WithOutput(*a, b.opts)
	return err
}

// OutputOf reads the output of a run of the agent that ended well.
func (b *Bound[O]) OutputOf(res *agent.Result) (O, error) {
	if !b.submit {
		return agent.OutputOf[O](res)
	}
	var zero O
	if res.Err != nil {
		return zero, res.Err
	}
	return b.output.Decode(string(res.Output))
}

// Close ends the interpreters of all sessions.
func (b *Bound[O]) Close() { b.Code.Close() }

// onlyThese allows the cells and, as a nil policy does, tools that only read.
func onlyThese(cells tool.Tool, more []tool.Tool) agent.Policy {
	p := agent.Permissions{Mode: agent.ModeLockedDown, Allow: []agent.Rule{{Tool: cells.Spec.Name}}}
	for _, t := range more {
		if t.Effect == tool.ReadOnly {
			p.Allow = append(p.Allow, agent.Rule{Tool: t.Spec.Name})
		}
	}
	return p
}

// An ending says when a run is over: after a cell was run, or when one has submitted
// an output.
type ending struct {
	cells  string // the name of the tool
	submit bool

	mu   sync.Mutex
	last map[string]string // of each session the latest run in which a cell was run
}

const (
	runFirst    = "You have not run any code yet. Run at least one cell with Execute to work on the input, then answer."
	submitFirst = "Nothing was submitted, so there is no output yet. Call submit(output) in a cell of its own to end the run."
)

func (e *ending) hook() agent.Hook {
	return agent.Hook{Name: "codeact", AfterTool: e.afterTool, BeforeStop: e.beforeStop}
}

// afterTool ends the run with what a cell has submitted, before the log has it.
func (e *ending) afterTool(_ context.Context, at agent.Moment, c *tool.Call, r tool.Result) (agent.ResultVerdict, error) {
	if c.Name != e.cells || len(r.Data) == 0 {
		return agent.ResultVerdict{}, nil
	}
	var report code.Report
	if err := json.Unmarshal(r.Data, &report); err != nil {
		return agent.ResultVerdict{}, fmt.Errorf("read the report of a cell: %w", err)
	}
	if report.Refused {
		return agent.ResultVerdict{}, nil
	}
	if e.submit && len(report.Submitted) > 0 {
		output := tool.Text(string(report.Submitted))
		output.Data = report.Submitted
		return agent.ResultVerdict{Result: &output, Final: true}, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last == nil {
		e.last = map[string]string{}
	}
	e.last[at.Session] = at.Run
	return agent.ResultVerdict{}, nil
}

// beforeStop has the model work before it answers in words. A run that goes on after
// a crash has its calls counted.
func (e *ending) beforeStop(_ context.Context, at agent.Moment, r *agent.Result) (agent.StopVerdict, error) {
	e.mu.Lock()
	ran := e.last[at.Session] == at.Run
	e.mu.Unlock()
	switch {
	case e.submit && len(r.Output) == 0:
		return agent.StopVerdict{Inject: submitFirst}, nil
	case !e.submit && !ran && r.ToolCalls == 0:
		return agent.StopVerdict{Inject: runFirst}, nil
	}
	return agent.StopVerdict{}, nil
}

// paragraphs joins texts by blank lines.
func paragraphs(texts ...string) string {
	var kept []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, "\n\n")
}
