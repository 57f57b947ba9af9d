package gemini

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
	"github.com/helios-go/helios/provider/internal/wire"
)

// The steps of a conversation, as the API wants them.
type (
	contentStep struct {
		Type    string            `json:"type"` // user_input, model_output
		Content []json.RawMessage `json:"content"`
	}
	thoughtStep struct {
		Type      string            `json:"type"`
		Signature string            `json:"signature"`
		Summary   []json.RawMessage `json:"summary,omitempty"`
	}
	callStep struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Signature string          `json:"signature,omitempty"`
	}
	resultStep struct {
		Type    string `json:"type"`
		CallID  string `json:"call_id"`
		Name    string `json:"name,omitempty"`
		IsError bool   `json:"is_error,omitempty"`
		Result  any    `json:"result"` // a text, or contents
	}
	content struct {
		Type string  `json:"type"` // text, image, audio, video, document
		Text *string `json:"text,omitempty"`
		MIME string  `json:"mime_type,omitempty"`
		Data []byte  `json:"data,omitempty"`
		URI  string  `json:"uri,omitempty"`
	}
)

// A history is a conversation on its way to the server.
type history struct {
	model string // whose request it is: Model.Name
	names *adapt.Names
	ids   *adapt.IDs
	steps []json.RawMessage
	err   error
}

// message appends the steps of one message.
func (h *history) message(m *llm.Message) {
	var said []json.RawMessage // contents of the step under way
	kind := "user_input"
	if m.Role == llm.RoleAssistant {
		kind = "model_output"
	}
	flush := func() {
		if len(said) > 0 {
			h.step(contentStep{Type: kind, Content: said})
			said = nil
		}
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		switch p.Kind {
		case llm.PartText, llm.PartMedia, llm.PartFile:
			if c := h.content(p); c != nil {
				said = append(said, c)
			}
		case llm.PartThinking:
			if p.Signature != "" && h.own(p) {
				flush()
				h.thought(p)
			}
		case llm.PartCall:
			flush()
			h.call(p)
		case llm.PartResult:
			flush()
			h.result(p.Result)
		case llm.PartOpaque:
			if p.Opaque.Provider == vendor && h.own(p) {
				flush()
				h.steps = append(h.steps, p.Opaque.Data)
			}
		}
	}
	flush()
}

// own reports whether a part is of a model of this provider, or of none.
func (h *history) own(p *llm.Part) bool {
	return p.Model == "" || strings.HasPrefix(p.Model, vendor+"/")
}

func (h *history) step(v any) { h.steps = append(h.steps, h.json(v)) }

func (h *history) json(v any) json.RawMessage {
	data, err := wire.Marshal(v)
	if err != nil && h.err == nil {
		h.err = err
	}
	return data
}

// content is a part as a user or a model says it, nil for an empty one.
func (h *history) content(p *llm.Part) json.RawMessage {
	switch p.Kind {
	case llm.PartMedia:
		return h.json(content{Type: contentType(p.Media.MIME), MIME: p.Media.MIME, Data: p.Media.Data})
	case llm.PartFile:
		return h.json(content{Type: contentType(p.File.MIME), MIME: p.File.MIME, URI: p.File.URI})
	}
	if p.Text == "" {
		return nil
	}
	return h.with(h.json(content{Type: "text", Text: &p.Text}), p)
}

// contentType sorts a file by its MIME type.
func contentType(mime string) string {
	kind, _, _ := strings.Cut(strings.ToLower(mime), "/")
	switch kind {
	case "image", "audio", "video":
		return kind
	}
	return "document"
}

func (h *history) thought(p *llm.Part) {
	t := thoughtStep{Type: "thought", Signature: p.Signature}
	if p.Text != "" {
		t.Summary = append(t.Summary, h.json(content{Type: "text", Text: &p.Text}))
	}
	e := h.extras(p)
	var more []json.RawMessage // pictures in the summary
	if json.Unmarshal(e["summary"], &more) == nil {
		t.Summary = append(t.Summary, more...)
	}
	h.steps = append(h.steps, h.join(h.json(t), e))
}

func (h *history) call(p *llm.Part) {
	c := callStep{Type: "function_call", ID: h.ids.Out(p.Call.ID), Name: h.names.Out(p.Call.Name), Arguments: adapt.Args(p.Call)}
	if h.own(p) {
		c.Signature = p.Signature
	}
	h.steps = append(h.steps, h.with(h.json(c), p))
}

func (h *history) result(r *llm.ToolResult) {
	s := resultStep{Type: "function_result", CallID: h.ids.Out(r.ID), IsError: r.IsError}
	if r.Name != "" {
		s.Name = h.names.Out(r.Name)
	}
	s.Result = r.Text()
	if slices.ContainsFunc(r.Parts, func(p llm.Part) bool { return p.Kind == llm.PartMedia || p.Kind == llm.PartFile }) {
		contents := []json.RawMessage{}
		for i := range r.Parts {
			switch p := &r.Parts[i]; p.Kind {
			case llm.PartText, llm.PartMedia, llm.PartFile:
				if c := h.content(p); c != nil {
					contents = append(contents, c)
				}
			}
		}
		s.Result = contents
	}
	h.step(s)
}

// extras are the further fields of a part's own form, ours taken out.
func (h *history) extras(p *llm.Part) map[string]json.RawMessage {
	if p.Opaque == nil || p.Opaque.Provider != vendor || !h.own(p) {
		return nil
	}
	var e map[string]json.RawMessage
	if json.Unmarshal(p.Opaque.Data, &e) != nil {
		return nil
	}
	delete(e, refField)
	return e
}

// with is an object with the further fields of a part behind its own.
func (h *history) with(object json.RawMessage, p *llm.Part) json.RawMessage {
	return h.join(object, h.extras(p))
}

func (h *history) join(object json.RawMessage, extras map[string]json.RawMessage) json.RawMessage {
	if len(extras) == 0 || h.err != nil {
		return object
	}
	var own map[string]json.RawMessage
	if err := json.Unmarshal(object, &own); err != nil {
		h.err = err
		return object
	}
	out := object[: len(object)-1 : len(object)-1]
	for _, key := range slices.Sorted(maps.Keys(extras)) {
		if _, has := own[key]; has {
			continue
		}
		out = append(append(append(append(out, ','), h.json(key)...), ':'), extras[key]...)
	}
	return append(out, '}')
}
