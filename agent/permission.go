package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/helios-go/helios/tool"
)

// Permissions is a [Policy] of rules, and of a mode for what no rule is about.
//
//	agent.Permissions{
//		Mode:  agent.ModeAcceptEdits,
//		Allow: []agent.Rule{{Tool: "fetch", Key: "https://cdaweb.gsfc.nasa.gov/**"}},
//		Deny:  []agent.Rule{{Tool: "*", Key: "**/secrets.*"}},
//	}
//
// The first of these that applies decides, whatever the order of the rules:
// a Deny rule denies; ModeBypass allows; an Ask rule asks; an Allow rule allows;
// the mode decides. Of a call with several keys, one is enough to be denied or
// asked about, and all of them must be allowed, see [tool.WithKeys]. Something
// wrong with the permissions themselves denies every call; [Agent.Open] and Check
// tell what.
//
// The zero value is the default mode without rules. It is safe for concurrent use
// as long as it is not changed. Read from JSON it has a mode's name and rules as
// text: {"mode":"plan","deny":["write(**/secrets.*)"]}.
type Permissions struct {
	Mode  Mode   `json:"mode"`
	Allow []Rule `json:"allow,omitempty"`
	Ask   []Rule `json:"ask,omitempty"`
	Deny  []Rule `json:"deny,omitempty"`
}

// A Mode is what [Permissions] do about calls that no rule is about. It goes by
// the [tool.Kind]; a tool to read or search that is not ReadOnly counts as one to
// execute, and so does one whose kind is not known.
//
//	                default  accept edits  plan   bypass  locked down
//	read, search    allow    allow         allow  allow   deny
//	write           ask      allow         deny   allow   deny
//	execute         ask      ask           deny   allow   deny
//	network         ask      ask           deny   allow   deny
//	control         allow    allow         allow  allow   deny
//	delegate        allow    allow         allow  allow   deny
//
// A sub-agent decides by its own policy. That is why, in plan mode, handing work
// to one that can do more than read is asked about.
type Mode uint8

// The modes.
const (
	ModeDefault     Mode = iota // look freely, ask before doing anything
	ModeAcceptEdits             // writing is allowed too
	ModePlan                    // look, and change nothing
	ModeBypass                  // only Deny rules hold
	ModeLockedDown              // only what rules allow
)

var modeNames = [...]string{"default", "accept_edits", "plan", "bypass", "locked_down"}

// String names the mode as configuration does.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("mode(%d)", m)
}

// MarshalText writes the name.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), m.check() }

// UnmarshalText reads a name; one that it does not know is an error.
func (m *Mode) UnmarshalText(text []byte) error {
	i := slices.Index(modeNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("permissions: there is no mode %q; there are %q", text, modeNames)
	}
	*m = Mode(i)
	return nil
}

func (m Mode) check() error {
	if int(m) >= len(modeNames) {
		return fmt.Errorf("permissions: there is no mode %d", m)
	}
	return nil
}

// kindOf is the kind that a mode goes by.
func kindOf(c *tool.Call) tool.Kind {
	switch c.Kind {
	case tool.KindDefault, tool.KindRead, tool.KindSearch:
		if c.Effect != tool.ReadOnly {
			return tool.KindExecute
		}
		return tool.KindRead
	case tool.KindWrite, tool.KindNetwork, tool.KindControl, tool.KindDelegate:
		return c.Kind
	}
	return tool.KindExecute
}

// decide is what the mode says. Bypass is decided before.
func (m Mode) decide(c *tool.Call) Decision {
	k := kindOf(c)
	if m == ModeLockedDown {
		return Deny
	}
	switch k {
	case tool.KindRead, tool.KindControl:
		return Allow
	case tool.KindDelegate:
		if m == ModePlan && c.Effect != tool.ReadOnly {
			return Ask
		}
		return Allow
	}
	switch {
	case m == ModePlan:
		return Deny
	case m == ModeAcceptEdits && k == tool.KindWrite:
		return Allow
	}
	return Ask
}

