package archive_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/tt"
)

// sscServer is a fake of SSCWeb: one spacecraft that has a position every twelve
// minutes, X the minutes since the start of its first day.
type sscServer struct {
	mu    sync.Mutex
	asked []string
	fail  http.HandlerFunc // answers in its place, unless nil
}

const sscList = `<?xml version="1.0" encoding="UTF-8"?><ObservatoryResponse xmlns="http://sscweb.gsfc.nasa.gov/schema">
<Observatory><Id>ace</Id><Name>ACE</Name><Resolution>720</Resolution><StartTime>2006-01-01T00:00:00.000Z</StartTime><EndTime>2006-02-01T00:00:00.000Z</EndTime><Geometry></Geometry><ResourceId>spase://SMWG/Observatory/ACE</ResourceId></Observatory>
<Observatory><Id>sat é</Id><Name>&amp; more</Name><Resolution></Resolution><StartTime>soon</StartTime><EndTime></EndTime></Observatory>
</ObservatoryResponse>`

func (s *sscServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.Path)
	fail := s.fail
	s.mu.Unlock()
	if fail != nil {
		fail(w, r)
		return
	}
	if r.URL.Path == "/observatories" {
		fmt.Fprint(w, sscList)
		return
	}
	part := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(part) != 4 || part[0] != "locations" || r.Header.Get("Accept") != "application/xml" {
		http.NotFound(w, r)
		return
	}
	from, to, _ := strings.Cut(part[2], ",")
	a, err1 := tt.Parse(from)
	b, err2 := tt.Parse(to)
	if err := errors.Join(err1, err2); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprint(w, sscAnswer(a, b))
}

func sscAnswer(a, b tt.Time) string {
	zero, _ := tt.Parse("2006-01-01")
	var x, y, times strings.Builder
	for at := zero; at <= b; at += tt.Time(12 * time.Minute) {
		if at >= a {
			fmt.Fprintf(&x, "<X>%v</X>", float64(at-zero)/6e10)
			fmt.Fprint(&y, "<Y>1.5</Y>")
			fmt.Fprintf(&times, "<Time>%s</Time>", at.Format(3))
		}
	}
	return `<Response xmlns="http://sscweb.gsfc.nasa.gov/schema"><Result><StatusCode>Success</StatusCode><StatusSubCode>Success</StatusSubCode><Data><Id>ace</Id><Coordinates><CoordinateSystem>Gse</CoordinateSystem>` +
		x.String() + y.String() + strings.ReplaceAll(y.String(), "Y>", "Z>") + `</Coordinates>` + times.String() + `</Data></Result></Response>`
}

// openSSC starts the fake and an archive that does not wait.
func openSSC(t *testing.T, c *cache.Cache) (*sscServer, *archive.SSCWeb) {
	t.Helper()
	fake := &sscServer{}
	s := httptest.NewServer(fake)
	t.Cleanup(s.Close)
	now := at(t, "2006-03-01").UTC()
	return fake, archive.NewSSCWeb(&archive.Options{
		Base: s.URL + "/", HTTP: s.Client(), Cache: c, Now: func() time.Time { return now },
		Sleep: func(context.Context, time.Duration) error { return nil },
	})
}

