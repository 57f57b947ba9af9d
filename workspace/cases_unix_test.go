//go:build unix

package workspace_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/helios-go/helios/internal/swaptest"
	"github.com/helios-go/helios/workspace"
)

var update = flag.Bool("update", false, "write testdata/cases.md anew")

// A staticCase is a way out of a tree, or into trouble, that somebody has laid.
type staticCase struct {
	name string
	root string                                    // what to open; "": a tree of its own
	lay  func(t *testing.T, in, out string) string // makes it and returns the name to try
	want map[workspace.Mode]outcome
}

// An outcome is what reading and writing the name come to; nil: it is done.
type outcome struct{ read, write error }

func both(read, write error) map[workspace.Mode]outcome {
	return map[workspace.Mode]outcome{workspace.Strict: {read, write}, workspace.Portable: {read, write}}
}

func modes(strict, portable outcome) map[workspace.Mode]outcome {
	return map[workspace.Mode]outcome{workspace.Strict: strict, workspace.Portable: portable}
}

// linked lays a link and returns a name that leads over it.
func linked(to func(in, out string) string, name string) func(*testing.T, string, string) string {
	return func(t *testing.T, in, out string) string {
		must(t, os.Symlink(to(in, out), filepath.Join(in, "link")))
		return name
	}
}

func static(name string) func(*testing.T, string, string) string {
	return func(*testing.T, string, string) string { return name }
}

func staticCases() []staticCase {
	escape, link := outcome{workspace.ErrEscape, workspace.ErrEscape}, outcome{workspace.ErrLink, workspace.ErrLink}
	notRegular := both(workspace.ErrNotRegular, workspace.ErrNotRegular)
	// A write looks at the leaf first, and a leaf that is a link is one for it.
	leads := outcome{workspace.ErrEscape, workspace.ErrLink}
	cases := []staticCase{
		{name: "`..` out of the tree", lay: static("../out/secret.txt"), want: modes(escape, escape)},
		{name: "`..` after a folder", lay: static("sub/../../out/secret.txt"), want: modes(escape, escape)},
		{name: "absolute name", lay: func(_ *testing.T, _, out string) string { return out + "/secret.txt" }, want: modes(escape, escape)},
		{
			name: "absolute link to a file outside",
			lay:  linked(func(_, out string) string { return out + "/secret.txt" }, "link"), want: modes(link, leads),
		},
		{
			name: "relative link to a file outside",
			lay:  linked(func(_, _ string) string { return "../out/secret.txt" }, "link"), want: modes(link, leads),
		},
		{
			name: "link to a folder outside",
			lay:  linked(func(_, _ string) string { return "../out" }, "link/secret.txt"), want: modes(link, escape),
		},
		{
			name: "link that stays inside",
			lay:  linked(func(_, _ string) string { return "file.txt" }, "link"), want: modes(link, outcome{nil, workspace.ErrLink}),
		},
		{
			name: "link to a folder inside",
			lay:  linked(func(_, _ string) string { return "sub" }, "link/file.txt"), want: modes(link, outcome{nil, nil}),
		},
		{
			name: "absolute link that leads back inside",
			lay:  linked(func(in, _ string) string { return in + "/file.txt" }, "link"), want: modes(link, leads),
		},
		{
			name: "dangling link",
			lay:  linked(func(_, _ string) string { return "nothing" }, "link"), want: modes(link, outcome{fs.ErrNotExist, workspace.ErrLink}),
		},
		{
			name: "dangling link to outside",
			lay:  linked(func(_, _ string) string { return "../out/new.txt" }, "link"), want: modes(link, leads),
		},
		{name: "link to itself", lay: linked(func(_, _ string) string { return "link" }, "link"), want: modes(link, link)},
		{name: "FIFO", lay: func(t *testing.T, in, _ string) string {
			must(t, syscall.Mkfifo(filepath.Join(in, "fifo"), 0o600))
			return "fifo"
		}, want: notRegular},
		{name: "socket", lay: func(t *testing.T, in, _ string) string {
			// The name of a socket is short: it is made from within.
			listener, err := net.Listen("unix", filepath.Join(in, "s"))
			must(t, err)
			t.Cleanup(func() { listener.Close() })
			return "s"
		}, want: notRegular},
		{name: "device", root: "/dev", lay: static("zero"), want: notRegular},
		{name: "hard link to a file outside", lay: func(t *testing.T, in, out string) string {
			must(t, os.Link(out+"/secret.txt", in+"/hard"))
			return "hard"
		}, want: both(workspace.ErrManyLinks, workspace.ErrManyLinks)},
		{name: "folder", lay: static("sub"), want: notRegular},
		{name: "file in place of a folder", lay: static("file.txt/x"), want: both(workspace.ErrNotFolder, workspace.ErrNotFolder)},
		{name: "nothing there", lay: static("none.txt"), want: both(fs.ErrNotExist, nil)},
		{name: "regular file", lay: static("file.txt"), want: both(nil, nil)},
	}
	if runtime.GOOS != "linux" {
		return cases
	}
	magic := func(name, to string) staticCase {
		return staticCase{
			name: "link to `/proc/self/" + name + "`",
			lay:  linked(func(_, _ string) string { return "/proc/self/" + to }, "link"+strings.TrimPrefix(name, to)),
			want: modes(link, escape),
		}
	}
	leaf := func(c staticCase) staticCase { c.want[workspace.Portable] = leads; return c }
	return append(cases,
		magic("root/etc/passwd", "root"), magic("cwd/go.mod", "cwd"), leaf(magic("exe", "exe")), leaf(magic("fd/0", "fd/0")),
		staticCase{name: "`root/etc/passwd` in a tree on `/proc/self`", root: "/proc/self", lay: static("root/etc/passwd"), want: modes(link, escape)},
		staticCase{name: "`cwd/cases_unix_test.go` in a tree on `/proc/self`", root: "/proc/self", lay: static("cwd/cases_unix_test.go"), want: modes(link, escape)},
		staticCase{name: "`exe` in a tree on `/proc/self`", root: "/proc/self", lay: static("exe"), want: modes(link, leads)},
		staticCase{name: "`fd/N` of an open file in a tree on `/proc/self`", root: "/proc/self", lay: func(t *testing.T, _, out string) string {
			f, err := os.Open(out + "/secret.txt")
			must(t, err)
			t.Cleanup(func() { f.Close() })
			return fmt.Sprint("fd/", f.Fd())
		}, want: modes(link, leads)},
		staticCase{
			name: "mount: `proc/version` in a tree on `/`", root: "/", lay: static("proc/version"),
			want: both(workspace.ErrOtherDevice, workspace.ErrOtherDevice),
		},
		staticCase{
			name: "mount: `dev/zero` in a tree on `/`", root: "/", lay: static("dev/zero"),
			want: modes(outcome{workspace.ErrOtherDevice, workspace.ErrOtherDevice}, outcome{workspace.ErrNotRegular, workspace.ErrOtherDevice}),
		},
	)
}

