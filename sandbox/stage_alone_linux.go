package sandbox

import (
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Folders of a stage beside job and ws where nothing can be mounted.
const (
	tempFolder  = "tmp"   // in place of /tmp, and of no limit but the watch's
	fixedFolder = "fixed" // what a program may read of its workspace and not change
)

// at is a path in the stage.
func (s *stage) at(name string) string { return filepath.Join(s.path, name) }

// standAlone makes the stage fit for a program that sees it where it is, since
// it has no mounts of its own. It gets a folder for temporary files. And since
// Landlock grants rights to a folder with all that is in it, what is read-only
// of the workspace moves out of it, and a link leads there. The program can
// remove the link, and with it lose sight of the file; it cannot change the
// file, and under that name nothing is brought back.
func (s *stage) standAlone(limits Limits, uid, gid int, chown bool) error {
	own := func(f *os.File) error {
		if chown {
			return unix.Fchown(int(f.Fd()), uid, gid)
		}
		return nil
	}
	temp, err := makeDir(s.top, tempFolder, own)
	if err != nil {
		return fmt.Errorf("make a folder for temporary files: %w", err)
	}
	s.temp = &workspace{inside: temp, limits: limits}
	if s.workspace == nil || len(s.workspace.mounted) == 0 {
		return nil
	}
	fixed, err := makeDir(s.top, fixedFolder, own)
	if err != nil {
		return fmt.Errorf("make a folder for read-only files: %w", err)
	}
	defer fixed.Close()
	for i, name := range s.workspace.mounted {
		if within(name, s.workspace.mounted) {
			continue // it has moved with a folder above it
		}
		if err := s.setAside(fixed, strconv.Itoa(i), name); err != nil {
			return fmt.Errorf("make %s read-only: %w", name, err)
		}
	}
	return nil
}

// within is true when a name lies below one of the others.
func within(name string, others []string) bool {
	for _, other := range others {
		if strings.HasPrefix(name, other+"/") {
			return true
		}
	}
	return false
}

// setAside moves an entry of the workspace out of it and leaves a link. Nothing
// of the program runs yet.
func (s *stage) setAside(fixed *os.File, as, name string) error {
	dir, err := makeDirs(s.workspace.inside, path.Dir(name), nil)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := unix.Renameat(int(dir.Fd()), path.Base(name), int(fixed.Fd()), as); err != nil {
		return err
	}
	return unix.Symlinkat(s.at(path.Join(fixedFolder, as)), int(dir.Fd()), path.Base(name))
}

// usage is that of the workspace. A program whose temporary files are over their
// limit, which is less than a workspace's, is over any.
func (s *stage) usage() (bytes int64, files int, err error) {
	temp, count, err := s.temp.usage()
	if err == nil && temp > s.temp.limits.Temp {
		return math.MaxInt64, count, nil
	}
	if s.workspace == nil || err != nil {
		return temp, count, err
	}
	bytes, files, err = s.workspace.usage()
	return bytes, max(files, count), err
}

// closeTemp closes what standAlone opened.
func (s *stage) closeTemp() {
	if s.temp != nil {
		closeFiles(s.temp.inside)
	}
}
