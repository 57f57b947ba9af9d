package cache

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Lock lets one holder at a time do what the name stands for: on Unix of all
// processes that share the folder, elsewhere of this one's goroutines that share
// the Cache. It ends with the process that holds it, however that ends. It returns
// the context's error when the context ends first.
func (c *Cache) Lock(ctx context.Context, lock string) (unlock func(), err error) {
	folder := filepath.Join(c.dir, lockFolder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("lock the cache: %w", err)
	}
	path := filepath.Join(folder, name(lock))
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		unlock, err := c.tryLock(path)
		if unlock != nil {
			return sync.OnceFunc(unlock), nil
		}
		if err != nil {
			return nil, fmt.Errorf("lock the cache: %w", err)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		}
	}
}

const lockFolder = "locks"

// inProcess are the locks that are held by this Cache.
type inProcess struct {
	mu   sync.Mutex
	held map[string]bool
}

func (p *inProcess) try(name string) (unlock func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held[name] {
		return nil
	}
	if p.held == nil {
		p.held = map[string]bool{}
	}
	p.held[name] = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.held, name)
	}
}