func newCache(t *testing.T) *cache.Cache {
	t.Helper()
	c, err := cache.Open(filepath.Join(t.TempDir(), "cache"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSSCWebListsSpacecraftWithTheirFrames(t *testing.T) {
	t.Parallel()
	_, a := openSSC(t, nil)
	all := inventory(t, a)
	if len(all) != 2 || all[0].ID != "ace" || all[0].Cadence != 12*time.Minute || all[0].SPASE != "spase://SMWG/Observatory/ACE" || len(all[0].Parameters) != 7 {
		t.Fatalf("%+v", all)
	}
	if p := all[0].Parameters[1]; p.ID != "ssc/ace/gsm" || p.Frame != "GSM" || p.Units != "km" || p.Stop != at(t, "2006-02-01") {
		t.Errorf("%+v", p)
	}
	if d := all[1]; d.Start != tt.Fill || d.Cadence != 0 || d.Title != "& more" || d.Parameters[0].ID != "ssc/sat%20é/gse" {
		t.Errorf("%+v", d)
	}
	if _, err := a.Describe(t.Context(), "acee"); err == nil || !strings.Contains(err.Error(), "ssc/ace/gse") {
		t.Errorf("a spacecraft that is not there: %v, want the nearest", err)
	}
}

func TestSSCWebGivesPositionsOfTheWindow(t *testing.T) {
	t.Parallel()
	fake, a := openSSC(t, newCache(t))
	get := func(start, stop string) (n int, first float64) {
		t.Helper()
		s, err := a.Fetch(t.Context(), "ssc/ace/gse", at(t, start), at(t, stop))
		if err != nil {
			t.Fatal(err)
		}
		if s.Width() != 3 || s.Meta.Frame != "GSE" || s.Units != "km" || s.Time[0] < at(t, start) || s.Time[s.Len()-1] >= at(t, stop) {
			t.Errorf("%v to %v, %+v", s.Time[0], s.Time[s.Len()-1], s.Meta)
		}
		return s.Len(), s.Values[0]
	}
	if n, first := get("2006-01-08T01:00", "2006-01-08T02:00"); n != 5 || first != 7*1440+60 {
		t.Errorf("an hour: %d positions, the first at %v", n, first)
	}
	if n, _ := get("2006-01-01", "2006-01-25"); n != 24*120 {
		t.Errorf("24 days: %d positions", n)
	}
	asked := len(fake.asked)
	if asked != 4 { // the list, then pieces of ten days
		t.Errorf("asked %q", fake.asked)
	}
	if n, _ := get("2006-01-02", "2006-01-20"); n != 18*120 || len(fake.asked) != asked {
		t.Errorf("again: %d positions after %d more requests", n, len(fake.asked)-asked)
	}
	// The last piece is shorter than a day and is padded to one.
	if n, _ := get("2006-01-31T23:00", "2006-03-01"); n != 6 {
		t.Errorf("the end: %d positions, want up to the last", n)
	}
}

func TestSSCWebSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	fake, a := openSSC(t, nil)
	answers := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/observatories" {
				fmt.Fprint(w, sscList)
				return
			}
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	whole := sscAnswer(at(t, "2006-01-01"), at(t, "2006-01-01T01"))
	for _, c := range []struct {
		name        string
		fail        http.HandlerFunc
		id          string
		start, stop string
		want        string
	}{
		{"no such frame", nil, "ssc/ace/gsx", "2006-01-02", "2006-01-03", "ssc/ace/gse"},
		{"three parts", nil, "ssc/ace", "2006-01-02", "2006-01-03", "three parts"},
		{"before", nil, "ssc/ace/gse", "2005-01-02", "2005-01-03", "no record from 2005-01-02T00:00:00Z"},
		{"after", nil, "ssc/ace/gse", "2007-01-02", "2007-01-03", "inside its coverage"},
		{"inverted", nil, "ssc/ace/gse", "2006-01-03", "2006-01-02", "swap them"},
		{"unknown coverage", nil, "ssc/sat%20é/gse", "", "", "give a start and a stop"},
		{"failure", answers(200, `<Response><Result><StatusCode>Error</StatusCode><StatusSubCode>ServerError</StatusSubCode><StatusText>out of order</StatusText></Result></Response>`), "ssc/ace/gse", "2006-01-02", "2006-01-03", "answers Error (out of order)"},
		{"no data", answers(200, `<Response><Result><StatusCode>Error</StatusCode><StatusSubCode>NoDataAvailable</StatusSubCode></Result></Response>`), "ssc/ace/gse", "2006-01-02", "2006-01-03", "no record"},
		{"empty", answers(200, `<Response><Result><StatusCode>Success</StatusCode><StatusSubCode>Success</StatusSubCode></Result></Response>`), "ssc/ace/gse", "2006-01-02", "2006-01-03", "no record"},
		{"a page", answers(200, "<html><body>Down for maintenance</body></html>"), "ssc/ace/gse", "2006-01-02", "2006-01-03", "the answer is <html>"},
		{"not xml", answers(200, "busy"), "ssc/ace/gse", "2006-01-02", "2006-01-03", "no XML"},
		{"cut", answers(200, whole[:len(whole)-30]), "ssc/ace/gse", "2006-01-02", "2006-01-03", "no XML"},
		{"a coordinate less", answers(200, strings.Replace(whole, "<Y>1.5</Y>", "", 1)), "ssc/ace/gse", "2006-01-02", "2006-01-03", "6 times and 6, 5, 6 coordinates"},
		{"404", answers(404, "gone"), "ssc/ace/gse", "2006-01-02", "2006-01-03", "status 404"},
	} {
		fake.mu.Lock()
		fake.fail = c.fail
		fake.mu.Unlock()
		start, stop := tt.Fill, tt.Fill
		if c.start != "" {
			start, stop = at(t, c.start), at(t, c.stop)
		}
		_, err := a.Fetch(t.Context(), c.id, start, stop)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestSSCWebIsAskedAgainWhenBusy(t *testing.T) {
	t.Parallel()
	fake, a := openSSC(t, nil)
	n := 0
	fake.fail = func(w http.ResponseWriter, _ *http.Request) {
		if n++; n < 3 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader([]int{http.StatusTooManyRequests, http.StatusServiceUnavailable}[n-1])
			return
		}
		fmt.Fprint(w, sscList)
	}
	if all := inventory(t, a); len(all) != 2 || n != 3 {
		t.Errorf("%d spacecraft after %d requests", len(all), n)
	}
}

func TestSSCWebWorksOfflineFromTheCache(t *testing.T) {
	t.Parallel()
	c := newCache(t)
	_, a := openSSC(t, c)
	want, err := a.Fetch(t.Context(), "ssc/ace/gse", at(t, "2006-01-08"), at(t, "2006-01-09"))
	if err != nil {
		t.Fatal(err)
	}
	off := archive.NewSSCWeb(&archive.Options{Base: a.Address(), Cache: c, Offline: true})
	got, err := off.Fetch(t.Context(), "ssc/ace/gse", at(t, "2006-01-08"), at(t, "2006-01-09"))
	if err != nil || got.Len() != want.Len() || got.Values[0] != want.Values[0] {
		t.Errorf("%v", err)
	}
	if _, err := off.Fetch(t.Context(), "ssc/ace/gse", at(t, "2006-01-28"), at(t, "2006-01-29")); err == nil || !strings.Contains(err.Error(), "offline") {
		t.Errorf("what is not kept: %v", err)
	}
}

// A page that the service shows while it is down is not taken for its list of
// spacecraft, neither now nor later.
func TestAPageInPlaceOfAListIsNotKept(t *testing.T) {
	t.Parallel()
	fake, a := openSSC(t, newCache(t))
	fake.fail = func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<html><body>Down for maintenance</body></html>")
	}
	if _, err := a.Inventory(t.Context()); err == nil || !strings.Contains(err.Error(), "the answer is <html>") {
		t.Errorf("while it is down: %v", err)
	}
	fake.mu.Lock()
	fake.fail = nil
	fake.mu.Unlock()
	if all := inventory(t, a); len(all) != 2 {
		t.Errorf("%d spacecraft when it is back", len(all))
	}
}
