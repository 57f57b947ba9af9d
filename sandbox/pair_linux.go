package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// checkPair asks the kernel who made the other end of a pair, which for a pair
// of socketpair(2) is this process and can be nobody else.
func checkPair(c net.Conn) error {
	own, ok := c.(syscall.Conn)
	if !ok {
		return errors.New("ask who holds the other end: it is no socket of the system")
	}
	raw, err := own.SyscallConn()
	if err != nil {
		return err
	}
	var peer *unix.Ucred
	if ctl := raw.Control(func(fd uintptr) {
		peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); ctl != nil || err != nil {
		return fmt.Errorf("ask who holds the other end: %w", errors.Join(ctl, err))
	}
	if int(peer.Pid) != os.Getpid() {
		return fmt.Errorf("the other end belongs to process %d and not to this one", peer.Pid)
	}
	return nil
}
