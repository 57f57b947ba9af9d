package llm

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Media is inline bytes of a MIME type: an image, a sound, a document. Make a
// part of it with [NewMedia].
type Media struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
	Name string `json:"name,omitempty"`
}

// A FileRef names a file that the provider hosts. Make a part of it with
// [NewFile].
type FileRef struct {
	URI  string `json:"uri"`
	MIME string `json:"mime"`
	Name string `json:"name,omitempty"`
}

// NewMedia returns a part of inline bytes, which are copied. Name may be empty.
// No bytes and what is no MIME type are an error.
func NewMedia(mime string, data []byte, name string) (Part, error) {
	m := &Media{MIME: mime, Data: bytes.Clone(data), Name: name}
	return Part{Kind: PartMedia, Media: m}, m.validate()
}

// NewFile returns a part that refers to a file the provider hosts. Name may be
// empty. A blank URI and what is no MIME type are an error; the URI's scheme is
// the provider's business.
func NewFile(uri, mime, name string) (Part, error) {
	f := &FileRef{URI: uri, MIME: mime, Name: name}
	return Part{Kind: PartFile, File: f}, f.validate()
}

func (m *Media) validate() error {
	if len(m.Data) == 0 {
		return fmt.Errorf("media %s without bytes", m.MIME)
	}
	return checkMIME("media", m.MIME)
}

func (f *FileRef) validate() error {
	switch {
	case strings.TrimSpace(f.URI) == "":
		return errors.New("a file reference without a URI")
	case strings.ContainsFunc(f.URI, func(r rune) bool { return r < ' ' || r == 0x7F }):
		return errors.New("a file reference whose URI has control characters")
	}
	return checkMIME("a file reference", f.MIME)
}

var mimeOK = regexp.MustCompile(`^[\w.+!#$&^-]+/[\w.+!#$&^-]+( *;[ -~]*)?$`)

func checkMIME(what, mime string) error {
	if !mimeOK.MatchString(mime) {
		return fmt.Errorf("%s of MIME type %q; write one like image/png", what, mime)
	}
	return nil
}

// String tells the type and the size, never the bytes.
func (m Media) String() string {
	return fmt.Sprintf("%s%s, %d bytes", m.MIME, named(m.Name), len(m.Data))
}

// GoString is String, so that %#v keeps the bytes back too.
func (m Media) GoString() string { return "llm.Media{" + m.String() + "}" }

// String tells the type, the name and the URI's scheme. The rest of a URI may be
// as good as a key.
func (f FileRef) String() string {
	scheme, _, ok := strings.Cut(f.URI, ":")
	if !ok || !schemeOK.MatchString(scheme) {
		scheme = "file"
	}
	return fmt.Sprintf("%s%s at %s:...", f.MIME, named(f.Name), scheme)
}

// GoString is String, so that %#v keeps the URI back too.
func (f FileRef) GoString() string { return "llm.FileRef{" + f.String() + "}" }

var schemeOK = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]{0,15}$`)

func named(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" %q", name)
}
