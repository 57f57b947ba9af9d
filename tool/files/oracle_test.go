package files_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/internal/testdata"
)

// program finds another program that knows the answers.
func program(tb testing.TB, name, what string) func(dir string, args ...string) []string {
	tb.Helper()
	path, err := exec.LookPath(name)
	testdata.Need(tb, what, err)
	return func(dir string, args ...string) []string {
		cmd := exec.CommandContext(tb.Context(), path, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "RIPGREP_CONFIG_PATH=", "HOME="+dir)
		out, err := cmd.Output()
		if exit := (*exec.ExitError)(nil); err != nil && (!asExit(err, &exit) || exit.ExitCode() != 1 || len(exit.Stderr) > 0) {
			tb.Fatalf("%s %q: %v", name, args, err)
		}
		return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
	}
}

func asExit(err error, to **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError) //nolint:errorlint // as package exec returns it
	*to = e
	return ok
}

// tree draws files with short names, so that folders and patterns meet. They are
// ASCII: to others a character is a byte.
func tree(t *rapid.T, content *rapid.Generator[string]) map[string]string {
	name := rapid.SampledFrom([]string{"a", "b", "ab", "x.go", "y.go", "x.txt", "build", "x", "a.b", ".h", ".x.go", "B", "a b", "ax"})
	all := map[string]string{}
	for range rapid.IntRange(1, 25).Draw(t, "files") {
		path := strings.Join(rapid.SliceOfN(name, 1, 4).Draw(t, "path"), "/")
		blocked := false
		for other := range all {
			blocked = blocked || strings.HasPrefix(other+"/", path+"/") || strings.HasPrefix(path+"/", other+"/")
		}
		if !blocked {
			all[path] = content.Draw(t, "content")
		}
	}
	return all
}

// each checks a property over random trees.
func each(t *testing.T, check func(t *rapid.T, b *bench, files map[string]string), content *rapid.Generator[string]) {
	t.Helper()
	b := with(t, nil, nil)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(b.dir, fmt.Sprint(n))
		all := tree(rt, content)
		put(t, dir, all)
		check(rt, with(t, nil, nil).at(dir), all)
		if err := os.RemoveAll(dir); err != nil {
			rt.Fatal(err)
		}
	})
}

func TestGrepFindsWhatRipgrepFinds(t *testing.T) {
	t.Parallel()
	rg := program(t, "rg", "ripgrep")
	line := rapid.SampledFrom([]string{"foo", "foobar", "Foo(1)", "bar 22-33", "", "x", "func Close() {", "\tfoo bar", "foo\r", "2024-01-02", "foo foo"})
	content := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line, 0, 12).Draw(t, "lines"), "\n") + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
	})
	pattern := rapid.SampledFrom([]string{`foo`, `^foo$`, `\bfoo\b`, `o+b?`, `func \w+\(`, `\d{4}-\d{2}`, `\d+-\d+`, `^$`, `^\s*foo`, `(?i)FOO\(`, `x|bar`, `[^a-z\s]`, `.`, `zzz`, `ar \d`, `foo.*foo`})
	each(t, func(rt *rapid.T, b *bench, _ map[string]string) {
		p, around, include := pattern.Draw(rt, "pattern"), rapid.IntRange(0, 2).Draw(rt, "context"), rapid.SampledFrom([]string{"", "*.go", "*.{go,txt}", "[ab]*"}).Draw(rt, "include")
		cmd := []string{"--no-ignore", "--hidden", "--glob", "!**/.*/", "--crlf", "-n", "--no-heading", "--with-filename", "--color=never", "--sort=path", "-C", fmt.Sprint(around)}
		if include != "" {
			// A glob that takes in, and one that leaves out, do not mix well, so names
			// are chosen by a type.
			cmd = append(cmd, "--type-add", "it:"+include, "--type", "it")
		}
		want := rg(b.dir, append(cmd, "-e", p, ".")...)
		for i := range want {
			want[i] = strings.TrimRight(strings.TrimPrefix(want[i], "./"), "\r")
		}
		got := strings.FieldsFunc(b.text(b.Grep(), args{"pattern": p, "context": around, "include": include}), func(r rune) bool { return r == '\n' })
		if !slices.Equal(got, want) {
			rt.Fatalf("%q, context %d, include %q:\n got %q\nwant %q", p, around, include, got, want)
		}
	}, content)
}

