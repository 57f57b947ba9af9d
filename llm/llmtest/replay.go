package llmtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"time"

	"github.com/helios-go/helios/llm"
)

// ErrMismatch marks the error of a request that a recording has no answer to.
var ErrMismatch = errors.New("the request is not as it was recorded")

// A Replayer is a model that answers from a cassette. A request is answered by the
// first recorded one that is equal to it and has not been played, so calls that
// overlap may come in another order. It is safe for concurrent use.
type Replayer struct {
	head      tapeHead
	opts      CassetteOptions
	again     string // how to record it again
	exchanges []exchange

	mu     sync.Mutex
	played []bool
	asked  int
}

// Replay reads a cassette. An error names the line that [Record] would not have
// written.
func Replay(r io.Reader, opts *CassetteOptions) (*Replayer, error) {
	p := &Replayer{again: "record it again with llmtest.Record"}
	if opts != nil {
		p.opts = *opts
	}
	var err error
	p.head, p.exchanges, err = readTape(r)
	p.played = make([]bool, len(p.exchanges))
	return p, err
}

// Name is the recorded model's.
func (p *Replayer) Name() string { return p.head.Model }

// Size is the recorded model's.
func (p *Replayer) Size() llm.Size { return p.head.Size }

// Done is an error unless every recorded request has been made.
func (p *Replayer) Done() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := 0
	for _, played := range p.played {
		if !played {
			left++
		}
	}
	if left > 0 {
		return fmt.Errorf("llmtest: %d of %d recorded requests were not made; %s", left, len(p.played), p.again)
	}
	return nil
}

// Stream plays the answer of the recorded request that is equal to req. Where
// there is none, the error matches [ErrMismatch] and says what differs, where, and
// how to record again.
func (p *Replayer) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		x, err := p.find(req)
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		began := time.Now()
		for i := range x.chunks {
			if p.opts.Timing {
				err = sleep(ctx, time.Duration(x.chunks[i].Millis*float64(time.Millisecond))-time.Since(began))
			} else {
				err = context.Cause(ctx)
			}
			var c llm.Chunk
			if err == nil {
				c, err = x.chunks[i].chunk()
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
		switch {
		case x.end.Error != nil:
			yield(llm.Chunk{}, x.end.Error.error())
		case x.end.Left:
			yield(llm.Chunk{}, fmt.Errorf("llmtest: the recording stops here, where its reader left; %s: %w", p.again, ErrMismatch))
		}
	}
}

// find takes the exchange that answers a request.
func (p *Replayer) find(req *llm.Request) (*exchange, error) {
	lines, err := p.opts.requestLines(req)
	if err != nil {
		return nil, fmt.Errorf("llmtest: read a request: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	next := -1
	for i := range p.exchanges {
		if p.played[i] {
			continue
		}
		where, _ := differ(p.exchanges[i].request, lines)
		if where == "" {
			p.played[i] = true
			return &p.exchanges[i], nil
		}
		if next < 0 {
			next = i
		}
	}
	if next < 0 {
		return nil, fmt.Errorf("llmtest: request %d, but %d are recorded; %s: %w", p.asked, len(p.exchanges), p.again, ErrMismatch)
	}
	where, what := differ(p.exchanges[next].request, lines)
	return nil, fmt.Errorf("llmtest: request %d is not recorded request %d: %s %s; if that is meant, %s: %w", p.asked, next+1, where, what, p.again, ErrMismatch)
}
