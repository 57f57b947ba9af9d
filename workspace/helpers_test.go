package workspace_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/helios-go/helios/workspace"
)

const (
	insideText  = "inside"
	outsideText = "outside: must not be seen"
)

func must(t interface {
	Helper()
	Fatal(args ...any)
}, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// trees makes a tree and something beside it.
func trees(t testing.TB) (in, out string) {
	t.Helper()
	base := t.TempDir()
	in, out = filepath.Join(base, "in"), filepath.Join(base, "out")
	for name, text := range map[string]string{in + "/file.txt": insideText, in + "/sub/file.txt": insideText, out + "/secret.txt": outsideText} {
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, []byte(text), 0o644))
	}
	return in, out
}

// here are the modes that work on this machine.
func here() []workspace.Mode {
	if runtime.GOOS == "linux" {
		return []workspace.Mode{workspace.Strict, workspace.Portable}
	}
	return []workspace.Mode{workspace.Portable}
}

func open(t testing.TB, dir string, opts *workspace.Options) *workspace.Root {
	t.Helper()
	ws, err := workspace.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws
}

// inEachMode runs a test in each mode that this machine has.
func inEachMode(t *testing.T, test func(t *testing.T, opts workspace.Options)) {
	t.Helper()
	for _, mode := range here() {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			test(t, workspace.Options{Mode: mode})
		})
	}
}
