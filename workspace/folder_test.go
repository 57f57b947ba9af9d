package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReadingAFileOfWhichNothingIsCertain(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	// Each step is a piece that a read returns; the size is what the file claimed.
	for what, tt := range map[string]struct {
		size, limit int64
		pieces      []string
		end         error
		want        string
		err         error
	}{
		"as claimed":                {4, 10, []string{"abcd"}, io.EOF, "abcd", nil},
		"as claimed, in pieces":     {4, 10, []string{"ab", "cd"}, nil, "abcd", nil},
		"shorter":                   {6, 10, []string{"ab"}, nil, "ab", nil},
		"longer":                    {2, 10, []string{"abc", "def"}, nil, "abcdef", nil},
		"longer than allowed":       {2, 4, []string{"abc", "def"}, nil, "", ErrTooLarge},
		"claims more than allowed":  {9, 4, nil, nil, "", ErrTooLarge},
		"claims nothing, as procfs": {0, 10, []string{"abc"}, nil, "abc", nil},
		"nothing":                   {0, 0, nil, nil, "", nil},
		"a byte where none may be":  {0, 0, []string{"a"}, nil, "", ErrTooLarge},
		"never ends":                {0, 100, slices.Repeat([]string{"0123456789"}, 20), nil, "", ErrTooLarge},
		"fails":                     {4, 10, []string{"ab"}, broken, "", broken},
	} {
		left := strings.Join(tt.pieces, "")
		lengths := tt.pieces
		got, err := slurp([]byte("> "), tt.size, tt.limit, func(p []byte) (int, error) {
			if len(lengths) == 0 || left == "" {
				return 0, tt.end
			}
			n := copy(p, left[:len(lengths[0])])
			left = left[n:]
			if n == len(lengths[0]) {
				lengths = lengths[1:]
			} else {
				lengths = append([]string{lengths[0][n:]}, lengths[1:]...)
			}
			return n, nil
		})
		if string(got) != "> "+tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %q, %v, want %q, %v", what, got, err, tt.want, tt.err)
		}
		if int64(cap(got)) > 4*tt.limit+8192 {
			t.Errorf("%s: %d bytes of memory", what, cap(got))
		}
	}
}

// faulty is a folder in which files cannot be moved.
type faulty struct {
	base

	err error
}

func (f faulty) places() bool             { return true }
func (f faulty) place(_, _ string) error  { return f.err }
func (f faulty) rename(_, _ string) error { return f.err }

func top(t *testing.T) (folder, string) {
	t.Helper()
	dir := t.TempDir()
	f, err := openPortable(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.close() })
	return f, dir
}

func TestNoTemporaryFileStaysAfterAnError(t *testing.T) {
	t.Parallel()
	f, dir := top(t)
	broken := errors.New("broken")
	for what, err := range map[string]error{
		"replace": put(faulty{f, broken}, "a", []byte("x"), nil),
		"create":  placeNew(faulty{f, broken}, "a", []byte("x")),
	} {
		if !errors.Is(err, broken) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
	// Where nothing can be moved in one step a file is made in its place.
	if err := placeNew(faulty{f, errors.ErrUnsupported}, "a", []byte("x")); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a")); string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// base is a folder to build upon: embedded under its own name it would hide its
// method folder.
type base = folder

// blind is a file system that does not mind upper and lower case.
type blind struct{ base }

func (b blind) actual(name string) string {
	at := "."
	for part := range strings.SplitSeq(name, "/") {
		f, err := b.base.folder(at)
		if err != nil {
			return name
		}
		entries, err := f.list(100)
		f.close()
		if err != nil {
			return name
		}
		for _, e := range entries {
			if strings.EqualFold(e.name, part) {
				part = e.name
			}
		}
		at = join(at, part)
	}
	return at
}

func (b blind) stat(name string) (Info, error) { return b.base.stat(b.actual(name)) }

func (b blind) folder(name string) (folder, error) { return b.base.folder(b.actual(name)) }

func TestTheSpellingIsThatOfAFileSystemThatDoesNotMindCase(t *testing.T) {
	t.Parallel()
	f, dir := top(t)
	for _, name := range []string{"secrets.env", "Sub/Deep/File", "Résumé"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"SECRETS.env": "secrets.env", "secrets.env": "secrets.env", "Secrets.Env": "secrets.env",
		"sub/deep/file": "Sub/Deep/File", "SUB/new/File": "Sub/new/File", "sUB": "Sub", "RÉSUMÉ": "Résumé", "résumé": "Résumé",
		"None": "None", "123": "123",
	} {
		if got, err := resolve(blind{f}, name); got != want || err != nil {
			t.Errorf("%q is spelled %q, %v, want %q", name, got, err, want)
		}
	}
	// Where case counts a name that differs in it is another one, which is not there.
	if got, err := resolve(f, "SECRETS.env"); got != "SECRETS.env" || !errors.Is(err, nil) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestWithoutTheSpellingThereAreNoKeys(t *testing.T) {
	t.Parallel()
	f, dir := top(t)
	if err := os.WriteFile(filepath.Join(dir, "secrets.env"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := &Root{top: unlistable{blind{f}}}
	if keys, err := r.Keys("SECRETS.env"); keys != nil || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("keys %q, %v", keys, err)
	}
}

type unlistable struct{ base }

func (u unlistable) folder(string) (folder, error) { return nil, fs.ErrPermission }
