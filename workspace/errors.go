package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// What is wrong with a name or what it leads to. Errors of a [Root] match one of
// these with errors.Is, or [fs.ErrNotExist], [fs.ErrExist], [fs.ErrPermission],
// [fs.ErrClosed], or the error number of the system.
var (
	ErrEscape      = errors.New("it leads out of the workspace")
	ErrName        = errors.New("it is not a name in a workspace")
	ErrLink        = errors.New("it is, or leads through, a symbolic link, which is not followed here")
	ErrNotRegular  = errors.New("it is not a regular file")
	ErrNotFolder   = errors.New("it is not a folder, or leads through a file")
	ErrManyLinks   = errors.New("the file has other names (hard links), perhaps outside of the workspace; copy it to work with it")
	ErrOtherDevice = errors.New("it is on another file system than the workspace")
	ErrReadOnly    = errors.New("it can only be read, not changed")
	ErrTooLarge    = errors.New("it is too large")
	ErrChanged     = errors.New("the file has changed since it was read; read it again")
	ErrTooDeep     = errors.New("folders are nested too deeply there")
	ErrNotEmpty    = errors.New("the folder is not empty")
)

// A reason is a sentinel in better words.
type reason struct {
	error

	kind error
}

func (r reason) Unwrap() error { return r.kind }

var (
	errFolder      = reason{errors.New("it is a folder, not a file"), ErrNotRegular}
	errTop         = reason{errors.New("it is the workspace itself"), ErrNotRegular}
	errManyEntries = reason{fmt.Errorf("the folder has more than %d entries", maxEntries), ErrTooLarge}
)

// An Error is what a [Root] could not do, and why.
type Error struct {
	Op   string // "read", "write", "list" ...
	Path string // clean, relative to the root
	Err  error  // one of the sentinels, or an error number of the system
}

// Error is one sentence: what was being done, with what, and why it failed.
func (e *Error) Error() string {
	reason := e.Err.Error()
	switch {
	case errors.Is(e.Err, fs.ErrNotExist):
		reason = "it does not exist"
	case errors.Is(e.Err, fs.ErrExist):
		reason = "it exists already"
	case errors.Is(e.Err, fs.ErrClosed):
		reason = "the workspace is closed"
	}
	return e.Op + " " + strconv.Quote(e.Path) + ": " + reason
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// A TooLargeError is an [ErrTooLarge] with the figures.
type TooLargeError struct {
	Path string // clean, relative to the root
	Size int64  // of the file in bytes when it was opened; it may have grown since
	Max  int64  // what was allowed, in bytes
}

// Error says how large the file is and how large it may be.
func (e *TooLargeError) Error() string {
	if e.Size <= e.Max {
		return fmt.Sprintf("read %q: it grew beyond %d bytes while it was read, and that is the most that is read", e.Path, e.Max)
	}
	return fmt.Sprintf("read %q: it has %d bytes, and %d is the most that is read", e.Path, e.Size, e.Max)
}

// Is makes the error an ErrTooLarge.
func (e *TooLargeError) Is(target error) bool { return target == ErrTooLarge }

// An UnsupportedError says why a tree cannot be opened in [Strict] mode here.
type UnsupportedError struct{ Reason string }

// Error says why, and what there is instead.
func (e *UnsupportedError) Error() string {
	return "a strict workspace is not possible here: " + e.Reason +
		"; Options{Mode: workspace.Portable} opens one that stops less"
}

// failure gives an error of a folder the operation and the name. The names that
// the system has put into it are the host's, so only their cause is kept.
func failure(op, name string, err error) error {
	if err == nil {
		return nil
	}
	if own, ok := err.(*Error); ok { //nolint:errorlint // only what this package made itself, not what a callback wrapped
		return own
	}
	if large := (*TooLargeError)(nil); errors.As(err, &large) {
		large.Path = name
		return large
	}
	return &Error{Op: op, Path: name, Err: cause(err)}
}

// cause finds the reason in what the os package returns.
func cause(err error) error {
	if err == nil {
		return nil
	}
	// Of several the first is why, the others came after.
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return cause(all.Unwrap()[0])
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	if link := (*os.LinkError)(nil); errors.As(err, &link) {
		err = link.Err
	}
	switch {
	case errors.Is(err, syscall.ELOOP):
		return ErrLink
	case errors.Is(err, syscall.EXDEV):
		return ErrOtherDevice
	case errors.Is(err, syscall.ENOTDIR):
		return ErrNotFolder
	case errors.Is(err, syscall.EISDIR):
		return errFolder
	case errors.Is(err, syscall.ENOTEMPTY):
		return ErrNotEmpty
	}
	switch err.Error() { // what an os.Root says has no name of its own
	case "path escapes from parent":
		return ErrEscape
	case "not a directory":
		return ErrNotFolder
	}
	return err
}
