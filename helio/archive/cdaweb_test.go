package archive_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/tt"
)

// cdawebServer is a fake of CDAWeb's services, with the data of amdaCDF.
type cdawebServer struct {
	url string

	mu       sync.Mutex
	asked    []string
	answer   func(http.ResponseWriter, *http.Request) bool
	notAgain int // answers of 304
}

const cdawebList = `{"DatasetDescription":[
{"Id":"AC_H0_MFI","Observatory":["ACE"],"Instrument":["MAG"],"ObservatoryGroup":["ACE"],"InstrumentType":["Magnetic Fields (space)"],"Label":"ACE 16 s","TimeInterval":{"Start":"2015-01-01T00:00:00.000Z","End":"2015-02-01T00:00:00.000Z"},"PiName":"N. Ness","PiAffiliation":"Bartol","Doi":"https://doi.org/10.48322/e0dc-0h53","ResourceId":"spase://NASA/AC_H0_MFI","DatasetLink":[{"Title":"page","Url":"https://example.org/ace"}]},
{"Id":"MMS1_FPI_BRST_L2 é","Label":"burst","TimeInterval":{"Start":"2015-01-01T00:00:00.000Z","End":"2015-02-01T00:00:00.000Z"}},{"Id":""}]}`

func (s *cdawebServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.URL.EscapedPath())
	if s.answer != nil && s.answer(w, r) {
		return
	}
	part := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/datasets":
		const modified = "Sat, 01 Jan 2022 00:00:00 GMT"
		if r.Header.Get("If-Modified-Since") == modified {
			s.notAgain++
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Last-Modified", modified)
		fmt.Fprint(w, cdawebList)
	case len(part) == 3 && part[2] == "variables":
		fmt.Fprint(w, `{"VariableDescription":[{"Name":"imf","ShortDescription":"B","LongDescription":"B in GSE"},{"Name":"B mag","ShortDescription":"","LongDescription":""}]}`)
	case len(part) == 5 && part[2] == "data" && r.URL.Query().Get("format") == "cdf":
		from, to, _ := strings.Cut(part[3], ",")
		// Two files, the second of which begins where the first ends.
		a, _ := tt.Parse(from)
		b, _ := tt.Parse(to)
		mid := a + (b-a)/2
		file := func(a, b tt.Time) string {
			q := url.Values{"startTime": {a.Format(0)}, "stopTime": {b.Format(0)}, "parameterID": {part[4]}}
			return fmt.Sprintf(`{"Name":"%s/file.cdf?%s"}`, s.url, q.Encode())
		}
		fmt.Fprintf(w, `{"FileDescription":[%s,%s]}`, file(a, mid), file(mid, b))
	case r.URL.Path == "/file.cdf":
		data, err := amdaCDF(r.URL.Query())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = w.Write(data)
	default:
		http.NotFound(w, r)
	}
}

func openCDAWeb(t *testing.T, c *cache.Cache) (*cdawebServer, *archive.CDAWeb) {
	t.Helper()
	fake := &cdawebServer{}
	s := httptest.NewServer(fake)
	t.Cleanup(s.Close)
	fake.url = s.URL
	now := at(t, "2016").UTC()
	return fake, archive.NewCDAWeb(&archive.Options{
		Base: s.URL, HTTP: s.Client(), Cache: c, Parallel: 1, Now: func() time.Time { return now },
		Sleep: func(context.Context, time.Duration) error { return nil },
	})
}

