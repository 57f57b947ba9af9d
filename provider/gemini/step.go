package gemini

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/wire"
)

// A step is one that has begun and not ended.
type step struct {
	index int
	kind  stepKind
	part  int
	raw   json.RawMessage // as it began

	text        []byte // of the text, the thought, or the arguments under way
	texting     bool   // a text is under way, in part
	annotations []json.RawMessage
	pictures    []json.RawMessage // in a thought's summary
	signature   string
	call        *llm.ToolCall
	wireName    string
	args        json.RawMessage // as the step began
}

type stepKind uint8

const (
	outputStep stepKind = iota + 1
	thoughtStepKind
	callStepKind
	rawStep
)

// more takes a delta of the usual form.
func (d *decoder) more(t *delta) {
	s := d.open(t.index)
	if s == nil {
		if t.kind == argsDelta {
			return // of a call that has no name
		}
		s = d.begun(t.index, t.kind)
	}
	switch {
	case s.kind == callStepKind && t.kind == argsDelta:
		s.text = append(s.text, t.text...)
		if t.text != "" {
			d.emit(llm.Chunk{Kind: llm.ChunkArgs, Index: s.part, Text: t.text})
		}
	case s.kind == thoughtStepKind && t.kind != argsDelta:
		d.thinks(s, t.text)
	case s.kind == outputStep && t.kind == textDelta:
		d.says(s, t.text)
	}
}

// begun is a step that begins with its first delta.
func (d *decoder) begun(index int, kind deltaKind) *step {
	s := d.step(index)
	s.kind = outputStep
	if kind == thoughtDelta {
		s.kind, s.part = thoughtStepKind, d.part()
	}
	return s
}

// says takes more of a text.
func (d *decoder) says(s *step, text string) {
	if !s.texting {
		s.texting, s.part = true, d.part()
	}
	s.text = append(s.text, text...)
	if text != "" {
		d.emit(llm.Chunk{Kind: llm.ChunkText, Index: s.part, Text: text})
	}
}

func (d *decoder) thinks(s *step, text string) {
	s.text = append(s.text, text...)
	if text != "" {
		d.emit(llm.Chunk{Kind: llm.ChunkThinking, Index: s.part, Text: text})
	}
}

// besides takes what a delta says of a text beside more of it.
func (d *decoder) besides(index int, raw json.RawMessage) error {
	var w struct {
		Annotations []json.RawMessage `json:"annotations"`
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		return err
	}
	if s := d.open(index); s != nil && s.kind == outputStep {
		s.annotations = append(s.annotations, w.Annotations...)
	}
	return nil
}

// delta takes a delta of any other form.
func (d *decoder) delta(index int, raw json.RawMessage) error {
	s := d.open(index)
	var w wireDelta
	if err := json.Unmarshal(raw, &w); err != nil && (s == nil || s.kind != rawStep) {
		return err
	}
	switch w.Type {
	case "text":
		return fmt.Errorf("more of the text of step %d is no text", index)
	case "thought_summary", "thought_signature":
		if s == nil {
			s = d.begun(index, thoughtDelta)
		}
		switch {
		case w.Type == "thought_summary" && s.kind == thoughtStepKind:
			d.summary(s, w.Content)
		case w.Type == "thought_signature" && (s.kind == thoughtStepKind || s.kind == callStepKind):
			s.signature = joined(s.signature, w.Signature)
		}
		return nil
	case "arguments_delta":
		if s != nil && s.kind == callStepKind {
			d.arguments(s, w.Arguments)
		}
		return nil
	}
	switch {
	case s == nil: // a step of Google's own that begins in the middle
		s = d.step(index)
		s.kind, s.part, s.raw = rawStep, d.part(), bytes.Clone(raw)
	case s.kind == rawStep:
		merged, err := merge(s.raw, raw)
		if err != nil {
			return err
		}
		s.raw = merged
	case s.kind == outputStep && w.Type == "text_annotation_delta":
		d.says(s, "")
		s.annotations = append(s.annotations, w.Annotations...)
	case s.kind == outputStep && media(w.Type):
		d.content(s, raw)
	}
	return nil
}

// joined is a signature with more of it. Servers send it in one piece, and may say it
// again.
func joined(signature, more string) string {
	if strings.HasPrefix(more, signature) {
		return more
	}
	return signature + more
}

// arguments takes arguments that are no text: servers of an older kind send the
// object itself, which is all of them.
func (d *decoder) arguments(s *step, raw json.RawMessage) {
	if len(raw) == 0 || string(raw) == "null" {
		return
	}
	s.text = append(s.text[:0], raw...)
	d.emit(llm.Chunk{Kind: llm.ChunkArgs, Index: s.part, Text: string(raw)})
}

// summary takes a piece of a thought's summary.
func (d *decoder) summary(s *step, raw json.RawMessage) {
	var c wireContent
	if len(raw) == 0 || json.Unmarshal(raw, &c) != nil {
		return
	}
	if c.Type == "text" || c.Type == "" {
		d.thinks(s, c.Text)
		return
	}
	s.pictures = append(s.pictures, bytes.Clone(raw))
}

// media reports whether a kind of content is a file.
func media(kind string) bool {
	switch kind {
	case "image", "audio", "video", "document":
		return true
	}
	return false
}

// content takes a whole piece of what a model says.
func (d *decoder) content(s *step, raw json.RawMessage) {
	var c wireContent
	err := json.Unmarshal(raw, &c)
	if err == nil && c.Type == "text" {
		d.says(s, c.Text)
		s.annotations = append(s.annotations, c.Annotations...)
		return
	}
	d.closeText(s)
	if err == nil && media(c.Type) && c.MIME != "" {
		if part, err := fileOf(&c); err == nil {
			d.emit(llm.Chunk{Kind: llm.ChunkPart, Index: d.part(), Part: &part})
			return
		}
	}
	if data, err := wire.Marshal(contentStep{Type: "model_output", Content: []json.RawMessage{raw}}); err == nil {
		d.opaque(d.part(), data)
	}
}

// fileOf is a file that a model gives, or refers to.
func fileOf(c *wireContent) (llm.Part, error) {
	if c.URI != "" {
		return llm.NewFile(c.URI, c.MIME, "")
	}
	return llm.NewMedia(c.MIME, c.Data, "")
}
