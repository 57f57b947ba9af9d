package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/files/internal/glob"
	"github.com/helios-go/helios/workspace"
)

// Matching returns a function for [Options.Hide] that hides what one of some
// patterns matches, with the syntax of Glob: "**/secrets.*", "private".
func Matching(patterns ...string) (func(path string) bool, error) {
	var globs []*glob.Glob
	for _, p := range patterns {
		g, err := glob.Compile(p, nil)
		if err != nil {
			return nil, fmt.Errorf("files: hide: %w", err)
		}
		globs = append(globs, g)
	}
	return func(path string) bool {
		return slices.ContainsFunc(globs, func(g *glob.Glob) bool { return g.Match(path) })
	}, nil
}

// errHidden is about what the host hides, whether it is there or not.
var errHidden = errors.New("the host keeps it out of reach; do without it")

// A place is where a path leads: into the workspace or into a corpus.
type place struct {
	root   *workspace.Root
	corpus string // "" in the workspace
	name   string // clean, in root
	path   string // clean, as the model knows it
}

// join is the path of something that root has under a name.
func (p *place) join(name string) string {
	switch {
	case p.corpus == "":
		return name
	case name == ".":
		return p.corpus
	}
	return p.corpus + "/" + name
}

// mount takes in the corpora.
func (f *Files) mount() {
	for name, root := range f.opts.Corpora {
		clean, err := workspace.Clean(name)
		switch {
		case root == nil:
			f.err = fmt.Errorf("files: the corpus %q is no open tree", name)
		case err != nil || clean != name || name == "." || strings.Contains(name, "/"):
			f.err = fmt.Errorf("files: %q cannot be the name of a corpus, which is one name of a folder", name)
		}
		f.corpora = append(f.corpora, name)
	}
	if f.root == nil {
		f.err = errors.New("files: there is no workspace")
	}
	slices.Sort(f.corpora)
}

func (f *Files) isCorpus(name string) bool {
	_, found := f.opts.Corpora[name]
	return found
}

// place finds out where a path leads.
func (f *Files) place(path string) (place, error) {
	clean, err := workspace.Clean(path)
	if err != nil {
		return place{}, err
	}
	p := place{root: f.root, name: clean, path: clean}
	first, rest, _ := strings.Cut(clean, "/")
	if f.isCorpus(first) {
		p.root, p.corpus, p.name = f.opts.Corpora[first], first, rest
		if rest == "" {
			p.name = "."
		}
	}
	keys, err := p.keys()
	if err != nil {
		return place{}, about(clean, err)
	}
	if slices.ContainsFunc(keys, f.hidden) {
		return place{}, about(clean, errHidden)
	}
	return p, nil
}

// keys are the permission keys of a place.
func (p *place) keys() ([]string, error) {
	keys, err := p.root.Keys(p.name)
	if err != nil {
		return nil, err
	}
	all := make([]string, len(keys))
	for i, k := range keys {
		all[i] = p.join(k)
	}
	return all, nil
}

// keys is for [tool.WithKeys].
func (f *Files) keys(args json.RawMessage) ([]string, error) {
	if f.err != nil {
		return nil, f.err
	}
	path, err := tool.PathKey("path")(args)
	if err != nil {
		return nil, err
	}
	p, err := f.place(path)
	if errors.Is(err, errHidden) {
		return []string{path}, nil // the tool says so
	}
	if err != nil {
		return nil, err
	}
	return p.keys()
}

// hidden tells whether a clean path, or a folder that it is in, is kept out of
// sight.
func (f *Files) hidden(path string) bool {
	if f.opts.Hide == nil || path == "." {
		return false
	}
	for i, c := range []byte(path) {
		if c == '/' && f.opts.Hide(path[:i]) {
			return true
		}
	}
	return f.opts.Hide(path)
}
