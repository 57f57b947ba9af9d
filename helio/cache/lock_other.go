//go:build !unix

package cache

// tryLock returns nil while somebody else holds the lock.
func (c *Cache) tryLock(path string) (unlock func(), err error) {
	return c.locks.try(path), nil
}
