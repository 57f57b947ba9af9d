package offline

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/helios-go/helios/llm"
)

// A fetch is one call of get_timeseries: a parameter in a window.
type fetch struct {
	id          string // of the call
	param       string
	start, stop string // ISO; "" is open
	note        string // what for, in words
	got         *fetched
	failed      string
}

// fetched is what the planner reads from the result of get_timeseries.
type fetched struct {
	Dataset       string       `json:"dataset"`
	Units         string       `json:"units"`
	NPoints       int          `json:"n_points"`
	NValid        int          `json:"n_valid"`
	ObtainedStart string       `json:"obtained_start"`
	ObtainedStop  string       `json:"obtained_stop"`
	CoverageNote  string       `json:"coverage_note"`
	WindowNote    string       `json:"window_note"`
	Stats         []columnStat `json:"stats"`
}

type columnStat struct {
	Key      string   `json:"key"`
	N        int      `json:"n"`
	NValid   int      `json:"n_valid"`
	NMissing int      `json:"n_missing"`
	Mean     *float64 `json:"mean"`
	Median   *float64 `json:"median"`
	Std      *float64 `json:"std"`
	Min      *float64 `json:"min"`
	Max      *float64 `json:"max"`
	MinTime  string   `json:"min_time"`
	MaxTime  string   `json:"max_time"`
}

// fetchList collects fetches, each parameter and window once, in order.
type fetchList struct{ all []*fetch }

func (l *fetchList) add(param string, w window, note string) *fetch {
	start, stop := w.arguments()
	for _, f := range l.all {
		if f.param == param && f.start == start && f.stop == stop {
			return f
		}
	}
	f := &fetch{id: fmt.Sprintf("data_%d", len(l.all)+1), param: param, start: start, stop: stop, note: note}
	l.all = append(l.all, f)
	return f
}

// pending returns the calls that have not been made, and reads the results of
// those that have.
func (l *fetchList) pending(t *turn) []llm.ToolCall {
	var calls []llm.ToolCall
	for _, f := range l.all {
		r := t.result(f.id)
		if r == nil {
			args := map[string]any{"param_id": f.param}
			if f.start != "" {
				args["start"] = f.start
			}
			if f.stop != "" {
				args["stop"] = f.stop
			}
			calls = append(calls, t.call(f.id, "get_timeseries", args))
			continue
		}
		if f.failed = failure(r); f.failed != "" {
			continue
		}
		f.got = &fetched{}
		if err := json.Unmarshal([]byte(r.Text()), f.got); err != nil || f.got.Dataset == "" {
			f.got, f.failed = nil, "the result of get_timeseries could not be read"
		}
	}
	return calls
}

// fetchWindow is what must be fetched to answer for a window: around an instant
// enough to hold its nearest record.
func (l *leaf) fetchWindow(w window) window {
	if w.instant.IsZero() {
		return w
	}
	reach := max(5*l.param.Cadence, time.Minute)
	return window{start: w.instant.Add(-reach), stop: w.instant.Add(reach)}
}
