package anthropic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
)

// messages writes the conversation: roles in turn, results first in the message
// that follows their calls, and nothing empty.
func (e *encoder) messages() error {
	e.request.Messages, e.marked = nil, nil
	if e.served == nil {
		e.served = e.serve()
	}
	lastAnswer := -1
	for i := range e.req.Messages {
		if e.req.Messages[i].Role == llm.RoleAssistant {
			lastAnswer = i
		}
	}
	for i := range e.req.Messages {
		m := &e.req.Messages[i]
		var blocks []*block
		var err error
		role := "user"
		switch m.Role {
		case llm.RoleAssistant:
			role = "assistant"
			blocks = e.answer(m.Parts, len(e.resumed) == 0 && i == len(e.req.Messages)-1)
		case llm.RoleTool:
			blocks = e.results(m.Parts)
		default:
			blocks, err = e.said(m.Parts, i > lastAnswer)
		}
		if err != nil {
			return err
		}
		e.add(role, blocks)
	}
	e.urge()
	if len(e.resumed) > 0 {
		e.add("assistant", e.answer(e.resumed, true))
	}
	if len(e.request.Messages) == 0 {
		return e.model.conn.Invalid("there is nothing to answer: no message holds anything")
	}
	return nil
}

func (e *encoder) add(role string, blocks []*block) {
	if len(blocks) == 0 {
		return
	}
	for _, b := range blocks {
		if b.marked {
			e.marked = append(e.marked, b)
		}
	}
	if n := len(e.request.Messages); n > 0 && e.request.Messages[n-1].Role == role {
		last := e.request.Messages[n-1]
		last.Content = append(last.Content, blocks...)
		slices.SortStableFunc(last.Content, func(a, b *block) int { return cmp.Compare(a.rank(), b.rank()) })
		return
	}
	e.request.Messages = append(e.request.Messages, &message{Role: role, Content: blocks})
}

// rank puts results in front of what else the user says.
func (b *block) rank() int {
	if b.Type == "tool_result" {
		return 0
	}
	return 1
}

// resume goes on from a turn that was paused, with what there is of it.
func (e *encoder) resume(parts []llm.Part, container string) error {
	e.resumed = append(e.resumed, parts...)
	e.request.Container = container
	if c := e.request.Choice; c != nil && c.Type != "none" {
		e.request.Choice = nil // what had to be called was called, or will not be
	}
	return e.messages()
}

// said is what a user says. Files go before the text that is about them, where the
// text stands alone.
func (e *encoder) said(parts []llm.Part, now bool) ([]*block, error) {
	var blocks []*block
	for i := range parts {
		p := &parts[i]
		b, err := e.content(p, now)
		if err != nil {
			return nil, err
		}
		if b != nil {
			b.marked = p.Cache
			blocks = append(blocks, b)
		}
	}
	if len(parts) > 1 && parts[0].Kind == llm.PartText && len(blocks) == len(parts) {
		onlyFiles := true
		for i := range parts[1:] {
			onlyFiles = onlyFiles && (parts[i+1].Kind == llm.PartMedia || parts[i+1].Kind == llm.PartFile)
		}
		if onlyFiles {
			blocks = append(blocks[1:len(blocks):len(blocks)], blocks[0])
		}
	}
	return blocks, nil
}

// content is a text or a file. What the API cannot take is told in words where it
// is history, and an error where it is what is asked now.
func (e *encoder) content(p *llm.Part, now bool) (*block, error) {
	switch p.Kind {
	case llm.PartText:
		if strings.TrimSpace(p.Text) == "" {
			return nil, nil //nolint:nilnil // no block, which is no error
		}
		return &block{Type: "text", Text: &p.Text}, nil
	case llm.PartMedia:
		return e.media(p.Media, now)
	case llm.PartFile:
		return e.file(p.File, now)
	}
	return nil, nil //nolint:nilnil // nothing that a user says
}

// images are the kinds of pictures that the API takes.
var images = map[string]bool{"image/jpeg": true, "image/png": true, "image/gif": true, "image/webp": true}

func (e *encoder) media(m *llm.Media, now bool) (*block, error) {
	kind, _, _ := strings.Cut(m.MIME, ";")
	if kind = strings.ToLower(strings.TrimSpace(kind)); kind == "image/jpg" {
		kind = "image/jpeg"
	}
	switch {
	case images[kind]:
		return &block{Type: "image", Source: &source{Type: "base64", MIME: kind, Data: m.Data}}, nil
	case kind == "application/pdf":
		return &block{Type: "document", Source: &source{Type: "base64", MIME: kind, Data: m.Data}, Title: m.Name}, nil
	case utf8.Valid(m.Data) && !bytes.ContainsRune(m.Data, 0):
		return &block{Type: "text", Text: new("[attachment " + m.MIME + "]\n" + string(m.Data))}, nil
	case now:
		return nil, e.model.conn.Invalid("Anthropic takes JPEG, PNG, GIF, WebP, PDF and text, not %s; convert it first", m.MIME)
	}
	return &block{Type: "text", Text: new("[" + m.String() + " was here]")}, nil
}

