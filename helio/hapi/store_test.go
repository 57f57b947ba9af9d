package hapi_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/hapi/hapitest"
)

// asked lists the windows and parameters of the requests for data so far, and
// forgets them.
func asked(s *hapitest.Server) []string {
	var list []string
	for _, r := range s.Data() {
		start, stop := r.Window()
		text := start[:10] + " " + stop[:10]
		if p := r.Query.Get("parameters"); p != "" {
			text += " " + p
		}
		if r.Status != 200 {
			text += " " + map[int]string{304: "unchanged"}[r.Status]
		}
		list = append(list, text)
	}
	s.Forget()
	return list
}

func wantAsked(t *testing.T, s *hapitest.Server, want ...string) {
	t.Helper()
	got := asked(s)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("asked for %q, want %q", got, want)
	}
}

func TestOnlyWhatIsMissingIsAskedFor(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	c := newClient(t, s, hapi.Options{Cache: newCache(t)})
	plain := newClient(t, s, hapi.Options{})
	check := func(start, stop string, parameters []string, want ...string) {
		t.Helper()
		s.Forget()
		got := fetch(t, c, ask(t, "minutes", start, stop, parameters...))
		wantAsked(t, s, want...)
		sameRecords(t, got, fetch(t, plain, ask(t, "minutes", start, stop, parameters...)))
		s.Forget()
	}
	check("2023-03-05", "2023-04-02", []string{"Magnitude"}, "2023-03-01 2023-05-01 Magnitude")
	check("2023-03-05", "2023-04-02", []string{"Magnitude"})
	check("2023-03-01", "2023-05-01", []string{"Magnitude"})
	check("2023-02-27", "2023-03-02", []string{"Magnitude"}, "2023-02-01 2023-03-01 Magnitude")
	check("2023-03-10", "2023-06-10", []string{"Magnitude"}, "2023-05-01 2023-07-01 Magnitude")
	check("2023-03-10", "2023-03-11", []string{"Magnitude", "B_GSE"}, "2023-03-01 2023-04-01 B_GSE")
	check("2023-02-10", "2023-03-11", []string{"Quality", "B_GSE", "Magnitude"}, "2023-02-01 2023-03-01 B_GSE,Quality", "2023-03-01 2023-04-01 Quality")
	check("2023-03-01", "2023-03-02", nil)
	check("2023-09-01", "2023-09-02", nil, "2023-09-01 2023-10-01")
	check("2023-12-31", "2024-01-02", []string{"B_GSE"}, "2023-12-01 2024-01-01 B_GSE", "2024-01-01 2024-02-01 B_GSE")
}

func TestEveryKindComesOutOfTheCacheAsItWentIn(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	c := newClient(t, s, hapi.Options{Cache: newCache(t)})
	for _, d := range hapitest.Datasets() {
		start, stop := d.Start.Format("2006-01-02"), d.Start.Add(100*d.Cadence).Format("2006-01-02T15:04:05")
		want := fetch(t, newClient(t, s, hapi.Options{}), ask(t, d.ID, start, stop))
		sameRecords(t, fetch(t, c, ask(t, d.ID, start, stop)), want)
		s.Forget()
		sameRecords(t, fetch(t, c, ask(t, d.ID, start, stop)), want)
		wantAsked(t, s)
	}
}

// A clock that tests turn.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

const oneDay = 24 * time.Hour

func TestADatasetThatHasChangedIsFetchedAgain(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	now := newClock()
	c := newClient(t, s, hapi.Options{Cache: newCache(t), Now: now.Now})
	q := ask(t, "minutes", "2023-03-05", "2023-03-06", "Magnitude")
	fetch(t, c, q)
	s.Forget()
	now.pass(1000 * oneDay) // by its date it is as it was
	fetch(t, c, q)
	wantAsked(t, s)
	s.Change("minutes", func(d *hapitest.Dataset) { d.More = map[string]any{"modificationDate": "2026-03-01T13:00Z"} })
	fetch(t, c, q)
	wantAsked(t, s) // the header is taken for ten minutes
	now.pass(hapi.DocumentAge)
	fetch(t, c, q)
	wantAsked(t, s, "2023-03-01 2023-04-01 Magnitude")
	// Another fill value makes other numbers of the same bytes.
	now.pass(hapi.DocumentAge)
	s.Change("minutes", func(d *hapitest.Dataset) {
		d.Params = slices.Clone(d.Params)
		d.Params[0].Fill = "9999"
	})
	fetch(t, c, q)
	wantAsked(t, s, "2023-03-01 2023-04-01 Magnitude")
}

