package agenttest

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/helios-go/helios/agent"
)

// ErrCrashed is what a [CrashStore] returns once it has crashed.
var ErrCrashed = errors.New("agenttest: the store has crashed")

// A CrashStore passes calls on to a store until a number of writes have been
// made, and fails all calls after that: to the log it looks as if the process had
// been killed there. Open the inner store again to go on. It is safe for
// concurrent use.
type CrashStore struct {
	inner agent.Store
	mu    sync.Mutex
	left  int
}

// Crash returns a store that crashes after n writes (Append and Post).
func Crash(inner agent.Store, n int) *CrashStore { return &CrashStore{inner: inner, left: n} }

// Kill crashes the store now.
func (c *CrashStore) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = -1
}

// Crashed reports whether it has.
func (c *CrashStore) Crashed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.left < 0
}

// alive takes n of the writes that are left.
func (c *CrashStore) alive(n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left < n {
		c.left = -1
	}
	if c.left < 0 {
		return ErrCrashed
	}
	c.left -= n
	return nil
}

// Append implements [agent.Store].
func (c *CrashStore) Append(ctx context.Context, l agent.Lease, events []agent.Event) (agent.Seq, error) {
	if err := c.alive(1); err != nil {
		return 0, err
	}
	return c.inner.Append(ctx, l, events)
}

// Post implements [agent.Store].
func (c *CrashStore) Post(ctx context.Context, session string, events []agent.Event) (agent.Seq, error) {
	if err := c.alive(1); err != nil {
		return 0, err
	}
	return c.inner.Post(ctx, session, events)
}

// Read implements [agent.Store].
func (c *CrashStore) Read(ctx context.Context, session string, from agent.Seq) iter.Seq2[agent.Event, error] {
	if err := c.alive(0); err != nil {
		return func(yield func(agent.Event, error) bool) { yield(agent.Event{}, err) }
	}
	return c.inner.Read(ctx, session, from)
}

// Acquire implements [agent.Store].
func (c *CrashStore) Acquire(ctx context.Context, session, owner string, ttl time.Duration) (agent.Lease, error) {
	if err := c.alive(0); err != nil {
		return agent.Lease{}, err
	}
	return c.inner.Acquire(ctx, session, owner, ttl)
}

// Renew implements [agent.Store].
func (c *CrashStore) Renew(ctx context.Context, l agent.Lease) error {
	if err := c.alive(0); err != nil {
		return err
	}
	return c.inner.Renew(ctx, l)
}

// Release implements [agent.Store].
func (c *CrashStore) Release(ctx context.Context, l agent.Lease) error {
	if err := c.alive(0); err != nil {
		return err
	}
	return c.inner.Release(ctx, l)
}

// List implements [agent.Store].
func (c *CrashStore) List(ctx context.Context, f agent.Filter) iter.Seq2[agent.SessionInfo, error] {
	return c.inner.List(ctx, f)
}

// Purge implements [agent.Store].
func (c *CrashStore) Purge(ctx context.Context, olderThan time.Time) (int, error) {
	return c.inner.Purge(ctx, olderThan)
}
