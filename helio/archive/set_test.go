package archive_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// one is an archive of one dataset, or of an error.
type one struct {
	provider, dataset string
	err               error
}

func (o *one) Name() string { return "archive " + o.provider }

func (o *one) Inventory(context.Context) ([]archive.Dataset, error) {
	if o.err != nil {
		return nil, o.err
	}
	return []archive.Dataset{{ID: o.dataset, Provider: o.provider}}, nil
}

func (o *one) Describe(_ context.Context, dataset string) (*archive.Dataset, error) {
	if dataset != o.dataset {
		return nil, &archive.UnknownError{ID: dataset}
	}
	return &archive.Dataset{ID: o.dataset, Provider: o.provider}, nil
}

func (o *one) Fetch(_ context.Context, id string, _, _ tt.Time) (*series.Series, error) {
	return &series.Series{ID: id, Name: o.provider}, nil
}

func TestAnIDGoesToItsArchive(t *testing.T) {
	t.Parallel()
	s := archive.NewSet(
		archive.Member{Provider: "a", Archive: &one{provider: "a", dataset: "aae/PT1M/native"}},
		archive.Member{Provider: "b", Archive: &one{provider: "b", dataset: "d"}},
	)
	got, err := s.Fetch(t.Context(), "b/d/p", tt.Fill, tt.Fill)
	if err != nil || got.Name != "b" || got.ID != "b/d/p" {
		t.Errorf("%+v, %v", got, err)
	}
	d, err := s.Describe(t.Context(), archive.JoinDatasetID("a", "aae/PT1M/native"))
	if err != nil || d.ID != "aae/PT1M/native" {
		t.Errorf("%+v, %v", d, err)
	}
	if s.Name() != "archive a, archive b" {
		t.Errorf("its name is %q", s.Name())
	}
	for _, id := range []string{"c/d/p", "", "d"} {
		_, err := s.Fetch(t.Context(), id, tt.Fill, tt.Fill)
		if _, ok := errors.AsType[*archive.ProviderError](err); !ok || !strings.Contains(err.Error(), "providers a, b") {
			t.Errorf("fetch %q: %v, want the providers that there are", id, err)
		}
	}
	for _, dataset := range []string{"d", "c/d", "a/", "a/x/y", "a/%zz"} {
		if _, err := s.Describe(t.Context(), dataset); err == nil {
			t.Errorf("describe %q: no error", dataset)
		}
	}
}

func TestAnArchiveThatIsDownHidesNoOther(t *testing.T) {
	t.Parallel()
	down := errors.New("b is down")
	s := archive.NewSet(
		archive.Member{Provider: "a", Archive: &one{provider: "a", dataset: "x"}},
		archive.Member{Provider: "b", Archive: &one{err: down}},
		archive.Member{Provider: "c", Archive: &one{provider: "c", dataset: "y"}},
	)
	list, err := s.Inventory(t.Context())
	if err != nil || len(list) != 2 || list[0].ID != "x" || list[1].ID != "y" {
		t.Errorf("%v, %v", list, err)
	}
	if skipped := s.Skipped(); len(skipped) != 1 || !errors.Is(skipped[0], down) {
		t.Errorf("skipped %v", skipped)
	}
	if _, err := archive.NewSet(archive.Member{Provider: "b", Archive: &one{err: down}}).Inventory(t.Context()); !errors.Is(err, down) {
		t.Errorf("nobody answers: %v", err)
	}
}
