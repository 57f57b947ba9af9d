//go:build unix

package workspace

import (
	"os"

	"golang.org/x/sys/unix"
)

// nonblock keeps the opening of a FIFO from waiting for its other end.
const nonblock = unix.O_NONBLOCK

// renamed returns an open file under another name, and closes the one it got.
func renamed(f *os.File, name string) (*os.File, error) {
	defer f.Close()
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fd int
	if failed := conn.Control(func(old uintptr) { fd, err = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) }); failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}
