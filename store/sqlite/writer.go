package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// errClosed is what a store says once it is closed.
var errClosed = errors.New("the store is closed")

// A writer makes the transactions of this process, one at a time. Whoever has
// the turn takes along what others are waiting to write, so that many sessions
// share one wait for the disk.
type writer struct {
	durable *conn // a commit is on the disk when it returns
	quick   *conn // a commit may be lost with the machine, not with the process

	turn chan struct{} // holds something while somebody writes

	mu     sync.Mutex
	queue  []*op
	closed bool

	// For whoever has the turn.
	held map[string]*row // sessions with a lease of this process
	wal  int             // bytes of events that were written since trim

	busy time.Duration
}

// batchSize bounds how many writes share a transaction.
const batchSize = 256

// An op is one write. It fails before it has written anything, or with an error
// of the database.
type op struct {
	do    func(*conn) error
	quick bool // the quick connection will do
	err   error
	done  chan struct{}
}

// open opens the connections. The caller closes the writer also after an error.
func (w *writer) open(d driver.Driver, name string, busy time.Duration) error {
	w.busy = busy
	w.turn = make(chan struct{}, 1)
	w.held = map[string]*row{}
	var err error
	if w.durable, err = dial(d, name+"&_pragma=synchronous(FULL)", busy); err != nil {
		return err
	}
	w.quick, err = dial(d, name+"&_pragma=synchronous(NORMAL)", busy)
	return err
}

// write does f in a transaction that is on the disk when it returns.
func (w *writer) write(ctx context.Context, f func(*conn) error) error {
	return w.do(ctx, &op{do: f})
}

// lease is write for what a process that died leaves to time, as leases: when
// the machine loses it, whom it was for is gone too.
func (w *writer) lease(ctx context.Context, f func(*conn) error) error {
	return w.do(ctx, &op{do: f, quick: true})
}

func (w *writer) do(ctx context.Context, o *op) error {
	o.done = make(chan struct{})
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return errClosed
	}
	w.queue = append(w.queue, o)
	w.mu.Unlock()
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-o.done:
		return o.err
	case <-ctx.Done():
		return w.withdraw(o, context.Cause(ctx))
	}
	select {
	case <-o.done: // the one before has done it
		return o.err
	default:
	}
	c := w.durable
	if o.quick {
		c = w.quick
	}
	if err := w.begin(ctx, c); err != nil {
		return w.withdraw(o, err)
	}
	w.run(c, w.take(o))
	if w.wal > walSize/2 {
		w.trim()
	}
	return o.err
}

// withdraw takes a write back that has not begun; one that has is waited for.
func (w *writer) withdraw(o *op, err error) error {
	w.mu.Lock()
	for i := range w.queue {
		if w.queue[i] == o {
			w.queue = append(w.queue[:i], w.queue[i+1:]...)
			w.mu.Unlock()
			return err
		}
	}
	w.mu.Unlock()
	<-o.done
	return o.err
}

// take returns the writes that go into the transaction of one of them.
func (w *writer) take(first *op) []*op {
	w.mu.Lock()
	defer w.mu.Unlock()
	batch, rest := []*op{first}, w.queue[:0]
	for _, o := range w.queue {
		switch {
		case o == first:
		case len(batch) < batchSize && (o.quick || !first.quick):
			batch = append(batch, o)
		default:
			rest = append(rest, o)
		}
	}
	clear(w.queue[len(rest):])
	w.queue = rest
	return batch
}

// trim has the next write begin at the front of the -wal file. SQLite does so by
// itself when it finds no reader there, which may take long where many read.
// A reader that does not go on is left in peace: the next time will do.
func (w *writer) trim() {
	w.wal = walSize/2 - walSize/16 // try again soon
	w.pragma(`busy_timeout = 20`)
	if v := w.pragma(`wal_checkpoint(RESTART)`); len(v) > 0 && v.number(0) == 0 {
		w.wal = 0
	}
	w.pragma(fmt.Sprint(`busy_timeout = `, w.busy.Milliseconds()))
}

// pragma returns the first row of a pragma, which SQLite may look at as early as
// it is prepared.
func (w *writer) pragma(text string) values {
	s, err := w.durable.Prepare(`PRAGMA ` + text)
	if err != nil {
		return nil
	}
	defer s.Close()
	q, ok := s.(driver.StmtQueryContext)
	if !ok {
		return nil
	}
	rows, err := q.QueryContext(context.Background(), nil)
	if err != nil {
		return nil
	}
	defer rows.Close()
	v := make(values, len(rows.Columns()))
	if rows.Next(v) != nil {
		return nil
	}
	return v
}

