package hapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/internal/polite"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/internal/httpx"
)

const (
	streamRetries = 3           // after a stream that broke off, without a whole chunk in between
	batch         = 4096        // records that are decoded at a time
	shortest      = time.Second // a window that a server finds too long cannot be halved for ever
	firstPause    = time.Second // after a stream that broke off; doubles
)

// A fetcher asks one server for some parameters of one dataset.
type fetcher struct {
	c          *Client
	dataset    string
	info       *Info // as selected
	parameters string
	old        bool
	formats    []Format // to be tried, the first first
	offersJSON bool
	track      *tracker
	from       *answer // the newest, which records come from
}

// fetcher prepares requests for the parameters of asked, of all there are.
func (c *Client) fetcher(dataset string, all, asked *Info, caps *Capabilities, want Format, track *tracker) *fetcher {
	f := &fetcher{c: c, dataset: dataset, info: asked, old: caps.old(), offersJSON: slices.Contains(caps.Formats, JSON), track: track}
	f.parameters = parameterList(all, asked)
	f.formats = c.formats(caps, want, asked)
	return f
}

// parameterList is the value of the field parameters: "" for all there are.
func parameterList(all, asked *Info) string {
	if len(asked.Parameters) == len(all.Parameters) {
		return ""
	}
	names := asked.Names()
	if len(names) > 1 {
		names = names[1:] // the time comes by itself
	}
	for i, n := range names {
		names[i] = escape(n)
	}
	return strings.Join(names, ",")
}

// formats are those to be tried, the best first: for texts csv, since servers that
// make binary of it forget to take the quotes off.
func (c *Client) formats(caps *Capabilities, want Format, asked *Info) []Format {
	if want == "" {
		want = c.opts.Format
	}
	if want != "" {
		return []Format{want}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []Format
	order := []Format{Binary, CSV, JSON}
	if slices.ContainsFunc(asked.Parameters, func(p Parameter) bool { return p.Type == String }) {
		order = []Format{CSV, Binary, JSON}
	}
	for _, f := range order {
		if slices.Contains(caps.Formats, f) && !c.refused[f] {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		list = []Format{CSV}
	}
	return list
}

// fetch asks for neighbouring cells and hands each on when it is whole.
func (f *fetcher) fetch(ctx context.Context, cells []cell, done func(k int, r *Records) error) error {
	c := newCutter(f.info, cells, f.room(cells[0]), done)
	failures := 0
	for !c.ended() {
		k := c.k
		stop := f.reach(c)
		err := f.ask(ctx, c, c.pos, stop)
		if err == nil {
			failures = 0
			continue
		}
		if c.k > k {
			failures = 0
		}
		c.reset()
		if own, ok := errors.AsType[*storeError](err); ok {
			return own.err
		}
		again, err := f.again(ctx, err, c.pos, stop, &failures)
		if !again {
			return f.failed(err, c.pos, stop)
		}
	}
	return nil
}

// room is how many records a cell is expected to have.
func (f *fetcher) room(c cell) int {
	if f.info.Cadence <= 0 {
		return 0
	}
	return int(min(c.stop.Sub(c.start)/f.info.Cadence, cellRecords)) + 1
}

// again says whether a request is worth another try, and prepares it.
func (f *fetcher) again(ctx context.Context, err error, start, stop tt.Time, failures *int) (bool, error) {
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case tooMuch(err):
		span := stop.Sub(start)
		if span <= shortest {
			return false, err
		}
		f.c.shorten(f.dataset, span/2)
		return true, nil
	case isCode(err, UnsupportedFormat) && len(f.formats) > 1:
		f.c.refuse(f.formats[0])
		f.formats = f.formats[1:]
		return true, nil
	case !broken(err):
		return false, err
	}
	if errors.Is(err, httpx.ErrSilent) {
		f.c.uncompressed()
	}
	if *failures++; *failures <= streamRetries {
		pause := firstPause << (*failures - 1)
		f.c.waiting(ctx, pause, err)
		if stopped := f.c.opts.Sleep(ctx, pause); stopped != nil {
			return false, stopped
		}
		return true, nil
	}
	if _, bad := errors.AsType[*StreamError](err); bad && len(f.formats) > 1 && !polite.Transient(err) {
		f.formats, *failures = f.formats[1:], 0
		return true, nil
	}
	return false, err
}

// failed adds what was asked for.
func (f *fetcher) failed(err error, start, stop tt.Time) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("fetch %s from %s, %v to %v: %w", f.dataset, f.c.host, start, stop, err)
}

