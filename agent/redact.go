package agent

import (
	"slices"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
)

// Secrets are taken out of what is said about the world (results, errors,
// questions, progress, the arguments that a tool was started with) in any case,
// and out of what users and models say when OpenOptions.RedactLog asks for it.
// All of it happens where events are written, so that no way into the log is
// missed; only results are redacted earlier, before they are cut to size, since
// half a secret is not found.

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
		redactEnd(red, d)
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
		d.Data, _ = red.JSON(d.Data)
	case *UserMessage:
		if all || d.Origin == OriginHook || d.Origin == OriginCorrection || d.Origin == OriginInterrupt {
			d.Message.Parts, _ = redactParts(red, d.Message.Parts)
		}
	case *ModelMessage:
		if all {
			d.Message.Parts, _ = redactParts(red, d.Message.Parts)
			d.Meta, _ = red.JSON(d.Meta)
		}
	case *ContextEdited:
		d.Messages = redactMessages(red, d.Messages, all)
	case *SessionForked:
		d.Messages = redactMessages(red, d.Messages, all)
	}
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

func redactEnd(red *secret.Redactor, d *ToolEnded) {
	parts, counts := redactParts(red, d.Result.Parts)
	data, more := red.JSON(d.Data)
	if counts = counts.Plus(more); counts == nil {
		return
	}
	res := *d.Result
	res.Parts = parts
	d.Result, d.Data, d.Redactions = &res, data, d.Redactions.Plus(counts)
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
func redactMessages(red *secret.Redactor, messages []llm.Message, all bool) []llm.Message {
	if !all {
		return messages
	}
	out := append([]llm.Message(nil), messages...)
	for i := range out {
		out[i].Parts, _ = redactParts(red, out[i].Parts)
	}
	return out
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
	if counts != nil {
		p.Text, p.Signature = text, "" // a signature holds for what was signed
	}
	var more secret.Counts
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
		media.Name, more = red.Text(media.Name)
		if textual(media.MIME) {
			data, found := red.Bytes(media.Data)
			media.Data, more = data, more.Plus(found)
		}
		p.Media = changed(p.Media, &media, more)
	case p.File != nil:
		file := *p.File
		var named secret.Counts
		file.URI, more = red.Text(file.URI)
		file.Name, named = red.Text(file.Name)
		more = more.Plus(named)
		p.File = changed(p.File, &file, more)
	case p.Opaque != nil:
		if _, more = red.JSON(p.Opaque.Data); more != nil { // it cannot be echoed verbatim, so not at all
			p = llm.Text("[a block of " + p.Opaque.Provider + " was left out: it held a secret]")
		}
	}
	return p, counts.Plus(more)
}

// changed is the new value if there were secrets in the old one.
func changed[T any](old, clean *T, counts secret.Counts) *T {
	if counts == nil {
		return old
	}
	return clean
}

// textual reports whether bytes of a MIME type are text.
func textual(mime string) bool {
	return strings.HasPrefix(mime, "text/") || strings.HasSuffix(mime, "json") || strings.HasSuffix(mime, "xml") ||
		strings.HasSuffix(mime, "yaml") || strings.HasSuffix(mime, "javascript")
}
