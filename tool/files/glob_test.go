package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/tool/files"
	"github.com/helios-go/helios/workspace"
)

// aged sets the time of change of files: the first is the newest.
func aged(t *testing.T, dir string, names ...string) {
	t.Helper()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, name := range names {
		at := now.Add(-time.Duration(i) * time.Hour)
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGlobFindsNewestFirst(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"README.md": "", "docs/a.md": "", "docs/x/b.md": "", "main.go": "", ".github/ci.yml": "", ".env": "", "docs/.cache/c.md": ""}, nil)
	aged(t, b.dir, "docs/x/b.md", "README.md", "docs/a.md", "main.go")
	for pattern, want := range map[string]string{
		"**/*.md":       "docs/x/b.md README.md docs/a.md",
		"*.md":          "README.md",
		"./docs/*.md":   "docs/a.md",
		"docs/**":       "docs/x/b.md docs/a.md",
		"*.{md,go}":     "README.md main.go",
		"**/[a-b].md":   "docs/x/b.md docs/a.md",
		"docs/**/?.md":  "docs/x/b.md docs/a.md",
		"none/*":        "",
		"main.go/x":     "",
		".github/*.yml": ".github/ci.yml",
		"**/*.yml":      "",
		".env":          ".env",
	} {
		same(t, pattern, strings.Join(strings.Fields(b.text(b.Glob(), args{"pattern": pattern})), " "), want)
	}
	same(t, "below a path", b.text(b.Glob(), args{"pattern": "*.md", "path": "docs"}), "docs/a.md\n")
	same(t, "in a hidden folder", b.text(b.Glob(), args{"pattern": "*", "path": ".github/"}), ".github/ci.yml\n")
}

func TestGlobKeepsTheNewestBeyondItsCap(t *testing.T) {
	t.Parallel()
	tree := map[string]string{}
	for i := range 60 {
		tree[fmt.Sprintf("d%d/f%02d.txt", i%7, i)] = ""
	}
	b := with(t, tree, &files.Options{MaxPaths: 5})
	names := []string{"d6/f48.txt", "d0/f00.txt", "d3/f59.txt", "d1/f01.txt", "d2/f30.txt"} // the newest, whatever comes first in the walk
	aged(t, b.dir, names...)
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for name := range tree {
		if !strings.Contains(strings.Join(names, " "), name) {
			if err := os.Chtimes(filepath.Join(b.dir, name), old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	same(t, "capped", b.text(b.Glob(), args{"pattern": "**/*.txt"}), strings.Join(names, "\n")+"\n[The 5 newest of 60 files; narrow the pattern or the path to see others.]\n")
}

func TestGlobRefuses(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"a": ""}, nil)
	b.fails(b.Glob(), args{"pattern": ""}, "**/* finds all files")
	b.fails(b.Glob(), args{"pattern": "a["}, "[ has no ]")
	b.fails(b.Glob(), args{"pattern": "a{b"}, "{ has no }")
	b.fails(b.Glob(), args{"pattern": "/etc/*"}, "relative to path")
	b.fails(b.Glob(), args{"pattern": "../*"}, "holds ..")
	b.fails(b.Glob(), args{"pattern": "docs/"}, "look with LS")
	b.fails(b.Glob(), args{"pattern": "*", "path": "none"}, `"none": it does not exist`)
	b.fails(b.Glob(), args{"pattern": "*", "path": "../x"}, "out of the workspace")
}

func TestIgnoredFilesArePassedOverOnRequest(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{
		".gitignore": "*.log\n/build/\n!keep.log\n", "a.log": "x", "keep.log": "x", "build/x": "x", "src/build/x": "x",
		"src/.gitignore": "!a.log\nx.txt\n", "src/a.log": "x", "src/b.log": "x", "src/x.txt": "x", "x.txt": "x", "src/deep/er/a.log": "x",
	}, nil)
	list := func(in args) string {
		in["pattern"], in["gitignore"] = "**/*", true
		got := strings.Fields(b.text(b.Glob(), in))
		aged(t, b.dir, got...)
		in["pattern"], in["output"] = "x|log", "files"
		return strings.Join(got, " ") + " / " + strings.Join(strings.Fields(b.text(b.Grep(), in)), " ")
	}
	got := strings.Split(list(args{}), " / ")
	same(t, "grep", got[1], ".gitignore keep.log src/.gitignore src/a.log src/build/x src/deep/er/a.log x.txt")
	if len(strings.Fields(got[0])) != len(strings.Fields(got[1])) {
		t.Errorf("glob: got %s, want as grep: %s", got[0], got[1])
	}
	// The rules of the folders above count too.
	same(t, "below", strings.Split(b.text(b.Grep(), args{"pattern": "x", "path": "src/deep", "output": "files", "gitignore": true}), " / ")[0], "src/deep/er/a.log\n")
	same(t, "below", b.text(b.Grep(), args{"pattern": "x", "path": "src/build", "output": "files", "gitignore": true}), "src/build/x\n")
}

