package workspace

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// TempPrefix begins the names of files that are being written. One stays behind
// only when the process is killed in the middle of a write; it may be removed.
const TempPrefix = ".helios-tmp-"

// IsTemp reports whether a name is that of a file that was being written.
func IsTemp(name string) bool {
	_, leaf := split(name)
	return strings.HasPrefix(leaf, TempPrefix)
}

// WriteFile makes a file hold data, and reports whether it is new. Whoever reads
// it sees the old content or the new, never a part. A new file is for its owner
// alone (0600), missing folders are made (0700). One that was there keeps its
// permissions (but for setuid and setgid) and, as far as the system lets us, its
// owner; it must be a regular file with one name that may be written to.
//
// The content is on disk before it takes the place of another, so that a crash
// of the machine leaves the old or the new; a new file is not waited for.
func (r *Root) WriteFile(name string, data []byte) (created bool, err error) {
	err = r.change("write", name, true, func(in folder, leaf string) error {
		is, err := in.target(leaf)
		if errors.Is(err, fs.ErrNotExist) {
			created = true
			return put(in, leaf, data, nil)
		}
		if err != nil {
			return err
		}
		return put(in, leaf, data, &is)
	})
	return created && err == nil, err
}

// Replace is [Root.WriteFile] of a file that must still be the one that was read:
// it is an [ErrChanged] when is and the file differ (see [Info.Same]) or the file
// is gone. Between the last look and the replacement there are some microseconds
// in which a program that writes to the old file is not seen.
func (r *Root) Replace(name string, data []byte, is Info) error {
	return r.change("write", name, false, func(in folder, leaf string) error {
		now, err := in.target(leaf)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !now.Same(is) {
			return ErrChanged
		}
		if err != nil {
			return err
		}
		return put(in, leaf, data, &now)
	})
}

// Create makes a new file for its owner alone (0600), and missing folders (0700).
// Where there is something already, a link too, it is [fs.ErrExist]. In Strict
// mode the file is there with all its content or not at all.
func (r *Root) Create(name string, data []byte) error {
	return r.change("create", name, true, func(in folder, leaf string) error {
		if _, err := in.stat(leaf); err == nil {
			return fs.ErrExist
		}
		return placeNew(in, leaf, data)
	})
}

// Mkdir makes a folder for its owner alone (0700), and those that it is in. One
// that is there already is fine.
func (r *Root) Mkdir(name string) error {
	return r.changeAt("make folder", name, func(name string) error {
		f, err := r.makeFolder(name)
		if err != nil {
			return err
		}
		return f.close()
	})
}

// Remove removes a file or an empty folder. A link is removed itself.
func (r *Root) Remove(name string) error {
	return r.change("remove", name, false, func(in folder, leaf string) error { return in.remove(leaf) })
}

// changeAt calls do with the clean name, if the tree may be changed.
func (r *Root) changeAt(op, name string, do func(name string) error) error {
	name, err := Clean(name)
	if err != nil {
		return err
	}
	if r.readOnly {
		return failure(op, name, ErrReadOnly)
	}
	if err := r.enter(); err != nil {
		return failure(op, name, err)
	}
	defer r.leave()
	return failure(op, name, do(name))
}

// change calls do with the folder that a name is in, held open.
func (r *Root) change(op, name string, folders bool, do func(in folder, leaf string) error) error {
	return r.changeAt(op, name, func(name string) error {
		if name == "." {
			return errTop
		}
		dir, leaf := split(name)
		in, err := r.top.parent(dir)
		if folders && errors.Is(err, fs.ErrNotExist) {
			in, err = r.makeFolder(dir)
		}
		if err != nil {
			return err
		}
		defer in.close()
		return do(in, leaf)
	})
}

// makeFolder opens a folder, and makes it and those that it is in.
func (r *Root) makeFolder(name string) (folder, error) {
	at, err := r.top.parent(".")
	if err != nil || name == "." {
		return at, err
	}
	for part := range strings.SplitSeq(name, "/") {
		if err = at.mkdir(part); err != nil && !errors.Is(err, fs.ErrExist) {
			at.close()
			return nil, err
		}
		next, err := at.parent(part)
		at.close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// put writes a file beside its place and moves it there; old is what it replaces.
func put(in folder, leaf string, data []byte, old *Info) error {
	return viaTemp(in, data, old, func(temp string) error { return in.rename(temp, leaf) })
}

// placeNew is put for what must be new.
func placeNew(in folder, leaf string, data []byte) error {
	if in.places() {
		err := viaTemp(in, data, nil, func(temp string) error { return in.place(temp, leaf) })
		if !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	// No system call moves a file to where nothing is: the file is made in its
	// place, and taken away again when it cannot be filled.
	f, err := in.create(leaf)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, in.remove(leaf))
	}
	return nil
}

// viaTemp writes a file under a name of its own and lets move put it in place.
func viaTemp(in folder, data []byte, old *Info, move func(temp string) error) error {
	temp := TempPrefix + strings.ToLower(rand.Text())
	f, err := in.create(temp)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && old != nil {
		if err = likeOld(f, old); err == nil {
			err = toDisk(f)
		}
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = move(temp)
	}
	if err != nil {
		return errors.Join(err, in.remove(temp))
	}
	return nil
}

// toDisk waits until a file is on disk, where the file system can tell.
func toDisk(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}
