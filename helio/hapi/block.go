package hapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/tt"
)

// A block is a stretch of cells that one goroutine works on.
type block struct {
	p     *plan
	at    tt.Time // where it begins on the grid
	cells []cell
	out   chan part // for each cell, in order; has room for all
	err   error     // after out is closed
}

// A part is what the window has of a cell.
type part struct {
	records *Records
	cached  bool
}

func (p *plan) block(at tt.Time) *block {
	cells := p.cells(at)
	return &block{p: p, at: at, cells: cells, out: make(chan part, len(cells))}
}

func (b *block) run(ctx context.Context) {
	defer close(b.out)
	b.err = b.work(ctx)
}

// A storeError is one of what is done with whole cells, not of the fetching.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }

// errChanged says that what was kept belongs to another state of the dataset than
// what came.
var errChanged = errors.New("the dataset has changed while it was fetched")

// deliver hands on a cell.
func (b *block) deliver(r *Records, cached bool) {
	b.out <- part{r.within(b.p.start, b.p.stop), cached}
}

func (b *block) work(ctx context.Context) error {
	p := b.p
	if p.c.opts.Cache == nil {
		return p.fetcher.some(p.all, p.asked, nil).fetch(ctx, b.cells, func(_ int, r *Records) error {
			b.deliver(r, false)
			return nil
		})
	}
	states, err := b.load()
	if err != nil {
		return err
	}
	if p.c.opts.Offline {
		return b.offline(states)
	}
	if !slices.ContainsFunc(states, func(s *state) bool { return !s.whole() }) {
		return b.join(ctx, states)
	}
	// Whoever works on this block elsewhere may be about to bring what is missing.
	unlock, err := p.c.opts.Cache.Lock(ctx, strings.Join([]string{p.c.server, p.dataset, b.at.String(), p.grid.block.name}, "\n"))
	if err != nil {
		return err
	}
	defer unlock()
	if states, err = b.load(); err != nil {
		return err
	}
	if err := b.revalidate(ctx, states); err != nil {
		return err
	}
	return b.join(ctx, states)
}

// offline hands on what the cache has, all of it or nothing.
func (b *block) offline(states []*state) error {
	p := b.p
	var missing []string
	oldest := time.Time{}
	for _, s := range states {
		if s.checked.Before(oldest) || oldest.IsZero() {
			oldest = s.checked
		}
		for i, col := range s.columns {
			if col == nil {
				missing = append(missing, fmt.Sprintf("%s of %v to %v", p.name(i), s.cell.start, s.cell.stop))
			}
		}
	}
	if len(missing) > 0 {
		const most = 3
		text := strings.Join(missing[:min(most, len(missing))], ", ")
		if more := len(missing) - most; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		return &OfflineError{Host: p.c.host, Dataset: p.dataset, Missing: text}
	}
	p.track.tell(func(now *Progress) { now.Note = "offline, from the cache as of " + oldest.UTC().Format(time.RFC3339) })
	for _, s := range states {
		r, same := s.records(p.asked)
		if !same {
			return &OfflineError{Host: p.c.host, Dataset: p.dataset, Missing: fmt.Sprintf("one state of all parameters of %v to %v", s.cell.start, s.cell.stop)}
		}
		b.deliver(r, true)
	}
	return nil
}

// join goes through the cells: what is whole in the cache is handed on, what lacks
// the same parameters as its neighbours is fetched with them.
func (b *block) join(ctx context.Context, states []*state) error {
	for i := 0; i < len(states); {
		s := states[i]
		if s.whole() {
			if r, same := s.records(b.p.asked); same {
				b.deliver(r, true)
				i++
				continue
			}
			s.forget()
		}
		j := i + 1
		for j < len(states) && slices.Equal(states[j].missing(), s.missing()) {
			j++
		}
		if err := b.fetch(ctx, states[i:j]); err != nil {
			return err
		}
		i = j
	}
	return nil
}

