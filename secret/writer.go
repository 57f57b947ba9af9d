package secret

import (
	"errors"
	"fmt"
	"io"
)

// errClosed is returned by Write after Close.
var errClosed = errors.New("write to a closed redactor")

// chunk bounds how much a Writer copies at a time.
const chunk = 32 << 10

// A Writer redacts a stream. What it has written after Close is what
// [Redactor.Bytes] would have made of everything at once, wherever the writes
// were split: it holds back the bytes of which a secret could begin that has not
// come to its end, fewer than [Redactor.Longest]. One goroutine at a time may use it.
//
// A cap on the output belongs behind a Writer, never before it: of a stream that
// was cut first, the beginning of a secret may be left, which is no match. Where
// a stream did break off, leave Close out, and the doubtful end is not shown.
type Writer struct {
	m       *matcher
	w       io.Writer
	held    []byte // held back, and not yet written
	start   int    // where the held bytes begin in held
	covered int    // how many of them a token stands for that was written
	out     []byte
	counts  Counts
	err     error // of an earlier write
}

// Writer returns a Writer that writes to w.
func (r *Redactor) Writer(w io.Writer) *Writer { return &Writer{m: r.matcher(), w: w} }

// Write redacts p and writes on what can be decided of it. It keeps nothing of p.
// An error of the writer behind it is returned now and ever after.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if w.m == nil {
		n, err := w.w.Write(p)
		w.err = err
		return n, err
	}
	done := 0
	for done < len(p) {
		n := min(len(p)-done, chunk)
		w.held = append(w.held, p[done:done+n]...)
		decided := len(w.held) - w.start - (w.m.longest - 1)
		if err := w.pass(decided); err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// Close writes what was held back. It does not close the writer behind it.
func (w *Writer) Close() error {
	if w.err != nil {
		if errors.Is(w.err, errClosed) {
			return nil
		}
		return w.err
	}
	err := w.pass(len(w.held) - w.start)
	if err == nil {
		w.err = errClosed
	}
	return err
}

// pass writes on what may be shown of the first limit held bytes. All needles
// that begin there have been seen to their end.
func (w *Writer) pass(limit int) error {
	if limit <= 0 {
		return nil
	}
	w.out, w.covered = redact(w.m, w.out[:0], w.held[w.start:], w.covered, limit, &w.counts)
	w.start += limit
	// Moving the rest to the front only now and then keeps small writes cheap.
	if rest := len(w.held) - w.start; w.start >= rest {
		w.held = w.held[:copy(w.held, w.held[w.start:])]
		w.start = 0
	}
	if len(w.out) == 0 {
		return nil
	}
	_, w.err = w.w.Write(w.out)
	return w.err
}

// Counts returns how many secrets were replaced so far.
func (w *Writer) Counts() Counts { return append(Counts(nil), w.counts...) }

// String says what it is, and nothing about what it holds back.
func (w *Writer) String() string { return "secret.Writer" }

// Format prints String for every verb.
func (w *Writer) Format(f fmt.State, _ rune) { show(f, w.String()) }
