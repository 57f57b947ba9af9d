// Package trace makes spans, files and figures out of what sessions have logged.
//
// A session of package agent is a log of events, and a trace is a fold over it:
// nothing has to be switched on while an agent runs, and a log from last year
// gives the same spans as one that is still being written.
//
//	var f trace.Fold
//	err := trace.Replay(ctx, store, session, &f) // its log, and its sub-agents'
//	for _, run := range f.Runs() {
//		usage, cost := run.Total()
//		for depth, span := range run.All() { ... }
//	}
//
// [Follow] does the same live, into any number of sinks: a [Fold], a [JSONL] file
// of all events or of their metadata alone, the exporter of package trace/otel.
// [Annotate] adds what people, models and programs think of a run to its log, and
// [RollUp] counts over many runs.
//
// Spans tell the truth about what went wrong: what has not ended is open, what
// was open when its run ended has failed with a reason, and a call that was made
// again after a crash shows each attempt. Their ids are computed from those in
// the log, so that folding it again gives the same ones.
package trace

import (
	"encoding/json"
	"iter"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
)

// Kind says what a span is about.
type Kind string

// The kinds of spans, as they nest: a run has turns, a turn has one model call
// and then tool calls, and a sub-agent's run stands below the call that made it.
const (
	KindRun        Kind = "run"        // of an agent; Name is the agent's
	KindTurn       Kind = "turn"       // of a run
	KindModel      Kind = "model"      // a model call with its retries; Name is the model's
	KindTool       Kind = "tool"       // a tool call; Name is the tool's, "unknown tool" where the log shows none of the name
	KindAttempt    Kind = "attempt"    // one of several at a model or tool call
	KindQuestion   Kind = "question"   // from asking to the answer; Name is the tool's
	KindCompaction Kind = "compaction" // of the conversation
)

// An Outcome says in a word how a span ended, and holds nothing that a user, a
// model or a tool has said. A run ends with its [agent.StopReason], a tool call
// with its [agent.Outcome]; the rest is listed here.
type Outcome string

// The outcomes that are not the agent's own.
const (
	Open       Outcome = ""           // it has not ended
	OK         Outcome = "ok"         // it ended well; also the outcome of runs that are done
	Partial    Outcome = "partial"    // the model's stream was cut or broke
	Retried    Outcome = "retried"    // the attempt failed and another one follows
	Lost       Outcome = "lost"       // the process died in it
	Unended    Outcome = "unended"    // what it was part of ended first
	Unanswered Outcome = "unanswered" // the question's call ended first
)

// A Span is something that took time. It is a copy: the fold does not change it
// any more, and its reader may, except for Content, which belongs to the events.
type Span struct {
	ID      string    `json:"id"` // 16 hex digits, the same for the same log
	Kind    Kind      `json:"kind"`
	Name    string    `json:"name"`
	Start   time.Time `json:"start"`
	End     time.Time `json:"end,omitzero"` // zero while it is open
	Outcome Outcome   `json:"outcome"`
	Err     string    `json:"error,omitempty"` // why it failed, in words; may quote anything

	Session string    `json:"session"`
	Run     string    `json:"run,omitempty"`
	Turn    int       `json:"turn,omitempty"`
	Seq     agent.Seq `json:"seq,omitempty"`     // of the event that began it; 0: that was not seen
	Call    string    `json:"call,omitempty"`    // tools, their attempts and questions: the id of the call
	Attempt int       `json:"attempt,omitempty"` // attempts: from 1
	Model   string    `json:"model,omitempty"`   // runs and model calls: "provider/name"

	// Usage and Cost are the span's own, without those of its children, and nil
	// where it has none. Models without a price cost nothing that is known.
	Usage *llm.Usage  `json:"usage,omitempty"`
	Cost  *llm.Micros `json:"cost_micros,omitempty"`

	// Attrs is what else is known, by name, such as finish, effect, tool_kind,
	// decision, turns, tool_calls. Like Outcome it holds nothing that was said.
	Attrs map[string]string `json:"attrs,omitempty"`
	// Notes are what happened at a moment within the span, in order.
	Notes []Note `json:"notes,omitempty"`
	// Annotations are about this span, in the order in which they were first made.
	Annotations []Annotation `json:"annotations,omitempty"`
	// Content is what was said, nil where nothing was.
	Content *Content `json:"content,omitempty"`

	Children []*Span `json:"children,omitempty"` // by start

	child string // not "": it stands for the session of a sub-agent
}