func TestLSListsFoldersThenFilesThenLinks(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"b": "", "a": "", "z/x": "", ".git/x": "", ".env": "", workspace.TempPrefix + "1": ""}, nil)
	for _, link := range []string{"l2", "l1"} {
		if err := os.Symlink("a", filepath.Join(b.dir, link)); err != nil {
			t.Skip(err)
		}
	}
	same(t, "all", b.text(b.LS(), args{}), ".git/\nz/\n.env\na\nb\nl1@\nl2@\n")
	same(t, "one", b.text(b.LS(), args{"path": "z"}), "x\n")
	b.fails(b.LS(), args{"path": "a"}, `LS "a"`, "folder")
	b.fails(b.LS(), args{"path": "l1"}, `LS "l1"`)
	capped := files.New(open(t, b.dir), &files.Options{MaxPaths: 2})
	b.Files = capped
	same(t, "capped", b.text(b.LS(), args{}), ".git/\nz/\n[2 of 7 entries; find others by name with Glob.]\n")
}

func TestCorporaShowAsFoldersAtTheTop(t *testing.T) {
	t.Parallel()
	docs := t.TempDir()
	put(t, docs, map[string]string{"guide.md": "needle\n", "sub/x.md": "needle\n"})
	b := with(t, map[string]string{"docs/own.md": "needle", "a.md": "needle", "z.md": "needle"}, nil)
	b.Files = files.New(open(t, b.dir), &files.Options{Corpora: map[string]*workspace.Root{"docs": open(t, docs)}})
	same(t, "LS", b.text(b.LS(), args{}), "docs/\na.md\nz.md\n")
	same(t, "LS of it", b.text(b.LS(), args{"path": "docs"}), "sub/\nguide.md\n")
	same(t, "Read", b.text(b.Read(), args{"path": "docs/guide.md"}), "     1\tneedle\n")
	same(t, "Grep", b.text(b.Grep(), args{"pattern": "needle"}), "a.md:1:needle\nz.md:1:needle\ndocs/guide.md:1:needle\ndocs/sub/x.md:1:needle\n")
	same(t, "Grep in it", b.text(b.Grep(), args{"pattern": "needle", "path": "docs/sub"}), "docs/sub/x.md:1:needle\n")
	aged(t, docs, "sub/x.md", "guide.md")
	same(t, "Glob", b.text(b.Glob(), args{"pattern": "docs/**/*.md"}), "docs/sub/x.md\ndocs/guide.md\n")
	if n := len(strings.Fields(b.text(b.Glob(), args{"pattern": "**/*.md"}))); n != 4 {
		t.Errorf("Glob finds %d files, want 4", n)
	}
	b.fails(b.Write(), args{"path": "docs/new.md", "content": "x"}, "only be read")
	b.fails(b.Edit(), args{"path": "docs/guide.md", "old_string": "needle", "new_string": "x"}, "only be read")
	b.fails(b.Read(), args{"path": "docs/none"}, `Read "docs/none"`)
	b.fails(b.Read(), args{"path": "docs/../../x"}, "out of the workspace")

	for _, name := range []string{"a/b", "..", ".", "", `a\b`} {
		if err := files.New(open(t, b.dir), &files.Options{Corpora: map[string]*workspace.Root{name: open(t, docs)}}).Err(); err == nil {
			t.Errorf("a corpus %q: got no error", name)
		}
	}
}

func TestHiddenFilesAreOutOfReach(t *testing.T) {
	t.Parallel()
	hide, err := files.Matching("**/secrets.*", "private")
	if err != nil {
		t.Fatal(err)
	}
	b := with(t, map[string]string{"secrets.env": "needle", "a/secrets.txt": "needle", "private/x": "needle", "a/b": "needle"}, &files.Options{Hide: hide})
	same(t, "LS", b.text(b.LS(), args{}), "a/\n")
	same(t, "LS a", b.text(b.LS(), args{"path": "a"}), "b\n")
	same(t, "Glob", b.text(b.Glob(), args{"pattern": "**/*"}), "a/b\n")
	same(t, "Grep", b.text(b.Grep(), args{"pattern": "needle"}), "a/b:1:needle\n")
	for _, path := range []string{"secrets.env", "./secrets.env", "a/../secrets.env", "private/x", "private", "a/secrets.none"} {
		for _, tool := range b.All() {
			in := args{"path": path}
			switch tool.Spec.Name {
			case "Glob", "Grep":
				in["pattern"] = "x"
			case "Write":
				in["content"] = "x"
			case "Edit":
				in["old_string"] = "x"
			}
			b.fails(tool, in, "the host keeps it out of reach")
		}
	}
	b.fails(b.Glob(), args{"pattern": "private/*"}, "out of reach")
	if _, err := files.Matching("a["); err == nil {
		t.Error("a bad pattern: got no error")
	}
}
