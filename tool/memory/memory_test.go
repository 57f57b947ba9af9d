package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/workspace"
)

func TestPathsHaveOneSpelling(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"/memories/a.md": "/memories/a.md", "/memories//a/./b/../c": "/memories/a/c",
		"/memories": "/memories", "/memories/": "/memories", "/memories/a/": "/memories/a", "/memories/é b": "/memories/é b",
	} {
		if got, err := Clean(in); got != want || err != nil {
			t.Errorf("%q: got %q, error %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{
		"", "a.md", "memories/a", "/memoriesx/a", "/memories/../a", "/memories/a/../../memories/b", "/Memories/a", "/",
		"/etc/passwd", "/memories/a\x00b", "/memories/a\nb", `/memories/a\b`, "/memories/\xff", "/memories/=bob/a", "/memories/x/../=bob",
		"/memories/.helios-tmp-1", "/memories/" + strings.Repeat("x", 1024),
	} {
		got, err := Clean(in)
		if !errors.Is(err, ErrPath) {
			t.Errorf("%q: got %q, error %v, want %v", in, got, err, ErrPath)
		}
	}
}

func TestNotesAreMadeChangedAndRemoved(t *testing.T) {
	t.Parallel()
	for _, mode := range modes() {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			ctx, dir := t.Context(), t.TempDir()
			m := New(tree(t, dir, &workspace.Options{Mode: mode}), nil)
			if all, err := m.List(ctx, "/memories/"); len(all) != 0 || err != nil {
				t.Errorf("before the first note: %q, error %v", all, err)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("looking has made %v", left)
			}
			const p = "/memories/projects/ada.md"
			ok(t, m.Create(ctx, p, "one\ntwo\n"))
			wantErr(t, "create again", m.Create(ctx, p, "other"), fs.ErrExist)
			wantNote(t, m, p, "one\ntwo\n")
			ok(t, m.Insert(ctx, p, 2, "and\n"))
			ok(t, m.Replace(ctx, p, "two", "three"))
			wantNote(t, m, "/memories//projects/./ada.md", "one\nand\nthree\n")
			for what, err := range map[string]error{
				"no match": m.Replace(ctx, p, "four", ""), "two matches": m.Replace(ctx, p, "n", ""),
				"line 0": m.Insert(ctx, p, 0, "x"), "line 5": m.Insert(ctx, p, 5, "x"),
			} {
				if err == nil || !strings.Contains(err.Error(), p) {
					t.Errorf("%s: got error %v, want one about the note", what, err)
				}
			}
			wantNote(t, m, p, "one\nand\nthree\n")
			ok(t, m.Create(ctx, "/memories/b.md", ""))
			ok(t, m.Create(ctx, "/memories/a.md", "x"))
			for in, want := range map[string][]string{
				"/memories": {"/memories/a.md", "/memories/b.md", p}, "/memories/projects/": {p},
				"/memories/b.md": {"/memories/b.md"}, "/memories/none": nil, "/memories/b.md/x": nil,
			} {
				if got, err := m.List(ctx, in); !slices.Equal(got, want) || err != nil {
					t.Errorf("list %s: got %q, error %v, want %q", in, got, err, want)
				}
			}
			if runtime.GOOS != "windows" {
				for name, want := range map[string]fs.FileMode{".agent": 0o700, ".agent/memory": 0o700, ".agent/memory/projects": 0o700, ".agent/memory/projects/ada.md": 0o600} {
					if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
						t.Errorf("%s: %v, error %v, want %v", name, info, err, want)
					}
				}
			}
			wantErr(t, "delete a folder", m.Delete(ctx, "/memories/projects"), ErrPath)
			wantErr(t, "delete nothing", m.Delete(ctx, "/memories/none"), fs.ErrNotExist)
			wantErr(t, "delete all", m.Delete(ctx, "/memories"), ErrPath)
			ok(t, m.Delete(ctx, p))
			wantErr(t, "read what is gone", second(m.View(ctx, p)), fs.ErrNotExist)
			// The folder went with its last note, so its name is free.
			ok(t, m.Create(ctx, "/memories/projects", "a note"))
		})
	}
}

func second[T any](_ T, err error) error { return err }

