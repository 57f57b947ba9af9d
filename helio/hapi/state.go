package hapi

import (
	"maps"
	"slices"
	"time"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/tt"
)

// How long data without a date of modification are taken from the cache.
const (
	oldAge   = 30 * oneDay
	youngAge = oneDay    // of those that were recent when they were fetched
	freshAge = time.Hour // of those that were still coming in then, whatever the date says
	recent   = 60 * oneDay
	coming   = 2 * oneDay
)

// A state is what the cache has of a cell.
type state struct {
	cell    cell
	columns []*kept // of each parameter that is asked for; nil where it is missing
	stale   []*kept // what was there but may have changed
	checked time.Time
}

// A kept column is a piece of the cache.
type kept struct {
	times  []tt.Time
	column Column
	meta   cache.Meta
}

func (s *state) missing() []int {
	var list []int
	for i, c := range s.columns {
		if c == nil {
			list = append(list, i)
		}
	}
	return list
}

func (s *state) whole() bool { return !slices.Contains(s.columns, nil) }

// forget makes all of it missing.
func (s *state) forget() {
	clear(s.columns)
	clear(s.stale)
}

// records puts the columns together. They do not belong together when their times
// differ: the dataset has changed in between.
func (s *state) records(info *Info) (*Records, bool) {
	r := &Records{Info: info, Time: s.columns[0].times}
	for _, c := range s.columns {
		if !slices.Equal(c.times, r.Time) {
			return nil, false
		}
		if len(info.Parameters) > 1 {
			r.Columns = append(r.Columns, c.column)
		}
	}
	return r, true
}

// timeOnly reports whether nothing but the time is asked for, which then stands for
// itself.
func (p *plan) timeOnly() bool { return len(p.asked.Parameters) == 1 }

// parameter is the one of that number, as state.columns counts.
func (p *plan) parameter(i int) *Parameter {
	if p.timeOnly() {
		return &p.asked.Parameters[0]
	}
	return &p.asked.Parameters[i+1]
}

func (p *plan) name(i int) string { return p.parameter(i).Name }

func (p *plan) key(c cell, i int) cache.Key {
	return cache.Key{Server: p.c.server, Dataset: p.dataset, Parameter: p.name(i), Chunk: p.grid.key(c)}
}

func (p *plan) shaped(m cache.Meta, i int) cache.Meta {
	extra := map[string]string{"shape": p.parameter(i).shape()}
	maps.Copy(extra, m.Extra)
	m.Extra = extra
	return m
}

// load looks up all cells of a block.
func (b *block) load() ([]*state, error) {
	n := max(len(b.p.asked.Parameters)-1, 1)
	states := make([]*state, len(b.cells))
	for k, c := range b.cells {
		s := &state{cell: c, columns: make([]*kept, n), stale: make([]*kept, n)}
		for i := range n {
			if err := b.p.loadPiece(s, i); err != nil {
				return nil, err
			}
		}
		states[k] = s
	}
	return states, nil
}

// loadPiece looks up one parameter of a cell.
func (p *plan) loadPiece(s *state, i int) error {
	key := p.key(s.cell, i)
	body, meta, ok, err := p.c.opts.Cache.Get(key)
	if err != nil || !ok || meta.Extra["shape"] != p.parameter(i).shape() || !p.covers(meta, s.cell) {
		return err
	}
	times, column, err := decodePiece(body, p.parameter(i), p.timeOnly())
	if err != nil {
		return p.c.opts.Cache.Remove(key)
	}
	piece := &kept{times: times, column: column, meta: meta}
	if s.checked.IsZero() || meta.Checked.Before(s.checked) {
		s.checked = meta.Checked
	}
	if p.c.opts.Offline || p.current(meta, s.cell) {
		s.columns[i] = piece
	} else {
		s.stale[i] = piece
	}
	return nil
}

// covers reports whether a piece, which may have been cut short by an end of the
// dataset at that time, has all of a cell; offline all that the window has of it.
func (p *plan) covers(m cache.Meta, c cell) bool {
	start, err1 := tt.Parse(m.Extra["start"])
	stop, err2 := tt.Parse(m.Extra["stop"])
	if p.c.opts.Offline {
		c.start, c.stop = max(c.start, p.start), min(c.stop, p.stop)
	}
	return err1 == nil && err2 == nil && start <= c.start && stop >= c.stop
}

// current reports whether a piece is taken without asking.
func (p *plan) current(m cache.Meta, c cell) bool {
	age := p.c.opts.Now().Sub(m.Checked)
	end := m.Checked.Sub(c.stop.UTC())
	switch {
	case end < coming:
		return age < freshAge && m.Modified == p.all.Modified
	case p.all.Modified != "":
		return m.Modified == p.all.Modified
	case end < recent:
		return age < youngAge
	}
	return age < oldAge
}
