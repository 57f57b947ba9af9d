package agent

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
)

// Secrets are taken out of what is said about the world (results, errors,
// questions, progress, the arguments that a tool was started with) in any case,
// and out of what users and models say when OpenOptions.RedactLog asks for it.
// All of it happens where events are written, so that no way into the log is
// missed. Two things are done earlier: results are redacted before they are cut to
// size, since half a secret is not found, and the calls of a message get other ids
// and names as soon as it is there, since all that comes of a call repeats those.

// redactor is that of the agent's secrets, nil when there are none.
func (s *Session) redactor() *secret.Redactor {
	if r := s.agent.Secrets.Redactor(); r.Longest() > 0 {
		return r
	}
	return nil
}

// redact takes the secrets out of an event that is about to be written. What the
// event shares with others is copied where it changes.
func (s *Session) redact(d EventData) {
	red := s.redactor()
	if red == nil {
		return
	}
	all := s.opts.RedactLog
	switch d := d.(type) {
	case *ToolStarted:
		redactStart(red, d)
	case *ToolEnded:
		s.redactEnd(red, d)
	case *ModelRetried:
		d.Reason, _ = red.Text(d.Reason)
	case *QuestionAsked:
		d.Question = redactQuestion(red, d.Question)
	case *QuestionAnswered:
		if all {
			d.Answer.Text, _ = red.Text(d.Answer.Text)
		}
	case *HookFired:
		d.Detail, _ = red.Text(d.Detail)
	case *MessageBlocked:
		d.Reason, _ = red.Text(d.Reason)
	case *ChildEnded:
		d.Result = redactResult(red, d.Result, all)
	case *RunEnded:
		d.Result = redactResult(red, d.Result, all)
	case *Custom:
		d.Name, _ = red.Text(d.Name)
		d.Data, _ = red.JSON(d.Data)
	case *UserMessage:
		if all {
			d.Message.Origin, _ = red.Text(d.Message.Origin)
		}
		if all || d.Origin == OriginHook || d.Origin == OriginCorrection || d.Origin == OriginInterrupt {
			d.Message.Parts, _ = redactParts(red, d.Message.Parts)
		}
	case *ModelMessage:
		if all {
			redactModel(red, d)
		}
	case *ContextEdited:
		d.Messages = s.redactMessages(red, d.Messages, all)
	case *SessionForked:
		d.Messages = s.redactMessages(red, d.Messages, all)
	}
}

func redactModel(red *secret.Redactor, d *ModelMessage) {
	d.Message.Origin, _ = red.Text(d.Message.Origin)
	d.Message.Parts, _ = redactParts(red, d.Message.Parts)
	d.Meta, _ = red.JSON(d.Meta)
	finish, _ := red.Text(string(d.Finish))
	d.Finish = llm.FinishReason(finish)
}

// redactStart hides what the hooks may have put into the arguments. A call that
// is made again after a crash then goes through the hooks again.
func redactStart(red *secret.Redactor, d *ToolStarted) {
	args, counts := red.JSON(d.Call.Args)
	key, more := red.Text(d.Key)
	if counts = counts.Plus(more); counts == nil {
		return
	}
	call := *d.Call
	call.Args = args
	d.Call, d.Key, d.Redactions = &call, key, d.Redactions.Plus(counts)
}

// redactEnd leaves the id: it is the call's, which holds no secret (see run.message).
func (s *Session) redactEnd(red *secret.Redactor, d *ToolEnded) {
	parts, counts := redactParts(red, d.Result.Parts)
	data, more := red.JSON(d.Data)
	name := s.callName(red, d.Result.Name)
	if counts = counts.Plus(more); counts == nil && name == d.Result.Name {
		return
	}
	res := *d.Result
	res.Name, res.Parts = name, parts
	d.Result, d.Data, d.Redactions = &res, data, d.Redactions.Plus(counts)
}

// callName is the name that a call is known by. A model may have made it up of what
// it should not tell. The names of tools are nobody's secret, whatever they hold.
func (s *Session) callName(red *secret.Redactor, name string) string {
	if _, leaks := red.Leaks(name); !leaks || s.agent.find(name) != nil {
		return name
	}
	hidden := "redacted" // which providers take for a name, as they would not <redacted:NAME>
	for s.agent.find(hidden) != nil {
		hidden += "_"
	}
	return hidden
}

// shownKey is a key of SendOnce as the log has it: the same for the same key.
func (s *Session) shownKey(key string) string {
	if red := s.redactor(); red != nil && s.opts.RedactLog {
		key, _ = red.Text(key)
	}
	return key
}

// redactWhole takes the secrets out of a result as the tool returned it.
func redactWhole(red *secret.Redactor, res *tool.Result) secret.Counts {
	parts, counts := redactParts(red, res.Parts)
	data, more := red.JSON(res.Data)
	res.Parts, res.Data = parts, data
	return counts.Plus(more)
}

// redactQuestion leaves the labels, which answers repeat.
func redactQuestion(red *secret.Redactor, q *tool.Question) *tool.Question {
	clean := *q
	clean.Text, _ = red.Text(q.Text)
	clean.Header, _ = red.Text(q.Header)
	clean.Args, _ = red.JSON(q.Args)
	clean.Reason, _ = red.Text(q.Reason)
	clean.Keys = slices.Clone(q.Keys)
	for i := range clean.Keys {
		clean.Keys[i], _ = red.Text(clean.Keys[i])
	}
	clean.Choices = append([]tool.Choice(nil), q.Choices...)
	for i := range clean.Choices {
		c := &clean.Choices[i]
		c.Description, _ = red.Text(c.Description)
	}
	return &clean
}