func TestWithoutADateTheServerIsAskedAfterAWhile(t *testing.T) {
	t.Parallel()
	undated := hapitest.Minutes()
	undated.More = nil
	for _, o := range []hapitest.Options{
		{Modified: time.Date(2025, 2, 1, 0, 0, 0, 0, time.UTC)},
		{ETag: true},
		{},
	} {
		s := hapitest.New(t, &o, undated)
		now := newClock()
		c := newClient(t, s, hapi.Options{Cache: newCache(t), Now: now.Now})
		q := ask(t, "minutes", "2023-03-05", "2023-04-06", "Magnitude")
		want := fetch(t, c, q)
		const window = "2023-03-01 2023-05-01 Magnitude"
		wantAsked(t, s, window)
		now.pass(29 * oneDay)
		fetch(t, c, q)
		wantAsked(t, s)
		now.pass(2 * oneDay)
		sameRecords(t, fetch(t, c, q), want)
		if o.ETag || !o.Modified.IsZero() {
			wantAsked(t, s, window+" unchanged")
		} else {
			wantAsked(t, s, window)
		}
		fetch(t, c, q)
		wantAsked(t, s)
		// What has changed comes anew.
		now.pass(31 * oneDay)
		s.Set(func(o *hapitest.Options) {
			if !o.Modified.IsZero() {
				o.Modified = o.Modified.Add(time.Hour)
			}
		})
		s.Change("minutes", func(d *hapitest.Dataset) { d.Absent = func(i int64, _ time.Time) bool { return i%2 == 0 } })
		if r := fetch(t, c, q); r.Len() != want.Len()/2 {
			t.Errorf("%+v: %d records of the changed data, want %d", o, r.Len(), want.Len()/2)
		}
	}
}

func TestDataThatStillComeInAreAskedForSoon(t *testing.T) {
	t.Parallel()
	d := hapitest.Minutes()
	now := newClock()
	d.Stop = now.Now().Truncate(time.Minute)
	s := hapitest.New(t, nil, d)
	c := newClient(t, s, hapi.Options{Cache: newCache(t), Now: now.Now, Age: time.Second})
	q := ask(t, "minutes", "2026-01-20", "", "Magnitude")
	n := fetch(t, c, q).Len()
	wantAsked(t, s, "2026-01-01 2026-03-01 Magnitude")
	// A chunk that reaches beyond the end of the dataset was not whole.
	now.pass(30 * time.Minute)
	s.Change("minutes", func(d *hapitest.Dataset) { d.Stop = now.Now() })
	if m := fetch(t, c, q).Len(); m != n+30 {
		t.Errorf("%d records after half an hour, want %d", m, n+30)
	}
	wantAsked(t, s, "2026-03-01 2026-03-01 Magnitude")
	// What was recent when it was fetched may have been completed since.
	now.pass(time.Hour)
	fetch(t, c, q)
	wantAsked(t, s, "2026-02-01 2026-03-01 Magnitude")
	now.pass(time.Minute)
	fetch(t, c, q)
	wantAsked(t, s)
}

func TestTimesThatDoNotFitAreFetchedTogether(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	c := newClient(t, s, hapi.Options{Cache: newCache(t), Parallel: 1})
	fetch(t, c, ask(t, "minutes", "2023-01-01", "2023-05-01", "Magnitude"))
	s.Change("minutes", func(d *hapitest.Dataset) {
		d.Absent = func(i int64, t time.Time) bool { return t.Month() == 3 && i%2 == 0 }
	})
	s.Forget()
	r := fetch(t, c, ask(t, "minutes", "2023-01-01", "2023-05-01", "Magnitude", "B_GSE"))
	wantAsked(t, s, "2023-01-01 2023-05-01 B_GSE", "2023-03-01 2023-05-01 Magnitude,B_GSE")
	sameRecords(t, r, fetch(t, newClient(t, s, hapi.Options{}), ask(t, "minutes", "2023-01-01", "2023-05-01", "Magnitude", "B_GSE")))
}

func TestOfflineTakesWhatThereIs(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	store := newCache(t)
	now := newClock()
	online := newClient(t, s, hapi.Options{Cache: store, Now: now.Now})
	offline := newClient(t, s, hapi.Options{Cache: store, Now: now.Now, Offline: true})
	missing := func(q hapi.Query, want string) {
		t.Helper()
		_, err := offline.Fetch(t.Context(), q)
		if no, ok := errors.AsType[*hapi.OfflineError](err); !ok || !strings.Contains(err.Error(), want) || no.Dataset != q.Dataset {
			t.Errorf("%v, want an OfflineError with %q", err, want)
		}
	}
	q := ask(t, "minutes", "2023-03-05", "2023-04-06", "Magnitude")
	missing(q, "its header is not in the cache")
	want := fetch(t, online, q)
	if _, err := online.Catalog(t.Context()); err != nil {
		t.Fatal(err)
	}
	now.pass(1000 * oneDay)
	s.Forget()
	var note string
	q.Progress = func(p hapi.Progress) { note = p.Note }
	sameRecords(t, fetch(t, offline, q), want)
	if note != "offline, from the cache as of 2026-03-01T12:00:00Z" {
		t.Errorf("note %q", note)
	}
	if list, err := offline.Catalog(t.Context()); err != nil || len(list) != 6 {
		t.Errorf("%v, %v", list, err)
	}
	missing(ask(t, "minutes", "2023-03-05", "2023-06-06", "Magnitude"), "Magnitude of 2023-05-01T00:00:00Z to 2023-06-01T00:00:00Z, Magnitude of 2023-06-01T00:00:00Z to 2023-07-01T00:00:00Z is not in the cache")
	missing(ask(t, "minutes", "2023-03-05", "2023-03-06", "Magnitude", "Quality"), "Quality of 2023-03-01")
	missing(ask(t, "gaps", "", ""), "its header")
	if n := len(s.Requests()); n != 0 {
		t.Errorf("an offline client sent %d requests", n)
	}
}

