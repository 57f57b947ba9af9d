package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stale is how old an unfinished file must be to be taken for one whose writer was
// killed.
const stale = time.Hour

// grown notes that bytes were written, and trims when it is time.
func (c *Cache) grown(n int64) error {
	if c.limit < 0 || c.written.Add(-n) > 0 {
		return nil
	}
	_, err := c.Trim()
	return err
}

// Size returns how many bytes the pieces take.
func (c *Cache) Size() (int64, error) {
	files, err := c.files()
	var total int64
	for _, f := range files {
		total += f.size
	}
	return total, err
}

// Trim brings the folder under its limit: pieces that were not used for longest go
// first, until a tenth of the limit is free. It also removes what killed writers
// left. Puts call it when it is time.
func (c *Cache) Trim() (freed int64, err error) {
	c.trim.Lock()
	defer c.trim.Unlock()
	files, err := c.files()
	if err != nil {
		return 0, err
	}
	var total int64
	for _, f := range files {
		total += f.size
	}
	if c.limit >= 0 && total > c.limit {
		slices.SortFunc(files, func(a, b file) int { return a.used.Compare(b.used) })
		for _, f := range files {
			if total <= c.limit-c.limit/10 {
				break
			}
			if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return freed, fmt.Errorf("trim the cache: %w", err)
			}
			total -= f.size
			freed += f.size
		}
	}
	c.written.Store(max((c.limit-total)/2, 1))
	return freed, nil
}

type file struct {
	path string
	size int64
	used time.Time
}

// files lists the pieces, and removes what was left half written.
func (c *Cache) files() ([]file, error) {
	var files []file
	err := filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // somebody else trims too
		}
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path == filepath.Join(c.dir, lockFolder) {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		switch {
		case strings.HasPrefix(d.Name(), partial):
			if c.now().Sub(info.ModTime()) > stale {
				_ = os.Remove(path) //nolint:gosec // the folder is its owner's alone
			}
		case strings.HasSuffix(d.Name(), suffix):
			files = append(files, file{path, info.Size(), info.ModTime()})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look through the cache: %w", err)
	}
	return files, nil
}
