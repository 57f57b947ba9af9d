//go:build unix

// Package plain starts an interpreter as an ordinary process, for tests of the
// protocol on hosts where nothing can be confined. Nothing but tests may use it.
package plain

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"github.com/helios-go/helios/sandbox"
)

// Process is a process with one end of a socket as descriptor 3. Its outputs go
// to files, so that what it wrote is there at once.
type Process struct {
	cmd            *exec.Cmd
	conn           net.Conn
	stdout, stderr *os.File
	done           chan struct{}

	mu sync.Mutex
}

// Start starts cmd in dir, where its outputs are kept.
func Start(cmd *exec.Cmd, dir string) (*Process, error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, fmt.Errorf("make a socket pair: %w", err)
	}
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	ours, theirs := os.NewFile(uintptr(fds[0]), "host"), os.NewFile(uintptr(fds[1]), "worker") //nolint:gosec // descriptors are not negative
	defer ours.Close()                                                                         //nolint:errcheck // FileConn has its own copy
	defer theirs.Close()                                                                       //nolint:errcheck // the child has its own copy
	p := &Process{cmd: cmd, done: make(chan struct{})}
	if p.conn, err = net.FileConn(ours); err != nil {
		return nil, err
	}
	for name, f := range map[string]**os.File{"stdout": &p.stdout, "stderr": &p.stderr} {
		if *f, err = os.CreateTemp(dir, name); err != nil {
			return nil, err
		}
		w, err := os.OpenFile((*f).Name(), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return nil, err
		}
		defer w.Close() //nolint:errcheck // the child has its own copy
		if name == "stdout" {
			cmd.Stdout = w
		} else {
			cmd.Stderr = w
		}
	}
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Env = append(cmd.Env, "HELIOS_SOCKET_FD=3", "PATH=/usr/bin:/bin")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// Conn is the host's end of the socket.
func (p *Process) Conn() net.Conn { return p.conn }

// Interrupt sends SIGINT.
func (p *Process) Interrupt() error { return p.cmd.Process.Signal(os.Interrupt) }

// Kill kills the process group.
func (p *Process) Kill() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

// Done is closed at the end.
func (p *Process) Done() <-chan struct{} { return p.done }

// PID is the process's id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Wait gives the exit code.
func (p *Process) Wait() (*sandbox.Result, error) {
	<-p.done
	state, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok {
		return nil, errors.New("no wait status")
	}
	code := state.ExitStatus()
	if state.Signaled() {
		code = 128 + int(state.Signal())
	}
	return &sandbox.Result{ExitCode: code}, nil
}

// Output is what was written since the last call, 1 MiB at most.
func (p *Process) Output() (stdout, stderr []byte, cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	take := func(f *os.File) []byte {
		buf := make([]byte, 1<<20)
		n, _ := f.Read(buf)
		at, _ := f.Seek(0, 1)
		if end, _ := f.Seek(0, 2); end > at {
			cut = true
		}
		return buf[:n]
	}
	stdout, stderr = take(p.stdout), take(p.stderr)
	return stdout, stderr, cut
}
