package agent_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// Runs that share money stop when it is used up.
func ExampleBudget() {
	ctx := context.Background()
	model := llmtest.Func(func(*llm.Request) llmtest.Turn {
		return llmtest.Text("read").Using(llm.Usage{Input: 1000})
	})
	a := agent.Agent{Model: model, Prices: llm.Prices{model.Name(): {Input: 10 * llm.Dollar}}} // a million tokens
	a.Limits.Budget = agent.NewBudget(2 * llm.Cent)
	for i := range 3 {
		_, err := a.Run(ctx, fmt.Sprint("Read page ", i+1))
		fmt.Println(a.Limits.Budget.Spent(), errors.Is(err, agent.ErrMoney))
	}
	// Output:
	// $0.01 false
	// $0.02 false
	// $0.02 true
}

func TestABudgetHoldsForRunsSideBySideAndTheirSubAgents(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	price := llm.Prices{"test/scripted": {Input: 1_000_000}}
	helper := agent.Agent{Model: llmtest.Func(func(*llm.Request) llmtest.Turn {
		calls.Add(1)
		return llmtest.Text("ok").Using(llm.Usage{Input: 10})
	})}
	lead := agent.Agent{
		Model: llmtest.Func(func(*llm.Request) llmtest.Turn {
			calls.Add(1)
			return llmtest.Call("helper", `{"task":"x"}`).Using(llm.Usage{Input: 10})
		}),
		Tools: []tool.Tool{helper.Tool("helper", "helps")}, Prices: price,
	}
	const total, workers = 1000, 8
	lead.Limits.Budget = agent.NewBudget(total)
	lead.Limits.Turns = 1000
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			if res, err := lead.Run(context.Background(), "go"); !errors.Is(err, agent.ErrMoney) {
				t.Errorf("result %+v, %v", res, err)
			}
		})
	}
	group.Wait()
	spent := lead.Limits.Budget.Spent()
	wantEqual(t, "spent", spent, llm.Micros(10*calls.Load()))
	wantEqual(t, "left", lead.Limits.Budget.Left(), total-spent)
	if spent < total || spent > total+10*workers { // each may overspend by the call that it is making
		t.Errorf("spent %d of %d", spent, total)
	}
}

// Sub-agents that work side by side share what their caller has left, also those
// with a budget of their own, and theirs.
func TestSubAgentsSideBySideSpendOnePurse(t *testing.T) {
	t.Parallel()
	const money, call, children = 1000, 100, 8
	one := agent.NewBudget(5000)
	for name, tt := range map[string]struct {
		own  agent.Limits
		lead *agent.Budget
	}{
		"no limit":        {},
		"its own money":   {own: agent.Limits{Money: 900}},
		"its own budget":  {own: agent.Limits{Budget: agent.NewBudget(5000)}},
		"a shared budget": {lead: agent.NewBudget(5000)},
		"both":            {own: agent.Limits{Budget: agent.NewBudget(5000)}, lead: agent.NewBudget(5000)},
		"the same":        {own: agent.Limits{Budget: one}, lead: one},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				prices := llm.Prices{"test/scripted": {Output: 1_000_000}}
				busy := agent.Agent{
					Model: llmtest.Func(func(*llm.Request) llmtest.Turn {
						return llmtest.Call("look", `{}`).Using(llm.Usage{Output: call}).After(time.Second)
					}),
					Tools: []tool.Tool{echo("look", tool.ReadOnly)}, Limits: tt.own,
				}
				busy.Limits.Turns = 50
				var asked atomic.Int64 // calls of the helpers' model, which have no budget of their own
				helper := agent.Agent{Tools: []tool.Tool{busy.Tool("busy", "works")}, Model: llmtest.Func(func(req *llm.Request) llmtest.Turn {
					asked.Add(1)
					if len(req.Messages) > 1 {
						return llmtest.Text("done").Using(llm.Usage{Output: call})
					}
					return llmtest.Call("busy", `{"task":"x"}`).Using(llm.Usage{Output: call})
				})}
				first := llmtest.Text("").Using(llm.Usage{Output: call})
				for i := range children {
					first = first.And([]string{"busy", "helper"}[i%2], `{"task":"x"}`)
				}
				b := open(t, agent.Agent{
					Model: script(first, llmtest.Text("done")), Tools: []tool.Tool{busy.Tool("busy", "works"), helper.Tool("helper", "has it done")},
					Prices: prices, Limits: agent.Limits{Money: money, Budget: tt.lead},
				}, nil)
				res, err := b.Run(t.Context(), "go")
				wantStop(t, res, err, agent.StopMoney, agent.ErrMoney)
				if res.Cost < money || res.Cost > money+children*call { // each may overspend by the call that it is making
					t.Errorf("spent %d of %d", res.Cost, money)
				}
				if tt.lead != nil {
					wantEqual(t, "the lead's budget paid", tt.lead.Spent(), res.Cost)
				}
				if own := tt.own.Budget; own != nil && own != tt.lead {
					wantEqual(t, "the helpers' budget paid", own.Spent(), res.Cost-call*(1+llm.Micros(asked.Load())))
				}
			})
		})
	}
}

