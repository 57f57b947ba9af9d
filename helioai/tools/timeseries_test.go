package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/tools"
)

var nan = math.NaN()

func TestStatisticsAreReturnedAndRecorded(t *testing.T) {
	t.Parallel()
	s := newSession(t, &shelf{series: []*series.Series{made("BGSM", 3, 1, 2, -4.394, nan, 0, 3, 3, nan, 5)}})
	r := s.call("get_timeseries", args{"param_id": "local/x/BGSM"})
	if r.out["dataset"] != "bgsm" || r.out["cadence"] != "1 min" || r.out["n_points"] != 3.0 {
		t.Errorf("got %s", r.text)
	}
	if e := s.entry("bgsm_bgsmz_min"); e.Value != -4.394 || e.Units != "nT" || e.Origin.Tool != "get_timeseries" || e.Origin.Call != "call-1" {
		t.Errorf("got %+v", e)
	}
	e := s.entry("bgsm_bgsmz_max_time")
	if e.Time.String() != "2023-01-02T00:02:00Z" || e.Tolerance != time.Minute {
		t.Errorf("got %v within %v", e.Time, e.Tolerance)
	}
	if in := e.Origin.Inputs; len(in) != 1 || in[0].ID != "local/x/BGSM" || in[0].SHA256 != strings.Repeat("ab", 32) || in[0].Dataset != "bgsm" {
		t.Errorf("the entry comes from %+v", in)
	}
	if e := s.entry("bgsm_bgsmx_n_missing"); e.Value != 1 || !e.Integer || e.Units != "" {
		t.Errorf("got %+v", e)
	}
	if d := r.data.Dataset; d == nil || d.File != "bgsm.npz" || len(d.SHA256) != 64 || len(r.data.Values) != 27 {
		t.Errorf("data: %+v", r.data)
	}
	if got, want := s.files(), "data/.lock data/bgsm.npz data/manifest.json data/provenance.json"; got != want {
		t.Errorf("the folder holds %s, want %s", got, want)
	}
}

func TestAScalarIsNamedAfterItsDataset(t *testing.T) {
	t.Parallel()
	s := newSession(t, &shelf{series: []*series.Series{made("ABS_B", 1, 3, 4, 28.4)}})
	r := s.call("get_timeseries", args{"param_id": "local/x/ABS_B"})
	stats := r.list("stats")[0].out
	if stats["key"] != "abs_b" || stats["max"] != 28.4 || stats["max_time"] != "2023-01-02T00:02:00Z" {
		t.Errorf("got %v", stats)
	}
	if s.entry("abs_b_max").Value != 28.4 {
		t.Error("the maximum is not recorded")
	}
}

func TestNamesThatMeanSomethingElseInAScript(t *testing.T) {
	t.Parallel()
	s := newSession(t, &shelf{series: []*series.Series{made("np", 1, 1, 2), made("|B| (nT)", 1, 1, 2), made("μ", 1, 1, 2)}})
	for id, want := range map[string]string{"local/x/np": "np_data", "local/x/|B| (nT)": "b_nt", "local/x/μ": "series"} {
		if r := s.call("get_timeseries", args{"param_id": id}); r.out["dataset"] != want {
			t.Errorf("%s is called %v, want %s", id, r.out["dataset"], want)
		}
	}
}

func TestASecondRequestFetchesNothing(t *testing.T) {
	t.Parallel()
	arch := &shelf{series: []*series.Series{made("B", 1, 1, 2, 3, 4)}}
	s := newSession(t, arch)
	first := s.call("get_timeseries", args{"param_id": "local/x/B"})
	entries := len(s.Ledger.Entries())
	again := s.call("get_timeseries", args{"param_id": "local/x/B"})
	if arch.fetched != 1 || again.out["already_downloaded"] != true || again.out["dataset"] != first.out["dataset"] {
		t.Errorf("fetched %d times, got %s", arch.fetched, again.text)
	}
	if got := len(s.Ledger.Entries()); got != entries {
		t.Errorf("the ledger grew from %d to %d entries", entries, got)
	}
	if a, b := fmt.Sprint(first.out["stats"]), fmt.Sprint(again.out["stats"]); a != b {
		t.Errorf("the statistics changed from %s to %s", a, b)
	}
	other := s.call("get_timeseries", args{"param_id": "local/x/B", "start": "2023-01-02T00:01:00Z"})
	if other.out["dataset"] != "b_2" || other.out["n_points"] != 3.0 {
		t.Errorf("another window gave %s", other.text)
	}
	if err := os.Remove(filepath.Join(s.Dir, "data", "b.npz")); err != nil {
		t.Fatal(err)
	}
	if back := s.call("get_timeseries", args{"param_id": "local/x/B"}); back.out["dataset"] != "b" || arch.fetched != 3 {
		t.Errorf("a file that is gone was not fetched again: %s", back.text)
	}
}