func TestPathsOfFoldersAreNoNotes(t *testing.T) {
	t.Parallel()
	m, ctx := notes(t, nil), t.Context()
	ok(t, m.Create(ctx, "/memories/d/a", "x"))
	for _, p := range []string{"/memories", "/memories/", "/memories/new/"} {
		wantErr(t, "create "+p, m.Create(ctx, p, "x"), ErrPath)
		wantErr(t, "read "+p, second(m.View(ctx, p)), ErrPath)
	}
	wantErr(t, "read a folder", second(m.View(ctx, "/memories/d")), workspace.ErrNotRegular)
	if err := m.Create(ctx, "/memories/d/a/b", "x"); err == nil {
		t.Error("a note was made below a note")
	}
}

func TestTextThatIsNoTextIsRefused(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	m := New(tree(t, dir, &workspace.Options{Mode: modes()[0]}), nil)
	const bad = "a\xffb"
	wantErr(t, "create", m.Create(ctx, "/memories/a", bad), ErrText)
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("the disk was touched: %v", left)
	}
	ok(t, m.Create(ctx, "/memories/a", "aé"))
	wantErr(t, "insert", m.Insert(ctx, "/memories/a", 1, bad), ErrText)
	wantErr(t, "replace", m.Replace(ctx, "/memories/a", "a", bad), ErrText)
	// Half a character is found in one, and must not be replaced.
	wantErr(t, "replace half a character", m.Replace(ctx, "/memories/a", "\xc3", "x"), ErrText)
	wantNote(t, m, "/memories/a", "aé")
	ok(t, os.WriteFile(filepath.Join(dir, ".agent/memory/bad"), []byte(bad), 0o600))
	wantErr(t, "read", second(m.View(ctx, "/memories/bad")), ErrText)
	wantErr(t, "edit", m.Insert(ctx, "/memories/bad", 1, "x"), ErrText)
}

func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	m, ctx := notes(t, &Options{MaxFile: 10, MaxFiles: 2}), t.Context()
	wantErr(t, "create", m.Create(ctx, "/memories/a", "12345678901"), workspace.ErrTooLarge)
	ok(t, m.Create(ctx, "/memories/a", "1234567890"))
	wantErr(t, "insert", m.Insert(ctx, "/memories/a", 1, "x"), workspace.ErrTooLarge)
	wantErr(t, "replace", m.Replace(ctx, "/memories/a", "1", "12"), workspace.ErrTooLarge)
	wantNote(t, m, "/memories/a", "1234567890")
	ok(t, m.Create(ctx, "/memories/b", ""))
	wantErr(t, "a third", m.Create(ctx, "/memories/c", ""), ErrFull)
	wantErr(t, "one that is there", m.Create(ctx, "/memories/b", ""), fs.ErrExist)
	ok(t, m.Delete(ctx, "/memories/a"))
	ok(t, m.Create(ctx, "/memories/c", ""))
	small := New(m.root, &Options{MaxFile: 3})
	ok(t, m.Insert(ctx, "/memories/b", 1, "longer"))
	wantErr(t, "read", second(small.View(ctx, "/memories/b")), workspace.ErrTooLarge)
}

