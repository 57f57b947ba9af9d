package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A stage is the folder on the host in which one run happens: the program's own
// files in job, the copy of the workspace in ws. It belongs to the uid that the
// program runs as, nobody else may enter it, and it is gone when the run is.
type stage struct {
	path      string
	base, top *os.File // the folder that it is in, and itself
	lock      *os.File // locked while in use
	workspace *workspace
	temp      *workspace // the folder for temporary files, where there is no mount for it
}

const (
	stagePrefix = "helios-sandbox-"
	lockName    = "lock"
)

// newStage lays out a run. uid and gid are who the program runs as; chown says
// that this is not the caller.
func newStage(ctx context.Context, base string, job *Job, limits Limits, uid, gid int, chown bool) (*stage, error) {
	s := &stage{}
	ok := false
	defer func() {
		if !ok {
			s.remove()
		}
	}()
	if err := s.make(base); err != nil {
		return nil, fmt.Errorf("make a staging folder in %s: %w", base, err)
	}
	own := func(f *os.File) error {
		if chown {
			return unix.Fchown(int(f.Fd()), uid, gid)
		}
		return nil
	}
	for _, name := range sortedKeys(job.Files) {
		if err := s.addFile(name, job.Files[name], own); err != nil {
			return nil, fmt.Errorf("stage the program's file %s: %w", name, err)
		}
	}
	if job.Dir != "" {
		if err := s.addWorkspace(ctx, job, limits, uid, gid, chown); err != nil {
			return nil, err
		}
	}
	// Last, so that until here nobody but the caller could get in.
	if err := own(s.top); err != nil {
		return nil, fmt.Errorf("give the staging folder to uid %d: %w", uid, err)
	}
	ok = true
	return s, nil
}

func (s *stage) make(base string) error {
	var err error
	if s.base, err = os.OpenFile(base, os.O_RDONLY|unix.O_DIRECTORY, 0); err != nil {
		return err
	}
	made, err := os.MkdirTemp(base, stagePrefix)
	if err != nil {
		return err
	}
	s.path = made
	if s.top, err = openDir(s.base, filepath.Base(made)); err != nil {
		return err
	}
	if s.lock, err = create(s.top, lockName); err != nil {
		return err
	}
	return unix.Flock(int(s.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}

func (s *stage) addFile(name string, content []byte, own func(*os.File) error) error {
	dir, err := makeDirs(s.top, path.Join("job", path.Dir(name)), own)
	if err != nil {
		return err
	}
	defer dir.Close()
	f, err := create(dir, path.Base(name))
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(content); err != nil {
		return err
	}
	return own(f)
}

func (s *stage) addWorkspace(ctx context.Context, job *Job, limits Limits, uid, gid int, chown bool) error {
	outside, err := os.OpenFile(job.Dir, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return fmt.Errorf("open the workspace: %w", err)
	}
	s.workspace = &workspace{
		outside: outside, readOnly: job.ReadOnly, limits: limits,
		uid: uid, gid: gid, chown: chown, stamps: map[string]stamp{},
	}
	if s.workspace.inside, err = makeDir(s.top, "ws", s.workspace.own); err != nil {
		return fmt.Errorf("make a staging folder: %w", err)
	}
	return s.workspace.takeIn(ctx)
}

// mounts are the stage as the program sees it.
func (s *stage) mounts() []mount {
	m := []mount{{from: filepath.Join(s.path, "job"), to: "/job"}}
	if s.workspace == nil {
		return m
	}
	m = append(m, mount{from: filepath.Join(s.path, "ws"), to: "/ws", write: true})
	for _, name := range s.workspace.mounted {
		m = append(m, mount{from: filepath.Join(s.path, "ws", name), to: path.Join("/ws", name)})
	}
	return m
}

// remove removes the stage. What cannot be removed is left to a later sweep.
func (s *stage) remove() {
	if s.top != nil && empty(s.top) == nil {
		_ = unix.Unlinkat(int(s.base.Fd()), filepath.Base(s.path), unix.AT_REMOVEDIR)
	}
	s.closeTemp()
	if s.workspace != nil {
		closeFiles(s.workspace.inside, s.workspace.outside)
	}
	closeFiles(s.lock, s.top, s.base)
}

// sweepStages removes stages of processes that were killed: those that nobody
// holds locked. A fresh one may be about to be locked.
func sweepStages(base string, owners ...int) {
	dir, err := os.OpenFile(base, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return
	}
	defer dir.Close()
	entries, _ := dir.Readdirnames(-1)
	for _, name := range entries {
		if strings.HasPrefix(name, stagePrefix) {
			sweepStage(dir, name, owners, time.Minute)
		}
	}
}

func sweepStage(base *os.File, name string, owners []int, age time.Duration) {
	top, err := openDir(base, name)
	if err != nil {
		return
	}
	defer top.Close()
	var st unix.Stat_t
	if unix.Fstat(int(top.Fd()), &st) != nil || !slices.Contains(owners, int(st.Uid)) || time.Since(time.Unix(st.Ctim.Unix())) < age {
		return
	}
	lock, err := openAt(top, lockName, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err == nil {
		defer lock.Close()
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
			return
		}
	} else if !errors.Is(err, unix.ENOENT) {
		return
	}
	if empty(top) == nil {
		_ = unix.Unlinkat(int(base.Fd()), name, unix.AT_REMOVEDIR)
	}
}

// findBase returns the folder for stages: one whose ancestors uid may search.
func findBase(chosen string, uid int) (string, error) {
	candidates := []string{os.TempDir(), "/tmp", "/var/tmp"}
	if chosen != "" {
		candidates = []string{chosen}
	}
	for _, dir := range candidates {
		resolved, err := filepath.EvalSymlinks(dir)
		if err == nil && filepath.IsAbs(resolved) && isDir(resolved) && searchable(resolved, uid) {
			return resolved, nil
		}
	}
	return "", fmt.Errorf("uid %d may not reach the folders %s", uid, strings.Join(candidates, ", "))
}

// searchable is true when uid may pass through dir and all that is above it.
func searchable(dir string, uid int) bool {
	for {
		var st unix.Stat_t
		if unix.Stat(dir, &st) != nil {
			return false
		}
		mine := int(st.Uid) == uid && st.Mode&0o100 != 0
		if !mine && st.Mode&0o001 == 0 {
			return false
		}
		if dir == "/" {
			return true
		}
		dir = filepath.Dir(dir)
	}
}

func closeFiles(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
