package files_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/files"
	"github.com/helios-go/helios/workspace"
)

func TestWriteMakesFilesAndReplacesWhatWasRead(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"old": "one\n"}, nil)
	same(t, "new", b.text(b.Write(), args{"path": "a/b/new", "content": "x\ny\n"}), "Made a/b/new: 2 lines, 4 bytes.")
	same(t, "new", b.file("a/b/new"), "x\ny\n")
	if is, err := os.Stat(filepath.Join(b.dir, "a/b/new")); err != nil || is.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want it for its owner alone", is.Mode(), err)
	}
	b.fails(b.Write(), args{"path": "old", "content": "two"}, `Write "old": it has not been read in this session; Read it first`)
	b.text(b.Read(), args{"path": "./old"})
	if err := os.Chmod(filepath.Join(b.dir, "old"), 0o640); err != nil {
		t.Fatal(err)
	}
	same(t, "replaced", b.text(b.Write(), args{"path": "old", "content": "two\n"}), "Replaced old: 1 line, 4 bytes.")
	same(t, "replaced", b.file("old"), "two\n")
	if is, _ := os.Stat(filepath.Join(b.dir, "old")); is.Mode().Perm() != 0o640 {
		t.Errorf("got %v, want the permissions that were", is.Mode())
	}
	b.text(b.Write(), args{"path": "old", "content": ""}) // what was written is known
	same(t, "empty", b.file("old"), "")

	put(t, b.dir, map[string]string{"old": "somebody else\n"})
	b.fails(b.Write(), args{"path": "old", "content": "three"}, "it has changed since it was read")
	b.text(b.Read(), args{"path": "old"})
	b.fails(b.session("s2").Write(), args{"path": ".", "content": ""}, "it is a folder")
	other := b.session("s2")
	other.fails(b.Write(), args{"path": "old", "content": "three"}, "has not been read in this session")
	b.text(b.Write(), args{"path": "old", "content": "three"})

	b.fails(b.Write(), args{"path": "a", "content": "x"}, "it is a folder")
	b.fails(b.Write(), args{"path": "old/x", "content": "x"}, `Write "old/x"`)
	b.fails(b.Write(), args{"path": "", "content": "x"}, "path is missing")
	b.fails(b.Write(), args{"path": "../x", "content": "x"}, "out of the workspace")
	b.Files = files.New(open(t, b.dir), &files.Options{MaxFile: 3})
	b.fails(b.Write(), args{"path": "new", "content": "four"}, "content has 4 bytes, and 3 bytes is the most")
}

func TestARestartAsksToReadAgain(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"a": "x"}, nil)
	b.text(b.Read(), args{"path": "a"})
	b.Files = files.New(open(t, b.dir), nil)
	b.fails(b.Edit(), args{"path": "a", "old_string": "x", "new_string": "y"}, "has not been read in this session")
}

func TestEditKeepsTheRestOfAFile(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"a": "one\ntwo\nthree\nfour\nfive\nsix\n", "dos": "\xef\xbb\xbfa\r\nb\r\n"}, nil)
	b.fails(b.Edit(), args{"path": "a", "old_string": "two", "new_string": "2"}, "has not been read")
	b.text(b.Read(), args{"path": "a", "limit": 1})
	same(t, "one", b.text(b.Edit(), args{"path": "a", "old_string": "three\n", "new_string": "3\n3.5\n"}),
		"Edited a (1 edit). It now reads:\n     1\tone\n     2\ttwo\n     3\t3\n     4\t3.5\n     5\tfour\n     6\tfive\n")
	same(t, "one", b.file("a"), "one\ntwo\n3\n3.5\nfour\nfive\nsix\n")
	same(t, "several", b.text(b.Edit(), args{"path": "a", "edits": []args{{"old_string": "one", "new_string": "1"}, {"old_string": "1\ntwo", "new_string": "1\n2"}, {"old_string": "six", "new_string": ""}}}),
		"Edited a (3 edits). It now reads:\n     1\t1\n     2\t2\n     3\t3\n     4\t3.5\n     5\tfour\n     6\tfive\n     7\t\n")
	b.fails(b.Edit(), args{"path": "a", "edits": []args{{"old_string": "four", "new_string": "4"}, {"old_string": "FIVE", "new_string": "5"}}},
		`Edit "a": edit 2 of 2: the text to replace is not there exactly; on line 6 it is there but for upper and lower case`)
	same(t, "all or none", b.file("a"), "1\n2\n3\n3.5\nfour\nfive\n\n")
	b.fails(b.Edit(), args{"path": "a", "old_string": "3", "new_string": "three"}, "there 2 times, on lines 3 and 4")
	b.text(b.Edit(), args{"path": "a", "old_string": "3", "new_string": "three", "replace_all": true})
	same(t, "all", b.file("a"), "1\n2\nthree\nthree.5\nfour\nfive\n\n")

	b.text(b.Read(), args{"path": "dos"})
	b.text(b.Edit(), args{"path": "dos", "old_string": "a\nb\n", "new_string": "c\nd\ne\n"})
	same(t, "line ends and mark", b.file("dos"), "\xef\xbb\xbfc\r\nd\r\ne\r\n")

	put(t, b.dir, map[string]string{"a": "changed"})
	b.fails(b.Edit(), args{"path": "a", "old_string": "changed", "new_string": "x"}, "it has changed since it was read in this session; Read it again first")
}

