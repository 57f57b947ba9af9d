package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// SkipDir and SkipAll end a part of a walk, or all of it, without an error.
var (
	SkipDir = fs.SkipDir
	SkipAll = fs.SkipAll
)

// maxDepth is how deep a walk goes: each level holds a descriptor.
const maxDepth = 256

// WalkOptions are how a tree is walked.
type WalkOptions struct {
	// Unreadable is told of a folder that cannot be entered and why: permission,
	// another file system, too many entries, nested too deeply. What it returns
	// ends the walk; nil goes on beside the folder. Without it such a folder ends
	// the walk. Folders that are gone by the time are passed over.
	Unreadable func(name string, err error) error
}

// Found is what a walk comes by. Its methods work from the open folder that it
// was found in, until the function that got it returns; for later use keep Path.
type Found struct {
	Path string // clean, from the root of the workspace
	Name string // the last element
	Type Type   // as its folder said; what is opened is looked at again

	in folder
}

// Info describes the entry, never followed.
func (f *Found) Info() (Info, error) {
	is, err := f.in.stat(f.Name)
	return is, failure("look at", f.Path, err)
}

// Open is [Root.Open] of the entry.
func (f *Found) Open() (*os.File, error) {
	file, _, err := f.in.open(f.Name)
	return file, failure("open", f.Path, err)
}

// Append is [Root.AppendFile] of the entry.
func (f *Found) Append(buf []byte, limit int64) ([]byte, Info, error) {
	data, is, err := f.in.read(buf, f.Name, limit)
	if err != nil {
		return buf, Info{}, failure("read", f.Path, err)
	}
	return data, is, nil
}

// Walk calls fn for each entry below a folder, depth first, sorted by name within
// each folder. The folder itself is not among them; a name that is a file is the
// one entry found. Links are found and never entered; so are folders on other file
// systems, which are Unreadable. opts may be nil.
//
// What fn returns ends the walk, but for [SkipDir], which passes over a folder
// (or, for what is no folder, over the rest of the one it is in), and [SkipAll].
// The walk is one of folders that are held open: what is renamed or swapped for
// a link meanwhile is entered as it was, or not at all.
func (r *Root) Walk(ctx context.Context, name string, opts *WalkOptions, fn func(Found) error) error {
	name, err := Clean(name)
	if err != nil {
		return err
	}
	if err := r.enter(); err != nil {
		return failure("walk", name, err)
	}
	defer r.leave()
	if opts == nil {
		opts = &WalkOptions{}
	}
	w := &walker{ctx: ctx, opts: opts, fn: fn}
	top, err := r.top.folder(name)
	switch {
	case err == nil:
		defer top.close()
		err = w.walk(top, name, 0)
	case errors.Is(cause(err), ErrNotFolder) && name != ".":
		err = r.walkFile(name, fn)
	default:
		err = failure("walk", name, err)
	}
	if errors.Is(err, SkipAll) || errors.Is(err, SkipDir) {
		return nil
	}
	return err
}

// walkFile is the walk of what is no folder.
func (r *Root) walkFile(name string, fn func(Found) error) error {
	in, leaf := split(name)
	f, err := r.top.parent(in)
	if err != nil {
		return failure("walk", name, err)
	}
	defer f.close()
	is, err := f.stat(leaf)
	if err != nil {
		return failure("walk", name, err)
	}
	return fn(Found{Path: name, Name: leaf, Type: is.Type(), in: f})
}

type walker struct {
	ctx  context.Context
	opts *WalkOptions
	fn   func(Found) error
}

func (w *walker) walk(f folder, name string, depth int) error {
	entries, err := f.list(maxEntries)
	if err != nil {
		return w.unreadable(name, err)
	}
	sortByName(entries)
	for _, e := range entries {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		path := join(name, e.name)
		err := w.fn(Found{Path: path, Name: e.name, Type: e.kind, in: f})
		if errors.Is(err, SkipDir) {
			if e.kind == Dir {
				continue
			}
			return nil
		}
		if err != nil {
			return err
		}
		if e.kind == Dir {
			if err := w.enter(f, e.name, path, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walker) enter(in folder, leaf, path string, depth int) error {
	if depth > maxDepth {
		return w.unreadable(path, ErrTooDeep)
	}
	f, err := in.folder(leaf)
	switch why := cause(err); {
	case err == nil:
		defer f.close()
		return w.walk(f, path, depth)
	case errors.Is(why, fs.ErrNotExist), errors.Is(why, ErrLink), errors.Is(why, ErrNotFolder), errors.Is(why, ErrEscape):
		return nil // no longer the folder that was listed
	}
	return w.unreadable(path, err)
}

func (w *walker) unreadable(name string, err error) error {
	err = failure("list", name, err)
	if w.opts.Unreadable == nil {
		return err
	}
	return w.opts.Unreadable(name, err)
}
