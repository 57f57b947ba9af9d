package archives

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/catalog"
	"github.com/helios-go/helios/helioai/places"
)

// Catalogs are all event lists that can be asked for: the user's own, which are in
// the folder catalogs of the data directory, and those of services. It is safe for
// concurrent use.
type Catalogs struct {
	Own     *catalog.Dir
	sources []namedSource
}

type namedSource struct {
	provider string // first part of the ids
	catalog.Source
}

// OpenCatalogs returns the event lists. It asks nobody.
func OpenCatalogs(home *places.Home, all *Archives, opts *Options) *Catalogs {
	o := &archive.Options{Cache: all.Cache}
	if opts != nil {
		o.Offline, o.HTTP = opts.Offline, opts.HTTP
	}
	own := catalog.OpenDir(filepath.Join(home.Root(), "catalogs"))
	return &Catalogs{Own: own, sources: []namedSource{{"local", own}, {"helio4cast", archive.NewICMECAT(o)}}}
}

// List lists the event lists of all sources. One that cannot be reached does not
// hide the others: failed says why each is missing. It is an error when none answers.
func (c *Catalogs) List(ctx context.Context) (all []catalog.Summary, failed []error, err error) {
	lists := make([][]catalog.Summary, len(c.sources))
	errs := make([]error, len(c.sources))
	var wg sync.WaitGroup
	for i, s := range c.sources {
		wg.Go(func() { lists[i], errs[i] = s.Catalogs(ctx) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == len(c.sources) {
		return nil, nil, errs[0]
	}
	return slices.Concat(lists...), errs, nil
}

// Get reads one event list by its id, as in "local/my_shocks".
func (c *Catalogs) Get(ctx context.Context, id string) (*catalog.Catalog, error) {
	provider, _, _ := strings.Cut(id, "/")
	var known []string
	for _, s := range c.sources {
		if s.provider == provider {
			return s.Catalog(ctx, id)
		}
		known = append(known, s.provider)
	}
	return nil, fmt.Errorf("there is no source %q of event lists for %q; an id begins with one of %s", provider, id, strings.Join(known, ", "))
}
