package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// A Hook looks at what passes through a session at one or several phases, and may
// change it. Nil functions are skipped. An agent's hooks run in order, each on
// what the one before has left; the first that ends, blocks or denies something
// has the last word on it. The zero verdict changes nothing.
//
// Hooks fail safe: an error or a panic blocks the message, denies the call, hides
// the result, or fails the run, as told at each phase.
//
// A function must not call Close, Detach, Wait or Run of its session: they wait for
// what it is part of. After a crash a phase may be gone through again. The functions are called from
// the session's run, several AfterTool at the same time.
type Hook struct {
	Name string

	// Message sees each message before a turn takes it, those of users, not those of
	// hooks. On an error it is blocked. If nothing else waits, no run begins.
	Message func(ctx context.Context, at Moment, m llm.Message) (MessageVerdict, error)
	// BeforeModel sees the request of a model call, and may change it for this call:
	// it is a copy, but its slices other than Tools are the session's, so replace what
	// changes. A tool that is taken out of Tools is refused if the model calls it in
	// this turn. On an error the run fails.
	BeforeModel func(ctx context.Context, at Moment, req *llm.Request) (ModelVerdict, error)
	// AfterModel sees a whole message of the model before its calls are made. On an
	// error the run fails.
	AfterModel func(ctx context.Context, at Moment, resp *llm.Response) (ModelVerdict, error)
	// BeforeTool sees a call before its arguments are checked and its permission is
	// decided: what it rewrites goes through both. On an error the call is denied.
	BeforeTool func(ctx context.Context, at Moment, c *tool.Call) (ToolVerdict, error)
	// AfterTool sees what a tool returned, errors included, before the log and the
	// model do. On an error the model gets an error result instead.
	AfterTool func(ctx context.Context, at Moment, c *tool.Call, r tool.Result) (ResultVerdict, error)
	// BeforeStop sees the result of a run that is about to end well. On an error the
	// run fails.
	BeforeStop func(ctx context.Context, at Moment, r *Result) (StopVerdict, error)
	// BeforeCompact sees the conversation that is about to be made shorter. On an
	// error it stays as it is.
	BeforeCompact func(ctx context.Context, at Moment, messages []llm.Message) (CompactVerdict, error)
	// AfterCompact sees what was made of it, before the log does. On an error the
	// conversation stays as it was.
	AfterCompact func(ctx context.Context, at Moment, e *ContextEdited) (EditVerdict, error)
	// Event watches, with no say: it sees each event of a run of this session, the
	// ephemeral ones too, in order and from a goroutine of its own. A run does not
	// wait for it, but Wait returns only when it has seen all; what is too slow
	// misses ephemeral events, as in Session.Events.
	Event func(ctx context.Context, at Moment, e Event)
}

// A Moment is where in a session a hook is called.
type Moment struct {
	Session, User, Run string
	Turn               int
}

// A MessageVerdict is about a user message.
type MessageVerdict struct {
	Message *llm.Message // not nil: it takes the message's place
	Block   string       // not empty: the message is dropped, and why
}

// A ModelVerdict is about a model call.
type ModelVerdict struct {
	Inject string // not empty: the model gets this message in another turn, instead of making this call or running its tools
	Answer string // not empty: the run ends well with this answer
}

// A ToolVerdict is about a tool call.
type ToolVerdict struct {
	Args json.RawMessage // not nil: these arguments take the place of the model's
	Deny string          // not empty: the call is not made, and the model is told why
}

// A ResultVerdict is about the result of a tool.
type ResultVerdict struct {
	Result *tool.Result // not nil: it takes the result's place
	Inject string       // not empty: the model gets this message with the results
	// Final ends the run well with the result as its answer, once all calls of the
	// message are over, as that of a tool marked tool.Final does. It counts only for
	// a call that went well, and not beside an Inject.
	Final bool
}

// A StopVerdict is about the end of a run.
type StopVerdict struct {
	Inject string // not empty: the run does not end, the model gets this message
	Text   string // not empty: it takes the place of the answer's text in the Result
}

