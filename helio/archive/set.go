package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// A Member is one archive of a [Set].
type Member struct {
	Provider string // first part of the ids that it answers for
	Archive  Archive
}

// A Set is several archives as one: an id goes to the archive of its provider. It
// is safe for concurrent use.
type Set struct {
	members []Member

	mu      sync.Mutex
	skipped []error
}

var _ Archive = (*Set)(nil)

// NewSet puts archives together. Of two for one provider the first counts.
func NewSet(members ...Member) *Set { return &Set{members: slices.Clone(members)} }

// Members returns the archives in their order.
func (s *Set) Members() []Member { return slices.Clone(s.members) }

// Name lists the names of the members.
func (s *Set) Name() string {
	names := make([]string, len(s.members))
	for i, m := range s.members {
		names[i] = m.Archive.Name()
	}
	return strings.Join(names, ", ")
}

// Inventory lists the datasets of all members in their order. One that cannot be
// reached does not hide the others: [Set.Skipped] says why it is missing. It is an
// error when nobody answers.
func (s *Set) Inventory(ctx context.Context) ([]Dataset, error) {
	lists := make([][]Dataset, len(s.members))
	errs := make([]error, len(s.members))
	var wg sync.WaitGroup
	for i, m := range s.members {
		wg.Go(func() { lists[i], errs[i] = m.Archive.Inventory(ctx) })
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("list the datasets: %w", context.Cause(ctx))
	}
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	s.mu.Lock()
	s.skipped = errs
	s.mu.Unlock()
	if len(errs) > 0 && len(errs) == len(s.members) {
		return nil, errors.Join(errs...)
	}
	return slices.Concat(lists...), nil
}

// Skipped returns why members are missing in the last [Set.Inventory].
func (s *Set) Skipped() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.skipped)
}

// Describe wants a dataset with its provider, as in "cda/AC_H0_MFI".
func (s *Set) Describe(ctx context.Context, dataset string) (*Dataset, error) {
	provider, rest, ok := strings.Cut(dataset, "/")
	if !ok {
		return nil, fmt.Errorf("read about %q: write provider/dataset, with one of the providers %s", dataset, s.providers())
	}
	m, err := s.member(provider, dataset)
	if err != nil {
		return nil, err
	}
	if rest, err = unescape(rest); err != nil {
		return nil, err
	}
	return m.Archive.Describe(ctx, rest)
}

// Fetch hands the id to the archive of its provider.
func (s *Set) Fetch(ctx context.Context, id string, start, stop tt.Time) (*series.Series, error) {
	provider, _, _ := strings.Cut(id, "/")
	m, err := s.member(provider, id)
	if err != nil {
		return nil, err
	}
	return m.Archive.Fetch(ctx, id, start, stop)
}

func (s *Set) member(provider, id string) (Member, error) {
	i := slices.IndexFunc(s.members, func(m Member) bool { return m.Provider == provider })
	if i < 0 {
		return Member{}, &ProviderError{ID: id, Provider: provider, Known: s.providers()}
	}
	return s.members[i], nil
}

func (s *Set) providers() string {
	names := make([]string, len(s.members))
	for i, m := range s.members {
		names[i] = m.Provider
	}
	return strings.Join(names, ", ")
}

// ProviderError says that an id begins with the name of no archive.
type ProviderError struct {
	ID, Provider string
	Known        string // the providers that there are
}

func (e *ProviderError) Error() string {
	return fmt.Sprintf("there is no archive %q for %q; an id is provider/dataset/parameter with one of the providers %s", e.Provider, e.ID, e.Known)
}
