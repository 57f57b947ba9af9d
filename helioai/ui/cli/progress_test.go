package cli

import (
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/archive"
)

func TestABarIsAsFullAsTheWorkIsDone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		done, total int
		want        string
	}{{0, 4, "╌╌╌╌"}, {1, 4, "━╌╌╌"}, {3, 4, "━━━╌"}, {4, 4, "━━━━"}, {9, 4, "━━━━"}, {0, 0, "━━━━"}, {1, 1000, "╌╌╌╌"}} {
		if got := bar(c.done, c.total, 4); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.done, c.total, got, c.want)
		}
	}
}

func TestProgressIsToldInWords(t *testing.T) {
	t.Parallel()
	got := progressText(archive.Progress{Total: 30, Done: 12, Cached: 3, Records: 1_234_567, Bytes: 23_400_000})
	if want := "━━━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ 12 of 30 pieces, 3 from the cache, 1,234,567 records, 23 MB"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var log strings.Builder
	f := newFetching(&log, "fetching x")
	f.told(archive.Progress{Total: 2, Waiting: "x.example is busy; again in 5s"})
	f.told(archive.Progress{Total: 2, Waiting: "x.example is busy; again in 5s"})
	f.told(archive.Progress{Total: 2, Done: 2})
	f.close()
	if log.String() != "! x.example is busy; again in 5s\n" {
		t.Errorf("a log says %q", log.String())
	}
}
