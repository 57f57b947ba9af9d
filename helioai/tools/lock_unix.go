//go:build unix

package tools

import (
	"os"
	"syscall"
)

// lockFile waits for the lock on an open file. Closing the file gives it up,
// and so does the end of the process.
func lockFile(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			return err
		}
	}
}
