package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/sandbox/repl"
	"github.com/helios-go/helios/tool"
)

// Execute is the tool of that name: it runs a cell in the interpreter of the
// session that calls it. The model gets what the cell printed, up to
// Options.ModelBytes, errors and exit code behind it; Data is a [Report]. A cell
// that fails is an error result, unless it has submitted an output.
//
// The effect is Mutating: a cell that is run twice has done its work twice, and
// after a crash its variables are not there in any case. So a call that was running
// when the program died is not repeated, but told as "outcome unknown" where the
// session is opened with agent.TellModel. The kind is KindExecute, the permission
// key the name of the runtime: who allows it allows all that the functions can do.
// It has no timeout of its own, as cells have theirs.
func (c *Code) Execute() tool.Tool {
	doc := fmt.Sprintf("Run a cell of %s in this session's interpreter and see what it prints. Variables and functions stay for later cells. One cell at a time.", languageName(c.runtime))
	return tool.New("Execute", doc, func(ctx context.Context, in struct {
		Code string `json:"code" jsonschema:"the cell: statements as in a file; the value of an expression at its end is printed"`
	}) (tool.Result, error) {
		return c.execute(ctx, in.Code)
	}, tool.WithEffect(tool.Mutating), tool.WithKind(tool.KindExecute), tool.WithTimeout(-1),
		tool.WithKey(func(json.RawMessage) (string, error) { return c.runtime, nil }))
}

func languageName(runtime string) string {
	switch runtime {
	case "javascript":
		return "JavaScript"
	case "python":
		return "Python"
	}
	return runtime
}

func (c *Code) execute(ctx context.Context, text string) (tool.Result, error) {
	if strings.TrimSpace(text) == "" {
		return tool.Result{}, errors.New("the cell is blank; there is nothing to run")
	}
	s, within, err := c.enter(ctx)
	if err != nil {
		return c.refused(ctx, err)
	}
	defer c.leave(s)
	kernel, note, err := c.ready(within, s)
	if err != nil {
		return c.refused(ctx, err)
	}
	r := &Report{Restarted: note != "", note: note}
	var counted cell
	out, err := c.run(within, s, kernel, text, &counted)
	if out != nil && out.Dead {
		c.drop(s, lossOf(out))
	}
	if err != nil {
		return c.refused(ctx, err)
	}
	c.fill(r, out)
	r.Calls, r.Submitted = counted.calls, counted.submitted
	if counted.spent.Calls > 0 {
		r.Predict = &counted.spent
	}
	if c.opts.OnBindings != nil && !out.Dead {
		bindings := c.bindings(out.Bindings, r)
		swallow(func() { c.opts.OnBindings(s.id, bindings) })
	}
	return r.result(c.opts.ModelBytes)
}

// run runs one cell in an interpreter. Its error is the one that a function wants
// the run ended with, or that of a context that had ended before the cell began.
// What it counted is copied to counted, if that is not nil.
func (c *Code) run(ctx context.Context, s *session, kernel *repl.Kernel, text string, counted *cell) (*repl.Outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	running := &cell{cancel: cancel, calls: map[string]int{}}
	running.clock = newStopwatch(c.opts.Timeout, func() { cancel(errTime) })
	defer running.clock.stop()
	c.mu.Lock()
	s.cell = running
	c.mu.Unlock()
	task := repl.Cell{Code: text, Timeout: c.opts.Wall, Output: c.opts.KeepBytes}
	if c.opts.OnBindings != nil && counted != nil {
		task.Bindings = c.bindingLimits()
	}
	out, err := kernel.Execute(ctx, task)
	c.mu.Lock()
	s.cell = nil
	if counted != nil {
		counted.calls, counted.spent, counted.submitted = maps.Clone(running.calls), running.spent, running.submitted
	}
	abort := running.abort
	c.mu.Unlock()
	switch {
	case abort != nil:
		return out, abort
	case err != nil:
		return nil, err
	}
	if out.Interrupted && errors.Is(context.Cause(ctx), errTime) {
		out.TimedOut, out.Interrupted = true, false
		if i := strings.LastIndex(out.Stderr, interrupted); i >= 0 {
			out.Stderr = out.Stderr[:i] + timedOut + out.Stderr[i+len(interrupted):]
		}
	}
	switch {
	case out.TimedOut, out.Interrupted:
		out.ExitCode = 1 // whatever the process that was killed for it ended with
	case out.Dead && out.ExitCode == killed && !out.OutOfMemory:
		out.Stderr += "\nit was killed, most likely because it took too much memory"
	}
	return out, nil
}

