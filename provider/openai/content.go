package openai

import (
	"encoding/base64"
	"strings"

	"github.com/helios-go/helios/llm"
)

// A content is one piece of a message, or of what a tool said.
type content struct {
	Type     string  `json:"type"`
	Text     *string `json:"text,omitempty"`
	ImageURL string  `json:"image_url,omitempty"`
	FileID   string  `json:"file_id,omitempty"`
	FileURL  string  `json:"file_url,omitempty"`
	FileData string  `json:"file_data,omitempty"`
	Filename string  `json:"filename,omitempty"`
}

func inputText(s string) content { return content{Type: "input_text", Text: &s} }

// contents are the parts of a message that a user or a tool sends. A single text,
// or nothing, is a string.
func contents(parts []llm.Part) any {
	if len(parts) == 1 && parts[0].Kind == llm.PartText {
		return parts[0].Text
	}
	list := make([]content, 0, len(parts))
	for i := range parts {
		switch p := &parts[i]; {
		case p.Kind == llm.PartText && p.Text != "":
			list = append(list, inputText(p.Text))
		case p.Kind == llm.PartMedia && p.Media != nil:
			list = append(list, media(p.Media))
		case p.Kind == llm.PartFile && p.File != nil:
			list = append(list, file(p.File))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return list
}

// media is an image, or a file with the name that the server wants.
func media(m *llm.Media) content {
	data := "data:" + m.MIME + ";base64," + base64.StdEncoding.EncodeToString(m.Data)
	if image(m.MIME) {
		return content{Type: "input_image", ImageURL: data}
	}
	return content{Type: "input_file", FileData: data, Filename: filename(m.Name, m.MIME)}
}

// file is a file at a URL, or one of the provider's by its id.
func file(f *llm.FileRef) content {
	url := strings.Contains(f.URI, "://") || strings.HasPrefix(f.URI, "data:")
	switch {
	case image(f.MIME) && url:
		return content{Type: "input_image", ImageURL: f.URI}
	case image(f.MIME):
		return content{Type: "input_image", FileID: f.URI}
	case strings.HasPrefix(f.URI, "data:"):
		return content{Type: "input_file", FileData: f.URI, Filename: filename(f.Name, f.MIME)}
	case url:
		return content{Type: "input_file", FileURL: f.URI}
	}
	return content{Type: "input_file", FileID: f.URI}
}

func image(mime string) bool { return strings.HasPrefix(strings.ToLower(mime), "image/") }

// filename is the name of a file, or one that tells its type: the server refuses
// bytes without, and reads the type off its end.
func filename(name, mime string) string {
	if name != "" {
		return name
	}
	kind, _, _ := strings.Cut(strings.ToLower(mime), ";")
	if end, ok := extensions[strings.TrimSpace(kind)]; ok {
		return "file." + end
	}
	return "file"
}

var extensions = map[string]string{
	"application/pdf": "pdf", "application/json": "json", "application/xml": "xml", "application/rtf": "rtf",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   "docx",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         "xlsx",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
	"text/plain": "txt", "text/csv": "csv", "text/html": "html", "text/markdown": "md", "text/xml": "xml",
	"audio/mpeg": "mp3", "audio/wav": "wav", "audio/x-wav": "wav",
}
