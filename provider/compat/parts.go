package compat

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/helios-go/helios/llm"
)

// A part is a piece of a content.
type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text,omitempty"`
	Image    *imageURL       `json:"image_url,omitempty"`
	File     *file           `json:"file,omitempty"`
	Audio    *audio          `json:"input_audio,omitempty"`
	Thinking []part          `json:"thinking,omitempty"`
	Cache    json.RawMessage `json:"cache_control,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

type file struct {
	Name string `json:"filename,omitempty"`
	Data string `json:"file_data,omitempty"`
	ID   string `json:"file_id,omitempty"`
}

type audio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

// cached marks the end of what a prompt cache keeps.
var cached = json.RawMessage(`{"type":"ephemeral"}`)

func (b *builder) text(p *llm.Part) part {
	out := part{Type: "text", Text: p.Text}
	if p.Cache && b.d.Cache {
		out.Cache = cached
	}
	return out
}

// flat is parts as a string where that says all of it, which every server takes:
// some know no other content, and Ollama makes a message of each part.
func flat(parts []part) any {
	texts := make([]string, 0, len(parts))
	for i := range parts {
		if parts[i].Type != "text" || parts[i].Cache != nil {
			return parts
		}
		texts = append(texts, parts[i].Text)
	}
	return strings.Join(texts, "\n\n")
}

// list is a content as parts.
func list(content any) []part {
	switch c := content.(type) {
	case []part:
		return c
	case string:
		return []part{{Type: "text", Text: c}}
	}
	return nil
}

// parts is what a user says.
func (b *builder) parts(parts []llm.Part) ([]part, error) {
	var out []part
	for i := range parts {
		p := &parts[i]
		if p.Kind == llm.PartMedia && p.Media == nil || p.Kind == llm.PartFile && p.File == nil {
			continue
		}
		switch p.Kind {
		case llm.PartText:
			if p.Text != "" {
				out = append(out, b.text(p))
			}
		case llm.PartMedia:
			made, err := b.media(p.Media)
			if err != nil {
				return nil, err
			}
			out = append(out, made)
		case llm.PartFile:
			made, err := b.file(p.File)
			if err != nil {
				return nil, err
			}
			out = append(out, made)
		}
	}
	return out, nil
}

// media is inline bytes: an image, a sound, a document, or a text.
func (b *builder) media(m *llm.Media) (part, error) {
	kind, _, err := mime.ParseMediaType(m.MIME)
	if err != nil {
		kind = m.MIME
	}
	class, sub, _ := strings.Cut(kind, "/")
	switch {
	case class == "image" && b.d.Images != ImagesNone:
		return part{Type: "image_url", Image: &imageURL{URL: dataURL(kind, m.Data)}}, nil
	case class == "audio" && b.d.Audio && sounds[sub] != "":
		return part{Type: "input_audio", Audio: &audio{Data: base64.StdEncoding.EncodeToString(m.Data), Format: sounds[sub]}}, nil
	case class == "text" || slices.Contains([]string{"json", "xml", "yaml", "x-yaml", "javascript", "csv"}, sub):
		name := ""
		if m.Name != "" {
			name = " " + m.Name
		}
		return part{Type: "text", Text: fmt.Sprintf("[attachment%s %s]\n%s", name, kind, strings.ToValidUTF8(string(m.Data), "\uFFFD"))}, nil
	case b.d.Files && class != "image" && class != "audio" && class != "video":
		return part{Type: "file", File: &file{Name: or(m.Name, "document"+extension(kind)), Data: dataURL(kind, m.Data)}}, nil
	}
	return part{}, b.m.conn.Invalid("%s takes no %s; leave it out, or ask a model that does", b.d.Name, kind)
}

// sounds are the formats that input_audio has.
var sounds = map[string]string{"wav": "wav", "x-wav": "wav", "wave": "wav", "mpeg": "mp3", "mp3": "mp3"}

func extension(kind string) string {
	if kind == "application/pdf" {
		return ".pdf"
	}
	return ""
}

func dataURL(kind string, data []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// file is something that the server fetches, or has already.
func (b *builder) file(f *llm.FileRef) (part, error) {
	web := strings.HasPrefix(f.URI, "https://") || strings.HasPrefix(f.URI, "http://")
	switch {
	case strings.HasPrefix(f.MIME, "image/") && web && b.d.Images == ImagesURL:
		return part{Type: "image_url", Image: &imageURL{URL: f.URI}}, nil
	case strings.HasPrefix(f.MIME, "image/") && web && b.d.Images == ImagesData:
		return part{}, b.m.conn.Invalid("%s fetches no images; send their bytes with llm.NewMedia", b.d.Name)
	case b.d.Files && !strings.Contains(f.URI, "://"):
		return part{Type: "file", File: &file{ID: f.URI}}, nil
	}
	return part{}, b.m.conn.Invalid("%s takes no reference to a file of type %s; send its bytes with llm.NewMedia", b.d.Name, f.MIME)
}

// results are what tools said, a message each. What they showed follows as the
// user's, behind all of them, where it cannot stand in a result.
func (b *builder) results(out []message, m *llm.Message, seen []part) ([]message, []part) {
	for i := range m.Parts {
		r := m.Parts[i].Result
		if m.Parts[i].Kind != llm.PartResult || r == nil {
			continue
		}
		var texts, shown []part
		for _, p := range b.shown(r.Parts) {
			if p.Cache = nil; p.Type == "text" {
				texts = append(texts, p)
			} else {
				shown = append(shown, p)
			}
		}
		if r.IsError && (len(texts) == 0 || !strings.HasPrefix(strings.ToLower(texts[0].Text), "error")) {
			texts = failed(texts)
		}
		msg := message{Role: toolRole, ID: b.ids.Out(r.ID)}
		if b.d.ToolName {
			msg.Name = b.names.Out(r.Name)
		}
		switch {
		case len(shown) == 0:
		case b.d.ToolMedia:
			texts = append(texts, shown...)
		default:
			what := part{Type: "text", Text: fmt.Sprintf("What the tool %s returned besides (call %s):", b.names.Out(r.Name), b.ids.Out(r.ID))}
			seen = append(append(seen, what), shown...)
			if len(texts) == 0 {
				texts = []part{{Type: "text", Text: "The result follows in the next message."}}
			}
		}
		msg.Content = flat(texts)
		out = append(out, msg)
	}
	return out, seen
}

// failed is what a tool said, as an error: the wire has no other way to say so.
func failed(texts []part) []part {
	if len(texts) == 0 {
		return []part{{Type: "text", Text: "Error: the tool failed."}}
	}
	texts[0].Text = "Error: " + texts[0].Text
	return texts
}

// shown is what a tool returned, with a note in place of what the server cannot
// take: what a tool returns is not the caller's choice, and must not end the run.
func (b *builder) shown(parts []llm.Part) (out []part) {
	for i := range parts {
		made, err := b.parts(parts[i : i+1])
		if err == nil {
			out = append(out, made...)
			continue
		}
		note := "[left out: a file that this model cannot see]"
		if m := parts[i].Media; m != nil {
			note = fmt.Sprintf("[left out: %s of %d bytes, which this model cannot see]", m.MIME, len(m.Data))
		}
		out = append(out, part{Type: "text", Text: note})
	}
	return out
}
