package files_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/files"
)

// A bench has the tools of a workspace at hand.
type bench struct {
	*files.Files
	tb  testing.TB
	dir string
	ctx context.Context
}

// with makes the tools of a tree that holds some files.
func with(tb testing.TB, tree map[string]string, opts *files.Options) *bench {
	tb.Helper()
	dir := tb.TempDir()
	put(tb, dir, tree)
	f := files.New(open(tb, dir), opts)
	if err := f.Err(); err != nil {
		tb.Fatal(err)
	}
	return &bench{f, tb, dir, tool.WithCall(tb.Context(), &tool.Call{Session: "s1"})}
}

func put(tb testing.TB, dir string, tree map[string]string) {
	tb.Helper()
	for name, text := range tree {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
}

// at is the same for another tree.
func (b *bench) at(dir string) *bench {
	b.tb.Helper()
	return &bench{files.New(open(b.tb, dir), nil), b.tb, dir, b.ctx}
}

// session is the same in another session.
func (b *bench) session(id string) *bench {
	other := *b
	other.ctx = tool.WithCall(b.tb.Context(), &tool.Call{Session: id})
	return &other
}

type args map[string]any

func (b *bench) call(t tool.Tool, in args) (tool.Result, error) {
	b.tb.Helper()
	data, err := json.Marshal(in)
	if err != nil {
		b.tb.Fatal(err)
	}
	if data, err = t.Check(data); err != nil {
		b.tb.Fatal(err)
	}
	return t.Run(b.ctx, data)
}

// text is the text of a call that must go well.
func (b *bench) text(t tool.Tool, in args) string {
	b.tb.Helper()
	res, err := b.call(t, in)
	if err != nil {
		b.tb.Errorf("%s %v: %v", t.Spec.Name, in, err)
	}
	return res.Text()
}

// fails makes a call that must fail, with a text that begins with the name of the
// tool and holds some words.
func (b *bench) fails(t tool.Tool, in args, words ...string) {
	b.tb.Helper()
	res, err := b.call(t, in)
	if err == nil {
		b.tb.Errorf("%s %v: got %q, want an error", t.Spec.Name, in, res.Text())
		return
	}
	if !strings.HasPrefix(err.Error(), t.Spec.Name) || strings.Contains(err.Error(), b.dir) {
		b.tb.Errorf("%s %v: the error is %q", t.Spec.Name, in, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			b.tb.Errorf("%s %v: got %q, want %q in it", t.Spec.Name, in, err, w)
		}
	}
}

func (b *bench) file(name string) string {
	b.tb.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.tb.Fatal(err)
	}
	return string(data)
}

func same(tb testing.TB, what, got, want string) {
	tb.Helper()
	if got != want {
		tb.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func numbers(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString("line\n")
	}
	return b.String()
}