// tooMuch reports whether a shorter window may be answered.
func tooMuch(err error) bool {
	if isCode(err, TooMuchData) {
		return true
	}
	status, ok := errors.AsType[*polite.StatusError](err)
	return ok && status.Code == http.StatusRequestEntityTooLarge
}

// broken reports whether an answer broke off or was garbled on its way.
func broken(err error) bool {
	if _, ok := errors.AsType[*noAnswerError](err); ok {
		return false // that was tried again already
	}
	if _, ok := errors.AsType[*orderError](err); ok || errors.Is(err, errUnproven) {
		return false
	}
	_, bad := errors.AsType[*StreamError](err)
	return bad || polite.Transient(err)
}

// A noAnswerError is that of a request that came to nothing in all its tries.
type noAnswerError struct{ err error }

func (e *noAnswerError) Error() string { return e.err.Error() }
func (e *noAnswerError) Unwrap() error { return e.err }

// shorten notes that a dataset takes windows of at most d.
func (c *Client) shorten(dataset string, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now, known := c.longest[dataset]; !known || d < now {
		c.longest[dataset] = max(d, shortest/2)
	}
}

func (c *Client) refuse(f Format) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused[f] = true
}

// reach is how far the next request goes: over all cells, unless the server takes
// less; then over whole cells if it can.
func (f *fetcher) reach(c *cutter) tt.Time {
	f.c.mu.Lock()
	limit, known := f.c.longest[f.dataset]
	f.c.mu.Unlock()
	last := c.cells[len(c.cells)-1].stop
	if !known || last.Sub(c.pos) <= limit {
		return last
	}
	end := c.pos.Add(limit)
	whole := c.pos
	for _, next := range c.cells[c.k:] {
		if next.stop <= end {
			whole = next.stop
		}
	}
	if whole > c.pos {
		return whole
	}
	return end
}

// ask asks for [start, stop) once.
func (f *fetcher) ask(ctx context.Context, c *cutter, start, stop tt.Time) error {
	a, err := f.open(ctx, start, stop, f.formats[0], false)
	if err != nil {
		return err
	}
	defer a.close()
	f.from = a
	if !a.empty {
		if _, err := f.read(a, c, start, stop); err != nil {
			return err
		}
	}
	// The end of JSON says itself that it is one.
	if !a.framed && !a.said && (a.format != JSON || a.empty) {
		a.close() // it holds a place for its host
		if err := f.prove(ctx, c, start, stop); err != nil {
			return err
		}
	}
	return c.advance(stop)
}

// read takes all records of an answer.
func (f *fetcher) read(a *answer, c *cutter, start, stop tt.Time) (n int, err error) {
	d := NewDecoder(a.in, f.info, a.format)
	for {
		got, err := d.Read(c.cur, batch)
		n += got
		if got > 0 {
			if err := c.taken(start, stop); err != nil {
				if _, wrong := errors.AsType[*orderError](err); !wrong {
					return n, err
				}
				return n, &StreamError{Format: a.format, Record: int64(n), Reason: err.Error(), Err: err}
			}
		}
		if h := d.Header(); h != nil && h.Status.Code >= UserError {
			return n, &Error{Status: tidy(h.Status), Host: f.c.host, HTTP: http.StatusOK}
		}
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