// redactResult hides the secrets in the error, and in the answer where that was
// asked for.
func redactResult(red *secret.Redactor, r *Result, all bool) *Result {
	clean := *r
	clean.Err = redactErr(red, r.Err)
	if all {
		clean.Text, _ = red.Text(r.Text)
		clean.Output, _ = red.JSON(r.Output)
	}
	return &clean
}

// redactErr keeps the type of a stop error, so that what it matches does not
// change.
func redactErr(red *secret.Redactor, err error) error {
	if stop, ok := err.(*StopError); ok && stop.Err != nil { //nolint:errorlint // ours, and not wrapped
		return &StopError{Stop: stop.Stop, Err: red.Err(stop.Err)}
	}
	return red.Err(err)
}

// redactMessages hides secrets in messages that take the place of others.
// Without all, those are the notes that no user and no model has written.
func (s *Session) redactMessages(red *secret.Redactor, messages []llm.Message, all bool) []llm.Message {
	if !all {
		return messages
	}
	ids := map[string]string{}
	out := slices.Clone(messages)
	for i := range out {
		m := &out[i]
		m.Origin, _ = red.Text(m.Origin)
		parts, _ := redactParts(red, m.Parts)
		m.Parts = slices.Clone(parts)
		for k := range m.Parts {
			switch p := &m.Parts[k]; {
			case p.Call != nil:
				call := *p.Call
				call.ID, call.Name = hideID(red, call.ID, ids), s.callName(red, call.Name)
				p.Call = &call
			case p.Result != nil:
				res := *p.Result
				res.ID, res.Name = hideID(red, res.ID, ids), s.callName(red, res.Name)
				p.Result = &res
			}
		}
	}
	return out
}

// hideID hides the secret in an id, the same way each time: ids says how.
func hideID(red *secret.Redactor, id string, ids map[string]string) string {
	if _, leaks := red.Leaks(id); !leaks {
		return id
	}
	if ids[id] == "" {
		ids[id] = fmt.Sprintf("redacted_%d", len(ids)+1)
	}
	return ids[id]
}

// redactParts returns parts without secrets: the same ones where there is none.
func redactParts(red *secret.Redactor, parts []llm.Part) ([]llm.Part, secret.Counts) {
	var all secret.Counts
	out := parts
	for i := range parts {
		part, counts := redactPart(red, parts[i])
		if counts == nil {
			continue
		}
		if all == nil {
			out = append([]llm.Part(nil), parts...)
		}
		out[i] = part
		all = all.Plus(counts)
	}
	return out, all
}

func redactPart(red *secret.Redactor, p llm.Part) (llm.Part, secret.Counts) {
	text, counts := red.Text(p.Text)
	_, more := red.Text(p.Signature)
	if counts = counts.Plus(more); counts != nil {
		p.Text, p.Signature = text, "" // a signature holds for what was signed, and only whole
	}
	if p.Opaque != nil && p.Kind != llm.PartOpaque {
		if _, more = red.JSON(p.Opaque.Data); more != nil { // the part says enough without it
			p.Opaque, counts = nil, counts.Plus(more)
		}
	}
	switch {
	case p.Call != nil:
		call := *p.Call
		call.Args, more = red.JSON(call.Args)
		p.Call = changed(p.Call, &call, more)
	case p.Result != nil:
		res := *p.Result
		res.Parts, more = redactParts(red, res.Parts)
		p.Result = changed(p.Result, &res, more)
	case p.Media != nil:
		media := *p.Media
		more = redactMedia(red, &media)
		p.Media = changed(p.Media, &media, more)
	case p.File != nil:
		file := *p.File
		more = redactFile(red, &file)
		p.File = changed(p.File, &file, more)
	case p.Opaque != nil && p.Kind == llm.PartOpaque:
		if _, more = red.JSON(p.Opaque.Data); more != nil { // it cannot be echoed verbatim, so not at all
			p = llm.Text("[a block of " + p.Opaque.Provider + " was left out: it held a secret]")
		}
	default:
		return p, counts
	}
	return p, counts.Plus(more)
}

// redactMedia looks at the bytes whatever their type is said to be: those of a
// picture that hold a secret as it is are not a picture alone.
func redactMedia(red *secret.Redactor, m *llm.Media) secret.Counts {
	name, counts := red.Text(m.Name)
	mime, more := redactMIME(red, m.MIME)
	counts = counts.Plus(more)
	if json.Valid(m.Data) { // in which a secret may be escaped
		m.Data, more = red.JSON(m.Data)
	} else {
		m.Data, more = red.Bytes(m.Data)
	}
	m.Name, m.MIME = name, mime
	return counts.Plus(more)
}

func redactFile(red *secret.Redactor, f *llm.FileRef) (counts secret.Counts) {
	for _, p := range [...]*string{&f.URI, &f.Name} {
		text, more := red.Text(*p)
		*p, counts = text, counts.Plus(more)
	}
	mime, more := redactMIME(red, f.MIME)
	f.MIME = mime
	return counts.Plus(more)
}

// redactMIME returns a type that requests may have: one with a secret becomes that
// of any bytes.
func redactMIME(red *secret.Redactor, mime string) (string, secret.Counts) {
	if _, counts := red.Text(mime); counts != nil {
		return "application/octet-stream", counts
	}
	return mime, nil
}

// changed is the new value if there were secrets in the old one.
func changed[T any](old, clean *T, counts secret.Counts) *T {
	if counts == nil {
		return old
	}
	return clean
}