// A Note is something that happened at a moment: a hook had a say, a message
// came in, the context filled, an event came that this version does not know.
type Note struct {
	Time  time.Time         `json:"time"`
	Name  string            `json:"name"` // the event's kind
	Attrs map[string]string `json:"attrs,omitempty"`
}

// Content is what was said in a span.
type Content struct {
	Input  []llm.Message   `json:"input,omitempty"`  // runs, model calls: what joined the conversation since the last one
	Output *llm.Message    `json:"output,omitempty"` // runs: the answer; model calls: the message
	Args   json.RawMessage `json:"args,omitempty"`   // tools: as the tool got them
	Result *llm.ToolResult `json:"result,omitempty"` // tools: as the model sees it
}

// IsOpen reports whether the span has not ended.
func (s *Span) IsOpen() bool { return s.End.IsZero() }

// Failed reports whether the span has ended, and not well.
func (s *Span) Failed() bool { return s.Outcome != Open && s.Outcome != OK }

// Duration is how long the span took, 0 while it is open.
func (s *Span) Duration() time.Duration {
	if s.IsOpen() {
		return 0
	}
	return s.End.Sub(s.Start)
}

// Total is the usage and the cost of the span and all below it. Each is nil when
// no span has one.
//
// Of a run that has ended it is that of its Result, unless a sub-agent was given
// up: what that one went on to use is known to its own log alone.
func (s *Span) Total() (*llm.Usage, *llm.Micros) {
	var usage *llm.Usage
	var cost *llm.Micros
	for _, span := range s.All() {
		usage, cost = plus(usage, span.Usage), plusCost(cost, span.Cost)
	}
	return usage, cost
}

// All yields the span and all below it with their depth, parents first.
func (s *Span) All() iter.Seq2[int, *Span] {
	return func(yield func(int, *Span) bool) { s.walk(0, yield) }
}

func (s *Span) walk(depth int, yield func(int, *Span) bool) bool {
	if !yield(depth, s) {
		return false
	}
	for _, c := range s.Children {
		if !c.walk(depth+1, yield) {
			return false
		}
	}
	return true
}

func plus(sum, more *llm.Usage) *llm.Usage {
	switch {
	case more == nil:
		return sum
	case sum == nil:
		return new(*more)
	}
	return new(sum.Add(*more))
}

func plusCost(sum, more *llm.Micros) *llm.Micros {
	switch {
	case more == nil:
		return sum
	case sum == nil:
		return new(*more)
	}
	return new(*sum + *more)
}

// spend notes what something has used; nothing is none.
func (s *Span) spend(u llm.Usage, c llm.Micros) {
	if u != (llm.Usage{}) {
		s.Usage = plus(s.Usage, &u)
	}
	if c != 0 {
		s.Cost = plusCost(s.Cost, &c)
	}
}

func (s *Span) set(key, value string) {
	if value == "" {
		return
	}
	if s.Attrs == nil {
		s.Attrs = make(map[string]string)
	}
	s.Attrs[key] = value
}

func (s *Span) content() *Content {
	if s.Content == nil {
		s.Content = new(Content)
	}
	return s.Content
}

// close ends the span, once, and with it what is open below it.
func (s *Span) close(at time.Time, o Outcome, err string) {
	if !s.IsOpen() {
		return
	}
	s.closeChildren(at, o, err)
	s.End, s.Outcome, s.Err = later(at, s.Start), o, err
}

// closeChildren fails what is open below the span, which ends with an outcome.
func (s *Span) closeChildren(at time.Time, o Outcome, err string) {
	kept := s.Children[:0]
	for _, c := range s.Children {
		if c.Kind == KindAttempt && c.IsOpen() && c.Start.After(at) {
			continue // it was still waiting to be made
		}
		kept = append(kept, c)
		switch {
		case !c.IsOpen():
		case c.Kind == KindAttempt: // the last one ends as the whole does
			c.close(at, o, err)
		case c.Kind == KindQuestion:
			c.close(at, Unanswered, "the "+string(s.Kind)+" ended before there was an answer")
		default:
			c.close(at, Unended, "the "+string(s.Kind)+" ended before it did")
		}
	}
	s.Children = kept
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
