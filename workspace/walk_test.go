package workspace_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/workspace"
)

// walked makes a tree of files and walks it.
func walked(t *testing.T, ws *workspace.Root, name string, opts *workspace.WalkOptions, each func(workspace.Found) error) ([]string, error) {
	t.Helper()
	var found []string
	err := ws.Walk(t.Context(), name, opts, func(f workspace.Found) error {
		found = append(found, f.Path)
		if each != nil {
			return each(f)
		}
		return nil
	})
	return found, err
}

func woods(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		must(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	return dir
}

func TestAWalkIsSortedAndDepthFirst(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		dir := woods(t, "b/y", "b/x/1", "a", "c", "a.d/z", ".h/i")
		must(t, os.Symlink("b", filepath.Join(dir, "link")))
		ws := open(t, dir, &opts)
		for name, want := range map[string]string{
			".": ".h .h/i a a.d a.d/z b b/x b/x/1 b/y c link", "b": "b/x b/x/1 b/y", "b/y": "b/y", "a": "a",
		} {
			got, err := walked(t, ws, name, nil, func(f workspace.Found) error {
				is, err := f.Info()
				if err != nil || is.Type() != f.Type || f.Name != filepath.Base(f.Path) {
					t.Errorf("%+v: %+v, %v", f, is, err)
				}
				if f.Type != workspace.File {
					return nil
				}
				data, _, err := f.Append([]byte("> "), 100)
				if err != nil || string(data) != "> "+f.Path {
					t.Errorf("%s holds %q, %v", f.Path, data, err)
				}
				file, err := f.Open()
				if err != nil {
					t.Errorf("%s: %v", f.Path, err)
					return nil
				}
				return file.Close()
			})
			if err != nil || !slices.Equal(got, strings.Fields(want)) {
				t.Errorf("%s: %v, %v, want %v", name, got, err, want)
			}
		}
		if _, err := walked(t, ws, "none", nil, nil); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("of nothing: %v", err)
		}
	})
}

func TestAWalkCanBeCutShort(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		ws := open(t, woods(t, "a/1", "a/2", "b/1", "b/2/x", "b/3", "c"), &opts)
		failed := errors.New("enough")
		for what, tt := range map[string]struct {
			at   string
			err  error
			want string
			end  error
		}{
			"a folder passed over":           {"a", workspace.SkipDir, "a b b/1 b/2 b/2/x b/3 c", nil},
			"the rest of a folder":           {"b/1", workspace.SkipDir, "a a/1 a/2 b b/1 c", nil},
			"all":                            {"b/1", workspace.SkipAll, "a a/1 a/2 b b/1", nil},
			"an error":                       {"b/1", failed, "a a/1 a/2 b b/1", failed},
			"the rest of the folder, at top": {"c", workspace.SkipDir, "a a/1 a/2 b b/1 b/2 b/2/x b/3 c", nil},
		} {
			got, err := walked(t, ws, ".", nil, func(f workspace.Found) error {
				if f.Path == tt.at {
					return tt.err
				}
				return nil
			})
			if !slices.Equal(got, strings.Fields(tt.want)) || !errors.Is(err, tt.end) || tt.end == nil && err != nil {
				t.Errorf("%s: %v, %v, want %v, %v", what, got, err, tt.want, tt.end)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		err := ws.Walk(ctx, ".", nil, func(workspace.Found) error { n++; cancel(); return nil })
		if n != 1 || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %d calls, %v", n, err)
		}
	})
}

func TestAFolderThatIsSwappedForALinkDuringAWalkIsNotEntered(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, out := trees(t)
		ws := open(t, in, &opts)
		got, err := walked(t, ws, ".", nil, func(f workspace.Found) error {
			if f.Path == "sub" {
				return errors.Join(os.Rename(in+"/sub", in+"/was"), os.Symlink(out, in+"/sub"))
			}
			return nil
		})
		if err != nil || !slices.Equal(got, []string{"file.txt", "sub"}) {
			t.Errorf("found %v, %v", got, err)
		}
	})
}

func TestAFolderThatCannotBeEnteredIsToldOf(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		// Deeper than a walk goes, so that root meets it as well.
		dir := t.TempDir()
		ws := open(t, dir, &opts)
		deep := strings.TrimSuffix(strings.Repeat("d/", 300), "/")
		must(t, ws.Create(deep+"/file", nil))
		must(t, ws.Create("e", nil))

		got, err := walked(t, ws, ".", nil, nil)
		if !errors.Is(err, workspace.ErrTooDeep) || slices.Contains(got, "e") {
			t.Errorf("without Unreadable: %v", err)
		}
		var told []string
		unreadable := &workspace.WalkOptions{Unreadable: func(name string, err error) error {
			told = append(told, name)
			if !errors.Is(err, workspace.ErrTooDeep) {
				t.Errorf("%s: %v", name, err)
			}
			return nil
		}}
		got, err = walked(t, ws, ".", unreadable, nil)
		if err != nil || !slices.Contains(got, "e") || len(told) != 1 || slices.Contains(got, deep) {
			t.Errorf("with Unreadable: %v, told of %d, e found %t", err, len(told), slices.Contains(got, "e"))
		}
	})
}

// TestFoundIsOfNoUseAfterItsFolderIsClosed: the number of a closed descriptor is
// soon that of something else.
func TestFoundIsOfNoUseAfterItsFolderIsClosed(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, out := trees(t)
		var kept workspace.Found
		must(t, open(t, in, &opts).Walk(t.Context(), "sub", nil, func(f workspace.Found) error { kept = f; return nil }))
		must(t, os.WriteFile(out+"/file.txt", []byte(outsideText), 0o600))
		for range 20 {
			f, err := os.Open(out)
			must(t, err)
			defer f.Close()
		}
		if data, _, err := kept.Append(nil, 100); err == nil {
			t.Errorf("read %q", data)
		}
		if is, err := kept.Info(); err == nil || !reflect.ValueOf(is).IsZero() {
			t.Errorf("found %+v", is)
		}
	})
}
