package helioai

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// lease is how long the log of a session stays closed to others after its
// process was killed. It is short because the lock file, which ends with its
// process, already keeps living ones apart.
const lease = 4 * time.Second

// errLocked says that somebody holds a lock.
var errLocked = errors.New("locked")

// hold finds the session of a question and keeps everybody else out of it until
// unlock. Two questions at once would become one run, and both get one answer.
func (a *Assistant) hold(ctx context.Context, q *Question) (s *place, unlock func(), err error) {
	if s, err = a.resolve(ctx, q); err != nil {
		return nil, nil, err
	}
	unlock, err = lock(a.Home.Lock(a.User, s.id))
	switch {
	case errors.Is(err, errLocked):
		return nil, nil, fmt.Errorf("session %s is being asked something else; wait for that answer, or use another session", s.id)
	case err != nil:
		return nil, nil, fmt.Errorf("lock session %s: %w", s.id, err)
	case q.Session == "":
		return s, unlock, nil
	}
	// It may have been started meanwhile.
	again := *q
	again.Session = s.id
	if s, err = a.resolve(ctx, &again); err != nil {
		unlock()
		return nil, nil, err
	}
	return s, unlock, nil
}

// lock takes the lock that a file stands for, or returns errLocked at once. The
// file is there only while somebody holds it; a process that dies gives it up.
func lock(path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := tryLock(f); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		// Whoever held it before may have removed it in between.
		mine, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if now, err := os.Stat(path); err == nil && os.SameFile(mine, now) {
			return func() {
				_ = os.Remove(path) // first, so that nobody waits for a file without a name
				_ = f.Close()
			}, nil
		}
		_ = f.Close()
	}
}
