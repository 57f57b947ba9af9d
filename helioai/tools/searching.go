package tools

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/search"
	"github.com/helios-go/helios/helioai/wording"
	"github.com/helios-go/helios/tool"
)

const (
	defaultTop = 5
	maxTop     = 50
	maxQueries = 20
)

type searchInput struct {
	Queries []string `json:"queries"         jsonschema:"one query per quantity, in words: quantity, mission, frame, units"`
	TopK    int      `json:"top_k,omitempty" jsonschema:"results per query, 5 unless given"`
	Start   string   `json:"start,omitempty" jsonschema:"start of the window of interest, ISO UTC; give stop too"`
	Stop    string   `json:"stop,omitempty"  jsonschema:"end of the window of interest, ISO UTC; give start too"`
}

type searchOutput struct {
	Groups []searchGroup `json:"groups"`
	Note   string        `json:"note,omitempty"`
}

// searchGroup answers the query at the same place of the input.
type searchGroup struct {
	Query   string      `json:"query"`
	Results []searchHit `json:"results"`
}

type searchHit struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Description  string   `json:"description,omitempty"`
	Units        string   `json:"units"`
	Columns      []string `json:"columns,omitempty"`
	Coverage     string   `json:"coverage"`
	Cadence      string   `json:"cadence,omitempty"`
	Frame        string   `json:"frame,omitempty"`
	Mission      string   `json:"mission,omitempty"`
	Synthetic    bool     `json:"synthetic,omitempty"`
	Flags        []string `json:"flags,omitempty"`
	CoversWindow *bool    `json:"covers_window,omitempty"`
}

func searchParameters(env *Env) tool.Tool {
	var index indexOnce
	return tool.New("search_parameters",
		"Find parameters by words; several queries at once. Results are ordered best first; flags say why one is ranked "+
			"down (other_mission, outside_window, auxiliary, no_records). Use the returned id, never a guessed one.",
		func(ctx context.Context, in searchInput) (searchOutput, error) {
			if len(in.Queries) == 0 {
				return searchOutput{}, errors.New("queries is empty; give at least one, such as [\"magnetic field GSM\"]")
			}
			if len(in.Queries) > maxQueries {
				return searchOutput{}, fmt.Errorf("%d queries at once; give at most %d", len(in.Queries), maxQueries)
			}
			start, err := parseTime("start", in.Start)
			if err != nil {
				return searchOutput{}, err
			}
			stop, err := parseTime("stop", in.Stop)
			if err != nil {
				return searchOutput{}, err
			}
			x, err := index.get(ctx, env.Archive)
			if err != nil {
				return searchOutput{}, err
			}
			opts := &search.Options{Top: min(max(in.TopK, 0), maxTop), Start: start, Stop: stop}
			if opts.Top == 0 {
				opts.Top = defaultTop
			}
			var out searchOutput
			for _, query := range in.Queries {
				group := searchGroup{Query: query, Results: []searchHit{}}
				for _, hit := range x.Search(query, opts) {
					group.Results = append(group.Results, describeHit(&hit))
				}
				out.Groups = append(out.Groups, group)
			}
			if (start == nil) != (stop == nil) {
				out.Note = "the window has one end only, so it was not used; give start and stop"
			}
			return out, nil
		}, tool.WithEffect(tool.ReadOnly), tool.WithKind(tool.KindSearch))
}

// indexOnce makes the index of a session when it is first asked for. An
// inventory that fails is tried again the next time.
type indexOnce struct {
	mu    sync.Mutex
	index *search.Index
}

func (o *indexOnce) get(ctx context.Context, a archive.Archive) (*search.Index, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.index == nil {
		datasets, err := a.Inventory(ctx)
		if err != nil {
			return nil, err
		}
		o.index = search.New(datasets)
	}
	return o.index, nil
}

func describeHit(hit *search.Hit) searchHit {
	p := hit.Parameter
	out := searchHit{
		ID: p.ID, Name: p.Name, Description: cut(p.Description, 280), Units: p.Units,
		Cadence: wording.Interval(p.Cadence), Frame: p.Frame, Mission: p.Mission,
		Synthetic: hit.Dataset.Synthetic, Flags: hit.Flags, CoversWindow: hit.CoversWindow,
		Coverage: "no records",
	}
	if len(p.Columns) > 1 && len(p.Columns) <= maxStatColumns {
		out.Columns = p.Columns
	}
	if p.Start != tt.Fill {
		out.Coverage = p.Start.String() + " to " + p.Stop.String()
	}
	return out
}
