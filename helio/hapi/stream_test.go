package hapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/hapi/hapitest"
	"github.com/helios-go/helios/internal/httpx"
)

// few is a dataset whose answers are short enough to be cut at every byte.
func few() *hapitest.Dataset {
	return &hapitest.Dataset{
		ID: "few", Start: time.Date(2023, 1, 2, 0, 0, 0, 0, time.UTC), Stop: time.Date(2023, 1, 2, 0, 6, 0, 0, time.UTC), Cadence: time.Minute,
		Params: []hapitest.Param{
			{Name: "x", Type: "double", Value: func(i int64, _ time.Time) any { return float64(i) + 0.25 }},
			{Name: "n", Type: "integer", Size: []int{2}, Value: func(i int64, _ time.Time) any { return []int{int(i) * 1111, 7} }},
			{Name: "s", Type: "string", Length: 5, Value: func(i int64, _ time.Time) any { return []string{"a,b", `q"q`, "plain"}[i%3] }},
		},
	}
}

var framings = map[string]hapitest.Framing{"chunked": hapitest.Chunked, "length": hapitest.Length, "close": hapitest.Close}

func TestAStreamCutAnywhereIsAskedForAgain(t *testing.T) {
	t.Parallel()
	whole := fetch(t, newClient(t, hapitest.New(t, nil, few()), hapi.Options{}), ask(t, "few", "", ""))
	for name, framing := range framings {
		for _, format := range []hapi.Format{hapi.CSV, hapi.Binary, hapi.JSON} {
			for _, gzip := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/gzip=%v", name, format, gzip), func(t *testing.T) {
					t.Parallel()
					var cut, size int
					s := hapitest.New(t, &hapitest.Options{Framing: framing, Gzip: gzip, BareJSON: true}, few())
					c := newClient(t, s, hapi.Options{})
					q := ask(t, "few", "", "")
					q.Format = format
					fetch(t, c, q)
					size = s.Data()[0].Size
					s.Set(func(o *hapitest.Options) {
						o.Cut = func(n, _ int) int {
							if n == 0 {
								return cut
							}
							return -1
						}
					})
					for cut = range size + 1 {
						s.Forget()
						r, err := c.Fetch(t.Context(), q)
						if err != nil {
							t.Fatalf("cut at byte %d of %d: %v", cut, size, err)
						}
						sameRecords(t, r, whole)
					}
				})
			}
		}
	}
}

func TestAStreamThatIsCutAgainAndAgainIsAnError(t *testing.T) {
	t.Parallel()
	whole := fetch(t, newClient(t, hapitest.New(t, nil, few()), hapi.Options{}), ask(t, "few", "", ""))
	for name, framing := range framings {
		for _, format := range []hapi.Format{hapi.CSV, hapi.Binary, hapi.JSON} {
			t.Run(fmt.Sprintf("%s/%s", name, format), func(t *testing.T) {
				t.Parallel()
				cut := -1
				s := hapitest.New(t, &hapitest.Options{Framing: framing, BareJSON: true}, few())
				c := newClient(t, s, hapi.Options{})
				q := ask(t, "few", "", "")
				q.Format = format
				fetch(t, c, q)
				size := s.Data()[0].Size
				s.Set(func(o *hapitest.Options) { o.Cut = func(int, int) int { return cut } })
				failed := 0
				for cut = range size {
					s.Forget()
					r, err := c.Fetch(t.Context(), q)
					if err == nil {
						// What follows a cut may be short enough to come whole.
						sameRecords(t, r, whole)
						continue
					}
					failed++
					if n := len(s.Data()); n > 12 {
						t.Fatalf("cut at byte %d of %d: %d requests, want a bounded number", cut, size, n)
					}
					place, ok := errors.AsType[*hapi.StreamError](err)
					if !ok || !strings.Contains(err.Error(), "few") || !strings.Contains(err.Error(), "2023-01-02T00:00:00Z") {
						t.Fatalf("cut at byte %d of %d: %v, want an error with the place", cut, size, err)
					}
					if place.Offset > int64(cut) {
						t.Fatalf("cut at byte %d of %d: the error names byte %d", cut, size, place.Offset)
					}
				}
				if framing != hapitest.Close && failed != size {
					t.Errorf("%d of %d cuts failed, want all", failed, size)
				}
				if failed < size/4 {
					t.Errorf("only %d of %d cuts failed", failed, size)
				}
			})
		}
	}
}

