package files

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/files/internal/glob"
	"github.com/helios-go/helios/tool/files/internal/grep"
	"github.com/helios-go/helios/workspace"
)

type grepInput struct {
	Pattern    string `json:"pattern" jsonschema:"a regular expression in RE2 syntax, matched against one line at a time"`
	Path       string `json:"path,omitempty" jsonschema:"the folder or file to search, by default the whole workspace"`
	Include    string `json:"include,omitempty" jsonschema:"only files whose name matches this glob, as in *.{go,mod}; one with a slash is about the path below path, as in src/**/*.go"`
	IgnoreCase bool   `json:"ignore_case,omitempty" jsonschema:"whether upper and lower case are the same"`
	Context    int    `json:"context,omitempty" jsonschema:"how many lines to show before and after each match, at most 20"`
	Output     string `json:"output,omitempty" enum:"content,files,count" jsonschema:"content shows the lines and is the default, files only the paths of files with a match, count the number of matching lines of each"`
	GitIgnore  bool   `json:"gitignore,omitempty" jsonschema:"whether to pass over what .gitignore files leave out"`
}

// Grep returns the tool that finds lines in files.
func (f *Files) Grep() tool.Tool {
	return newTool(f, "Grep", "Search the text of files with a regular expression (RE2 syntax: no lookaround, no backreferences). "+
		"Matching lines come as path:line:text, lines around them as path-line-text, sorted by path. "+
		"Folders whose name begins with a dot are passed over unless path is one, and so are links, binary files, text that is not UTF-8 and, "+
		"unless path is one, very large files.",
		f.doGrep, tool.WithEffect(tool.ReadOnly), tool.WithKind(tool.KindSearch))
}

const (
	maxContext = 20
	matchLine  = 500 // bytes of a line that are shown
	maxWorkers = 4
)

