package hapi_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/hapi/hapitest"
	"github.com/helios-go/helios/helio/tt"
)

// noWait is a client's sleep that takes no time.
func noWait(context.Context, time.Duration) error { return nil }

func newClient(t testing.TB, s *hapitest.Server, o hapi.Options) *hapi.Client {
	t.Helper()
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	o.HTTP = &http.Client{Transport: tr}
	if o.Sleep == nil {
		o.Sleep = noWait
	}
	return hapi.New(s.URL, &o)
}

func newCache(t testing.TB) *cache.Cache {
	t.Helper()
	c, err := cache.Open(filepath.Join(t.TempDir(), "cache"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func at(t testing.TB, text string) tt.Time {
	t.Helper()
	if text == "" {
		return tt.Fill
	}
	v, err := tt.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func ask(t testing.TB, dataset, start, stop string, parameters ...string) hapi.Query {
	t.Helper()
	return hapi.Query{Dataset: dataset, Parameters: parameters, Start: at(t, start), Stop: at(t, stop)}
}

func fetch(t testing.TB, c *hapi.Client, q hapi.Query) *hapi.Records {
	t.Helper()
	r, err := c.Fetch(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sameRecords compares bit by bit.
func sameRecords(t testing.TB, got, want *hapi.Records) {
	t.Helper()
	if !slices.Equal(got.Time, want.Time) {
		t.Fatalf("%d records at %v ..., want %d at %v ...", len(got.Time), got.Time[:min(3, len(got.Time))], len(want.Time), want.Time[:min(3, len(want.Time))])
	}
	if !slices.Equal(got.Info.Names(), want.Info.Names()) {
		t.Fatalf("parameters %q, want %q", got.Info.Names(), want.Info.Names())
	}
	for i := range want.Columns {
		name := want.Info.Parameters[i+1].Name
		if !slices.Equal(got.Columns[i].Text, want.Columns[i].Text) {
			t.Fatalf("%s: %.200q, want %.200q", name, got.Columns[i].Text, want.Columns[i].Text)
		}
		if len(got.Columns[i].Float) != len(want.Columns[i].Float) {
			t.Fatalf("%s: %d values, want %d", name, len(got.Columns[i].Float), len(want.Columns[i].Float))
		}
		for j, v := range want.Columns[i].Float {
			if math.Float64bits(got.Columns[i].Float[j]) != math.Float64bits(v) {
				t.Fatalf("%s: value %d is %v, want %v", name, j, got.Columns[i].Float[j], v)
			}
		}
	}
}

// wantKinds compares the first records of the kinds with what the specification
// says of the values that the server makes.
func wantKinds(t *testing.T, r *hapi.Records) {
	t.Helper()
	column := func(name string) *hapi.Column {
		c, ok := r.Column(name)
		if !ok {
			t.Fatalf("there is no column %q", name)
		}
		return c
	}
	floats := func(name string, want ...float64) {
		t.Helper()
		got := column(name).Float[:len(want)]
		for i, v := range want {
			if got[i] != v && !(math.IsNaN(v) && math.IsNaN(got[i])) {
				t.Errorf("%s: %v, want %v", name, got, want)
				return
			}
		}
	}
	texts := func(name string, want ...string) {
		t.Helper()
		if got := column(name).Text[:len(want)]; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	nan := math.NaN()
	floats("scalar", 0, 0.00523596383141958, 0.010471784116245792)
	floats("integer", -3, -2, -1, 0, nan, 2)
	floats("category", 0, 1, 2, 0)
	floats("without fill", 99999.9, 100000.9, 100001.9)
	floats("vectorint", 0, nan, 2, 1, nan, 3)
	floats("matrix", 0, 1, 2, 3, nan, 5)
	floats("tensor", 0, 1, 2, 3, nan, 5, 6, 7, 8)
	floats("spectrum", 1, 0.5)
	texts("string", "plain", "with, comma", `with "quote"`, "", "  blanks", "")
	texts("isotime", "1970-01-01T01:00:00Z")
	texts("vectorstr", "x0", "y,y", `"z"`)
	texts("unicode", "Aα☃👍", "é", "", "Zürich")
}

func TestEveryKindIsTheSameInAllFormats(t *testing.T) {
	t.Parallel()
	for _, habit := range []struct {
		name string
		o    hapitest.Options
	}{
		{"the specification", hapitest.Options{}},
		{"version 2", hapitest.Options{Version: "2.0"}},
		{"bare and flat JSON", hapitest.Options{BareJSON: true, FlatJSON: true}},
		{"spread JSON", hapitest.Options{SpreadJSON: true}},
		{"compressed", hapitest.Options{Gzip: true}},
		{"day of year, CRLF, fill of 32 bits", hapitest.Options{DayOfYear: true, CRLF: true, Float32Fill: true}},
		{"by closing", hapitest.Options{Framing: hapitest.Close, ManyLines: true}},
		{"chunked", hapitest.Options{Framing: hapitest.Chunked, Gzip: true}},
	} {
		t.Run(habit.name, func(t *testing.T) {
			t.Parallel()
			s := hapitest.New(t, &habit.o)
			var first *hapi.Records
			for _, format := range []hapi.Format{hapi.CSV, hapi.Binary, hapi.JSON} {
				q := ask(t, "kinds", "1970-01-01", "1970-01-01T00:01")
				q.Format = format
				r := fetch(t, newClient(t, s, hapi.Options{}), q)
				if r.Len() != 60 {
					t.Fatalf("%s: %d records, want 60", format, r.Len())
				}
				wantKinds(t, r)
				if first == nil {
					first = r
				}
				sameRecords(t, r, first)
			}
		})
	}
}

func TestEachParameterComesAlone(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2.1", "3.2"} {
		s := hapitest.New(t, &hapitest.Options{Version: version})
		c := newClient(t, s, hapi.Options{Cache: newCache(t)})
		for _, d := range hapitest.Datasets() {
			start := d.Start.Format("2006-01-02")
			stop := d.Start.Add(10 * d.Cadence).Format("2006-01-02T15:04:05")
			all := fetch(t, c, ask(t, d.ID, start, stop))
			if all.Len() != 10 || len(all.Columns) != len(d.Params) {
				t.Fatalf("%s: %d records of %d columns", d.ID, all.Len(), len(all.Columns))
			}
			plain := newClient(t, s, hapi.Options{})
			for i, p := range d.Params {
				want := &hapi.Records{Time: all.Time, Columns: all.Columns[i : i+1]}
				want.Info, _ = all.Info.Select(p.Name)
				sameRecords(t, fetch(t, plain, ask(t, d.ID, start, stop, p.Name)), want)
				sameRecords(t, fetch(t, c, ask(t, d.ID, start, stop, p.Name)), want)
			}
		}
	}
}

func TestWhatTheServerIsAsked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version string
		want    map[string]string
		not     []string
	}{
		{"2.0", map[string]string{"id": "minutes", "time.min": "2023-01-02T00:00:00Z", "time.max": "2023-01-02T01:00:00Z"}, []string{"dataset", "start", "stop"}},
		{"3.3", map[string]string{"dataset": "minutes", "start": "2023-01-02T00:00:00Z", "stop": "2023-01-02T01:00:00Z"}, []string{"id", "time.min", "time.max"}},
	} {
		s := hapitest.New(t, &hapitest.Options{Version: c.version})
		r := fetch(t, newClient(t, s, hapi.Options{}), ask(t, "minutes", "2023-01-02", "2023-01-02T01", "Quality", "Magnitude"))
		if !slices.Equal(r.Info.Names(), []string{"Time", "Magnitude", "Quality"}) || r.Len() != 60 {
			t.Errorf("%s: %d records of %q", c.version, r.Len(), r.Info.Names())
		}
		data := s.Data()
		if len(data) != 1 {
			t.Fatalf("%s: %d requests for data, want 1", c.version, len(data))
		}
		q := data[0].Query
		for name, want := range c.want {
			if q.Get(name) != want {
				t.Errorf("%s: %s=%q, want %q", c.version, name, q.Get(name), want)
			}
		}
		for _, name := range c.not {
			if q.Has(name) {
				t.Errorf("%s: it was asked with %s", c.version, name)
			}
		}
		if q.Get("parameters") != "Magnitude,Quality" || q.Get("format") != "binary" {
			t.Errorf("%s: parameters %q, format %q; want the header's order, and binary", c.version, q.Get("parameters"), q.Get("format"))
		}
		if agent := data[0].Header.Get("User-Agent"); !strings.Contains(agent, "helios") {
			t.Errorf("User-Agent %q", agent)
		}
	}
}

func TestNamesOfAllSorts(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	c := newClient(t, s, hapi.Options{Cache: newCache(t)})
	list, err := c.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	id := hapitest.Unicode().ID
	if !slices.Contains(list, hapi.Entry{ID: id, Title: "Names of all sorts"}) {
		t.Fatalf("catalogue %+v", list)
	}
	r := fetch(t, c, ask(t, id, "2014-01-01", "2014-01-01T00:02", "unicodevector (A;α;☃;👍)", "name with a blank", "a+b&c=d%"))
	if got := r.Columns[0].Text[:4]; !slices.Equal(got, []string{"A", "α", "☃", "👍"}) {
		t.Errorf("%q", got)
	}
	if r.Columns[1].Float[1] != 0.125 || r.Columns[2].Float[1] != 1 {
		t.Errorf("%v, %v", r.Columns[1], r.Columns[2])
	}
}

func TestTheTimeAlone(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	store := newCache(t)
	for range 2 {
		r := fetch(t, newClient(t, s, hapi.Options{Cache: store}), ask(t, "minutes", "2023-01-02", "2023-01-02T00:05", "Time"))
		if r.Len() != 5 || len(r.Columns) != 0 || len(r.Info.Parameters) != 1 {
			t.Errorf("%d records, %d columns", r.Len(), len(r.Columns))
		}
	}
	if n := len(s.Data()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestTheWindowIsClipped(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	for _, store := range []*cache.Cache{nil, newCache(t)} {
		c := newClient(t, s, hapi.Options{Cache: store})
		for _, w := range []struct {
			start, stop string
			want        int
		}{
			{"", "", 31*1440 - 3*1440 - 20*60},
			{"1990", "2090", 31*1440 - 3*1440 - 20*60},
			{"2022-12-01", "2023-01-01T00:30", 30},
			{"2023-01-31T23:50", "2024", 10},
			{"2023-01-01T00:00:30", "2023-01-01T00:02:00.5", 2},
		} {
			if r := fetch(t, c, ask(t, "gaps", w.start, w.stop)); r.Len() != w.want {
				t.Errorf("%q to %q: %d records, want %d", w.start, w.stop, r.Len(), w.want)
			}
		}
		for _, w := range [][2]string{{"2010", "2011"}, {"2023-02-01", "2023-02-02"}, {"2023-01-03", "2023-01-02"}, {"2023-01-03", "2023-01-03"}} {
			_, err := c.Fetch(t.Context(), ask(t, "gaps", w[0], w[1]))
			if outside, ok := errors.AsType[*hapi.WindowError](err); !ok || outside.First != at(t, "2023-01-01") {
				t.Errorf("%q: %v, want a WindowError", w, err)
			}
		}
	}
}

func TestNoDataInEveryForm(t *testing.T) {
	t.Parallel()
	for _, framing := range []hapitest.Framing{hapitest.AnyFraming, hapitest.Chunked, hapitest.Length, hapitest.Close} {
		for empty := hapitest.EmptyBody; empty <= hapitest.EmptyStatus; empty++ {
			for _, format := range []hapi.Format{hapi.CSV, hapi.Binary, hapi.JSON} {
				s := hapitest.New(t, &hapitest.Options{Empty: empty, Framing: framing, BareJSON: true})
				q := ask(t, "gaps", "2023-01-11", "2023-01-12")
				q.Format = format
				r, err := newClient(t, s, hapi.Options{}).Fetch(t.Context(), q)
				if err != nil || r.Len() != 0 || len(r.Columns) != 1 {
					t.Errorf("framing %d, way %d, %s: %v, %v, want no records and no error", framing, empty, format, r, err)
				}
			}
		}
	}
}

func TestAWindowOfFillIsData(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	r := fetch(t, newClient(t, s, hapi.Options{}), ask(t, "gaps", "2023-01-15", "2023-01-16"))
	if r.Len() != 1440 || !math.IsNaN(r.Columns[0].Float[0]) {
		t.Errorf("%d records, the first %v; want 1440 of NaN", r.Len(), r.Columns[0].Float[:1])
	}
}

func TestRefusalsAreOneClearSentence(t *testing.T) {
	t.Parallel()
	for refusal := hapitest.RefuseBoth; refusal <= hapitest.RefuseOK; refusal++ {
		s := hapitest.New(t, &hapitest.Options{Refusal: refusal})
		c := newClient(t, s, hapi.Options{})
		_, err := c.Info(t.Context(), "nowhere")
		refused, ok := errors.AsType[*hapi.Error](err)
		if !ok || refused.Status != (hapi.Status{Code: hapi.UnknownDataset, Message: "unknown dataset"}) {
			t.Errorf("way %d: %v, want code 1406", refusal, err)
			continue
		}
		want := strings.TrimPrefix(strings.TrimSuffix(s.URL, "/hapi"), "http://") + " refuses with HAPI status 1406: unknown dataset"
		if err.Error() != want {
			t.Errorf("way %d: %q, want %q", refusal, err, want)
		}
		// Data are refused in the middle of nothing as well.
		s.Set(func(o *hapitest.Options) { o.Refuses = []string{"csv"} })
		q := ask(t, "minutes", "2023-01-02", "2023-01-03")
		q.Format = hapi.CSV
		if _, err = c.Fetch(t.Context(), q); !isRefusal(err, hapi.UnsupportedFormat) {
			t.Errorf("way %d: %v, want code 1409", refusal, err)
		}
	}
}

func isRefusal(err error, code int) bool {
	refused, ok := errors.AsType[*hapi.Error](err)
	return ok && refused.Status.Code == code
}

func TestAFormatThatIsOfferedAndRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ refuses, asked []string }{
		{nil, []string{"binary"}},
		{[]string{"binary"}, []string{"binary", "csv"}},
		{[]string{"binary", "csv"}, []string{"binary", "csv", "json"}},
	} {
		s := hapitest.New(t, &hapitest.Options{Refuses: c.refuses})
		client := newClient(t, s, hapi.Options{})
		q := ask(t, "minutes", "2023-01-02", "2023-01-02T01")
		if r := fetch(t, client, q); r.Len() != 60 {
			t.Errorf("%v: %d records", c.refuses, r.Len())
		}
		fetch(t, client, q) // it remembers
		var asked []string
		for _, r := range s.Data() {
			asked = append(asked, r.Query.Get("format"))
		}
		if want := append(slices.Clone(c.asked), c.asked[len(c.asked)-1]); !slices.Equal(asked, want) {
			t.Errorf("%v: asked for %v, want %v", c.refuses, asked, want)
		}
	}
	s := hapitest.New(t, &hapitest.Options{Formats: []string{"csv"}, NoAbout: true})
	fetch(t, newClient(t, s, hapi.Options{}), ask(t, "minutes", "2023-01-02", "2023-01-02T01"))
	if got := s.Data()[0].Query.Get("format"); got != "csv" {
		t.Errorf("a server of csv alone was asked for %s", got)
	}
}

func TestTextsThatBinaryGarblesComeAsCSV(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, &hapitest.Options{QuotedBinary: true})
	r := fetch(t, newClient(t, s, hapi.Options{}), ask(t, "kinds", "1970-01-01", "1970-01-01T00:00:10", "string", "vectorstr"))
	if got := r.Columns[0].Text[1]; got != "with, comma" {
		t.Errorf("%q", got)
	}
}

// NaN is no word of JSON, but what programs that do not know this write.
func TestJSONWithNaNIsRead(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, &hapitest.Options{JSONNaN: true})
	q := ask(t, "kinds", "1970-01-01", "1970-01-01T00:00:10", "single")
	q.Format = hapi.JSON
	got := fetch(t, newClient(t, s, hapi.Options{}), q)
	q.Format = hapi.CSV
	if want := fetch(t, newClient(t, s, hapi.Options{}), q); fmt.Sprint(got.Columns) != fmt.Sprint(want.Columns) {
		t.Errorf("%v, want %v", got.Columns, want.Columns)
	}
}

func TestTooMuchIsHalved(t *testing.T) {
	t.Parallel()
	whole := hapitest.New(t, nil)
	want := fetch(t, newClient(t, whole, hapi.Options{}), ask(t, "minutes", "2023-01-01", "2023-03-11"))
	for _, o := range []hapitest.Options{
		{MaxSpan: 7 * 24 * time.Hour}, {MaxSpan: 5 * time.Hour}, {MaxRecords: 1000}, {MaxRecords: 50000},
		{MaxSpan: 24 * time.Hour, Refusal: hapitest.RefuseReason}, {MaxSpan: 24 * time.Hour, Refusal: hapitest.RefuseOK},
	} {
		s := hapitest.New(t, &o)
		c := newClient(t, s, hapi.Options{})
		sameRecords(t, fetch(t, c, ask(t, "minutes", "2023-01-01", "2023-03-11")), want)
		refused := 0
		for _, r := range s.Data() {
			if r.Size < 1000 {
				refused++
			}
		}
		if refused > 12 {
			t.Errorf("%+v: %d requests were refused, want it to learn", o, refused)
		}
	}
	s := hapitest.New(t, &hapitest.Options{MaxSpan: 1})
	_, err := newClient(t, s, hapi.Options{}).Fetch(t.Context(), ask(t, "minutes", "2023-01-01", "2023-03-11"))
	if !isRefusal(err, hapi.TooMuchData) {
		t.Errorf("a server that takes no window: %v, want code 1408", err)
	}
}

func TestTheServersLimitIsKept(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, &hapitest.Options{MaxSpan: 6 * time.Hour})
	for _, c := range []*cache.Cache{nil, newCache(t)} {
		s.Forget()
		r := fetch(t, newClient(t, s, hapi.Options{Cache: c}), ask(t, "references", "", ""))
		if r.Len() != 86400 || len(s.Data()) != 4 {
			t.Errorf("%d records by %d requests, want 86400 by 4", r.Len(), len(s.Data()))
		}
	}
	b := newClient(t, s, hapi.Options{}).Base()
	info, err := newClient(t, s, hapi.Options{}).Info(t.Context(), "references")
	if err != nil || info.Parameters[1].Units[0] != "keV" || info.Parameters[1].Bins[0].Centers[1] != 3 || b != s.URL {
		t.Errorf("%+v, %v", info, err)
	}
}

func TestABusyServerIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, &hapitest.Options{Busy: func(n int) (int, string) {
		switch n {
		case 0:
			return 503, "3"
		case 3:
			return 429, "7"
		}
		return 0, ""
	}})
	var mu sync.Mutex
	var waits []time.Duration
	var told, progress []time.Duration
	c := newClient(t, s, hapi.Options{
		Sleep: func(_ context.Context, d time.Duration) error {
			mu.Lock()
			defer mu.Unlock()
			waits = append(waits, d)
			return nil
		},
		Waiting: func(d time.Duration, _ error) { told = append(told, d) },
	})
	q := ask(t, "minutes", "2023-01-02", "2023-01-02T01")
	q.Progress = func(p hapi.Progress) {
		if p.Wait > 0 {
			progress = append(progress, p.Wait)
		}
	}
	fetch(t, c, q)
	if want := []time.Duration{3 * time.Second, 7 * time.Second}; !slices.Equal(waits, want) || !slices.Equal(told, want) || !slices.Equal(progress, want[1:]) {
		t.Errorf("waited %v, told %v, progress %v; want %v, and the latter of the data", waits, told, progress, want)
	}
}

