package trace

import (
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
)

// meta is all that a line of a metadata file can hold. Strings are of type word:
// what does not look like a name or an id is left out.
type meta struct {
	Session word            `json:"session"`
	Seq     agent.Seq       `json:"seq,omitempty"`
	Time    time.Time       `json:"time"`
	Run     word            `json:"run,omitempty"`
	Turn    int             `json:"turn,omitempty"`
	Kind    word            `json:"kind"`
	Agent   word            `json:"agent,omitempty"`
	Model   word            `json:"model,omitempty"`
	Tool    word            `json:"tool,omitempty"`
	Call    word            `json:"call,omitempty"`
	Child   word            `json:"child,omitempty"`  // a sub-agent's session
	Parent  word            `json:"parent,omitempty"` // the session that this one works for or was forked from
	Message agent.Seq       `json:"message,omitempty"`
	Attempt int             `json:"attempt,omitempty"`
	Index   int             `json:"index,omitempty"`
	N       int             `json:"n,omitempty"` // parts, calls, messages, choices: what the event has several of
	Turns   int             `json:"turns,omitempty"`
	Calls   int             `json:"tool_calls,omitempty"`
	Usage   *llm.Usage      `json:"usage,omitempty"`
	Cost    llm.Micros      `json:"cost_micros,omitempty"`
	Before  int64           `json:"tokens_before,omitempty"`
	After   int64           `json:"tokens_after,omitempty"`
	Nanos   time.Duration   `json:"duration_ns,omitempty"`
	Effect  word            `json:"effect,omitempty"`
	Type    word            `json:"tool_kind,omitempty"`
	Decided word            `json:"decision,omitempty"`
	Outcome word            `json:"outcome,omitempty"` // of a call, a run, an attempt, a hook
	Finish  word            `json:"finish,omitempty"`
	Error   word            `json:"error,omitempty"` // a category
	Sent    word            `json:"delivery,omitempty"`
	Origin  word            `json:"origin,omitempty"`
	Hook    word            `json:"hook,omitempty"`
	Phase   word            `json:"phase,omitempty"`
	Flags   map[string]bool `json:"flags,omitempty"`
	Secrets int             `json:"redactions,omitempty"`
}

// word is a string that looks like a name or an id, or "".
type word string

const longestWord = 128

func wordOf[S ~string](s S) word {
	if len(s) > longestWord {
		return ""
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
		case c == '.', c == '_', c == ':', c == '/', c == '@', c == '-':
		default:
			return ""
		}
	}
	return word(s)
}

// metadata picks what may be told of an event. An event or a field that is not
// named here is not told.
func metadata(session string, e agent.Event) meta {
	m := meta{
		Session: wordOf(session), Seq: e.Seq, Time: e.Time, Run: wordOf(e.Run), Turn: e.Turn, Kind: wordOf(e.Kind()),
	}
	switch d := e.Data.(type) {
	case *agent.SessionOpened:
		m.Agent, m.Model = wordOf(d.Agent), wordOf(d.Model)
		if d.Parent != nil {
			m.Parent, m.Call = wordOf(d.Parent.Session), wordOf(d.Parent.Call)
		}
	case *agent.SessionForked:
		m.Parent, m.Message, m.N = wordOf(d.Session), d.At, len(d.Messages)
	case *agent.UserMessage:
		m.N, m.Sent, m.Origin = len(d.Message.Parts), wordOf(d.Delivery), wordOf(d.Origin)
		m.Phase, m.Message = wordOf(d.At), d.Replaces
	case *agent.TurnStarted:
		m.N = len(d.Took)
		m.flag("final", d.Final)
	case *agent.RunEnded:
		m.result(d.Result)
		m.N = len(d.Dropped)
	case *agent.MessageBlocked:
		m.Message, m.Hook = d.Message, wordOf(d.Hook)
	case *agent.HookFired:
		m.Hook, m.Phase, m.Outcome = wordOf(d.Hook), wordOf(d.Phase), wordOf(d.Verdict)
	case *agent.ContextWarning:
		m.Before, m.After = d.Tokens, d.Ceiling
	case *agent.ContextEdited:
		m.N, m.Before, m.After, m.Model = d.Removed, d.TokensBefore, d.TokensAfter, wordOf(d.Model)
		m.spent(d.Usage, d.Cost)
	case *agent.ModelMessage:
		m.Model, m.Finish, m.Attempt, m.N = wordOf(d.Model), wordOf(d.Finish), d.Attempt, len(d.Message.Parts)
		m.Calls = len(d.Message.Calls())
		m.spent(d.Usage, d.Cost)
		m.flag("partial", d.Partial)
	case *agent.ModelRetried:
		m.Attempt, m.Nanos, m.Outcome, m.Error = d.Attempt, d.Wait, word(Retried), "transient"
		m.spent(d.Usage, d.Cost)
	case *agent.Dropped:
		m.N = d.N
	default:
		m.call(e.Data)
	}
	return m
}