func (f *Files) doGrep(ctx context.Context, in grepInput) (tool.Result, error) {
	switch {
	case in.Pattern == "":
		return tool.Result{}, errors.New("pattern is empty; Glob lists files")
	case in.Context < 0 || in.Context > maxContext:
		return tool.Result{}, fmt.Errorf("context is %d, and it is 0 to %d", in.Context, maxContext)
	}
	m, err := grep.Compile(in.Pattern, in.IgnoreCase)
	if err != nil {
		return tool.Result{}, err
	}
	var include *glob.Glob
	if in.Include != "" {
		if include, err = glob.Compile(strings.TrimPrefix(in.Include, "./"), nil); err != nil {
			return tool.Result{}, fmt.Errorf("include: %w", err)
		}
	}
	start, err := f.place(in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	s := &search{
		f: f, start: start, m: m, include: include, byPath: strings.Contains(in.Include, "/"),
		output: in.Output, around: in.Context, gitignore: in.GitIgnore, most: f.opts.MaxSearch,
		steps: &steps{call: tool.CallFrom(ctx), name: "Grep"},
	}
	if is, err := start.root.Stat(start.name); err == nil && is.Type() == workspace.File {
		s.most, s.single = f.opts.MaxFile, true
	}
	return s.run(ctx)
}

// A search is one call of Grep.
type search struct {
	f         *Files
	start     place
	m         *grep.Matcher
	include   *glob.Glob
	byPath    bool // include is about paths, not names
	output    string
	around    int // lines of context
	gitignore bool
	most      int64 // bytes of a file
	single    bool  // path is a file
	steps     *steps
}

// run searches with several workers. Each goes through the whole tree by itself,
// which costs little beside reading, and reads the files that fall to its share.
// It stops when it has found as much as can be shown of all: whatever the others
// find, nothing behind that will be. So the result is the same each time.
func (s *search) run(ctx context.Context) (tool.Result, error) {
	workers := make([]*worker, min(runtime.GOMAXPROCS(0), maxWorkers))
	if s.single {
		workers = workers[:1]
	}
	var wg sync.WaitGroup
	for i := range workers {
		w := &worker{search: s, share: uint32(i), of: uint32(len(workers))}
		workers[i] = w
		wg.Go(func() {
			defer func() { w.panic = recover() }()
			w.err = w.run(ctx)
		})
	}
	wg.Wait()
	for _, w := range workers {
		if w.panic != nil {
			panic(w.panic) // whoever called recovers from what happens in a tool
		}
		if w.err != nil {
			return tool.Result{}, w.err
		}
	}
	return tool.Text(s.render(workers)), nil
}

// A worker searches its share of the files.
type worker struct {
	*search
	share, of uint32

	buf, clean []byte // of the file at hand, and without secrets
	found      []fileHits
	n, bytes   int // of all found

	large, notUTF8, unreadable, folders int
	binary                              int

	err   error
	panic any
}

func (w *worker) run(ctx context.Context) error {
	t := tour{f: w.f, start: w.start, gitignore: w.gitignore && !w.single, steps: w.steps}
	if w.share > 0 {
		t.steps = nil
	}
	err := t.run(ctx, func(found file) error {
		if w.of > 1 && hash(found.path)%w.of != w.share || !w.wants(found) {
			return nil
		}
		w.look(found)
		if w.n > w.f.opts.MaxMatches || w.bytes > w.f.opts.MaxText {
			return workspace.SkipAll
		}
		return nil
	})
	w.folders = t.unreadable
	return err
}

// hash spreads paths over the workers (FNV-1a).
func hash(path string) uint32 {
	h := uint32(2166136261)
	for i := range len(path) {
		h = (h ^ uint32(path[i])) * 16777619
	}
	return h ^ h>>16
}

func (w *worker) wants(found file) bool {
	switch {
	case w.include == nil || w.single:
		return true
	case w.byPath:
		return w.include.Match(relative(found.path, w.start.path))
	}
	return w.include.Match(found.Name)
}

// look searches a file and keeps what it finds.
func (w *worker) look(found file) {
	data, _, err := found.Append(w.buf[:0], w.most)
	switch {
	case errors.Is(err, workspace.ErrTooLarge):
		w.large++
		return
	case err != nil:
		w.unreadable++
		return
	}
	w.buf = data
	if isBinary(data) {
		w.binary++
		return
	}
	if r := w.f.opts.Secrets.Redactor(); r.Longest() > 0 {
		// What cannot be seen cannot be found either: a search that told whether
		// a secret begins with a would soon have told all of it.
		w.clean, _ = r.Append(w.clean[:0], data)
		data = w.clean
	}
	h := w.search.hits(found.path, data, w.f.opts.MaxMatches+1-w.n)
	switch {
	case h.n == 0:
	case h.notUTF8:
		w.notUTF8++
	default:
		w.found = append(w.found, h)
		w.bytes += h.bytes
		if w.n += h.n; w.output != "" && w.output != "content" {
			w.n += 1 - h.n // one line is shown
		}
	}
}

// render puts what all have found into the order of a tour and words it.
func (s *search) render(workers []*worker) string {
	var all []fileHits
	sum := &worker{}
	for _, w := range workers {
		all = append(all, w.found...)
		sum.large += w.large
		sum.notUTF8 += w.notUTF8
		sum.unreadable += w.unreadable
		sum.binary += w.binary
	}
	sum.folders = workers[0].folders
	slices.SortFunc(all, func(a, b fileHits) int { return s.inOrder(a.path, b.path) })
	r := rendering{search: s, room: s.f.opts.MaxText, left: s.f.opts.MaxMatches}
	for i := range all {
		if !r.file(&all[i]) {
			break
		}
	}
	r.b.WriteString(sum.note(s))
	return r.b.String()
}

// note says in a line what was not searched.
func (w *worker) note(s *search) string {
	var what []string
	if w.large > 0 {
		what = append(what, count(w.large, "file", "files")+" of more than "+size(s.most))
		if !s.single {
			what[0] += " (give one as path to search it)"
		}
	}
	if w.notUTF8 > 0 {
		what = append(what, count(w.notUTF8, "file", "files")+" with a match but bytes that are not UTF-8")
	}
	if w.binary > 0 && s.single {
		what = append(what, "the file, which is binary")
	}
	if w.unreadable > 0 {
		what = append(what, count(w.unreadable, "file", "files")+" that could not be read")
	}
	if w.folders > 0 {
		what = append(what, count(w.folders, "folder", "folders")+" that could not be entered")
	}
	if len(what) == 0 {
		return ""
	}
	return "[Not searched: " + strings.Join(what, ", ") + ".]\n"
}

// inOrder compares paths as a tour comes by them: the workspace before the
// corpora, and what is in a folder where its name stands.
func (s *search) inOrder(a, b string) int {
	if s.start.path == "." && len(s.f.corpora) > 0 {
		if x, y := s.tree(a), s.tree(b); x != y {
			return x - y
		}
	}
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			switch {
			case a[i] == '/':
				return -1
			case b[i] == '/':
				return 1
			}
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}

// tree is the number of the tree that a path is in.
func (s *search) tree(path string) int {
	first, _, _ := strings.Cut(path, "/")
	i, found := slices.BinarySearch(s.f.corpora, first)
	if !found {
		return -1
	}
	return i
}
