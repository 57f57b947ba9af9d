package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// A Mode is how names are kept inside of the tree.
type Mode uint8

const (
	// Strict lets the kernel refuse: openat2 beneath the root without links and
	// mounts, and a look at what was found before it is opened. Linux 5.6 with
	// /proc mounted; elsewhere [Open] fails with an [*UnsupportedError].
	Strict Mode = iota
	// Portable is os.Root with a look at what was opened. It works everywhere
	// and is weaker: see [Root.Describe].
	Portable
)

// String names the mode.
func (m Mode) String() string {
	if m == Strict {
		return "strict"
	}
	return "portable"
}

// Options are how a tree is opened. The zero value is strict and can be written.
type Options struct {
	Mode     Mode
	ReadOnly bool // a corpus: whatever would change it is an [ErrReadOnly]
}

// A Root is an open directory tree. It is safe for concurrent use. It stays the
// same tree when its folder is moved or replaced, and a tree that is gone is not
// made anew.
type Root struct {
	dir      string
	mode     Mode
	readOnly bool
	top      folder
	users    atomic.Int64 // calls in progress; closedBit once closed
	once     sync.Once    // closes top
	closing  error
}

// closedBit marks the count of users of a closed Root.
const closedBit = 1 << 62

// Open opens the tree under dir, which must be a folder; opts may be nil. It
// never falls back to a weaker mode: where [Strict] is not possible the error is
// an [*UnsupportedError]. Close the Root when it is no longer needed.
func Open(dir string, opts *Options) (*Root, error) {
	if opts == nil {
		opts = &Options{}
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open workspace %q: %w", dir, err)
	}
	if is, err := os.Stat(full); err != nil {
		return nil, fmt.Errorf("open workspace %q: %w; make the folder first", dir, cause(err))
	} else if !is.IsDir() {
		return nil, fmt.Errorf("open workspace %q: %w", dir, ErrNotFolder)
	}
	r := &Root{dir: full, mode: opts.Mode, readOnly: opts.ReadOnly}
	switch opts.Mode {
	case Strict:
		r.top, err = openStrict(full)
	case Portable:
		r.top, err = openPortable(full)
	default:
		return nil, fmt.Errorf("open workspace %q: there is no mode %d", dir, opts.Mode)
	}
	if err != nil {
		return nil, fmt.Errorf("open workspace %q: %w", dir, err)
	}
	return r, nil
}

// Close closes the tree. Calls that are in progress end as if it were open, later
// ones fail with [fs.ErrClosed]. Files that were opened stay open.
func (r *Root) Close() error {
	for {
		n := r.users.Load()
		if n&closedBit != 0 {
			return &Error{Op: "close", Path: ".", Err: fs.ErrClosed}
		}
		if r.users.CompareAndSwap(n, n|closedBit) {
			if n == 0 {
				r.shut()
				return r.closing
			}
			return nil
		}
	}
}

// enter keeps the descriptors open until leave: a number of one that was closed
// soon is the number of something else.
func (r *Root) enter() error {
	if r.users.Add(1)&closedBit != 0 {
		r.leave()
		return fs.ErrClosed
	}
	return nil
}

func (r *Root) leave() {
	if r.users.Add(-1) == closedBit {
		r.shut()
	}
}

func (r *Root) shut() { r.once.Do(func() { r.closing = r.top.close() }) }

// Dir returns the folder that was opened, as an absolute path of this machine.
// It is for the host and its sandbox; do not show it to a model.
func (r *Root) Dir() string { return r.dir }

// Mode returns the mode.
func (r *Root) Mode() Mode { return r.mode }

// ReadOnly reports whether the tree can only be read.
func (r *Root) ReadOnly() bool { return r.readOnly }