// A CompactVerdict is about making a conversation shorter.
type CompactVerdict struct {
	Messages []llm.Message // not nil: the compactor works on these
	Skip     string        // not empty: nothing is made shorter, and why
}

// An EditVerdict is about a conversation that was made shorter.
type EditVerdict struct {
	Messages []llm.Message // not nil: these take the conversation's place
	Answer   string        // not empty: the run ends well with this answer
}

// HookFired says that a hook had a say.
type HookFired struct {
	Hook    string `json:"hook"`
	Phase   string `json:"phase"`
	Verdict string `json:"verdict"`          // rewrite, block, deny, inject, answer, skip, hide, error
	Detail  string `json:"detail,omitempty"` // the reason, or the id of the call

	Tools []string `json:"tools,omitempty"` // with hide: the tools that the model is not offered in this turn
}

// MessageBlocked says that a message was dropped: by a hook, or without one because
// a message with its key had been sent before.
type MessageBlocked struct {
	Message Seq    `json:"message"`
	Hook    string `json:"hook,omitempty"`
	Reason  string `json:"reason"`
}

func (*HookFired) kind() EventKind      { return KindHookFired }
func (*MessageBlocked) kind() EventKind { return KindMessageBlocked }

// The phases of a hook, as the log names them.
const (
	phaseMessage     = "message"
	phaseBeforeModel = "before_model"
	phaseAfterModel  = "after_model"
	phaseBeforeTool  = "before_tool"
	phaseAfterTool   = "after_tool"
	phaseBeforeStop  = "before_stop"

	phaseBeforeCompact = "before_compact"
	phaseAfterCompact  = "after_compact"
)

// moment is now.
func (s *Session) moment() Moment {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := Moment{Session: s.id, User: s.opts.User}
	if s.st.run != nil {
		m.Run, m.Turn = s.st.run.id, s.st.run.turns
	}
	return m
}

// guarded calls a function of a hook and turns its panic into an error.
func guarded[V any](s *Session, h *Hook, call func() (V, error)) (v V, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.panicked("hook "+h.Name, p)
			err = fmt.Errorf("hook %s panicked: %v", h.Name, p)
		}
	}()
	if v, err = call(); err != nil {
		err = fmt.Errorf("hook %s: %w", h.Name, err)
	}
	return v, err
}

// injected is a message that a hook puts into the conversation.
func injected(text string) *UserMessage {
	return &UserMessage{Message: llm.User(text), Delivery: Steer, Origin: OriginHook}
}

// vet has the hooks look at messages that are about to be taken, and writes what
// they say. A message is vetted once in the life of a loop. It reports whether
// anything was written.
func (s *Session) vet(ctx context.Context, l *loop, seqs []Seq) (news bool, err error) {
	for _, seq := range seqs {
		if l.vetted[seq] {
			continue
		}
		s.mu.Lock()
		w := s.st.message(seq)
		s.mu.Unlock()
		if w == nil || w.msg.Origin != OriginUser {
			continue
		}
		if events := s.vetOne(ctx, seq, w.msg); len(events) > 0 {
			news = true
			if err := s.append(l, events...); err != nil {
				return true, err
			}
		}
		if l.vetted == nil {
			l.vetted = make(map[Seq]bool)
		}
		l.vetted[seq] = true
	}
	return news, nil
}

func (s *Session) vetOne(ctx context.Context, seq Seq, msg *UserMessage) []EventData {
	var events []EventData
	m, changed := msg.Message, false
	for i := range s.agent.Hooks {
		h := &s.agent.Hooks[i]
		if h.Message == nil {
			continue
		}
		v, err := guarded(s, h, func() (MessageVerdict, error) { return h.Message(ctx, s.moment(), m) })
		if err == nil && v.Message != nil {
			changed := *v.Message
			changed.Role, v.Message = llm.RoleUser, &changed
			if err = checkUser(&changed); err != nil {
				err = fmt.Errorf("hook %s: %w", h.Name, err)
			}
		}
		switch {
		case err != nil:
			return append(events, &MessageBlocked{Message: seq, Hook: h.Name, Reason: err.Error()})
		case v.Block != "":
			return append(events, &MessageBlocked{Message: seq, Hook: h.Name, Reason: v.Block})
		case v.Message != nil:
			m, changed = *v.Message, true
			events = append(events, &HookFired{Hook: h.Name, Phase: phaseMessage, Verdict: "rewrite"})
		}
	}
	if changed {
		m.Role = llm.RoleUser
		events = append(events, &UserMessage{Message: m, Delivery: msg.Delivery, Origin: OriginHook, Replaces: seq})
	}
	return events
}

