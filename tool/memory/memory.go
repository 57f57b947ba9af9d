package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/workspace"
)

const (
	prefix     = "/memories"     // of the paths that a model writes
	folder     = ".agent/memory" // of the workspace, where everybody's notes are
	maxFile    = 256 << 10
	maxFiles   = 1000
	maxPath    = 1024 // bytes
	maxRetries = 16
)

// Options are how notes are kept. The zero value is fine.
type Options struct {
	// Scope tells whose notes a call is about; nil: there is one set of notes.
	// Without a scope the notes of scopes are not to be seen either.
	Scope Scope

	ReadOnly bool  // MemoryRead alone, and writing is refused
	MaxFile  int64 // bytes of a note; 0 is 256 KiB
	MaxFiles int   // notes of a scope; 0 is 1,000

	// Secrets are never in a note: a change that would put one there is refused, and
	// not silently redacted, since a later session would take the note at its word.
	// One that somebody else has put there is redacted when the note is read.
	Secrets *secret.Registry
}

// A Memory is a set of notes, or one for each scope. It is safe for concurrent
// use, also by several Memory values and processes over one tree: of two changes
// to a note at the same time, one comes after the other.
type Memory struct {
	root *workspace.Root
	opts Options
	base string     // the folder without a scope
	mu   sync.Mutex // one change at a time
}

// New returns the notes under a workspace, which stays the caller's to close.
// Nothing is made there before the first note is. opts may be nil.
func New(root *workspace.Root, opts *Options) *Memory {
	m := &Memory{root: root, base: folder}
	if opts != nil {
		m.opts = *opts
	}
	if m.opts.MaxFile <= 0 {
		m.opts.MaxFile = maxFile
	}
	if m.opts.MaxFiles <= 0 {
		m.opts.MaxFiles = maxFiles
	}
	m.opts.ReadOnly = m.opts.ReadOnly || root.ReadOnly()
	return m
}

// Clean returns the one spelling of a path of notes: /memories for all of them,
// /memories/a/b.md for one, or those in a folder. It is the permission key.
func Clean(p string) (string, error) {
	rest, ok := strings.CutPrefix(p, prefix)
	bad := func(reason string) (string, error) {
		return "", &Error{"use", fmt.Sprintf("%q", p), &pathError{reason}}
	}
	switch {
	case !ok || rest != "" && rest[0] != '/':
		return bad("a path of a note begins with " + prefix + "/")
	case len(p) > maxPath:
		return bad(fmt.Sprintf("it is longer than %d bytes", maxPath))
	}
	name, err := workspace.Clean(strings.TrimLeft(rest, "/"))
	if errors.Is(err, workspace.ErrEscape) {
		return bad("it leads out of " + prefix)
	}
	if e, ok := errors.AsType[*workspace.NameError](err); ok {
		return bad(e.Reason)
	}
	if err != nil {
		return bad(err.Error())
	}
	if strings.HasPrefix(name, scopeMark) {
		return bad("names that begin with " + scopeMark + " are not for notes")
	}
	for part := range strings.SplitSeq(name, "/") {
		if workspace.IsTemp(part) {
			return bad(fmt.Sprintf("names that begin with %s are those of files that are being written", workspace.TempPrefix))
		}
	}
	return path.Join(prefix, name), nil
}

// place is a path and where it is in the workspace.
type place struct{ path, name string }

// at finds the place of a note. of a folder, too, if it need not be a note.
func (m *Memory) at(ctx context.Context, p string, note bool) (place, error) {
	clean, err := Clean(p)
	if err != nil {
		return place{}, err
	}
	if note && (clean == prefix || strings.HasSuffix(p, "/")) {
		return place{}, &Error{"use", fmt.Sprintf("%q", p), &pathError{"it names a folder; give the path of a note"}}
	}
	base, err := m.home(ctx)
	if err != nil {
		return place{}, &Error{"use", clean, err}
	}
	at := place{clean, path.Join(base, strings.TrimPrefix(clean, prefix))}
	keys, err := m.root.Keys(at.name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return place{}, failure("use", clean, err)
	case len(keys) > 1 && strings.EqualFold(keys[1], at.name):
		// A permission was given for one spelling, so there is one.
		return place{}, &Error{"use", clean, &pathError{"it is there in another spelling, " + path.Join(prefix, strings.TrimPrefix(keys[1], base))}}
	case len(keys) > 1:
		return place{}, &Error{"use", clean, workspace.ErrLink}
	}
	return at, nil
}

// home is the folder of the notes that a call is about.
func (m *Memory) home(ctx context.Context) (string, error) {
	if m.opts.Scope == nil {
		return m.base, nil
	}
	scope, err := m.opts.Scope(ctx)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrScope, err)
	}
	if scope == "" {
		return "", ErrScope
	}
	return path.Join(m.base, element(scope)), nil
}

// View returns a note, without secrets.
func (m *Memory) View(ctx context.Context, p string) (string, error) {
	at, err := m.at(ctx, p, true)
	if err != nil {
		return "", err
	}
	text, _, err := m.read(at)
	text, _ = m.opts.Secrets.Redactor().Text(text)
	return text, failure("read", at.path, err)
}

func (m *Memory) read(at place) (string, workspace.Info, error) {
	data, info, err := m.root.ReadFile(at.name, m.opts.MaxFile)
	if err == nil && !utf8.Valid(data) {
		err = ErrText
	}
	return string(data), info, err
}