// A budget of the sub-agents' own holds for all of them together.
func TestSubAgentsShareABudgetOfTheirOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const call, children = 100, 8
		own := agent.NewBudget(300)
		busy := agent.Agent{
			Model: llmtest.Func(func(*llm.Request) llmtest.Turn {
				return llmtest.Call("look", `{}`).Using(llm.Usage{Output: call}).After(time.Second)
			}),
			Tools: []tool.Tool{echo("look", tool.ReadOnly)}, Limits: agent.Limits{Turns: 50, Budget: own},
		}
		first := llmtest.Text("")
		for range children {
			first = first.And("busy", `{"task":"x"}`)
		}
		b := open(t, agent.Agent{
			Model: script(first, llmtest.Text("done")), Tools: []tool.Tool{busy.Tool("busy", "works")},
			Prices: llm.Prices{"test/scripted": {Output: 1_000_000}}, Limits: agent.Limits{Money: 1_000_000},
		}, nil)
		res := b.ask("go")
		wantEqual(t, "the budget paid", own.Spent(), res.Cost)
		if res.Cost > 300+children*call {
			t.Errorf("spent %d of 300", res.Cost)
		}
	})
}

func TestNoMoneyMeansNoCall(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]agent.Limits{
		"nothing left of what there was": {Money: -5},
		"an empty budget":                {Budget: agent.NewBudget(0)},
		"a budget that was overspent":    {Budget: agent.NewBudget(-1)},
	} {
		m := script()
		b := open(t, agent.Agent{Model: m, Prices: llm.Prices{"test/scripted": {Input: 1}}, Limits: limits}, nil)
		res, err := b.Run(t.Context(), "go")
		wantStop(t, res, err, agent.StopMoney, agent.ErrMoney)
		if len(m.Requests()) != 0 {
			t.Errorf("%s: the model is called", name)
		}
	}
	if _, err := (agent.Agent{Model: script(), Limits: agent.Limits{Budget: agent.NewBudget(5)}}).Open(t.Context(), nil); err == nil {
		t.Error("a budget without a price is taken")
	}
}

// A resumed run does not pay twice.
func TestABudgetCountsWhatIsSpentHere(t *testing.T) {
	t.Parallel()
	store := agent.NewMemoryStore()
	m := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("ok").Using(llm.Usage{Input: 10}) })
	a := agent.Agent{Model: m, Prices: llm.Prices{"test/scripted": {Input: 1_000_000}}}
	for want := llm.Micros(10); want <= 30; want += 10 {
		a.Limits.Budget = agent.NewBudget(100)
		b := open(t, a, &agent.OpenOptions{Store: store, SessionID: "s"})
		b.ask("go")
		b.Close()
		wantEqual(t, "spent", a.Limits.Budget.Spent(), 10)
	}
}

// What no model can mend is loud: a sub-agent that cannot be opened ends the run.
func TestASubAgentThatCannotBeOpenedEndsTheRun(t *testing.T) {
	t.Parallel()
	for name, helper := range map[string]agent.Agent{
		"no model": {},
		"no price": {Model: llmtest.New(), Prices: llm.Prices{"other": {}}},
	} {
		if helper.Model != nil {
			helper.Model.(*llmtest.Model).ID = "test/other"
		}
		m := script(llmtest.Call("helper", `{"task":"x"}`))
		b := open(t, agent.Agent{
			Model: m, Tools: []tool.Tool{helper.Tool("helper", "helps")}, Policy: agent.AllowAll(),
			Prices: llm.Prices{"test/scripted": {Input: 1}}, Limits: agent.Limits{Money: 1000},
		}, nil)
		res, err := b.Run(t.Context(), "go")
		if res.Stop != agent.StopFailed || err == nil {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
}

// A budget of the sub-agent's own is charged as well as its caller's money, also when
// the two are the same one, and after a crash the caller's money is not full again.
func TestABudgetOfTheSubAgentsOwnIsChargedToo(t *testing.T) {
	t.Parallel()
	price := llm.Prices{"test/scripted": {Input: 1_000_000}}
	for _, shared := range []bool{false, true} {
		own, callers := agent.NewBudget(300), agent.NewBudget(1000)
		if shared {
			own = callers
		}
		helper := agent.Agent{
			Limits: agent.Limits{Budget: own, Turns: 100}, Tools: []tool.Tool{echo("look", tool.ReadOnly)},
			Model: llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Call("look", `{}`).Using(llm.Usage{Input: 10}) }),
		}
		lead := agent.Agent{
			Model: script(llmtest.Call("helper", `{"task":"x"}`).Using(llm.Usage{Input: 100}), llmtest.Text("ok")),
			Tools: []tool.Tool{helper.Tool("helper", "")}, Prices: price, Limits: agent.Limits{Money: 500, Budget: callers},
		}
		res, _ := lead.Run(t.Context(), "go")
		wantEqual(t, "the caller's budget", callers.Spent(), res.Cost)
		if most := min(300, 400) + 10; !shared && (own.Spent() < 300 || own.Spent() > llm.Micros(most)) {
			t.Errorf("the sub-agent has spent %d of its 300", own.Spent())
		}
		if res.Cost > 500+10 {
			t.Errorf("the run has cost %d of 500", res.Cost)
		}
	}
}

