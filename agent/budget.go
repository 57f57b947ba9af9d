package agent

import (
	"math"
	"slices"
	"sync"

	"github.com/helios-go/helios/llm"
)

// A Budget is money that several runs spend together, one after the other or at
// the same time: see [Limits].Budget. It counts what the runs of this process
// spend, so one that is made anew after a restart knows nothing of what was spent
// before: see Budget.Spend. It is safe for concurrent use; nil is no limit.
type Budget struct {
	within []*Budget // that this one spends from too

	mu    sync.Mutex
	total llm.Micros
	spent llm.Micros
}

// NewBudget returns a budget of so much money. Nothing or less means that nothing
// may be spent.
func NewBudget(total llm.Micros) *Budget { return &Budget{total: total} }

// Left is what is left. It is negative when the last calls have cost more than
// there was.
func (b *Budget) Left() llm.Micros {
	if b == nil {
		return math.MaxInt64
	}
	b.mu.Lock()
	left := b.total - b.spent
	b.mu.Unlock()
	for _, w := range b.within {
		left = min(left, w.Left())
	}
	return left
}

// Spent is what was spent.
func (b *Budget) Spent() llm.Micros {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// Spend takes money out, whether or not there is enough: what was paid is paid.
func (b *Budget) Spend(m llm.Micros) {
	if b == nil {
		return
	}
	b.mu.Lock()
	b.spent = b.spent.Add(m)
	b.mu.Unlock()
	for _, w := range b.within {
		w.Spend(m)
	}
}

// covers reports whether what is spent from b is spent from another one as well.
func (b *Budget) covers(other *Budget) bool {
	return b == other || b != nil && slices.ContainsFunc(b.within, func(w *Budget) bool { return w.covers(other) })
}

// owe notes what was spent before, and is no longer known to those that this budget
// spends from.
func (b *Budget) owe(m llm.Micros) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent = b.spent.Add(m)
}

// purse is what the sub-agents of a run spend from: what is left of the run's own
// money, all of them together, and of the budget that it shares with others. It is
// nil where there is no limit. Called with mu held.
func (s *Session) purse(l *loop) *Budget {
	limits := &s.agent.Limits
	if limits.Money <= 0 {
		return limits.Budget
	}
	if l.purse == nil {
		l.purse = &Budget{total: limits.Money - s.st.current().cost}
		if limits.Budget != nil {
			l.purse.within = []*Budget{limits.Budget}
		}
	}
	return l.purse
}

// payer is the budget that pays for what the run itself spends, nil for none.
func (s *Session) payer(l *loop) *Budget {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.purse != nil {
		return l.purse
	}
	return s.agent.Limits.Budget
}

// charge has the budget pay for what an event tells of. What a sub-agent spends
// is paid by its own session.
func (b *Budget) charge(d EventData) {
	switch d := d.(type) {
	case *ModelMessage:
		b.Spend(d.Cost)
	case *ModelRetried:
		b.Spend(d.Cost)
	case *ContextEdited:
		b.Spend(d.Cost)
	}
}

// broke reports whether there is no money for a further call, when a run has
// spent so much, and so much of it is not in the budget yet. An answer that took
// the last of the budget may still have its tools run.
func (l *Limits) broke(spent, uncharged llm.Micros) bool {
	if l.Money < 0 || l.Money > 0 && spent > l.Money {
		return true
	}
	if l.Budget == nil {
		return false
	}
	left := l.Budget.Left() - uncharged
	return left < 0 || left == 0 && uncharged == 0
}
