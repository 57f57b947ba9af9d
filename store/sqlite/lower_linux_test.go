package sqlite_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// lower has this thread use files as a user who is not root, until the function that
// it returns is called: root may write everywhere. The folder and what it holds are
// given to that user.
func lower(t *testing.T, dir string) func() {
	t.Helper()
	const nobody = 65534
	if os.Geteuid() != 0 {
		return func() {}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Chmod(filepath.Dir(dir), 0o755)) // so that the user gets there
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	must(err)
	for _, name := range append(files, dir) {
		must(os.Chown(name, nobody, nobody))
	}
	runtime.LockOSThread()
	must(syscall.Setfsuid(nobody))
	return func() {
		if err := syscall.Setfsuid(0); err != nil {
			t.Error(err)
			return // the thread stays locked, and ends with the test
		}
		runtime.UnlockOSThread()
	}
}