// askModelHooks calls the hooks of a phase around the model call until one has a
// say.
func (r *run) askModelHooks(phase string, call func(h *Hook) (ModelVerdict, error)) (ModelVerdict, *HookFired, error) {
	for i := range r.s.agent.Hooks {
		h := &r.s.agent.Hooks[i]
		v, err := guarded(r.s, h, func() (ModelVerdict, error) { return call(h) })
		fired := &HookFired{Hook: h.Name, Phase: phase}
		switch {
		case err != nil:
			fired.Verdict, fired.Detail = "error", err.Error()
			return v, fired, err
		case v.Answer != "":
			fired.Verdict = "answer"
			return v, fired, nil
		case v.Inject != "":
			fired.Verdict = "inject"
			return v, fired, nil
		}
	}
	return ModelVerdict{}, nil, nil
}

// beforeModel reports whether the hooks leave the model call to be made. If not,
// what they want instead is in the log.
func (r *run) beforeModel(req *llm.Request) (call, done bool, err error) {
	req.Tools = slices.Clone(req.Tools)
	hide := &HookFired{Phase: phaseBeforeModel, Verdict: verdictHide}
	v, fired, failed := r.askModelHooks(phaseBeforeModel, func(h *Hook) (ModelVerdict, error) {
		if h.BeforeModel == nil {
			return ModelVerdict{}, nil
		}
		v, err := h.BeforeModel(r.ctx, r.s.moment(), req)
		if hidden := r.s.agent.hidden(req.Tools); !slices.Equal(hidden, hide.Tools) {
			hide.Hook, hide.Tools = h.Name, hidden
		}
		return v, err
	})
	switch {
	case failed != nil:
		return false, true, r.end(StopFailed, failed, fired)
	case v.Answer != "":
		return false, true, r.end(StopDone, nil, fired, &ModelMessage{Model: "hook/" + fired.Hook, Message: llm.Assistant(v.Answer), Finish: llm.FinishStop})
	case v.Inject != "":
		return false, false, r.s.append(r.l, fired, injected(v.Inject))
	case !slices.Equal(hide.Tools, r.s.view().hidden): // empty takes back what was hidden before a crash
		return true, false, r.s.append(r.l, hide)
	}
	return true, false, nil
}

// verdictHide is that of a hook which keeps tools from the model.
const verdictHide = "hide"

// hidden are the agent's tools that are not among those on offer.
func (a *Agent) hidden(offered []llm.ToolSpec) []string {
	var names []string
	for i := range a.Tools {
		name := a.Tools[i].Spec.Name
		if !slices.ContainsFunc(offered, func(s llm.ToolSpec) bool { return s.Name == name }) {
			names = append(names, name)
		}
	}
	return names
}

// afterModel has the hooks look at a whole message. It reports whether they leave
// it to take its course; if not, what they want instead is in the log.
func (r *run) afterModel(msg *ModelMessage) (goOn, done bool, err error) {
	v, fired, failed := r.askModelHooks(phaseAfterModel, func(h *Hook) (ModelVerdict, error) {
		if h.AfterModel == nil {
			return ModelVerdict{}, nil
		}
		return h.AfterModel(r.ctx, r.s.moment(), &llm.Response{Message: msg.Message, Finish: msg.Finish, Usage: msg.Usage, Meta: msg.Meta})
	})
	if fired == nil {
		return true, false, nil
	}
	events := []EventData{msg}
	for i, c := range callsOf(&msg.Message) {
		events = append(events, c.failed(i, OutcomeDenied, "not run: hook "+fired.Hook+" took over"))
	}
	events = append(events, fired)
	switch {
	case failed != nil:
		return false, true, r.end(StopFailed, failed, events...)
	case v.Answer != "":
		answer := &ModelMessage{Model: "hook/" + fired.Hook, Message: llm.Assistant(v.Answer), Finish: llm.FinishStop}
		return false, true, r.end(StopDone, nil, append(events, answer)...)
	}
	return false, false, r.s.append(r.l, append(events, injected(v.Inject))...)
}

