package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/files/internal/glob"
	"github.com/helios-go/helios/workspace"
)

type globInput struct {
	Pattern   string `json:"pattern" jsonschema:"the pattern, relative to path: src/**/*.go, **/*.{md,txt}, *_test.go"`
	Path      string `json:"path,omitempty" jsonschema:"the folder to look in, by default the whole workspace"`
	GitIgnore bool   `json:"gitignore,omitempty" jsonschema:"whether to pass over what .gitignore files leave out"`
}

// Glob returns the tool that finds files by their names.
func (f *Files) Glob() tool.Tool {
	return newTool(f, "Glob", "Find files by name, the one changed last first. In the pattern ** stands for any folders, * and ? for characters of a name, "+
		"[a-z] for one of a class, {a,b} for either; a pattern without **/ looks in one folder only. Folders whose name begins with a dot "+
		"are passed over unless path or the pattern begins with them, links always.",
		f.doGlob, tool.WithEffect(tool.ReadOnly), tool.WithKind(tool.KindSearch))
}

func (f *Files) doGlob(ctx context.Context, in globInput) (tool.Result, error) {
	start, err := f.place(in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	base, g, err := compileGlob(in.Pattern)
	if err != nil {
		return tool.Result{}, err
	}
	under := start.path
	if base != "" {
		// What the pattern begins with is a folder, so there is no need to look
		// elsewhere, and one that is not there has no files.
		if start, err = f.place(join(under, base)); err != nil {
			return tool.Result{}, err
		}
		if is, err := start.root.Stat(start.name); err != nil || is.Type() != workspace.Dir {
			return tool.Text(""), nil
		}
	}
	newest := newestFiles{most: f.opts.MaxPaths}
	t := tour{f: f, start: start, gitignore: in.GitIgnore, steps: &steps{call: tool.CallFrom(ctx), name: "Glob"}}
	err = t.run(ctx, func(found file) error {
		if !g.Match(relative(found.path, under)) {
			return nil
		}
		if is, err := found.Info(); err == nil {
			newest.add(found.path, is.ModTime)
		}
		return nil
	})
	if err != nil {
		return tool.Result{}, err
	}
	var b strings.Builder
	for _, n := range newest.sorted() {
		b.WriteString(show(n.path) + "\n")
	}
	if newest.seen > newest.most {
		fmt.Fprintf(&b, "[The %d newest of %d files; narrow the pattern or the path to see others.]\n", newest.most, newest.seen)
	}
	b.WriteString(t.note())
	return tool.Text(b.String()), nil
}

// note says what was not looked into.
func (t *tour) note() string {
	if t.unreadable == 0 {
		return ""
	}
	return fmt.Sprintf("[%s not be entered.]\n", count(t.unreadable, "folder could", "folders could"))
}

// compileGlob reads a pattern and takes the folders from its beginning that are
// spelled out.
func compileGlob(pattern string) (base string, g *glob.Glob, err error) {
	for strings.HasPrefix(pattern, "./") {
		pattern = strings.TrimLeft(pattern[2:], "/")
	}
	switch {
	case pattern == "":
		return "", nil, errors.New("pattern is empty; **/* finds all files")
	case strings.HasPrefix(pattern, "/"):
		return "", nil, fmt.Errorf("pattern %q begins with a slash; write it relative to path", pattern)
	case strings.HasSuffix(pattern, "/"):
		return "", nil, fmt.Errorf("pattern %q ends with a slash, and folders are not found; add **, or look with LS", pattern)
	}
	if slices.Contains(strings.Split(pattern, "/"), "..") {
		return "", nil, fmt.Errorf("pattern %q holds .., and it is for what is below path", pattern)
	}
	if g, err = glob.Compile(pattern, nil); err != nil {
		return "", nil, err
	}
	if i := strings.IndexAny(pattern, `*?[{\`); i >= 0 {
		base = pattern[:strings.LastIndexByte(pattern[:i], '/')+1]
	} else {
		base = pattern[:strings.LastIndexByte(pattern, '/')+1]
	}
	return strings.TrimSuffix(base, "/"), g, nil
}

func join(folder, name string) string {
	if folder == "." {
		return name
	}
	return folder + "/" + name
}

func relative(path, under string) string {
	if under == "." {
		return path
	}
	return strings.TrimPrefix(path, under+"/")
}

// newestFiles keeps the files that were changed last, of any number.
type newestFiles struct {
	most int
	seen int
	heap []changed // the oldest on top once it is full
}

type changed struct {
	path string
	at   time.Time
}

// newer orders by time, and by path within one moment.
func newer(a, b changed) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(a.path, b.path)) }

func (n *newestFiles) add(path string, at time.Time) {
	n.seen++
	c := changed{path, at}
	switch {
	case len(n.heap) < n.most:
		n.heap = append(n.heap, c)
		for i := len(n.heap) - 1; i > 0; {
			up := (i - 1) / 2
			if newer(n.heap[i], n.heap[up]) <= 0 {
				break
			}
			n.heap[i], n.heap[up] = n.heap[up], n.heap[i]
			i = up
		}
	case newer(c, n.heap[0]) < 0:
		n.heap[0] = c
		n.sink()
	}
}

func (n *newestFiles) sink() {
	i := 0
	for {
		oldest := i
		for _, down := range []int{2*i + 1, 2*i + 2} {
			if down < len(n.heap) && newer(n.heap[down], n.heap[oldest]) > 0 {
				oldest = down
			}
		}
		if oldest == i {
			return
		}
		n.heap[i], n.heap[oldest] = n.heap[oldest], n.heap[i]
		i = oldest
	}
}

func (n *newestFiles) sorted() []changed {
	slices.SortFunc(n.heap, newer)
	return n.heap
}
