//go:build unix

package sandbox

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// read reads to the end of the stream.
func (s *stream) read() {
	raw, err := s.file.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Read(func(fd uintptr) bool {
		chunk := chunks.Get().(*[64 << 10]byte)
		defer chunks.Put(chunk)
		for {
			s.mu.Lock()
			more, err := s.some(int(fd), chunk[:])
			s.mu.Unlock()
			if errors.Is(err, unix.EAGAIN) {
				return false // called again when there is something to read
			}
			if !more {
				return true
			}
		}
	})
}

// some reads and keeps what is there, a chunk at the most. The lock is held.
func (s *stream) some(fd int, chunk []byte) (more bool, err error) {
	for {
		n, err := unix.Read(fd, chunk)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if n > 0 {
			_, _ = s.kept.Write(chunk[:n])
		}
		return n > 0, err
	}
}

// drain keeps what is in the pipe now. The lock is held.
func (s *stream) drain() {
	raw, err := s.file.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		chunk := chunks.Get().(*[64 << 10]byte)
		defer chunks.Put(chunk)
		for read := 0; read < pipeMost; read += len(chunk) {
			if more, err := s.some(int(fd), chunk[:]); !more || err != nil {
				return
			}
		}
	})
}

func (s *stream) stop(at time.Time) { _ = s.file.SetReadDeadline(at) }