// call picks what may be told of an event about a tool call.
func (m *meta) call(data agent.EventData) {
	switch d := data.(type) {
	case *agent.ToolStarted:
		m.Index, m.Tool, m.Call = d.Index, wordOf(d.Call.Name), wordOf(d.Call.ID)
		m.Effect, m.Type, m.Decided = wordOf(d.Effect.String()), wordOf(d.ToolKind.String()), wordOf(d.Decision.String())
		m.Secrets = d.Redactions.Total()
	case *agent.ToolEnded:
		m.Index, m.Call, m.Outcome, m.Nanos = d.Index, wordOf(d.Result.ID), wordOf(d.Outcome), d.Duration
		m.Secrets, m.N = d.Redactions.Total(), len(d.Result.Parts)
		if named(d.Outcome) {
			m.Tool = wordOf(d.Result.Name)
		}
		m.flag("final", d.Final)
	case *agent.QuestionAsked:
		m.Tool, m.Call, m.N = wordOf(d.Question.Tool), wordOf(d.Question.Call), len(d.Question.Choices)
		m.flag("permission", d.Question.Permission)
	case *agent.QuestionAnswered:
		m.N = len(d.Answer.Choices)
	case *agent.ChildStarted:
		m.Child, m.Agent, m.Call = wordOf(d.Session), wordOf(d.Agent), wordOf(d.Call)
	case *agent.ChildEnded:
		m.Child, m.Call = wordOf(d.Session), wordOf(d.Call)
		m.result(d.Result)
	case *agent.TextDelta:
		m.Index, m.Attempt = d.Index, d.Attempt
	case *agent.ThinkingDelta:
		m.Index, m.Attempt = d.Index, d.Attempt
	case *agent.ToolArgsDelta:
		m.Index, m.Attempt, m.Call = d.Index, d.Attempt, wordOf(d.Call)
	case *agent.ToolProgress:
		m.Call, m.Tool = wordOf(d.Call), wordOf(d.Name)
	case *agent.ChildEvent:
		m.Child, m.Agent, m.Call = wordOf(d.Session), wordOf(d.Agent), wordOf(d.Call)
	}
}

// named reports whether a call that ended so had started, so that it was one of a
// tool that there is. Of any other the name may be something that a model has made
// up; hooks deny such calls too.
func named(o agent.Outcome) bool {
	switch o {
	case agent.OutcomeOK, agent.OutcomeError, agent.OutcomePanic, agent.OutcomeAborted,
		agent.OutcomeTimeout, agent.OutcomeUnknown:
		return true
	}
	return false
}

func (m *meta) spent(u llm.Usage, c llm.Micros) {
	if u != (llm.Usage{}) {
		m.Usage = &u
	}
	m.Cost = c
}

func (m *meta) result(r *agent.Result) {
	m.spent(r.Usage, r.Cost)
	m.Outcome, m.Turns, m.Calls, m.Error = wordOf(r.Stop), r.Turns, r.ToolCalls, word(category(r.Err))
}

func (m *meta) flag(name string, set bool) {
	if set {
		m.Flags = map[string]bool{name: true}
	}
}
