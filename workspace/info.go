package workspace

import (
	"io/fs"
	"time"
)

// A Type is what an entry of a folder is.
type Type uint8

// The types. A link is an entry of its own: what it leads to does not count.
const (
	File    Type = iota // a regular file
	Dir                 // a folder
	Symlink             // a symbolic link
	Other               // a FIFO, a socket, a device
)

// String names the type as a model would.
func (t Type) String() string {
	switch t {
	case File:
		return "file"
	case Dir:
		return "folder"
	case Symlink:
		return "link"
	}
	return "special file"
}

func typeOf(m fs.FileMode) Type {
	switch {
	case m.IsRegular():
		return File
	case m.IsDir():
		return Dir
	case m&fs.ModeSymlink != 0:
		return Symlink
	}
	return Other
}

// Info describes a file as it was at a moment. The zero value describes none.
type Info struct {
	Size    int64 // bytes
	Mode    fs.FileMode
	ModTime time.Time

	id identity
}

// Type is what is described.
func (i Info) Type() Type { return typeOf(i.Mode) }

// Same reports whether both describe the same file, unchanged in between as far
// as the file system tells: its identity, size, time of modification, and on
// Linux time of change, which a program cannot set. A clock that ticks slowly can
// hide a change made in the same tick; to be certain, compare contents.
func (i Info) Same(o Info) bool {
	return i.id.same(o.id) && i.Mode.Type() == o.Mode.Type() && i.Size == o.Size && i.ModTime.Equal(o.ModTime)
}

// An Entry is one entry of a folder, as [Root.ReadDir] lists it.
type Entry struct {
	Name    string
	Type    Type
	Size    int64 // bytes; of the entry itself
	ModTime time.Time
}

// dirent is an entry as the folder has it.
type dirent struct {
	name string
	kind Type
}
