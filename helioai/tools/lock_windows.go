package tools

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile waits for the lock on an open file. Closing the file gives it up,
// and so does the end of the process.
func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{})
}
