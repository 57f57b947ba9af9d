package memory

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/helios-go/helios/workspace"
)

// What is wrong with a note or its path. Errors of a [Memory] match one of these
// with errors.Is, or [fs.ErrNotExist], [fs.ErrExist] or a sentinel of package
// workspace.
var (
	ErrPath  = errors.New("not a path of a note")
	ErrText  = errors.New("it is not valid UTF-8 text")
	ErrFull  = errors.New("there are as many notes as may be; delete some first")
	ErrScope = errors.New("nobody is known whose notes they are")
)

// An Error says what could not be done with which note, and why. It is fit for a
// model: neither the scope nor the place of the store on this machine is in it.
type Error struct {
	Op   string // "read", "create" ...
	Path string // as in /memories/a.md
	Err  error
}

// Error is one sentence.
func (e *Error) Error() string {
	reason := e.Err.Error()
	switch {
	case errors.Is(e.Err, fs.ErrNotExist):
		reason = "there is no such note; list /memories/ to see which there are"
	case errors.Is(e.Err, fs.ErrExist):
		reason = "it is there already; change it with str_replace or insert, or delete it first"
	}
	return fmt.Sprintf("%s %s: %s", e.Op, e.Path, reason)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// failure words an error of the workspace for the notes.
func failure(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if large, ok := errors.AsType[*workspace.TooLargeError](err); ok {
		return &Error{op, path, tooLarge(large.Max)}
	}
	if inner, ok := errors.AsType[*workspace.Error](err); ok {
		err = inner.Err
	}
	return &Error{op, path, err}
}

func tooLarge(limit int64) error {
	return &sizeError{limit}
}

type sizeError struct{ limit int64 }

func (e *sizeError) Error() string {
	return fmt.Sprintf("a note may have %d bytes, and this has more; split it", e.limit)
}

func (e *sizeError) Is(target error) bool { return target == workspace.ErrTooLarge }

// A pathError says why a path names no note.
type pathError struct{ reason string }

func (e *pathError) Error() string        { return e.reason }
func (e *pathError) Is(target error) bool { return target == ErrPath }

// secretError says that a secret would have been kept.
type secretError struct{ name string }

func (e *secretError) Error() string {
	return "the secret " + e.name + " would be in it, and notes keep no secrets; say it without"
}
