package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// A chunkJob is a fetch that is taken in pieces of a fixed length on a fixed grid,
// so that two fetches that overlap share pieces in the cache.
type chunkJob struct {
	id, dataset, parameter string

	start, stop tt.Time       // the window, both given
	step        time.Duration // length of a piece
	// limit is until when the archive has data: a piece that reaches beyond it
	// is asked for up to there and kept under its own name, so that it is not
	// taken for the whole piece when more data have come. Fill: no limit known.
	limit tt.Time
	// modified is when the dataset last changed, in the archive's words. A piece
	// that was kept under another date is fetched again. "" where the archive does
	// not say: then a piece is believed for maxAge.
	modified string
	maxAge   time.Duration // 0 is a day
	// get asks for the records in [start, stop). A nil series, or one without
	// records, says that there are none. It is called from several goroutines.
	get func(ctx context.Context, start, stop tt.Time) (*series.Series, error)
}

// A chunk is one piece of a job.
type chunk struct{ start, stop tt.Time }

func (c chunk) name() string { return c.start.String() + "_" + c.stop.String() }

// chunks cuts the window along a grid that begins at 2000-01-01, in days of UTC
// where the step is whole days.
func (j *chunkJob) chunks() ([]chunk, error) {
	if j.step <= 0 {
		return nil, errors.New("the length of a piece is not positive")
	}
	const most = 1_000_000
	stop := j.stop
	if n := float64(stop-j.start) / float64(j.step); n > most {
		return nil, fmt.Errorf("the window would take %.0f requests; choose a shorter one", n)
	}
	var out []chunk
	for at := gridBefore(j.start, j.step); at < stop; {
		next := gridAfter(at, j.step)
		c := chunk{at, next}
		if j.limit != tt.Fill {
			// The last instant counts.
			c.stop = min(c.stop, max(j.limit+1, c.start))
		}
		if c.stop > c.start {
			out = append(out, c)
		}
		if next <= at {
			break // beyond what the calendar of the grid holds
		}
		at = next
	}
	return out, nil
}

// gridBefore is the last line of the grid at or before t. Lines are counted in
// nanoseconds of the UTC calendar, so days begin at midnight whatever leap seconds
// there were.
func gridBefore(t tt.Time, step time.Duration) tt.Time {
	ns := t.UnixNanoUTC()
	n := (ns - gridOrigin) / int64(step)
	if (ns-gridOrigin)%int64(step) < 0 {
		n--
	}
	return gridLine(n, step)
}

func gridAfter(t tt.Time, step time.Duration) tt.Time {
	return gridLine((t.UnixNanoUTC()-gridOrigin)/int64(step)+1, step)
}

// gridOrigin is 2000-01-01 in nanoseconds since 1970, and lies before everything
// after it: earlier times count backwards.
const gridOrigin = 946_684_800 * int64(time.Second)

func gridLine(n int64, step time.Duration) tt.Time {
	t, err := tt.FromUnixNano(gridOrigin + n*int64(step))
	if err != nil {
		if n < 0 {
			return tt.Min
		}
		return tt.Max
	}
	return t
}

