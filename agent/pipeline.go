package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// Every call goes through one pipeline: find the tool, apply the limits, let hooks
// rewrite, check the arguments, compute the permission key, ask the policy, ask
// the user if it says so, note the start, run, let hooks rewrite the result, note
// the end. Nothing runs a tool but this.

// verdict is what the pipeline decided about a call before running it.
type verdict struct {
	call     *tool.Call
	tool     *tool.Tool
	decision Decision
	refused  *ToolEnded  // it will not run, and why
	fired    []EventData // what hooks had to say about it
}

// callTools takes the calls of the last message as far as they go: to their
// results, or to a question that is left for later.
func (r *run) callTools(v *runState) (bool, error) {
	calls := r.openCalls()
	verdicts := make([]verdict, len(calls))
	var news []EventData
	for i := range calls {
		if calls[i].result != nil {
			continue
		}
		verdicts[i] = r.decide(v, calls, i)
		news = append(news, verdicts[i].fired...)
		if end := verdicts[i].refused; end != nil {
			news = append(news, end)
		}
	}
	if len(news) > 0 {
		if err := r.s.append(r.l, news...); err != nil {
			return false, err
		}
	}
	for i := 0; i < len(calls); {
		n, parked, err := r.group(calls, verdicts, i)
		if parked || err != nil {
			return parked, err
		}
		if r.s.view().phase != phaseTools || r.ctx.Err() != nil || r.s.isLeaving() {
			break // all are closed, the run has ended, or it is about to
		}
		i += n
	}
	return r.s.view().id == "", nil
}

// openCalls copies the calls, since the fold goes on changing them.
func (r *run) openCalls() []openCall {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return slices.Clone(r.s.st.openCalls())
}

// group runs the calls from i on that belong together: one call, or as many
// ReadOnly ones as follow each other. It returns how many it has dealt with, and
// whether the run has to wait for an answer.
func (r *run) group(calls []openCall, verdicts []verdict, i int) (int, bool, error) {
	if calls[i].result != nil || verdicts[i].refused != nil {
		return 1, false, nil
	}
	n := 0
	var ready []int
	for ; i+n < len(calls); n++ {
		j := i + n
		v := &verdicts[j]
		if calls[j].result != nil || v.refused != nil {
			continue
		}
		if len(ready) > 0 && !(v.call.Effect == tool.ReadOnly && verdicts[ready[0]].call.Effect == tool.ReadOnly) {
			break
		}
		if v.decision == Ask {
			if len(ready) > 0 {
				break // run those that may, then ask
			}
			parked, err := r.permit(calls, verdicts, j)
			if parked || err != nil {
				return 0, parked, err
			}
			if v.refused != nil {
				continue
			}
		}
		ready = append(ready, j)
	}
	if len(ready) == 0 || r.ctx.Err() != nil {
		return n, false, nil
	}
	return n, false, r.execute(calls, verdicts, ready)
}

// decide takes a call through the pipeline up to the policy's decision.
func (r *run) decide(v *runState, calls []openCall, i int) verdict {
	c := &calls[i]
	refuse := func(o Outcome, format string, args ...any) verdict {
		return verdict{refused: c.failed(i, o, fmt.Sprintf(format, args...))}
	}
	if c.doubtful() {
		return refuse(OutcomeUnknown, "outcome unknown: the process stopped while this call ran; it may or may not have taken effect, so check before repeating it")
	}
	t := r.s.agent.find(c.call.Name)
	switch {
	case t == nil:
		return refuse(OutcomeInvalid, "there is no tool %q%s", c.call.Name, r.s.agent.suggest(c.call.Name, v.hidden))
	case slices.Contains(v.hidden, c.call.Name):
		return refuse(OutcomeDenied, "denied: %s is not on offer in this turn", c.call.Name)
	}
	before := v.calls - len(calls) + i
	switch l := &r.s.agent.Limits; {
	case before >= l.ToolCalls:
		return refuse(OutcomeLimit, "not run: %v", ErrToolCalls)
	case v.final && !t.IsFinal:
		return refuse(OutcomeLimit, "not run: this was the last turn, kept for the answer")
	case t.IsFinal && len(calls) > 1:
		return refuse(OutcomeInvalid, "%s ends the conversation's turn, so it must be called alone; call it again by itself when the other results are in", t.Spec.Name)
	}
	call := &tool.Call{
		ID: c.call.ID, Name: c.call.Name, Args: c.call.Args, Effect: t.Effect, Kind: t.Kind,
		IdempotencyKey: v.id + "/" + strconv.Itoa(v.turns) + "/" + strconv.Itoa(i),
		Session:        r.s.id, User: r.s.opts.User, Run: v.id, Turn: v.turns, Resumed: r.s.resumed,
	}
	var fired []EventData
	if len(r.s.agent.Hooks) > 0 {
		args, said, deny := r.beforeTool(*call)
		if fired = said; deny != "" {
			return verdict{fired: fired, refused: c.failed(i, OutcomeDenied, "denied: "+deny)}
		}
		call.Args = args
	}
	res := r.permitted(call, t, c, i)
	res.fired = fired
	return res
}

