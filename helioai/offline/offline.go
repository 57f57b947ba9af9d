// Package offline is a model without a network: a fixed grammar behind
// [llm.Model] that reads questions about the data at hand and calls the same
// tools as any model.
//
//	arch, err := archive.OpenLocal([]string{"ac_h0_mfi_20230102_v07.cdf"})
//	if err != nil {
//		return err
//	}
//	lead := agents.Lead(offline.New(arch), tools.All(env))
//	result, err := lead.Run(ctx, "mean and maximum of the field magnitude, and when")
//
// It answers questions of these kinds: statistics of a parameter or component
// (mean, median, percentiles, spread, extremes and when), how often, how many
// samples or how long something lies below, above or between values, missing
// samples, the value at an instant, a figure, a plasma formula with given
// values, a minimum variance analysis or a shock normal, and what the data
// hold. Times may be dates, days of the year, months, clock times and parts of
// these; units may be asked for.
//
// The grammar works over the names, descriptions, units and coverage that the
// archive really holds, not over fixed sentences: it recognises quantities and
// operations word by word, and every word must be accounted for. A word that it
// does not know, a negation, a comparison or a cause ends in an honest refusal,
// never in a guess ([read]). What it does answer, it restates: parameter,
// window, and where it had to choose.
//
// The planner computes nothing itself. Every number and time of an answer is
// read from a tool's result and claims the ledger entry it comes from. Where no
// tool runs code, it answers from the statistics of get_timeseries as far as
// they go and says what was left out.
//
// It is deterministic: the same request gives the same calls, byte for byte.
package offline

import (
	"context"
	"fmt"
	"iter"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/llm"
)

// New returns the planner over the data of arch. It is safe for concurrent use
// when arch is.
func New(arch archive.Archive) llm.Model { return &planner{arch} }

type planner struct{ archive archive.Archive }

// Name returns "offline/planner".
func (*planner) Name() string { return "offline/planner" }

// Size reports a window that no conversation fills: the planner reads only the
// last questions.
func (*planner) Size() llm.Size { return llm.Size{Context: 1 << 30, MaxOutput: 1 << 20} }

// Cost is nothing: the planner asks nobody.
func (*planner) Cost(llm.Usage) (cost llm.Micros, known bool) { return 0, true }

// Stream reads the last question and the results of its calls so far, and
// yields the next calls or the answer. The only errors are those of the context
// and of an archive that cannot be listed.
func (p *planner) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		next, err := p.next(ctx, req)
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		finish := llm.FinishStop
		if next.text != "" {
			part := llm.Text(next.text)
			if !yield(llm.Chunk{Kind: llm.ChunkText, Text: next.text}, nil) ||
				!yield(llm.Chunk{Kind: llm.ChunkPart, Part: &part}, nil) {
				return
			}
		}
		for i := range next.calls {
			finish = llm.FinishToolCalls
			part := llm.Part{Kind: llm.PartCall, Call: &next.calls[i]}
			if !yield(llm.Chunk{Kind: llm.ChunkPart, Index: i, Part: &part}, nil) {
				return
			}
		}
		yield(llm.Chunk{Kind: llm.ChunkDone, Finish: finish, Usage: &llm.Usage{}}, nil)
	}
}

func (p *planner) next(ctx context.Context, req *llm.Request) (*step, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	datasets, err := p.archive.Inventory(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what %s hold: %w", p.archive.Name(), err)
	}
	c := newCatalog(datasets)
	t := readTurn(req)
	return t.plan(read(t.question, t.before, c), c), nil
}
