package sandbox

import (
	"runtime"
	"sync"
)

// A starter is the thread that starts programs. A process that asks to die with
// its parent dies with the thread that started it, so this one lives, with
// nothing else to do, for as long as a program does.
type starter struct {
	mu    sync.Mutex
	users int
	work  chan func()
}

// starts is the one starter: a thread is enough for any number of programs.
var starts starter

// hold keeps the thread alive until release.
func (s *starter) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
	if s.users > 1 {
		return
	}
	work := make(chan func())
	s.work = work
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		for f := range work {
			f()
		}
	}()
}

func (s *starter) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users == 0 {
		close(s.work)
	}
}

// do runs f on the thread. The caller holds it.
func (s *starter) do(f func() error) error {
	s.mu.Lock()
	work := s.work
	s.mu.Unlock()
	done := make(chan error, 1)
	work <- func() { done <- f() }
	return <-done
}
