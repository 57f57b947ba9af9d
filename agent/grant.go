package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/helios-go/helios/tool"
)

// A Grant is what somebody allowed for the rest of a session by answering a
// permission question with [tool.Always]: later calls of the tool whose keys are
// the same, see [tool.WithKey]. Calls that a policy denies stay denied. Without
// Keys the tool has none, and all its calls are meant.
//
// Grants are in the log, so they outlive a restart, and a fork starts with those
// there were. A sub-agent's session has its own.
type Grant struct {
	Tool string   `json:"tool"`
	Keys []string `json:"keys,omitempty"`
}

// Grants returns what was granted in the session so far.
func (s *Session) Grants() []Grant {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.st.granted())
}

func (s *state) granted() []Grant {
	if s.grants == nil {
		return nil
	}
	return *s.grants
}

func (s *state) grant(more ...Grant) {
	if len(more) > 0 {
		all := append(s.granted(), more...)
		s.grants = &all
	}
}

// permPrefix begins the ids of permission questions.
const permPrefix = "perm_"

// answer notes the answer to a question. One that says always to a question that
// offered it, and that is the session's own, not one of its sub-agents', is a
// grant, and answers the open questions that it covers.
func (s *state) answer(d *QuestionAnswered) {
	a := s.question(d.ID)
	if a == nil || a.answer != nil {
		return
	}
	a.answer = d
	if d.Expired || !s.asksPermission(a.q) || !d.Answer.Chose(tool.Always) || d.Answer.Fits(a.q) != nil {
		return
	}
	g := grantOf(a.q)
	if !slices.ContainsFunc(s.granted(), g.equal) {
		s.grant(g)
	}
	for i := range s.run.asked {
		if o := &s.run.asked[i]; o.answer == nil && s.asksPermission(o.q) && g.equal(grantOf(o.q)) {
			o.answer = &QuestionAnswered{ID: o.q.ID, Answer: tool.Answer{Choices: []string{tool.Allow}}}
		}
	}
}

// asksPermission reports whether a question is about a call of this session's run.
func (s *state) asksPermission(q *tool.Question) bool {
	return q.Permission && s.run != nil && strings.HasPrefix(q.ID, permPrefix+s.run.id+"/")
}

func grantOf(q *tool.Question) Grant { return Grant{Tool: q.Tool, Keys: q.Keys} }

func (g Grant) equal(o Grant) bool {
	return g.Tool == o.Tool && (g.Keys == nil) == (o.Keys == nil) && slices.Equal(g.Keys, o.Keys)
}

// known is what the log says about a call that needs permission: the question about
// it, if there is one, and the answer to that; or that an earlier answer has granted
// it. The question must have been about the same arguments, for hooks may have
// other ideas today.
func (r *run) known(c *tool.Call, t *tool.Tool) (*tool.Question, *tool.Answer, error) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	st := &r.s.st
	if a := st.question(permPrefix + c.IdempotencyKey); a != nil {
		args := c.Args
		if red := r.s.redactor(); red != nil {
			args, _ = red.JSON(args) // as the question has them
		}
		switch {
		case !sameJSON(a.q.Args, args):
			return a.q, nil, errChanged
		case a.answer == nil:
			return a.q, nil, nil
		case a.answer.Expired:
			return a.q, nil, tool.ErrExpired
		}
		return a.q, &a.answer.Answer, nil
	}
	if granted := st.granted(); len(granted) > 0 && slices.ContainsFunc(granted, Grant{Tool: c.Name, Keys: keysOf(c, t)}.equal) {
		return nil, &tool.Answer{Choices: []string{tool.Allow}}, nil
	}
	return nil, nil, nil
}

// errChanged is why permission for a call is not taken for another one.
var errChanged = errors.New("its arguments are no longer those that permission was asked for")

func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// mayRun is the answer to whether a call may run, which is asked unless it is
// known. One that does not fit the question is an error.
func (r *run) mayRun(c *tool.Call, t *tool.Tool) (tool.Answer, error) {
	q, known, err := r.known(c, t)
	switch {
	case err != nil:
		return tool.Answer{}, err
	case known != nil && q == nil:
		return *known, nil
	case known != nil:
		return *known, known.Fits(q)
	case q == nil:
		q = r.permission(c, t)
	}
	a, err := r.ask(r.ctx, q, false)
	if err == nil {
		err = a.Fits(q)
	}
	return a, err
}

// keysOf are all the keys of a call, nil for a tool without.
func keysOf(c *tool.Call, t *tool.Tool) []string {
	if len(c.Keys) > 0 || !t.HasKey() {
		return c.Keys
	}
	return []string{c.Key}
}

// maxShown is as much of a call's keys as a question shows, in bytes. What it
// cannot show it cannot grant either.
const maxShown = 500

// permission is the question whether a call may run. Its text tells all that the
// answers would allow.
func (r *run) permission(c *tool.Call, t *tool.Tool) *tool.Question {
	q := &tool.Question{
		ID: permPrefix + c.IdempotencyKey, Permission: true, Header: "Permission",
		Choices: []tool.Choice{{Label: tool.Allow, Description: "this call only"}, {Label: tool.Deny, Description: "not this call"}},
		Call:    c.ID, Tool: c.Name, Args: c.Args,
	}
	if e, ok := r.s.agent.Policy.(Explainer); ok {
		_, q.Reason = explain(r.ctx, e, c)
	}
	var hides bool
	q.Keys, hides = r.shown(keysOf(c, t))
	on, later, where := "", "every later call of "+c.Name+", whatever its arguments,", "in this session"
	if q.Keys != nil {
		quoted := make([]string, len(q.Keys))
		for i, key := range q.Keys {
			quoted[i] = strconv.Quote(key) // the model chose it: it must not pass for our words
		}
		on = " on " + strings.Join(quoted, " and ")
		later = "every later call of " + c.Name + on
	}
	if q.Keys == nil {
		on = with(c.Args)
	}
	if r.s.parent != nil {
		where = fmt.Sprintf("while the sub-agent %q works on this task", r.s.agent.Name)
	}
	if len(on) > maxShown {
		on, hides = cut(on, maxShown)+"...", hides || q.Keys != nil
	}
	q.Text = "May " + c.Name + " run" + on + "?"
	if !hides {
		q.Text += fmt.Sprintf(" %q also allows %s %s.", tool.Always, later, where)
		q.Choices = append(q.Choices, tool.Choice{Label: tool.Always, Description: "this call and " + later + " " + where})
	}
	return q
}

// with tells of the arguments of a call that has no key, nothing where it has none.
func with(args json.RawMessage) string {
	var line bytes.Buffer
	if json.Compact(&line, args) != nil || line.Len() <= len("{}") {
		return ""
	}
	return " with " + line.String()
}

// shown are keys without secrets, and whether there were any.
func (r *run) shown(keys []string) ([]string, bool) {
	red := r.s.redactor()
	if red == nil {
		return keys, false
	}
	found := false
	clean := slices.Clone(keys)
	for i := range clean {
		text, counts := red.Text(clean[i])
		if counts != nil {
			clean[i], found = text, true
		}
	}
	return clean, found
}
