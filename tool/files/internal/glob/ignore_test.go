package glob_test

import (
	"strings"
	"testing"

	"github.com/helios-go/helios/tool/files/internal/glob"
)

func TestRulesLeaveOutWhatGitDoes(t *testing.T) {
	t.Parallel()
	top := glob.ParseIgnore([]byte("\xef\xbb\xbf# a comment\r\n*.log\r\n!keep.log\n/build\nout/\ndoc/*.txt\n\\#x\n\\!y\nz\\ \nw  \n{a,b}\n[\n\n/\n!\n"), nil, ".")
	sub := glob.ParseIgnore([]byte("!a.log\n/only\n"), top, "sub")
	if got := glob.ParseIgnore([]byte("# nothing\n"), top, "x"); got != top {
		t.Error("a file without rules makes some")
	}
	for _, c := range []struct {
		rules  *glob.Rules
		path   string
		folder bool
		want   bool
	}{
		{top, "a.log", false, true}, {top, "x/a.log", false, true}, {top, "keep.log", false, false},
		{top, "build", false, true}, {top, "x/build", true, false}, {top, "out", true, true}, {top, "out", false, false}, {top, "x/out", true, true},
		{top, "doc/a.txt", false, true}, {top, "x/doc/a.txt", false, false}, {top, "doc/x/a.txt", false, false},
		{top, "#x", false, true}, {top, "!y", false, true}, {top, "z ", false, true}, {top, "z", false, false}, {top, "w", false, true},
		{top, "a", false, false}, {top, "{a,b}", false, true}, {top, "[", false, false},
		{sub, "sub/a.log", false, false}, {sub, "sub/b.log", false, true}, {sub, "sub/only", false, true}, {sub, "sub/x/only", false, false}, {sub, "only", false, false},
		{nil, "a", false, false},
	} {
		if got := c.rules.Match(c.path, c.folder); got != c.want {
			t.Errorf("%q: got %v, want %v", c.path, got, c.want)
		}
	}
}

func FuzzIgnore(f *testing.F) {
	f.Add("*.log\n!keep.log\n/build/\n", "a/keep.log", false)
	f.Add("\\ \n[!a]*\n**/x/**\n", "b/x/y", true)
	f.Fuzz(func(t *testing.T, text, path string, folder bool) {
		rules := glob.ParseIgnore([]byte(text), nil, ".")
		got := rules.Match(path, folder)
		// A rule that follows decides, whatever came before, and comments do not.
		if strings.ContainsAny(path, "\r\n") || path == "" {
			return
		}
		for more, want := range map[string]bool{"\n#" + path: got, "\n*": true, "\n!*": false} {
			if now := glob.ParseIgnore([]byte(text+more), nil, ".").Match(path, folder); now != want {
				t.Fatalf("%q and %q on %q: got %v, want %v", text, more, path, now, want)
			}
		}
		if below := glob.ParseIgnore([]byte(text), nil, "dir").Match("dir/"+path, folder); below != got {
			t.Fatalf("%q on %q: got %v at the top and %v in a folder", text, path, got, below)
		}
	})
}