// A server that offers csv alone and closes its connections can only be asked twice.
func TestACloseDelimitedBodyIsProvedWhole(t *testing.T) {
	t.Parallel()
	whole := fetch(t, newClient(t, hapitest.New(t, nil, few()), hapi.Options{}), ask(t, "few", "", ""))
	s := hapitest.New(t, &hapitest.Options{Framing: hapitest.Close, Formats: []string{"csv"}}, few())
	c := newClient(t, s, hapi.Options{})
	sameRecords(t, fetch(t, c, ask(t, "few", "", "")), whole)
	data := s.Data()
	if len(data) != 3 {
		t.Fatalf("%d requests, want one and two for what follows", len(data))
	}
	for _, r := range data[1:] {
		if start, stop := r.Window(); start != "2023-01-02T00:05:00Z" || stop != "2023-01-02T00:06:00Z" {
			t.Errorf("asked for %s to %s, want from the last record on", start, stop)
		}
	}
	// JSON shows its end, so once is enough where the server has it.
	other := hapitest.New(t, &hapitest.Options{Framing: hapitest.Close}, few())
	sameRecords(t, fetch(t, newClient(t, other, hapi.Options{}), ask(t, "few", "", "")), whole)
	if data := other.Data(); len(data) != 2 || data[1].Query.Get("format") != "json" {
		t.Errorf("%d requests, want one and one in JSON", len(data))
	}
	// Cut at the end of a record, it looks whole.
	end := 0
	s.Set(func(o *hapitest.Options) {
		o.Cut = func(n, _ int) int {
			if n == 0 {
				return end
			}
			return -1
		}
	})
	line := len("2023-01-02T00:00:00.000Z,0.25,0,7,\"a,b\"\n")
	for _, end = range []int{0, line} {
		s.Forget()
		sameRecords(t, fetch(t, c, ask(t, "few", "", "")), whole)
	}
	// One that never sends anything proves nothing.
	s.Set(func(o *hapitest.Options) { o.Cut = func(int, int) int { return 0 } })
	if r, err := c.Fetch(t.Context(), ask(t, "few", "", "")); err == nil || !strings.Contains(err.Error(), "does not confirm") {
		t.Errorf("%v, %v", r, err)
	}
}

func TestOnlyTheBrokenChunkIsAskedForAgain(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, &hapitest.Options{Cut: func(n, size int) int {
		if n < 2 {
			return size * 2 / 3
		}
		return -1
	}})
	var waits []time.Duration
	c := newClient(t, s, hapi.Options{Cache: newCache(t), Sleep: func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}})
	r := fetch(t, c, ask(t, "minutes", "2023-01-01", "2024-01-01", "Magnitude"))
	if r.Len() != 365*1440 {
		t.Fatalf("%d records", r.Len())
	}
	var starts []string
	for _, d := range s.Data() {
		start, _ := d.Window()
		starts = append(starts, start)
	}
	want := []string{"2023-01-01T00:00:00Z", "2023-09-01T00:00:00Z", "2023-11-01T00:00:00Z"}
	if strings.Join(starts, " ") != strings.Join(want, " ") {
		t.Errorf("asked from %v, want %v", starts, want)
	}
	if len(waits) != 2 || waits[0] != time.Second || waits[1] != time.Second {
		t.Errorf("waited %v, want a second after each, since chunks had come in between", waits)
	}
}

func TestGarbledBinaryFallsBackToCSV(t *testing.T) {
	t.Parallel()
	d := few()
	d.Params = d.Params[:1]
	s := hapitest.New(t, nil, d)
	// The header promises more than the server sends.
	s.Change("few", func(d *hapitest.Dataset) {
		d.Params = []hapitest.Param{{Name: "x", Type: "double", Value: func(i int64, _ time.Time) any { return int(i) }}}
	})
	c := newClient(t, s, hapi.Options{})
	r := fetch(t, c, ask(t, "few", "", ""))
	if r.Len() != 6 || r.Columns[0].Float[5] != 5 {
		t.Errorf("%d records, %v", r.Len(), r.Columns)
	}
	q := ask(t, "few", "", "")
	q.Format = hapi.Binary
	if _, err := c.Fetch(t.Context(), q); err == nil {
		t.Error("binary alone gave no error")
	}
}

func TestRecordsBeyondTheWindowAreDropped(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	want := fetch(t, newClient(t, s, hapi.Options{}), ask(t, "minutes", "2023-01-31T23:30", "2023-02-01T00:30"))
	s.Set(func(o *hapitest.Options) { o.Beyond = 10 * time.Minute })
	sameRecords(t, fetch(t, newClient(t, s, hapi.Options{}), ask(t, "minutes", "2023-01-31T23:30", "2023-02-01T00:30")), want)
	sameRecords(t, fetch(t, newClient(t, s, hapi.Options{Cache: newCache(t)}), ask(t, "minutes", "2023-01-31T23:30", "2023-02-01T00:30")), want)
	s.Set(func(o *hapitest.Options) { o.MaxSpan = 7 * time.Minute })
	sameRecords(t, fetch(t, newClient(t, s, hapi.Options{}), ask(t, "minutes", "2023-01-31T23:30", "2023-02-01T00:30")), want)
}