// killed is the exit code of a process that the kernel has killed. Nobody else does
// it without saying so: where no cell had to be ended it was for its memory.
const killed = 137

// errTime ends a cell that has used up its own time.
var errTime = errors.New("the cell has used up its time")

// What the interpreter's host says of a cell that was ended.
const (
	interrupted = "Execution interrupted"
	timedOut    = "Execution timed out"
)

// lossOf says why an interpreter is gone, for the model.
func lossOf(out *repl.Outcome) string {
	switch {
	case out.OutOfMemory:
		return "it ran out of memory"
	case out.ExitCode == killed:
		return "it was killed, most likely because it ran out of memory"
	case out.TimedOut:
		return "a cell ran out of time and had to be killed"
	case out.Interrupted:
		return "a cell was cancelled and had to be killed"
	}
	return "it ended in the middle of a cell"
}

// refused is the result of a cell that was not run, or not to its end: an error
// where the call itself is over or the run shall end.
func (c *Code) refused(ctx context.Context, err error) (tool.Result, error) {
	switch {
	case errors.As(err, new(*tool.AbortError)):
		return tool.Result{}, c.redactor().Err(err)
	case ctx.Err() != nil:
		return tool.Result{}, context.Cause(ctx)
	}
	text := errorText(err)
	if why, ok := errors.AsType[*refusal](err); ok {
		text = why.text
	}
	r := &Report{Refused: true}
	c.fill(r, &repl.Outcome{ExitCode: 1, Stderr: text})
	return r.result(c.opts.ModelBytes)
}

// fill takes what came of a cell into the report, without secrets.
func (c *Code) fill(r *Report, out *repl.Outcome) {
	r.ExitCode, r.Lost, r.DurationMS = out.ExitCode, out.Dead, out.Wall.Milliseconds()
	r.TimedOut, r.Interrupted, r.OutOfMemory = out.TimedOut, out.Interrupted, out.OutOfMemory
	r.StdoutCut, r.StderrCut = out.StdoutCut, out.StderrCut
	r.Stdout = c.clean(out.Stdout, out.StdoutCut, r)
	r.Stderr = c.cleanStderr(out, r)
}

// cleanStderr is clean for standard error, at whose end the kernel says what became
// of the cell: where a stream was cut that is not its end.
func (c *Code) cleanStderr(out *repl.Outcome, r *Report) string {
	said := c.clean(out.Stderr[:out.Said], out.StderrCut, r)
	note := strings.TrimPrefix(c.clean(out.Stderr[out.Said:], false, r), "\n")
	if said != "" && note != "" && !strings.HasSuffix(said, "\n") {
		said += "\n"
	}
	return said + note
}

// clean redacts a stream. The end of one that was cut could be the beginning of a
// secret, so it is left out as far as there is doubt.
func (c *Code) clean(text string, cut bool, r *Report) string {
	red := c.redactor()
	if !cut {
		text, counts := red.Text(text)
		r.Redactions = r.Redactions.Plus(counts)
		return text
	}
	var b strings.Builder
	w := red.Writer(&b)
	_, _ = w.Write([]byte(text)) // a strings.Builder takes everything
	r.Redactions = r.Redactions.Plus(w.Counts())
	return strings.ToValidUTF8(b.String(), "")
}

// textResult is a result of text and data.
func textResult(text string, data any, isError bool) (tool.Result, error) {
	raw, err := encode(data)
	if err != nil {
		return tool.Result{}, fmt.Errorf("write the report of a cell: %w", err)
	}
	return tool.Result{Parts: []llm.Part{llm.Text(text)}, Data: raw, IsError: isError}, nil
}
