package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// newStreams makes the streams of a task, and puts the program's ends into it.
func newStreams(t *task) (*streams, error) {
	if !t.stays {
		return nil, errors.New("only workers can be started on this system")
	}
	s := &streams{stdout: newStream(t.limits.Stdout), stderr: newStream(t.limits.Stderr)}
	var errs [3]error
	s.stdout.file, t.ends.stdout, errs[0] = os.Pipe()
	s.stderr.file, t.ends.stderr, errs[1] = os.Pipe()
	s.conn, t.ends.third, errs[2] = pair()
	if err := errors.Join(errs[:]...); err != nil {
		s.abandon(t)
		return nil, err
	}
	return s, nil
}

// pair makes both ends of a pipe for both directions. It has a name for a
// moment: one that nobody can guess, that takes no second client and none from
// another machine, and whose first client is this process.
func pair() (ours net.Conn, theirs *os.File, err error) {
	name, err := windows.UTF16PtrFromString(`\\.\pipe\helios-sandbox-` + rand.Text())
	if err != nil {
		return nil, nil, err
	}
	server, err := windows.CreateNamedPipe(name,
		windows.PIPE_ACCESS_DUPLEX|windows.FILE_FLAG_OVERLAPPED|windows.FILE_FLAG_FIRST_PIPE_INSTANCE,
		windows.PIPE_TYPE_BYTE|windows.PIPE_READMODE_BYTE|windows.PIPE_WAIT|windows.PIPE_REJECT_REMOTE_CLIENTS,
		1, 64<<10, 64<<10, 0, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("make a pipe: %w", err)
	}
	client, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil,
		windows.OPEN_EXISTING, windows.FILE_FLAG_OVERLAPPED, 0)
	if err != nil {
		_ = windows.CloseHandle(server)
		return nil, nil, fmt.Errorf("open the other end of a pipe: %w", err)
	}
	return &pipeConn{os.NewFile(uintptr(server), "pipe")}, os.NewFile(uintptr(client), "pipe"), nil
}

// A pipeConn is a pipe as a connection.
type pipeConn struct{ *os.File }

func (c *pipeConn) LocalAddr() net.Addr  { return pipeAddr{} }
func (c *pipeConn) RemoteAddr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// read looks every so often: a read that waits would hold bytes back that take
// is to return.
func (s *stream) read() {
	for {
		s.mu.Lock()
		open := s.drain()
		s.mu.Unlock()
		if !open {
			return
		}
		if until := s.until.Load(); until != nil && time.Now().After(*until) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// drain keeps what is in the pipe now. The lock is held. It is false when the
// pipe has ended.
func (s *stream) drain() bool {
	chunk := chunks.Get().(*[64 << 10]byte)
	defer chunks.Put(chunk)
	for read := 0; read < pipeMost; {
		there, ok := waiting(s.file)
		if !ok {
			return false
		}
		if there == 0 {
			return true
		}
		n, err := s.file.Read(chunk[:min(int(there), len(chunk))])
		_, _ = s.kept.Write(chunk[:n])
		if err != nil {
			return false
		}
		read += n
	}
	return true
}

func (s *stream) stop(at time.Time) { s.until.Store(&at) }

// waiting asks how many bytes can be read from a pipe without waiting.
func waiting(f *os.File) (bytes uint32, ok bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, false
	}
	_ = raw.Control(func(fd uintptr) {
		r, _, _ := peekNamedPipe.Call(fd, 0, 0, 0, uintptr(unsafe.Pointer(&bytes)), 0)
		ok = r != 0
	})
	return bytes, ok
}