func (e *encoder) file(f *llm.FileRef, now bool) (*block, error) {
	kind := "document"
	if strings.HasPrefix(f.MIME, "image/") {
		kind = "image"
	}
	b := &block{Type: kind}
	if kind == "document" {
		b.Title = f.Name
	}
	switch {
	case strings.HasPrefix(f.URI, "file_"):
		b.Source = &source{Type: "file", FileID: f.URI}
	case strings.HasPrefix(f.URI, "https://") && (kind == "image" || f.MIME == "application/pdf") && !strings.Contains(f.URI, "googleapis.com/"):
		b.Source = &source{Type: "url", URL: f.URI}
	case now:
		return nil, e.model.conn.Invalid("Anthropic does not have the file %s; upload it there and refer to it by its file_ id, or give its bytes", f)
	default:
		return &block{Type: "text", Text: new("[" + f.String() + " was here]")}, nil
	}
	return b, nil
}

// results are those of one turn's calls.
func (e *encoder) results(parts []llm.Part) []*block {
	var blocks, shown []*block
	for i := range parts {
		r := parts[i].Result
		if parts[i].Kind != llm.PartResult || r == nil {
			continue
		}
		b := &block{Type: "tool_result", ToolUseID: e.ids.Out(r.ID), IsError: r.IsError, marked: parts[i].Cache}
		for j := range r.Parts {
			c, err := e.content(&r.Parts[j], false)
			if c != nil && err == nil {
				b.Content = append(b.Content, c)
			}
		}
		if b.IsError {
			var files []*block
			b.Content, files = failure(b.Content)
			shown = append(shown, files...)
		}
		blocks = append(blocks, b)
	}
	return append(blocks, shown...)
}

// failure is what a tool that failed has said, and what it has shown, which goes
// behind the results: the API takes texts only there, and at least one, and would
// refuse the history for good otherwise.
func failure(content []*block) (texts, shown []*block) {
	for _, c := range content {
		if c.Type == "text" {
			texts = append(texts, c)
		} else {
			shown = append(shown, c)
		}
	}
	if len(texts) == 0 {
		texts = append(texts, &block{Type: "text", Text: new("The tool failed and did not say why.")})
	}
	return texts, shown
}

// answer is what a model said: what only its own maker understands is left out for
// others.
func (e *encoder) answer(parts []llm.Part, last bool) []*block {
	var blocks []*block
	for i := range parts {
		p := &parts[i]
		switch p.Kind {
		case llm.PartText:
			if strings.TrimSpace(p.Text) != "" {
				blocks = append(blocks, &block{Type: "text", Text: &p.Text, extra: e.extra(p), marked: p.Cache})
			}
		case llm.PartThinking, llm.PartOpaque:
			if b, ok := e.own(p); ok {
				blocks = append(blocks, b)
			}
		case llm.PartCall:
			args := adapt.Args(p.Call)
			if a := e.args[p.Call.Name]; a != nil {
				args = a.Out(args)
			}
			blocks = append(blocks, &block{
				Type: "tool_use", ID: e.ids.Out(p.Call.ID), Name: e.names.Out(p.Call.Name), Input: args, extra: e.extra(p), marked: p.Cache,
			})
		case llm.PartMedia, llm.PartFile: // what another provider's model has made
			if b, err := e.content(p, false); err == nil && b != nil && b.Type == "text" {
				blocks = append(blocks, b)
			}
		}
	}
	if last {
		return blocks
	}
	blocks = e.served.paired(blocks)
	for n := len(blocks); n > 0 && blocks[n-1].thought(); n-- {
		blocks = blocks[:n-1] // of an answer that was broken off: none may end so
	}
	return blocks
}

func (b *block) thought() bool { return b.Type == "thinking" || b.Type == "redacted_thinking" }

// ours reports whether a part's signature and opaque data come from Anthropic, and
// whether from this very model.
func (e *encoder) ours(p *llm.Part) (provider, model bool) {
	switch {
	case p.Opaque != nil && p.Opaque.Provider != "anthropic":
		return false, false
	case p.Model == "" || p.Model == e.model.name:
		return true, true
	}
	return strings.HasPrefix(p.Model, "anthropic/"), false
}

// extra are the further fields of a part that Anthropic made.
func (e *encoder) extra(p *llm.Part) json.RawMessage {
	if ours, _ := e.ours(p); !ours || p.Opaque == nil {
		return nil
	}
	data := bytes.TrimSpace(p.Opaque.Data)
	if len(data) < 2 || data[0] != '{' {
		return nil
	}
	return data
}

// own is a thought or a block of the API's own, if this model may be sent it.
func (e *encoder) own(p *llm.Part) (*block, bool) {
	ours, mine := e.ours(p)
	if p.Kind == llm.PartThinking {
		if !mine || p.Signature == "" {
			return nil, false
		}
		return &block{Type: "thinking", Thinking: &p.Text, Signature: p.Signature, extra: e.extra(p)}, true
	}
	if !ours || p.Opaque == nil {
		return nil, false
	}
	head := headOf(p)
	if head.Type == "" || head.Type == "redacted_thinking" && !mine {
		return nil, false
	}
	return &block{Type: head.Type, ID: head.ID, ToolUseID: head.ToolUseID, raw: p.Opaque.Data}, true
}
