package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// Everything that touches a workspace goes one name at a time from a descriptor
// of its folder, and never through a link: a program may have planted anything
// there. Names come from a directory or were checked, so none holds a slash.

// openDir opens the folder of that name in dir.
func openDir(dir *os.File, name string) (*os.File, error) {
	return openAt(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
}

func openAt(dir *os.File, name string, flags int, mode uint32) (*os.File, error) {
	for {
		fd, err := unix.Openat(int(dir.Fd()), name, flags|unix.O_CLOEXEC, mode)
		if err == nil {
			return os.NewFile(uintptr(fd), name), nil
		}
		if !errors.Is(err, unix.EINTR) {
			return nil, err
		}
	}
}

// pin takes hold of an entry without opening it, and says what it is. Opening a
// FIFO would block and opening a device could do anything.
func pin(dir *os.File, name string) (*os.File, unix.Stat_t, error) {
	var st unix.Stat_t
	f, err := openAt(dir, name, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, st, err
	}
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		_ = f.Close()
		return nil, st, err
	}
	return f, st, nil
}

// reopen opens for reading what was pinned, the very same file.
func reopen(pinned *os.File) (*os.File, error) {
	return os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", pinned.Fd()), os.O_RDONLY|unix.O_CLOEXEC, 0)
}

// names returns the entries of a folder in order, most of them at the most.
func names(dir *os.File, most int) ([]string, error) {
	again, err := openDir(dir, ".") // dir keeps its own offset
	if err != nil {
		return nil, err
	}
	defer again.Close()
	found, err := again.Readdirnames(most + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return found, err
}

// makeDir makes a folder, only its owner's, where there is none, and opens it.
// own, when not nil, is called with it.
func makeDir(dir *os.File, name string, own func(*os.File) error) (*os.File, error) {
	if err := unix.Mkdirat(int(dir.Fd()), name, 0o700); err != nil && !errors.Is(err, unix.EEXIST) {
		return nil, err
	}
	made, err := openDir(dir, name)
	if err != nil || own == nil {
		return made, err
	}
	if err := own(made); err != nil {
		_ = made.Close()
		return nil, err
	}
	return made, nil
}

// makeDirs makes the folders of a slash-separated path below root and opens the
// last of them.
func makeDirs(root *os.File, dir string, own func(*os.File) error) (*os.File, error) {
	at, err := openDir(root, ".")
	if err != nil || dir == "." {
		return at, err
	}
	for part := range strings.SplitSeq(path.Clean(dir), "/") {
		next, err := makeDir(at, part, own)
		_ = at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// create makes a new file, only its owner's, where there is nothing yet.
func create(dir *os.File, name string) (*os.File, error) {
	return openAt(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, 0o600)
}

// empty empties a folder, whatever a program made of it: folders that nobody
// may enter, and chains of folders deeper than there are descriptors. Folders
// within folders are first moved up to the top.
func empty(top *os.File) error {
	moved := 0
	for {
		entries, err := names(top, 1000)
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, name := range entries {
			if err := removeEntry(top, name, &moved); err != nil {
				return err
			}
		}
	}
}

func removeEntry(top *os.File, name string, moved *int) error {
	err := unix.Unlinkat(int(top.Fd()), name, 0)
	if !errors.Is(err, unix.EISDIR) && !errors.Is(err, unix.EPERM) {
		return err
	}
	dir, err := enter(top, name)
	if err != nil {
		return err
	}
	defer dir.Close()
	for {
		entries, err := names(dir, 1000)
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			return unix.Unlinkat(int(top.Fd()), name, unix.AT_REMOVEDIR)
		}
		for _, inner := range entries {
			err := unix.Unlinkat(int(dir.Fd()), inner, 0)
			if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EPERM) {
				err = moveUp(top, dir, inner, moved)
			}
			if err != nil {
				return err
			}
		}
	}
}

// moveUp moves a folder to a free name at the top. Its owner must be able to
// write in it, since its ".." changes.
func moveUp(top, dir *os.File, name string, moved *int) error {
	inner, err := enter(dir, name)
	if err != nil {
		return err
	}
	_ = inner.Close()
	for {
		*moved++
		to := fmt.Sprintf(".moved-%d", *moved)
		err := unix.Renameat2(int(dir.Fd()), name, int(top.Fd()), to, unix.RENAME_NOREPLACE)
		if !errors.Is(err, unix.EEXIST) {
			return err
		}
	}
}

// enter opens a folder that its owner may have shut.
func enter(dir *os.File, name string) (*os.File, error) {
	pinned, st, err := pin(dir, name)
	if err != nil {
		return nil, err
	}
	defer pinned.Close()
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return nil, unix.ENOTDIR
	}
	if st.Mode&0o700 != 0o700 {
		if err := os.Chmod(fmt.Sprintf("/proc/self/fd/%d", pinned.Fd()), 0o700); err != nil {
			return nil, err
		}
	}
	return openDir(dir, name)
}
