package code

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// Predict lets cells ask a model: predict(instructions, input) returns its answer
// as a string. Each call is a conversation of its own, that sees nothing of the
// session's.
type Predict struct {
	// Model answers.
	Model llm.Model
	// Options go with each request to it.
	Options llm.Options
	// Prices tell what the calls cost; a model without a price costs nothing here.
	Prices llm.Prices
	// MaxCalls bounds the calls of a session, failed ones included, by default 50.
	// What goes beyond is thrown into the cell as a [BudgetError].
	MaxCalls int
	// Timeout bounds one call; 0 is Options.CallTimeout.
	Timeout time.Duration
	// Ask, if not nil, answers in place of Model, which may be nil then. An agent's
	// sub-agent can do it, so that the run pays for it: the context is a step of the
	// Execute call (see [tool.Step]).
	Ask func(ctx context.Context, instructions, input string) (text string, usage llm.Usage, err error)
	// OnCall, if not nil, is told of each call when it is over, before the cell gets
	// the answer, so that a program can count what it cost. Calls of several sessions
	// may overlap. A panic in it is swallowed.
	OnCall func(ctx context.Context, p Prediction)
}

// A Prediction is one call of predict.
type Prediction struct {
	Session, Run string
	Model        string // its name, "" with Ask alone
	Usage        llm.Usage
	Cost         llm.Micros // 0 for a model without a price
	Duration     time.Duration
	Err          error // nil, or why there is no answer
}

const defaultMaxCalls = 50

// LLMCalls is the one kind of budget that there is.
const LLMCalls = "LLM_CALLS"

// A BudgetError is thrown into a cell that wants more than its session has left.
type BudgetError struct {
	Kind          string // LLMCalls
	Limit, Actual int    // Actual is what it would have come to
}

// Error has the name that a cell can look for, and what the model should do.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("SandboxBudgetExceeded(kind=%s, limit=%d, actual=%d): this session has used up its calls of predict; go on without it", e.Kind, e.Limit, e.Actual)
}

func (p *Predict) check() error {
	switch {
	case p.Model == nil && p.Ask == nil:
		return errors.New("Predict has neither a Model nor Ask")
	case p.MaxCalls < 0:
		return fmt.Errorf("Predict.MaxCalls is %d; it cannot be negative, and 0 is %d", p.MaxCalls, defaultMaxCalls)
	case p.Timeout < 0:
		return errors.New("Predict.Timeout is negative")
	}
	return p.Prices.Validate()
}

// predictArgs are the parameters of predict, in a cell and as a tool.
type predictArgs struct {
	Instructions string `json:"instructions" jsonschema:"what to do with the input, complete: the model that does it sees nothing else"`
	Input        string `json:"input" jsonschema:"the text to do it with"`
}

// ask has the model answer, if the session's budget allows it.
func (c *Code) ask(ctx context.Context, s *session, in predictArgs) (string, Spent, error) {
	p := c.opts.Predict
	switch {
	case strings.TrimSpace(in.Instructions) == "":
		return "", Spent{}, errors.New("predict: instructions are blank")
	case strings.TrimSpace(in.Input) == "":
		return "", Spent{}, errors.New("predict: input is blank")
	}
	c.mu.Lock()
	if s.predicted >= p.MaxCalls {
		c.mu.Unlock()
		return "", Spent{}, &BudgetError{Kind: LLMCalls, Limit: p.MaxCalls, Actual: p.MaxCalls + 1}
	}
	s.predicted++
	c.mu.Unlock()

	red := c.redactor() // no model sees a secret
	in.Instructions, _ = red.Text(in.Instructions)
	in.Input, _ = red.Text(in.Input)
	call := tool.CallFrom(ctx)
	done := Prediction{Session: call.Session, Run: call.Run}
	began := time.Now()
	var text string
	text, done.Usage, done.Err = p.answer(ctx, in)
	done.Duration = time.Since(began)
	if p.Model != nil {
		done.Model = p.Model.Name()
		done.Cost, _ = p.Prices.Cost(done.Model, done.Usage)
	}
	c.mu.Lock()
	s.spent.add(&done)
	if s.cell != nil {
		s.cell.spent.add(&done)
	}
	c.mu.Unlock()
	var took Spent
	took.add(&done)
	if p.OnCall != nil {
		swallow(func() { p.OnCall(ctx, done) })
	}
	if done.Err != nil {
		return "", took, fmt.Errorf("Predict: sub-LM call failed (%s): %w", kindOf(done.Err), done.Err)
	}
	return text, took, nil
}

