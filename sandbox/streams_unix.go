//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// newStreams makes the streams of a task, and puts the program's ends into it.
func newStreams(t *task) (*streams, error) {
	s := &streams{stdout: newStream(t.limits.Stdout), stderr: newStream(t.limits.Stderr)}
	var errs [3]error
	s.stdout.file, t.ends.stdout, errs[0] = os.Pipe()
	s.stderr.file, t.ends.stderr, errs[1] = os.Pipe()
	if t.stays {
		s.conn, t.ends.third, errs[2] = pair()
	} else {
		s.result, t.ends.third, errs[2] = os.Pipe()
	}
	if err := errors.Join(errs[:]...); err != nil {
		s.abandon(t)
		return nil, err
	}
	return s, nil
}

// pair makes two connected stream sockets. They have no name, so that nobody
// can connect to them, and whoever holds the other end was given it by us.
func pair() (ours net.Conn, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, fmt.Errorf("make a pair of sockets: %w", err)
	}
	mine := os.NewFile(uintptr(fds[0]), "socket")
	theirs = os.NewFile(uintptr(fds[1]), "socket")
	ours, err = net.FileConn(mine) // a descriptor of its own
	_ = mine.Close()
	if err == nil {
		if err = checkPair(ours); err != nil {
			_ = ours.Close()
		}
	}
	if err != nil {
		_ = theirs.Close()
		return nil, nil, fmt.Errorf("make a pair of sockets: %w", err)
	}
	return ours, theirs, nil
}
