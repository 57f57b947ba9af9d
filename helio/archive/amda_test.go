package archive_test

import (
	"context"
	"encoding/json"
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
	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/helio/tt"
)

const amdaTreeXML = `<?xml version="1.0"?>
<dataRoot xml:id="DATAROOT"><dataCenter name="AMDA_Webservice" xml:id="x">
<mission xml:id="ACE" name="ACE" desc="Advanced Composition Explorer" target="Heliosphere.NearEarth"><instrument name="MFI" desc="Magnetometer&lt;br/&gt;Fluxgate">
 <dataset name="16 s" dataStart="2015-01-01T00:00:00Z" dataStop="2015-02-01T00:00:00Z" sampling="16S" desc="&lt;br/&gt; Sampling: 16S&lt;br/&gt; Provider: CDAWeb" dataSource="CDAWeb" xml:id="ace-imf-all" spaseId="spase://CNES/ACE" measurement_type="MagneticField" lastModificationDate="2024-12-22T22:10:15Z">
  <parameter xml:id="imf" name="b_gse" units="nT" description="Magnetic field vector in GSE" size="3"><component xml:id="imf(0)" name="bx"/><component xml:id="imf(1)" name="by"/><component xml:id="imf(2)" name="bz"/></parameter>
  <parameter xml:id="imf_mag" name="|b|" units="nT"/>
 </dataset></instrument></mission>
<mission xml:id="MMS" name="MMS"><observatory xml:id="MMS1" name="MMS1"><instrument name="EDP">
 <dataset name="burst" dataStart="2015-01-01T00:00:00Z" dataStop="2015-02-01T00:00:00Z" sampling="0.00015S" xml:id="mms1-dce" timeRestriction="2015-01-20T00:00:00Z">
  <parameter xml:id="dce" name="dc e-field" units="mV/m"/></dataset></instrument></observatory></mission>
<mission xml:id="BEPI" name="BepiColombo"><instrument name="SIXS"><datasetGroup name="particles">
 <dataset name="p" dataStart="2015-01-01T00:00:00Z" dataStop="2015-02-01T00:00:00Z" xml:id="bepi-p">
  <parameter template="p_##side##_##mode##_##step##_##n##_##c##" xml:id="p" name="proton flux" size="2"><arguments>
   <argument key="side" name="Side" type="generated-list" minkey="0" maxkey="12" nametpl="Side ##key##" default="1"/>
   <argument key="mode" name="Mode" type="list" default="srvy"><item key="srvy" name="survey"/><item key="brst" name="burst"/></argument>
   <argument key="step" name="Step" type="float" default="60"/><argument key="n" name="Number" type="int" default="50"/><argument key="c" name="Corrected" type="bool" default="0"/>
  </arguments></parameter></dataset></datasetGroup></instrument></mission>
</dataCenter></dataRoot>`

// amdaServer is a fake of AMDA. Its data have a record a minute: values are the
// minutes since 2015, and a fill at each full hour.
type amdaServer struct {
	t   *testing.T
	url string

	mu      sync.Mutex
	asked   []string // script and parameter
	pages   map[string]string
	n       int
	polls   int // how often a result is not ready
	answer  func(w http.ResponseWriter, q url.Values) bool
	wrapped bool
}

func (s *amdaServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	script, q := strings.TrimPrefix(r.URL.Path, "/"), r.URL.Query()
	s.asked = append(s.asked, script)
	switch script {
	case "auth.php":
		s.n++
		fmt.Fprintf(w, "token%d\n", s.n)
	case "getObsDataTree.php":
		if s.wrapped {
			fmt.Fprintf(w, "<?xml version=\"1.0\"?><url>%s/tree.xml</url>", s.url)
			return
		}
		fmt.Fprintf(w, "%s/tree.xml\n", s.url)
	case "tree.xml":
		fmt.Fprint(w, amdaTreeXML)
	case "getParameter.php":
		if q.Get("token") != fmt.Sprintf("token%d", s.n) || q.Get("outputFormat") != "CDF_ISTP" {
			http.Error(w, "bad token", http.StatusForbidden)
			return
		}
		if s.answer != nil && s.answer(w, q) {
			return
		}
		id := fmt.Sprint(len(s.pages))
		s.pages[id] = r.URL.RawQuery
		s.ready(w, id)
	case "getStatus.php":
		s.ready(w, q.Get("id"))
	case "file.cdf":
		q, _ := url.ParseQuery(s.pages[r.URL.RawQuery])
		data, err := amdaCDF(q)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = w.Write(data)
	default:
		http.NotFound(w, r)
	}
}

