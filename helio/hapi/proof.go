package hapi

import (
	"context"
	"errors"
	"io"

	"github.com/helios-go/helios/helio/tt"
)

var errUnproven = errors.New("the server closes the connection without saying whether that is the end, and does not confirm that nothing follows")

// prove asks for what follows the newest record of an answer whose end cannot be
// told from a break, until it is certain that nothing does. It asks from that
// record on, so that a whole answer has something in it, and for a form whose end
// shows: JSON, else csv with a header in front, which must come out the same twice.
func (f *fetcher) prove(ctx context.Context, c *cutter, start, stop tt.Time) error {
	format := CSV
	if f.json() {
		format = JSON
	}
	agreed := 0
	for range 2 * streamRetries {
		from := max(start, c.pos)
		known := 0
		if n := c.cur.Len(); n > 0 && c.cur.Time[n-1] >= from {
			from, known = c.cur.Time[n-1], 1
		}
		what, err := f.follow(ctx, c, from, stop, format, known)
		switch {
		case err != nil && (!broken(err) || ctx.Err() != nil):
			return err
		case what == proven:
			return nil
		case what == same:
			if agreed++; agreed == 2 {
				return nil
			}
		default:
			agreed = 0
		}
	}
	return &StreamError{Format: format, Reason: errUnproven.Error(), Err: errUnproven}
}

// What asking for the rest has shown.
type rest int

const (
	nothing rest = iota // no answer, or one without a sign of being whole
	more                // there were further records
	same                // there were none, in an answer that may have broken off
	proven              // there are none
)

// follow asks for [start, stop) and takes the records after the first known ones,
// which have the time start.
func (f *fetcher) follow(ctx context.Context, c *cutter, start, stop tt.Time, format Format, known int) (rest, error) {
	a, err := f.open(ctx, start, stop, format, true)
	if err != nil {
		return nothing, err
	}
	defer a.close()
	if a.empty {
		if known == 0 && (a.said || a.framed) {
			return proven, nil
		}
		return nothing, nil
	}
	d := NewDecoder(a.in, f.info, format)
	got := empty(f.info, 0)
	for err == nil {
		_, err = d.Read(got, batch)
	}
	if !errors.Is(err, io.EOF) {
		return nothing, err
	}
	whole := a.framed || format == JSON
	seen := got.ordered().within(start, min(start+1, stop)).Len()
	if known > 0 && seen == 0 || known == 0 && !whole && d.Header() == nil {
		return nothing, nil
	}
	from := start
	if known > 0 {
		from = start + 1
	}
	fresh := got.ordered().within(from, stop)
	if fresh.Len() > 0 {
		c.cur.append(fresh)
		if err := c.taken(start, stop); err != nil {
			return nothing, err
		}
	}
	switch {
	case whole:
		return proven, nil
	case fresh.Len() > 0:
		return more, nil
	}
	return same, nil
}

// json reports whether the server gives JSON, the format that shows its end.
func (f *fetcher) json() bool {
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	return f.offersJSON && !f.c.refused[JSON]
}