func TestRecordsOutOfOrder(t *testing.T) {
	t.Parallel()
	swap := func(d *hapitest.Dataset, by int64) {
		d.Shuffle = func(i int64) int64 { return i ^ by }
	}
	s := hapitest.New(t, nil, long())
	want := fetch(t, newClient(t, s, hapi.Options{}), ask(t, "minutes", "2023-01-02", "2023-01-02T01"))
	s.Change("minutes", func(d *hapitest.Dataset) { swap(d, 1) })
	sameRecords(t, fetch(t, newClient(t, s, hapi.Options{}), ask(t, "minutes", "2023-01-02", "2023-01-02T01")), want)
	// Back over the edge of a chunk that has been handed on.
	s.Change("minutes", func(d *hapitest.Dataset) { swap(d, 1<<13) })
	store := newCache(t)
	for _, c := range []*hapi.Client{newClient(t, s, hapi.Options{}), newClient(t, s, hapi.Options{Cache: store})} {
		_, err := c.Fetch(t.Context(), ask(t, "minutes", "2020", "2021", "Magnitude"))
		if err == nil || !strings.Contains(err.Error(), "not in time order") {
			t.Error(err)
		}
	}
	s.Change("minutes", func(d *hapitest.Dataset) { d.Shuffle = nil })
	if r := fetch(t, newClient(t, s, hapi.Options{Cache: store}), ask(t, "minutes", "2020", "2021", "Magnitude")); r.Len() != 366*144 {
		t.Errorf("%d records, want none of those that were kept", r.Len())
	}
}

// stalling is a connection on which compressed data come to a halt.
type stalling struct {
	http.RoundTripper
	encodings []string
}

func (s *stalling) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.RoundTripper.RoundTrip(r)
	if err != nil || !strings.HasSuffix(r.URL.Path, "/data") {
		return resp, err
	}
	s.encodings = append(s.encodings, r.Header.Get("Accept-Encoding"))
	if resp.Header.Get("Content-Encoding") == "gzip" {
		resp.Body = halted{io.LimitReader(resp.Body, 100), resp.Body}
	}
	return resp, nil
}

type halted struct {
	io.Reader
	io.Closer
}

func (h halted) Read(b []byte) (int, error) {
	n, err := h.Reader.Read(b)
	if err != nil {
		err = fmt.Errorf("%w for 2m0s", httpx.ErrSilent)
	}
	return n, err
}

func TestCompressedDataThatComeToAHaltAreAskedForPlain(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, &hapitest.Options{Gzip: true})
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	way := &stalling{RoundTripper: tr}
	c := hapi.New(s.URL, &hapi.Options{HTTP: &http.Client{Transport: way}, Sleep: noWait})
	for range 2 {
		if r := fetch(t, c, ask(t, "minutes", "2023-01-02", "2023-01-03")); r.Len() != 1440 {
			t.Fatalf("%d records", r.Len())
		}
	}
	if want := []string{"gzip", "identity", "identity"}; !slices.Equal(way.encodings, want) {
		t.Errorf("asked for %q, want %q", way.encodings, want)
	}
}

func TestOnlyAFewBlocksAreFetchedAhead(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 100)
	s := hapitest.New(t, nil)
	c := newClient(t, s, hapi.Options{Parallel: 2})
	s.Set(func(o *hapitest.Options) {
		o.Pause = func(sent int) {
			if sent == 0 {
				arrived <- struct{}{}
			}
		}
	})
	n := 0
	for r, err := range c.Data(t.Context(), ask(t, "minutes", "", "", "Magnitude")) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Len() > 31*1440 {
			t.Fatalf("%d records at once", r.Len())
		}
		if n++; n == 1 {
			<-arrived
			<-arrived
			if got := len(s.Data()); got != 2 {
				t.Errorf("%d requests before the first chunk was looked at, want 2 of 5", got)
			}
		}
	}
	if n != 60 || len(s.Data()) != 5 {
		t.Errorf("%d chunks by %d requests, want 60 by 5", n, len(s.Data()))
	}
}

// Not parallel: it counts goroutines.
func TestNothingRunsOnAfterABreak(t *testing.T) { //nolint:paralleltest // see above
	s := hapitest.New(t, nil)
	before := goleak.IgnoreCurrent()
	tr := &http.Transport{}
	c := hapi.New(s.URL, &hapi.Options{HTTP: &http.Client{Transport: tr}, Cache: newCache(t)})
	for _, err := range c.Data(t.Context(), ask(t, "minutes", "2020", "2023", "Magnitude")) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	tr.CloseIdleConnections()
	goleak.VerifyNone(t, before, goleak.IgnoreAnyFunction("net/http.(*conn).serve"))
}