// TestEachWayOutIsDeniedOrDocumented goes through all ways, in each mode, and
// compares what happens with the table that the documentation shows.
func TestEachWayOutIsDeniedOrDocumented(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| what is laid | strict: read | strict: write | portable: read | portable: write |\n|---|---|---|---|---|\n")
	for _, c := range staticCases() {
		row := []string{c.name}
		for _, mode := range here() {
			got := try(t, c, mode)
			want := c.want[mode]
			if !errors.Is(got.read, want.read) || !errors.Is(got.write, want.write) {
				t.Errorf("%s, %s: read %v, write %v; want %v, %v", c.name, mode, got.read, got.write, want.read, want.write)
			}
			row = append(row, verdict(got.read, "read"), verdict(got.write, "written"))
		}
		fmt.Fprintf(&table, "| %s |\n", strings.Join(row, " | "))
	}
	if len(here()) < 2 {
		return
	}
	if *update {
		must(t, os.WriteFile("testdata/cases.md", []byte(table.String()), 0o644))
	}
	shown, err := os.ReadFile("testdata/cases.md")
	must(t, err)
	if table.String() != string(shown) {
		t.Errorf("testdata/cases.md shows another table than the one found; look at it and run go test -update:\n%s", table.String())
	}
}

// verdict is a cell of the table.
func verdict(err error, done string) string {
	for name, kind := range map[string]error{
		"ErrEscape": workspace.ErrEscape, "ErrLink": workspace.ErrLink, "ErrNotRegular": workspace.ErrNotRegular,
		"ErrNotFolder": workspace.ErrNotFolder, "ErrManyLinks": workspace.ErrManyLinks, "ErrOtherDevice": workspace.ErrOtherDevice,
		"fs.ErrNotExist": fs.ErrNotExist,
	} {
		if errors.Is(err, kind) {
			return "denied: " + name
		}
	}
	if err != nil {
		return err.Error()
	}
	return done
}

