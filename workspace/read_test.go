package workspace_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/helios-go/helios/workspace"
)

func TestReadingUpToALimit(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		dir := t.TempDir()
		ws := open(t, dir, &opts)
		for _, size := range []int{0, 1, 4095, 4096, 100_000} {
			content := bytes.Repeat([]byte("x"), size)
			must(t, os.WriteFile(filepath.Join(dir, "f"), content, 0o600))
			for _, limit := range []int64{int64(size), int64(size) + 1, 1 << 62, 1<<63 - 1} {
				data, is, err := ws.ReadFile("f", limit)
				if err != nil || !bytes.Equal(data, content) || is.Size != int64(size) {
					t.Errorf("%d bytes, limit %d: %d bytes, %+v, %v", size, limit, len(data), is, err)
				}
			}
			var large *workspace.TooLargeError
			if data, _, err := ws.ReadFile("f", int64(size)-1); data != nil || !errors.Is(err, workspace.ErrTooLarge) || !errors.As(err, &large) || large.Size != int64(size) || large.Path != "f" {
				t.Errorf("%d bytes, limit one less: %d bytes, %v", size, len(data), err)
			}
		}
	})
}

func TestReadingIntoMemoryOfTheCaller(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, _ := trees(t)
		ws := open(t, in, &opts)
		buf := append(make([]byte, 0, 100), "before "...)
		got, _, err := ws.AppendFile(buf, "file.txt", 100)
		if err != nil || string(got) != "before "+insideText || &got[0] != &buf[0] {
			t.Errorf("got %q, %v", got, err)
		}
		if got, _, err := ws.AppendFile(buf, "file.txt", 2); err == nil || string(got) != "before " {
			t.Errorf("after an error: %q, %v", got, err)
		}
	})
}

// TestAFileThatGrowsWhileItIsReadIsNotReadBeyondTheLimit: what is read is either
// all there was at some moment or an error.
func TestAFileThatGrowsWhileItIsReadIsNotReadBeyondTheLimit(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		dir := t.TempDir()
		ws := open(t, dir, &opts)
		f, err := os.Create(filepath.Join(dir, "log"))
		must(t, err)
		defer f.Close()
		const limit = 64 << 10
		var writer sync.WaitGroup
		writer.Go(func() {
			for range 2 * limit / 100 {
				f.Write(bytes.Repeat([]byte("x"), 100))
			}
		})
		for {
			data, _, err := ws.ReadFile("log", limit)
			if len(data) > limit || err != nil && !errors.Is(err, workspace.ErrTooLarge) {
				t.Fatalf("%d bytes, %v", len(data), err)
			}
			if err != nil {
				break
			}
		}
		writer.Wait()
	})
}

func TestAnEntryIsDescribedItself(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, _ := trees(t)
		must(t, os.Symlink("file.txt", in+"/link"))
		ws := open(t, in, &opts)
		for name, want := range map[string]workspace.Type{".": workspace.Dir, "sub": workspace.Dir, "file.txt": workspace.File, "sub/file.txt": workspace.File, "link": workspace.Symlink} {
			is, err := ws.Stat(name)
			if err != nil || is.Type() != want {
				t.Errorf("%s is a %v, %v, want %v", name, is.Type(), err, want)
			}
		}
		is, err := ws.Stat("file.txt")
		must(t, err)
		host, err := os.Lstat(in + "/file.txt")
		must(t, err)
		if is.Size != host.Size() || is.Mode != host.Mode() || !is.ModTime.Equal(host.ModTime()) {
			t.Errorf("%+v, want %v", is, host)
		}
	})
}

func TestAFolderIsListedByName(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		dir := t.TempDir()
		ws := open(t, dir, &opts)
		if entries, err := ws.ReadDir("."); err != nil || len(entries) != 0 {
			t.Errorf("an empty folder: %v, %v", entries, err)
		}
		var want []string
		for i := range 2000 { // more than one call to the system returns
			name := "entry-" + strconv.Itoa(i)
			want = append(want, name)
			must(t, os.WriteFile(filepath.Join(dir, name), make([]byte, i%3), 0o600))
		}
		must(t, os.Mkdir(filepath.Join(dir, "é"), 0o700))
		must(t, os.Symlink("nowhere", filepath.Join(dir, ".link")))
		want = append(want, "é", ".link")
		slices.Sort(want)
		entries, err := ws.ReadDir(".")
		must(t, err)
		var got []string
		for _, e := range entries {
			got = append(got, e.Name)
			kind := workspace.File
			switch e.Name {
			case "é":
				kind = workspace.Dir
			case ".link":
				kind = workspace.Symlink
			}
			if e.Type != kind || e.ModTime.IsZero() {
				t.Errorf("%+v, want a %v", e, kind)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %d entries, want %d", len(got), len(want))
		}
	})
}

func TestAnOpenFileIsForReadingOnly(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, _ := trees(t)
		f, err := open(t, in, &opts).Open("file.txt")
		must(t, err)
		defer f.Close()
		if data, err := io.ReadAll(f); string(data) != insideText {
			t.Errorf("read %q, %v", data, err)
		}
		if _, err := f.WriteString("x"); err == nil {
			t.Error("wrote to it")
		}
		if f.Name() != "file.txt" {
			t.Errorf("its name is %q", f.Name())
		}
	})
}

func TestWhatMayNotBeReadIsSaidToBeSo(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, _ := trees(t)
		must(t, os.Chmod(in+"/file.txt", 0))
		must(t, os.Chmod(in+"/sub", 0))
		t.Cleanup(func() { os.Chmod(in+"/sub", 0o700) })
		ws := open(t, in, &opts)
		_, _, read := ws.ReadFile("file.txt", 100)
		_, write := ws.WriteFile("file.txt", []byte("x"))
		_, list := ws.ReadDir("sub")
		_, below := ws.Stat("sub/file.txt")
		if os.Geteuid() == 0 {
			t.Log("root may read everything, so nothing was denied")
			return
		}
		t.Log("ran as a user who is not root")
		for what, err := range map[string]error{"read": read, "write": write, "list": list, "look": below, "create": ws.Create("sub/x", nil)} {
			if !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: %v, want permission denied", what, err)
			}
		}
	})
}
