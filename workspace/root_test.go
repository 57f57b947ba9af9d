package workspace_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/helios-go/helios/workspace"
)

func TestARootMustBeThere(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
		for name, want := range map[string]error{"none": fs.ErrNotExist, "none/none": fs.ErrNotExist, "file": workspace.ErrNotFolder} {
			if ws, err := workspace.Open(filepath.Join(dir, name), &opts); ws != nil || !errors.Is(err, want) {
				t.Errorf("Open(%q) = %v, %v, want %v", name, ws, err, want)
			}
		}
		if _, err := os.Lstat(filepath.Join(dir, "none")); err == nil {
			t.Error("the root was made")
		}
	})
}

func TestStrictIsNeverReplacedByAWeakerMode(t *testing.T) {
	t.Parallel()
	ws, err := workspace.Open(t.TempDir(), nil)
	if runtime.GOOS == "linux" {
		must(t, err)
		defer ws.Close()
		if ws.Mode() != workspace.Strict || ws.ReadOnly() {
			t.Errorf("opened %v, read-only %t", ws.Mode(), ws.ReadOnly())
		}
		return
	}
	var unsupported *workspace.UnsupportedError
	if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "workspace.Portable") {
		t.Errorf("got %v, want an UnsupportedError that names Portable", err)
	}
}

func TestThereAreTwoModes(t *testing.T) {
	t.Parallel()
	if ws, err := workspace.Open(t.TempDir(), &workspace.Options{Mode: 2}); err == nil {
		t.Errorf("Mode 2 opened %v", ws)
	}
}

func TestTheTreeIsTheSameWhenItsFolderIsMovedOrReplaced(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, out := trees(t)
		ws := open(t, in, &opts)
		must(t, os.Rename(in, in+".moved"))
		must(t, os.Rename(out, in))
		if data, _, err := ws.ReadFile("file.txt", 100); string(data) != insideText {
			t.Errorf("read %q, %v", data, err)
		}
		if _, err := ws.Stat("secret.txt"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the file of the new folder: %v", err)
		}
		must(t, ws.Create("new/file.txt", nil))
		if _, err := os.Stat(in + ".moved/new/file.txt"); err != nil {
			t.Error(err)
		}
	})
}

func TestATreeThatIsGoneIsNotMadeAnew(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, _ := trees(t)
		ws := open(t, in, &opts)
		must(t, os.RemoveAll(in))
		_, err := ws.WriteFile("file.txt", nil)
		for what, err := range map[string]error{"write": err, "create": ws.Create("a/b", nil), "make folder": ws.Mkdir("a")} {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v, want that it does not exist", what, err)
			}
		}
		if _, err := os.Lstat(in); err == nil {
			t.Error("the root was made")
		}
	})
}

func TestACorpusCannotBeChanged(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, _ := trees(t)
		opts.ReadOnly = true
		ws := open(t, in, &opts)
		_, is, err := ws.ReadFile("file.txt", 100)
		must(t, err)
		_, err = ws.WriteFile("file.txt", nil)
		for what, err := range map[string]error{
			"write": err, "replace": ws.Replace("file.txt", nil, is), "create": ws.Create("new", nil),
			"make folder": ws.Mkdir("new"), "make a folder that is there": ws.Mkdir("sub"), "remove": ws.Remove("file.txt"),
		} {
			if !errors.Is(err, workspace.ErrReadOnly) {
				t.Errorf("%s: %v, want ErrReadOnly", what, err)
			}
		}
		if data, err := os.ReadFile(in + "/file.txt"); string(data) != insideText {
			t.Error(string(data), err)
		}
		if !strings.Contains(ws.Describe(), "Nothing can be changed") {
			t.Error(ws.Describe())
		}
	})
}

func TestAClosedTree(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, _ := trees(t)
		ws := open(t, in, &opts)
		f, err := ws.Open("file.txt")
		must(t, err)
		defer f.Close()
		// What is in progress ends as if nothing had happened.
		must(t, ws.Walk(t.Context(), ".", nil, func(found workspace.Found) error {
			ws.Close()
			_, err := found.Info()
			if found.Type == workspace.File {
				_, _, read := found.Append(nil, 100)
				err = errors.Join(err, read)
			}
			return err
		}))
		_, _, read := ws.ReadFile("file.txt", 100)
		_, write := ws.WriteFile("file.txt", nil)
		_, stat := ws.Stat(".")
		_, list := ws.ReadDir(".")
		_, keys := ws.Keys(".")
		_, opened := ws.Open("file.txt")
		walk := ws.Walk(context.Background(), ".", nil, nil)
		for i, err := range []error{read, write, stat, list, keys, opened, walk, ws.Remove("sub"), ws.Mkdir("x"), ws.Create("x", nil), ws.Close()} {
			if !errors.Is(err, fs.ErrClosed) {
				t.Errorf("call %d: %v, want that it is closed", i, err)
			}
		}
		if _, err := f.Stat(); err != nil {
			t.Errorf("a file that was opened before: %v", err)
		}
	})
}

// TestClosingWhileItIsUsed: a descriptor that is closed under a call is soon the
// number of another file. The race detector and the contents would tell.
func TestClosingWhileItIsUsed(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, out := trees(t)
		for range 10 {
			ws := open(t, in, &opts)
			var users, begun sync.WaitGroup
			for range 4 {
				begun.Add(1)
				users.Go(func() {
					ws.Stat(".")
					begun.Done()
					for {
						data, _, err := ws.ReadFile("sub/file.txt", 100)
						if errors.Is(err, fs.ErrClosed) {
							return
						}
						if err != nil || string(data) != insideText {
							t.Errorf("read %q, %v", data, err)
							return
						}
					}
				})
			}
			begun.Wait()
			ws.Close()
			for range 20 { // these take the numbers
				f, err := os.Open(out)
				must(t, err)
				f.Close()
			}
			users.Wait()
		}
	})
}

func TestErrorsHoldNoPlaceOfThisMachine(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, _ := trees(t)
		ws := open(t, in, &opts)
		long := strings.Repeat("x", 300)
		_, _, read := ws.ReadFile("none", 1)
		_, _, large := ws.ReadFile("file.txt", 1)
		_, name := ws.WriteFile(long, nil)
		_, folder := ws.WriteFile("sub", nil)
		_, list := ws.ReadDir("file.txt")
		for _, err := range []error{
			read, large, name, folder, list, ws.Remove("sub"), ws.Remove("."), ws.Create("file.txt", nil),
			ws.Create(long+"/"+long, nil), ws.Mkdir("file.txt"), ws.Mkdir("file.txt/a"), ws.Replace("sub", nil, workspace.Info{}), ws.Close(), ws.Close(),
		} {
			if err != nil && (strings.Contains(err.Error(), in) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "openat")) {
				t.Errorf("%q", err)
			}
		}
		f, err := open(t, in, &opts).Open("sub/file.txt")
		must(t, err)
		f.Close()
		if _, err := f.Read(make([]byte, 1)); err == nil || strings.Contains(err.Error(), in) && runtime.GOOS != "windows" {
			t.Errorf("an error of an open file: %v", err)
		}
	})
}

func TestItIsSaidWhatAModeStops(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		words := open(t, t.TempDir(), &opts).Describe()
		want := []string{"Strict workspace", "does not stop"}
		if opts.Mode == workspace.Portable {
			want = []string{"Portable workspace", "weaker", "Links that stay inside are followed"}
		}
		for _, w := range want {
			if !strings.Contains(words, w) {
				t.Errorf("%q does not hold %q", words, w)
			}
		}
	})
}
