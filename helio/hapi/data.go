package hapi

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/helios-go/helios/helio/tt"
)

// A Query asks for data.
type Query struct {
	Dataset    string
	Parameters []string // in any order; none is all of them
	// Start and Stop are the window [Start, Stop). [tt.Fill], on either side, is as
	// far as the dataset goes; so does a window that is longer than it.
	Start, Stop tt.Time
	Format      Format // "": that of the client's options
	// Progress, unless nil, is told how far it is. It must not block for long.
	Progress func(Progress)
}

// A WindowError says that a dataset has nothing in a window, because it begins
// later or ends earlier.
type WindowError struct {
	Dataset     string
	Start, Stop tt.Time // of the window
	First, Last tt.Time // of the dataset; tt.Fill where it is not known
}

func (e *WindowError) Error() string {
	if e.Start != tt.Fill && e.Stop != tt.Fill && e.Start >= e.Stop {
		return fmt.Sprintf("dataset %s: the window begins at %v and ends at %v; its stop has to be later", e.Dataset, e.Start, e.Stop)
	}
	if e.First == tt.Fill || e.Last == tt.Fill {
		return fmt.Sprintf("dataset %s does not say when it begins and ends; name a start and a stop", e.Dataset)
	}
	return fmt.Sprintf("dataset %s reaches from %v to %v; the window, %v to %v, lies outside", e.Dataset, e.First, e.Last, e.Start, e.Stop)
}

// Fetch returns all records of a window, in time order; none, with the header and
// empty columns, where the dataset has a gap. The errors are those of [Client.Data].
func (c *Client) Fetch(ctx context.Context, q Query) (*Records, error) {
	p, err := c.plan(ctx, q)
	if err != nil {
		return nil, err
	}
	var all *Records
	for r, err := range p.records(ctx) {
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = r
			continue
		}
		all.append(r)
	}
	if all == nil {
		all = empty(p.asked, 0)
	}
	return all, nil
}

// Data returns the records of a window chunk by chunk, in time order; chunks without
// records are left out. Each is the caller's own. A few chunks are fetched ahead.
//
// The last step may be an error, after which there is nothing: [*Error] is the
// server's refusal, [*UnknownParameterError] and [*WindowError] say that there is no
// such thing, [*OfflineError] that it is not in the cache, [*StreamError] that the
// data broke off or are garbled and stayed so when asked for again.
func (c *Client) Data(ctx context.Context, q Query) iter.Seq2[*Records, error] {
	return func(yield func(*Records, error) bool) {
		p, err := c.plan(ctx, q)
		if err != nil {
			yield(nil, err)
			return
		}
		for r, err := range p.records(ctx) {
			if !yield(r, err) {
				return
			}
		}
	}
}

// A plan is how a query will be answered.
type plan struct {
	c           *Client
	dataset     string
	all, asked  *Info
	grid        grid
	start, stop tt.Time // of the query, within the dataset
	first, last tt.Time // of the dataset; the ends of time where it does not say
	track       *tracker
	fetcher     *fetcher // nil when offline
}

func (c *Client) plan(ctx context.Context, q Query) (*plan, error) {
	all, err := c.Info(ctx, q.Dataset)
	if err != nil {
		return nil, err
	}
	asked, err := all.Select(q.Parameters...)
	if err != nil {
		return nil, fmt.Errorf("%s, dataset %s: %w", c.host, q.Dataset, err)
	}
	p := &plan{c: c, dataset: q.Dataset, all: all, asked: asked, start: q.Start, stop: q.Stop, first: all.StartDate, last: all.StopDate}
	if p.first == tt.Fill {
		p.first = tt.Min
	}
	if p.last == tt.Fill {
		p.last = tt.Max
	}
	if p.start == tt.Fill {
		p.start = all.StartDate
	}
	if p.stop == tt.Fill {
		p.stop = all.StopDate
	}
	outside := &WindowError{Dataset: q.Dataset, Start: q.Start, Stop: q.Stop, First: all.StartDate, Last: all.StopDate}
	if p.start == tt.Fill || p.stop == tt.Fill {
		return nil, outside
	}
	p.start, p.stop = max(p.start, p.first), min(p.stop, p.last)
	if p.start >= p.stop {
		return nil, outside
	}
	p.grid = cut(all, asked, c.opts.MaxRecords)
	n, err := p.grid.count(p.start, p.stop)
	if err != nil {
		return nil, fmt.Errorf("%s, dataset %s: %w", c.host, q.Dataset, err)
	}
	p.track = &tracker{now: Progress{Dataset: q.Dataset, Chunks: n}, to: q.Progress}
	if !c.opts.Offline {
		caps, err := c.Capabilities(ctx)
		if err != nil {
			return nil, err
		}
		p.fetcher = c.fetcher(q.Dataset, all, asked, caps, q.Format, p.track)
	}
	return p, nil
}

// cells are those of the block at a time, as far as they are to be fetched: without
// a cache no further than the window goes.
func (p *plan) cells(at tt.Time) []cell {
	from, to := p.first, p.last
	if p.c.opts.Cache == nil {
		from, to = p.start, p.stop
	}
	var list []cell
	for _, c := range p.grid.cells(at, from, to) {
		if c.stop > p.start && c.start < p.stop {
			list = append(list, c)
		}
	}
	return list
}

// records runs the plan: a few blocks at a time, handed on in their order.
func (p *plan) records(ctx context.Context) iter.Seq2[*Records, error] {
	return func(yield func(*Records, error) bool) {
		ctx, cancel := context.WithCancel(context.WithValue(ctx, trackerKey{}, p.track))
		var wg sync.WaitGroup
		defer wg.Wait()
		defer cancel()
		var ahead []*block
		next := p.grid.block.before(p.start)
		for {
			for next < p.stop && len(ahead) < p.c.opts.Parallel {
				after := p.grid.block.after(next)
				if b := p.block(next); len(b.cells) > 0 {
					ahead = append(ahead, b)
					wg.Go(func() { b.run(ctx) })
				}
				if after <= next {
					after = p.stop
				}
				next = after
			}
			if len(ahead) == 0 {
				return
			}
			b := ahead[0]
			ahead = ahead[1:]
			for got := range b.out {
				p.track.tell(got.count)
				if got.records.Len() > 0 && !yield(got.records, nil) {
					return
				}
			}
			if b.err != nil {
				yield(nil, b.err)
				return
			}
		}
	}
}

func (g part) count(now *Progress) {
	now.Done++
	now.Records += int64(g.records.Len())
	if g.cached {
		now.Cached++
	}
}
