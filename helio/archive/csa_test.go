package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/cache"
)

// csaServer is a fake of the Cluster Science Archive, with the data of amdaCDF.
type csaServer struct {
	mu     sync.Mutex
	asked  []string
	zip    bool
	short  bool // the list of datasets is cut off
	answer func(http.ResponseWriter, url.Values) bool
	odd    []*tar.Header // members before the CDF
}

const csaParameter = "imf__C1_CP_FGM_SPIN"

func (s *csaServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := r.URL.Query()
	s.asked = append(s.asked, r.URL.Path+" "+q.Get("QUERY"))
	switch adql := q.Get("QUERY"); {
	case r.URL.Path == "/data":
		if s.answer == nil || !s.answer(w, q) {
			s.data(w, q)
		}
	case r.URL.Path != "/tap/sync" || q.Get("FORMAT") != "csv" || q.Get("LANG") != "ADQL":
		http.NotFound(w, r)
	case strings.HasPrefix(adql, "SELECT COUNT(*) AS n FROM csa.v_dataset"):
		fmt.Fprint(w, "n\n2\n")
	case strings.HasPrefix(adql, "SELECT COUNT(*) AS n FROM csa.v_parameter"):
		fmt.Fprint(w, "n\n1\n")
	case strings.HasPrefix(adql, "SELECT * FROM csa.v_dataset"):
		fmt.Fprint(w, "dataset_id,title,instruments,start_date,end_date,date_last_update,time_resolution\n\"C1_CP_FGM_SPIN\",\"Field, spin\",FGM1,2015-01-01 00:00:00.0,2015-02-01 00:00:00.0,2020-01-01,4.0\n")
		if !s.short {
			fmt.Fprint(w, "D1_CP_FGM_SPIN,,,null,,,\n")
		}
	case strings.Contains(adql, "csa.v_parameter WHERE dataset_id='C1_CP_FGM_SPIN'"):
		fmt.Fprintf(w, "dataset_id,parameter_id,units,catdesc\nC1_CP_FGM_SPIN,%s,nT,\"Field in GSE\"\n", csaParameter)
	default:
		fmt.Fprint(w, `<VOTABLE><RESOURCE><INFO name="QUERY_STATUS" value="ERROR">no such table</INFO></RESOURCE></VOTABLE>`)
	}
}

func (s *csaServer) data(w io.Writer, q url.Values) {
	data, err := amdaCDF(url.Values{"startTime": {q.Get("START_DATE")}, "stopTime": {q.Get("END_DATE")}, "parameterID": {csaParameter}})
	if err != nil {
		fmt.Fprint(w, err)
		return
	}
	_, _ = w.Write(pack(s.zip, s.odd, data))
}

// pack makes a tar of odd members and one CDF.
func pack(zip bool, odd []*tar.Header, data []byte) []byte {
	var b bytes.Buffer
	var out io.Writer = &b
	if zip {
		z := gzip.NewWriter(&b)
		defer z.Close()
		out = z
	}
	t := tar.NewWriter(out)
	for _, h := range odd {
		_ = t.WriteHeader(h)
		if h.Typeflag == tar.TypeReg {
			_, _ = t.Write(bytes.Repeat([]byte("x"), int(h.Size)))
		}
	}
	_ = t.WriteHeader(&tar.Header{Name: "C1/C1_CP_FGM_SPIN.cdf", Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(data))})
	_, _ = t.Write(data)
	_ = t.Close()
	if z, ok := out.(*gzip.Writer); ok {
		_ = z.Close()
	}
	return b.Bytes()
}

func openCSA(t *testing.T, c *cache.Cache) (*csaServer, *archive.CSA) {
	t.Helper()
	fake := &csaServer{}
	s := httptest.NewServer(fake)
	t.Cleanup(s.Close)
	return fake, archive.NewCSA(&archive.Options{Base: s.URL, HTTP: s.Client(), Cache: c, Parallel: 1, Sleep: func(context.Context, time.Duration) error { return nil }})
}

