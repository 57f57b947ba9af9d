package catalog_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/catalog"
)

func TestLocalCatalogues(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "catalogs")
	d := catalog.OpenDir(folder)
	if all, err := d.Catalogs(t.Context()); err != nil || len(all) != 0 {
		t.Fatalf("%v: %v", err, all)
	}
	saved, err := d.Save("my_shocks", full(t))
	if err != nil || saved.ID != "local/my_shocks" || saved.Overwritten || saved.Events != 2 {
		t.Fatalf("%v: %+v", err, saved)
	}
	if err := os.WriteFile(filepath.Join(folder, "old.json"), []byte(`{"name":"old","events":[{"start":"2015","stop":"2016"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "broken.vot"), []byte("<VOTABLE>"), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := d.Catalogs(t.Context())
	if err != nil || len(all) != 3 || all[0].ID != "local/broken" || all[0].Events != -1 || all[1].ID != "local/my_shocks" || all[1].Events != 2 || all[2].ID != "local/old" {
		t.Fatalf("%v: %+v", err, all)
	}
	if c, err := d.Catalog(t.Context(), "local/my_shocks"); err != nil || c.Name != "Shocks of mine" || len(c.Events) != 2 {
		t.Errorf("%v: %+v", err, c)
	}
	if saved, err = d.Save("old", full(t)); err != nil || !saved.Overwritten {
		t.Errorf("%v: %+v", err, saved)
	}
	if err := d.Delete("local/old"); err != nil {
		t.Error(err)
	}
	for _, id := range []string{"local/old", "local/../my_shocks", "", "local/broken/x"} {
		_, err := d.Catalog(t.Context(), id)
		if unknown, ok := errors.AsType[*catalog.UnknownError](err); !ok || len(unknown.Has) != 2 {
			t.Errorf("%q: %v", id, err)
		}
		if _, ok := errors.AsType[*catalog.UnknownError](d.Delete(id)); !ok {
			t.Errorf("%q was deleted", id)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 2 {
		t.Errorf("%v: %v", err, entries)
	}
}

func TestWhatCannotBeSaved(t *testing.T) {
	t.Parallel()
	d := catalog.OpenDir(t.TempDir())
	event := func(start, stop string) *catalog.Catalog {
		return &catalog.Catalog{Events: []catalog.Event{{Start: at(t, start), Stop: at(t, stop)}}}
	}
	many := event("2015", "2016")
	for len(many.Events) <= catalog.MaxEvents {
		many.Events = append(many.Events, many.Events[0])
	}
	for name, test := range map[string]struct {
		as   string
		c    *catalog.Catalog
		want string
	}{
		"name":      {"Bad Name", event("2015", "2016"), "cannot be the name"},
		"no name":   {"", event("2015", "2016"), "cannot be the name"},
		"long name": {strings.Repeat("a", 41), event("2015", "2016"), "cannot be the name"},
		"nothing":   {"a", &catalog.Catalog{}, "0 events"},
		"too much":  {"a", many, "5001 events"},
		"instant":   {"a", event("2015-01-01", "2015-01-01T00:00:00Z"), "not later"},
		// As texts these would be in order.
		"backwards": {"a", event("2015-01-02", "2015-001T23"), "not later"},
		"tiny":      {"a", event("2015-01-01T00:00:00.0000001", "2015-01-01T00:00:00.0000002"), "microsecond"},
	} {
		if _, err := d.Save(test.as, test.c); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
