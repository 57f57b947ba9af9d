//go:build unix

package cache

import (
	"errors"
	"os"
	"syscall"
)

// tryLock returns nil and no error while somebody else holds the lock.
func (c *Cache) tryLock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err = flock(f); err == nil {
		return func() { _ = f.Close() }, nil // which frees it
	}
	closed := f.Close()
	if errors.Is(err, errBusy) {
		return nil, closed
	}
	return nil, errors.Join(err, closed)
}

func flock(f *os.File) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return errBusy
		default:
			return err
		}
	}
}

var errBusy = errors.New("somebody else holds it")

// inProcess is what holds locks where files cannot be locked.
type inProcess struct{}
