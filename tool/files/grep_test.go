package files_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/files"
)

func TestGrepShowsPathLineAndText(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{
		"a.go": "package a\n\nfunc Close() {}\r\n", "b/c.go": "func x() {}\nfunc Close() {}", "b.txt": "Close\n",
		".git/x": "Close", "b/.cache/y": "Close", ".env": "Close\n", "bin": "Close\x00", "bad": "Close \xff\n", "none": "",
	}, nil)
	for _, c := range []struct {
		in   args
		want string
	}{
		{args{"pattern": "Close"}, ".env:1:Close\na.go:3:func Close() {}\nb/c.go:2:func Close() {}\nb.txt:1:Close\n" +
			"[Not searched: 1 file with a match but bytes that are not UTF-8.]\n"},
		{args{"pattern": `Close\(\) \{\}$`, "path": "./b/"}, "b/c.go:2:func Close() {}\n"},
		{args{"pattern": "Close", "path": "b/c.go"}, "b/c.go:2:func Close() {}\n"},
		{args{"pattern": "Close", "include": "*.go"}, "a.go:3:func Close() {}\nb/c.go:2:func Close() {}\n"},
		{args{"pattern": "Close", "include": "b/*.go"}, "b/c.go:2:func Close() {}\n"},
		{args{"pattern": "Close", "include": "**/*.{go,txt}", "output": "files"}, "a.go\nb/c.go\nb.txt\n"},
		{args{"pattern": "close", "ignore_case": true, "include": "*.txt"}, "b.txt:1:Close\n"},
		{args{"pattern": "func", "output": "count"}, "a.go:1\nb/c.go:2\n"},
		{args{"pattern": "Close", "path": ".git"}, ".git/x:1:Close\n"},
		{args{"pattern": "Close", "path": "bin"}, "[Not searched: the file, which is binary.]\n"},
		{args{"pattern": "nothing like it"}, ""},
	} {
		same(t, fmt.Sprint(c.in), b.text(b.Grep(), c.in), c.want)
	}
}

func TestGrepShowsContext(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"a": "1\nx2\n3\n4\n5\n6\nx7\nx8\n9\n10\n11\nx12", "b": "x\n"}, nil)
	same(t, "one line", b.text(b.Grep(), args{"pattern": "x", "context": 1}),
		"a-1-1\na:2:x2\na-3-3\n--\na-6-6\na:7:x7\na:8:x8\na-9-9\n--\na-11-11\na:12:x12\n--\nb:1:x\n")
	same(t, "two", b.text(b.Grep(), args{"pattern": "x(2|7)", "context": 2}),
		"a-1-1\na:2:x2\na-3-3\na-4-4\na-5-5\na-6-6\na:7:x7\na-8-x8\na-9-9\n")
}

func TestGrepSaysWhereItCuts(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"a": numbers(7), "b/c": numbers(4), "d": numbers(2)}, nil)
	show := func(most int, in args) string {
		in["pattern"] = "line"
		b.Files = files.New(open(t, b.dir), &files.Options{MaxMatches: most})
		return b.text(b.Grep(), in)
	}
	const note = ", and there are more; narrow pattern, path or include to see them.]\n"
	if got := show(9, args{}); strings.Count(got, "\n") != 10 || !strings.HasSuffix(got, "b/c:2:line\n[Cut after 9 matches"+note) {
		t.Errorf("9: got %q", got)
	}
	if got := show(13, args{}); strings.Count(got, "\n") != 13 || strings.Contains(got, "[") {
		t.Errorf("all: got %q", got)
	}
	if got := show(12, args{}); !strings.HasSuffix(got, "d:1:line\n[Cut after 12 matches"+note) {
		t.Errorf("all but one: got %q", got)
	}
	same(t, "files", show(2, args{"output": "files"}), "a\nb/c\n[Cut after 2 files with a match"+note)
	same(t, "all files", show(3, args{"output": "count"}), "a:7\nb/c:4\nd:2\n")
	same(t, "context", show(3, args{"context": 1}), "a:1:line\na:2:line\na:3:line\n[Cut after 3 matches"+note)
	same(t, "context at the end of a file", show(7, args{"context": 1}), "a:1:line\na:2:line\na:3:line\na:4:line\na:5:line\na:6:line\na:7:line\n[Cut after 7 matches"+note)

	b.Files = files.New(open(t, b.dir), &files.Options{MaxText: 100})
	if got := b.text(b.Grep(), args{"pattern": "line"}); len(got) > 200 || !strings.Contains(got, "and there are more") {
		t.Errorf("text: got %q", got)
	}
	many := with(t, map[string]string{"a": numbers(1001), "b": numbers(999)}, nil)
	if got := many.text(many.Grep(), args{"pattern": "line"}); strings.Count(got, "\n") != 1001 || !strings.HasSuffix(got, "a:1000:line\n[Cut after 1000 matches"+note) {
		t.Errorf("by default: got %q", got[len(got)-80:])
	}
}

func TestGrepSkipsLargeFilesUnlessNamed(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"big": strings.Repeat("x", 1<<20) + "\nneedle\n", "small": "needle\n"}, nil)
	same(t, "a folder", b.text(b.Grep(), args{"pattern": "needle"}), "small:1:needle\n[Not searched: 1 file of more than 1 MiB (give one as path to search it).]\n")
	same(t, "the file", b.text(b.Grep(), args{"pattern": "needle", "path": "big"}), "big:2:needle\n")
}

