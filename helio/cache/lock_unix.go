//go:build unix

package cache

import (
	"errors"
	"os"
	"syscall"
)

// tryLock returns nil and no error while somebody else holds the lock.
func (c *Cache) tryLock(path string) (unlock func(), err error) {
	free := c.locks.try(path) // the nearest first: it takes no file
	if free == nil {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		free()
		return nil, err
	}
	if err = flock(f); err == nil {
		return func() {
			_ = f.Close() // which frees it
			free()
		}, nil
	}
	free()
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
