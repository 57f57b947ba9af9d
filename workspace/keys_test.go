package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/workspace"
)

func TestKeysAreWhatANameLeadsTo(t *testing.T) {
	t.Parallel()
	dir := woods(t, "secret/key.env", "a/b/file.txt", "é.txt", "up~1.txt")
	for link, to := range map[string]string{
		"link": "secret", "a/leaf": "../secret/key.env", "a/b/two": "../../link", "out": "../../etc", "loop": "loop",
		"absolute": filepath.Join(dir, "secret"), "dangling": "none/x", "twice": "a/../a/./b//file.txt", "dot": ".",
	} {
		must(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	for name, want := range map[string]string{
		"a/b/file.txt": "a/b/file.txt", "./a//b/": "a/b", "": ".", ".": ".", "none/x": "none/x", "a/none": "a/none",
		"é.txt": "é.txt", "up~1.txt": "up~1.txt", "SECRET/key.env": "SECRET/key.env",
		"link/key.env": "link/key.env secret/key.env", "a/leaf": "a/leaf secret/key.env", "a/b/two/key.env": "a/b/two/key.env secret/key.env",
		"link/new": "link/new secret/new", "dangling": "dangling none/x", "twice": "twice a/b/file.txt", "dot/secret": "dot/secret secret", "dot": "dot .",
		"out/passwd": "out/passwd", "loop": "loop", "absolute/key.env": "absolute/key.env", "a/b/file.txt/x": "a/b/file.txt/x",
	} {
		for _, mode := range here() {
			expect := strings.Fields(want)
			if mode == workspace.Strict {
				expect = expect[:1] // no link is followed, so a name is what it is
			}
			got, err := open(t, dir, &workspace.Options{Mode: mode}).Keys(name)
			if err != nil || !slices.Equal(got, expect) {
				t.Errorf("%s: keys of %q are %q, %v, want %q", mode, name, got, err, expect)
			}
		}
	}
	for _, name := range []string{"..", "/a", `a\b`} {
		for _, mode := range here() {
			if keys, err := open(t, dir, &workspace.Options{Mode: mode}).Keys(name); keys != nil || err == nil {
				t.Errorf("keys of %q are %q", name, keys)
			}
		}
	}
}

// TestWhatIsOpenedHasOneOfTheKeys: a name that can be read leads to its last key.
func TestWhatIsOpenedHasOneOfTheKeys(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		dir := woods(t, "x/f", "y/f", "f")
		for link, to := range map[string]string{"x/l": "../y", "y/l": "../x/l/f", "l": "x", "x/u": ".."} {
			must(t, os.Symlink(to, filepath.Join(dir, link)))
		}
		ws := open(t, dir, &opts)
		parts := []string{"x", "y", "f", "l", "u"}
		var names []string
		for _, a := range parts {
			for _, b := range parts {
				for _, c := range parts {
					names = append(names, a, a+"/"+b, a+"/"+b+"/"+c)
				}
			}
		}
		read := 0
		for _, name := range names {
			data, _, err := ws.ReadFile(name, 100)
			if err != nil {
				continue
			}
			read++
			keys, err := ws.Keys(name)
			if err != nil || keys[len(keys)-1] != string(data) { // a file holds its own name
				t.Errorf("%s is %s, its keys are %q, %v", name, data, keys, err)
			}
		}
		if read == 0 {
			t.Error("nothing was read")
		}
		if _, err := ws.Keys("l/f"); errors.Is(err, workspace.ErrLink) {
			t.Error(err)
		}
	})
}