// List returns the paths of the notes in a folder and those below it, sorted; the
// path of a note is a list of one. No such path is an empty list.
func (m *Memory) List(ctx context.Context, p string) ([]string, error) {
	at, err := m.at(ctx, p, false)
	if err != nil {
		return nil, err
	}
	paths, err := m.list(ctx, at)
	return paths, failure("list", at.path, err)
}

// listed bounds a list, whatever somebody else has put there.
const listed = 10_000

func (m *Memory) list(ctx context.Context, at place) ([]string, error) {
	info, err := m.root.Stat(at.name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, workspace.ErrNotFolder):
		return nil, nil
	case err != nil:
		return nil, err
	case info.Type() == workspace.File:
		return []string{at.path}, nil
	case info.Type() == workspace.Symlink:
		return nil, workspace.ErrLink
	case info.Type() != workspace.Dir:
		return nil, workspace.ErrNotRegular
	}
	var paths []string
	err = m.root.Walk(ctx, at.name, nil, func(f workspace.Found) error {
		if strings.HasPrefix(at.path+strings.TrimPrefix(f.Path, at.name), prefix+"/"+scopeMark) {
			return workspace.SkipDir
		}
		if f.Type != workspace.File || workspace.IsTemp(f.Name) {
			return nil
		}
		if len(paths) == listed {
			return workspace.ErrTooLarge
		}
		paths = append(paths, at.path+strings.TrimPrefix(f.Path, at.name))
		return nil
	})
	slices.Sort(paths)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return paths, err
}

// begin is what is the same before every change. The caller unlocks if the error
// is nil.
func (m *Memory) begin(ctx context.Context, op, p string, texts ...string) (place, error) {
	at, err := m.at(ctx, p, true)
	if err != nil {
		return at, err
	}
	if m.opts.ReadOnly {
		return at, &Error{op, at.path, workspace.ErrReadOnly}
	}
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return at, &Error{op, at.path, ErrText}
		}
		if name, leaks := m.opts.Secrets.Leaks(text); leaks {
			return at, &Error{op, at.path, &secretError{name}}
		}
		if int64(len(text)) > m.opts.MaxFile {
			return at, &Error{op, at.path, tooLarge(m.opts.MaxFile)}
		}
	}
	m.mu.Lock()
	return at, nil
}

// Create makes a note. One that is there is not overwritten.
func (m *Memory) Create(ctx context.Context, p, text string) error {
	at, err := m.begin(ctx, "create", p, text)
	if err != nil {
		return err
	}
	defer m.mu.Unlock()
	all := place{prefix, strings.TrimSuffix(at.name, strings.TrimPrefix(at.path, prefix))}
	there, err := m.list(ctx, all)
	if err == nil && len(there) >= m.opts.MaxFiles && !slices.Contains(there, at.path) {
		err = ErrFull
	}
	if err == nil {
		err = m.root.Create(at.name, []byte(text))
	}
	return failure("create", at.path, err)
}

// Replace replaces the one place where from stands in a note.
func (m *Memory) Replace(ctx context.Context, p, from, to string) error {
	return m.edit(ctx, "edit", p, func(text string) (string, error) { return replace(text, from, to) }, from, to)
}

// Insert puts lines before the given line of a note, counted from 1; one more
// than there are is the end. One newline at the end of text is dropped, and the
// note ends with a newline afterwards if it did before.
func (m *Memory) Insert(ctx context.Context, p string, line int, text string) error {
	return m.edit(ctx, "insert into", p, func(old string) (string, error) { return insert(old, line, text) }, text)
}

func (m *Memory) edit(ctx context.Context, op, p string, change func(string) (string, error), texts ...string) error {
	at, err := m.begin(ctx, op, p, texts...)
	if err != nil {
		return err
	}
	defer m.mu.Unlock()
	for range maxRetries {
		if err = ctx.Err(); err != nil {
			break
		}
		var text string
		var info workspace.Info
		if text, info, err = m.read(at); err != nil {
			break
		}
		if text, err = change(text); err != nil {
			break
		}
		if int64(len(text)) > m.opts.MaxFile {
			err = tooLarge(m.opts.MaxFile)
			break
		}
		if name, leaks := m.opts.Secrets.Leaks(text); leaks { // put together of two changes
			err = &secretError{name}
			break
		}
		// Another process may have been faster: then the change is made to what
		// that one has left.
		if err = m.root.Replace(at.name, []byte(text), info); !errors.Is(err, workspace.ErrChanged) {
			break
		}
	}
	return failure(op, at.path, err)
}

// Delete removes a note, and folders that are empty then.
func (m *Memory) Delete(ctx context.Context, p string) error {
	at, err := m.begin(ctx, "delete", p)
	if err != nil {
		return err
	}
	defer m.mu.Unlock()
	info, err := m.root.Stat(at.name)
	if err == nil {
		switch info.Type() {
		case workspace.File:
			err = m.root.Remove(at.name)
		case workspace.Dir:
			err = &pathError{"it is a folder; delete the notes in it"}
		case workspace.Symlink:
			err = workspace.ErrLink
		default:
			err = workspace.ErrNotRegular
		}
	}
	if err != nil {
		return failure("delete", at.path, err)
	}
	for dir := at; ; {
		dir = place{path.Dir(dir.path), path.Dir(dir.name)}
		if dir.path == prefix || m.root.Remove(dir.name) != nil {
			return nil
		}
	}
}