func TestMoneySpentBeforeACrashIsSpent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := agent.NewMemoryStore()
		crash := agenttest.Crash(inner, 1<<30)
		calls := 0
		helper := agent.Agent{
			Limits: agent.Limits{Turns: 1000}, Tools: []tool.Tool{echo("look", tool.ReadOnly)},
			Model: llmtest.Func(func(*llm.Request) llmtest.Turn {
				if calls++; calls == 50 {
					crash.Kill()
				}
				return llmtest.Call("look", `{}`).Using(llm.Usage{Input: 7})
			}),
		}
		lead := agent.Agent{
			Model: llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Call("helper", `{"task":"x"}`) }),
			Tools: []tool.Tool{helper.Tool("helper", "")}, Prices: llm.Prices{"test/scripted": {Input: 1_000_000}}, Limits: agent.Limits{Money: 1000},
		}
		s, err := lead.Open(t.Context(), &agent.OpenOptions{Store: crash, SessionID: "s"})
		if err != nil {
			t.Fatal(err)
		}
		s.Run(t.Context(), "go")
		s.Close()
		b := open(t, lead, &agent.OpenOptions{Store: inner, SessionID: "s"})
		res, err := b.wait()
		wantStop(t, res, err, agent.StopMoney, agent.ErrMoney)
		if res.Cost > 1000+20 {
			t.Errorf("the run has cost %d of 1000", res.Cost)
		}
	})
}

// A priced model knows what an answer costs, by how long the prompt was.
type priced struct {
	*llmtest.Model
	known bool
	err   error
}

func (p priced) Cost(u llm.Usage) (llm.Micros, bool) { return llm.Micros(u.Input * u.Input), p.known }
func (p priced) Err() error                          { return p.err }

func TestAModelMayKnowItsPrice(t *testing.T) {
	t.Parallel()
	m := priced{Model: llmtest.New(llmtest.Text("ok").Using(llm.Usage{Input: 5})), known: true}
	res, err := agent.Agent{Model: m, Limits: agent.Limits{Money: 100}}.Run(t.Context(), "go")
	if err != nil || res.Cost != 25 {
		t.Errorf("cost %d, %v; want 25 by the model's own count", res.Cost, err)
	}
	m.Model = llmtest.New(llmtest.Text("ok").Using(llm.Usage{Input: 5}))
	prices := llm.Prices{m.Name(): {Input: 2_000_000}}
	if res, err = (agent.Agent{Model: m, Prices: prices}).Run(t.Context(), "go"); err != nil || res.Cost != 10 {
		t.Errorf("cost %d, %v; want 10 by the agent's prices", res.Cost, err)
	}
	m.known = false
	if _, err = (agent.Agent{Model: m, Limits: agent.Limits{Money: 100}}).Open(t.Context(), nil); err == nil {
		t.Error("a limit on money is taken with a price that is not known")
	}
}

func TestAModelThatCannotBeAskedIsNotOpened(t *testing.T) {
	t.Parallel()
	m := priced{Model: script(), err: &llm.Error{Kind: llm.KindAuth, Provider: "acme", Err: errors.New("there is no key")}}
	for name, a := range map[string]agent.Agent{
		"its own model":     {Model: m},
		"the compaction's":  {Model: script(), Compact: agent.TwoStage{Model: m}},
		"the compaction's,": {Model: script(), Compact: &agent.TwoStage{Model: m}},
	} {
		if _, err := a.Open(t.Context(), nil); !errors.Is(err, llm.ErrAuth) {
			t.Errorf("%s: %v, want what the model says", name, err)
		}
	}
}