// beforeTool has the hooks look at a call. It returns the arguments that they
// leave, and why the call is denied, if it is.
func (r *run) beforeTool(c tool.Call) (args json.RawMessage, fired []EventData, deny string) {
	for i := range r.s.agent.Hooks {
		h := &r.s.agent.Hooks[i]
		if h.BeforeTool == nil {
			continue
		}
		seen := c
		v, err := guarded(r.s, h, func() (ToolVerdict, error) { return h.BeforeTool(r.ctx, r.s.moment(), &seen) })
		f := &HookFired{Hook: h.Name, Phase: phaseBeforeTool, Detail: c.ID}
		switch {
		case err != nil:
			f.Verdict = "error"
			return nil, append(fired, f), err.Error()
		case v.Deny != "":
			f.Verdict = "deny"
			return nil, append(fired, f), v.Deny
		case v.Args != nil:
			f.Verdict = "rewrite"
			fired = append(fired, f)
			c.Args = v.Args
		}
	}
	return c.Args, fired, ""
}

// afterTool has the hooks look at a result. It returns the result that they
// leave, whether it is to be the run's answer, and what is to be written beside it.
func (r *run) afterTool(c *tool.Call, res tool.Result) (left tool.Result, final bool, events []EventData) {
	for i := range r.s.agent.Hooks {
		h := &r.s.agent.Hooks[i]
		if h.AfterTool == nil {
			continue
		}
		v, err := guarded(r.s, h, func() (ResultVerdict, error) { return h.AfterTool(r.ctx, r.s.moment(), c, res) })
		f := HookFired{Hook: h.Name, Phase: phaseAfterTool, Detail: c.ID}
		if err != nil {
			f.Verdict = "error"
			res = tool.Text("the result is withheld: " + err.Error())
			res.IsError = true
			return res, false, append(events, &f)
		}
		if v.Result != nil {
			rewrite := f
			rewrite.Verdict, res = "rewrite", *v.Result
			events = append(events, &rewrite)
		}
		if v.Final {
			end := f
			end.Verdict, final = "final", true
			events = append(events, &end)
		}
		if v.Inject != "" {
			f.Verdict = "inject"
			events = append(events, &f, injected(v.Inject))
		}
	}
	return res, final, events
}

// stopWell ends a run whose answer is there, unless it has not the shape that was
// asked for, or a hook has something to say to the model first. It reports
// whether the run has ended.
func (r *run) stopWell(before ...EventData) (bool, error) {
	v, _ := r.preview(before)
	if r.s.agent.output != nil && len(v.output) == 0 {
		correction, err := r.correct(&v)
		switch {
		case err != nil:
			return true, r.end(StopFailed, err, before...)
		case correction != nil:
			return false, r.s.append(r.l, append(before, correction)...)
		}
	}
	res := v.result(r.s.id, StopDone, nil)
	text := res.Text
	for i := range r.s.agent.Hooks {
		h := &r.s.agent.Hooks[i]
		if h.BeforeStop == nil {
			continue
		}
		seen := *res
		verdict, err := guarded(r.s, h, func() (StopVerdict, error) { return h.BeforeStop(r.ctx, r.s.moment(), &seen) })
		f := &HookFired{Hook: h.Name, Phase: phaseBeforeStop}
		switch {
		case err != nil:
			f.Verdict = "error"
			return true, r.end(StopFailed, err, append(before, f)...)
		case verdict.Inject != "":
			f.Verdict = "inject"
			return false, r.s.append(r.l, append(before, f, injected(verdict.Inject))...)
		case verdict.Text != "":
			f.Verdict, res.Text = "rewrite", verdict.Text
			before = append(before, f)
		}
	}
	if res.Text != text {
		r.text = res.Text
	}
	return true, r.end(StopDone, nil, before...)
}
