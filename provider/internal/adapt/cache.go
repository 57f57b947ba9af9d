package adapt

import (
	"encoding/json"
	"sync"
)

// What a cache holds at most.
const (
	cacheSchemas = 1024
	cacheBytes   = 8 << 20 // of schemas, before and after
)

// A Cache remembers what schemas became: an agent sends the same tools every turn.
// It goes by what a schema says, not by where it stands. The zero value is an empty
// cache, a nil one remembers nothing, and both are safe for concurrent use. A cache
// that is full starts anew.
type Cache struct {
	mu    sync.RWMutex
	known map[cacheKey]*Adapted
	bytes int
}

type cacheKey struct {
	schema  string
	dialect *Dialect
}

// Schema is [Schema], once for each schema and dialect. Dialects are told apart by
// where they stand and must not change.
func (c *Cache) Schema(data json.RawMessage, d *Dialect) (*Adapted, error) {
	if c == nil {
		return Schema(data, d)
	}
	c.mu.RLock()
	a := c.known[cacheKey{string(data), d}] // makes no copy
	c.mu.RUnlock()
	if a != nil {
		return a, nil
	}
	a, err := Schema(data, d)
	if err != nil {
		return nil, err
	}
	size := len(data) + len(a.JSON)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= cacheSchemas || c.bytes+size > cacheBytes {
		c.known, c.bytes = map[cacheKey]*Adapted{}, 0
	}
	c.known[cacheKey{string(data), d}] = a
	c.bytes += size
	return a, nil
}