func TestGlobFindsWhatRipgrepFinds(t *testing.T) {
	t.Parallel()
	rg := program(t, "rg", "ripgrep")
	piece := rapid.SampledFrom([]string{"a", "b", "x", "*", "?", "[ab]", "{a,x}", ".go", "."})
	each(t, func(rt *rapid.T, b *bench, _ map[string]string) {
		part := rapid.Custom(func(t *rapid.T) string {
			if rapid.IntRange(0, 3).Draw(t, "stars") == 0 {
				return "**"
			}
			return strings.Join(rapid.SliceOfN(piece, 1, 3).Draw(t, "part"), "")
		})
		pattern := strings.Join(rapid.SliceOfN(part, 1, 4).Draw(rt, "pattern"), "/")
		if strings.Contains("/"+pattern, "/.") || strings.Contains(pattern, "**/**") || strings.Contains(pattern, "***") {
			return // hidden folders that are named, and rows of stars, are ours to interpret
		}
		want := rg(b.dir, "--files", "--no-ignore", "--hidden", "--glob", "/"+pattern, "--sort=path")
		want = slices.DeleteFunc(want, func(p string) bool {
			return strings.HasPrefix(p, ".") && strings.Contains(p, "/") || strings.Contains(filepath.Dir(p), "/.")
		})
		got := strings.FieldsFunc(b.text(b.Glob(), args{"pattern": pattern}), func(r rune) bool { return r == '\n' })
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			rt.Fatalf("%q:\n got %q\nwant %q", pattern, got, want)
		}
	}, rapid.Just(""))
}

func TestIgnoredFilesAreThoseOfGit(t *testing.T) {
	t.Parallel()
	git := program(t, "git", "git")
	piece := rapid.SampledFrom([]string{"a", "b", "x", "*", "?", "[ab]", "[!a]", "**", ".go", "build", "ab"})
	rule := rapid.Custom(func(t *rapid.T) string {
		part := rapid.Map(rapid.SliceOfN(piece, 1, 2), func(s []string) string {
			if len(s) == 1 {
				return s[0]
			}
			// Where ** stands behind something git takes it for folders or not, by
			// whether a * comes before it.
			return strings.ReplaceAll(strings.Join(s, ""), "**", "*")
		})
		// Of several ** in a row git makes what nobody would expect.
		one := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "**/**", "**"), "**/**", "**") }
		return one(rapid.SampledFrom([]string{"", "", "", "!", "/", "!/", "**/", "#", `\#`}).Draw(t, "front") + strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, "parts"), "/") +
			rapid.SampledFrom([]string{"", "", "/", "/**", " ", `\ `, "/*"}).Draw(t, "end"))
	})
	rules := rapid.Map(rapid.SliceOfN(rule, 0, 5), func(s []string) string { return strings.Join(s, "\n") + "\n" })
	each(t, func(rt *rapid.T, b *bench, all map[string]string) {
		ignores := map[string]string{".gitignore": rules.Draw(rt, "rules")}
		for path := range all {
			if dir := filepath.Dir(path); dir != "." && rapid.IntRange(0, 3).Draw(rt, "nested") == 0 {
				ignores[dir+"/.gitignore"] = rules.Draw(rt, "rules")
			}
		}
		put(t, b.dir, ignores)
		git(b.dir, "init", "-q")
		want := git(b.dir, "-c", "core.quotePath=false", "ls-files", "--others", "--exclude-standard")
		want = slices.DeleteFunc(want, func(p string) bool { return strings.Contains("/"+filepath.Dir(p), "/.") && filepath.Dir(p) != "." })
		got := strings.FieldsFunc(b.text(b.Glob(), args{"pattern": "**", "gitignore": true}), func(r rune) bool { return r == '\n' })
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			rt.Fatalf("%q:\n got %q\nwant %q", ignores, got, want)
		}
	}, rapid.Just(""))
}
