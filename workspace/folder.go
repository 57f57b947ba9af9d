package workspace

import (
	"io"
	"math"
	"os"
)

// A folder is an open folder of the tree: what a mode can do. Errors are those
// of the system or sentinels; a Root puts names to them. Names are clean.
type folder interface {
	reader
	writer
	close() error
}

// A reader is a folder that is looked into. Its names may have several elements.
type reader interface {
	// open opens a regular file for reading.
	open(name string) (*os.File, Info, error)
	// read appends a regular file of at most limit bytes to buf.
	read(buf []byte, name string, limit int64) ([]byte, Info, error)
	// stat describes an entry, never followed.
	stat(name string) (Info, error)
	// link returns where a link leads, where links are followed.
	link(name string) (string, error)
	// folder opens a folder that will be listed.
	folder(name string) (folder, error)
	// parent opens a folder whose entries will be changed.
	parent(name string) (folder, error)
	// list returns the entries, but "." and "..", at most limit. It is called once.
	list(limit int) ([]dirent, error)
}

// A writer is a folder that is changed. Its names have one element.
type writer interface {
	// target describes a file that will be replaced, which must be regular, have
	// one name and be one that could be written to in place.
	target(name string) (Info, error)
	// create makes a file for writing that was not there, 0600.
	create(name string) (*os.File, error)
	// rename moves a file over another, or to where nothing is.
	rename(from, to string) error
	// place moves a file to where nothing is, or fails with fs.ErrExist, in one
	// step; errors.ErrUnsupported where there is none, as places tells if it can.
	place(from, to string) error
	places() bool
	mkdir(name string) error
	remove(name string) error
}

// check refuses what must not be opened for reading or replaced.
func check(is Info, device uint64) error {
	switch is.Type() {
	case Dir:
		return errFolder
	case Symlink:
		return ErrLink
	case Other:
		return ErrNotRegular
	}
	if is.id.links > 1 {
		return ErrManyLinks
	}
	if device != 0 && is.id.device != device {
		return ErrOtherDevice
	}
	return nil
}

// slurp appends what read returns to buf, at most limit bytes, without trusting
// size to hold: a file may grow and shrink while it is read.
func slurp(buf []byte, size, limit int64, read func([]byte) (int, error)) ([]byte, error) {
	if size > limit {
		return buf, &TooLargeError{Size: size, Max: limit}
	}
	limit = min(limit, math.MaxInt64-1)
	start := len(buf)
	buf = grow(buf, int(min(size, 64<<20))+1) // the one more shows the end
	for {
		got := int64(len(buf) - start)
		room := min(int64(cap(buf)-len(buf)), limit+1-got)
		n, err := read(buf[len(buf) : len(buf)+int(room)])
		buf = buf[:len(buf)+max(n, 0)]
		got += int64(max(n, 0))
		switch {
		case got > limit:
			return buf[:start], &TooLargeError{Size: size, Max: limit}
		case err == io.EOF, err == nil && n == 0, err == nil && got == size && int64(n) < room: //nolint:errorlint // an os.File returns it bare
			return buf, nil
		case err != nil:
			return buf[:start], err
		}
		if len(buf) == cap(buf) {
			buf = grow(buf, cap(buf)-start+4096)
		}
	}
}

// grow makes room for n bytes more.
func grow(buf []byte, n int) []byte {
	if cap(buf)-len(buf) >= n {
		return buf
	}
	more := make([]byte, len(buf), len(buf)+n)
	copy(more, buf)
	return more
}
