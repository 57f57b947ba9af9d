package hapiserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/hapi/hapiserver"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/internal/testdata"
)

func at(tb testing.TB, text string) tt.Time {
	tb.Helper()
	instant, err := tt.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	return instant
}

func attributes(pairs ...any) []cdftest.Attribute {
	var out []cdftest.Attribute
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, cdftest.Attribute{Name: fmt.Sprint(pairs[i]), Values: pairs[i+1 : i+2]})
	}
	return out
}

// day is a file of one record a minute, an hour long: values count minutes since the
// beginning of 2023, and the third hour... is fill throughout in the file of the 3rd.
func day(tb testing.TB, date string, scale float64) []byte {
	tb.Helper()
	zero, start := at(tb, "2023-01-01"), at(tb, date)
	var times, slow []tt.Time
	var b, flux, energy, temperature []float64
	for i := range 60 {
		times = append(times, start+tt.Time(i)*tt.Time(time.Minute))
		m := scale * float64(times[i]-zero) / 6e10
		if date == "2023-01-03" {
			m = -1e31
		}
		b = append(b, m, m+0.1, -1e31)
		flux = append(flux, m, m)
		energy = append(energy, 1, float64(i))
	}
	for i := range 6 {
		slow = append(slow, start+tt.Time(i)*tt.Time(10*time.Minute))
		temperature = append(temperature, float64(i))
	}
	data, err := cdftest.File{
		Globals: []cdftest.Attribute{{Name: "Logical_source_description", Values: []any{"A test <b>"}}, {Name: "DOI", Values: []any{"10.1234/x"}}},
		Variables: []cdftest.Variable{
			{Name: "Epoch", Type: cdf.TT2000, Values: times}, {Name: "Slow", Type: cdf.TT2000, Values: slow},
			{Name: "B", Type: cdf.Real8, Dims: []int{3}, Values: b, Attributes: attributes("DEPEND_0", "Epoch", "UNITS", "nT", "FILLVAL", -1e31, "CATDESC", "Field in GSE", "LABL_PTR_1", "B_label")},
			{Name: "B_label", Type: cdf.Char, Dims: []int{3}, NoRecordVariance: true, Values: []string{"Bx", "By", "Bz"}},
			{Name: "flux", Type: cdf.Real8, Dims: []int{2}, Values: flux, Attributes: attributes("DEPEND_0", "Epoch", "DEPEND_1", "fixed")},
			{Name: "fixed", Type: cdf.Real8, Dims: []int{2}, NoRecordVariance: true, Values: []float64{10, 20}, Attributes: attributes("UNITS", "keV")},
			{Name: "swept", Type: cdf.Real8, Dims: []int{2}, Values: flux, Attributes: attributes("DEPEND_0", "Epoch", "DEPEND_1", "energy")},
			{Name: "energy", Type: cdf.Real8, Dims: []int{2}, Values: energy, Attributes: attributes("DEPEND_0", "Epoch", "VAR_TYPE", "support_data")},
			{Name: "T", Type: cdf.Real8, Values: temperature, Attributes: attributes("DEPEND_0", "Slow", "UNITS", "K")},
		},
	}.Bytes()
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// serve shares a folder with three days, one of them in two versions.
func serve(t *testing.T, opts *hapiserver.Options) (string, archive.Archive) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"x_h0_20230101_v01.cdf": day(t, "2023-01-01", 1), "x_h0_20230102_v9.cdf": day(t, "2023-01-02", 5), "x_h0_20230102_v10.cdf": day(t, "2023-01-02", 1),
		"x_h0_20230103_v01.cdf": day(t, "2023-01-03", 1), "wind.csv": []byte("time,V (km/s)\n2023-01-01T00:00:00.123456789,400\n2023-01-01T00:01:00,401\n"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, err := archive.OpenLocal([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	return start(t, a, opts), a
}

func start(t *testing.T, a archive.Archive, opts *hapiserver.Options) string {
	t.Helper()
	s, err := hapiserver.New(t.Context(), a, opts)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return web.URL
}

// get asks, without following redirects.
func get(t *testing.T, method, address string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestTheRulesOfTheSpecification(t *testing.T) {
	t.Parallel()
	base, _ := serve(t, &hapiserver.Options{MaxRecords: 150})
	const window = "start=2023-01-01T00:00Z&stop=2023-01-01T00:03Z"
	for _, c := range []struct {
		query  string
		status int
		code   int
		body   string // in the body
	}{
		{"about", 200, 1200, `"id":"helios"`},
		{"about?x=1", 400, 1401, "x"},
		{"capabilities", 200, 1200, `"outputFormats":["csv","binary","json"]`},
		{"capabilities?", 200, 1200, ""},
		{"catalog", 200, 1200, `"x_h0"`},
		{"catalog?depth=dataset", 200, 1200, `"wind"`},
		{"catalog?depth=all", 200, 1200, `"parameters"`},
		{"catalog?depth=deep", 400, 1413, ""},
		{"catalog?resolve_references=maybe", 400, 1412, ""},
		{"info", 400, 1400, "dataset is missing"},
		{"info?dataset=x_h0", 200, 1200, `"length":24`},
		{"info?id=x_h0", 200, 1200, `"maxRequestDuration":"PT2H30M"`},
		{"info?id=x_h0&dataset=x_h0", 400, 1400, "one field"},
		{"info?id=x_h0&id=x_h0", 400, 1400, "2 times"},
		{"info?dataset=nothing", 404, 1406, ""},
		{"info?dataset=x_h0&parameters=B", 200, 1200, `"vectorComponents":["x","y","z"]`},
		{"info?dataset=x_h0&parameters=b", 404, 1407, ""},
		{"info?dataset=x_h0&parameters=", 200, 1200, `"flux"`},
		{"info?dataset=x_h0&parameters=flux,B", 400, 1411, ""},
		{"info?dataset=x_h0&parameters=B,B", 400, 1411, ""},
		{"info?dataset=x_h0&resolve_references=false", 200, 1200, ""},
		{"info?dataset=x_h0%2FSlow", 200, 1200, `"T"`},
		{"info?dataset=wind", 200, 1200, `"length":30`},
		{"data?dataset=x_h0", 400, 1402, "missing"},
		{"data?dataset=x_h0&start=xx&stop=2023-01-01T01Z", 400, 1402, "xx"},
		{"data?dataset=x_h0&start=2023-1-1&stop=2023-01-01T01Z", 400, 1402, ""},
		{"data?dataset=x_h0&start=2023-01-01T00:00%2B01:00&stop=2023-01-01T01Z", 400, 1402, ""},
		{"data?dataset=x_h0&start=2023-01-01", 400, 1403, "missing"},
		{"data?dataset=x_h0&start=2023-01-01&stop=2023-02-30", 400, 1403, ""},
		{"data?dataset=x_h0&start=2023-01-02&stop=2023-01-01", 400, 1404, ""},
		{"data?dataset=x_h0&start=2023-01-01&stop=2023-001", 400, 1404, ""},
		{"data?dataset=x_h0&start=2020&stop=2021", 400, 1405, "2023-01-01T00:00:00Z"},
		{"data?dataset=x_h0&start=2024&stop=2025", 400, 1405, ""},
		{"data?dataset=nothing&" + window, 404, 1406, ""},
		{"data?dataset=x_h0&parameters=Q&" + window, 404, 1407, ""},
		{"data?dataset=x_h0&start=2023-01-01&stop=2023-01-04", 400, 1408, "about 180 records, and at most 150"},
		{"data?dataset=x_h0&format=xml&" + window, 400, 1409, ""},
		{"data?dataset=x_h0&include=footer&" + window, 400, 1410, ""},
		{"data?dataset=x_h0&parameters=flux,B&" + window, 400, 1411, ""},
		{"data?dataset=x_h0&resolve_references=2&" + window, 400, 1412, ""},
		{"data?dataset=x_h0&colour=red&" + window, 400, 1401, "colour"},
		{"data?dataset=x_h0&start=2023-01-01&time.min=2023-01-01&stop=2023-01-02", 400, 1400, ""},
		{"data?%zz", 400, 1400, ""},
		{"nothing", 404, 1400, "no endpoint"},
		{"data/extra", 404, 1400, ""},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			resp, body := get(t, method, base+"/hapi/"+c.query)
			if resp.StatusCode != c.status || resp.Header.Get("Content-Type") != "application/json; charset=utf-8" || resp.Header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s %s: status %d of %s, want %d", method, c.query, resp.StatusCode, resp.Header.Get("Content-Type"), c.status)
			}
			if method == http.MethodHead {
				if body != "" {
					t.Errorf("HEAD %s has a body", c.query)
				}
				continue
			}
			var answer struct {
				HAPI   string
				Status struct {
					Code    int
					Message string
				}
			}
			if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.HAPI != "3.3" || answer.Status.Code != c.code || answer.Status.Message == "" || !strings.Contains(body, c.body) {
				t.Errorf("%s: %v, %s; want code %d and %q", c.query, err, body, c.code, c.body)
			}
			if c.code >= 1400 && !strings.HasPrefix(answer.Status.Message, fmt.Sprintf("HAPI error %d: ", c.code)) {
				t.Errorf("%s says %q", c.query, answer.Status.Message)
			}
		}
	}
	for path, want := range map[string]string{
		"/": "/hapi", "/hapi/": "/hapi", "/hapi/info/?dataset=wind": "/hapi/info?dataset=wind", "//evil.example/": "/evil.example",
	} {
		resp, _ := get(t, http.MethodGet, base+path)
		if to := resp.Header.Get("Location"); resp.StatusCode != http.StatusMovedPermanently || to != want {
			t.Errorf("%s leads with %d to %q, want %q", path, resp.StatusCode, to, want)
		}
	}
	if resp, body := get(t, http.MethodPost, base+"/hapi/data"); resp.StatusCode != http.StatusMethodNotAllowed || !strings.Contains(body, "1400") {
		t.Errorf("POST: %d %s", resp.StatusCode, body)
	}
	if resp, body := get(t, http.MethodGet, base+"/hapi"); resp.StatusCode != http.StatusOK || !strings.Contains(body, "A test &lt;b&gt;") || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		t.Errorf("the page for people: %d %s", resp.StatusCode, body)
	}
	if resp, _ := get(t, http.MethodGet, base+"/etc/passwd"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("what is not below /hapi: %d", resp.StatusCode)
	}
}

func TestDataAreGivenAsAsked(t *testing.T) {
	t.Parallel()
	base, _ := serve(t, nil)
	for query, want := range map[string]string{
		"dataset=x_h0&parameters=B&start=2023-01-01T00:01Z&stop=2023-01-01T00:03Z":               "2023-01-01T00:01:00.000Z,1,1.1,NaN\n2023-01-01T00:02:00.000Z,2,2.1,NaN\n",
		"id=x_h0&parameters=Time&time.min=2023-01-01T00:01&time.max=2023-001T00:02:00.000000001": "2023-01-01T00:01:00.000Z\n2023-01-01T00:02:00.000Z\n",
		// Between the days there is nothing, which is no error.
		"dataset=x_h0&start=2023-01-01T05&stop=2023-01-01T06": "",
		// The newest version of the second day counts.
		"dataset=x_h0&parameters=flux&start=2023-01-02T00:00Z&stop=2023-01-02T00:01Z": "2023-01-02T00:00:00.000Z,1440,1440\n",
		// A window over two files, and one of fill values only.
		"dataset=x_h0&parameters=flux&start=2023-01-01T00:59Z&stop=2023-01-02T00:01Z":             "2023-01-01T00:59:00.000Z,59,59\n2023-01-02T00:00:00.000Z,1440,1440\n",
		"dataset=x_h0&parameters=Time,B&start=2023-01-03T00:00Z&stop=2023-01-03T00:01Z":           "2023-01-03T00:00:00.000Z,NaN,NaN,NaN\n",
		"dataset=x_h0/Slow&start=2023-01-01T00:50Z&stop=2023-01-02T00:10Z":                        "2023-01-01T00:50:00.000Z,5\n2023-01-02T00:00:00.000Z,0\n",
		"dataset=wind&start=2023-01-01Z&stop=2023-01-02Z":                                         "2023-01-01T00:00:00.123456789Z,400\n2023-01-01T00:01:00.000000000Z,401\n",
		"dataset=wind&start=2023-01-01Z&stop=2023-01-02Z&format=json&parameters=V":                `[` + "\n" + `["2023-01-01T00:00:00.123456789Z",400],` + "\n" + `["2023-01-01T00:01:00.000000000Z",401]` + "\n]}\n",
		"dataset=x_h0&start=2023-01-01T05&stop=2023-01-01T06&format=json&parameters=Time":         `"data":[` + "\n]}\n",
		"dataset=x_h0&start=2023-01-01T05&stop=2023-01-01T06&include=header&parameters=Time":      `{"code":1201,"message":"OK - no data for time range"}`,
		"dataset=x_h0&start=2023-01-01T00:00Z&stop=2023-01-01T00:01Z&include=header&parameters=B": "#{",
	} {
		resp, body := get(t, http.MethodGet, base+"/hapi/data?"+strings.ReplaceAll(query, "+", "%2B"))
		ok := body == want
		if strings.Contains(query, "json") || strings.Contains(query, "header") {
			ok = strings.Contains(body, want)
		}
		if resp.StatusCode != http.StatusOK || !ok {
			t.Errorf("%s: %d\n%s\nwant %s", query, resp.StatusCode, body, want)
		}
	}
	resp, body := get(t, http.MethodGet, base+"/hapi/data?dataset=wind&start=2023-01-01Z&stop=2023-01-02Z", "Accept-Encoding", "gzip")
	if resp.Header.Get("Content-Encoding") != "gzip" || !strings.HasPrefix(body, "\x1f\x8b") {
		t.Errorf("gzip was asked for: %v", resp.Header)
	}
	if resp, _ := get(t, http.MethodGet, base+"/hapi/data?dataset=wind&start=2023-01-01Z&stop=2023-01-02Z", "Accept-Encoding", "gzip;q=0, br"); resp.Header.Get("Content-Encoding") != "" {
		t.Error("gzip was refused, and came")
	}
}

// What our client reads from our server is what the archive gives.
func TestOurClientReadsWhatTheArchiveHolds(t *testing.T) {
	t.Parallel()
	base, a := serve(t, &hapiserver.Options{MaxRecords: 50})
	compare(t, a, "local/x_h0_20230101_v01", archive.NewHAPI("test", "", &archive.Options{Base: base + "/hapi"}), "test/x_h0")
	client := hapi.New(base+"/hapi", nil)
	var first string
	for _, f := range []hapi.Format{hapi.CSV, hapi.Binary, hapi.JSON} {
		r, err := client.Fetch(t.Context(), hapi.Query{Dataset: "x_h0", Start: at(t, "2023-01-01"), Stop: at(t, "2023-01-04"), Format: f})
		if err != nil || r.Len() != 180 {
			t.Errorf("%s: %d records, %v", f, r.Len(), err)
			continue
		}
		if text := fmt.Sprint(r.Time, r.Columns); first == "" {
			first = text
		} else if text != first {
			t.Errorf("%s gives other records", f)
		}
	}
	entries, err := client.Catalog(t.Context())
	if err != nil || len(entries) != 3 || entries[0].ID != "wind" || entries[1].ID != "x_h0" || entries[2].ID != "x_h0/Slow" {
		t.Errorf("%+v, %v", entries, err)
	}
	about, err := client.About(t.Context())
	if err != nil || about.ID != "helios" {
		t.Errorf("%+v, %v", about, err)
	}
}

// compare fetches each parameter of a local file from both.
func compare(t *testing.T, local archive.Archive, prefix string, remote *archive.HAPI, dataset string) {
	t.Helper()
	_, id, _ := strings.Cut(prefix, "/")
	d, err := local.Describe(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, p := range d.Parameters {
		if p.Records == 0 {
			continue
		}
		want, err := local.Fetch(t.Context(), p.ID, tt.Fill, tt.Fill)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(dataset, "/")
		got, err := remote.Fetch(t.Context(), archive.JoinID("test", name, p.Name), want.Time[0], want.Time[want.Len()-1]+1)
		if unknown, ok := errors.AsType[*archive.UnknownError](err); ok && p.TimeAxis != d.Parameters[0].TimeAxis {
			_ = unknown // it is in the dataset of its own axis
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", p.ID, err)
			continue
		}
		compared++
		if diff := differ(got, want); diff != "" {
			t.Errorf("%s: %s", p.ID, diff)
		}
	}
	if compared == 0 {
		t.Errorf("%s: nothing was compared", prefix)
	}
}

func differ(got, want *series.Series) string {
	switch {
	case got.Len() != want.Len() || got.Width() != want.Width():
		return fmt.Sprintf("%d records of %d, want %d of %d", got.Len(), got.Width(), want.Len(), want.Width())
	case got.Units != want.Units || got.Description != want.Description:
		return fmt.Sprintf("%q in %q, want %q in %q", got.Description, got.Units, want.Description, want.Units)
	case len(got.Axes) != len(want.Axes):
		return fmt.Sprintf("axes %+v, want %+v", got.Axes, want.Axes)
	}
	for i := range got.Time {
		if got.Time[i] != want.Time[i] {
			return fmt.Sprintf("record %d at %v, want %v", i, got.Time[i], want.Time[i])
		}
	}
	for i := range got.Values {
		if got.Values[i] != want.Values[i] && !(math.IsNaN(got.Values[i]) && math.IsNaN(want.Values[i])) {
			return fmt.Sprintf("value %d is %v, want %v", i, got.Values[i], want.Values[i])
		}
	}
	for i := range got.Axes {
		if fmt.Sprint(got.Axes[i].Centers) != fmt.Sprint(want.Axes[i].Centers) {
			return fmt.Sprintf("bins %v, want %v", got.Axes[i].Centers, want.Axes[i].Centers)
		}
	}
	return ""
}

func TestRealFilesAreServed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ac_h0_mfi_20230102_v07", "omni_coho1hr_merged_mag_plasma_20240901_v01", "ge_k0_cpi_19921231_v02"} {
		a, err := archive.OpenLocal([]string{testdata.File(t, "data/"+name+".cdf")})
		if err != nil {
			t.Fatal(err)
		}
		remote := archive.NewHAPI("test", "", &archive.Options{Base: start(t, a, nil) + "/hapi"})
		compare(t, a, "local/"+name, remote, "test/"+name)
	}
}

