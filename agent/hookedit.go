package agent

import (
	"fmt"

	"github.com/helios-go/helios/llm"
)

// beforeCompact has the hooks look at the conversation that is about to be made
// shorter. It returns the messages that they leave, or that nothing is to be done.
func (r *run) beforeCompact(messages []llm.Message) (out []llm.Message, skip bool, err error) {
	for i := range r.s.agent.Hooks {
		h := &r.s.agent.Hooks[i]
		if h.BeforeCompact == nil {
			continue
		}
		v, err := guarded(r.s, h, func() (CompactVerdict, error) { return h.BeforeCompact(r.ctx, r.s.moment(), messages) })
		f := &HookFired{Hook: h.Name, Phase: phaseBeforeCompact}
		switch {
		case err != nil:
			f.Verdict, f.Detail = "error", err.Error()
		case v.Skip != "":
			f.Verdict, f.Detail = "skip", v.Skip
		case v.Messages != nil:
			f.Verdict, messages = "rewrite", v.Messages
		default:
			continue
		}
		if err := r.s.append(r.l, f); err != nil || f.Verdict != "rewrite" {
			return nil, true, err
		}
	}
	return messages, false, nil
}

// afterCompact has the hooks look at the shorter conversation, which they may
// change. It returns what they had to say, and the answer with which one of them
// ends the run. An edit that a hook fails on leaves the conversation as it was,
// but still tells what it cost.
func (r *run) afterCompact(e *ContextEdited) (fired []EventData, answer *ModelMessage) {
	for i := range r.s.agent.Hooks {
		h := &r.s.agent.Hooks[i]
		if h.AfterCompact == nil {
			continue
		}
		seen := *e
		v, err := guarded(r.s, h, func() (EditVerdict, error) { return h.AfterCompact(r.ctx, r.s.moment(), &seen) })
		f := &HookFired{Hook: h.Name, Phase: phaseAfterCompact}
		if err == nil && v.Messages != nil {
			if err = checkShorter(v.Messages); err != nil {
				err = fmt.Errorf("hook %s: %w", h.Name, err)
			}
		}
		switch {
		case err != nil:
			f.Verdict, f.Detail = "error", err.Error()
			e.Messages, e.Removed, e.TokensAfter = r.s.History(), 0, e.TokensBefore
			return append(fired, f), nil
		case v.Answer != "":
			f.Verdict = "answer"
			return append(fired, f), &ModelMessage{Model: "hook/" + f.Hook, Message: llm.Assistant(v.Answer), Finish: llm.FinishStop}
		case v.Messages != nil:
			f.Verdict = "rewrite"
			fired = append(fired, f)
			e.TokensAfter += r.s.corrected(EstimateTokens(v.Messages) - EstimateTokens(e.Messages))
			e.Removed += len(e.Messages) - len(v.Messages)
			e.Messages = v.Messages
		}
	}
	return fired, nil
}