func TestWhatHasNoDataIsRefusedAndNotKept(t *testing.T) {
	t.Parallel()
	s := newSession(t, &shelf{series: []*series.Series{
		made("Fill", 1, nan, nan), made("None", 1), made("Big", 1, make([]float64, 14<<20)...),
	}})
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"param_id": "local/x/Fill"}, "every value of local/x/Fill in this window is fill"},
		{args{"param_id": "local/x/None"}, "has no records"},
		{args{"param_id": "local/x/Big"}, "ask for a shorter window"},
		{args{"param_id": "local/x/Bz"}, "local/x/B"},
		{args{"param_id": "local/x/Fill", "start": "2023-01-03", "stop": "2023-01-02"}, "not later; swap"},
		{args{"param_id": "local/x/Fill", "start": "yesterday"}, `start: `},
		{args{"start": "2023-01-02"}, "param_id"},
		{args{"param_id": "local/x/Fill", "max": 3}, "max"},
	} {
		if got := s.refused("get_timeseries", c.args); !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%v is refused with %q, want %q in it", c.args, got, c.want)
		}
	}
	if got := s.files(); got != "" {
		t.Errorf("left behind: %s", got)
	}
	if len(s.Ledger.Entries()) != 0 {
		t.Error("something was recorded")
	}
}

func TestWindowsOutsideOfTheCoverage(t *testing.T) {
	t.Parallel()
	s := newSession(t, nil)
	id := "local/demo_mfi_20230615_v01/Magnitude"
	r, err := s.try("get_timeseries", args{"param_id": id, "start": "2023-07-01", "stop": "2023-07-02"})
	if err != nil || !r.IsError {
		t.Fatalf("%v, %s", err, r.text)
	}
	if start := r.str("available_start"); !strings.HasPrefix(start, "2023-06-15T00:00") {
		t.Errorf("got %s", r.text)
	}
	r = s.call("get_timeseries", args{"param_id": id, "start": "2023-06-15T20:00:00Z", "stop": "2023-06-16T20:00:00Z"})
	if r.str("coverage_note") == "" || r.str("window_note") == "" || r.out["available_stop"] == nil {
		t.Errorf("a window that is covered in part says nothing: %s", r.text)
	}
	r = s.call("get_timeseries", args{"param_id": id, "start": "2023-06-15T04:00:00Z", "stop": "2023-06-15T05:00:00Z"})
	if r.out["coverage_note"] != nil || r.out["window_note"] != nil {
		t.Errorf("a window that is covered is complained about: %s", r.text)
	}
	if note := r.str("dataset_note"); !strings.Contains(note, "synthetic") {
		t.Errorf("nothing says that the data are synthetic: %s", note)
	}
}

func TestWideRecordsHaveNoStatistics(t *testing.T) {
	t.Parallel()
	s := newSession(t, &shelf{series: []*series.Series{made("spectrum", 40, make([]float64, 80)...)}})
	r := s.call("get_timeseries", args{"param_id": "local/x/spectrum"})
	if len(r.list("stats")) != 0 || r.out["stats_note"] == nil || len(s.Ledger.Entries()) != 0 {
		t.Errorf("got %s", r.text)
	}
}

// The same label twice, or none, still names each column.
func TestColumnsOfEqualLabels(t *testing.T) {
	t.Parallel()
	b := made("B", 3, 1, 2, 3)
	b.Columns = []string{"B", "B", "--"}
	s := newSession(t, &shelf{series: []*series.Series{b}})
	s.call("get_timeseries", args{"param_id": "local/x/B"})
	for i, name := range []string{"b_b_mean", "b_b_1_mean", "b_2_mean"} {
		if got := s.entry(name).Value; got != float64(i+1) {
			t.Errorf("%s is %v", name, got)
		}
	}
}

func TestLongUnitsAndLabelsDoNotBreakTheLedger(t *testing.T) {
	t.Parallel()
	b := made("B"+strings.Repeat("x", 300), 2, 1, 2)
	b.Units = "0 = good, 1 = doubtful, " + strings.Repeat("2 = bad ", 30)
	b.Columns = []string{strings.Repeat("label ", 60), "second"}
	s := newSession(t, &shelf{series: []*series.Series{b}})
	s.call("get_timeseries", args{"param_id": b.ID})
	if len(s.Ledger.Entries()) != 18 {
		t.Errorf("%d entries", len(s.Ledger.Entries()))
	}
}

func TestManyRequestsAtOnceKeepEveryDataset(t *testing.T) {
	t.Parallel()
	arch := &shelf{}
	for i := range 20 {
		arch.series = append(arch.series, made(fmt.Sprintf("p%d", i), 1, float64(i), 2))
	}
	s := newSession(t, arch)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() { s.call("get_timeseries", args{"param_id": fmt.Sprintf("local/x/p%d", i%20)}) })
	}
	wg.Wait()
	data, err := os.ReadFile(filepath.Join(s.Dir, "data", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Datasets map[string]*tools.Dataset }
	if err := json.Unmarshal(data, &m); err != nil || len(m.Datasets) != 20 {
		t.Errorf("the manifest lists %d datasets: %v", len(m.Datasets), err)
	}
}

// fetchIn makes a test binary fetch into the folder that it names.
const fetchIn = "HELIOS_TEST_FETCH_IN"

