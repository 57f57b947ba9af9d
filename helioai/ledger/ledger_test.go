package ledger_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/ledger"
)

func open(t *testing.T, path string) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	l.Now = func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }
	return l
}

func at(t *testing.T, s string) tt.Time {
	t.Helper()
	x, err := tt.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// samples are entries of every kind, with the values that break naive JSON.
func samples(t *testing.T) []ledger.Entry {
	o := ledger.Origin{
		Tool: "run_python", Call: "c1", Code: "code_3.py", CodeSHA256: "ab12", Recipe: "mvab", RecipeVersion: "2",
		Inputs: []ledger.Input{{ID: "local/ac_h0_mfi_20230102_v07/BGSM", Dataset: "bgsm", SHA256: "cd34",
			Start: at(t, "2023-01-02T00:00:00Z"), Stop: at(t, "2023-01-03T00:00:00Z")}},
	}
	return []ledger.Entry{
		ledger.NewNumber("magnitude_mean", 3.6705, "nT", o),
		ledger.NewNumber("nothing", math.NaN(), "", o),
		ledger.NewNumber("too_much", math.Inf(1), "nT", ledger.Origin{}),
		ledger.NewNumber("too_little", math.Inf(-1), "nT", ledger.Origin{}),
		ledger.NewCount("n_missing", 11, "", o),
		ledger.NewTime("magnitude_max_time", at(t, "2016-12-31T23:59:60.123456789Z"), 16*time.Second, o),
		ledger.NewTime("never", tt.Fill, 0, o),
		ledger.NewText("note", "line one\nline <two> & \u2028", o),
		{Name: "bgsm", Kind: ledger.KindSeries, Units: "nT", Mean: 1, Min: -4, Max: 5, Std: 2, N: 5, NaN: 1, Shape: []int{2, 3}, Sample: []float64{1, math.NaN(), 3}},
		{Name: "onsets", Kind: ledger.KindSeries, N: 2, Shape: []int{2}, Times: []tt.Time{at(t, "2023-01-02T01:00"), at(t, "2023-01-02T02:00")}},
	}
}

// same compares entries with NaN equal to NaN.
func same(a, b []ledger.Entry) bool {
	ja, _ := json.Marshal(a)
	jb, _ := json.Marshal(b)
	return string(ja) == string(jb)
}

func TestEntriesComeBackFromTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "provenance.json")
	l := open(t, path)
	if !strings.Contains(l.Note(), "no ledger yet") || len(l.Entries()) != 0 {
		t.Errorf("absent file: note %q and %d entries", l.Note(), len(l.Entries()))
	}
	for _, e := range samples(t) {
		if err := l.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil || !json.Valid(data) {
		t.Fatalf("the file is not JSON: %v\n%s", err, data)
	}
	again := open(t, path)
	if again.Note() != "" || !same(l.Entries(), again.Entries()) {
		t.Errorf("reopened with note %q:\ngot  %+v\nwant %+v", again.Note(), again.Entries(), l.Entries())
	}
	got := again.Entries()
	if !math.IsNaN(got[1].Value) || !math.IsInf(got[2].Value, 1) || !math.IsInf(got[3].Value, -1) || !math.IsNaN(got[8].Sample[1]) {
		t.Errorf("NaN and infinities did not survive: %+v", got[1:4])
	}
	if got[5].Time != samples(t)[5].Time || got[5].Tolerance != 16*time.Second || !got[6].Time.IsFill() {
		t.Errorf("times did not survive: %v ± %v, %v", got[5].Time, got[5].Tolerance, got[6].Time)
	}
	if !reflect.DeepEqual(got[4].Origin, samples(t)[4].Origin) || !got[4].Integer {
		t.Errorf("origin or integer lost: %+v", got[4])
	}
	leftover, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".provenance-*"))
	if len(leftover) != 0 {
		t.Errorf("temporary files remain: %v", leftover)
	}
}

func TestDamagedFileReadsAsEmptyAndIsSetAside(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"empty": "", "cut": `{"version":1,"values":[{"name":"a","kind":"num`, "other JSON": `[1,2]`, "binary": "\x00\xff\xfe", "null bytes": "\x00\x00",
	} {
		path := filepath.Join(t.TempDir(), "provenance.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		l := open(t, path)
		if len(l.Entries()) != 0 || !strings.Contains(l.Note(), "damaged") {
			t.Errorf("%s: %d entries, note %q", name, len(l.Entries()), l.Note())
		}
		if err := l.Add(ledger.NewCount("n", 1, "", ledger.Origin{})); err != nil {
			t.Fatal(err)
		}
		if kept, err := os.ReadFile(path + ".damaged"); err != nil || string(kept) != content {
			t.Errorf("%s: the damaged file was not kept: %q, %v", name, kept, err)
		}
		if again := open(t, path); again.Note() != "" || len(again.Entries()) != 1 {
			t.Errorf("%s: after Add: note %q, %d entries", name, again.Note(), len(again.Entries()))
		}
	}
}

func TestReadableEntriesSurviveUnreadableOnes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "provenance.json")
	content := `{"version":1,"values":[{"name":"a","kind":"number","value":1},17,{"name":"","kind":"number"},{"name":"b","kind":"odd"},{"name":"c","kind":"number","value":"NaN"}]}`
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	l := open(t, path)
	if got := l.Entries(); len(got) != 2 || got[0].Name != "a" || got[1].Name != "c" {
		t.Errorf("entries %+v, want a and c", got)
	}
	if want := "3 of 5"; !strings.Contains(l.Note(), want) {
		t.Errorf("note %q does not say %q", l.Note(), want)
	}
}