func TestGrepCutsLongLinesAroundTheMatch(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"a": strings.Repeat("é", 1000) + "needle" + strings.Repeat("ü", 1000) + "\n", "b": "needle" + strings.Repeat("x", 1000), "c": strings.Repeat("x", 1000) + "needle"}, nil)
	lines := strings.Split(b.text(b.Grep(), args{"pattern": "n..dle"}), "\n")
	for i, want := range []string{`a:1:[1836 bytes ...] éé`, `b:1:needlexx`, `c:1:[506 bytes ...] xx`} {
		if !strings.HasPrefix(lines[i], want) || !strings.Contains(lines[i], "needle") || len(lines[i]) > 560 {
			t.Errorf("got %q, want it to begin with %q", lines[i], want)
		}
	}
	if !strings.HasSuffix(lines[0], "üü [... 1670 bytes more]") {
		t.Errorf("got the end %q", lines[0][len(lines[0])-40:])
	}
}

func TestGrepSearchesWhatIsShown(t *testing.T) {
	t.Parallel()
	r := secrets(t)
	if err := r.Register("PATH", "needle.txt"); err != nil {
		t.Fatal(err)
	}
	b := with(t, map[string]string{"needle.txt": "the key is a&b<c>12, in needle.txt\nother a&b<d>\n"}, &files.Options{Secrets: r})
	// The name of the file is no content, though it happens to be a secret.
	same(t, "redacted", b.text(b.Grep(), args{"pattern": "key"}), "needle.txt:1:the key is <redacted:KEY>, in <redacted:PATH>\n")
	for _, guess := range []string{"a&b<c", "is a&", `is .&`, "(?i)A&B<C>1"} {
		same(t, guess, b.text(b.Grep(), args{"pattern": guess}), "")
		same(t, guess, b.text(b.Grep(), args{"pattern": guess, "output": "count"}), "")
	}
	same(t, "what is no secret", b.text(b.Grep(), args{"pattern": "a&b"}), "needle.txt:2:other a&b<d>\n")
}

// However the cut falls, no piece of a secret is shown.
func TestGrepShowsNoPieceOfASecret(t *testing.T) {
	t.Parallel()
	var r secret.Registry
	const value = "sk-0123456789abcdef0123456789"
	if err := r.Register("KEY", value); err != nil {
		t.Fatal(err)
	}
	for at := 440; at < 540; at++ {
		b := with(t, map[string]string{"f": "needle" + strings.Repeat(".", at) + value + strings.Repeat(".", 600) + value + "needle"}, &files.Options{Secrets: &r})
		for _, pattern := range []string{"^needle", "needle$", `\.`} {
			if got := b.text(b.Grep(), args{"pattern": pattern}); strings.Contains(got, "sk-") || strings.Contains(got, "6789") || !strings.Contains(got, "f:1:") {
				t.Errorf("at %d, %s: got %q", at, pattern, got)
			}
		}
	}
}

func TestGrepRefuses(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"a": ""}, nil)
	b.fails(b.Grep(), args{"pattern": ""}, "pattern is empty")
	b.fails(b.Grep(), args{"pattern": "a("}, "Grep: pattern \"a(\": missing closing )", `written with a backslash`)
	b.fails(b.Grep(), args{"pattern": "(?=a)"}, "no lookahead")
	b.fails(b.Grep(), args{"pattern": "a\nb"}, "line break")
	b.fails(b.Grep(), args{"pattern": "a", "include": "a["}, "include", "[ has no ]")
	b.fails(b.Grep(), args{"pattern": "a", "context": 21}, "context is 21, and it is 0 to 20")
	b.fails(b.Grep(), args{"pattern": "a", "path": "none"}, `Grep "none": it does not exist`)
}

// watch is a host that counts what is shown, and ends the call when it is.
type watch struct {
	tool.Host
	shown []string
	end   context.CancelFunc
}

func (w *watch) Progress(p llm.Part) { w.shown = append(w.shown, p.Text); w.end() }

func TestLongWalksTellHowFarTheyAreAndEndWithTheirContext(t *testing.T) {
	t.Parallel()
	tree := map[string]string{}
	for i := range 5200 {
		tree[fmt.Sprintf("d%d/f%d", i%20, i)] = "x"
	}
	b := with(t, tree, nil)
	for _, walk := range []tool.Tool{b.Glob(), b.Grep()} {
		ctx, cancel := context.WithCancel(t.Context())
		w := &watch{end: cancel}
		watched := *b
		watched.ctx = tool.WithCall(ctx, &tool.Call{Host: w})
		watched.fails(walk, args{"pattern": "zzz"}, "stopped before the end: context canceled")
		if len(w.shown) != 1 || w.shown[0] != walk.Spec.Name+": 5000 files so far" {
			t.Errorf("%s: got %q", walk.Spec.Name, w.shown)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.ctx = ctx
	for _, tool := range b.All() {
		in := args{"path": "d0/f0"}
		switch tool.Spec.Name {
		case "Glob", "Grep":
			in = args{"pattern": "x"}
		case "Write":
			in["content"] = "x"
		case "Edit":
			in["old_string"] = "x"
		}
		b.fails(tool, in, "context canceled")
	}
}
