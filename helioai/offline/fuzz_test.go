package offline

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/tt"
)

// smallInventory looks like three files without being any.
func smallInventory() []archive.Dataset {
	at := func(s string) tt.Time {
		t, err := tt.Parse(s)
		if err != nil {
			panic(err)
		}
		return t
	}
	dataset := func(id, mission, start, stop string, cadence time.Duration, params ...archive.Parameter) archive.Dataset {
		d := archive.Dataset{ID: id, Title: id, Mission: mission, Provider: "local", Start: at(start), Stop: at(stop), Cadence: cadence, Records: 100}
		for _, p := range params {
			p.ID, p.Dataset, p.Role, p.Records = archive.JoinID("local", id, p.Name), id, "data", 100
			p.Start, p.Stop, p.Cadence, p.Mission = d.Start, d.Stop, cadence, mission
			if len(p.Columns) == 0 {
				p.Columns = []string{p.Name}
			} else {
				p.Dims = []int{len(p.Columns)}
			}
			d.Parameters = append(d.Parameters, p)
		}
		return d
	}
	return []archive.Dataset{
		dataset("ac_mfi", "ACE", "2023-01-02", "2023-01-02T23:59:57", 16*time.Second,
			archive.Parameter{Name: "Magnitude", Description: "B-field magnitude", Units: "nT"},
			archive.Parameter{Name: "BGSM", Description: "Magnetic field vector in GSM", Units: "nT", Columns: []string{"Bx (GSM)", "By (GSM)", "Bz (GSM)"}, Frame: "GSM"}),
		dataset("omni_hourly", "OMNI", "2024-09-01", "2024-09-30T23", time.Hour,
			archive.Parameter{Name: "V", Description: "Bulk Flow Speed", Units: "km/s"},
			archive.Parameter{Name: "N", Description: "Ion Density", Units: "N/cm3"},
			archive.Parameter{Name: "T", Description: "Temperature", Units: "Deg K"}),
	}
}

// FuzzRead gives the grammar any text: it must read or refuse it, at once, and
// what it reads must be fit to be done.
func FuzzRead(f *testing.F) {
	for _, q := range readQuestions(f) {
		f.Add(q.text, "")
	}
	for _, q := range []string{
		"", " ", "?", "mean", "mean mean", "between and", "from to", "-", "|||", "5", "<", "above 1e400 nT", "12 september september 12", "first first half half",
		"\xff\xfe", "µµµ", "mean B at at at 12:00", "99:99", "0000-00-00", "2023-366", "24:00", "95th percentile percentile", "alfven", "beta beta 5 nT 5 nT",
		"minimum variance minimum variance", "BGSM local/ac_mfi/BGSM.cdf", strings.Repeat("and ", 300), strings.Repeat("9", 1400),
	} {
		f.Add(q, "mean field")
	}
	c := newCatalog(smallInventory())
	f.Fuzz(func(t *testing.T, question, before string) {
		started := time.Now()
		r := read(question, before, c)
		if took := time.Since(started); took > 2*time.Second {
			t.Errorf("%q took %v", question, took)
		}
		if r.refusal != nil {
			if r.refusal.reason == "" {
				t.Errorf("%q is refused without a reason", question)
			}
			return
		}
		if len(r.tasks) == 0 && r.formula == nil && r.method == nil && r.inventory == nil {
			t.Errorf("%q is read as nothing", question)
		}
		for _, k := range r.tasks {
			w := k.window
			if !w.start.IsZero() && !w.stop.IsZero() && !w.start.Before(w.stop) {
				t.Errorf("%q: the window %s to %s is empty", question, w.start, w.stop)
			}
			if k.leaf == nil {
				t.Errorf("%q: a task about nothing", question)
			}
			if len(k.stats) == 0 && k.condition == nil && !k.missing && !k.gaps && !k.value && !k.plotOnly && len(k.measures) == 0 {
				t.Errorf("%q: a task that asks nothing", question)
			}
			code := writeScript([]*task{k}, map[*task]*fetched{k: {Dataset: "d", Stats: make([]columnStat, 3)}})
			if !utf8.ValidString(code) {
				t.Errorf("%q: the script is not text:\n%q", question, code)
			}
		}
	})
}
