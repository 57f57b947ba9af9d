package files_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/helios-go/helios/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a tree for a test, strictly where that is possible.
func open(tb testing.TB, dir string) *workspace.Root {
	tb.Helper()
	root, err := workspace.Open(dir, nil)
	if err != nil {
		root, err = workspace.Open(dir, &workspace.Options{Mode: workspace.Portable})
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = root.Close() })
	return root
}
