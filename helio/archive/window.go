package archive

import (
	"context"
	"fmt"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// window closes the open sides of a window by the coverage, and refuses one that
// holds nothing.
func (p *Parameter) window(start, stop tt.Time) (tt.Time, tt.Time, error) {
	if start != tt.Fill && stop != tt.Fill && stop <= start {
		return start, stop, &WindowError{ID: p.ID, Start: start, Stop: stop, First: p.Start, Last: p.Stop}
	}
	asked := &EmptyError{ID: p.ID, Start: start, Stop: stop, First: p.Start, Last: p.Stop}
	if start == tt.Fill {
		start = p.Start
	}
	if stop == tt.Fill && p.Stop != tt.Fill {
		stop = p.Stop + 1
	}
	switch {
	case start == tt.Fill || stop == tt.Fill:
		return start, stop, fmt.Errorf("read %s: its coverage is not known; give a start and a stop", p.ID)
	case p.Start != tt.Fill && stop <= p.Start, p.Stop != tt.Fill && start > p.Stop:
		return start, stop, asked
	}
	if p.Start != tt.Fill {
		start = max(start, p.Start)
	}
	return start, stop, nil
}

// parameter reads a parameter in a window that is closed: the job says how.
func (r *remote) parameter(ctx context.Context, p *Parameter, j chunkJob) (*series.Series, error) {
	j.id, j.dataset, j.parameter, j.limit = p.ID, p.Dataset, p.Name, p.Stop
	s, err := r.fetchChunks(ctx, j)
	if err != nil {
		return nil, r.failed("read "+p.ID, err)
	}
	if s == nil {
		return nil, &EmptyError{ID: p.ID, Start: j.start, Stop: j.stop, First: p.Start, Last: p.Stop}
	}
	return s, nil
}

// looseTime is [tt.Fill] for what is no time.
func looseTime(text string) tt.Time {
	t, err := tt.Parse(text)
	if err != nil {
		return tt.Fill
	}
	return t
}
