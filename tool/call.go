package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
)

// A Call is one call of a tool, as its function, policies and hooks see it.
// It is shared for reading: do not change it.
type Call struct {
	ID   string          // the model's id of the call
	Name string          // the tool
	Args json.RawMessage // checked arguments

	Effect Effect
	Kind   Kind
	Key    string   // canonical permission key, see [WithKey]
	Keys   []string // all the keys if there are several, Key first; see [WithKeys]

	// IdempotencyKey is the same each time this very call is made, also after a
	// crash: hand it to services that can drop repeats.
	IdempotencyKey string

	Session string // id of the session, "" outside of one
	User    string // whom the session belongs to
	Run     string
	Turn    int // the model call of the run that asked for this, from 1

	// Resumed tells that the session had a log when it was opened: what its earlier
	// calls have left in the memory of a process is gone, unless it was this one.
	Resumed bool

	// Host is what the call runs in; nil outside of an agent. Use the methods.
	Host Host
}

// A Host carries what a running call says to the outside.
type Host interface {
	// Progress shows a part of the work; it may be lost.
	Progress(part llm.Part)
	// Ask puts a question to the user and waits.
	Ask(ctx context.Context, q Question) (Answer, error)
}

type callKey struct{}

// WithCall returns a context whose [CallFrom] is c. Agents use it, and tests of
// tools that look at their call.
func WithCall(ctx context.Context, c *Call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// CallFrom returns the call that ctx belongs to. Outside of a call it returns an
// empty one, never nil, so that tools work in plain Go code too.
func CallFrom(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c
	}
	return &Call{}
}

// Step returns a context for one of several things that a call does: the call in it
// is the same, but has an IdempotencyKey of its own, made of the call's and name.
// The same name gives the same key each time the call is made.
func Step(ctx context.Context, name string) context.Context {
	c := *CallFrom(ctx)
	c.IdempotencyKey += "/" + name
	return WithCall(ctx, &c)
}

// Progress shows something to whoever watches, while the call runs; in a sub-agent
// to those who watch its caller too. It is not kept and not seen by the model.
// Outside of an agent it does nothing.
func (c *Call) Progress(part llm.Part) {
	if c.Host != nil {
		c.Host.Progress(part)
	}
}

// ErrExpired is what [Call.Ask] returns when nobody has answered in time.
var ErrExpired = errors.New("nobody has answered the question in time")

// ErrNoAsker is what [Call.Ask] returns where nobody can answer.
var ErrNoAsker = errors.New("nobody is there to answer a question")

// Ask puts a question to the user and waits for the answer, as long as ctx
// allows: the tool's timeout stands still meanwhile. ID, Call and Tool are
// filled in. An answer that comes back fits the question (see [Answer.Fits]).
// Without an approver, and outside of an agent, it fails with [ErrNoAsker]; when
// nobody has answered in time with [ErrExpired].
//
// After a crash the tool runs again only if its effect allows it; questions that
// were answered by then are answered at once.
func (c *Call) Ask(ctx context.Context, q Question) (Answer, error) {
	if err := q.Validate(); err != nil {
		return Answer{}, err
	}
	if c.Host == nil {
		return Answer{}, ErrNoAsker
	}
	a, err := c.Host.Ask(ctx, q)
	if err == nil {
		err = a.Fits(&q)
	}
	return a, err
}

// A Question is put to the user: by a tool, or by an agent that needs
// permission for a call.
type Question struct {
	ID         string   `json:"id"`
	Permission bool     `json:"permission,omitempty"` // may the call be made?
	Header     string   `json:"header,omitempty"`     // a word or two, for a title
	Text       string   `json:"text"`
	Choices    []Choice `json:"choices,omitempty"` // none: free text
	Multiple   bool     `json:"multiple,omitempty"`

	// Expires is when the question stands no longer, the zero time for never.
	Expires time.Time `json:"expires,omitzero"`

	Call string          `json:"call,omitempty"` // id of the call that it is about
	Tool string          `json:"tool,omitempty"`
	Args json.RawMessage `json:"args,omitempty"` // with Permission: what the tool would get

	Keys   []string `json:"keys,omitempty"`   // with Permission: the call's permission keys, if the tool has any
	Reason string   `json:"reason,omitempty"` // with Permission: why it is asked, if the policy can tell
}

// Expired reports whether the question stands no longer.
func (q *Question) Expired(now time.Time) bool {
	return !q.Expires.IsZero() && !now.Before(q.Expires)
}

// A Choice is one answer on offer.
type Choice struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// Validate reports what is wrong with a question: no text, or choices that are
// blank or twice the same.
func (q *Question) Validate() error {
	if strings.TrimSpace(q.Text) == "" {
		return errors.New("ask: the question has no text")
	}
	for i, c := range q.Choices {
		if strings.TrimSpace(c.Label) == "" {
			return errors.New("ask: a choice has no label")
		}
		if slices.ContainsFunc(q.Choices[:i], func(o Choice) bool { return o.Label == c.Label }) {
			return errors.New("ask: two choices are labelled " + c.Label)
		}
	}
	return nil
}

// An Answer picks choices of a [Question], or says something else in Text.
type Answer struct {
	Choices []string `json:"choices,omitempty"` // labels
	Text    string   `json:"text,omitempty"`    // free text; with a denial, the reason told to the model
}

// The labels of a permission question. Always is not on offer in every one.
const (
	Allow  = "allow"  // this call
	Deny   = "deny"   // not this call
	Always = "always" // this call and, in this session, all later ones that the question tells of
)

// Yes is the answer that lets a call be made.
func Yes() Answer { return Answer{Choices: []string{Allow}} }

// No is the answer that denies a call; the model is told why.
func No(reason string) Answer { return Answer{Choices: []string{Deny}, Text: reason} }

// Chose reports whether the answer picks a label. Case and surrounding blanks do
// not matter, as people type them.
func (a Answer) Chose(label string) bool {
	return slices.ContainsFunc(a.Choices, func(c string) bool { return strings.EqualFold(strings.TrimSpace(c), label) })
}

// Fits reports what is wrong with an answer to q: a label that was not offered or
// is there twice, several where one was asked for, nothing at all. A text in place
// of a choice is fine, but for a permission, which is given or not; its labels may
// be spelled as [Answer.Chose] takes them.
func (a Answer) Fits(q *Question) error {
	for i, label := range a.Choices {
		one := Answer{Choices: []string{label}}
		if !slices.ContainsFunc(q.Choices, func(c Choice) bool { return c.Label == label || q.Permission && one.Chose(c.Label) }) {
			return fmt.Errorf("answer: %s is not among the choices", label)
		}
		if slices.Contains(a.Choices[:i], label) {
			return fmt.Errorf("answer: %s is chosen twice", label)
		}
	}
	switch {
	case len(a.Choices) > 1 && !q.Multiple:
		return errors.New("answer: one choice is asked for")
	case len(a.Choices) == 0 && (q.Permission || strings.TrimSpace(a.Text) == ""):
		return errors.New("answer: nothing is chosen")
	}
	return nil
}
