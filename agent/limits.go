package agent

import (
	"time"

	"github.com/helios-go/helios/llm"
)

// Limits bound a run, not a session. A zero field is its default. They are checked
// before each model call, money also before the calls of a message are made, and
// the times all the while; an answer that is there is never thrown away for them.
type Limits struct {
	// Turns is how many model calls a run may make, by default 100. The last one
	// is kept for an answer: the model can call only tools marked final in it, and
	// is told so.
	Turns int
	// ToolCalls is how many calls the model may make in a run, by default 1,000,
	// those that fail included. Beyond it calls are refused and the next turn is
	// the last one.
	ToolCalls int
	// Money is what a run may cost; 0 is no limit, and less than 0 nothing at all.
	// A run stops once it has cost more, before any further call of a model or a
	// tool, so one model call may overspend it. It needs a price for the model.
	Money llm.Micros
	// Budget is money that the run shares with others; nil is no limit. It stops
	// when nothing is left, and each run that goes on by then may overspend it by one
	// model call. Sub-agents spend from it too, also those with a budget of their own.
	Budget *Budget
	// Wall is how long a run may take, by default an hour; waiting for answers
	// while parked does not count.
	Wall time.Duration

	// Context is how many tokens a request may have; 0 is what the model's window
	// leaves, or 180,000 where that is not known.
	Context int64

	// ToolTime bounds a tool call that has no timeout of its own, by default two
	// minutes. Time spent asking the user does not count.
	ToolTime time.Duration
	// Answer is how long a question waits for its answer, also while the run is
	// parked; 0 is as long as it takes. After that a permission is denied, and a
	// tool's question fails with tool.ErrExpired.
	Answer time.Duration
	// Grace is how long a tool or a model may take to return once its call is
	// cancelled, by default two seconds. After it the run goes on without it.
	Grace time.Duration
	// Idle is how long a model's stream may be silent, by default five minutes: a
	// model that thinks need not say so. Providers find a dead connection sooner.
	Idle time.Duration
	// Retries is how often a model call is made again after a failure that a
	// repeat may cure and before anything of the answer was shown, by default
	// twice; negative: never.
	Retries int
	// Parallel is how many ReadOnly calls run at the same time, by default 8.
	Parallel int
	// Waiting is how many messages may wait for a run to take them, by default 256.
	// Send refuses more with ErrFull.
	Waiting int
	// ResultBytes bounds the text of one tool result, by default 256 KiB. What is
	// beyond is cut, and the model is told.
	ResultBytes int
}

func (l Limits) withDefaults() Limits {
	def(&l.Turns, 100)
	def(&l.ToolCalls, 1000)
	def(&l.Wall, time.Hour)
	def(&l.ToolTime, 2*time.Minute)
	def(&l.Grace, 2*time.Second)
	def(&l.Idle, 5*time.Minute)
	if l.Retries == 0 {
		l.Retries = 2
	}
	def(&l.Parallel, 8)
	def(&l.Waiting, 256)
	def(&l.ResultBytes, 256<<10)
	return l
}

func def[T int | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// left is what a fresh run has.
func (l *Limits) left() Left {
	return Left{Turns: l.Turns, ToolCalls: l.ToolCalls, Wall: l.Wall, Money: l.Money}
}
