package trace

import (
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
)

// A Rollup counts over the runs that have a key in common.
type Rollup struct {
	Key      string
	Runs     int
	Errors   int           // runs that failed
	P50, P95 time.Duration // half of the runs, and 95 of 100, took no longer
	Usage    llm.Usage
	Cost     llm.Micros
	Up, Down int // ratings of the runs and of their spans, above and below 0
}

// SuccessRate is the share of runs that did not fail, 0 without runs.
func (r *Rollup) SuccessRate() float64 {
	if r.Runs == 0 {
		return 0
	}
	return float64(r.Runs-r.Errors) / float64(r.Runs)
}

// ByAgent is the key of a run by its agent's name.
func ByAgent(run *Span) string { return run.Name }

// ByModel is the key of a run by the model that it used last.
func ByModel(run *Span) string { return run.Model }

// ByFacet is the key of a run by the label of its latest annotation of a facet:
// "prompt" for the prompt's name and version, see [PromptUsed], or the group of an
// experiment.
func ByFacet(facet string) func(*Span) string {
	return func(run *Span) string {
		label, at := "", time.Time{}
		for _, a := range run.Annotations {
			if a.Facet == facet && !a.Updated.Before(at) {
				label, at = a.Label, a.Updated
			}
		}
		return label
	}
}

// A Filter selects runs. The zero value lets all through.
type Filter struct {
	Name   string            // of the agent; "": any
	Facets map[string]string // facet and label, as [ByFacet] finds them
	Since  time.Time         // runs that began then or later; zero: any
	Until  time.Time         // runs that began before; zero: any
}

// Match reports whether the filter lets a run through.
func (f *Filter) Match(run *Span) bool {
	if f.Name != "" && f.Name != run.Name ||
		!f.Since.IsZero() && run.Start.Before(f.Since) ||
		!f.Until.IsZero() && !run.Start.Before(f.Until) {
		return false
	}
	for facet, label := range f.Facets {
		if ByFacet(facet)(run) != label {
			return false
		}
	}
	return true
}

// RollUp counts the runs by a key, which it sorts by. Left out are runs without a
// key, those that are still open, and those that the filter, unless it is nil, does
// not let through. A run's sub-agents count for the run.
func RollUp(runs []*Span, key func(*Span) string, f *Filter) []Rollup {
	durations := map[string][]time.Duration{}
	rows := map[string]*Rollup{}
	for _, run := range runs {
		k := key(run)
		if k == "" || run.IsOpen() || f != nil && !f.Match(run) {
			continue
		}
		row := rows[k]
		if row == nil {
			row = &Rollup{Key: k}
			rows[k] = row
		}
		row.count(run)
		durations[k] = append(durations[k], run.Duration())
	}
	all := make([]Rollup, 0, len(rows))
	for k, row := range rows {
		d := durations[k]
		slices.Sort(d)
		row.P50, row.P95 = quantile(d, 50), quantile(d, 95)
		all = append(all, *row)
	}
	slices.SortFunc(all, func(a, b Rollup) int { return strings.Compare(a.Key, b.Key) })
	return all
}

func (r *Rollup) count(run *Span) {
	r.Runs++
	if run.Failed() {
		r.Errors++
	}
	usage, cost := run.Total()
	if usage != nil {
		r.Usage = r.Usage.Add(*usage)
	}
	if cost != nil {
		r.Cost += *cost
	}
	for _, s := range run.All() {
		for _, a := range s.Annotations {
			switch {
			case a.Rating == nil:
			case *a.Rating > 0:
				r.Up++
			case *a.Rating < 0:
				r.Down++
			}
		}
	}
}

// quantile is the smallest of sorted durations that a percentage of them does not
// exceed.
func quantile(sorted []time.Duration, percent int) time.Duration {
	return sorted[(len(sorted)*percent+99)/100-1]
}