func TestCSAIsAnArchive(t *testing.T) {
	t.Parallel()
	for _, zip := range []bool{false, true} {
		fake, a := openCSA(t, newCache(t))
		fake.zip = zip
		// What is hostile in a tar is passed over: nothing is written anywhere.
		fake.odd = []*tar.Header{
			{Name: "../../../../etc/passwd", Typeflag: tar.TypeReg, Size: 5}, {Name: "/tmp/x.txt", Typeflag: tar.TypeReg, Size: 3}, {Name: "x.cdf", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
			{Name: "d.cdf", Typeflag: tar.TypeDir}, {Name: "hard.cdf", Typeflag: tar.TypeLink, Linkname: "/etc/shadow"}, {Name: "pipe.cdf", Typeflag: tar.TypeFifo}, {Name: "README", Typeflag: tar.TypeReg, Size: 100},
		}
		all := inventory(t, a)
		if len(all) != 2 || all[0].Title != "Field, spin" || all[0].Mission != "Cluster" || all[0].Cadence != 4*time.Second || all[0].Modified != "2020-01-01" || all[1].Mission != "Double Star" || !all[1].Partial {
			t.Fatalf("%+v", all)
		}
		for _, name := range []string{csaParameter, "imf"} {
			s, err := a.Fetch(t.Context(), "csa/C1_CP_FGM_SPIN/"+name, at(t, "2015-01-09T12:00:30"), at(t, "2015-01-20T12"))
			if err != nil {
				t.Fatal(err)
			}
			if s.ID != "csa/C1_CP_FGM_SPIN/"+csaParameter || s.Len() != 11*1440-1 || s.Values[0] != 8*1440+721 || s.Meta.Source != "CSA" || s.Units != "nT" {
				t.Errorf("%s: %d records, %+v", s.ID, s.Len(), s.Meta)
			}
		}
		data := 0
		for _, asked := range fake.asked {
			if strings.HasPrefix(asked, "/data") {
				data++
			}
		}
		if data != 3 { // pieces of seven days
			t.Errorf("%d requests for data: %q", data, fake.asked)
		}
	}
}

func TestAnAnswerThatIsCutOffIsNoneOfCSA(t *testing.T) {
	t.Parallel()
	data, err := amdaCDF(url.Values{"startTime": {"2015-01-01"}, "stopTime": {"2015-01-01T01"}, "parameterID": {csaParameter}})
	if err != nil {
		t.Fatal(err)
	}
	for _, zip := range []bool{false, true} {
		whole := pack(zip, nil, data)
		for n := 0; n < len(whole); n += 1 + len(whole)/60 {
			fake, a := openCSA(t, nil)
			fake.answer = func(w http.ResponseWriter, _ url.Values) bool {
				_, _ = w.Write(whole[:n])
				return true
			}
			s, err := a.Fetch(t.Context(), "csa/C1_CP_FGM_SPIN/imf", at(t, "2015-01-01"), at(t, "2015-01-01T01"))
			// A tar says where it ends by blocks of zeros, which may be missing.
			if err == nil && (zip || n < 512+len(data)) {
				t.Errorf("cut at %d of %d: %d records and no error", n, len(whole), s.Len())
			}
		}
	}
}

func TestCSASaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	says := func(body string) func(http.ResponseWriter, url.Values) bool {
		return func(w http.ResponseWriter, _ url.Values) bool { fmt.Fprint(w, body); return true }
	}
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter, url.Values) bool
		want   string
	}{
		{"nothing", says(""), "no record"},
		{"a tar without a CDF", says(string(bytes.Repeat([]byte{0}, 1024))), "no record"},
		{"a page", says("<html>busy</html>"), "is a page"},
		{"no tar", says(strings.Repeat("text ", 300)), "unpack the answer"},
		{"no CDF", says(string(pack(false, nil, []byte("not a cdf")))), "not a CDF"},
		{"a file as large as it says", says(string(hugeTar())), "more than"},
	} {
		fake, a := openCSA(t, nil)
		fake.answer = c.answer
		_, err := a.Fetch(t.Context(), "csa/C1_CP_FGM_SPIN/imf", at(t, "2015-01-09"), at(t, "2015-01-10"))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	fake, a := openCSA(t, nil)
	fake.short = true
	if _, err := a.Inventory(t.Context()); err == nil || !strings.Contains(err.Error(), "1 rows of 2") {
		t.Errorf("a list that is cut off: %v", err)
	}
	_, a = openCSA(t, nil)
	for id, want := range map[string]string{
		"csa/C1_CP_FGM_SPIX/imf": "csa/C1_CP_FGM_SPIN", "csa/C1_CP_FGM_SPIN/inf": "imf__C1", "csa/D1_CP_FGM_SPIN/x": "no such table",
	} {
		if _, err := a.Fetch(t.Context(), id, at(t, "2015-01-09"), at(t, "2015-01-10")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", id, err, want)
		}
	}
}

// hugeTar says that a file of two gigabytes follows.
func hugeTar() []byte {
	var b bytes.Buffer
	_ = tar.NewWriter(&b).WriteHeader(&tar.Header{Name: "x.cdf", Typeflag: tar.TypeReg, Size: 2 << 30})
	return b.Bytes()
}