// A failing archive is a 500 before the first record, and a stream that breaks off
// after it.
func TestAFailureIsNeverShortData(t *testing.T) {
	t.Parallel()
	_, a := serve(t, nil)
	for after, want := range map[int]string{0: "1500", 1: "broken"} {
		var told error
		broken := &failing{Archive: a, after: after}
		base := start(t, broken, &hapiserver.Options{Failed: func(err error) { told = err }})
		resp, err := http.Get(base + "/hapi/data?dataset=x_h0&parameters=flux&start=2023-01-01&stop=2023-01-03")
		if err != nil {
			if want != "broken" {
				t.Error(err)
			}
			continue
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if want == "1500" && (resp.StatusCode != http.StatusInternalServerError || !strings.Contains(string(body), "1500") || strings.Contains(string(body), "secret")) {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
		if want == "broken" && err == nil {
			t.Errorf("the stream ended well with %q", body)
		}
		if want == "1500" && told == nil {
			t.Error("nobody was told")
		}
	}
}

type failing struct {
	archive.Archive
	after int
}

func (f *failing) Fetch(ctx context.Context, id string, start, stop tt.Time) (*series.Series, error) {
	if f.after--; f.after < 0 {
		return nil, errors.New("the disk /secret/path is broken")
	}
	return f.Archive.Fetch(ctx, id, start, stop)
}

func TestAnArchiveWithoutDataIsNoServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte("time,x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := archive.OpenLocal([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hapiserver.New(t.Context(), a, nil); err == nil || !strings.Contains(err.Error(), "nothing in it") {
		t.Error(err)
	}
}

func FuzzRequest(f *testing.F) {
	for _, q := range []string{"dataset=x&start=2023-01-01T00:00:00.Z&stop=2023-002&format=csv&include=header", "id=x&time.min=2023&time.max=2024&parameters=Time", "depth=all", "%zz"} {
		f.Add("data", q)
		f.Add("info", q)
	}
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.csv"), []byte("time,V (km/s)\n2023-01-01T00:00:00,400\n2023-01-01T00:01:00,401\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	a, err := archive.OpenLocal([]string{dir})
	if err != nil {
		f.Fatal(err)
	}
	s, err := hapiserver.New(context.Background(), a, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, endpoint, query string) {
		r := httptest.NewRequest(http.MethodGet, "/hapi", http.NoBody)
		r.URL.Path, r.URL.RawQuery = "/hapi/"+endpoint, query
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%s?%s: %d %s", endpoint, query, w.Code, w.Body)
		}
		if strings.Contains(w.Body.String(), dir) {
			t.Error("a path of the host is told")
		}
	})
}