// permitted is the pipeline from the check of the arguments, which are final, to
// the policy's decision.
func (r *run) permitted(call *tool.Call, t *tool.Tool, c *openCall, i int) verdict {
	refuse := func(o Outcome, format string, args ...any) verdict {
		return verdict{refused: c.failed(i, o, fmt.Sprintf(format, args...))}
	}
	switch outcome, err := checkCall(call, t); outcome {
	case OutcomeInvalid:
		return refuse(outcome, "%v", err)
	case OutcomeDenied:
		return refuse(outcome, "denied: %v", err)
	}
	decision, err := r.consult(call)
	switch {
	case err != nil:
		return refuse(OutcomeDenied, "denied: %v", err)
	case decision == Allow:
		return verdict{call: call, tool: t, decision: Allow}
	case decision != Ask:
		return refuse(OutcomeDenied, "denied by the policy")
	}
	switch q, answer, err := r.known(call, t); {
	case err != nil:
		return refuse(OutcomeDenied, "denied: %v", err)
	case q == nil && answer != nil: // granted
		return verdict{call: call, tool: t, decision: Allow}
	case answer == nil && r.s.opts.Approver == nil:
		return refuse(OutcomeDenied, "denied: it needs permission, and nobody is there to ask")
	}
	return verdict{call: call, tool: t, decision: Ask}
}

// checkCall checks the arguments of a call and computes its permission keys. With
// an error it returns how the call ends.
func checkCall(call *tool.Call, t *tool.Tool) (Outcome, error) {
	var err error
	if call.Args, err = t.Check(call.Args); err != nil {
		return OutcomeInvalid, err
	}
	if call.Key, call.Keys, err = keys(t, call.Args); err != nil {
		return OutcomeDenied, fmt.Errorf("its permission key cannot be computed: %w", err)
	}
	return "", nil
}

// keys computes the permission key of a call, and all of them if there are
// several.
func keys(t *tool.Tool, args json.RawMessage) (key string, all []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			key, all, err = "", nil, fmt.Errorf("it panicked: %v", p)
		}
	}()
	switch all, err = t.Keys(args); {
	case err != nil || len(all) == 0:
		return "", nil, err
	case len(all) == 1:
		return all[0], nil, nil
	}
	return all[0], all, nil
}

// consult asks the policy; whatever goes wrong there denies.
func (r *run) consult(c *tool.Call) (d Decision, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.s.panicked("policy", p)
			d, err = Deny, errPolicy
		}
	}()
	d, err = r.s.agent.Policy.Decide(r.ctx, c)
	if err != nil {
		d = Deny
	}
	return d, err
}

// permit asks whether the call may run. It reports whether the run has to be
// parked until the answer is there.
func (r *run) permit(calls []openCall, verdicts []verdict, i int) (bool, error) {
	c, v := &calls[i], &verdicts[i]
	answer, err := r.mayRun(v.call, v.tool)
	switch {
	case errors.Is(err, ErrLater):
		return true, r.askRest(verdicts[i+1:])
	case r.ctx.Err() != nil:
		return false, nil
	case errors.Is(err, ErrFenced):
		return false, err
	case err != nil:
		v.refused = c.failed(i, OutcomeDenied, fmt.Sprintf("denied: %v", err))
	case !answer.Chose(tool.Allow) && !answer.Chose(tool.Always):
		text := "denied by the user"
		if answer.Text != "" {
			text += ": " + answer.Text
		}
		v.refused = c.failed(i, OutcomeDenied, text)
	default:
		v.decision = Allow
		return false, nil
	}
	return false, r.s.append(r.l, v.refused)
}

// askRest asks about the calls behind one whose answer comes later, so that all
// questions can be answered together. Answers are found in the log in turn.
func (r *run) askRest(verdicts []verdict) error {
	for i := range verdicts {
		v := &verdicts[i]
		if v.call == nil || v.refused != nil || v.decision != Ask {
			continue
		}
		if _, err := r.mayRun(v.call, v.tool); errors.Is(err, ErrFenced) {
			return err
		}
	}
	return nil
}

// suggest is a hint at the tools on offer.
func (a *Agent) suggest(name string, hidden []string) string {
	names := make([]string, 0, len(a.Tools))
	for i := range a.Tools {
		if n := a.Tools[i].Spec.Name; !slices.Contains(hidden, n) {
			names = append(names, n)
		}
	}
	if near := llm.Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	if len(names) == 0 {
		return ""
	}
	return "; there are " + strings.Join(names, ", ")
}

// clean makes a tool's result fit for a request: valid text of bounded length,
// and data that is JSON.
func clean(res *tool.Result, limit int) {
	shared := true // the tool may return the same parts each time
	for i := range res.Parts {
		p := &res.Parts[i]
		if p.Kind != llm.PartText {
			if fits(p) {
				continue
			}
			if shared {
				res.Parts, shared = slices.Clone(res.Parts), false
			}
			res.Parts[i] = llm.Text(fmt.Sprintf("[a part of kind %q is left out, it cannot be part of a result]", p.Kind))
			continue
		}
		text := p.Text
		if len(text) > limit {
			text = cut(text, limit) + fmt.Sprintf("\n[cut: %d of %d bytes shown]", limit, len(text))
			limit = 0
		} else {
			limit -= len(text)
		}
		text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
		if text == p.Text {
			continue
		}
		if shared {
			res.Parts, shared = slices.Clone(res.Parts), false
		}
		res.Parts[i].Text = text
	}
	if len(res.Data) > 0 && (!json.Valid(res.Data) || llm.Deeper(res.Data, llm.MaxDepth)) {
		if text, err := marshal(string(res.Data)); err == nil {
			res.Data = text
		}
	}
}

// fits reports whether a part that is no text may be part of a result.
func fits(p *llm.Part) bool {
	switch p.Kind {
	case llm.PartMedia, llm.PartFile, llm.PartOpaque:
		m := llm.Message{Role: llm.RoleTool, Parts: []llm.Part{*p}}
		return m.Validate() == nil
	}
	return false
}

// cut shortens text to at most n bytes at a rune boundary.
func cut(text string, n int) string {
	for n > 0 && n < len(text) && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:min(n, len(text))]
}
