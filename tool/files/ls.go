package files

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/workspace"
)

type lsInput struct {
	Path string `json:"path,omitempty" jsonschema:"the folder, by default the top of the workspace"`
}

// LS returns the tool that lists a folder.
func (f *Files) LS() tool.Tool {
	return newTool(f, "LS", "List a folder: first the folders in it (name/), then files, then symbolic links (name@, which cannot be followed). "+
		"It does not go into folders; Glob does.",
		f.doLS, tool.WithEffect(tool.ReadOnly), tool.WithKind(tool.KindRead))
}

func (f *Files) doLS(ctx context.Context, in lsInput) (tool.Result, error) {
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	p, err := f.place(in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	found, err := p.root.ReadDir(p.name)
	if err != nil {
		return tool.Result{}, advise(p, err)
	}
	found = slices.DeleteFunc(found, func(e workspace.Entry) bool {
		path := join(p.path, e.Name)
		return p.path == "." && f.isCorpus(e.Name) || f.opts.Hide != nil && f.opts.Hide(path) || workspace.IsTemp(e.Name)
	})
	if p.path == "." {
		for _, name := range f.corpora {
			if !f.hidden(name) {
				found = append(found, workspace.Entry{Name: name, Type: workspace.Dir})
			}
		}
	}
	slices.SortFunc(found, func(a, b workspace.Entry) int {
		return cmp.Or(cmp.Compare(order(a.Type), order(b.Type)), strings.Compare(a.Name, b.Name))
	})
	var b strings.Builder
	for i, e := range found {
		if i == f.opts.MaxPaths {
			fmt.Fprintf(&b, "[%d of %d entries; find others by name with Glob.]\n", i, len(found))
			break
		}
		b.WriteString(show(e.Name))
		switch e.Type {
		case workspace.Dir:
			b.WriteByte('/')
		case workspace.Symlink:
			b.WriteByte('@')
		case workspace.Other:
			b.WriteString(" (a special file, not to be opened)")
		}
		b.WriteByte('\n')
	}
	return tool.Text(b.String()), nil
}

func order(t workspace.Type) int {
	switch t {
	case workspace.Dir:
		return 0
	case workspace.File:
		return 1
	case workspace.Symlink:
		return 2
	}
	return 3
}
