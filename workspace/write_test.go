package workspace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/workspace"
)

func TestWhatIsNewIsForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		dir := t.TempDir()
		ws := open(t, dir, &opts)
		created, err := ws.WriteFile("a/b/written", []byte("x"))
		if err != nil || !created {
			t.Errorf("write: %t, %v", created, err)
		}
		must(t, ws.Create("c/created", []byte("y")))
		must(t, ws.Mkdir("d/e"))
		must(t, ws.Mkdir("d/e"))
		if runtime.GOOS == "windows" {
			return
		}
		for name, want := range map[string]fs.FileMode{
			"a": 0o700, "a/b": 0o700, "c": 0o700, "d": 0o700, "d/e": 0o700, "a/b/written": 0o600, "c/created": 0o600,
		} {
			is, err := os.Lstat(filepath.Join(dir, name))
			if err != nil || is.Mode().Perm() != want {
				t.Errorf("%s: %v, %v, want %v", name, is.Mode(), err, want)
			}
		}
	})
}

func TestAReplacedFileKeepsItsPermissions(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		if runtime.GOOS == "windows" {
			t.Skip("permissions are others on Windows")
		}
		dir := t.TempDir()
		ws := open(t, dir, &opts)
		name := filepath.Join(dir, "f")
		for mode, want := range map[fs.FileMode]fs.FileMode{
			0o644: 0o644, 0o755: 0o755, 0o600: 0o600, 0o666: 0o666, 0o755 | fs.ModeSetuid | fs.ModeSetgid: 0o755,
		} {
			must(t, os.WriteFile(name, []byte("old"), 0o600))
			must(t, os.Chmod(name, mode))
			if created, err := ws.WriteFile("f", []byte("new")); created || err != nil {
				t.Errorf("%v: created %t, %v", mode, created, err)
			}
			is, err := os.Lstat(name)
			if err != nil || is.Mode() != want {
				t.Errorf("%v became %v, %v", mode, is.Mode(), err)
			}
		}
	})
}

func TestCreateTakesNothingAway(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, out := trees(t)
		must(t, os.Symlink(out+"/new", in+"/dangling"))
		ws := open(t, in, &opts)
		for _, name := range []string{"file.txt", "sub", "dangling"} {
			if err := ws.Create(name, []byte("new")); !errors.Is(err, fs.ErrExist) {
				t.Errorf("%s: %v, want that it exists", name, err)
			}
		}
		if data, _, err := ws.ReadFile("file.txt", 100); string(data) != insideText {
			t.Errorf("%q, %v", data, err)
		}
	})
}

func TestOfManyWhoCreateOneSucceeds(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		ws := open(t, t.TempDir(), &opts)
		var mu sync.Mutex
		var won []int
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				switch err := ws.Create("a/b", []byte{byte(i)}); {
				case err == nil:
					mu.Lock()
					won = append(won, i)
					mu.Unlock()
				case !errors.Is(err, fs.ErrExist):
					t.Error(err)
				}
			})
		}
		all.Wait()
		data, _, err := ws.ReadFile("a/b", 10)
		if len(won) != 1 || err != nil || string(data) != string([]byte{byte(won[0])}) {
			t.Errorf("%v have created it, it holds %v, %v", won, data, err)
		}
	})
}

func TestReplaceHeedsWhatHasChangedSince(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(name string) error{
		"other size": func(name string) error { return os.WriteFile(name, []byte("longer than before"), 0o600) },
		"gone":       os.Remove,
		"another file": func(name string) error {
			return errors.Join(os.WriteFile(name+"2", []byte(insideText), 0o600), os.Rename(name+"2", name))
		},
		"another time":   func(name string) error { return os.Chtimes(name, time.Time{}, time.Unix(1, 0)) },
		"gone, a folder": func(name string) error { return errors.Join(os.Remove(name), os.Mkdir(name, 0o700)) },
	} {
		t.Run(what, func(t *testing.T) {
			inEachMode(t, func(t *testing.T, opts workspace.Options) {
				in, _ := trees(t)
				ws := open(t, in, &opts)
				_, is, err := ws.ReadFile("file.txt", 100)
				must(t, err)
				must(t, change(in+"/file.txt"))
				err = ws.Replace("file.txt", []byte("mine"), is)
				want := workspace.ErrChanged
				if what == "gone, a folder" {
					want = workspace.ErrNotRegular
				}
				if !errors.Is(err, want) {
					t.Errorf("got %v, want %v", err, want)
				}
				if data, err := os.ReadFile(in + "/file.txt"); string(data) == "mine" {
					t.Errorf("it was replaced, %v", err)
				}
			})
		})
	}
}

