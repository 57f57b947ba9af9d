package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/files/internal/edit"
)

type editInput struct {
	Path       string     `json:"path" jsonschema:"the file, relative to the workspace"`
	OldString  string     `json:"old_string,omitempty" jsonschema:"the text to replace, exactly as it stands in the file and only once, without line numbers"`
	NewString  string     `json:"new_string,omitempty" jsonschema:"what to put in its place; empty takes the text out"`
	ReplaceAll bool       `json:"replace_all,omitempty" jsonschema:"whether to replace it wherever it stands"`
	Edits      []editPart `json:"edits,omitempty" jsonschema:"in place of the three above: several replacements, made one after the other, all or none"`
}

type editPart struct {
	OldString  string `json:"old_string" jsonschema:"the text to replace"`
	NewString  string `json:"new_string" jsonschema:"what to put in its place"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"whether to replace it wherever it stands"`
}

// Edit returns the tool that replaces pieces of a file.
func (f *Files) Edit() tool.Tool {
	return newTool(f, "Edit", "Replace a piece of a text file, or several in one call. The file must have been read in this session, and be unchanged since. "+
		"The text to replace must be in the file exactly once: quote enough of it, with the lines around. Line ends and permissions of the file are kept.",
		f.doEdit, tool.WithEffect(tool.Mutating), tool.WithKind(tool.KindWrite))
}

func (in *editInput) changes() ([]edit.Change, error) {
	single := in.OldString != "" || in.NewString != "" || in.ReplaceAll
	switch {
	case single && len(in.Edits) > 0:
		return nil, errors.New("give either old_string and new_string, or edits")
	case !single && len(in.Edits) == 0:
		return nil, errors.New("old_string is missing; quote the text to replace")
	case single:
		return []edit.Change{{Old: in.OldString, New: in.NewString, All: in.ReplaceAll}}, nil
	}
	var all []edit.Change
	for _, e := range in.Edits {
		all = append(all, edit.Change{Old: e.OldString, New: e.NewString, All: e.ReplaceAll})
	}
	return all, nil
}

func (f *Files) doEdit(ctx context.Context, in editInput) (tool.Result, error) {
	p, err := f.writable(ctx, in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	changes, err := in.changes()
	if err != nil {
		return tool.Result{}, err
	}
	data, is, err := f.known(ctx, p)
	if err != nil {
		return tool.Result{}, advise(p, err)
	}
	out, shown, spans, err := f.change(data, changes)
	if err == nil {
		err = p.root.Replace(p.name, out, is)
	}
	if err != nil {
		return tool.Result{}, about(p.path, err)
	}
	f.saw(ctx, p, out)
	done := count(len(changes), "edit", "edits")
	return tool.Text(fmt.Sprintf("Edited %s (%s). It now reads:\n%s", show(p.path), done, f.excerpt(shown, out, spans))), nil
}

// change makes changes in a text, and returns it as it is and as it is shown.
func (f *Files) change(data []byte, changes []edit.Change) (out, shown []byte, spans []edit.Span, err error) {
	switch {
	case isBinary(data):
		return nil, nil, nil, errors.New("it is binary, and only text can be edited")
	case len(data) == 0:
		return nil, nil, nil, errors.New("it is empty; use Write")
	}
	for _, c := range changes {
		if err := f.unmarked(data, c.New); err != nil {
			return nil, nil, nil, err
		}
	}
	limit := int(f.opts.MaxFile)
	clean, secret := f.redact(data)
	if secret {
		// What the model cannot see it cannot quote: the changes are made in what
		// is shown too, and must come to the same. If they did not have to, trying
		// quotations would tell the secret.
		if shown, _, err = edit.Apply(clean, changes, 2*limit); err != nil {
			return nil, nil, nil, err
		}
	}
	if out, spans, err = edit.Apply(data, changes, limit); err != nil && !secret {
		return nil, nil, nil, err
	}
	again, _ := f.redact(out)
	if secret && (err != nil || !bytes.Equal(again, shown)) {
		return nil, nil, nil, errors.New("the text to replace is, or touches, a secret that is not shown; quote what stands around it")
	}
	return out, again, spans, nil
}

// excerpt shows the lines around what was put into a text.
func (f *Files) excerpt(shown, out []byte, spans []edit.Span) string {
	const around, most, longest = 2, 30, 500
	var b strings.Builder
	next, left := 1, most
	for _, s := range spans {
		// Secrets hold no line breaks, so the lines of both texts are the same.
		first := max(1+bytes.Count(out[:s.Start], []byte("\n"))-around, 1)
		last := 1 + bytes.Count(out[:s.End], []byte("\n")) + around
		if s.End > s.Start && out[s.End-1] == '\n' {
			last--
		}
		if last < next {
			continue
		}
		if b.Len() > 0 && first > next {
			b.WriteString("   ...\n")
		}
		first = max(first, next)
		if left == 0 {
			b.WriteString("[More was changed that is not shown here.]\n")
			break
		}
		p := page{first: first, limit: min(last-first+1, left), maxLine: min(longest, f.opts.MaxLine), maxText: f.opts.MaxText}
		p.write(shown)
		b.WriteString(p.b.String())
		if left -= p.limit; p.last > 0 {
			next = p.last + 1
		}
		if p.limit < last-first+1 && left == 0 {
			b.WriteString("   ...\n")
		}
	}
	return b.String()
}