// try reads the name and writes to it, and looks whether anything was reached
// that is not in the tree.
func try(t *testing.T, c staticCase, mode workspace.Mode) outcome {
	in, out := trees(t)
	name := c.lay(t, in, out)
	root := c.root
	if root == "" {
		root = in
	}
	ws := open(t, root, &workspace.Options{Mode: mode})
	began := time.Now()
	data, _, read := ws.ReadFile(name, 1<<20)
	if read == nil && string(data) != insideText {
		t.Errorf("%s, %s: read %q", c.name, mode, data)
	}
	f, err := ws.Open(name)
	if (err == nil) != (read == nil) {
		t.Errorf("%s, %s: ReadFile %v, Open %v", c.name, mode, read, err)
	}
	if err == nil {
		f.Close()
	}
	if root != in {
		// What is in these trees is the machine's: whatever happens to it must be
		// nothing.
		ws = open(t, root, &workspace.Options{Mode: mode})
	}
	_, write := ws.WriteFile(name, []byte("written"))
	for _, err := range []error{read, write} {
		if err != nil && (strings.Contains(err.Error(), filepath.Dir(in)) && !strings.HasPrefix(name, "/") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s, %s: not one sentence, or with a place on this machine: %v", c.name, mode, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(out, "secret.txt")); err != nil || !bytes.Equal(text, []byte(outsideText)) {
		t.Errorf("%s, %s: what is outside has become %q, %v", c.name, mode, text, err)
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) != 1 {
		t.Errorf("%s, %s: outside there is %v, %v", c.name, mode, entries, err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("%s, %s: took %v", c.name, mode, took)
	}
	return outcome{read, write}
}

// TestNoOperationReachesOutOfATree tries the rest of the operations on what is
// laid, as far as it is in a tree of its own.
func TestNoOperationReachesOutOfATree(t *testing.T) {
	t.Parallel()
	for _, c := range staticCases() {
		if c.root != "" {
			continue
		}
		for _, mode := range here() {
			in, out := trees(t)
			name := c.lay(t, in, out)
			ws := open(t, in, &workspace.Options{Mode: mode})
			for _, op := range raced(ws) {
				tried := name
				if op.On == swaptest.Fresh || op.On == swaptest.Gone {
					tried = name + "/new/file"
				}
				shown, err := op.Do(tried)
				if strings.Contains(shown+fmt.Sprint(err), outsideText) {
					t.Errorf("%s, %s of %q, %s: shows %q, %v", c.name, op.Name, tried, mode, shown, err)
				}
				if text, err := os.ReadFile(filepath.Join(out, "secret.txt")); err != nil || string(text) != outsideText {
					t.Errorf("%s, %s of %q, %s: what is outside has become %q, %v", c.name, op.Name, tried, mode, text, err)
				}
				if entries, err := os.ReadDir(out); err != nil || len(entries) != 1 {
					t.Errorf("%s, %s of %q, %s: outside there is %v, %v", c.name, op.Name, tried, mode, entries, err)
				}
			}
		}
	}
}

// TestADeviceInTheTreeIsNotOpened needs the right to make one.
func TestADeviceInTheTreeIsNotOpened(t *testing.T) {
	t.Parallel()
	in, _ := trees(t)
	if err := mknod(filepath.Join(in, "zero")); err != nil {
		t.Logf("no device was made (%v); the case of /dev/zero in a tree on /dev ran in its place", err)
		return
	}
	t.Log("a device was made in the tree")
	for _, mode := range here() {
		ws := open(t, in, &workspace.Options{Mode: mode})
		if _, _, err := ws.ReadFile("zero", 10); !errors.Is(err, workspace.ErrNotRegular) {
			t.Errorf("%s: read %v", mode, err)
		}
		if _, err := ws.WriteFile("zero", nil); !errors.Is(err, workspace.ErrNotRegular) {
			t.Errorf("%s: write %v", mode, err)
		}
	}
}
