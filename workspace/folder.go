package workspace

import (
	"io"
	"os"
)

// A folder is an open folder of the tree: what a mode can do. Errors are those
// of the system or sentinels; a Root puts names to them. Where a name may have
// several elements it is said so; all are clean.
type folder interface {
	// open opens a regular file for reading. Several elements.
	open(name string) (*os.File, Info, error)
	// read appends a regular file of at most limit bytes to buf. Several elements.
	read(buf []byte, name string, limit int64) ([]byte, Info, error)
	// stat describes an entry, never followed. Several elements.
	stat(name string) (Info, error)
	// folder opens a folder that can be listed. Several elements.
	folder(name string) (folder, error)
	// list returns the entries but "." and "..", at most limit.
	list(limit int) ([]dirent, error)

	// writable reports why what is described could not be written to in place.
	writable(name string, is Info) error
	// create makes a file for writing that was not there, 0600.
	create(name string) (*os.File, error)
	// rename moves a file over another.
	rename(from, to string) error
	// place moves a file to where nothing is, or fails with fs.ErrExist; with
	// errors.ErrUnsupported where that is not possible in one step.
	place(from, to string) error
	mkdir(name string) error
	remove(name string) error

	close() error
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

// errFolder is ErrNotRegular with better words.
var errFolder error = folderError{}

type folderError struct{}

func (folderError) Error() string        { return "it is a folder, not a file" }
func (folderError) Is(target error) bool { return target == ErrNotRegular }

// slurp appends what read returns to buf, at most limit bytes, without trusting
// size to hold: a file may grow and shrink while it is read.
func slurp(buf []byte, size, limit int64, read func([]byte) (int, error)) ([]byte, error) {
	if size > limit {
		return buf, &TooLargeError{Size: size, Max: limit}
	}
	start := len(buf)
	buf = grow(buf, int(size)+1) // the one more shows the end
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
