package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/helios-go/helios/helio/tt"
)

// UnknownError says that an archive has no such parameter.
type UnknownError struct {
	ID      string
	Nearest []string // ids to choose from instead, best first; may be empty
	Alike   bool     // they look like ID; otherwise they are others of its dataset
}

func (e *UnknownError) Error() string {
	if len(e.Nearest) == 0 {
		return fmt.Sprintf("there is no parameter %q; list what there is with helioai data", e.ID)
	}
	which := "the nearest are"
	if !e.Alike {
		which = "its dataset has"
	}
	return fmt.Sprintf("there is no parameter %q; %s %s", e.ID, which, strings.Join(e.Nearest, ", "))
}

// RemoteError says that an archive on the network could not do what it was asked
// for.
type RemoteError struct {
	Provider string // as in "amda"
	Doing    string // as in "list the datasets", "read amda/ace/imf"
	Err      error
}

func (e *RemoteError) Error() string {
	return fmt.Sprintf("%s from %s: %v", e.Doing, e.Provider, e.Err)
}

// Unwrap returns the cause, such as the context's error.
func (e *RemoteError) Unwrap() error { return e.Err }

// TextError says that a parameter holds words, which a series cannot.
type TextError struct{ ID string }

func (e *TextError) Error() string {
	return fmt.Sprintf("read %s: it holds text, not numbers; choose a parameter of numbers", e.ID)
}

// WindowError says that a window of time ends before it starts, or is empty.
type WindowError struct {
	ID          string
	Start, Stop tt.Time // as asked
	// First and Last are the coverage of the parameter, both inside;
	// [tt.Fill] when it has no record.
	First, Last tt.Time
}

func (e *WindowError) Error() string {
	if e.Start == e.Stop {
		return fmt.Sprintf("read %s: the window starts and stops at %v; let it stop later (%s)", e.ID, e.Start, coverage(e.First, e.Last))
	}
	return fmt.Sprintf("read %s: the window starts at %v and stops at %v, which is not later; swap them (%s)",
		e.ID, e.Start, e.Stop, coverage(e.First, e.Last))
}

// EmptyError says that a window holds no record of a parameter that has some.
type EmptyError struct {
	ID          string
	Start, Stop tt.Time // as asked; [tt.Fill] for an open side
	First, Last tt.Time // coverage of the parameter, both inside
}

func (e *EmptyError) Error() string {
	return fmt.Sprintf("read %s: no record %s; choose a window inside its coverage (%s)",
		e.ID, asked(e.Start, e.Stop), coverage(e.First, e.Last))
}

// FormatError says that a file is not what its name promises.
type FormatError struct {
	Path   string
	Reason string // one clause, without a full stop
	Err    error  // the cause; may be nil
}

func (e *FormatError) Error() string { return fmt.Sprintf("read %q: %s", e.Path, e.Reason) }

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// MissingError says that a file or folder is not there or cannot be read.
type MissingError struct {
	Path string
	Err  error
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("open %q: %v; check the path", e.Path, rootCause(e.Err))
}

// Unwrap returns the cause, so that errors.Is(err, fs.ErrNotExist) works.
func (e *MissingError) Unwrap() error { return e.Err }

// NothingError says that a folder holds no file that can be read here.
type NothingError struct{ Path string }

func (e *NothingError) Error() string {
	return fmt.Sprintf("open %q: the folder holds no .cdf or .csv file; give a folder that does, or a file", e.Path)
}

func coverage(first, last tt.Time) string {
	if first == tt.Fill {
		return "it has no records"
	}
	return fmt.Sprintf("%v to %v", first, last)
}

func asked(start, stop tt.Time) string {
	switch {
	case start == tt.Fill:
		return fmt.Sprintf("before %v", stop)
	case stop == tt.Fill:
		return fmt.Sprintf("from %v on", start)
	}
	return fmt.Sprintf("from %v to before %v", start, stop)
}

// rootCause drops the path that a PathError would repeat.
func rootCause(err error) error {
	if withPath, ok := errors.AsType[*fs.PathError](err); ok {
		return withPath.Err
	}
	return err
}