// run does the writes in the transaction that has begun, and again one by one if
// that fails, so that one cannot spoil the others.
func (w *writer) run(c *conn, batch []*op) {
	err := w.transact(c, batch)
	for _, o := range batch {
		if err != nil && len(batch) > 1 {
			if o.err = w.begin(context.Background(), c); o.err == nil {
				if err := w.transact(c, []*op{o}); err != nil {
					o.err = err
				}
			}
		} else if err != nil {
			o.err = err
		}
		close(o.done)
	}
}

// transact does the writes and commits. Its error, after which nothing is
// written, is one of the database.
func (w *writer) transact(c *conn, batch []*op) error {
	for _, o := range batch {
		o.err = o.do(c)
		if o.err != nil && isFault(o.err) {
			return w.undo(c, o.err)
		}
	}
	if _, err := c.exec(context.Background(), `COMMIT`); err != nil {
		return w.undo(c, err)
	}
	return nil
}

func (w *writer) undo(c *conn, err error) error {
	c.rollback()
	clear(w.held)
	return err
}

// close waits for the writes that have begun, and closes the connections.
func (w *writer) close() error {
	w.mu.Lock()
	closed := w.closed
	w.closed = true
	w.mu.Unlock()
	if closed || w.turn == nil {
		return nil
	}
	w.turn <- struct{}{}
	defer func() { <-w.turn }()
	return errors.Join(w.quick.close(), w.durable.close())
}

// A conn is a connection with the statements that were prepared on it. It is for
// one goroutine at a time.
type conn struct {
	driver.Conn

	stmts map[string]*stmt // by their text
}

type stmt struct {
	driver.Stmt

	exec  driver.StmtExecContext // the same one
	query driver.StmtQueryContext
	args  []driver.NamedValue
	dest  values
}

func dial(d driver.Driver, name string, busy time.Duration) (*conn, error) {
	c := &conn{stmts: map[string]*stmt{}}
	err := patiently(context.Background(), busy, func() (err error) {
		c.Conn, err = d.Open(name)
		return fault(err)
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// patiently does again what finds the file locked, for as long as one waits for a
// lock. SQLite waits by itself in most places, but not while the file becomes one
// with a -wal file, or is made whole after a crash.
func patiently(ctx context.Context, busy time.Duration, do func() error) error {
	began := time.Now()
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		err := do()
		if !isBusy(err) || time.Since(began) > busy {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}

func (c *conn) close() error {
	if c == nil {
		return nil
	}
	for _, s := range c.stmts {
		s.Close()
	}
	return c.Close()
}

// begin begins a transaction, also where SQLite does not wait for the lock.
func (w *writer) begin(ctx context.Context, c *conn) error {
	return patiently(ctx, w.busy, func() error { return c.begin(ctx) })
}

// begin takes the lock for writing, unless another process holds it for longer
// than the busy timeout, or ctx ends.
func (c *conn) begin(ctx context.Context) error {
	_, err := c.exec(ctx, `BEGIN IMMEDIATE`)
	if err != nil {
		c.rollback() // it may have begun as ctx ended
	}
	return err
}

// rollback ends a transaction, if SQLite has not done so by itself.
func (c *conn) rollback() {
	_, _ = c.exec(context.Background(), `ROLLBACK`)
}

// prepare finds or makes the statement. Its text must be a constant.
func (c *conn) prepare(query string, args []driver.Value) (*stmt, error) {
	s := c.stmts[query]
	if s == nil {
		prepared, err := c.Prepare(query)
		if err != nil {
			return nil, fault(err)
		}
		s = &stmt{Stmt: prepared}
		s.exec, _ = prepared.(driver.StmtExecContext)
		s.query, _ = prepared.(driver.StmtQueryContext)
		if s.exec == nil || s.query == nil {
			return nil, errors.New("the driver does not know contexts")
		}
		c.stmts[query] = s
	}
	s.args = s.args[:0]
	for i, v := range args {
		s.args = append(s.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return s, nil
}

// exec runs a statement that has no rows.
func (c *conn) exec(ctx context.Context, query string, args ...driver.Value) (driver.Result, error) {
	s, err := c.prepare(query, args)
	if err != nil {
		return nil, err
	}
	res, err := s.exec.ExecContext(ctx, s.args)
	clear(s.args)
	return res, fault(err)
}

// change runs a statement and returns how many rows it has changed.
func (c *conn) change(query string, args ...driver.Value) (int64, error) {
	res, err := c.exec(context.Background(), query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// first calls f with the first row of a query, if there is one.
func (c *conn) first(query string, f func(values), args ...driver.Value) error {
	err := c.each(context.Background(), query, args, func(v values) error {
		f(v)
		return io.EOF
	})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
