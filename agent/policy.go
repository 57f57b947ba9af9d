package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/helios-go/helios/tool"
)

// Decision is what a [Policy] says about a call. The zero value asks.
type Decision uint8

// The decisions.
const (
	Ask   Decision = iota // ask the Approver; without one, deny
	Allow                 // run it
	Deny                  // do not run it, and tell the model
)

var decisionNames = [...]string{"ask", "allow", "deny"}

// String names the decision as the log does.
func (d Decision) String() string {
	if int(d) < len(decisionNames) {
		return decisionNames[d]
	}
	return fmt.Sprintf("decision(%d)", d)
}

// MarshalText writes the name.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a name; one that it does not know asks.
func (d *Decision) UnmarshalText(text []byte) error {
	*d = Decision(max(0, slices.Index(decisionNames[:], string(text))))
	return nil
}

// A Policy decides whether a call may run. It sees the checked arguments and
// the canonical key, after everything that could still change them. An error
// denies the call, and its text tells the model why: "denied: " and the error. It is
// safe for concurrent use, and may be asked more than once about a call.
//
// A policy may have a method Check() error: [Agent.Open] fails with what it says.
type Policy interface {
	Decide(ctx context.Context, c *tool.Call) (Decision, error)
}

// A PolicyFunc is a function that decides.
type PolicyFunc func(ctx context.Context, c *tool.Call) (Decision, error)

// Decide calls f.
func (f PolicyFunc) Decide(ctx context.Context, c *tool.Call) (Decision, error) { return f(ctx, c) }

// AllowTools is the default policy, and allows the named tools besides.
func AllowTools(names ...string) Policy {
	return PolicyFunc(func(ctx context.Context, c *tool.Call) (Decision, error) {
		if slices.Contains(names, c.Name) {
			return Allow, nil
		}
		return decideByEffect(ctx, c)
	})
}

// AllowAll allows every call.
func AllowAll() Policy {
	return PolicyFunc(func(context.Context, *tool.Call) (Decision, error) { return Allow, nil })
}

// Strictest asks several policies: one that denies wins over one that asks, and
// that over one that allows. Without policies it asks.
func Strictest(policies ...Policy) Policy { return strictest(policies) }

type strictest []Policy

// Decide implements [Policy].
func (s strictest) Decide(ctx context.Context, c *tool.Call) (Decision, error) {
	all := Allow
	if len(s) == 0 {
		all = Ask
	}
	for _, p := range s {
		switch d, err := p.Decide(ctx, c); {
		case err != nil || d != Allow && d != Ask:
			return Deny, err
		case d == Ask:
			all = Ask
		}
	}
	return all, nil
}

// Explain gives the reason of the policy that decides.
func (s strictest) Explain(ctx context.Context, c *tool.Call) (Decision, string) {
	all, why := Allow, "all policies allow it"
	if len(s) == 0 {
		all, why = Ask, "no policy allows it"
	}
	for _, p := range s {
		switch d, reason := explain(ctx, p, c); {
		case d == Deny:
			return d, reason
		case d == Ask && all == Allow:
			all, why = d, reason
		}
	}
	return all, why
}

// Check checks those that can be wrong.
func (s strictest) Check() error {
	for i, p := range s {
		if p == nil {
			return fmt.Errorf("strictest: policy %d is nil", i+1)
		}
		if err := checkPolicy(p, nil); err != nil {
			return err
		}
	}
	return nil
}

func (s strictest) fits(tools []tool.Tool) error {
	for _, p := range s {
		if err := checkPolicy(p, tools); err != nil {
			return err
		}
	}
	return nil
}

// checkPolicy reports what is wrong with a policy, by itself and with the tools
// that it is for. A panic is something wrong, too.
func checkPolicy(p Policy, tools []tool.Tool) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the policy panicked: %v", v)
		}
	}()
	if c, ok := p.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return err
		}
	}
	if f, ok := p.(interface{ fits([]tool.Tool) error }); ok {
		return f.fits(tools)
	}
	return nil
}

// An Explainer is a [Policy] that can tell why. Explain decides as Decide does;
// the reason is in words that complete the sentence "this was decided because",
// and may go to the model.
type Explainer interface {
	Policy
	Explain(ctx context.Context, c *tool.Call) (Decision, string)
}

// Explain tells what the agent's policy decides about a call, and why, without
// making it. Hooks, limits and what was granted in a session do not count.
func (a Agent) Explain(ctx context.Context, name string, args json.RawMessage) (Decision, string) {
	t := a.find(name)
	if t == nil {
		return Deny, fmt.Sprintf("there is no tool %q%s", name, a.suggest(name, nil))
	}
	if err := checkPolicy(a.Policy, a.Tools); err != nil {
		return Deny, err.Error()
	}
	c := &tool.Call{Name: name, Args: args, Effect: t.Effect, Kind: t.Kind}
	if _, err := checkCall(c, t); err != nil {
		return Deny, err.Error()
	}
	if a.Policy == nil {
		d, _ := decideByEffect(ctx, c)
		if d == Allow {
			return d, "without a policy, what only reads and sub-agents are allowed"
		}
		return d, "without a policy, what may do more than read is asked about"
	}
	return explain(ctx, a.Policy, c)
}

// explain decides, as Decide would, and says why as well as it can.
func explain(ctx context.Context, p Policy, c *tool.Call) (d Decision, why string) {
	defer func() {
		if v := recover(); v != nil {
			d, why = Deny, errPolicy.Error()
		}
	}()
	if e, ok := p.(Explainer); ok {
		d, why = e.Explain(ctx, c)
	} else {
		var err error
		if d, err = p.Decide(ctx, c); err != nil {
			return Deny, err.Error()
		}
		why = "the policy " + verbs[min(int(d), int(Deny))] + " it"
	}
	if d != Allow && d != Ask {
		d = Deny
	}
	return d, why
}

// errPolicy is all that the model learns of a policy that panicked.
var errPolicy = errors.New("the policy failed")

// decideByEffect is the policy of an agent without one. Handing work to a
// sub-agent is allowed: what that one does is decided call by call.
func decideByEffect(_ context.Context, c *tool.Call) (Decision, error) {
	if c.Effect == tool.ReadOnly || c.Kind == tool.KindDelegate {
		return Allow, nil
	}
	return Ask, nil
}

// An Approver answers questions: whether a call may run, and what tools ask
// with [tool.Call.Ask]. It may take its time; ctx ends when the run stops or
// when somebody else has answered. An error denies, or fails the tool's Ask. What
// the model gets of a denied call is the error result "denied by the user", with
// the reason behind it where there is one (see tool.No), or "denied: " and the error.
// It is called from a goroutine of its own, several at the same time where tools ask
// side by side.
type Approver interface {
	Approve(ctx context.Context, q *tool.Question) (tool.Answer, error)
}

// An ApproverFunc is a function that answers.
type ApproverFunc func(ctx context.Context, q *tool.Question) (tool.Answer, error)

// Approve calls f.
func (f ApproverFunc) Approve(ctx context.Context, q *tool.Question) (tool.Answer, error) {
	return f(ctx, q)
}

// ErrLater is what an [Approver] returns to leave a question open until
// [Session.Answer], from this process or another, now or after a restart.
var ErrLater = errors.New("the answer comes later")

// Later is the Approver that leaves every question to [Session.Answer]. A run
// that only waits for permissions is parked: the session holds no goroutine and
// no lease meanwhile.
var Later Approver = ApproverFunc(func(context.Context, *tool.Question) (tool.Answer, error) {
	return tool.Answer{}, ErrLater
})
