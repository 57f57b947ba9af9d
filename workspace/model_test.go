package workspace_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/workspace"
	"pgregory.net/rapid"
)

// model is what a workspace should hold: the contents of files, and folders.
type model map[string]*string

// above reports what is wrong with the folders that a name is in.
func (m model) above(name string) error {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if text, ok := m[dir]; ok && text != nil {
			return workspace.ErrNotFolder
		}
	}
	if _, ok := m[path.Dir(name)]; !ok && path.Dir(name) != "." {
		return fs.ErrNotExist
	}
	return nil
}

func (m model) mkdirs(name string) error {
	for dir := name; dir != "."; dir = path.Dir(dir) {
		if text, ok := m[dir]; ok && text != nil {
			return workspace.ErrNotFolder
		}
	}
	for dir := name; dir != "."; dir = path.Dir(dir) {
		m[dir] = nil
	}
	return nil
}

func (m model) read(name string) (string, error) {
	if err := m.above(name); err != nil {
		return "", err
	}
	switch text, ok := m[name]; {
	case !ok:
		return "", fs.ErrNotExist
	case text == nil:
		return "", workspace.ErrNotRegular
	default:
		return *text, nil
	}
}

func (m model) write(name, text string) (created bool, err error) {
	if err := m.mkdirs(path.Dir(name)); err != nil {
		return false, err
	}
	was, ok := m[name]
	if ok && was == nil {
		return false, workspace.ErrNotRegular
	}
	m[name] = &text
	return !ok, nil
}

func (m model) create(name, text string) error {
	if err := m.mkdirs(path.Dir(name)); err != nil {
		return err
	}
	if _, ok := m[name]; ok {
		return fs.ErrExist
	}
	m[name] = &text
	return nil
}

func (m model) remove(name string) error {
	if err := m.above(name); err != nil {
		return err
	}
	if _, ok := m[name]; !ok {
		return fs.ErrNotExist
	}
	if len(m.below(name)) > 0 {
		return workspace.ErrNotEmpty
	}
	delete(m, name)
	return nil
}

// below lists what is in a folder, at any depth.
func (m model) below(name string) []string {
	var found []string
	for other := range m {
		if name == "." || strings.HasPrefix(other, name+"/") {
			found = append(found, other)
		}
	}
	// Sorted as a walk goes: by parts, not by bytes of the whole.
	slices.SortFunc(found, func(a, b string) int { return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/")) })
	return found
}

// TestAWorkspaceDoesWhatAModelDoes: any sequence of operations has the same
// results and leaves the same tree.
func TestAWorkspaceDoesWhatAModelDoes(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		base := t.TempDir()
		name := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "é"}), 1, 3)
		rapid.Check(t, func(t *rapid.T) {
			dir, err := os.MkdirTemp(base, "")
			must(t, err)
			defer os.RemoveAll(dir)
			ws, err := workspace.Open(dir, &opts)
			must(t, err)
			defer ws.Close()
			m := model{}
			held := map[string]workspace.Info{} // what was read, as long as nothing has changed it
			same := func(t *rapid.T, what string, got, want error) {
				if !errors.Is(got, want) || want == nil && got != nil {
					t.Fatalf("%s: %v, want %v", what, got, want)
				}
			}
			pick := func(t *rapid.T) string { return strings.Join(name.Draw(t, "name"), "/") }
			t.Repeat(map[string]func(*rapid.T){
				"read": func(t *rapid.T) {
					n := pick(t)
					data, is, err := ws.ReadFile(n, 100)
					text, want := m.read(n)
					same(t, "read "+n, err, want)
					if string(data) != text {
						t.Fatalf("read %s: %q, want %q", n, data, text)
					}
					if err == nil {
						held[n] = is
					}
				},
				"write": func(t *rapid.T) {
					n, text := pick(t), rapid.StringN(0, 9, -1).Draw(t, "text")
					created, err := ws.WriteFile(n, []byte(text))
					was, want := m.write(n, text)
					same(t, "write "+n, err, want)
					if created != was {
						t.Fatalf("write %s: created %t, want %t", n, created, was)
					}
					delete(held, n)
				},
				"replace": func(t *rapid.T) {
					n, text := pick(t), rapid.StringN(0, 9, -1).Draw(t, "text")
					is, ok := held[n]
					err := ws.Replace(n, []byte(text), is)
					if ok {
						same(t, "replace "+n, err, nil)
						m[n] = &text
						delete(held, n)
					} else if err == nil {
						t.Fatalf("replaced %s, which has not been read", n)
					}
				},
				"create": func(t *rapid.T) {
					n, text := pick(t), rapid.StringN(0, 9, -1).Draw(t, "text")
					err := ws.Create(n, []byte(text))
					same(t, "create "+n, err, m.create(n, text))
				},
				"make folder": func(t *rapid.T) {
					n := pick(t)
					err := ws.Mkdir(n)
					same(t, "make folder "+n, err, m.mkdirs(n))
				},
				"remove": func(t *rapid.T) {
					n := pick(t)
					err := ws.Remove(n)
					same(t, "remove "+n, err, m.remove(n))
					delete(held, n)
				},
				"keys": func(t *rapid.T) {
					n := pick(t)
					if keys, err := ws.Keys(n); err != nil || len(keys) != 1 || keys[0] != n {
						t.Fatalf("keys of %s: %v, %v", n, keys, err)
					}
				},
				"": func(t *rapid.T) {
					var found []string
					must(t, ws.Walk(context.Background(), ".", nil, func(f workspace.Found) error {
						found = append(found, f.Path)
						text := m[f.Path]
						if (text == nil) != (f.Type == workspace.Dir) {
							t.Fatalf("%s is a %v", f.Path, f.Type)
						}
						return nil
					}))
					if want := m.below("."); !slices.Equal(found, want) {
						t.Fatalf("the tree holds %q, want %q", found, want)
					}
				},
			})
		})
	})
}
