//go:build unix

package archive_test

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/helios-go/helios/helio/archive"
)

func TestAPipeIsRefusedAndNotWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.cdf")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := archive.OpenLocal([]string{pipe})
	if missing := new(archive.MissingError); !errors.As(err, &missing) || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("named: got %v", err)
	}
	folder, err := archive.OpenLocal([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Inventory(t.Context()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("found in a folder: got %v", err)
	}
}