func TestTheBaseMayEndInASlash(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	c := hapi.New(s.URL+"/", nil)
	if _, err := c.Catalog(t.Context()); err != nil {
		t.Error(err)
	}
	about, err := c.About(t.Context())
	if err != nil || about.ID != "hapitest" || about.Contact != "nobody" {
		t.Errorf("%+v, %v", about, err)
	}
	s.Set(func(o *hapitest.Options) { o.NoAbout = true })
	if _, err := newClient(t, s, hapi.Options{}).About(t.Context()); err == nil {
		t.Error("a server that cannot say who it is gave no error")
	}
}

func TestUnknownParametersAreNamed(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	_, err := newClient(t, s, hapi.Options{}).Fetch(t.Context(), ask(t, "minutes", "", "", "Bx"))
	if unknown, ok := errors.AsType[*hapi.UnknownParameterError](err); !ok || unknown.Name != "Bx" || len(s.Data()) != 0 {
		t.Errorf("%v", err)
	}
}

func TestProgressIsTold(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	store := newCache(t)
	for run, cached := range []int{0, 3} {
		var last hapi.Progress
		calls := 0
		q := ask(t, "minutes", "2023-01-10", "2023-03-11", "B_GSE")
		q.Progress = func(p hapi.Progress) {
			if p.Done < last.Done || p.Records < last.Records {
				t.Errorf("it goes back from %+v to %+v", last, p)
			}
			last = p
			calls++
		}
		r := fetch(t, newClient(t, s, hapi.Options{Cache: store}), q)
		want := hapi.Progress{Dataset: "minutes", Chunks: 3, Done: 3, Cached: cached, Records: 60 * 1440, Bytes: last.Bytes}
		if !reflect.DeepEqual(last, want) || int64(r.Len()) != want.Records || (last.Bytes > 0) != (run == 0) || calls < 3 {
			t.Errorf("run %d: %+v, want %+v", run, last, want)
		}
	}
}

func TestBreakingOffStopsTheRequest(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil)
	n := 0
	for r, err := range newClient(t, s, hapi.Options{Parallel: 2}).Data(t.Context(), ask(t, "minutes", "2020", "2025")) {
		if err != nil || r.Len() == 0 {
			t.Fatal(err)
		}
		if n++; n == 2 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newClient(t, s, hapi.Options{}).Fetch(ctx, ask(t, "minutes", "2020", "2025")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestALongWindowIsRefused(t *testing.T) {
	t.Parallel()
	d := hapitest.Minutes()
	d.Cadence, d.More = time.Microsecond, nil
	s := hapitest.New(t, nil, d)
	_, err := newClient(t, s, hapi.Options{}).Fetch(t.Context(), ask(t, "minutes", "", ""))
	if err == nil || !strings.Contains(err.Error(), "ask for a shorter one") {
		t.Error(err)
	}
}
