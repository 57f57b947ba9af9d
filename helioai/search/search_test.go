package search_test

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/search"
	"github.com/helios-go/helios/internal/testdata"
)

func instant(tb testing.TB, s string) tt.Time {
	tb.Helper()
	v, err := tt.Parse(s)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// inventory is two made-up missions with overlapping names.
func inventory(tb testing.TB) []archive.Dataset {
	tb.Helper()
	start, stop := instant(tb, "2023-01-02"), instant(tb, "2023-01-03")
	scalar := func(d, name, description, units, role string) archive.Parameter {
		return archive.Parameter{
			ID: "local/" + d + "/" + name, Dataset: d, Name: name, Description: description, Units: units,
			Columns: []string{name}, Role: role, Start: start, Stop: stop, Records: 100,
		}
	}
	vector := scalar("ace", "BGSM", "Magnetic field in GSM", "nT", "data")
	vector.Columns, vector.Frame = []string{"Bx GSM", "By GSM", "Bz GSM"}, "GSM"
	empty := scalar("ace", "NeverFilled", "Magnetic field, empty", "nT", "data")
	empty.Start, empty.Stop, empty.Records = tt.Fill, tt.Fill, 0
	wind := scalar("wind", "Bmag", "Field magnitude", "nT", "data")
	wind.Start, wind.Stop = instant(tb, "2015-03-17"), instant(tb, "2015-03-18")
	return []archive.Dataset{
		{ID: "ace", Title: "ACE field and plasma", Mission: "ACE", Parameters: []archive.Parameter{
			vector,
			scalar("ace", "Magnitude", "|B| average", "nT", "data"),
			scalar("ace", "Np", "Proton number density", "#/cc", "data"),
			scalar("ace", "Vp", "Proton bulk speed", "km/s", "data"),
			scalar("ace", "QF", "Quality flag of the magnetic field", "", "support_data"),
			empty,
		}},
		{ID: "wind", Title: "Wind field", Mission: "Wind", Parameters: []archive.Parameter{wind}},
	}
}

func names(hits []search.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Parameter.Name)
	}
	return out
}

func TestQuantitiesAreFoundByAnyOfTheirNames(t *testing.T) {
	t.Parallel()
	x := search.New(inventory(t))
	for query, want := range map[string]string{
		"Bz GSM":                      "BGSM",
		"BGSM":                        "BGSM",
		"gsm magnetic field vector":   "BGSM",
		"ACE field strength":          "Magnitude",
		"ACE |B|":                     "Magnitude",
		"solar wind speed":            "Vp",
		"velocity":                    "Vp",
		"proton concentration":        "Np",
		"density in cm-3":             "Np",
		"quality flag":                "QF",
		"QF":                          "QF",
		"Wind magnetic field":         "Bmag",
		"ACE solar wind proton speed": "Vp",
	} {
		if got := names(x.Search(query, nil)); len(got) == 0 || got[0] != want {
			t.Errorf("%q found %v, want %s first", query, got, want)
		}
	}
}

func TestReasonsToRankDown(t *testing.T) {
	t.Parallel()
	x := search.New(inventory(t))
	start, stop := instant(t, "2023-01-02T06:00"), instant(t, "2023-01-02T07:00")
	hits := x.Search("ACE magnetic field", &search.Options{Top: 10, Start: &start, Stop: &stop})
	flags := map[string][]string{}
	for _, h := range hits {
		flags[h.Parameter.Name] = h.Flags
	}
	for name, want := range map[string][]string{
		"BGSM":        nil,
		"Bmag":        {"other_mission", "outside_window"},
		"QF":          {"auxiliary"},
		"NeverFilled": {"no_records"},
	} {
		if !slices.Equal(flags[name], want) {
			t.Errorf("%s is flagged %v, want %v", name, flags[name], want)
		}
	}
	if last := hits[len(hits)-1].Parameter.Name; last != "Bmag" {
		t.Errorf("%v: the other mission, outside of the window, is not last", names(hits))
	}
	if h := hits[0]; h.CoversWindow == nil || !*h.CoversWindow {
		t.Errorf("%s does not say that it covers the window", h.Parameter.Name)
	}
}

// "Solar wind" is not the mission Wind.
func TestSolarWindIsNotAMission(t *testing.T) {
	t.Parallel()
	x := search.New(inventory(t))
	for _, h := range x.Search("solar wind density", nil) {
		if slices.Contains(h.Flags, "other_mission") {
			t.Errorf("%s is flagged as of another mission", h.Parameter.Name)
		}
	}
}

func TestNothingAskedFindsNothing(t *testing.T) {
	t.Parallel()
	x := search.New(inventory(t))
	for _, query := range []string{"", "  ", "?!", "zebra"} {
		if got := x.Search(query, nil); len(got) != 0 {
			t.Errorf("%q found %v", query, names(got))
		}
	}
	if got := search.New(nil).Search("field", nil); len(got) != 0 {
		t.Errorf("an empty index found %v", names(got))
	}
}

func TestTheSameQueryGivesTheSameOrder(t *testing.T) {
	t.Parallel()
	want := names(search.New(inventory(t)).Search("proton field speed", &search.Options{Top: 20}))
	for range 20 {
		if got := names(search.New(inventory(t)).Search("proton field speed", &search.Options{Top: 20})); !slices.Equal(got, want) {
			t.Fatalf("got %v, then %v", want, got)
		}
	}
}

func TestRealFiles(t *testing.T) {
	t.Parallel()
	file := testdata.File(t, "data/ac_h0_mfi_20230102_v07.cdf")
	arch, err := archive.OpenLocal([]string{path.Dir(file)})
	if err != nil {
		t.Fatal(err)
	}
	datasets, err := arch.Inventory(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	x := search.New(datasets)
	for query, want := range map[string]string{
		"ACE magnetic field magnitude":  "Magnitude",
		"Bz GSM":                        "BGSM",
		"ACE magnetic field GSE":        "BGSEc",
		"ACE position in GSE":           "SC_pos_GSE",
		"rms of the field":              "dBrms",
		"OMNI field strength":           "ABS_B",
		"solar wind speed":              "V",
		"OMNI temperature":              "T",
		"ion density OMNI":              "N",
		"normal component BN":           "BN",
		"Geotail ion number density":    "HP_P_Den",
		"heliographic latitude":         "heliographicLatitude",
		"Geotail electron energy":       "HP_E_AVGE",
		"plasma pressure":               "W",
		"ACE data quality flag":         "Q_FLAG",
		"Geotail solar wind velocity z": "SW_V",
	} {
		if got := names(x.Search(query, nil)); !slices.Contains(got[:min(2, len(got))], want) {
			t.Errorf("%q found %v, want %s among the first two", query, got, want)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	x := search.New(inventory(b))
	b.ReportAllocs()
	for b.Loop() {
		x.Search("ACE magnetic field magnitude", nil)
	}
}

func ExampleIndex_Search() {
	datasets := []archive.Dataset{{ID: "omni", Mission: "OMNI", Parameters: []archive.Parameter{
		{ID: "local/omni/V", Name: "V", Description: "Bulk flow speed", Units: "km/s", Role: "data", Records: 720},
		{ID: "local/omni/ABS_B", Name: "ABS_B", Description: "Field magnitude", Units: "nT", Role: "data", Records: 720},
	}}}
	hits := search.New(datasets).Search("solar wind velocity", nil)
	fmt.Println(hits[0].Parameter.ID, strings.Join(hits[0].Flags, " "))
	// Output: local/omni/V
}
