package archive_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/catalog"
)

const icmecat = `,icmecat_id,sc_insitu,icme_start_time,mo_start_time,mo_end_time,mo_bmax
0,ICME_A,Wind,1995-02-08T03:00Z,1995-02-08T06:00Z,1995-02-09T01:00Z,11.5
1,ICME_B,Wind,,1995-03-04T11:00Z,1995-03-05T03:00Z,9.1
2,ICME_C,PSP,2018-11-11 23:51,2018-11-11 23:51,2018-11-12 05:59,97.0
`

func TestICMECATIsKeptForAWeek(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch {
		case down.Load():
			http.Error(w, "gone", http.StatusNotFound)
		case r.URL.Path != "/HELIO4CAST_ICMECAT_v23.csv":
			http.NotFound(w, r)
		default:
			_, _ = w.Write([]byte(icmecat))
		}
	}))
	defer server.Close()
	kept, err := cache.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	source := archive.NewICMECAT(&archive.Options{
		Base: server.URL, Cache: kept, Now: func() time.Time { return now },
		Sleep: func(context.Context, time.Duration) error { return nil },
	})
	read := func() *catalog.Catalog {
		t.Helper()
		c, err := source.Catalog(t.Context(), "helio4cast/icmecat")
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := read()
	if len(c.Events) != 2 || c.Skipped != 1 || c.DOI != "10.1002/2017SW001614" || c.ID != "helio4cast/icmecat" || len(c.Notes) != 1 {
		t.Fatalf("%+v", c)
	}
	if got := c.Events[1].Start.String() + " " + c.Events[1].Stop.String(); got != "2018-11-11T23:51:00Z 2018-11-12T05:59:00Z" {
		t.Errorf("event at %s", got)
	}
	if i, ok := c.Column("sc_insitu"); !ok || c.Events[1].Values[i] != "PSP" {
		t.Errorf("values %q of %v", c.Events[1].Values, c.Columns)
	}
	now = now.Add(6 * 24 * time.Hour)
	read()
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times within a week", n)
	}
	now = now.Add(2 * 24 * time.Hour)
	down.Store(true)
	if c = read(); len(c.Events) != 2 || len(c.Notes) != 2 || !strings.Contains(c.Notes[1], "kept copy") {
		t.Errorf("stale: %+v", c.Notes)
	}
	if n := asked.Load(); n < 2 {
		t.Errorf("asked %d times after a week", n)
	}
	down.Store(false)
	if c = read(); len(c.Notes) != 1 {
		t.Errorf("fresh again: %q", c.Notes)
	}
	if all, err := source.Catalogs(t.Context()); err != nil || len(all) != 1 || all[0].Events != 2 || all[0].Survey == nil {
		t.Errorf("%v: %+v", err, all)
	}
	_, err = source.Catalog(t.Context(), "helio4cast/other")
	if _, ok := errors.AsType[*catalog.UnknownError](err); !ok {
		t.Error(err)
	}
}

func TestAPageInPlaceOfICMECATIsAnError(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html><body>Busy</body></html>"))
	}))
	defer server.Close()
	_, err := archive.NewICMECAT(&archive.Options{Base: server.URL}).Catalog(t.Context(), "helio4cast/icmecat")
	if _, ok := errors.AsType[*archive.RemoteError](err); !ok || !strings.Contains(err.Error(), "columns of start and stop") {
		t.Error(err)
	}
}
