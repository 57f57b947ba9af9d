package repl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// A Kernel is a running interpreter, as the host sees it. It is safe for
// concurrent use; cells run one at a time. It comes from a Runtime.
type Kernel struct {
	proc   Process
	conn   net.Conn
	cfg    *Config
	params map[string]map[string]bool // of each function, its parameters

	out  outbox
	gate chan struct{} // holds one token while a call is being answered

	ready  chan error    // the answer to the start frame, once
	reader chan struct{} // closed when nothing is read any more: the kernel is dead
	quit   chan struct{} // closed by end: whoever waits for anything gives up
	done   chan struct{} // closed when every goroutine but those of handlers has ended

	mu      sync.Mutex
	started bool  // the ready frame has come
	cell    *cell // the one that runs, nil when idle
	cells   uint64
	calls   uint64 // id of the newest call
	ended   error  // why the kernel is dead
	busy    bool   // an Execute has not returned
	owners  sync.WaitGroup
	answers sync.WaitGroup
}

// cell is one Execute, as the reader sees it.
type cell struct {
	id     uint64
	ctx    context.Context
	calls  int
	result chan *workerMessage // one, never blocks
}

// concurrentCalls is how many calls are answered at one time; what comes beyond
// waits in the socket, and costs the host no memory.
const concurrentCalls = 8

var (
	errClosed = errors.New("the kernel was closed")
	errKilled = errors.New("the interpreter was killed")
)

// New makes a Kernel of a process whose interpreter speaks the protocol, and
// starts it: a runtime's Start calls it. options is for the interpreter itself,
// nil for none. The process belongs to the Kernel from here on: where New returns
// an error, it has been killed.
func New(ctx context.Context, proc Process, cfg *Config, options json.RawMessage) (*Kernel, error) {
	full, err := cfg.withDefaults()
	if err != nil {
		proc.Kill()
		return nil, fmt.Errorf("start an interpreter: %w", err)
	}
	k := &Kernel{
		proc: proc, conn: proc.Conn(), cfg: full,
		params: map[string]map[string]bool{},
		gate:   make(chan struct{}, concurrentCalls),
		ready:  make(chan error, 1),
		reader: make(chan struct{}),
		quit:   make(chan struct{}),
		done:   make(chan struct{}),
	}
	k.out.wake = make(chan struct{}, 1)
	for _, f := range full.Functions {
		names := map[string]bool{}
		for _, p := range f.Params {
			names[p] = true
		}
		k.params[f.Name] = names
	}
	k.owners.Go(k.read)
	k.owners.Go(k.write)
	k.owners.Go(k.watch)
	go func() { k.owners.Wait(); close(k.done) }()

	if err := k.start(ctx, options); err != nil {
		_ = k.Close()
		return nil, fmt.Errorf("start an interpreter: %w", err)
	}
	return k, nil
}

func (k *Kernel) start(ctx context.Context, options json.RawMessage) error {
	frame, err := encode(&hostMessage{
		Type: "start", Functions: k.cfg.Functions, Inputs: k.cfg.Inputs, Options: options, Frame: k.cfg.MaxFrame,
	})
	if err != nil {
		return fmt.Errorf("encode functions and inputs: %w", err)
	}
	k.out.put(frame, nil)
	timer := time.NewTimer(k.cfg.Startup)
	defer timer.Stop()
	select {
	case err := <-k.ready:
		return err
	case <-k.reader:
		select {
		case err := <-k.ready:
			return err
		default:
		}
		return k.diagnosed(k.why())
	case <-timer.C:
		return k.diagnosed(fmt.Errorf("it did not answer within %v", k.cfg.Startup))
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// diagnosed adds what the process said before it ended, which is where the
// reason usually stands.
func (k *Kernel) diagnosed(err error) error {
	k.end(errKilled)
	k.awaitProcess()
	if _, stderr, _ := k.proc.Output(); len(stderr) > 0 {
		text, _ := clip(stderr, 2000)
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// Done is closed when the interpreter has ended, by itself, by Close or because
// it was killed: the Kernel is of no more use then.
func (k *Kernel) Done() <-chan struct{} { return k.reader }

// Close kills the interpreter and every process that it started. A cell that
// runs ends with Outcome.Dead. Answers of host functions that are still being
// worked on are dropped; Close waits up to a second for their handlers, whose
// context has ended. It may be called more than once.
func (k *Kernel) Close() error {
	k.end(errClosed)
	<-k.done
	gone := k.awaitProcess()
	handlers := make(chan struct{})
	go func() { k.answers.Wait(); close(handlers) }()
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-handlers:
	case <-timer.C:
	}
	if !gone {
		return errors.New("close an interpreter: its process was killed and has not ended yet")
	}
	return nil
}

// awaitProcess waits a moment for the end of a process that was killed, and
// reports whether it came.
func (k *Kernel) awaitProcess() bool {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-k.proc.Done():
		return true
	case <-timer.C:
		return false
	}
}

// end kills the process, once, for the reason given.
func (k *Kernel) end(why error) {
	k.mu.Lock()
	first := k.ended == nil
	if first {
		k.ended = why
	}
	k.mu.Unlock()
	if !first {
		return
	}
	close(k.quit)
	k.proc.Kill()
	_ = k.conn.Close()
}

func (k *Kernel) why() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ended
}

// watch ends the kernel when its process does, also where a descendant that got
// away with a copy of the socket keeps it open.
func (k *Kernel) watch() {
	select {
	case <-k.quit:
		return
	case <-k.reader:
		return
	case <-k.proc.Done():
	}
	timer := time.NewTimer(200 * time.Millisecond) // for what it sent last
	defer timer.Stop()
	select {
	case <-k.reader:
	case <-timer.C:
	}
	k.end(errors.New("the interpreter ended"))
}

// An outbox is a queue of frames with one goroutine that writes them: whoever
// wants something said never waits for an interpreter that does not listen.
type outbox struct {
	mu    sync.Mutex
	queue []outgoing
	wake  chan struct{}
}

type outgoing struct {
	frame   []byte
	written func() // may be nil
}

func (o *outbox) put(frame []byte, written func()) {
	o.mu.Lock()
	o.queue = append(o.queue, outgoing{frame, written})
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) take() []outgoing {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.queue
	o.queue = nil
	return all
}

func (k *Kernel) write() {
	for {
		select {
		case <-k.quit:
			return
		case <-k.out.wake:
		}
		for _, item := range k.out.take() {
			if _, err := k.conn.Write(item.frame); err != nil {
				return // the reader sees the same end, and the reason
			}
			if item.written != nil {
				item.written()
			}
		}
	}
}
