package memory

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"testing"

	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/workspace"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// modes are those that the host has.
func modes() []workspace.Mode {
	if runtime.GOOS == "linux" {
		return []workspace.Mode{workspace.Strict, workspace.Portable}
	}
	return []workspace.Mode{workspace.Portable}
}

func tree(tb testing.TB, dir string, opts *workspace.Options) *workspace.Root {
	tb.Helper()
	root, err := workspace.Open(dir, opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = root.Close() })
	return root
}

// notes are empty.
func notes(tb testing.TB, opts *Options) *Memory {
	tb.Helper()
	return New(tree(tb, tb.TempDir(), &workspace.Options{Mode: modes()[0]}), opts)
}

func ok(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func wantErr(tb testing.TB, what string, got, want error) {
	tb.Helper()
	if !errors.Is(got, want) {
		tb.Errorf("%s: got error %v, want %v", what, got, want)
	}
}

func wantNote(tb testing.TB, m *Memory, path, want string) {
	tb.Helper()
	if got, err := m.View(tb.Context(), path); got != want || err != nil {
		tb.Errorf("%s holds %q, error %v, want %q", path, got, err, want)
	}
}

func call(ctx context.Context, t tool.Tool, args string) (string, error) {
	checked, err := t.Check(json.RawMessage(args))
	if err != nil {
		return "", err
	}
	res, err := t.Run(ctx, checked)
	return res.Text(), err
}