// fetchAll is the other process of the next test.
func fetchAll(dir, prefix string) int {
	arch := &shelf{}
	for i := range 25 {
		arch.series = append(arch.series, made(fmt.Sprintf("%s%d", prefix, i), 1, 1, 2))
	}
	for _, tl := range tools.All(&tools.Env{Dir: dir, Archive: arch}) {
		for _, s := range arch.series {
			if tl.Spec.Name != "get_timeseries" {
				continue
			}
			if r, err := tl.Run(context.Background(), json.RawMessage(fmt.Sprintf(`{"param_id":%q}`, s.ID))); err != nil || r.IsError {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
	}
	return 0
}

func TestSeveralProcessesKeepEveryDataset(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, prefix := range []string{"a", "b", "c", "d"} {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), exe, prefix)
			cmd.Env = append(os.Environ(), fetchIn+"="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	data, err := os.ReadFile(filepath.Join(dir, "data", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Datasets map[string]*tools.Dataset }
	if err := json.Unmarshal(data, &m); err != nil || len(m.Datasets) != 100 {
		t.Errorf("the manifest lists %d datasets, want 100: %v", len(m.Datasets), err)
	}
}

// A program of the session may have planted links where the tools write.
func TestPlantedLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("untouched"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, &shelf{series: []*series.Series{made("B", 1, 1, 2)}})
	for _, name := range []string{"b.npz", "manifest.json"} {
		if err := os.Symlink(outside, filepath.Join(s.Dir, "data", name)); err != nil {
			t.Skip(err)
		}
	}
	if r, err := s.try("get_timeseries", args{"param_id": "local/x/B"}); err == nil {
		t.Logf("with planted links: %s", r.text)
	}
	if data, err := os.ReadFile(outside); err != nil || string(data) != "untouched" {
		t.Errorf("a file outside of the folder now holds %q: %v", data, err)
	}
}

func TestDemonstrationTruths(t *testing.T) {
	t.Parallel()
	s := newSession(t, nil)
	s.call("get_timeseries", args{"param_id": "local/demo_mfi_20230615_v01/Magnitude"})
	data, err := os.ReadFile("../demo/truths.json")
	if err != nil {
		t.Fatal(err)
	}
	var truths struct {
		Columns []struct {
			ID      string
			Mean    float64
			Max     float64
			Missing int
			MaxTime tt.Time `json:"max_time"`
		}
	}
	if err := json.Unmarshal(data, &truths); err != nil {
		t.Fatal(err)
	}
	for _, c := range truths.Columns {
		if c.ID != "local/demo_mfi_20230615_v01/Magnitude" {
			continue
		}
		if got := s.entry("magnitude_data_mean").Value; math.Abs(got-c.Mean) > 1e-9*c.Mean {
			t.Errorf("the mean is %v, want %v", got, c.Mean)
		}
		if got := s.entry("magnitude_data_max_time").Time; got != c.MaxTime {
			t.Errorf("the maximum is at %v, want %v", got, c.MaxTime)
		}
		if got := s.entry("magnitude_data_n_missing").Value; got != float64(c.Missing) {
			t.Errorf("%v missing, want %d", got, c.Missing)
		}
		return
	}
	t.Error("no truth for the magnitude")
}

func TestAFileThatHasChangedIsReadAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.csv")
	write := func(values string) {
		t.Helper()
		if err := os.WriteFile(file, []byte("time,B [nT]\n"+values), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("2024-01-01T00:00:00Z,1\n2024-01-01T00:01:00Z,3\n")
	open := func() archive.Archive {
		t.Helper()
		arch, err := archive.OpenLocal([]string{file})
		if err != nil {
			t.Fatal(err)
		}
		return arch
	}
	s := newSession(t, open())
	ask := func() (dataset string, mean float64, before bool) {
		t.Helper()
		s.Archive = open() // as the next question does
		r := s.call("get_timeseries", args{"param_id": "local/x/B"})
		before, _ = r.out["already_downloaded"].(bool)
		return r.out["dataset"].(string), r.list("stats")[0].out["mean"].(float64), before
	}
	if name, mean, before := ask(); name != "b" || mean != 2 || before {
		t.Errorf("first: %s, mean %v, already there %v", name, mean, before)
	}
	if name, mean, before := ask(); name != "b" || mean != 2 || !before {
		t.Errorf("unchanged: %s, mean %v, already there %v", name, mean, before)
	}
	write("2024-01-01T00:00:00Z,10\n2024-01-01T00:01:00Z,30\n")
	// What earlier answers rest on keeps its name.
	if name, mean, before := ask(); name != "b_2" || mean != 20 || before {
		t.Errorf("changed: %s, mean %v, already there %v; want b_2 with mean 20, fetched", name, mean, before)
	}
	if e := s.entry("b_2_mean"); e.Value != 20 {
		t.Errorf("the ledger has %v", e.Value)
	}
	if name, mean, before := ask(); name != "b_2" || mean != 20 || !before {
		t.Errorf("changed and unchanged since: %s, mean %v, already there %v", name, mean, before)
	}
}
