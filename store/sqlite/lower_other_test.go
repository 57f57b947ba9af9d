//go:build !linux

package sqlite_test

import (
	"os"
	"runtime"
	"testing"
)

func lower(t *testing.T, _ string) func() {
	t.Helper()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("this user may write everywhere")
	}
	return func() {}
}
