package sandbox

import (
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// streams are the host's ends of what a program writes to.
type streams struct {
	stdout, stderr *stream
	result         *os.File // for frames, in a Run
	conn           net.Conn // the socket, of a program that stays

	frames     frameReader
	frameError error
	readers    sync.WaitGroup
}

// read starts a reader for each stream. None of them outlives finish.
func (s *streams) read(t *task) {
	s.readers.Go(s.stdout.read)
	s.readers.Go(s.stderr.read)
	if s.result == nil {
		return
	}
	s.readers.Go(func() {
		s.frames = frameReader{r: s.result, limits: t.limits, onFrame: t.job.OnFrame}
		s.frameError = s.frames.readAll()
		_ = s.result.Close() // a program that goes on writing learns that nobody reads
	})
}

// finish waits until all that was written is read: every writer is dead by now.
// Should one be left in spite of that, it waits a second.
func (s *streams) finish() {
	soon := time.Now().Add(time.Second)
	s.stdout.stop(soon)
	s.stderr.stop(soon)
	if s.result != nil {
		_ = s.result.SetReadDeadline(soon)
	}
	s.readers.Wait()
}

// close closes all but the socket, which is the caller's.
func (s *streams) close() {
	_ = s.stdout.file.Close()
	_ = s.stderr.file.Close()
	if s.result != nil {
		_ = s.result.Close()
	}
}

// abandon closes both ends of what could be made of the streams.
func (s *streams) abandon(t *task) {
	t.ends.close()
	for _, f := range []*os.File{s.stdout.file, s.stderr.file, s.result} {
		if f != nil {
			_ = f.Close()
		}
	}
	if s.conn != nil {
		_ = s.conn.Close()
	}
}

// A stream takes what a program writes on one descriptor, as fast as it comes,
// and keeps the first bytes of it, so that a program that floods is not blocked
// and costs no memory.
type stream struct {
	file *os.File
	keep int

	mu   sync.Mutex // held from reading some bytes until they are kept
	kept capture

	until atomic.Pointer[time.Time] //nolint:unused // on Windows: when to give up, as a read there cannot be told
}

func newStream(keep int) *stream { return &stream{keep: keep, kept: capture{keep: keep}} }

// take returns what was written since it was last called, to the last byte.
func (s *stream) take() (kept []byte, cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drain()
	kept, cut = s.kept.bytes, s.kept.cut
	s.kept = capture{keep: s.keep}
	return kept, cut
}

// pipeMost is the most that a pipe of an ordinary user holds.
const pipeMost = 1 << 20

// chunks are buffers to read into; an idle program holds none.
var chunks = sync.Pool{New: func() any { return new([64 << 10]byte) }}
