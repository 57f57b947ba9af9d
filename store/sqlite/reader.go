package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"sync"
	"time"
)

// A reader makes the queries of this process, several at a time. They see what
// has been committed, and wait for nobody who writes.
type reader struct {
	driver driver.Driver
	name   string
	busy   time.Duration
	places chan struct{} // holds one thing for each query that runs
	closed chan struct{}
	once   sync.Once

	mu   sync.Mutex
	idle []*conn
}

func (r *reader) open(d driver.Driver, name string, busy time.Duration, parallel int) {
	r.driver, r.name, r.busy, r.places, r.closed = d, name, busy, make(chan struct{}, parallel), make(chan struct{})
}

// query calls f with each row, which is valid only during the call.
func (r *reader) query(ctx context.Context, text string, args []driver.Value, f func(values) error) error {
	select {
	case <-r.closed:
		return errClosed
	case r.places <- struct{}{}:
		defer func() { <-r.places }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	c, err := r.take()
	if err != nil {
		return err
	}
	defer r.put(c)
	return c.each(ctx, text, args, f)
}

func (r *reader) take() (*conn, error) {
	select {
	case <-r.closed:
		return nil, errClosed
	default:
	}
	if c := r.rested(); c != nil {
		return c, nil
	}
	return dial(r.driver, r.name, r.busy)
}

// rested takes a connection that nobody uses, nil if there is none.
func (r *reader) rested() *conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.idle)
	if n == 0 {
		return nil
	}
	c := r.idle[n-1]
	r.idle = r.idle[:n-1]
	return c
}

func (r *reader) put(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.idle = append(r.idle, c)
}

// close waits for the queries that run, and closes the connections.
func (r *reader) close() error {
	var errs []error
	r.once.Do(func() {
		if r.closed == nil {
			return // it was never opened
		}
		close(r.closed)
		for range cap(r.places) {
			r.places <- struct{}{}
		}
		for _, c := range r.idle {
			errs = append(errs, c.close())
		}
	})
	return errors.Join(errs...)
}

// each calls f with each row of a query.
func (c *conn) each(ctx context.Context, text string, args []driver.Value, f func(values) error) error {
	s, err := c.prepare(text, args)
	if err != nil {
		return err
	}
	rows, err := s.query.QueryContext(ctx, s.args)
	clear(s.args)
	if err != nil {
		return fault(err)
	}
	defer rows.Close()
	if s.dest == nil {
		s.dest = make([]driver.Value, len(rows.Columns()))
	}
	defer clear(s.dest)
	for {
		switch err := rows.Next(s.dest); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fault(err)
		}
		if err := f(s.dest); err != nil {
			return err
		}
	}
}

// values are those of a row: numbers and text, as the tables have it.
type values []driver.Value

func (v values) number(i int) int64 {
	n, _ := v[i].(int64)
	return n
}

func (v values) text(i int) string {
	s, _ := v[i].(string)
	return s
}