func TestEditRefuses(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"a": "x y\n", "empty": "", "bin": "\x89PNG\r\n\x1a\n\x00"}, nil)
	for _, path := range []string{"a", "empty", "bin"} {
		b.text(b.Read(), args{"path": path})
	}
	b.fails(b.Edit(), args{"path": "a"}, "old_string is missing")
	b.fails(b.Edit(), args{"path": "a", "new_string": "x"}, "is empty")
	b.fails(b.Edit(), args{"path": "a", "old_string": "x", "edits": []args{{"old_string": "x", "new_string": "y"}}}, "either")
	b.fails(b.Edit(), args{"path": "empty", "old_string": "x", "new_string": "y"}, "it is empty; use Write")
	b.fails(b.Edit(), args{"path": "bin", "old_string": "PNG", "new_string": "y"}, "it is binary")
	b.fails(b.Edit(), args{"path": "none", "old_string": "x", "new_string": "y"}, "it does not exist; look for it")
	b.fails(b.Edit(), args{"path": "a", "old_string": "z", "new_string": "y"}, "nor anything close")
}

func TestEditDoesNotTellSecrets(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"conf": "user=ada\nkey=a&b<c>12\nlast=1\n"}, &files.Options{Secrets: secrets(t)})
	b.text(b.Read(), args{"path": "conf"})
	right, wrong := args{"path": "conf", "old_string": "key=a&b", "new_string": "key=x"}, args{"path": "conf", "old_string": "key=a&c", "new_string": "key=x"}
	_, errRight := b.call(b.Edit(), right)
	_, errWrong := b.call(b.Edit(), wrong)
	if errRight == nil || errWrong == nil || errRight.Error() != errWrong.Error() {
		t.Errorf("a guess that is right: %v\none that is wrong: %v", errRight, errWrong)
	}
	b.fails(b.Edit(), args{"path": "conf", "old_string": "key=<redacted:KEY>", "new_string": "key=1"}, "touches, a secret that is not shown")
	b.fails(b.Edit(), args{"path": "conf", "old_string": "a", "new_string": "b", "replace_all": true}, "touches, a secret")
	b.fails(b.Edit(), args{"path": "conf", "old_string": "last=1", "new_string": "last=<redacted:KEY>"}, "stands for a secret")
	b.fails(b.Write(), args{"path": "conf", "content": "key=<redacted:KEY>\n"}, "stands for a secret")
	b.fails(b.Write(), args{"path": "new", "content": "key=<redacted:KEY>\n"}, "stands for a secret")
	same(t, "untouched", b.file("conf"), "user=ada\nkey=a&b<c>12\nlast=1\n")
	same(t, "around it", b.text(b.Edit(), args{"path": "conf", "old_string": "last=1", "new_string": "last=2"}),
		"Edited conf (1 edit). It now reads:\n     1\tuser=ada\n     2\tkey=<redacted:KEY>\n     3\tlast=2\n")
	same(t, "around it", b.file("conf"), "user=ada\nkey=a&b<c>12\nlast=2\n")
}

func TestReplacingMayBeDeniedByEverySpelling(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"secrets.env": ""}, nil)
	for _, spelling := range []string{"secrets.env", "./secrets.env", "a/../secrets.env", "a//../secrets.env"} {
		for _, tool := range b.All() {
			in, _ := json.Marshal(args{"path": spelling})
			keys, err := tool.Keys(in)
			if err != nil || !slices.Contains(keys, "secrets.env") {
				t.Errorf("%s %q: got keys %q, %v", tool.Spec.Name, spelling, keys, err)
			}
		}
	}
	for _, bad := range []string{`{"path":"../x"}`, `{"path":"a","path":"b"}`, `{"path":"/x"}`} {
		if keys, err := b.Write().Keys(json.RawMessage(bad)); err == nil {
			t.Errorf("%s: got keys %q, want an error", bad, keys)
		}
	}
	docs := open(t, b.dir)
	f := files.New(open(t, b.dir), &files.Options{Corpora: map[string]*workspace.Root{"docs": docs}})
	if keys, err := f.Read().Keys(json.RawMessage(`{"path":"docs/./x/../secrets.env"}`)); err != nil || !slices.Equal(keys, []string{"docs/secrets.env"}) {
		t.Errorf("in a corpus: got %q, %v", keys, err)
	}
}

func TestToolsAreDeclared(t *testing.T) {
	t.Parallel()
	b := with(t, nil, nil)
	want := []string{"Read read_only read", "Glob read_only search", "Grep read_only search", "LS read_only read", "Write mutating write", "Edit mutating write"}
	var got []string
	for _, x := range b.All() {
		if x.Err() != nil || !x.HasKey() {
			t.Errorf("%s: %v", x.Spec.Name, x.Err())
		}
		got = append(got, x.Spec.Name+" "+x.Effect.String()+" "+x.Kind.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if n := len(b.ReadOnly()); n != 4 {
		t.Errorf("ReadOnly: got %d tools", n)
	}
	for _, f := range []*files.Files{files.New(nil, nil), files.New(open(t, b.dir), &files.Options{Corpora: map[string]*workspace.Root{"x": nil}})} {
		_, err := f.Read().Run(t.Context(), json.RawMessage(`{"path":"a"}`))
		if abort := (*tool.AbortError)(nil); f.Err() == nil || err == nil || !strings.Contains(err.Error(), f.Err().Error()) || !asAbort(err, &abort) {
			t.Errorf("got %v and %v", f.Err(), err)
		}
	}
}

func asAbort(err error, to **tool.AbortError) bool {
	e, ok := err.(*tool.AbortError) //nolint:errorlint // it is to be the outermost
	*to = e
	return ok
}
