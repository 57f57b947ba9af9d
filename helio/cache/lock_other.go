//go:build !unix

package cache

import "sync"

// tryLock returns nil while somebody else holds the lock.
func (c *Cache) tryLock(path string) (unlock func(), err error) {
	return c.locks.try(path), nil
}

// inProcess are the locks that are held, where files cannot be locked.
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