// fetch brings what neighbouring cells lack, all of them the same, keeps it and
// hands it on.
func (b *block) fetch(ctx context.Context, states []*state) error {
	p := b.p
	lack := states[0].missing()
	var cells []cell
	for _, s := range states {
		cells = append(cells, s.cell)
	}
	f := p.fetcher
	if len(lack) < len(states[0].columns) {
		f = f.some(p.all, p.asked, lack)
	} else {
		f = f.some(p.all, p.asked, nil)
	}
	at := 0
	err := f.fetch(ctx, cells, func(k int, r *Records) error {
		s := states[k]
		at = k
		if err := b.keep(s, r, lack, f); err != nil {
			return &storeError{err}
		}
		whole, same := s.records(p.asked)
		if !same {
			return &storeError{errChanged}
		}
		b.deliver(whole, false)
		return nil
	})
	if _, wrong := errors.AsType[*orderError](err); wrong {
		return errors.Join(err, b.remove(states[:at+1], lack))
	}
	if errors.Is(err, errChanged) && len(lack) < len(states[at].columns) {
		for _, s := range states[at:] {
			s.forget()
		}
		return b.fetch(ctx, states[at:])
	}
	return err
}

// remove takes back what was kept.
func (b *block) remove(states []*state, columns []int) error {
	for _, s := range states {
		for _, i := range columns {
			if err := b.p.c.opts.Cache.Remove(b.p.key(s.cell, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// some is a fetcher for the parameters of those numbers, as [state.columns] counts;
// nil is all of them.
func (f *fetcher) some(all, asked *Info, numbers []int) *fetcher {
	g := *f
	if numbers != nil {
		part := *asked
		part.Parameters = []Parameter{asked.Parameters[0]}
		for _, i := range numbers {
			part.Parameters = append(part.Parameters, asked.Parameters[i+1])
		}
		g.info = &part
		g.parameters = parameterList(all, &part)
	}
	return &g
}

// keep puts the columns of a cell into the cache and into its state.
func (b *block) keep(s *state, r *Records, lack []int, f *fetcher) error {
	p := b.p
	meta := cache.Meta{Modified: p.all.Modified, Checked: p.c.opts.Now(), Extra: map[string]string{
		"start": s.cell.start.String(), "stop": s.cell.stop.String(),
	}}
	if a := f.from; a != nil && a.query != "" {
		meta.ETag = a.etag
		meta.Extra["date"], meta.Extra["query"] = a.date, a.query
	}
	for n, i := range lack {
		var column *Column
		if !p.timeOnly() {
			column = &r.Columns[n]
		}
		if err := p.c.opts.Cache.Put(p.key(s.cell, i), p.shaped(meta, i), encodePiece(r.Time, column)); err != nil {
			return err
		}
		s.columns[i] = &kept{times: r.Time}
		if column != nil {
			s.columns[i].column = *column
		}
	}
	return nil
}

// revalidate asks whether what is kept, but may have changed, is still what the
// server has; each request that brought some of it once.
func (b *block) revalidate(ctx context.Context, states []*state) error {
	p := b.p
	asked := map[string]bool{}
	for _, s := range states {
		for i, old := range s.stale {
			if old == nil || s.columns[i] != nil {
				continue
			}
			query := old.meta.Extra["query"]
			if query == "" || old.meta.ETag == "" && old.meta.Extra["date"] == "" {
				continue
			}
			same, known := asked[query]
			if !known {
				var err error
				if same, err = p.c.unchanged(ctx, query, old.meta); err != nil {
					return err
				}
				asked[query] = same
			}
			if !same {
				continue
			}
			old.meta.Modified, old.meta.Checked = p.all.Modified, p.c.opts.Now()
			if err := p.c.opts.Cache.Confirm(p.key(s.cell, i), old.meta); err != nil {
				return err
			}
			s.columns[i] = old
		}
	}
	return nil
}

// unchanged asks for data only if they have changed. A server that fails here is
// asked for the data themselves, and then says why.
func (c *Client) unchanged(ctx context.Context, query string, m cache.Meta) (bool, error) {
	header := http.Header{}
	if m.ETag != "" {
		header.Set("If-None-Match", m.ETag)
	}
	if date := m.Extra["date"]; date != "" {
		header.Set("If-Modified-Since", date)
	}
	resp, err := c.get(ctx, "data", query, header)
	if err != nil {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		return false, nil //nolint:nilerr // see above
	}
	same := resp.StatusCode == http.StatusNotModified
	return same, errors.Join(resp.Body.Close(), nil)
}
