package repl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
)

// read takes frames until there are none. Whatever does not fit ends the kernel.
func (k *Kernel) read() {
	defer close(k.reader)
	for {
		frame, err := readFrame(k.conn, k.cfg.MaxFrame)
		if err == nil {
			var m *workerMessage
			if m, err = decodeWorker(frame); err == nil {
				err = k.receive(m)
			}
		}
		if err != nil {
			k.end(readError(err))
			return
		}
	}
}

func readError(err error) error {
	var network net.Error
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrClosedPipe), errors.As(err, &network):
		return errors.New("the interpreter ended")
	default:
		return fmt.Errorf("the interpreter was killed, since something in it broke the protocol: %w", err)
	}
}

// receive is the state machine: what may come when.
func (k *Kernel) receive(m *workerMessage) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch m.Type {
	case "ready":
		if k.started {
			return errors.New("a second ready frame")
		}
		k.started = true
		if m.Error != "" {
			k.ready <- errors.New(m.Error)
		} else {
			k.ready <- nil
		}
		return nil
	case "result":
		if k.cell == nil || m.ID != k.cell.id {
			return fmt.Errorf("a result for cell %d, which is not running", m.ID)
		}
		k.cell.result <- m
		k.cell = nil
		return nil
	}
	c := k.cell
	if c == nil {
		return fmt.Errorf("a call of %q while no cell is running", m.Name)
	}
	if m.ID != k.calls+1 {
		return fmt.Errorf("call %d after call %d", m.ID, k.calls)
	}
	k.calls++
	c.calls++
	return k.take(c, m, c.calls)
}

// take starts the answer of a call, when there is a place for it. k.mu is held
// on entry and on return.
func (k *Kernel) take(c *cell, m *workerMessage, count int) error {
	k.mu.Unlock()
	defer k.mu.Lock()
	select {
	case k.gate <- struct{}{}:
	case <-k.quit:
		return io.EOF
	}
	k.answers.Go(func() { k.answer(c, m, count) })
	return nil
}

// answer runs the handler of a call and sends what it says.
func (k *Kernel) answer(c *cell, m *workerMessage, count int) {
	reply := &hostMessage{Type: "answer", ID: m.ID}
	result, err := k.handle(c, m, count)
	if err == nil {
		reply.Result = result
	} else {
		text := err.Error()
		reply.Error = &text
	}
	frame, err := encode(reply)
	if err != nil {
		text := fmt.Sprintf("the result of %s cannot be handed over: %v", m.Name, err)
		frame, _ = encode(&hostMessage{Type: "answer", ID: m.ID, Error: &text})
	}
	select {
	case <-k.quit: // dropped
		<-k.gate
	default:
		k.out.put(frame, func() { <-k.gate })
	}
}

func (k *Kernel) handle(c *cell, m *workerMessage, count int) (result json.RawMessage, err error) {
	params, known := k.params[m.Name]
	if !known {
		return nil, fmt.Errorf("Method not found: %s", m.Name)
	}
	if count > k.cfg.MaxCalls {
		return nil, fmt.Errorf("%s was not called: a cell can call host functions %d times", m.Name, k.cfg.MaxCalls)
	}
	args := m.Args
	if args == nil {
		args = json.RawMessage("{}")
	}
	if err := checkArgs(m.Name, args, params); err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fmt.Errorf("%s failed: panic: %v", m.Name, p)
		}
	}()
	result, err = k.cfg.Call(c.ctx, m.Name, args)
	if err != nil {
		return nil, err
	}
	if result == nil {
		result = json.RawMessage("null")
	}
	if !json.Valid(result) {
		return nil, fmt.Errorf("the result of %s is not JSON", m.Name)
	}
	return result, nil
}

func checkArgs(name string, args json.RawMessage, params map[string]bool) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(args, &object); err != nil || object == nil {
		return fmt.Errorf("%s: the arguments are not an object", name)
	}
	for key := range object {
		if !params[key] {
			return fmt.Errorf("%s has no parameter %q", name, key)
		}
	}
	return nil
}

// begin makes c the running cell; false when the kernel is dead.
func (k *Kernel) begin(ctx context.Context) (*cell, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended != nil {
		return nil, false
	}
	k.cells++
	k.cell = &cell{id: k.cells, ctx: ctx, result: make(chan *workerMessage, 1)}
	return k.cell, true
}
