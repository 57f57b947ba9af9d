package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

const defaultLines = 2000

type readInput struct {
	Path   string `json:"path" jsonschema:"the file, relative to the workspace"`
	Offset int    `json:"offset,omitempty" jsonschema:"the first line to show; 1 is the first of the file and the default"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many lines to show, by default 2000"`
}

// Read returns the tool that shows a file: text with line numbers, an image or a
// PDF as what it is. The session may then replace and edit the file.
func (f *Files) Read() tool.Tool {
	return newTool(f, "Read", "Show a file of the workspace. Each line of a text comes with its number and a tab in front, "+
		"which are not part of the file. Images (PNG, JPEG, GIF, WebP) and PDF files are shown as such, other binary files are not. "+
		"A file must have been read before it can be edited or replaced.",
		f.doRead, tool.WithEffect(tool.ReadOnly), tool.WithKind(tool.KindRead))
}

func (f *Files) doRead(ctx context.Context, in readInput) (tool.Result, error) {
	switch {
	case in.Path == "":
		return tool.Result{}, errors.New("path is missing; say which file")
	case in.Offset < 0:
		return tool.Result{}, fmt.Errorf("offset is %d, and the first line is 1", in.Offset)
	case in.Limit < 0:
		return tool.Result{}, fmt.Errorf("limit is %d, and it is 1 or more", in.Limit)
	}
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	p, err := f.place(in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	data, _, err := p.root.ReadFile(p.name, f.opts.MaxFile)
	if err != nil {
		return tool.Result{}, advise(p, err)
	}
	mime, image := mediaType(data)
	if mime != "" {
		return f.showMedia(ctx, p, data, mime, image)
	}
	f.saw(ctx, p, data)
	text, err := f.showText(data, max(in.Offset, 1), in.Limit)
	if err != nil {
		return tool.Result{}, about(p.path, err)
	}
	return tool.Text(text), nil
}

func (f *Files) showText(data []byte, first, limit int) (string, error) {
	if len(data) == 0 && first == 1 {
		return "", nil
	}
	if limit == 0 {
		limit = defaultLines
	}
	data, _ = f.redact(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	total := countLines(data)
	if first > total {
		return "", fmt.Errorf("it has %s, and offset is %d", count(total, "line", "lines"), first)
	}
	// What is beyond the end counts for nothing, and must not overflow.
	p := page{first: first, limit: min(limit, total-first+1), maxLine: f.opts.MaxLine, maxText: f.opts.MaxText}
	p.write(data)
	return p.b.String() + p.notes(total), nil
}

func (f *Files) showMedia(ctx context.Context, p place, data []byte, mime string, image bool) (tool.Result, error) {
	most := int64(-1)
	switch {
	case image:
		most = f.opts.MaxImage
	case mime == "application/pdf":
		most = f.opts.MaxPDF
	}
	n := int64(len(data))
	switch {
	case most < 0:
		return tool.Result{}, &pathError{p.path, fmt.Errorf("it is binary, of the type %s with %s", mime, size(n)), guidance(mime)}
	case n > most:
		return tool.Result{}, &pathError{p.path, fmt.Errorf("it is of the type %s with %s, and %s is the most", mime, size(n), size(most)), "make a smaller one with a program, or part of it"}
	}
	media, err := llm.NewMedia(mime, data, path.Base(p.path))
	if err != nil {
		return tool.Result{}, about(p.path, err)
	}
	f.saw(ctx, p, data)
	return tool.Result{Parts: []llm.Part{llm.Text(fmt.Sprintf("%s: %s, %s", p.path, mime, size(n))), media}}, nil
}

// saw notes that the session of a call knows the content of a file.
func (f *Files) saw(ctx context.Context, p place, data []byte) {
	f.read.saw(tool.CallFrom(ctx).Session, p.path, fingerprintOf(data))
}

// redact returns data without secrets, and whether there were any. What is kept
// of it is a copy only then.
func (f *Files) redact(data []byte) ([]byte, bool) {
	r := f.opts.Secrets.Redactor()
	if r.Longest() == 0 {
		return data, false
	}
	clean, counts := r.Bytes(data)
	return clean, counts.Total() > 0
}

// advise adds to an error about a path what a model can do about it.
func advise(p place, err error) error {
	e := &pathError{path: p.path, err: err}
	if errors.Is(err, fs.ErrNotExist) {
		e.more = "look for it with Glob or LS"
	}
	return e
}