func TestReplaceAfterReading(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, _ := trees(t)
		ws := open(t, in, &opts)
		_, is, err := ws.ReadFile("sub/file.txt", 100)
		must(t, err)
		if now, err := ws.Stat("sub/file.txt"); err != nil || !now.Same(is) {
			t.Errorf("%+v and %+v differ, %v", is, now, err)
		}
		must(t, ws.Replace("sub/file.txt", []byte("edited"), is))
		data, now, err := ws.ReadFile("sub/file.txt", 100)
		if string(data) != "edited" || err != nil || now.Same(is) {
			t.Errorf("%q, %v, same %t", data, err, now.Same(is))
		}
		if err := ws.Replace("sub/file.txt", []byte("again"), is); !errors.Is(err, workspace.ErrChanged) {
			t.Errorf("a second time: %v", err)
		}
		for _, name := range []string{"sub/file.txt", "none"} {
			if err := ws.Replace(name, nil, workspace.Info{}); !errors.Is(err, workspace.ErrChanged) {
				t.Errorf("%s after nothing was read: %v", name, err)
			}
		}
	})
}

// TestReadersSeeTheOldContentOrTheNew while several write.
func TestReadersSeeTheOldContentOrTheNew(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		ws := open(t, t.TempDir(), &opts)
		content := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i)}, 10_000+i) }
		_, err := ws.WriteFile("f", content(0))
		must(t, err)
		var writers, readers sync.WaitGroup
		done := make(chan struct{})
		for i := range 3 {
			writers.Go(func() {
				for range 20 {
					if _, err := ws.WriteFile("f", content(i)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range 2 {
			readers.Go(func() {
				for {
					data, _, err := ws.ReadFile("f", 1<<20)
					if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && (len(data) == 0 || !bytes.Equal(data, content(int(data[0]-'a')))) {
						t.Errorf("read %d bytes, %v", len(data), err)
						return
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
		writers.Wait()
		close(done)
		readers.Wait()
		if entries, err := ws.ReadDir("."); err != nil || len(entries) != 1 {
			t.Errorf("left: %v, %v", entries, err)
		}
	})
}

func TestRemoveTakesTheEntryItself(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, out := trees(t)
		must(t, os.Symlink(out+"/secret.txt", in+"/link"))
		must(t, os.Symlink(out, in+"/folder"))
		must(t, os.Mkdir(in+"/empty", 0o700))
		ws := open(t, in, &opts)
		for name, want := range map[string]error{
			"sub": workspace.ErrNotEmpty, "none": fs.ErrNotExist, ".": workspace.ErrNotRegular, "..": workspace.ErrEscape,
			"link": nil, "folder": nil, "empty": nil, "file.txt": nil,
		} {
			if err := ws.Remove(name); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
			if _, err := ws.Stat(name); want == nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is still there: %v", name, err)
			}
		}
		if data, err := os.ReadFile(out + "/secret.txt"); string(data) != outsideText {
			t.Errorf("outside: %q, %v", data, err)
		}
	})
}

func TestAFileThatMayNotBeWrittenIsNotReplaced(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		if os.Geteuid() == 0 {
			t.Log("root may write everything, so nothing was denied")
			return
		}
		t.Log("ran as a user who is not root")
		in, _ := trees(t)
		must(t, os.Chmod(in+"/file.txt", 0o444))
		ws := open(t, in, &opts)
		_, is, err := ws.ReadFile("file.txt", 100)
		must(t, err)
		_, write := ws.WriteFile("file.txt", nil)
		for what, err := range map[string]error{"write": write, "replace": ws.Replace("file.txt", nil, is)} {
			if !errors.Is(err, fs.ErrPermission) || !strings.Contains(fmt.Sprint(err), `write "file.txt"`) {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}

func TestTheNameOfAFileThatIsBeingWritten(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		workspace.TempPrefix + "x": true, "a/" + workspace.TempPrefix + "x": true, "a": false, workspace.TempPrefix + "x/a": false,
	} {
		if got := workspace.IsTemp(name); got != want {
			t.Errorf("IsTemp(%q) = %t", name, got)
		}
	}
}
