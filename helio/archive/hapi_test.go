package archive_test

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/hapi/hapitest"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/internal/testdata"
)

func openHAPI(t *testing.T) *archive.HAPI {
	t.Helper()
	server := hapitest.New(t, nil, hapitest.Datasets()...)
	return archive.NewHAPI("test", "a server of tests", &archive.Options{Base: server.URL, Cache: newCache(t)})
}

func TestAHAPIServerIsAnArchive(t *testing.T) {
	t.Parallel()
	a := openHAPI(t)
	all := inventory(t, a)
	if len(all) != len(hapitest.Datasets()) || !all[0].Partial || all[0].Provider != "test" {
		t.Fatalf("%+v", all)
	}
	for _, d := range all {
		one, err := a.Describe(t.Context(), d.ID)
		if err != nil || one.Partial || len(one.Parameters) == 0 || one.Start == tt.Fill {
			t.Errorf("%s: %+v, %v", d.ID, one, err)
			continue
		}
		for _, p := range one.Parameters {
			s, err := a.Fetch(t.Context(), p.ID, one.Start, one.Start.Add(time.Minute))
			if p.Text {
				if _, ok := errors.AsType[*archive.TextError](err); !ok {
					t.Errorf("%s: %v, want that it holds text", p.ID, err)
				}
				continue
			}
			if _, empty := errors.AsType[*archive.EmptyError](err); empty {
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", p.ID, err)
				continue
			}
			if s.ID != p.ID || len(s.Columns) != s.Width() || len(s.Values) != s.Len()*s.Width() || s.Units != p.Units {
				t.Errorf("%s: %+v", p.ID, s)
			}
			for _, v := range s.Values {
				if math.Abs(v) > 1e30 {
					t.Errorf("%s has a fill value left", p.ID)
					break
				}
			}
		}
	}
}

func TestASpectrumOverHAPIHasItsBins(t *testing.T) {
	t.Parallel()
	a := openHAPI(t)
	static, varying := 0, 0
	for _, d := range inventory(t, a) {
		one, err := a.Describe(t.Context(), d.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range one.Parameters {
			if p.Text || len(p.Dims) == 0 {
				continue
			}
			s, err := a.Fetch(t.Context(), p.ID, one.Start, one.Start.Add(10*time.Second))
			if err != nil {
				continue // gaps
			}
			for i, axis := range s.Axes {
				n := s.Dims[i]
				switch {
				case !axis.Binned():
				case axis.Varying:
					varying++
					if len(axis.Centers) != 0 && len(axis.Centers) != n*s.Len() || len(axis.Ranges) != 0 && len(axis.Ranges) != 2*n*s.Len() {
						t.Errorf("%s: %d centers, %d ranges for %d records of %d", p.ID, len(axis.Centers), len(axis.Ranges), s.Len(), n)
					}
				default:
					static++
					if len(axis.Centers) != 0 && len(axis.Centers) != n || len(axis.Ranges) != 0 && len(axis.Ranges) != 2*n {
						t.Errorf("%s: %d centers, %d ranges for %d places", p.ID, len(axis.Centers), len(axis.Ranges), n)
					}
				}
			}
		}
	}
	if static == 0 || varying == 0 {
		t.Errorf("%d fixed axes and %d that vary; the test needs both", static, varying)
	}
}

func TestAHAPIArchiveSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	a := openHAPI(t)
	d := inventory(t, a)[0]
	one, err := a.Describe(t.Context(), d.ID)
	if err != nil {
		t.Fatal(err)
	}
	p := one.Parameters[0]
	for _, c := range []struct {
		id          string
		start, stop tt.Time
		want        string
	}{
		{archive.JoinID("test", d.ID, p.Name+"x"), one.Start, one.Stop, p.ID},
		{archive.JoinID("test", d.ID+"x", p.Name), one.Start, one.Stop, archive.JoinDatasetID("test", d.ID)},
		{"test/x", one.Start, one.Stop, "three parts"},
		{p.ID, one.Stop, one.Start, "swap them"},
		{p.ID, one.Start.Add(-48 * time.Hour), one.Start.Add(-24 * time.Hour), "no record"},
	} {
		if _, err := a.Fetch(t.Context(), c.id, c.start, c.stop); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.id, err, c.want)
		}
	}
}

func TestTheCatalogueOfCDAWebIsAnArchive(t *testing.T) {
	t.Parallel()
	f, err := os.Open(testdata.File(t, "data/cdaweb-catalogue.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := archive.OpenCatalogue("cda", f, nil)
	if err != nil {
		t.Fatal(err)
	}
	parameters, covered := 0, 0
	ids := map[string]bool{}
	all := inventory(t, a)
	for _, d := range all {
		if d.Start != tt.Fill && d.Stop != tt.Fill {
			covered++
		}
		for _, p := range d.Parameters {
			parameters++
			ids[p.ID] = true
			if _, dataset, name, err := archive.SplitID(p.ID); err != nil || dataset != d.ID || name != p.Name {
				t.Fatalf("%s: %v", p.ID, err)
			}
		}
	}
	if len(all) != 2539 || parameters != 62316 || len(ids) != 62316 {
		t.Errorf("%d datasets with %d parameters and %d ids, want 2539 and 62316", len(all), parameters, len(ids))
	}
	t.Logf("%d with a coverage", covered)
	d, err := a.Describe(t.Context(), "AC_H0_MFI")
	if err != nil || d.Parameters[1].ID != "cda/AC_H0_MFI/BGSEc" || d.Parameters[1].Frame != "GSE" || d.Parameters[1].Units != "nT" {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := a.Describe(t.Context(), "AC_H0_MFX"); err == nil || !strings.Contains(err.Error(), "AC_H0_MFI") {
		t.Errorf("%v, want the nearest", err)
	}
	if _, err := a.Fetch(t.Context(), "cda/AC_H0_MFI/BGSEc", tt.Fill, tt.Fill); err == nil {
		t.Error("data come from a list")
	}
}

func TestACatalogueNamesTheLineThatIsWrong(t *testing.T) {
	t.Parallel()
	const good = `{"id":"a","parameters":[{"name":"Time","type":"isotime"}]}` + "\n"
	for text, want := range map[string]string{
		good + "{": "line 2", good + good: `line 2: there is a dataset "a" already`, "\n\n" + `{"id":""}`: "line 3: it has no id",
		`{"id":"b","parameters":[{"name":"x","type":"double"}]}`: "line 1",
	} {
		if _, err := archive.OpenCatalogue("cda", strings.NewReader(text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := archive.OpenCatalogue("cda", strings.NewReader("\x1f\x8bx"), nil); err == nil {
		t.Error("a broken gzip is read")
	}
}