// fetchChunks runs a job: pieces from the cache or from the archive, a few at a
// time, put together in order and cut to the window. What is there when it fails
// stays in the cache. It returns nil and no error when there is not one record.
func (r *remote) fetchChunks(ctx context.Context, j chunkJob) (*series.Series, error) {
	pieces, err := j.chunks()
	if err != nil {
		return nil, err
	}
	run := &chunkRun{remote: r, job: &j, got: make([]*series.Series, len(pieces)), tell: progress(ctx)}
	run.now = Progress{ID: j.id, Total: len(pieces)}
	run.report(func(*Progress) {})
	ctx = context.WithValue(ctx, waitingKey{}, func(why string) { run.report(func(p *Progress) { p.Waiting = why }) })
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var wg sync.WaitGroup
	workers := r.opts.Parallel
	if workers <= 0 {
		workers = defaultParallel
	}
	for range min(workers, len(pieces)) {
		wg.Go(func() {
			for i := range next {
				s, err := run.piece(ctx, pieces[i])
				if err != nil {
					cancel(err)
					return
				}
				run.got[i] = s
			}
		})
	}
feed:
	for i := range pieces {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	there := slices.DeleteFunc(run.got, func(s *series.Series) bool { return s == nil })
	if len(there) == 0 {
		return nil, nil
	}
	whole, err := series.Concat(there...)
	if err != nil {
		return nil, err
	}
	if whole = whole.Window(j.start, j.stop); whole.Len() == 0 {
		return nil, nil
	}
	return whole, nil
}

const defaultParallel = 4

// A chunkRun is a job under way.
type chunkRun struct {
	*remote
	job  *chunkJob
	got  []*series.Series
	tell func(Progress)

	mu  sync.Mutex
	now Progress
}

func (run *chunkRun) report(change func(*Progress)) {
	run.mu.Lock()
	defer run.mu.Unlock()
	run.now.Waiting = ""
	change(&run.now)
	run.tell(run.now)
}

// piece returns one piece, nil when it has no record.
func (run *chunkRun) piece(ctx context.Context, c chunk) (*series.Series, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if run.opts.Cache == nil {
		s, _, err := run.ask(ctx, c)
		return s, err
	}
	key := cache.Key{Server: run.server(), Dataset: run.job.dataset, Parameter: run.job.parameter, Chunk: c.name()}
	if s, ok := run.cached(key, c); ok {
		return s, nil
	}
	if run.opts.Offline {
		return nil, fmt.Errorf("%v to %v: %w", c.start, c.stop, errOffline)
	}
	// Another process may be asking for the same.
	unlock, err := run.opts.Cache.Lock(ctx, fmt.Sprint(key))
	if err != nil {
		return nil, err
	}
	defer unlock()
	if s, ok := run.cached(key, c); ok {
		return s, nil
	}
	s, body, err := run.ask(ctx, c)
	if err != nil {
		return nil, err
	}
	return s, run.opts.Cache.Put(key, cache.Meta{Modified: run.job.modified, Checked: run.opts.now()}, body)
}

// cached returns a piece that is in the cache and still good.
func (run *chunkRun) cached(key cache.Key, c chunk) (*series.Series, bool) {
	body, m, ok, err := run.opts.Cache.Get(key)
	if err != nil || !ok || !run.current(m, c) {
		return nil, false
	}
	s, err := decodeSeries(body)
	if err != nil {
		return nil, false
	}
	run.report(func(p *Progress) {
		p.Done++
		p.Cached++
		if s != nil {
			p.Records += int64(s.Len())
		}
	})
	return s, true
}

// current reports whether a kept piece need not be fetched again.
func (run *chunkRun) current(m cache.Meta, c chunk) bool {
	if run.opts.Offline {
		return true
	}
	if run.job.modified != "" {
		return m.Modified == run.job.modified
	}
	if kept, err := tt.FromTime(m.Checked); err != nil || c.stop > kept {
		return false // more may have been measured since
	}
	maxAge := run.job.maxAge
	if maxAge == 0 {
		maxAge = 24 * time.Hour
	}
	age := run.opts.now().Sub(m.Checked)
	return age >= 0 && age < maxAge
}

// ask gets a piece from the archive, and its form in the cache.
func (run *chunkRun) ask(ctx context.Context, c chunk) (*series.Series, []byte, error) {
	s, err := run.job.get(ctx, c.start, c.stop)
	if err != nil {
		return nil, nil, err
	}
	if s != nil && s.Len() == 0 {
		s = nil
	}
	if s != nil {
		s = s.Window(c.start, c.stop)
		s.ID = run.job.id
	}
	body, err := encodeSeries(s)
	if err != nil {
		return nil, nil, err
	}
	run.report(func(p *Progress) {
		p.Done++
		if s != nil {
			p.Records += int64(s.Len())
		}
		p.Bytes += int64(len(body))
	})
	return s, body, nil
}
