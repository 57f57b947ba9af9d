// Package cache keeps what archives have answered in a folder, so that nothing is
// fetched twice, work goes on without a network, and a program that was killed
// begins where it was.
//
//	c, err := cache.Open(dir, nil)
//	if err != nil {
//		return err
//	}
//	key := cache.Key{Server: "cdaweb.gsfc.nasa.gov/hapi", Dataset: "AC_H0_MFI", Parameter: "BGSEc", Chunk: "2023-01-02"}
//	body, meta, ok, err := c.Get(key)
//	...
//	err = c.Put(key, cache.Meta{Modified: modified}, body)
//
// Each key is one file, below a folder for its server and one for its dataset,
// with what is known about it beside the body. A file appears whole or not at all,
// and carries a checksum: one that was damaged since counts as absent. So processes
// may share a folder, be killed at any moment, and need no repair. [Cache.Lock] lets
// them share the work as well.
//
// The folder has a limit. Above it, what was not used for longest goes first.
package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// DefaultLimit is the size of a cache that was opened without another limit.
const DefaultLimit int64 = 10 << 30

// Options of [Open]. The zero value, like nil, has the defaults.
type Options struct {
	Limit int64            // bytes that the folder may hold; 0 is [DefaultLimit], below 0 is no limit
	Now   func() time.Time // nil is time.Now
}

// A Key names one piece. Any text will do in each field.
type Key struct {
	Server    string // address without scheme, or the provider's name
	Dataset   string
	Parameter string
	Chunk     string // which part of it, as in "2023-01-02T00Z/P1D"
}

// Meta is what is known about a piece besides its bytes.
type Meta struct {
	Modified string            `json:"modified,omitempty"` // the server's date of it, in the server's form
	ETag     string            `json:"etag,omitempty"`
	Checked  time.Time         `json:"checked"` // when it was last known to be current; Put sets a zero one
	Extra    map[string]string `json:"extra,omitempty"`
}

// A Cache is a folder of pieces. It is safe for concurrent use, by other
// processes too, and needs no closing.
type Cache struct {
	dir   string
	limit int64
	now   func() time.Time

	written atomic.Int64 // bytes that may still be written before a trim is due
	trim    sync.Mutex
	locks   inProcess
}

// Open makes the folder, for its owner alone, if it is not there.
func Open(dir string, opts *Options) (*Cache, error) {
	if opts == nil {
		opts = &Options{}
	}
	c := &Cache{dir: dir, limit: opts.Limit, now: opts.Now}
	if c.limit == 0 {
		c.limit = DefaultLimit
	}
	if c.now == nil {
		c.now = time.Now
	}
	if dir == "" {
		return nil, errors.New("open the cache: no folder is named")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open the cache: %w", err)
	}
	c.written.Store(c.limit / 16) // what is there may be near the limit already
	return c, nil
}

// Dir returns the folder.
func (c *Cache) Dir() string { return c.dir }

const (
	suffix  = ".piece"
	partial = ".partial-" // begins the names of files that are being written
	magic   = "helioch1"
)

// path is where a key lives: readable as far as file systems allow it, and
// different for different keys.
func (c *Cache) path(k Key) string {
	return filepath.Join(c.dir, name(k.Server), name(k.Dataset), name(k.Parameter+"\x00"+k.Chunk)+suffix)
}

