// Package files gives an agent the files of a workspace: Read, Glob, Grep, LS,
// Write and Edit.
//
//	ws, err := workspace.Open("/srv/projects/ada", nil)
//	if err != nil {
//		return err
//	}
//	f := files.New(ws, &files.Options{Secrets: &secrets})
//	a := agent.Agent{Model: model, Tools: f.All()}
//
// Names are relative to the workspace and cannot lead out of it, whatever a model
// or a program that runs beside it does: package workspace sees to that. What is
// too large, binary or secret is not shown, and every result that was cut says so
// and how to go on. Long lines, large files, and trees of any size are bounded in
// memory.
//
// A file can be replaced or edited only by a session that has read it, and only
// while it still is what was read: the tools keep a fingerprint of each file that
// a session has read or written, in memory. After a restart a session is asked to
// read again.
//
// Read, Glob, Grep and LS are ReadOnly, Write and Edit Mutating. The permission key
// of each is its path as [workspace.Root.Keys] spells it, so that a rule about
// `**/secrets.*` meets every spelling of such a file. A call of Glob, Grep or LS is
// about a folder: a rule that denies a file in it does not deny the call.
// [Options.Hide] keeps files out of all six.
package files

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/workspace"
)

// Options are what the tools show and how much of it at once. The zero value is
// ready; sizes are in bytes and 0 means the default.
type Options struct {
	// Secrets are redacted in what Read, Grep and Edit show: a text is redacted
	// first, and searched, numbered and cut afterwards.
	Secrets *secret.Registry

	// Corpora are further trees, which can only be read. Each shows as a folder at
	// the top of the workspace, in place of what the workspace has under its name.
	// Who opened them closes them.
	Corpora map[string]*workspace.Root

	// Hide tells of a clean path whether it is to be kept out of sight: it is not
	// listed, found, read or written, and nor is what lies below it. It must be safe
	// for concurrent use. See [Matching].
	Hide func(path string) bool

	MaxFile   int64 // of a file that Read, Write and Edit take: 25 MiB
	MaxImage  int64 // of an image: 5 MiB
	MaxPDF    int64 // of a PDF: 20 MiB
	MaxSearch int64 // of a file that Grep looks into when it is asked about a folder: 1 MiB

	MaxText    int // of text in one result: 256 KiB
	MaxLine    int // of a line that Read shows: 2,000
	MaxMatches int // of lines that Grep shows: 1,000
	MaxPaths   int // of paths that Glob and LS show: 1,000
}

func (o *Options) withDefaults() Options {
	var all Options
	if o != nil {
		all = *o
	}
	for _, d := range []struct {
		size  *int64
		value int64
	}{
		{&all.MaxFile, 25 << 20},
		{&all.MaxImage, 5 << 20},
		{&all.MaxPDF, 20 << 20},
		{&all.MaxSearch, 1 << 20},
	} {
		if *d.size <= 0 {
			*d.size = d.value
		}
	}
	for _, d := range []struct{ n, value *int }{
		{&all.MaxText, new(256 << 10)},
		{&all.MaxLine, new(2000)},
		{&all.MaxMatches, new(1000)},
		{&all.MaxPaths, new(1000)},
	} {
		if *d.n <= 0 {
			*d.n = *d.value
		}
	}
	return all
}

// Files makes the tools of a workspace, and remembers for them what each session
// has read. It is safe for concurrent use; sessions of several agents may share
// it.
type Files struct {
	root    *workspace.Root
	opts    Options
	corpora []string // names, sorted
	err     error
	read    *tracker
}

// New makes the tools of a workspace; opts may be nil. Who opened root closes it,
// when no tool is in use any more.
func New(root *workspace.Root, opts *Options) *Files {
	f := &Files{root: root, opts: opts.withDefaults(), read: newTracker()}
	f.mount()
	return f
}

// Err reports what is wrong with the options: a corpus whose name cannot be that
// of a folder. The tools refuse every call then, and the run ends.
func (f *Files) Err() error { return f.err }

// ReadOnly returns Read, Glob, Grep and LS.
func (f *Files) ReadOnly() []tool.Tool {
	return []tool.Tool{f.Read(), f.Glob(), f.Grep(), f.LS()}
}

// All returns the six tools.
func (f *Files) All() []tool.Tool { return append(f.ReadOnly(), f.Write(), f.Edit()) }

// newTool makes a tool whose errors begin with its name.
func newTool[In any](f *Files, name, doc string, fn func(context.Context, In) (tool.Result, error), opts ...tool.Option) tool.Tool {
	run := func(ctx context.Context, in In) (tool.Result, error) {
		if f.err != nil {
			return tool.Result{}, tool.Abort(fmt.Errorf("%s: %w", name, f.err))
		}
		out, err := fn(ctx, in)
		if err != nil {
			return tool.Result{}, f.opts.Secrets.Redactor().Err(&failure{name, err})
		}
		return out, nil
	}
	return tool.New(name, doc, run, append(opts, tool.WithKeys(f.keys))...)
}

// A failure is an error of a tool.
type failure struct {
	tool string
	err  error
}

// Error is one sentence that begins with the name of the tool.
func (e *failure) Error() string {
	if at := (*pathError)(nil); errors.As(e.err, &at) {
		return e.tool + " " + at.Error()
	}
	return e.tool + ": " + e.err.Error()
}

// Unwrap returns what went wrong.
func (e *failure) Unwrap() error { return e.err }

// A pathError is about a path, as the model knows it.
type pathError struct {
	path string
	err  error
	more string // what to do about it
}

func about(path string, err error) error {
	if err == nil {
		return nil
	}
	return &pathError{path: path, err: err}
}

func (e *pathError) Error() string {
	reason := e.err.Error()
	// What workspace says begins with an operation and a path in its own tree.
	if own := (*workspace.Error)(nil); errors.As(e.err, &own) {
		reason = strings.TrimPrefix(reason, own.Op+" "+fmt.Sprintf("%q", own.Path)+": ")
	}
	if large := (*workspace.TooLargeError)(nil); errors.As(e.err, &large) {
		reason = strings.TrimPrefix(reason, fmt.Sprintf("read %q: ", large.Path))
	}
	if e.more != "" {
		reason += "; " + e.more
	}
	return fmt.Sprintf("%q: %s", e.path, reason)
}

func (e *pathError) Unwrap() error { return e.err }