func TestNoLinkIsFollowed(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs links, which Windows makes for few")
	}
	for _, mode := range modes() {
		for name, plant := range map[string]func(dir, out string) error{
			"the store":    func(dir, out string) error { return os.Symlink(out, filepath.Join(dir, ".agent")) },
			"the folder":   func(dir, out string) error { return os.Symlink(out, filepath.Join(dir, ".agent/memory")) },
			"within":       func(dir, out string) error { return os.Symlink(out, filepath.Join(dir, ".agent/memory/d")) },
			"the note":     func(dir, out string) error { return os.Symlink(out+"/a", filepath.Join(dir, ".agent/memory/d/a")) },
			"inside":       func(dir, _ string) error { return os.Symlink("../e/a", filepath.Join(dir, ".agent/memory/d/a")) },
			"inside, dir":  func(dir, _ string) error { return os.Symlink("e", filepath.Join(dir, ".agent/memory/d")) },
			"to nowhere":   func(dir, _ string) error { return os.Symlink("none", filepath.Join(dir, ".agent/memory/d/a")) },
			"hard link":    func(dir, out string) error { return os.Link(out+"/a", filepath.Join(dir, ".agent/memory/d/a")) },
			"its own loop": func(dir, _ string) error { return os.Symlink("a", filepath.Join(dir, ".agent/memory/d/a")) },
		} {
			t.Run(mode.String()+" "+name, func(t *testing.T) {
				t.Parallel()
				dir, out := t.TempDir(), t.TempDir()
				for _, d := range []string{"memory/d", "d"} {
					ok(t, os.MkdirAll(filepath.Join(out, d), 0o700))
				}
				for _, f := range []string{"a", "memory/a", "memory/d/a", "d/a"} {
					ok(t, os.WriteFile(filepath.Join(out, f), []byte("outside"), 0o600))
				}
				ok(t, os.MkdirAll(filepath.Join(dir, ".agent/memory/e"), 0o700))
				ok(t, os.WriteFile(filepath.Join(dir, ".agent/memory/e/a"), []byte("inside"), 0o600))
				err := plant(dir, out)
				if errors.Is(err, fs.ErrExist) { // in place of what is there
					ok(t, os.RemoveAll(filepath.Join(dir, map[string]string{"the store": ".agent", "the folder": ".agent/memory"}[name])))
					err = plant(dir, out)
				} else if errors.Is(err, fs.ErrNotExist) {
					ok(t, os.Mkdir(filepath.Join(dir, ".agent/memory/d"), 0o700))
					err = plant(dir, out)
				}
				ok(t, err)
				allRefused(t, New(tree(t, dir, &workspace.Options{Mode: mode}), nil), dir, name != "hard link")
				for _, f := range []string{"a", "memory/a", "memory/d/a", "d/a"} {
					if data, err := os.ReadFile(filepath.Join(out, f)); string(data) != "outside" {
						t.Errorf("outside, %s holds %q, error %v", f, data, err)
					}
				}
			})
		}
	}
}

// allRefused tries everything with a note that is not what it seems. Of a hard link
// its own name may go.
func allRefused(t *testing.T, m *Memory, dir string, remove bool) {
	t.Helper()
	const p = "/memories/d/a"
	ctx := t.Context()
	tries := map[string]error{
		"read": second(m.View(ctx, p)), "create": m.Create(ctx, p, "x"),
		"replace": m.Replace(ctx, p, "side", "x"), "insert": m.Insert(ctx, p, 1, "x"),
	}
	if remove {
		tries["delete"] = m.Delete(ctx, p)
	}
	for what, err := range tries {
		if err == nil {
			t.Errorf("%s: no error", what)
		} else if strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), ".agent") {
			t.Errorf("%s: the error tells the place: %v", what, err)
		}
	}
}

func TestScopesDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	root := tree(t, t.TempDir(), &workspace.Options{Mode: modes()[0]})
	m := New(root, &Options{Scope: PerUser, MaxFiles: 1})
	as := func(user string) context.Context { return tool.WithCall(t.Context(), &tool.Call{User: user}) }
	users := []string{"bob", "Bob", "../bob", "bob/x", "=bob", "%62ob", ".", "..", "con", "é", "a\x00b", strings.Repeat("x", 5000), strings.Repeat("x", 5001), "ada@example.org"}
	for i, user := range users {
		ok(t, m.Create(as(user), "/memories/a", fmt.Sprint(i)))
	}
	for i, user := range users {
		if got, err := m.View(as(user), "/memories/a"); got != fmt.Sprint(i) || err != nil {
			t.Errorf("%.20q has %q, error %v, want %d", user, got, err, i)
		}
		if got, err := m.List(as(user), "/memories"); !slices.Equal(got, []string{"/memories/a"}) || err != nil {
			t.Errorf("%.20q sees %q, error %v", user, got, err)
		}
	}
	for _, err := range []error{second(m.View(t.Context(), "/memories/a")), m.Create(t.Context(), "/memories/b", ""), second(m.List(t.Context(), "/memories"))} {
		wantErr(t, "without a user", err, ErrScope)
	}
	wantErr(t, "by name", second(m.View(as("eve"), "/memories/=bob/a")), ErrPath)
	// Nor does the store without a scope see any of them.
	all := New(root, nil)
	ok(t, all.Create(t.Context(), "/memories/b", ""))
	if got, err := all.List(t.Context(), "/memories"); !slices.Equal(got, []string{"/memories/b"}) || err != nil {
		t.Errorf("without a scope: got %q, error %v", got, err)
	}
	one := New(root, &Options{Scope: PerAgent("lead")})
	ok(t, one.Create(as("bob"), "/memories/a", "of the agent"))
	wantNote(t, one, "/memories/a", "of the agent")
}

