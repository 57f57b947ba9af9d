package adapt

// Len is how many schemas a cache holds.
func (c *Cache) Len() int { return len(c.known) }
