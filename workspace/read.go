package workspace

import (
	"cmp"
	"os"
	"slices"
)

// maxEntries is how many entries a folder may have to be listed: a program that
// fills one must not fill the memory of the host.
const maxEntries = 1 << 20

// Open opens a file for reading. It is a regular file with one name in the
// workspace's file system, and opening it does not wait. The caller closes it.
func (r *Root) Open(name string) (*os.File, error) {
	name, err := Clean(name)
	if err != nil {
		return nil, err
	}
	if err := r.enter(); err != nil {
		return nil, failure("open", name, err)
	}
	defer r.leave()
	f, _, err := r.top.open(name)
	return f, failure("open", name, err)
}

// ReadFile reads a file of at most limit bytes. One that is larger is a
// [*TooLargeError], also when it grows while it is read; not more than limit
// bytes and one are ever read. The Info is that of the moment of opening.
func (r *Root) ReadFile(name string, limit int64) ([]byte, Info, error) {
	return r.AppendFile(nil, name, limit)
}

// AppendFile is ReadFile into memory of the caller: the bytes are appended to
// buf, which is grown if need be. After an error buf is as it was.
func (r *Root) AppendFile(buf []byte, name string, limit int64) ([]byte, Info, error) {
	name, err := Clean(name)
	if err != nil {
		return buf, Info{}, err
	}
	if err := r.enter(); err != nil {
		return buf, Info{}, failure("read", name, err)
	}
	defer r.leave()
	data, is, err := r.top.read(buf, name, limit)
	if err != nil {
		return buf, Info{}, failure("read", name, err)
	}
	return data, is, nil
}

// Stat describes an entry, whatever it is. A link is described itself: where it
// leads does not count.
func (r *Root) Stat(name string) (Info, error) {
	name, err := Clean(name)
	if err != nil {
		return Info{}, err
	}
	if err := r.enter(); err != nil {
		return Info{}, failure("look at", name, err)
	}
	defer r.leave()
	is, err := r.top.stat(name)
	return is, failure("look at", name, err)
}

// ReadDir lists a folder, sorted by name. A folder of more than a million entries
// is an [ErrTooLarge].
func (r *Root) ReadDir(name string) ([]Entry, error) {
	name, err := Clean(name)
	if err != nil {
		return nil, err
	}
	if err := r.enter(); err != nil {
		return nil, failure("list", name, err)
	}
	defer r.leave()
	f, err := r.top.folder(name)
	if err != nil {
		return nil, failure("list", name, err)
	}
	defer f.close()
	found, err := f.list(maxEntries)
	if err != nil {
		return nil, failure("list", name, err)
	}
	sortByName(found)
	entries := make([]Entry, 0, len(found))
	for _, e := range found {
		is, err := f.stat(e.name)
		if err != nil {
			// Gone since, or the start of another file system: its name is all
			// there is to tell.
			entries = append(entries, Entry{Name: e.name, Type: e.kind})
			continue
		}
		entries = append(entries, Entry{Name: e.name, Type: is.Type(), Size: is.Size, ModTime: is.ModTime})
	}
	return entries, nil
}

func sortByName(entries []dirent) {
	slices.SortFunc(entries, func(a, b dirent) int { return cmp.Compare(a.name, b.name) })
}
