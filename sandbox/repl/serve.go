package repl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// How an interpreter ends that ran out of memory: by itself, or by the fatal
// error of a Go program. It says outOfMemory on standard error before.
const (
	exitOutOfMemory = 137
	exitFatal       = 2
	outOfMemory     = "out of memory"
)

// An Engine is an interpreter written in Go, inside the confined process. Serve
// calls its methods one at a time.
type Engine interface {
	// Start binds functions and inputs. Its error is that of Runtime.Start.
	Start(s *Setup) error
	// Run runs a cell to its end and returns the exit code. What the code prints
	// has been written when Run returns. ctx ends when the cell is interrupted, and
	// Run returns then as soon as the language allows it.
	Run(ctx context.Context, code string) (exit int)
	// Bindings are the variables, as far as the limits and ctx allow.
	Bindings(ctx context.Context, limits BindingLimits) []Binding
}

// Setup is what an Engine starts with.
type Setup struct {
	Functions []Function
	Inputs    map[string]json.RawMessage
	Options   json.RawMessage // of the runtime; nil for none
	// Call calls a host function: args is an object keyed by parameter. The error
	// is the handler's, with the same text, or ctx's.
	Call func(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
}

// Serve is the main loop of a worker whose interpreter is written in Go. It
// returns the process's exit code when the host has gone or wants the process to
// stop; the process must end then.
func Serve(conn io.ReadWriter, engine Engine) int {
	s := &server{conn: conn, engine: engine, cells: make(chan *hostMessage, 1), waiting: map[uint64]chan *hostMessage{}}
	over := make(chan int, 1)
	go func() { over <- s.read() }()
	go s.work()
	return <-over
}

type server struct {
	conn   io.ReadWriter
	engine Engine
	cells  chan *hostMessage // start and execute

	sending sync.Mutex

	mu      sync.Mutex
	frame   int    // bytes that the host takes
	running uint64 // id of the cell
	cancel  context.CancelFunc
	calls   uint64
	waiting map[uint64]chan *hostMessage
}

// read takes what the host says, also while a cell runs.
func (s *server) read() int {
	defer close(s.cells)
	for {
		frame, err := readFrame(s.conn, maxHostFrame)
		if errors.Is(err, io.EOF) {
			return 0
		}
		var m hostMessage
		if err == nil {
			err = decode(frame, &m)
		}
		if err != nil {
			return 2
		}
		switch m.Type {
		case "start", "execute":
			s.cells <- &m
		case "answer":
			s.mu.Lock()
			slot := s.waiting[m.ID]
			delete(s.waiting, m.ID)
			s.mu.Unlock()
			if slot != nil {
				slot <- &m
			}
		case "interrupt":
			s.mu.Lock()
			if s.running == m.ID {
				s.cancel()
			}
			s.mu.Unlock()
		case "stop":
			s.mu.Lock()
			running := s.running == m.ID
			s.mu.Unlock()
			if running { // it was interrupted and goes on: nothing in the process can end it
				return exitStopped
			}
		}
	}
}

// bindingsTime is how long showing the variables may take. It is code of the
// program's: a value that is never done with its text must not cost each later
// cell all of its time. The host gives an interrupted cell a second more.
const bindingsTime = 500 * time.Millisecond

// exitStopped is the exit code of a worker that was told to stop.
const exitStopped = 3

func (s *server) work() {
	for m := range s.cells {
		if m.Type == "start" {
			s.start(m)
			continue
		}
		s.send(s.runCell(m))
	}
}

func (s *server) start(m *hostMessage) {
	s.mu.Lock()
	s.frame = m.Frame
	s.mu.Unlock()
	ready := &workerMessage{Type: "ready"}
	if err := s.engine.Start(&Setup{Functions: m.Functions, Inputs: m.Inputs, Options: m.Options, Call: s.call}); err != nil {
		ready.Error = err.Error()
	}
	s.send(ready)
}

func (s *server) runCell(m *hostMessage) *workerMessage {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.mu.Lock()
	s.running, s.cancel = m.ID, cancel
	s.mu.Unlock()
	result := &workerMessage{Type: "result", ID: m.ID, Exit: s.engine.Run(ctx, m.Code)}
	if m.Bindings != nil {
		from := ctx
		if ctx.Err() != nil { // the cell was interrupted, its variables are still wanted
			from = context.Background()
		}
		within, cancel := context.WithTimeout(from, bindingsTime)
		defer cancel()
		result.Bindings = s.engine.Bindings(within, *m.Bindings)
	}
	s.mu.Lock()
	s.running, s.cancel = 0, nil
	s.mu.Unlock()
	return result
}

// send writes one frame. A host that is gone is noticed by read.
func (s *server) send(m *workerMessage) {
	frame, err := encode(m)
	s.mu.Lock()
	limit := s.frame
	s.mu.Unlock()
	if err != nil || len(frame)-4 > limit && limit > 0 {
		if m.Type != "result" {
			return
		}
		frame, _ = encode(&workerMessage{Type: "result", ID: m.ID, Exit: m.Exit})
	}
	s.sending.Lock()
	defer s.sending.Unlock()
	_, _ = s.conn.Write(frame)
}

func (s *server) call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !json.Valid(args) {
		return nil, fmt.Errorf("the arguments of %s are not JSON", name)
	}
	slot := make(chan *hostMessage, 1)
	s.sending.Lock() // before the id is taken: calls arrive in the order of their ids
	s.mu.Lock()
	if limit := s.frame; len(args)+len(name)+128 > limit {
		s.mu.Unlock()
		s.sending.Unlock()
		return nil, fmt.Errorf("the arguments of %s are %d bytes of JSON, over the limit of %d", name, len(args), limit)
	}
	s.calls++
	id := s.calls
	s.waiting[id] = slot
	s.mu.Unlock()
	frame, err := encode(&workerMessage{Type: "call", ID: id, Name: name, Args: args})
	if err == nil {
		_, err = s.conn.Write(frame)
	}
	s.sending.Unlock()
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", name, err)
	}
	select {
	case m := <-slot:
		if err := ctx.Err(); err != nil { // the answer came with the interruption
			return nil, err
		}
		if m.Error != nil {
			return nil, errors.New(*m.Error)
		}
		return m.Result, nil
	case <-ctx.Done():
		s.mu.Lock()
		delete(s.waiting, id)
		s.mu.Unlock()
		return nil, ctx.Err()
	}
}