// Both changes are there, whichever came first, also when two processes, which
// know nothing of each other's locks, make them.
func TestChangesAtTheSameTimeAreAllMade(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	var stores []*Memory
	for range 3 {
		stores = append(stores, New(tree(t, dir, &workspace.Options{Mode: modes()[0]}), nil))
	}
	ok(t, stores[0].Create(ctx, "/memories/log", ""))
	const each = 40
	var made sync.WaitGroup
	for i := range 6 {
		made.Go(func() {
			for n := range each {
				if err := stores[0].Insert(ctx, "/memories/log", 1, fmt.Sprintf("%d-%d\n", i, n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var created sync.Map
	for _, m := range stores {
		made.Go(func() {
			for n := range each {
				if m.Create(ctx, fmt.Sprintf("/memories/d%d/n", n), "") == nil {
					if _, twice := created.LoadOrStore(n, true); twice {
						t.Errorf("note %d was made twice", n)
					}
				}
			}
		})
	}
	made.Wait()
	text, err := stores[1].View(ctx, "/memories/log")
	if got := len(strings.Fields(text)); got != 6*each || err != nil {
		t.Errorf("%d lines are there, error %v, want %d", got, err, 6*each)
	}
}

func TestReadOnlyNotes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := New(tree(t, dir, &workspace.Options{Mode: modes()[0]}), nil)
	ok(t, m.Create(t.Context(), "/memories/a", "x"))
	corpus := tree(t, dir, &workspace.Options{Mode: modes()[0], ReadOnly: true})
	for name, m := range map[string]*Memory{"by option": New(m.root, &Options{ReadOnly: true}), "by workspace": New(corpus, nil)} {
		wantNote(t, m, "/memories/a", "x")
		for what, err := range map[string]error{
			"create": m.Create(t.Context(), "/memories/b", ""), "edit": m.Insert(t.Context(), "/memories/a", 1, ""), "delete": m.Delete(t.Context(), "/memories/a"),
		} {
			wantErr(t, name+": "+what, err, workspace.ErrReadOnly)
		}
		if tools := m.Tools(); len(tools) != 1 || tools[0].Spec.Name != "MemoryRead" {
			t.Errorf("%s: got %d tools, want MemoryRead alone", name, len(tools))
		}
	}
}

func TestNotesKeepNoSecrets(t *testing.T) {
	t.Parallel()
	var secrets secret.Registry
	if err := secrets.Register("TOKEN", "a&b<c>12"); err != nil {
		t.Fatal(err)
	}
	ctx, dir := t.Context(), t.TempDir()
	root := tree(t, dir, &workspace.Options{Mode: workspace.Portable})
	m := New(root, &Options{Secrets: &secrets})
	refused := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "the secret TOKEN would be in it") || strings.Contains(err.Error(), "a&b<c>12") {
			t.Errorf("%s: got %v, want it refused by the secret's name", what, err)
		}
	}
	refused("a new note", m.Create(ctx, "/memories/a.md", "use a&b<c>12"))
	refused("one that was escaped", m.Create(ctx, "/memories/a.md", `{"k":"a\u0026b\u003cc\u003e12"}`))
	if err := m.Create(ctx, "/memories/a.md", "use a&b<c"); err != nil {
		t.Fatal(err)
	}
	refused("the other half", m.Replace(ctx, "/memories/a.md", "b<c", "b<c>12"))
	if got, err := m.View(ctx, "/memories/a.md"); got != "use a&b<c" || err != nil {
		t.Errorf("the note is %q, error %v; want it as it was", got, err)
	}
	if _, err := root.WriteFile(".agent/memory/old.md", []byte("key a&b<c>12\n")); err != nil {
		t.Fatal(err)
	}
	if got, err := m.View(ctx, "/memories/old.md"); got != "key <redacted:TOKEN>\n" || err != nil {
		t.Errorf("a note with a secret shows as %q, error %v", got, err)
	}
}
