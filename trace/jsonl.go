package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/secret"
)

// ErrClosed is what a [JSONL] returns that was closed.
var ErrClosed = errors.New("the event file is closed")

// JSONL writes events as lines of JSON, in one of two modes that have a constructor
// each, so that none is chosen by accident:
//
//   - full, with [OpenFull] or [NewFull]: everything, to be read back with
//     [ReadJSONL]. It holds what users, models and tools have said.
//   - metadata, with [OpenMetadata] or [NewMetadata]: who did what when, and what it
//     cost, but nothing that was said, see [NewMetadata].
//
// Each event is one write. What could not be written whole is taken back, so that
// no half line ever has another one behind it. It is a [Sink] and safe for
// concurrent use.
type JSONL struct {
	encode func(session string, e agent.Event) ([]byte, error)

	mu     sync.Mutex
	w      io.Writer
	file   *os.File // w, when it was opened here
	path   string   // of the file
	size   int64    // of the file, up to its last whole line
	broken error    // why nothing can be written any more
	closed bool
	buf    []byte
}

// A Record is a line of a full event file.
type Record struct {
	Session string      `json:"session"`
	Event   agent.Event `json:"event"`
}

// NewFull returns a JSONL that writes events whole to w. What the registry knows is
// redacted, when it is not nil; note that an agent with secrets of its own has
// redacted them before.
func NewFull(w io.Writer, secrets *secret.Registry) *JSONL {
	return &JSONL{w: w, encode: func(session string, e agent.Event) ([]byte, error) {
		line, err := marshal(Record{session, e})
		if err != nil {
			return nil, err
		}
		if secrets != nil {
			line, _ = secrets.Redactor().JSON(line)
		}
		return line, nil
	}}
}

// NewMetadata returns a JSONL that writes an event's metadata to w: ids, kind and
// time, the names of agent, model, tool and hook, tokens and cost, how things ended
// and the category of errors. What is written is picked field by field. No text of
// messages, arguments, results, thinking, files, questions, reasons or custom data
// is, and a name or an id only if it looks like one: at most 128 letters, digits
// and any of "._:/@-".
func NewMetadata(w io.Writer) *JSONL {
	return &JSONL{w: w, encode: func(session string, e agent.Event) ([]byte, error) {
		return marshal(metadata(session, e))
	}}
}

// OpenFull is [NewFull] for a file, which it creates, readable by its owner alone,
// or appends to. Its folder must exist. What a process that died has left of a last
// line is cut off, so only one process at a time may write to a file.
func OpenFull(path string, secrets *secret.Registry) (*JSONL, error) {
	return NewFull(nil, secrets).open(path)
}

// OpenMetadata is [NewMetadata] for a file, as [OpenFull] opens it.
func OpenMetadata(path string) (*JSONL, error) { return NewMetadata(nil).open(path) }

func (j *JSONL) open(path string) (*JSONL, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open event file: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open event file: %w", err)
	}
	j.w, j.file, j.path = f, f, path
	if err := j.mend(); err != nil {
		return nil, errors.Join(fmt.Errorf("open event file %s: %w", path, err), f.Close())
	}
	return j, nil
}

// mend cuts off what comes after the last whole line of the file.
func (j *JSONL) mend() error {
	info, err := j.file.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	}
	if j.size, err = wholeLines(j.file, info.Size()); err != nil || j.size == info.Size() {
		return err
	}
	return os.Truncate(j.path, j.size) // by its name: not every system lets a file do both, append and shrink
}

// wholeLines is the size of a file up to the end of its last line that has one.
func wholeLines(f io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for end := size; end > 0; {
		start := max(0, end-int64(len(buf)))
		n, err := f.ReadAt(buf[:end-start], start)
		if err != nil && n < int(end-start) {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}

// Put writes an event as a line. After an error nothing of the event is in the
// file; another one can be written if what there was of this one could be taken
// back, which a file allows and another writer does not.
func (j *JSONL) Put(session string, e agent.Event) error {
	if e.Data == nil {
		return fmt.Errorf("write event %d of session %s: it has no data", e.Seq, session)
	}
	line, err := j.encode(session, e)
	if err != nil {
		return fmt.Errorf("write %s event %d of session %s: %w", e.Kind(), e.Seq, session, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closed:
		return ErrClosed
	case j.broken != nil:
		return j.broken
	}
	j.buf = append(append(j.buf[:0], line...), '\n')
	n, err := j.w.Write(j.buf)
	if err == nil && n < len(j.buf) {
		err = io.ErrShortWrite
	}
	if err == nil {
		j.size += int64(n)
		return nil
	}
	err = fmt.Errorf("write event %d of session %s: %w", e.Seq, session, err)
	if n > 0 {
		j.takeBack(err)
	}
	return err
}

// takeBack removes what was written of a line, or sees to it that nothing comes
// behind it.
func (j *JSONL) takeBack(cause error) {
	if j.file == nil {
		j.broken = fmt.Errorf("nothing can be written behind half a line: %w", cause)
		return
	}
	if err := os.Truncate(j.path, j.size); err != nil {
		j.broken = fmt.Errorf("half a line cannot be taken back: %w", errors.Join(err, cause))
	}
}

// Close closes the file if it was opened here; a writer is its owner's to close.
// After it Put returns [ErrClosed]; closing again is no error.
func (j *JSONL) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed, j.buf = true, nil
	if j.file == nil {
		return nil
	}
	if err := j.file.Close(); err != nil {
		return fmt.Errorf("close event file: %w", err)
	}
	return nil
}

// marshal is json.Marshal without HTML escapes and without a newline.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
