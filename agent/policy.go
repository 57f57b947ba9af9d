package agent

import (
	"context"
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
// denies the call, and its text tells the model why. It is safe for concurrent
// use.
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
func Strictest(policies ...Policy) Policy {
	return PolicyFunc(func(ctx context.Context, c *tool.Call) (Decision, error) {
		if len(policies) == 0 {
			return Ask, nil
		}
		all := Allow
		for _, p := range policies {
			d, err := p.Decide(ctx, c)
			if err != nil || d == Deny {
				return Deny, err
			}
			if d != Allow {
				all = Ask
			}
		}
		return all, nil
	})
}

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
// when somebody else has answered. An error denies, or fails the tool's Ask.
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