// name makes a file's name of any text: its harmless letters, so that people find
// their way, and a hash, so that no two texts share one.
func name(text string) string {
	const most = 48
	var b strings.Builder
	for _, r := range text {
		switch {
		case b.Len() >= most:
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_', r == '.' && b.Len() > 0:
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	sum := sha256.Sum256([]byte(text))
	return b.String() + "-" + hex.EncodeToString(sum[:8])
}

// A file is: magic, length of the head, the head (JSON: the key and the meta),
// CRC-32C of the head, the body, CRC-32C of the body.
type head struct {
	Key  Key  `json:"key"`
	Meta Meta `json:"meta"`
	Body int  `json:"body"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const maxHead = 1 << 20

// Get returns a piece. ok is false when there is none, or only a damaged one,
// which is then removed. The body is the caller's own.
func (c *Cache) Get(k Key) (body []byte, m Meta, ok bool, err error) {
	path := c.path(k)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Meta{}, false, nil
	}
	if err != nil {
		return nil, Meta{}, false, fmt.Errorf("read from the cache: %w", err)
	}
	h, body, ok := decode(data)
	if !ok || h.Key != k {
		// Another process may just have replaced it; then that one is lost too,
		// and fetched again.
		_ = os.Remove(path)
		return nil, Meta{}, false, nil
	}
	now := c.now()
	_ = os.Chtimes(path, now, now) // for the order of use; a read-only cache works without
	return body, h.Meta, true, nil
}

func decode(data []byte) (head, []byte, bool) {
	var h head
	const fixed = len(magic) + 4
	if len(data) < fixed || string(data[:len(magic)]) != magic {
		return h, nil, false
	}
	n := int64(binary.LittleEndian.Uint32(data[len(magic):]))
	rest := data[fixed:]
	if n > maxHead || n+8 > int64(len(rest)) {
		return h, nil, false
	}
	text, rest := rest[:n], rest[n:]
	if crc32.Checksum(text, castagnoli) != binary.LittleEndian.Uint32(rest) || json.Unmarshal(text, &h) != nil {
		return h, nil, false
	}
	body := rest[4 : len(rest)-4]
	if len(body) != h.Body || crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(rest[len(rest)-4:]) {
		return h, nil, false
	}
	return h, body, true
}

// Put keeps a piece, in place of what was there under the key.
func (c *Cache) Put(k Key, m Meta, body []byte) error {
	for _, text := range []string{k.Server, k.Dataset, k.Parameter, k.Chunk} {
		if !utf8.ValidString(text) {
			return fmt.Errorf("keep %q in the cache: it is not valid UTF-8", text)
		}
	}
	if m.Checked.IsZero() {
		m.Checked = c.now()
	}
	m.Checked = m.Checked.UTC()
	text, err := json.Marshal(head{Key: k, Meta: m, Body: len(body)})
	if err != nil {
		return fmt.Errorf("keep %s in the cache: %w", k.Dataset, err)
	}
	if len(text) > maxHead {
		return fmt.Errorf("keep %.60q in the cache: its names and notes take %d bytes, and %d fit", k.Dataset, len(text), maxHead)
	}
	path := c.path(k)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keep %s in the cache: %w", k.Dataset, err)
	}
	before := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(text)))
	before = append(before, text...)
	before = binary.LittleEndian.AppendUint32(before, crc32.Checksum(text, castagnoli))
	after := binary.LittleEndian.AppendUint32(nil, crc32.Checksum(body, castagnoli))
	if err := c.replace(path, before, body, after); err != nil {
		return fmt.Errorf("keep %s in the cache: %w", k.Dataset, err)
	}
	return c.grown(int64(len(before) + len(body) + len(after)))
}

// replace writes a file under another name and moves it into place once it is on
// the disk.
func (c *Cache) replace(path string, parts ...[]byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), partial+"*")
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err == nil {
			_, err = f.Write(p)
		}
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		now := c.now()
		err = os.Chtimes(f.Name(), now, now)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Confirm notes that the piece is still what the server has: m replaces what is
// known about it, checked now unless it says when. Without the piece it does
// nothing.
func (c *Cache) Confirm(k Key, m Meta) error {
	data, err := os.ReadFile(c.path(k))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("confirm %s in the cache: %w", k.Dataset, err)
	}
	_, body, ok := decode(data)
	if !ok {
		return nil // the next Get removes it
	}
	return c.Put(k, m, body)
}

// Remove forgets a piece.
func (c *Cache) Remove(k Key) error {
	if err := os.Remove(c.path(k)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s from the cache: %w", k.Dataset, err)
	}
	return nil
}