// answer asks once.
func (p *Predict) answer(ctx context.Context, in predictArgs) (string, llm.Usage, error) {
	if p.Ask != nil {
		return p.Ask(ctx, in.Instructions, in.Input)
	}
	resp, err := llm.Generate(ctx, p.Model, &llm.Request{
		System:   []llm.Part{llm.Text(in.Instructions)},
		Messages: []llm.Message{llm.User(in.Input)},
		Options:  p.Options,
	})
	switch {
	case err != nil:
		return "", resp.Usage, err
	case resp.Finish == llm.FinishRefusal, resp.Finish == llm.FinishContentFilter:
		return "", resp.Usage, &llm.Error{Kind: llm.KindRefused, Provider: p.Model.Name(), Err: errors.New(string(resp.Finish))}
	case resp.Finish == llm.FinishLength:
		return "", resp.Usage, errors.New("the answer was cut at the model's output limit; ask for a shorter one, or about less at a time")
	case strings.TrimSpace(resp.Text()) == "":
		return "", resp.Usage, errors.New("the model said nothing")
	}
	return resp.Text(), resp.Usage, nil
}

// kindOf names what kind of failure an error is, for the model.
func kindOf(err error) string {
	var e *llm.Error
	switch {
	case errors.As(err, &e) && e.Kind != llm.KindOther:
		return e.Kind.String()
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return "error"
}

// Spent is what calls of predict have taken together.
type Spent struct {
	Calls int        `json:"calls"`
	Usage llm.Usage  `json:"usage"`
	Cost  llm.Micros `json:"cost_micros"` // of the models that have a price
}

func (s *Spent) add(p *Prediction) {
	s.Calls++
	s.Usage = s.Usage.Add(p.Usage)
	s.Cost = s.Cost.Add(p.Cost)
}

// Spent returns what the calls of predict of a session have taken so far.
func (c *Code) Spent(session string) Spent {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sessions[session]; s != nil {
		return s.spent
	}
	return Spent{}
}

// Predict is the tool of that name: what predict is in a cell, for a model that
// wants one answer and no cell for it. It shares the session's budget.
//
// It is ReadOnly, so that several calls run side by side, and its kind is
// KindDelegate. Without Options.Predict it cannot be used, and says so.
func (c *Code) Predict() tool.Tool {
	if c.opts.Predict == nil {
		return tool.Raw(llm.ToolSpec{Name: "Predict"}, nil) // whose Err says that it has no function
	}
	return tool.New("Predict", c.predictDoc(), func(ctx context.Context, in predictArgs) (tool.Result, error) {
		s, err := c.session(ctx)
		if err != nil {
			return tool.Result{}, err
		}
		ctx, cancel := context.WithTimeout(ctx, c.opts.Predict.Timeout)
		defer cancel()
		text, took, err := c.ask(ctx, s, in)
		if err != nil {
			return tool.Result{}, c.redactor().Err(err)
		}
		text, _ = c.redactor().Text(text)
		return textResult(text, took, false)
	}, tool.WithEffect(tool.ReadOnly), tool.WithKind(tool.KindDelegate), tool.WithTimeout(-1))
}

func (c *Code) predictDoc() string {
	return fmt.Sprintf("Have a language model do one thing with one text, and return what it says. It sees nothing but the instructions and the input. At most %d calls in this session, those of predict in cells included.", c.opts.Predict.MaxCalls)
}