func TestOfflineTakesAChunkThatHasGrownSince(t *testing.T) {
	t.Parallel()
	d := hapitest.Minutes()
	d.Stop = time.Date(2023, 3, 10, 0, 0, 0, 0, time.UTC)
	s := hapitest.New(t, nil, d)
	store := newCache(t)
	now := newClock()
	online := newClient(t, s, hapi.Options{Cache: store, Now: now.Now})
	fetch(t, online, ask(t, "minutes", "2023-03-01", "", "Magnitude"))
	now.pass(oneDay)
	s.Change("minutes", func(d *hapitest.Dataset) { d.Stop = d.Stop.AddDate(0, 0, 5) })
	if _, err := online.Info(t.Context(), "minutes"); err != nil {
		t.Fatal(err)
	}
	offline := newClient(t, s, hapi.Options{Cache: store, Now: now.Now, Offline: true})
	if r := fetch(t, offline, ask(t, "minutes", "2023-03-02", "2023-03-10", "Magnitude")); r.Len() != 8*1440 {
		t.Errorf("%d records", r.Len())
	}
	_, err := offline.Fetch(t.Context(), ask(t, "minutes", "2023-03-02", "2023-03-11", "Magnitude"))
	if _, missing := errors.AsType[*hapi.OfflineError](err); !missing {
		t.Errorf("%v, want an OfflineError", err)
	}
}

func TestAServerThatIsAwayDoesNotHideWhatIsKept(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	now := newClock()
	c := newClient(t, s, hapi.Options{Cache: newCache(t), Now: now.Now})
	q := ask(t, "minutes", "2023-03-05", "2023-03-06", "Magnitude")
	want := fetch(t, c, q)
	now.pass(oneDay)
	s.Set(func(o *hapitest.Options) { o.Busy = func(int) (int, string) { return 503, "" } })
	sameRecords(t, fetch(t, c, q), want)
	q.Stop = at(t, "2023-05-01")
	if _, err := c.Fetch(t.Context(), q); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("%v, want the server's 503", err)
	}
}

func TestHeadersAreAskedForConditionally(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, &hapitest.Options{ETag: true})
	store := newCache(t)
	now := newClock()
	c := newClient(t, s, hapi.Options{Cache: store, Now: now.Now})
	for range 3 {
		if _, err := c.Info(t.Context(), "minutes"); err != nil {
			t.Fatal(err)
		}
	}
	now.pass(time.Hour)
	again := newClient(t, s, hapi.Options{Cache: store, Now: now.Now})
	info, err := again.Info(t.Context(), "minutes")
	if err != nil || len(info.Parameters) != 4 {
		t.Fatal(info, err)
	}
	var got []int
	for _, r := range s.Requests() {
		if r.Path == "/info" {
			got = append(got, r.Status)
		}
	}
	if !slices.Equal(got, []int{200, 304}) {
		t.Errorf("headers were answered with %v, want 200 and 304", got)
	}
}

func TestADamagedPieceIsFetchedAgain(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	store := newCache(t)
	c := newClient(t, s, hapi.Options{Cache: store})
	q := ask(t, "minutes", "2023-03-05", "2023-03-06", "Magnitude")
	want := fetch(t, c, q)
	key := cache.Key{Server: strings.TrimPrefix(s.URL, "http://"), Dataset: "minutes", Parameter: "Magnitude", Chunk: "2023-03-01T00:00:00Z/P1M"}
	body, meta, ok, err := store.Get(key)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	for _, n := range []int{0, 3, 14, 100, len(body) - 1} {
		if err := store.Put(key, meta, body[:n]); err != nil {
			t.Fatal(err)
		}
		sameRecords(t, fetch(t, c, q), want)
	}
	if got := len(s.Data()); got != 6 {
		t.Errorf("%d requests, want 6", got)
	}
}
