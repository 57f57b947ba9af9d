package archive

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// HAPI is the archive behind a HAPI server. Its inventory lists datasets without
// their parameters (Dataset.Partial), since a server describes them one by one;
// [OpenCatalogue] has them at once where somebody has collected them. It is safe for
// concurrent use.
type HAPI struct {
	provider, name string
	client         *hapi.Client

	mu     sync.Mutex
	titles map[string]string // of datasets, once they were listed
}

var _ Archive = (*HAPI)(nil)

// NewHAPI returns the archive of the server at Options.Base, which must be given.
// The provider begins its ids; the name is for people. It asks nobody.
func NewHAPI(provider, name string, opts *Options) *HAPI {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	return &HAPI{provider: provider, name: firstOf(name, provider), client: hapi.New(o.Base, &hapi.Options{
		HTTP: o.HTTP, UserAgent: o.UserAgent, Cache: o.Cache, Offline: o.Offline, Parallel: o.Parallel, Now: o.Now, Sleep: o.Sleep,
	})}
}

// Name says what it is.
func (a *HAPI) Name() string { return a.name }

// Client returns what speaks to the server, for what an [Archive] has no words for.
func (a *HAPI) Client() *hapi.Client { return a.client }

// Inventory lists the datasets.
func (a *HAPI) Inventory(ctx context.Context) ([]Dataset, error) {
	entries, err := a.client.Catalog(ctx)
	if err != nil {
		return nil, a.failed("list the datasets", err)
	}
	out := make([]Dataset, len(entries))
	titles := make(map[string]string, len(entries))
	for i, e := range entries {
		out[i] = Dataset{ID: e.ID, Title: e.Title, Provider: a.provider, Source: a.name, Start: tt.Fill, Stop: tt.Fill, Partial: true}
		titles[e.ID] = e.Title
	}
	a.mu.Lock()
	a.titles = titles
	a.mu.Unlock()
	return out, nil
}

// Describe returns one dataset, by its header.
func (a *HAPI) Describe(ctx context.Context, dataset string) (*Dataset, error) {
	in, err := a.info(ctx, dataset)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	title := a.titles[dataset]
	a.mu.Unlock()
	return hapiDataset(a.provider, dataset, title, in), nil
}

func (a *HAPI) info(ctx context.Context, dataset string) (*hapi.Info, error) {
	in, err := a.client.Info(ctx, dataset)
	if refused, ok := errors.AsType[*hapi.Error](err); ok && refused.Status.Code == hapi.UnknownDataset {
		all, _ := a.Inventory(ctx) // without it none is offered
		return nil, unknownDataset(a.provider, all, dataset)
	}
	if err != nil {
		return nil, a.failed("read about "+dataset, err)
	}
	return in, nil
}

func (a *HAPI) failed(doing string, err error) error { return remoteError(a.provider, doing, err) }

// Fetch reads one parameter, as [Archive] says.
func (a *HAPI) Fetch(ctx context.Context, id string, start, stop tt.Time) (*series.Series, error) {
	provider, dataset, name, err := SplitID(id)
	if err != nil {
		return nil, err
	}
	in, err := a.info(ctx, dataset)
	if err != nil {
		return nil, err
	}
	p, ok := in.Parameter(name)
	if !ok || provider != a.provider || p == &in.Parameters[0] {
		return nil, Unknown([]Dataset{*hapiDataset(a.provider, dataset, "", in)}, id)
	}
	if p.Type.IsText() {
		return nil, &TextError{ID: id}
	}
	covered := Parameter{ID: id, Start: in.StartDate, Stop: in.StopDate}
	if start, stop, err = covered.window(start, stop); err != nil {
		return nil, err
	}
	watch := &hapiWatch{id: id, tell: progress(ctx)}
	r, err := a.client.Fetch(ctx, hapi.Query{
		Dataset: dataset, Parameters: append([]string{name}, binSources(p)...), Start: start, Stop: stop, Progress: watch.told,
	})
	if err != nil {
		return nil, a.failed("read "+id, err)
	}
	if r.Len() == 0 {
		return nil, &EmptyError{ID: id, Start: start, Stop: stop, First: in.StartDate, Last: in.StopDate}
	}
	s, err := hapiSeries(a.provider, dataset, in, r, name)
	if err != nil {
		return nil, a.failed("read "+id, err)
	}
	s.Meta.Notes = watch.notes
	return s, nil
}

// A hapiWatch passes the progress of a fetch on.
type hapiWatch struct {
	id    string
	tell  func(Progress)
	notes []string
}

func (w *hapiWatch) told(p hapi.Progress) {
	if n := len(w.notes); p.Note != "" && (n == 0 || w.notes[n-1] != p.Note) {
		w.notes = append(w.notes, p.Note)
	}
	out := Progress{ID: w.id, Total: p.Chunks, Done: p.Done, Cached: p.Cached, Records: p.Records, Bytes: p.Bytes}
	if p.Wait > 0 {
		out.Waiting = fmt.Sprintf("the server is busy, or broke off; again in %v", p.Wait.Round(1e8))
	}
	w.tell(out)
}