// Check reports what is wrong with the mode or the first malformed rule.
func (p Permissions) Check() error {
	if err := p.Mode.check(); err != nil {
		return err
	}
	for _, list := range p.lists() {
		for i := range list.rules {
			if err := list.rules[i].Check(); err != nil {
				return fmt.Errorf("permissions: %s %w", list.name, err)
			}
		}
	}
	return nil
}

// fits reports the first rule that can never match what it is meant for.
func (p Permissions) fits(tools []tool.Tool) error {
	for _, list := range p.lists() {
		for i := range list.rules {
			if err := list.rules[i].fits(tools); err != nil {
				return fmt.Errorf("permissions: %s %w", list.name, err)
			}
		}
	}
	return nil
}

type ruleList struct {
	name  string
	rules []Rule
}

func (p *Permissions) lists() [3]ruleList {
	return [...]ruleList{{"deny", p.Deny}, {"allow", p.Allow}, {"ask", p.Ask}}
}

// maxKey bounds the time that matching takes: a key is the model's to choose.
const maxKey = 64 << 10

// Decide implements [Policy]. What is denied is denied with an error that names
// the rule or the mode.
func (p Permissions) Decide(_ context.Context, c *tool.Call) (Decision, error) {
	d, rule, err := p.decide(c)
	if d == Deny {
		err = errors.New(p.reason(c, d, rule, err))
	}
	return d, err
}

// Explain implements [Explainer].
func (p Permissions) Explain(_ context.Context, c *tool.Call) (Decision, string) {
	d, rule, err := p.decide(c)
	return d, p.reason(c, d, rule, err)
}

// decide returns the rule that decided, nil for the mode, or what is wrong.
func (p *Permissions) decide(c *tool.Call) (Decision, *Rule, error) {
	if err := p.Check(); err != nil {
		return Deny, nil, err
	}
	one := [...]string{c.Key}
	keys := one[:]
	if len(c.Keys) > 0 {
		keys = c.Keys
	}
	for _, key := range keys {
		if len(key) > maxKey {
			return Deny, nil, fmt.Errorf("permissions: a key of %d bytes is too long to check", len(key))
		}
	}
	if r := restricting(p.Deny, c.Name, keys); r != nil {
		return Deny, r, nil
	}
	if p.Mode == ModeBypass {
		return Allow, nil, nil
	}
	if r := restricting(p.Ask, c.Name, keys); r != nil {
		return Ask, r, nil
	}
	if r := allowing(p.Allow, c.Name, keys); r != nil {
		return Allow, r, nil
	}
	return p.Mode.decide(c), nil, nil
}

// restricting is a rule that is about one of the keys.
func restricting(rules []Rule, name string, keys []string) *Rule {
	for i := range rules {
		for _, key := range keys {
			if rules[i].restricts(name, key) {
				return &rules[i]
			}
		}
	}
	return nil
}

// allowing is the rule for the first key, if each key has one.
func allowing(rules []Rule, name string, keys []string) *Rule {
	var first *Rule
	for _, key := range keys {
		i := slices.IndexFunc(rules, func(r Rule) bool { return r.allows(name, key) })
		if i < 0 {
			return nil
		}
		if first == nil {
			first = &rules[i]
		}
	}
	return first
}

// verbs say what a decision does.
var verbs = [...]string{Ask: "asks about", Allow: "allows", Deny: "forbids"}

// reason says in words what decided. It goes to the model, so it names no other
// rule.
func (p *Permissions) reason(c *tool.Call, d Decision, rule *Rule, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case rule != nil:
		return fmt.Sprintf("the rule %s %s it", rule, verbs[d])
	case p.Mode == ModeLockedDown:
		return "locked_down mode forbids what no rule allows"
	case p.Mode == ModeBypass:
		return "bypass mode allows it"
	case kindOf(c) == tool.KindDelegate && d == Ask:
		return "plan mode asks about sub-agents that can do more than read"
	case kindOf(c) == tool.KindExecute && c.Kind != tool.KindExecute:
		return fmt.Sprintf("%s mode %s tools that are not known to only read", p.Mode, verbs[d])
	}
	k := c.Kind
	if k == tool.KindDefault {
		k = kindOf(c)
	}
	return fmt.Sprintf("%s mode %s tools of kind %s", p.Mode, verbs[d], k)
}
