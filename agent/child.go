package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// Tool makes the agent a tool of another one, which hands it a task in words,
// {"task": "..."}, and gets its answer; Data is its Result.Output. Each call is a
// session of its own in the caller's store, with a link to the caller's; it sees
// nothing of the caller's conversation. A run of it that stops short is an error
// for the caller's model; that it cannot be opened ends the caller's run.
//
// What the sub-agent does is decided by its own policy, and its questions are put
// by the caller's session. Stopping the caller stops it. After a crash it goes on
// where it was. What happens in it is shown to the caller's readers as [ChildEvent].
//
// Its usage and cost count for the caller's run. It spends what the caller's
// Limits.Money and Budget have left, together with all that work beside it: each may
// overspend that by the call that it is making. Its other limits are its own. Prices
// and Secrets that it has not are the caller's.
//
// A tool may run it too, inside a call of its own; if it does so more than once, each
// time needs a [tool.Step].
//
// The tool is ReadOnly if all the agent's tools are, so that several sub-agents
// work side by side, and Idempotent otherwise. Its kind is KindDelegate, and it has
// no timeout.
func (a Agent) Tool(name, doc string) tool.Tool {
	effect := tool.ReadOnly
	for i := range a.Tools {
		if a.Tools[i].Effect != tool.ReadOnly {
			effect = tool.Idempotent
		}
	}
	if a.Name == "" {
		a.Name = name
	}
	return tool.New(name, doc, func(ctx context.Context, in struct {
		Task string `json:"task" jsonschema:"what to do, with all that is needed to know: the agent sees nothing of this conversation"`
	}) (tool.Result, error) {
		h, ok := tool.CallFrom(ctx).Host.(*host)
		if !ok {
			return answerOf(a.Run(ctx, in.Task))
		}
		return a.work(ctx, h, in.Task)
	}, tool.WithEffect(effect), tool.WithKind(tool.KindDelegate), tool.WithTimeout(-1))
}

// work runs a task for a call of another session, or takes up the work on it.
func (a Agent) work(ctx context.Context, h *host, task string) (tool.Result, error) {
	parent, call := h.r.s, h.call
	h.delegates.Store(true)
	if a.Model == nil {
		return tool.Result{}, tool.Abort(fmt.Errorf("open %s: it has no Model", a.called()))
	}
	v := parent.view()
	parent.mu.Lock()
	purse := parent.purse(h.r.l)
	parent.mu.Unlock()
	switch own := a.Limits.Budget; {
	case own == nil, purse.covers(own):
		a.Limits.Budget = purse
	case purse != nil:
		a.Limits.Budget = &Budget{within: []*Budget{purse, own}, total: math.MaxInt64}
	}
	if _, priced := a.costOf(a.Model.Name(), llm.Usage{}); !priced {
		a.Prices = parent.agent.Prices
	}
	if a.Secrets == nil {
		a.Secrets = parent.agent.Secrets
	}
	opts := parent.opts
	opts.SessionID = childID(tool.CallFrom(ctx))
	if opts.Approver != nil {
		opts.Approver = ApproverFunc(h.forward)
	}
	if parent.agent.Limits.Money > 0 { // what it spent before a crash is in its own log only
		spent, err := spentIn(ctx, opts.Store, opts.SessionID)
		if err != nil {
			return tool.Result{}, err
		}
		purse.owe(spent)
	}
	started := &ChildStarted{Session: opts.SessionID, Agent: a.Name, Call: call.ID}
	if v.find(opts.SessionID) == nil {
		if err := parent.appendFor(h.r.l, call.Run, call.ID, started); err != nil {
			return tool.Result{}, err
		}
	}
	s, err := a.open(ctx, &opts, parent.private, parent, &Parent{Session: parent.id, Run: call.Run, Call: call.ID})
	switch {
	case errors.As(err, new(*LeasedError)):
		return tool.Result{}, err
	case err != nil:
		return tool.Result{}, tool.Abort(err) // as loud as it would be without a parent: no model can mend it
	}
	defer s.Close()
	defer parent.adopt(h.r.l, s)()
	if !s.begun() {
		if _, err := s.Send(ctx, llm.User(task), Steer); err != nil {
			return tool.Result{}, err
		}
	}
	res, err := s.Wait(context.WithoutCancel(ctx)) // it stops with ctx, and has a result to tell
	if errors.Is(err, ErrDetached) {
		return tool.Result{}, err
	}
	ended := &ChildEnded{Session: s.id, Call: call.ID, Result: res}
	if err := parent.appendFor(h.r.l, call.Run, "", ended); err != nil {
		return tool.Result{}, err
	}
	if ctx.Err() != nil {
		return tool.Result{}, context.Cause(ctx)
	}
	return answerOf(res, err)
}

// spentIn is what the open run of a session has cost so far.
func spentIn(ctx context.Context, st Store, session string) (llm.Micros, error) {
	var s state
	for e, err := range st.Read(ctx, session, 1) {
		if err != nil {
			return 0, err
		}
		s.apply(&e)
	}
	return s.current().cost, nil
}

// begun reports whether the session has got a message, now or in a process that
// died.
func (s *Session) begun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.st.opened
}

// childID is the same each time a call is made.
func childID(c *tool.Call) string {
	sum := sha256.Sum256([]byte(c.Session + "/" + c.IdempotencyKey))
	return "sub_" + hex.EncodeToString(sum[:16])
}

// answerOf turns the result of a sub-agent into that of the call.
func answerOf(res *Result, err error) (tool.Result, error) {
	if err != nil {
		if res.Text != "" {
			return tool.Result{}, fmt.Errorf("%w; so far it said: %s", err, res.Text)
		}
		return tool.Result{}, err
	}
	out := tool.Text(res.Text)
	out.Data = res.Output
	return out, nil
}

// forward puts a sub-agent's question to whoever answers the caller's.
func (h *host) forward(ctx context.Context, q *tool.Question) (tool.Answer, error) {
	up := *q
	up.Call = h.call.ID
	return h.r.ask(ctx, &up, true)
}
