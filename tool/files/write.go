package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/workspace"
)

type writeInput struct {
	Path    string `json:"path" jsonschema:"the file, relative to the workspace; missing folders are made"`
	Content string `json:"content" jsonschema:"all that the file is to hold"`
}

// Write returns the tool that makes a file or replaces all of it.
func (f *Files) Write() tool.Tool {
	return newTool(f, "Write", "Make a file, or replace all that is in it. A file that exists must have been read in this session, and be unchanged since. "+
		"To change a part of a file use Edit.",
		f.doWrite, tool.WithEffect(tool.Mutating), tool.WithKind(tool.KindWrite))
}

func (f *Files) doWrite(ctx context.Context, in writeInput) (tool.Result, error) {
	p, err := f.writable(ctx, in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	data := []byte(in.Content)
	if int64(len(data)) > f.opts.MaxFile {
		return tool.Result{}, about(p.path, fmt.Errorf("content has %s, and %s is the most", size(int64(len(data))), size(f.opts.MaxFile)))
	}
	now, is, err := f.known(ctx, p)
	did := "Replaced"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		did = "Made"
		if err = f.unmarked(nil, in.Content); err == nil {
			err = p.root.Create(p.name, data)
		}
		if errors.Is(err, fs.ErrExist) {
			err = errors.New("somebody else has just made it; Read it before it is replaced")
		}
	case err == nil:
		if err = f.unmarked(now, in.Content); err == nil {
			err = p.root.Replace(p.name, data, is)
		}
	}
	if err != nil {
		return tool.Result{}, about(p.path, err)
	}
	f.saw(ctx, p, data)
	return tool.Text(fmt.Sprintf("%s %s: %s, %s.", did, show(p.path), count(countLines(data), "line", "lines"), size(int64(len(data))))), nil
}

// writable is the place of a path that something is to be written to.
func (f *Files) writable(ctx context.Context, path string) (place, error) {
	if path == "" {
		return place{}, errors.New("path is missing; say which file")
	}
	if err := ctx.Err(); err != nil {
		return place{}, err
	}
	p, err := f.place(path)
	switch {
	case err != nil:
		return place{}, err
	case p.name == ".":
		return place{}, about(p.path, errors.New("it is a folder, not a file"))
	case p.corpus != "" || p.root.ReadOnly():
		return place{}, about(p.path, workspace.ErrReadOnly)
	}
	return p, nil
}

// known returns a file that is what the session has last seen of it.
func (f *Files) known(ctx context.Context, p place) ([]byte, workspace.Info, error) {
	data, is, err := p.root.ReadFile(p.name, f.opts.MaxFile)
	if err != nil {
		return nil, is, err
	}
	last, ok := f.read.last(tool.CallFrom(ctx).Session, p.path)
	switch {
	case !ok:
		return nil, is, errors.New("it has not been read in this session; Read it first")
	case last != fingerprintOf(data):
		return nil, is, errors.New("it has changed since it was read in this session; Read it again first")
	}
	return data, is, nil
}

// unmarked refuses a text with the mark of a secret, unless the file has it too:
// a model that writes back what it was shown would write the mark in place of the
// secret.
func (f *Files) unmarked(now []byte, text string) error {
	const begin = "<redacted:"
	if !strings.Contains(text, begin) {
		return nil
	}
	for _, name := range f.opts.Secrets.Names() {
		mark := begin + name + ">"
		if strings.Contains(text, mark) && !strings.Contains(string(now), mark) {
			return fmt.Errorf("the new text holds %s, which stands for a secret that is not shown; leave the secret where it is and Edit what is around it", mark)
		}
	}
	return nil
}