func TestAddTakesAllOrNone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "provenance.json")
	l := open(t, path)
	good := ledger.NewCount("good", 1, "", ledger.Origin{})
	for name, bad := range map[string]ledger.Entry{
		"no name":        {Kind: ledger.KindNumber},
		"long name":      ledger.NewCount(strings.Repeat("n", 129), 1, "", ledger.Origin{}),
		"control":        ledger.NewCount("a\x1b[31m", 1, "", ledger.Origin{}),
		"not UTF-8":      ledger.NewCount("a\xff", 1, "", ledger.Origin{}),
		"long units":     ledger.NewNumber("a", 1, strings.Repeat("m", 65), ledger.Origin{}),
		"kind":           {Name: "a", Kind: "odd"},
		"sample":         {Name: "a", Kind: ledger.KindSeries, N: 9, Shape: []int{9}, Sample: make([]float64, 9)},
		"shape":          {Name: "a", Kind: ledger.KindSeries, N: 9, Shape: []int{3, 4}},
		"negative shape": {Name: "a", Kind: ledger.KindSeries, N: 1, Shape: []int{-1, -1}},
		"vast shape":     {Name: "a", Kind: ledger.KindSeries, N: 0, Shape: []int{1 << 39, 1 << 39, 1 << 39, 0}},
		"tolerance":      ledger.NewTime("a", 0, -time.Second, ledger.Origin{}),
		"long text":      ledger.NewText("a", strings.Repeat("x", 4097), ledger.Origin{}),
	} {
		if err := l.Add(good, bad); err == nil {
			t.Errorf("%s: Add accepted it", name)
		}
	}
	if n := len(l.Entries()); n != 0 {
		t.Errorf("%d entries after refusals, want 0", n)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was written although nothing was accepted")
	}
}

func TestTheNumberOfEntriesIsCapped(t *testing.T) {
	t.Parallel()
	var l ledger.Ledger
	many := make([]ledger.Entry, ledger.MaxEntries)
	for i := range many {
		many[i] = ledger.NewCount(fmt.Sprintf("n%d", i), int64(i), "", ledger.Origin{})
	}
	if err := l.Add(many...); err != nil {
		t.Fatal(err)
	}
	if err := l.Add(many[0]); !errors.Is(err, ledger.ErrFull) {
		t.Errorf("one more gives %v, want ErrFull", err)
	}
}

func TestEntriesAreCopies(t *testing.T) {
	t.Parallel()
	var l ledger.Ledger // the zero value keeps entries in memory
	e := ledger.Entry{Name: "s", Kind: ledger.KindSeries, N: 2, Shape: []int{2}, Sample: []float64{1, 2}, Mean: 1.5, Min: 1, Max: 2}
	if err := l.Add(e); err != nil {
		t.Fatal(err)
	}
	e.Sample[0] = 99
	l.Entries()[0].Sample[1] = 99
	if got, ok := l.Latest("s"); !ok || got.Sample[0] != 1 || got.Sample[1] != 2 {
		t.Errorf("the ledger's sample became %v", got.Sample)
	}
	if _, ok := l.Latest("other"); ok {
		t.Error("Latest found a name that was never added")
	}
}

func TestLatestIsTheNewestOfAName(t *testing.T) {
	t.Parallel()
	var l ledger.Ledger
	for v := range int64(3) {
		if err := l.Add(ledger.NewCount("n", v, "", ledger.Origin{})); err != nil {
			t.Fatal(err)
		}
	}
	if e, _ := l.Latest("n"); e.Value != 2 {
		t.Errorf("Latest = %v, want 2", e.Value)
	}
}

func TestConcurrentAddsAreAllKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "provenance.json")
	l := open(t, path)
	const writers, each = 8, 10
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := l.Add(ledger.NewCount(fmt.Sprintf("w%d_%d", w, i), int64(i), "", ledger.Origin{})); err != nil {
					t.Error(err)
				}
				_ = l.Entries()
			}
		})
	}
	// Whoever reads the file meanwhile sees a whole one.
	for range 20 {
		if data, err := os.ReadFile(path); err == nil && !json.Valid(data) {
			t.Errorf("a reader saw half a file: %d bytes", len(data))
		}
	}
	wg.Wait()
	if got := len(open(t, path).Entries()); got != writers*each {
		t.Errorf("%d entries in the file, want %d", got, writers*each)
	}
}

func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := ledger.Open(dir); err == nil {
		t.Error("a directory was opened as a ledger")
	}
	blocker := filepath.Join(dir, "file")
	if err := os.WriteFile(blocker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Open(filepath.Join(blocker, "provenance.json")); err == nil {
		t.Error("a ledger was opened below a file")
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte(`{"version":1,"values":[{"name":"a","kind":"number","value":"NaN","origin":{"inputs":[{"id":"x","start":"fill","stop":"2023"}]}}]}`))
	f.Add([]byte(`{"values":[{"name":"t","kind":"time","time":"2023-01-02T03:41:01Z","tolerance_s":1e300}]}`))
	f.Add([]byte(`{"values":null}`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "provenance.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := ledger.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Add(ledger.NewCount("n", 1, "", ledger.Origin{})); err != nil {
			t.Fatal(err)
		}
		again, err := ledger.Open(path)
		if err != nil || again.Note() != "" || !same(l.Entries(), again.Entries()) {
			t.Fatalf("not read back: %v, note %q", err, again.Note())
		}
	})
}
