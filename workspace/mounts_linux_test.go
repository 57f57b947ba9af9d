package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/helios-go/helios/workspace"
	"golang.org/x/sys/unix"
)

// withMounts runs test where mounts are this thread's alone, or says why not.
func withMounts(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		err := unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_FS)
		if err == nil {
			err = unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, "")
		}
		if err == nil {
			test(t)
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Logf("mounts of its own need more rights (%v); the cases of trees on / and /dev ran in place of this one", err)
	}
}

// TestMountsInTheTree are what a bind mount leads to: of the same file system,
// which only the kernel can tell.
func TestMountsInTheTree(t *testing.T) {
	t.Parallel()
	in, out := trees(t)
	must(t, os.MkdirAll(in+"/bind", 0o700))
	must(t, os.MkdirAll(in+"/tmpfs", 0o700))
	must(t, os.WriteFile(in+"/bound.txt", nil, 0o600))
	withMounts(t, func(t *testing.T) {
		for _, err := range []error{
			unix.Mount(out, in+"/bind", "", unix.MS_BIND, ""),
			unix.Mount(out+"/secret.txt", in+"/bound.txt", "", unix.MS_BIND, ""),
			unix.Mount("tmpfs", in+"/tmpfs", "tmpfs", 0, ""),
			os.WriteFile(in+"/tmpfs/file.txt", []byte(outsideText), 0o600),
		} {
			if err != nil {
				t.Error(err)
				return
			}
		}
		for _, mode := range here() {
			ws, err := workspace.Open(in, &workspace.Options{Mode: mode})
			if err != nil {
				t.Error(err)
				return
			}
			for _, name := range []string{"bind/secret.txt", "bound.txt", "tmpfs/file.txt"} {
				want := workspace.ErrOtherDevice
				if mode == workspace.Portable && name != "tmpfs/file.txt" {
					want = nil // as Describe says
				}
				if _, _, err := ws.ReadFile(name, 100); !errors.Is(err, want) {
					t.Errorf("%s: read %s: %v, want %v", mode, name, err, want)
				}
				if want == nil {
					continue
				}
				if _, err := ws.WriteFile(name, nil); !errors.Is(err, want) {
					t.Errorf("%s: write %s: %v, want %v", mode, name, err, want)
				}
			}
			if _, err := ws.Stat("tmpfs"); (mode == workspace.Strict) != errors.Is(err, workspace.ErrOtherDevice) {
				t.Errorf("%s: look at tmpfs: %v", mode, err)
			}
			walkBeside(t, ws)
			ws.Close()
		}
		if text, err := os.ReadFile(filepath.Join(out, "secret.txt")); string(text) != outsideText {
			t.Errorf("outside: %q, %v", text, err)
		}
		t.Log("ran with mounts of its own")
	})
}

// walkBeside walks a tree with mounts in it.
func walkBeside(t *testing.T, ws *workspace.Root) {
	t.Helper()
	var told []string
	err := ws.Walk(t.Context(), ".", &workspace.WalkOptions{Unreadable: func(name string, err error) error {
		if !errors.Is(err, workspace.ErrOtherDevice) {
			t.Errorf("%s: %v", name, err)
		}
		told = append(told, name)
		return nil
	}}, func(f workspace.Found) error {
		if ws.Mode() == workspace.Strict && strings.HasPrefix(f.Path, "bind/") || strings.HasPrefix(f.Path, "tmpfs/") {
			t.Errorf("%s: the walk entered %s", ws.Mode(), f.Path)
		}
		return nil
	})
	if err != nil || len(told) == 0 {
		t.Errorf("%s: told of %v, %v", ws.Mode(), told, err)
	}
}

// TestStrictNeedsProc and says so.
func TestStrictNeedsProc(t *testing.T) {
	t.Parallel()
	in, _ := trees(t)
	withMounts(t, func(t *testing.T) {
		if err := unix.Mount("tmpfs", "/proc", "tmpfs", 0, ""); err != nil {
			t.Error(err)
			return
		}
		for _, lay := range []func() error{
			func() error { return nil },
			func() error { return os.MkdirAll("/proc/self/fd", 0o755) }, // somebody pretends
		} {
			if err := lay(); err != nil {
				t.Error(err)
			}
			_, err := workspace.Open(in, nil)
			var unsupported *workspace.UnsupportedError
			if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "/proc") || !strings.Contains(err.Error(), "workspace.Portable") {
				t.Errorf("got %v", err)
			}
		}
		t.Log("ran with mounts of its own")
	})
}
