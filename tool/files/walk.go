package files

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/files/internal/glob"
	"github.com/helios-go/helios/workspace"
)

// maxIgnoreFile is how large a .gitignore file may be to count.
const maxIgnoreFile = 256 << 10

// A tour goes through the files below a place in order: by name within each
// folder, what is in a folder where its name stands. It passes over hidden folders
// (but for the one it begins in), links, what [Options.Hide] hides and, with
// gitignore, what .gitignore files leave out.
type tour struct {
	f         *Files
	start     place
	gitignore bool
	steps     *steps

	unreadable int // folders
}

// A file is what a tour comes by.
type file struct {
	*workspace.Found
	path string // as the model knows it
}

// run calls fn for each file. It ends early, without an error, when fn returns
// workspace.SkipAll.
func (t *tour) run(ctx context.Context, fn func(file) error) error {
	err := t.tree(ctx, t.start, fn)
	if t.start.path == "." {
		for _, name := range t.f.corpora {
			if err != nil || t.f.hidden(name) {
				continue
			}
			err = t.tree(ctx, place{root: t.f.opts.Corpora[name], corpus: name, name: ".", path: name}, fn)
		}
	}
	if errors.Is(err, workspace.SkipAll) {
		return nil
	}
	return err
}

func (t *tour) tree(ctx context.Context, p place, fn func(file) error) error {
	var stopped error
	rules := ruleStack{root: p.root, name: p.name}
	opts := &workspace.WalkOptions{Unreadable: func(name string, err error) error {
		if name == p.name {
			return err
		}
		t.unreadable++
		return nil
	}}
	err := p.root.Walk(ctx, p.name, opts, func(found workspace.Found) error {
		path := p.join(found.Path)
		switch found.Type {
		case workspace.Dir:
			if strings.HasPrefix(found.Name, ".") || t.start.path == "." && p.corpus == "" && t.f.isCorpus(path) || t.hides(path) {
				return workspace.SkipDir
			}
			if t.gitignore && rules.of(found.Path).Match(found.Path, true) {
				return workspace.SkipDir
			}
			return nil
		case workspace.File:
		default:
			return nil
		}
		if t.hides(path) || workspace.IsTemp(found.Name) || t.gitignore && rules.of(found.Path).Match(found.Path, false) {
			return nil
		}
		t.steps.add()
		if err := fn(file{&found, path}); err != nil {
			stopped = err
			return workspace.SkipAll
		}
		return nil
	})
	if stopped != nil {
		return stopped
	}
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("stopped before the end: %w", ctx.Err())
	}
	if err != nil {
		return advise(p, err)
	}
	return nil
}

// hides is [Options.Hide] of an entry of a folder that is not hidden.
func (t *tour) hides(path string) bool { return t.f.opts.Hide != nil && t.f.opts.Hide(path) }

// A ruleStack has the ignore rules of the folders that a walk is in.
type ruleStack struct {
	root  *workspace.Root
	name  string // where the walk begins
	stack []folderRules
}

type folderRules struct {
	folder string
	rules  *glob.Rules
}

// of returns the rules about an entry: those of the folder that it is in, and of
// the folders above.
func (s *ruleStack) of(name string) *glob.Rules {
	folder := "."
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		folder = name[:i]
	}
	for n := len(s.stack); n > 0; n-- {
		if top := s.stack[n-1]; top.folder == folder {
			s.stack = s.stack[:n]
			return top.rules
		}
	}
	// The folders between the last one known that this one is in, and this one.
	for n := len(s.stack); n > 0 && !inside(folder, s.stack[n-1].folder); n = len(s.stack) {
		s.stack = s.stack[:n-1]
	}
	var above *glob.Rules
	var at string
	if n := len(s.stack); n > 0 {
		above, at = s.stack[n-1].rules, s.stack[n-1].folder
	} else {
		above, at = s.load(".", nil), "."
	}
	for at != folder {
		rest := strings.TrimPrefix(folder, at+"/")
		if at == "." {
			rest = folder
		}
		next, _, _ := strings.Cut(rest, "/")
		if at = at + "/" + next; strings.HasPrefix(at, "./") {
			at = next
		}
		above = s.load(at, above)
	}
	return above
}

func inside(folder, of string) bool { return of == "." || strings.HasPrefix(folder, of+"/") }

func (s *ruleStack) load(folder string, above *glob.Rules) *glob.Rules {
	name := ".gitignore"
	if folder != "." {
		name = folder + "/" + name
	}
	rules := above
	if data, _, err := s.root.ReadFile(name, maxIgnoreFile); err == nil {
		rules = glob.ParseIgnore(data, above, folder)
	}
	s.stack = append(s.stack, folderRules{folder, rules})
	return rules
}

// steps count the files that were looked at and tell whoever watches, now and
// then.
type steps struct {
	call *tool.Call
	name string
	n    atomic.Int64
}

const perStep = 5000

func (s *steps) add() {
	if s == nil {
		return
	}
	if n := s.n.Add(1); n%perStep == 0 {
		s.call.Progress(llm.Text(fmt.Sprintf("%s: %d files so far", s.name, n)))
	}
}
