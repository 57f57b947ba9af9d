package agent

import (
	"errors"
	"fmt"

	"github.com/helios-go/helios/llm"
)

// A request is warned about from warnAt of the ceiling on, and compacted from
// compactAt on, to compactTo.
const (
	warnAt    = 0.85
	compactAt = 0.95
	compactTo = 0.6
)

// ContextWarning says that the conversation has nearly filled the model's window.
// It comes once, and again after room was made.
type ContextWarning struct {
	Tokens  int64 `json:"tokens"`  // estimated
	Ceiling int64 `json:"ceiling"` // that fit
}

// ContextEdited puts other messages in the place of the conversation so far. What
// it cost counts for the run.
type ContextEdited struct {
	Messages     []llm.Message `json:"messages"`
	Removed      int           `json:"removed"` // messages fewer than before
	TokensBefore int64         `json:"tokens_before"`
	TokensAfter  int64         `json:"tokens_after"`
	Model        string        `json:"model,omitempty"` // that wrote a summary
	Usage        llm.Usage     `json:"usage"`
	Cost         llm.Micros    `json:"cost_micros,omitempty"`
}

func (*ContextWarning) kind() EventKind { return KindContextWarning }
func (*ContextEdited) kind() EventKind  { return KindContextEdited }

// admit looks at the size of a request before it is made, and makes room if it is
// nearly too long, or if the model has said that it is. It reports whether a hook
// has ended the run over it.
func (r *run) admit(req *llm.Request, refused bool) (bool, error) {
	ceiling := r.s.agent.ceiling()
	tokens := r.tokens(req)
	fill := float64(tokens) / float64(ceiling)
	if fill >= warnAt && !r.s.warned() {
		if err := r.s.append(r.l, &ContextWarning{Tokens: tokens, Ceiling: ceiling}); err != nil {
			return false, err
		}
	}
	if fill < compactAt && !refused {
		return false, nil
	}
	if !refused && tokens < r.futile {
		return false, nil // it did not help last time, and little has been added since
	}
	if refused {
		ceiling = min(ceiling, tokens) // whatever the estimate said, this did not fit
	}
	edited, err := r.compact(req, ceiling, tokens)
	if err != nil || edited == nil {
		r.futile = tokens + tokens/20
		return false, err
	}
	r.futile = 0
	events, answer := r.afterCompact(edited)
	if edited.TokensAfter >= tokens {
		r.futile = tokens + tokens/20
	}
	req.Messages = edited.Messages
	r.estimate = estimateRequest(req)
	events = append(events, edited)
	if answer != nil {
		return true, r.end(StopDone, nil, append(events, answer)...)
	}
	return false, r.s.append(r.l, events...)
}

// tokens estimates a request, by the factor that the last answer has shown.
func (r *run) tokens(req *llm.Request) int64 {
	r.estimate = estimateRequest(req)
	return r.s.corrected(r.estimate)
}

func (s *Session) corrected(estimate int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.perToken > 0 {
		return int64(float64(estimate) * s.perToken)
	}
	return estimate
}

// calibrate learns from the usage that the model reports how far estimates are
// off.
func (s *Session) calibrate(estimate int64, u llm.Usage) {
	if actual := u.Input + u.CacheRead + u.CacheWrite; actual > 0 && estimate > 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.perToken = min(max(float64(actual)/float64(estimate), 0.25), 4)
	}
}

func (s *Session) warned() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.st.warned
}

// compact has the compactor make room. It returns nil if that was of no use; why
// is told to the logger, since the run can still go on.
func (r *run) compact(req *llm.Request, ceiling, before int64) (*ContextEdited, error) {
	a := &r.s.agent
	compactor := a.Compact
	if compactor == nil {
		compactor = TwoStage{}
	}
	fixed := before - r.s.corrected(EstimateTokens(req.Messages)) // system, tools
	messages, skip, err := r.beforeCompact(req.Messages)
	if skip || err != nil {
		return nil, err
	}
	out, err := r.compacted(compactor, &Compaction{
		Messages: messages, Model: a.Model,
		Target: max(int64(compactTo*float64(ceiling))-fixed, 1),
		Tokens: func(m []llm.Message) int64 { return r.s.corrected(EstimateTokens(m)) },
		Afford: func(out *Compacted) error {
			spent := a.cost(out.Model, out.Usage)
			if a.Limits.broke(r.s.view().cost.Add(spent), spent) {
				return ErrMoney
			}
			return nil
		},
	})
	if out == nil {
		out = &Compacted{}
	}
	e := &ContextEdited{
		Messages: out.Messages, Removed: len(req.Messages) - len(out.Messages), TokensBefore: before,
		Model: out.Model, Usage: out.Usage, Cost: a.cost(out.Model, out.Usage),
	}
	if err == nil {
		e.TokensAfter = fixed + r.s.corrected(EstimateTokens(out.Messages))
		err = checkShorter(out.Messages)
	}
	if err == nil && e.TokensAfter < before {
		return e, nil
	}
	if err != nil {
		r.s.warn("compact the conversation", err)
	}
	if out.Usage == (llm.Usage{}) {
		return nil, nil
	}
	// It was of no use, but not for free.
	e.Messages, e.Removed, e.TokensAfter = req.Messages, 0, before
	return nil, r.s.append(r.l, e)
}

// checkShorter reports what is wrong with messages that are to take the place of a
// conversation.
func checkShorter(messages []llm.Message) error {
	if len(messages) == 0 {
		return errors.New("it leaves no messages")
	}
	for i := range messages {
		if err := messages[i].Validate(); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	return llm.CheckConversation(messages)
}

// compacted guards against a compactor that panics.
func (r *run) compacted(c Compactor, task *Compaction) (out *Compacted, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.s.panicked("compactor", p)
			err = &panicError{p}
		}
	}()
	return c.Compact(r.ctx, task)
}