func (s *amdaServer) ready(w http.ResponseWriter, id string) {
	if s.polls > 0 {
		s.polls--
		_ = json.NewEncoder(w).Encode(map[string]any{"success": true, "status": "in progress", "id": id})
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"success": true, "dataFileURLs": s.url + "/file.cdf?" + id})
}

func amdaCDF(q url.Values) ([]byte, error) {
	a, err1 := tt.Parse(q.Get("startTime"))
	b, err2 := tt.Parse(q.Get("stopTime"))
	zero, err3 := tt.Parse("2015")
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	var times []tt.Time
	var values []float64
	w := map[string]int{"imf": 3, "dce": 1, "imf_mag": 1}[q.Get("parameterID")]
	if w == 0 {
		w = 2
	}
	for t := zero; t <= b && t < zero+tt.Time(31*24*time.Hour); t += tt.Time(time.Minute) {
		if t < a {
			continue
		}
		times = append(times, t)
		for range w {
			v := float64(t-zero) / 6e10
			if (t-zero)%tt.Time(time.Hour) == 0 {
				v = -1e31
			}
			values = append(values, v)
		}
	}
	v := cdftest.Variable{Name: q.Get("parameterID"), Type: cdf.Real8, Values: values, Attributes: attributes("DEPEND_0", "Epoch", "FILLVAL", -1e31, "UNITS", "nT")}
	if w > 1 {
		v.Dims = []int{w}
	}
	return cdftest.File{Variables: []cdftest.Variable{{Name: "Epoch", Type: cdf.TT2000, Values: times}, v}}.Bytes()
}

func openAMDA(t *testing.T, c *cache.Cache, change func(*archive.Options)) (*amdaServer, *archive.AMDA) {
	t.Helper()
	fake := &amdaServer{t: t, pages: map[string]string{}}
	s := httptest.NewServer(fake)
	t.Cleanup(s.Close)
	fake.url = s.URL
	opts := &archive.Options{Base: s.URL, HTTP: s.Client(), Cache: c, Parallel: 1, Sleep: func(context.Context, time.Duration) error { return nil }}
	if change != nil {
		change(opts)
	}
	return fake, archive.NewAMDA(opts)
}

func TestAMDAListsItsTree(t *testing.T) {
	t.Parallel()
	for _, wrapped := range []bool{false, true} {
		fake, a := openAMDA(t, nil, nil)
		fake.wrapped = wrapped
		all := inventory(t, a)
		if len(all) != 3 {
			t.Fatalf("%d datasets", len(all))
		}
		d := all[0]
		if d.ID != "ace-imf-all" || d.Mission != "ACE" || d.Instrument != "Magnetometer; Fluxgate" || d.Cadence != 16*time.Second || d.SPASE != "spase://CNES/ACE" ||
			d.Region != "Heliosphere.NearEarth" || d.Type != "MagneticField" || d.Title != "ACE MFI 16 s: Sampling: 16S; Provider: CDAWeb" || d.Modified != "2024-12-22T22:10:15Z" {
			t.Errorf("%+v", d)
		}
		if p := d.Parameters[0]; p.ID != "amda/ace-imf-all/imf" || p.Frame != "GSE" || fmt.Sprint(p.Columns, p.Dims) != "[bx by bz] [3]" || p.Description != "b_gse: Magnetic field vector in GSE" {
			t.Errorf("%+v", p)
		}
		if all[1].Mission != "MMS MMS1" || all[1].Cadence != 150*time.Microsecond {
			t.Errorf("%+v", all[1])
		}
		if p := all[2].Parameters[0]; p.Template == nil || len(p.Template.Arguments) != 5 || len(p.Template.Arguments[0].Choices) != 13 {
			t.Errorf("%+v", p)
		}
	}
}

