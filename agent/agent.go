// Package agent runs a model and its tools as a conversation that can be
// watched, steered, stopped and resumed.
//
//	weather := tool.New("weather", "Weather in a city now",
//		func(ctx context.Context, in struct{ City string }) (string, error) {
//			return "22 C in " + in.City, nil
//		}, tool.WithEffect(tool.ReadOnly))
//	a := agent.Agent{Model: model, Tools: []tool.Tool{weather}}
//	res, err := a.Run(ctx, "Is it warm in Toulouse?")
//
// An [Agent] is a plain value. [Agent.Run] asks one question; [Agent.Open] starts
// or continues a [Session], a conversation in which many can be asked:
//
//	s, err := a.Open(ctx, &agent.OpenOptions{Store: store, SessionID: "toulouse"})
//	defer s.Close()
//	events := s.Events(ctx, 0)
//	s.Send(ctx, llm.User("Is it warm?"), agent.Steer)
//	for e, err := range events { ... } // until RunEnded
//	res, err := s.Wait(ctx)
//
// A session is a log of events in a [Store]. Everything else is computed from
// that log: the history that the model sees, the results, what a user interface
// shows. A process that dies loses nothing: opening the session again goes on
// from the log, where finished tool calls are not run again and a call that may
// change the world is never silently repeated. One that is told to stop hands its
// work over with [Session.Detach]; [Session.Close], and the end of the context
// that was given to Open, end the run for good.
//
// In every request to a model each tool call has exactly one result: its own, a
// denial, or the note that it was interrupted. A run always returns its
// [Result], with what was done, also when it stops short; the error then
// matches [ErrTurns], [ErrInterrupted] and the like.
//
// What a tool may do is decided call by call by a [Policy], such as
// [Permissions]; without one, tools that only read may run and the rest is asked of
// an [Approver], or denied where there is none.
//
// Answers of a Go type come from [RunAs], [WithOutput] or a tool marked tool.Final.
// An agent is a tool of another one by [Agent.Tool]. Package llm/llmtest has models
// for tests, and sessions work in a bubble of testing/synctest. The whole is told
// in order, with an example for each thing, in docs/guide.md of the repository.
package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/helios-go/helios/fault"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
)

// An Agent is a model with instructions, tools and limits. It is a value: copy
// it, change the copy, share it among sessions and goroutines, as long as nobody
// changes what its slices and maps hold. Only Model is required. What is wrong with
// it (a tool that cannot be used, two of one name, a choice of one that is not
// there, an option out of range, a rule that can never match, a model without a
// price where there is a limit on money) is an error of Open.
type Agent struct {
	Name         string
	Instructions string // the system prompt
	Model        llm.Model
	Options      llm.Options
	Choice       llm.ToolChoice // of a run's first turn; later ones are the model's choice
	Tools        []tool.Tool
	Policy       Policy // nil: ReadOnly tools are allowed, the rest asks
	Hooks        []Hook
	Limits       Limits
	Compact      Compactor  // nil: TwoStage{}
	Prices       llm.Prices // by model; nil: what the models say themselves ([llm.Pricer])
	// Faults says what surrounds a call of a tool: attempts, a circuit breaker, a
	// time for all of it. A call that must not be repeated is made once, whatever
	// the policy says of attempts, and a tool.Abort is final. Nil makes each call
	// once. It is safe for concurrent use.
	Faults func(*tool.Call) fault.Policy
	// Secrets are what no tool result, error, question, progress or log line shows.
	// Nil has none. See [OpenOptions].RedactLog for what users and models say.
	Secrets *secret.Registry

	output *output // what RunAs wants
}

// Run asks one question in a session of its own, in memory, and returns the
// answer. Ending ctx ends the run. The Result is never nil; the error is
// Result.Err: a *[StopError], or why no run could be started. Nobody is there to
// ask, so what would be asked is denied.
func (a Agent) Run(ctx context.Context, prompt string) (*Result, error) {
	s, err := a.Open(ctx, nil)
	if err != nil {
		return &Result{Stop: StopFailed, Err: err}, err
	}
	defer s.Close()
	return s.runHere(ctx, prompt)
}

// check reports why the agent cannot be opened.
func (a *Agent) check() error {
	if a.Model == nil {
		return errors.New("it has no Model")
	}
	for m := range a.models() {
		// Providers report a key or a setting that is missing this way.
		if broken, ok := m.(interface{ Err() error }); ok {
			if err := broken.Err(); err != nil {
				return err
			}
		}
	}
	for i := range a.Tools {
		t := &a.Tools[i]
		if err := t.Err(); err != nil {
			return err
		}
		for j := range i {
			if a.Tools[j].Spec.Name == t.Spec.Name {
				return fmt.Errorf("two tools are called %s", t.Spec.Name)
			}
		}
	}
	if a.Policy != nil {
		if err := checkPolicy(a.Policy, a.Tools); err != nil {
			return err
		}
	}
	if err := a.Prices.Validate(); err != nil {
		return err
	}
	if err := (&llm.Request{Options: a.Options, Tools: specs(a.Tools), Choice: a.Choice}).Validate(); err != nil {
		return err
	}
	return a.priced()
}

// priced reports a model without a price where there is a limit on money.
func (a *Agent) priced() error {
	if a.Limits.Money == 0 && a.Limits.Budget == nil {
		return nil
	}
	for m := range a.models() {
		if _, known := a.costOf(m.Name(), llm.Usage{}); !known {
			return fmt.Errorf("Limits has a limit on money, but Prices has no price for %s", m.Name())
		}
	}
	return nil
}

// models yields the models that the agent itself asks.
func (a *Agent) models() iter.Seq[llm.Model] {
	return func(yield func(llm.Model) bool) {
		if !yield(a.Model) {
			return
		}
		var second llm.Model // nil is the session's own
		switch stages := a.Compact.(type) {
		case TwoStage:
			second = stages.Model
		case *TwoStage:
			second = stages.Model
		}
		if second != nil {
			yield(second)
		}
	}
}

// cost is the price of what a model was used for, 0 if it has none.
func (a *Agent) cost(model string, u llm.Usage) llm.Micros {
	cost, _ := a.costOf(model, u)
	return cost
}

func (a *Agent) costOf(model string, u llm.Usage) (cost llm.Micros, known bool) {
	if cost, known = a.Prices.Cost(model, u); known {
		return cost, true
	}
	for m := range a.models() {
		if p, ok := m.(llm.Pricer); ok && m.Name() == model {
			return p.Cost(u)
		}
	}
	return 0, false
}

// specs are what a model is told of tools.
func specs(tools []tool.Tool) []llm.ToolSpec {
	if len(tools) == 0 {
		return nil
	}
	all := make([]llm.ToolSpec, len(tools))
	for i := range tools {
		all[i] = tools[i].Spec
	}
	return all
}

// find returns the tool of a name.
func (a *Agent) find(name string) *tool.Tool {
	for i := range a.Tools {
		if a.Tools[i].Spec.Name == name {
			return &a.Tools[i]
		}
	}
	return nil
}
