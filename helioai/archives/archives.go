// Package archives puts together the archives that HelioAI can ask: local files,
// and the services of the table (helio/archive's own, and the user's file over it),
// with one cache and the user's credentials.
//
//	home, err := places.Open("")
//	...
//	all, err := archives.Open(home, &archives.Options{Local: []string{"~/cdf"}})
//	s, err := all.Set.Fetch(ctx, "cda/AC_H0_MFI/BGSEc", start, stop)
//
// Opening asks nobody. The user's own table is archives.json in the data directory;
// an entry with the id of a known archive takes its place.
package archives

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helioai/demo"
	"github.com/helios-go/helios/helioai/places"
)

// Options of [Open]. The zero value, like nil, is the demo data and all archives of
// the table, with the cache.
type Options struct {
	Local   []string // files and folders; none: the synthetic demo data
	Offline bool     // ask nobody: only what the cache holds
	NoCache bool     // keep nothing, and use nothing that is kept
	HTTP    *http.Client
	Env     func(string) string // nil is os.Getenv
}

// Archives are all that can be asked.
type Archives struct {
	Set     *archive.Set     // all of them as one
	Local   archive.Archive  // of the files
	Servers []archive.Server // the table, the user's entries in it
	Cache   *cache.Cache     // nil: nothing is kept
	members map[string]archive.Archive
}

// Table returns the archives that are known: those of helio/archive, with the
// user's own file of the data directory over them.
func Table(home *places.Home) ([]archive.Server, error) {
	path := TableFile(home)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return archive.Servers(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read your table of archives: %w", err)
	}
	defer f.Close()
	own, err := archive.ReadServers(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return archive.MergeServers(archive.Servers(), own), nil
}

// TableFile is where the user's own table is.
func TableFile(home *places.Home) string { return filepath.Join(home.Root(), "archives.json") }

// Open opens all archives.
func Open(home *places.Home, opts *Options) (*Archives, error) {
	if opts == nil {
		opts = &Options{}
	}
	all := &Archives{members: map[string]archive.Archive{}}
	var err error
	if len(opts.Local) == 0 {
		all.Local, err = demo.Archive()
	} else {
		all.Local, err = archive.OpenLocal(opts.Local)
	}
	if err != nil {
		return nil, err
	}
	if all.Servers, err = Table(home); err != nil {
		return nil, err
	}
	if !opts.NoCache {
		if all.Cache, err = cache.Open(filepath.Join(home.Cache(), "archives"), nil); err != nil {
			return nil, err
		}
	}
	members := []archive.Member{{Provider: archive.Provider, Archive: all.Local}}
	for _, s := range all.Servers {
		o := &archive.Options{HTTP: opts.HTTP, Cache: all.Cache, Offline: opts.Offline}
		if s.Kind == "amda" {
			if o.User, o.Password, err = amdaAccount(home, opts.Env); err != nil {
				return nil, err
			}
		}
		a, err := s.Open(o)
		if err != nil {
			return nil, err
		}
		members = append(members, archive.Member{Provider: s.ID, Archive: a})
		all.members[s.ID] = a
	}
	all.Set = archive.NewSet(members...)
	return all, nil
}

// Archive returns the archive of a provider; false when there is none.
func (a *Archives) Archive(provider string) (archive.Archive, bool) {
	if provider == archive.Provider {
		return a.Local, true
	}
	one, ok := a.members[provider]
	return one, ok
}