func TestAMDAGivesAWindow(t *testing.T) {
	t.Parallel()
	fake, a := openAMDA(t, newCache(t), nil)
	fake.polls = 3
	s, err := a.Fetch(t.Context(), "amda/ace-imf-all/imf", at(t, "2015-01-09T12:00:30"), at(t, "2015-01-11T12"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 48*60-1 || s.Width() != 3 || s.Values[0] != 8*1440+721 || s.Time[0] != at(t, "2015-01-09T12:01") || s.Meta.Frame != "GSE" || s.Columns[2] != "bz" || s.Units != "nT" {
		t.Errorf("%d records from %v, the first %v, %+v", s.Len(), s.Time[0], s.Values[:3], s.Meta)
	}
	if st := s.Stats(0); st.Missing != 47 {
		t.Errorf("%d missing, want one an hour", st.Missing)
	}
	before := len(fake.asked)
	// The short form, and what is there already.
	short, err := a.Fetch(t.Context(), "amda/imf", at(t, "2015-01-10"), at(t, "2015-01-11"))
	if err != nil || short.ID != "amda/ace-imf-all/imf" || short.Len() != 1440 || len(fake.asked) != before {
		t.Errorf("%v, %d more requests", err, len(fake.asked)-before)
	}
	// Up to the last record, which counts.
	end, err := a.Fetch(t.Context(), "amda/imf", at(t, "2015-01-31T23"), tt.Fill)
	if err != nil || end.Len() != 60 {
		t.Errorf("the end: %v", err)
	}
}

func TestAMDAResolvesWhatIsLeftToChoose(t *testing.T) {
	t.Parallel()
	_, a := openAMDA(t, nil, nil)
	start, stop := at(t, "2015-01-09"), at(t, "2015-01-10")
	s, err := a.Fetch(t.Context(), "amda/bepi-p/p", start, stop)
	if err != nil || s.Name != "p_1_srvy_60_50_0" || len(s.Meta.Notes) != 5 || s.Meta.Notes[1] != "Mode was not chosen: the default srvy (survey) is taken" {
		t.Fatalf("%v: %+v", err, s)
	}
	if s, err = a.Fetch(t.Context(), "amda/bepi-p/p_12_brst_0.5_-3_1", start, stop); err != nil || s.ID != "amda/bepi-p/p_12_brst_0.5_-3_1" || len(s.Meta.Notes) != 0 {
		t.Fatalf("%v: %+v", err, s)
	}
	for _, id := range []string{"amda/bepi-p/p_13_brst_60_50_0", "amda/bepi-p/p_1_fast_60_50_0", "amda/bepi-p/p_1_srvy_60_5.5_0", "amda/bepi-p/p_1_srvy_60_50_2", "amda/bepi-p/p_1_srvy_60_50_0x", "amda/ace-imf-all/p_1_srvy_60_50_0"} {
		_, err := a.Fetch(t.Context(), id, start, stop)
		if _, ok := errors.AsType[*archive.UnknownError](err); !ok {
			t.Errorf("%s: %v, want that there is none", id, err)
		}
	}
	p := inventory(t, a)[2].Parameters[0]
	name, notes, err := p.Template.Resolve(map[string]string{"side": "12", "mode": "brst", "step": "1e-3", "n": "-1", "c": "1"})
	if err != nil || name != "p_12_brst_1e-3_-1_1" || len(notes) != 0 {
		t.Errorf("%q, %q, %v", name, notes, err)
	}
	for key, value := range map[string]string{"side": "13", "mode": "", "step": "fast", "n": "1.5", "c": "yes", "colour": "red"} {
		if _, _, err := p.Template.Resolve(map[string]string{key: value}); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s=%s: %v, want an error that names it", key, value, err)
		}
	}
}

func TestAMDAsAccountGoesOnlyWhereItIsNeeded(t *testing.T) {
	t.Parallel()
	var seen []url.Values
	answer := func(_ http.ResponseWriter, q url.Values) bool { seen = append(seen, q); return false }
	fake, a := openAMDA(t, nil, nil)
	fake.answer = answer
	start, stop := at(t, "2015-01-19"), at(t, "2015-01-25")
	s, err := a.Fetch(t.Context(), "amda/dce", start, stop)
	if err != nil || s.Time[s.Len()-1] >= at(t, "2015-01-20") || len(s.Meta.Notes) != 1 || !strings.Contains(s.Meta.Notes[0], "need an account") {
		t.Fatalf("%v: without an account up to the restriction, and a note", err)
	}
	_, err = a.Fetch(t.Context(), "amda/dce", at(t, "2015-01-20"), stop)
	if restricted, ok := errors.AsType[*archive.RestrictedError](err); !ok || restricted.From != at(t, "2015-01-20") {
		t.Errorf("%v, want a RestrictedError", err)
	}
	for _, q := range seen {
		if q.Has("userID") || q.Has("password") {
			t.Errorf("without an account it sent %v", q)
		}
	}
	seen = nil
	fake, a = openAMDA(t, nil, func(o *archive.Options) { o.User, o.Password = "me", "s3cret&" })
	fake.answer = answer
	if s, err = a.Fetch(t.Context(), "amda/dce", start, stop); err != nil || s.Time[s.Len()-1] < at(t, "2015-01-24") {
		t.Errorf("with an account: %v", err)
	}
	if len(seen) == 0 || seen[0].Get("password") != "s3cret&" || seen[0].Get("userID") != "me" {
		t.Errorf("it sent %v", seen)
	}
	fake.answer = func(w http.ResponseWriter, _ url.Values) bool {
		w.WriteHeader(http.StatusInternalServerError)
		return true
	}
	if _, err := a.Fetch(t.Context(), "amda/dce", start, stop); err == nil || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "token") {
		t.Errorf("an error says %v", err)
	}
}

func TestAMDASaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	says := func(text string) func(http.ResponseWriter, url.Values) bool {
		return func(w http.ResponseWriter, _ url.Values) bool { fmt.Fprint(w, text); return true }
	}
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter, url.Values) bool
		want   string
	}{
		{"refused", says(`{"success":false,"message":"Parameter <br/>is unknown"}`), "AMDA refuses: Parameter ; is unknown"},
		{"refused without a word", says(`{"success":false}`), "it does not say why"},
		{"no data", says(`{"success":false,"message":"No data for this interval"}`), "no record"},
		{"nothing", says(`{"success":true}`), "no record"},
		{"a page", says(`<html>busy</html>`), "did not answer with JSON"},
		{"never ready", says(`{"success":true,"status":"in progress","id":"loop"}`), "not ready after half an hour"},
	} {
		fake, a := openAMDA(t, nil, nil)
		fake.answer = c.answer
		if c.name == "never ready" {
			fake.polls = 1 << 30
		}
		_, err := a.Fetch(t.Context(), "amda/imf", at(t, "2015-01-09"), at(t, "2015-01-10"))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	fake, a := openAMDA(t, nil, nil)
	fake.answer = func(w http.ResponseWriter, _ url.Values) bool {
		fmt.Fprintf(w, `{"success":true,"dataFileURLs":["%s/vanished"]}`, fake.url)
		return true
	}
	if _, err := a.Fetch(t.Context(), "amda/imf", at(t, "2015-01-09"), at(t, "2015-01-10")); err == nil || !strings.Contains(err.Error(), "gone again") {
		t.Errorf("a file that vanished: %v", err)
	}
	for id, want := range map[string]string{"amda/ace-imf-all/inf": "amda/ace-imf-all/imf", "amda/": "dataset id", "amda/no/where": "there is no parameter"} {
		if _, err := a.Fetch(t.Context(), id, at(t, "2015-01-09"), at(t, "2015-01-10")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", id, err, want)
		}
	}
}

func TestAMDAWorksOfflineFromTheCache(t *testing.T) {
	t.Parallel()
	c := newCache(t)
	fake, a := openAMDA(t, c, nil)
	start, stop := at(t, "2015-01-09"), at(t, "2015-01-10")
	if _, err := a.Fetch(t.Context(), "amda/imf", start, stop); err != nil {
		t.Fatal(err)
	}
	off := archive.NewAMDA(&archive.Options{Base: fake.url, Cache: c, Offline: true})
	if s, err := off.Fetch(t.Context(), "amda/imf", start, stop); err != nil || s.Len() != 1440 {
		t.Errorf("offline: %v", err)
	}
	if _, err := off.Fetch(t.Context(), "amda/imf_mag", start, stop); err == nil || !strings.Contains(err.Error(), "offline") {
		t.Errorf("offline, not kept: %v", err)
	}
}
