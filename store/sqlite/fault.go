package sqlite

import (
	"context"
	"errors"
)

// A faultError is an error of the database with words for it.
type faultError struct {
	text string
	err  error // of the driver
}

func (e *faultError) Error() string { return e.text }
func (e *faultError) Unwrap() error { return e.err }

// The result codes of SQLite that have words of ours; the lowest byte of an
// extended code is one of these.
const (
	codePerm     = 3
	codeBusy     = 5
	codeReadOnly = 8
	codeIO       = 10
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeTooBig   = 18
	codeNotADB   = 26
)

// fault words an error of the driver: what is wrong, and what to do about it.
func fault(err error) error {
	if err == nil || isFault(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	text := err.Error()
	var coded interface{ Code() int }
	if errors.As(err, &coded) {
		switch coded.Code() & 0xff {
		case codeBusy:
			text = "another process has the file locked for too long; try again when it is done"
		case codeFull:
			text = "the disk is full; free some space and try again, nothing of this was written"
		case codePerm, codeReadOnly:
			text = "the file or its folder may not be written to; this user needs the right to write to both"
		case codeCantOpen:
			text = "the file, or the -wal and -shm files beside it, cannot be opened; this user needs the right to read and write them and their folder"
		case codeCorrupt:
			text = "the file is damaged; put a copy back in its place, or save what is left with the .recover command of sqlite3"
		case codeNotADB:
			text = "the file is not a database; give another name, or remove it"
		case codeTooBig:
			text = "an event is larger than the gigabyte that SQLite can store"
		case codeIO:
			text = "the disk failed: " + text
		}
	}
	return &faultError{text, err}
}

// isBusy reports whether somebody else has the file locked.
func isBusy(err error) bool {
	var coded interface{ Code() int }
	return errors.As(err, &coded) && coded.Code()&0xff == codeBusy
}

func isFault(err error) bool { return errors.As(err, new(*faultError)) }
