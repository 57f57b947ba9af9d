// Package sqlite keeps the sessions of package agent in one SQLite file: the
// durable store for one machine. It is pure Go, so a program that uses it can
// still be a static binary.
//
//	store, err := sqlite.Open("helios.db", nil)
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	s, err := a.Open(ctx, &agent.OpenOptions{Store: store, SessionID: "toulouse"})
//
// Every append is one transaction that is on the disk when it returns (WAL,
// synchronous FULL). Any number of processes may share the file on a local disk;
// writers wait for each other, and those of one process share their waits for the
// disk. A session has one owner at a time, by leases that end by this machine's
// clock.
//
// [Store.Prompts] keeps versions of prompts in the same file.
//
// The file and its side files are readable by their owner only. The log can be
// looked at with any SQLite tool: events holds one JSON object per row.
package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/helios-go/helios/agent"
	driver "modernc.org/sqlite"
)

// Options of a store; the zero value and nil are the defaults.
type Options struct {
	// BusyTimeout is how long a write waits for other processes, by default ten
	// seconds.
	BusyTimeout time.Duration
}

// A Store is an [agent.Store] in an SQLite file. It is safe for concurrent use.
type Store struct {
	path string
	w    writer
	r    reader
}

var _ agent.Store = (*Store)(nil)

// Open opens the store in a file, and makes both the file and its folder if they
// are missing, for their owner only. A file of a newer version of this package
// is refused, one of an older version is brought up to date.
func Open(path string, opts *Options) (*Store, error) {
	if opts == nil {
		opts = &Options{}
	}
	busy := opts.BusyTimeout
	if busy <= 0 {
		busy = 10 * time.Second
	}
	s := &Store{path: path}
	if err := s.open(busy); err != nil {
		s.Close()
		return nil, fmt.Errorf("open session store %q: %w", path, err)
	}
	return s, nil
}

func (s *Store) open(busy time.Duration) error {
	if s.path == "" {
		return errors.New("it has no name")
	}
	abs, err := filepath.Abs(s.path)
	if err != nil {
		return err
	}
	if err := create(abs); err != nil {
		return err
	}
	name := dsn(abs, busy)
	d := newDriver()
	if err := s.w.open(d, name, busy); err != nil {
		return err
	}
	if err := s.w.migrate(); err != nil {
		return err
	}
	s.r.open(d, name+"&_pragma=query_only(1)", busy, max(4, runtime.GOMAXPROCS(0)))
	return nil
}

func newDriver() *driver.Driver { return &driver.Driver{} }

// create makes an empty file that only its owner may read; SQLite gives its side
// files the same mode.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// walSize is where the -wal file is cut back to once its content is in the
// database.
const walSize = 16 << 20

func dsn(path string, busy time.Duration) string {
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	if name.Path[0] != '/' {
		name.Path = "/" + name.Path // a Windows drive
	}
	return fmt.Sprintf("%s?_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(%d)",
		name.String(), busy.Milliseconds(), walSize)
}

// Close closes the file, after the writes that have begun. Sessions that still
// use the store fail from then on.
func (s *Store) Close() error {
	return errors.Join(s.r.close(), s.w.close())
}