func TestCDAWebIsAnArchive(t *testing.T) {
	t.Parallel()
	fake, a := openCDAWeb(t, newCache(t))
	all := inventory(t, a)
	if len(all) != 2 || !all[0].Partial || all[0].DOI != "10.48322/e0dc-0h53" || all[0].SPASE != "spase://NASA/AC_H0_MFI" || all[0].Mission != "ACE" ||
		!strings.Contains(all[0].Acknowledgement, "N. Ness, Bartol") || all[0].ResourceURL != "https://example.org/ace" {
		t.Fatalf("%+v", all)
	}
	d, err := a.Describe(t.Context(), "AC_H0_MFI")
	if err != nil || d.Partial || len(d.Parameters) != 2 || d.Parameters[0].Frame != "GSE" || d.Parameters[1].ID != "cdaweb/AC_H0_MFI/B%20mag" {
		t.Fatalf("%+v, %v", d, err)
	}
	s, err := a.Fetch(t.Context(), "cdaweb/AC_H0_MFI/imf", at(t, "2015-01-09T12:00:30"), at(t, "2015-01-20T12"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 11*1440-1 || s.Values[0] != 8*1440+721 || !s.Ordered() || s.Meta.DOI != "10.48322/e0dc-0h53" || s.Meta.Source != "CDAWeb" {
		t.Errorf("%d records, the first %v, %+v", s.Len(), s.Values[:3], s.Meta)
	}
	before := len(fake.asked)
	if _, err := a.Fetch(t.Context(), "cdaweb/AC_H0_MFI/imf", at(t, "2015-01-10"), at(t, "2015-01-11")); err != nil || len(fake.asked) != before {
		t.Errorf("again: %v after %d more requests", err, len(fake.asked)-before)
	}
	if _, err := a.Fetch(t.Context(), "cdaweb/AC_H0_MFI/B%20mag", at(t, "2015-01-10"), at(t, "2015-01-11")); err != nil || !strings.HasSuffix(fake.asked[len(fake.asked)-3], "/B%20mag") {
		t.Errorf("a name with a blank: %v, %q", err, fake.asked[len(fake.asked)-3:])
	}
	if _, err := a.Fetch(t.Context(), "cdaweb/MMS1_FPI_BRST_L2%20é/imf", at(t, "2015-01-10T01"), at(t, "2015-01-10T03")); err != nil {
		t.Error(err)
	}
	if last := fake.asked[len(fake.asked)-3]; !strings.Contains(last, "MMS1_FPI_BRST_L2%20%C3%A9/data/20150110T020000Z,20150110T040000Z") {
		t.Errorf("bursts are taken in two hours: %s", last)
	}
}

func TestCDAWebsListIsAskedForWhenItHasChanged(t *testing.T) {
	t.Parallel()
	fake := &cdawebServer{}
	s := httptest.NewServer(fake)
	t.Cleanup(s.Close)
	now := at(t, "2016").UTC()
	a := archive.NewCDAWeb(&archive.Options{Base: s.URL, HTTP: s.Client(), Cache: newCache(t), Now: func() time.Time { return now }})
	for _, step := range []struct {
		later       time.Duration
		asked, same int
	}{{0, 1, 0}, {time.Hour, 1, 0}, {48 * time.Hour, 2, 1}, {time.Hour, 2, 1}} {
		now = now.Add(step.later)
		if all := inventory(t, a); len(all) != 2 || len(fake.asked) != step.asked || fake.notAgain != step.same {
			t.Errorf("%v later: %d datasets, %d requests, %d unchanged; want %d and %d", step.later, len(all), len(fake.asked), fake.notAgain, step.asked, step.same)
		}
	}
	// When the service is down an old list is better than none.
	now = now.Add(48 * time.Hour)
	fake.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "down", http.StatusNotFound)
		return true
	}
	if all := inventory(t, a); len(all) != 2 {
		t.Errorf("%d datasets while it is down", len(all))
	}
}

func TestCDAWebSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	data := func(status int, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(r.URL.Path, "/data/") {
				return false
			}
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return true
		}
	}
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request) bool
		want   string
	}{
		{"no data", data(404, `{"Message":["No data available for AC_H0_MFI"]}`), "no record"},
		{"no data in 200", data(200, `{"Message":["No data available"]}`), "no record"},
		{"nothing", data(200, `{}`), "no record"},
		{"refused", data(404, `{"Message":["Unknown dataset"]}`), "status 404"},
		{"an error in 200", data(200, `{"Error":["Out of\nmemory"]}`), "CDAWeb says: Out of memory"},
		{"a page", data(200, `<html>busy</html>`), "is a page"},
		{"not an address", data(200, `{"FileDescription":[{"Name":"file:///etc/passwd"}]}`), "without an address"},
		{"busy for good", data(503, ``), "status 503"},
		{"a file that is no CDF", func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/file.cdf" {
				return false
			}
			fmt.Fprint(w, "<html>")
			return true
		}, "not a CDF"},
		{"a file that breaks off", func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/file.cdf" {
				return false
			}
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, "half")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "EOF"},
	} {
		fake, a := openCDAWeb(t, nil)
		fake.answer = c.answer
		_, err := a.Fetch(t.Context(), "cdaweb/AC_H0_MFI/imf", at(t, "2015-01-09"), at(t, "2015-01-10"))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	_, a := openCDAWeb(t, nil)
	for id, want := range map[string]string{"cdaweb/AC_H0_MFX/imf": "cdaweb/AC_H0_MFI", "cdaweb/AC_H0_MFI/inf": "cdaweb/AC_H0_MFI/imf", "cdaweb/x": "three parts"} {
		if _, err := a.Fetch(t.Context(), id, at(t, "2015-01-09"), at(t, "2015-01-10")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", id, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Fetch(ctx, "cdaweb/AC_H0_MFI/imf", at(t, "2015-01-09"), at(t, "2015-01-10")); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}
