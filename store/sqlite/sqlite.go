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
// writers wait for each other. A session has one owner at a time, by leases that
// end by this machine's clock.
//
// The file and its side files are readable by their owner only. The log can be
// looked at with any SQLite tool: events holds one JSON object per row.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/helios-go/helios/agent"
	_ "modernc.org/sqlite" // the driver
)

// Options of a store; the zero value and nil are the defaults.
type Options struct {
	// BusyTimeout is how long a write waits for other processes, by default ten
	// seconds.
	BusyTimeout time.Duration
}

// A Store is an [agent.Store] in an SQLite file. It is safe for concurrent use.
type Store struct {
	path  string
	write *sql.DB // one connection: the writers of this process queue here, in Go
	read  *sql.DB
}

var _ agent.Store = (*Store)(nil)

// Open opens the store in a file, and makes both the file and its folder if they
// are missing, for their owner only. A file of a newer version of this package
// is refused.
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
	if s.write, err = sql.Open("sqlite", dsn(abs, busy)+"&_txlock=immediate"); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	if err := s.migrate(); err != nil {
		return err
	}
	if s.read, err = sql.Open("sqlite", dsn(abs, busy)+"&_pragma=query_only(1)"); err != nil {
		return err
	}
	s.read.SetMaxOpenConns(max(4, runtime.GOMAXPROCS(0)))
	return nil
}

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

func dsn(path string, busy time.Duration) string {
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	if name.Path[0] != '/' {
		name.Path = "/" + name.Path // a Windows drive
	}
	return fmt.Sprintf("%s?_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)",
		name.String(), busy.Milliseconds())
}

// Close closes the file. Sessions that still use the store fail from then on.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// version is that of the tables below, kept by component so that other packages
// may keep tables of theirs in the same file.
const version = 1

const tables = `
CREATE TABLE sessions (
	num     INTEGER PRIMARY KEY,
	id      TEXT NOT NULL UNIQUE,
	agent   TEXT NOT NULL DEFAULT '',
	user    TEXT NOT NULL DEFAULT '',
	parent  TEXT NOT NULL DEFAULT '',
	state   TEXT NOT NULL DEFAULT 'idle',
	pending INTEGER NOT NULL DEFAULT 0,
	seq     INTEGER NOT NULL DEFAULT 0,
	created INTEGER NOT NULL DEFAULT 0, -- unix nanoseconds, as active and until
	active  INTEGER NOT NULL DEFAULT 0,
	owner   TEXT NOT NULL DEFAULT '',
	until   INTEGER NOT NULL DEFAULT 0,
	epoch   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sessions_by_activity ON sessions (active);
CREATE TABLE events (
	session INTEGER NOT NULL,
	seq     INTEGER NOT NULL,
	event   TEXT NOT NULL,
	PRIMARY KEY (session, seq)
) STRICT;
`

// migrate makes the tables of a new file. A file that has them is only read, so
// that it can be opened while others write.
func (s *Store) migrate() error {
	const query = `SELECT version FROM helios_versions WHERE component = 'sessions'`
	var have int
	if err := s.write.QueryRowContext(context.Background(), query).Scan(&have); err == nil {
		return compatible(have)
	}
	return s.tx(context.Background(), func(tx *sql.Tx) error {
		const versions = `CREATE TABLE IF NOT EXISTS helios_versions (component TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT`
		if _, err := tx.Exec(versions); err != nil {
			return err
		}
		err := tx.QueryRow(query).Scan(&have)
		if err == nil {
			return compatible(have) // somebody else was faster
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if _, err := tx.Exec(tables); err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO helios_versions VALUES ('sessions', ?)`, version)
		return err
	})
}

func compatible(have int) error {
	if have > version {
		return fmt.Errorf("it has format %d, and this program knows up to %d: use a newer one", have, version)
	}
	return nil
}

// tx runs f in a transaction that has the write lock from its beginning.
func (s *Store) tx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		tx.Rollback() // the error of f is the one that counts
		return err
	}
	return tx.Commit()
}
