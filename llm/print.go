package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"
)

// What is printed or logged is for people: texts are shortened, and bytes,
// signatures, URIs and providers' own blocks are not shown.

const shownText = 200 // bytes of a text that are printed

// String shows the part in one line, without bytes, signatures and URIs.
func (p Part) String() string {
	s := p.content()
	if p.Cache {
		s += " (cache)"
	}
	return s
}

func (p *Part) content() string {
	switch {
	case p.Kind == PartText:
		return shorten(p.Text)
	case p.Kind == PartThinking:
		return "thinking " + shorten(p.Text)
	case p.Kind == PartCall && p.Call != nil:
		return p.Call.String()
	case p.Kind == PartResult && p.Result != nil:
		return p.Result.String()
	case p.Kind == PartMedia && p.Media != nil:
		return p.Media.String()
	case p.Kind == PartFile && p.File != nil:
		return p.File.String()
	case p.Kind == PartOpaque && p.Opaque != nil:
		return p.Opaque.String()
	}
	return fmt.Sprintf("%q part without content", string(p.Kind))
}

// String shows the call in one line.
func (c ToolCall) String() string {
	args := string(c.Args)
	if len(args) > shownText {
		args = cutText(args, shownText) + fmt.Sprintf("... (%d bytes)", len(c.Args))
	}
	return fmt.Sprintf("%s(%s) %s", c.Name, strings.ToValidUTF8(args, "\uFFFD"), c.ID)
}

// String shows the result in one line.
func (r ToolResult) String() string {
	verb := "gives"
	if r.IsError {
		verb = "fails with"
	}
	return fmt.Sprintf("%s %s %s", r.Name, verb, printParts(r.Parts))
}

// String tells whose block it is and how large.
func (o Opaque) String() string { return fmt.Sprintf("block of %s, %d bytes", o.Provider, len(o.Data)) }

// GoString is String, so that %#v keeps the bytes back too.
func (o Opaque) GoString() string { return "llm.Opaque{" + o.String() + "}" }

// String shows the message in one line.
func (m Message) String() string {
	who := string(m.Role)
	if m.Origin != "" {
		who += " (" + m.Origin + ")"
	}
	return who + ": " + printParts(m.Parts)
}

func printParts(parts []Part) string {
	shown := make([]string, len(parts))
	for i := range parts {
		shown[i] = parts[i].String()
	}
	return "[" + strings.Join(shown, ", ") + "]"
}

// LogValue is String: a JSON log would otherwise write the bytes.
func (p Part) LogValue() slog.Value { return slog.StringValue(p.String()) }

// LogValue is String.
func (m Message) LogValue() slog.Value { return slog.StringValue(m.String()) }

// LogValue is String.
func (c ToolCall) LogValue() slog.Value { return slog.StringValue(c.String()) }

// LogValue is String.
func (r ToolResult) LogValue() slog.Value { return slog.StringValue(r.String()) }

// LogValue is String.
func (m Media) LogValue() slog.Value { return slog.StringValue(m.String()) }

// LogValue is String.
func (f FileRef) LogValue() slog.Value { return slog.StringValue(f.String()) }

// LogValue is String.
func (o Opaque) LogValue() slog.Value { return slog.StringValue(o.String()) }

// LogValue tells how much is asked, not what.
func (r *Request) LogValue() slog.Value {
	if r == nil {
		return slog.Value{}
	}
	return slog.GroupValue(slog.Int("messages", len(r.Messages)), slog.Int("tools", len(r.Tools)),
		slog.String("choice", r.Choice.Mode.String()), slog.Bool("output", r.Output != nil))
}

// LogValue is the message, shortened, with why it ended and what it took.
func (r *Response) LogValue() slog.Value {
	if r == nil {
		return slog.Value{}
	}
	return slog.GroupValue(slog.String("message", r.Message.String()), slog.String("finish", string(r.Finish)),
		slog.Int64("tokens", r.Usage.Total()))
}

// shorten quotes a text, cut if it is long.
func shorten(text string) string {
	if len(text) <= shownText {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%q... (%d bytes)", cutText(text, shownText), len(text))
}

// cutText cuts at a rune boundary.
func cutText(text string, n int) string {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// marshal is json.Marshal that leaves <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
