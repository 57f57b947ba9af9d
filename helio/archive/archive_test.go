package archive_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

func at(tb testing.TB, text string) tt.Time {
	tb.Helper()
	instant, err := tt.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	return instant
}

// attributes takes names and values in turn.
func attributes(pairs ...any) []cdftest.Attribute {
	var out []cdftest.Attribute
	for pair := range slices.Chunk(pairs, 2) {
		out = append(out, cdftest.Attribute{Name: fmt.Sprint(pair[0]), Values: pair[1:]})
	}
	return out
}

// axis is n instants a minute apart from the start of 2023-01-02.
func axis(tb testing.TB, n int) []tt.Time {
	tb.Helper()
	out := make([]tt.Time, n)
	for i := range out {
		out[i] = at(tb, "2023-01-02") + tt.Time(i)*tt.Time(time.Minute)
	}
	return out
}

// small is a file with all kinds of variables over six minutes.
func small(tb testing.TB) cdftest.File {
	tb.Helper()
	return cdftest.File{
		Globals: []cdftest.Attribute{
			{Name: "TITLE", Values: []any{"A title"}},
			{Name: "Logical_source_description", Values: []any{"A small", "file"}},
			{Name: "Mission_group", Values: []any{"OMNI (all of it)", "ACE"}},
			{Name: "Descriptor", Values: []any{"MAG>A magnetometer"}},
			{Name: "DOI", Values: []any{"https://doi.org/10.1000/xyz"}},
			{Name: "Acknowledgement", Values: []any{"Thanks", "to all"}},
			{Name: "Synthetic", Values: []any{"yes: made for a test"}},
		},
		Variables: []cdftest.Variable{
			{Name: "Epoch", Type: cdf.TT2000, Values: axis(tb, 6), Attributes: attributes("VAR_TYPE", "support_data")},
			{Name: "B", Type: cdf.Real4, Dims: []int{3}, Compression: cdf.GZIP,
				Values:     []float64{1, 2, 3, -1e31, 2, 3, 1, 2, -3, 4, 5, 6, 1, 1, 1, 2, 2, 2},
				Attributes: attributes("DEPEND_0", "Epoch", "UNITS", " nT ", "LABL_PTR_1", "B_label", "FILLVAL", float32(-1e31), "CATDESC", "Field in GSM", "VALIDMAX", float32(99))},
			{Name: "B_label", Type: cdf.Char, Dims: []int{3}, NoRecordVariance: true, Values: []string{"Bx", "By", "Bz"}, Attributes: attributes("VAR_TYPE", "metadata")},
			{Name: "V/km s#1", Type: cdf.Real8, Values: []float64{400, 401, 99999.8984375, 403, 404, 405},
				Attributes: attributes("DEPEND_0", "Epoch", "FILLVAL", 99999.9, "LABLAXIS", "speed")},
			{Name: "flag", Type: cdf.Int1, Values: []int8{0, 1, -128, 0, 0, 1},
				Attributes: attributes("DEPEND_0", "Epoch", "VAR_TYPE", "support_data", "FILLVAL", int8(-128))},
			{Name: "nothing", Type: cdf.Real4, Dims: []int{2}, Attributes: attributes("DEPEND_0", "Epoch")},
			{Name: "words", Type: cdf.Char, Values: []string{"a", "b", "c", "d", "e", "f"}, Attributes: attributes("DEPEND_0", "Epoch")},
			{Name: "energy", Type: cdf.Real4, Dims: []int{2}, NoRecordVariance: true, Values: []float64{1, 2}},
		},
	}
}

func encode(tb testing.TB, f cdftest.File) []byte {
	tb.Helper()
	b, err := f.Bytes()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// open makes an archive of files in memory.
func open(tb testing.TB, files map[string][]byte) *archive.Local {
	tb.Helper()
	fsys := fstest.MapFS{}
	for name, b := range files {
		fsys[name] = &fstest.MapFile{Data: b}
	}
	a, err := archive.OpenFS(fsys, "memory")
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func inventory(tb testing.TB, a archive.Archive) []archive.Dataset {
	tb.Helper()
	all, err := a.Inventory(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

func fetch(tb testing.TB, a archive.Archive, id string) *series.Series {
	tb.Helper()
	s, err := a.Fetch(tb.Context(), id, tt.Fill, tt.Fill)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestInventoryListsWhatVariesWithTime(t *testing.T) {
	t.Parallel()
	all := inventory(t, open(t, map[string][]byte{"sub/a_b_v01.cdf": encode(t, small(t))}))
	if len(all) != 1 {
		t.Fatalf("got %d datasets", len(all))
	}
	d := all[0]
	var got []string
	for _, p := range d.Parameters {
		got = append(got, fmt.Sprintf("%s %q %q %v %q %s %v %d", p.ID, p.Units, p.Columns, p.Dims, p.Frame, p.Role, p.Cadence, p.Records))
	}
	want := []string{
		`local/a_b_v01/B "nT" ["Bx" "By" "Bz"] [3] "GSM" data 1m0s 6`,
		`local/a_b_v01/V%2Fkm%20s%231 "" ["speed"] [] "" data 1m0s 6`,
		`local/a_b_v01/flag "" ["flag"] [] "" support_data 1m0s 6`,
		`local/a_b_v01/nothing "" ["nothing_1" "nothing_2"] [2] "" data 0s 0`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if p := d.Parameters[3]; p.Start != tt.Fill || p.Stop != tt.Fill {
		t.Errorf("a variable without records covers %v to %v", p.Start, p.Stop)
	}
	d.Parameters = nil
	wantSet := archive.Dataset{ID: "a_b_v01", Title: "A small file", Provider: "local", Source: "sub/a_b_v01.cdf", Mission: "OMNI",
		Instrument: "A magnetometer", Start: at(t, "2023-01-02"), Stop: at(t, "2023-01-02T00:05"), Cadence: time.Minute, Records: 6,
		DOI: "10.1000/xyz", Acknowledgement: "Thanks to all", Synthetic: true}
	if fmt.Sprintf("%+v", d) != fmt.Sprintf("%+v", wantSet) {
		t.Errorf("got  %+v\nwant %+v", d, wantSet)
	}
}

func TestFetchMasksFillWithTheVariablesOwnValue(t *testing.T) {
	t.Parallel()
	a := open(t, map[string][]byte{"d.cdf": encode(t, small(t))})
	b := fetch(t, a, "local/d/B")
	if b.Len() != 6 || b.Width() != 3 || !math.IsNaN(b.Values[3]) || b.Values[4] != 2 {
		t.Errorf("B: got %v", b.Values)
	}
	if st := b.Stats(2); st.Min != -3 || st.MinTime != at(t, "2023-01-02T00:02") {
		t.Errorf("Bz: got %+v", st)
	}
	v := fetch(t, a, archive.JoinID("local", "d", "V/km s#1"))
	if st := v.Stats(0); st.Missing != 1 || st.Max != 405 || v.Name != "V/km s#1" {
		t.Errorf("%s: got %+v", v.Name, st)
	}
	if f := fetch(t, a, "local/d/flag"); f.Stats(0).Missing != 1 || f.Meta.Role != "support_data" {
		t.Errorf("flag: got %v", f.Values)
	}
	m := b.Meta
	if m.Dataset != "d" || m.Source != "d.cdf" || len(m.SHA256) != 64 || !m.Synthetic || m.Frame != "GSM" || len(m.Fill) != 1 || len(m.ValidMax) != 1 || m.DOI != "10.1000/xyz" {
		t.Errorf("got %+v", m)
	}
	if sum, err := a.SHA256(t.Context(), "d"); err != nil || sum != m.SHA256 {
		t.Errorf("SHA256: got %s, %v", sum, err)
	}
}

func TestAVariableWithoutRecordsIsAnEmptySeries(t *testing.T) {
	t.Parallel()
	a := open(t, map[string][]byte{"d.cdf": encode(t, small(t))})
	s, err := a.Fetch(t.Context(), "local/d/nothing", at(t, "2023-01-02"), at(t, "2023-01-03"))
	if err != nil || s.Len() != 0 || s.Width() != 2 || s.ID != "local/d/nothing" {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestFetchReadsAHalfOpenWindow(t *testing.T) {
	t.Parallel()
	a := open(t, map[string][]byte{"d.cdf": encode(t, small(t)), "t.csv": []byte("time,Bx,By,Bz\n2023-01-02T00:01,1,2,3\n2023-01-02T00:02,1,2,-3\n2023-01-02T00:03,4,5,6\n")})
	for _, id := range []string{"local/d/B", "local/t/B"} {
		s, err := a.Fetch(t.Context(), id, at(t, "2023-01-02T00:02"), at(t, "2023-01-02T00:03"))
		if err != nil || s.Len() != 1 || !slices.Equal(s.Values, []float64{1, 2, -3}) {
			t.Errorf("%s: got %v, %v", id, s, err)
		}
		s, err = a.Fetch(t.Context(), id, at(t, "2023-01-02T00:03"), tt.Fill)
		if err != nil || s.Time[0] != at(t, "2023-01-02T00:03") || s.Row(0)[0] != 4 {
			t.Errorf("%s from 00:03: got %v, %v", id, s, err)
		}
	}
}

func TestRecordsWithoutATimeAreDropped(t *testing.T) {
	t.Parallel()
	f := small(t)
	times := axis(t, 6)
	times[0], times[3] = tt.Fill, tt.Fill
	f.Variables[0].Values = times
	a := open(t, map[string][]byte{"d.cdf": encode(t, f)})
	s := fetch(t, a, "local/d/B")
	if s.Len() != 4 || len(s.Values) != 12 || s.Time[0] != times[1] || s.Row(2)[0] != 1 || s.Row(2)[1] != 1 {
		t.Errorf("got %d records, %v", s.Len(), s.Values)
	}
	p := inventory(t, a)[0].Parameters[0]
	if p.Records != 4 || p.Start != times[1] || p.Stop != times[5] {
		t.Errorf("got %d records from %v to %v", p.Records, p.Start, p.Stop)
	}
}

func TestAnAxisWithoutOrderIsReadByItsWindow(t *testing.T) {
	t.Parallel()
	f := small(t)
	times := axis(t, 6)
	slices.Reverse(times)
	f.Variables[0].Values = times
	a := open(t, map[string][]byte{"d.cdf": encode(t, f)})
	s, err := a.Fetch(t.Context(), "local/d/flag", at(t, "2023-01-02T00:01"), at(t, "2023-01-02T00:03"))
	if err != nil || !slices.Equal(s.Values, []float64{0, 0}) || s.Time[0] != at(t, "2023-01-02T00:02") {
		t.Errorf("got %v %v, %v", s.Time, s.Values, err)
	}
	d := inventory(t, a)[0]
	if d.Start != times[5] || d.Stop != times[0] || d.Cadence != time.Minute {
		t.Errorf("got %v to %v every %v", d.Start, d.Stop, d.Cadence)
	}
}

func TestAFileWithoutDependencyIsReadByItsOnlyTime(t *testing.T) {
	t.Parallel()
	f := cdftest.File{Version: "2.4.6", Variables: []cdftest.Variable{
		{Name: "when", Type: cdf.Epoch, Values: axis(t, 2)},
		{Name: "B_GSE", Type: cdf.Real4, Values: []float64{1, 2}},
		{Name: "other", Type: cdf.Real4, Values: []float64{1, 2, 3}},
	}}
	a := open(t, map[string][]byte{"old.cdf": encode(t, f)})
	ps := inventory(t, a)[0].Parameters
	if len(ps) != 1 || ps[0].Name != "B_GSE" || ps[0].Frame != "GSE" {
		t.Errorf("got %+v, want B_GSE alone", ps)
	}
	if s := fetch(t, a, "local/old/B_GSE"); s.Len() != 2 || s.Time[1] != at(t, "2023-01-02T00:01") {
		t.Errorf("got %v", s.Time)
	}
}

func TestAnAxisWithoutRecordsIsToldWhenItsDataHaveSome(t *testing.T) {
	t.Parallel()
	f := small(t)
	f.Variables[0].Values = nil
	a := open(t, map[string][]byte{"d.cdf": encode(t, f)})
	_, err := a.Fetch(t.Context(), "local/d/B", tt.Fill, tt.Fill)
	want := `read "d.cdf": the time axis "Epoch" of "B" has no records`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestTablesAreListedAndFetched(t *testing.T) {
	t.Parallel()
	a := open(t, map[string][]byte{"wind.csv": []byte("# title: Solar wind\n# mission: Wind\n# fill: 999.9\ntime,Bx_GSM (nT),By_GSM (nT),Bz_GSM (nT),V (km/s)\n" +
		"2023-01-02T00:00,1,2,3,400\n2023-01-02T00:01,1,2,999.9,401\n2023-01-02T00:02,1,2,3,402\n")})
	d := inventory(t, a)[0]
	if d.Title != "Solar wind" || d.Mission != "Wind" || d.Records != 3 || d.Cadence != time.Minute || len(d.Parameters) != 2 {
		t.Errorf("got %+v", d)
	}
	p := d.Parameters[0]
	if p.ID != "local/wind/B_GSM" || p.Units != "nT" || p.Frame != "GSM" || p.Mission != "Wind" || p.Stop != at(t, "2023-01-02T00:02") {
		t.Errorf("got %+v", p)
	}
	s := fetch(t, a, "local/wind/B_GSM")
	if !math.IsNaN(s.Row(1)[2]) || s.Meta.Source != "wind.csv" || s.Meta.Dataset != "wind" || len(s.Meta.SHA256) != 64 {
		t.Errorf("got %v, %+v", s.Values, s.Meta)
	}
}

func TestErrorsAreOneSentenceOfTheirOwnType(t *testing.T) {
	t.Parallel()
	a := open(t, map[string][]byte{"d.cdf": encode(t, small(t)), "t.csv": []byte("time,N\n2023-01-02,1\n")})
	day, next := at(t, "2023-01-02"), at(t, "2023-01-03")
	for _, c := range []struct {
		name, id    string
		start, stop tt.Time
		as          any
		want        string
	}{
		{"inverted", "local/d/B", next, day, new(*archive.WindowError),
			"read local/d/B: the window starts at 2023-01-03T00:00:00Z and stops at 2023-01-02T00:00:00Z, which is not later; swap them (2023-01-02T00:00:00Z to 2023-01-02T00:05:00Z)"},
		{"inverted over a table", "local/t/N", next, day, new(*archive.WindowError),
			"read local/t/N: the window starts at 2023-01-03T00:00:00Z and stops at 2023-01-02T00:00:00Z, which is not later; swap them (2023-01-02T00:00:00Z to 2023-01-02T00:00:00Z)"},
		{"empty", "local/d/B", day, day, new(*archive.WindowError),
			"read local/d/B: the window starts and stops at 2023-01-02T00:00:00Z; let it stop later (2023-01-02T00:00:00Z to 2023-01-02T00:05:00Z)"},
		{"without data", "local/d/B", next, tt.Fill, new(*archive.EmptyError),
			"read local/d/B: no record from 2023-01-03T00:00:00Z on; choose a window inside its coverage (2023-01-02T00:00:00Z to 2023-01-02T00:05:00Z)"},
		{"before the data", "local/t/N", tt.Fill, day, new(*archive.EmptyError),
			"read local/t/N: no record before 2023-01-02T00:00:00Z; choose a window inside its coverage (2023-01-02T00:00:00Z to 2023-01-02T00:00:00Z)"},
		{"unknown", "local/d/Bgsm", day, next, new(*archive.UnknownError),
			`there is no parameter "local/d/Bgsm"; its dataset has local/d/B, local/d/V%2Fkm%20s%231, local/d/nothing`},
		{"the axis", "local/d/Epoch", day, next, new(*archive.UnknownError), `there is no parameter "local/d/Epoch"`},
		{"text", "local/d/words", day, next, new(*archive.UnknownError), `there is no parameter "local/d/words"`},
		{"a label", "local/d/B_label", day, next, new(*archive.UnknownError), `there is no parameter "local/d/B_label"`},
		{"another archive", "cda/d/B", day, next, new(*archive.UnknownError), `there is no parameter "cda/d/B"`},
		{"no id", "B", day, next, new(*archive.UnknownError), `there is no parameter "B"`},
		{"dataset", "local/e/flag", day, next, new(*archive.UnknownError), `there is no parameter "local/e/flag"; the nearest are local/d/flag`},
		{"a table", "local/t/M", day, next, new(*archive.UnknownError), `there is no parameter "local/t/M"; its dataset has local/t/N`},
	} {
		_, err := a.Fetch(t.Context(), c.id, c.start, c.stop)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || !errors.As(err, c.as) {
			t.Errorf("%s: got %T\n%v, want\n%s", c.name, err, err, c.want)
		}
	}
}

func TestNamedFilesAndFoldersThatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	xml := write("x.cdf", "<?xml version=\"1.0\"?>")
	table := write("x.csv", "time,a\n2023-01-02\n")
	text := write("x.txt", "time,a\n2023-01-02,1\n")
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty")
	missing := filepath.Join(dir, "missing.cdf")
	for _, c := range []struct {
		path string
		as   any
		want string
	}{
		{xml, new(*archive.FormatError), fmt.Sprintf("read %q: not a CDF: ", xml)},
		{table, new(*archive.FormatError), fmt.Sprintf("read %q: line 2 has 1 fields and the header 2; give every row as many fields as the header has", table)},
		{text, new(*archive.FormatError), fmt.Sprintf("read %q: its name ends neither in .cdf nor in .csv", text)},
		{missing, new(*archive.MissingError), fmt.Sprintf("open %q: ", missing)},
		{empty, new(*archive.NothingError), fmt.Sprintf("open %q: the folder holds no .cdf or .csv file; give a folder that does, or a file", empty)},
	} {
		_, err := archive.OpenLocal([]string{c.path})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || !errors.As(err, c.as) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %T\n%v, want\n%s", err, err, c.want)
		}
	}
	if _, err := archive.OpenLocal([]string{missing}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want one that is fs.ErrNotExist", err)
	}
	if _, err := archive.OpenLocal([]string{xml}); !errors.Is(err, cdf.ErrNotCDF) {
		t.Errorf("got %v, want one that is cdf.ErrNotCDF", err)
	}
	if _, err := archive.OpenLocal(nil); err == nil {
		t.Error("no path is accepted")
	}

	// In a folder, a bad file does not hide the good ones.
	write("sub/good.csv", "time,a\n2023-01-02,1\n")
	write(".hidden/secret.csv", "time,a\n2023-01-02,1\n")
	a, err := archive.OpenLocal([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if all := inventory(t, a); len(all) != 1 || all[0].ID != "good" {
		t.Errorf("got %+v, want good alone", all)
	}
	if skipped := a.Skipped(); len(skipped) != 2 {
		t.Errorf("got %v, want two files left out", skipped)
	}
	// A folder of nothing but bad files is an error.
	bad := filepath.Dir(write("bad/y.cdf", "no"))
	if a, err = archive.OpenLocal([]string{bad}); err != nil {
		t.Fatal(err)
	}
	if all, err := a.Inventory(t.Context()); !errors.As(err, new(*archive.FormatError)) {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestFilesOfOneNameGetDifferentIDs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, name := range []string{"a/x.csv", "b/x.csv", "c/x_2.csv", "d/x.cdf"} {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		data := fmt.Appendf(nil, "time,a\n2023-01-02,%d\n", i)
		if strings.HasSuffix(name, ".cdf") {
			data = encode(t, small(t))
		}
		if err := os.WriteFile(p, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The folder, and a file in it once more.
	a, err := archive.OpenLocal([]string{filepath.Join(dir, "b", "x.csv"), dir})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, d := range inventory(t, a) {
		ids = append(ids, d.ID)
	}
	if want := []string{"x", "x_3", "x_2", "x_4"}; !slices.Equal(ids, want) {
		t.Errorf("got %v, want %v", ids, want)
	}
	if s := fetch(t, a, "local/x_3/a"); s.Values[0] != 0 {
		t.Errorf("x_3: got %v, want the one of folder a", s.Values)
	}
}

func TestDailyFilesStayDatasetsOfTheirOwn(t *testing.T) {
	t.Parallel()
	a := open(t, map[string][]byte{"m_20230102_v07.cdf": encode(t, small(t)), "m_20230103_v07.cdf": encode(t, small(t))})
	all := inventory(t, a)
	if len(all) != 2 || all[0].ID != "m_20230102_v07" || all[1].Parameters[0].ID != "local/m_20230103_v07/B" {
		t.Errorf("got %+v", all)
	}
}

func TestAChecksumFollowsAFileThatChanges(t *testing.T) {
	t.Parallel()
	p := filepath.Join(t.TempDir(), "x.csv")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("time,a\n2023-01-02,1\n")
	a, err := archive.OpenLocal([]string{p})
	if err != nil {
		t.Fatal(err)
	}
	first := fetch(t, a, "local/x/a").Meta.SHA256
	write("time,a\n2023-01-02,1\n2023-01-03,2\n")
	s := fetch(t, a, "local/x/a")
	if s.Len() != 2 || s.Meta.SHA256 == first {
		t.Errorf("got %d records and the checksum %s of before", s.Len(), first)
	}
	if err := os.Remove(p); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Fetch(t.Context(), "local/x/a", tt.Fill, tt.Fill); !errors.As(err, new(*archive.MissingError)) {
		t.Errorf("got %v", err)
	}
}

func TestIDsEscapeWhatWouldSplitThem(t *testing.T) {
	t.Parallel()
	for _, parts := range [][3]string{{"local", "a", "b"}, {"local", "a b#c", "x/y%20"}, {"cda", "a\tb", "\u03b1"}} {
		id := archive.JoinID(parts[0], parts[1], parts[2])
		p, d, n, err := archive.SplitID(id)
		if err != nil || [3]string{p, d, n} != parts || strings.Count(id, "/") != 2 || strings.ContainsAny(id, " #\t") {
			t.Errorf("%q: got %q %q %q %v by way of %q", parts, p, d, n, err, id)
		}
	}
	for _, id := range []string{"", "a/b", "a/b/c/d", "a//c", "a/%zz/c"} {
		if _, _, _, err := archive.SplitID(id); err == nil {
			t.Errorf("%q is accepted", id)
		}
	}
}

func TestAnArchiveServesManyAtOnce(t *testing.T) {
	t.Parallel()
	a := open(t, map[string][]byte{"d.cdf": encode(t, small(t)), "t.csv": []byte("time,N\n2023-01-02,1\n")})
	errs := make(chan error)
	for i := range 16 {
		go func() {
			_, err := a.Inventory(t.Context())
			if err == nil {
				_, err = a.Fetch(t.Context(), []string{"local/d/B", "local/t/N"}[i%2], tt.Fill, tt.Fill)
			}
			errs <- err
		}()
	}
	for range 16 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// streams are files that can only be read from start to end.
type streams struct{ fs.FS }

func (s streams) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if dir, ok := f.(fs.ReadDirFile); ok {
		return dir, nil
	}
	return struct{ fs.File }{f}, nil
}

func TestFilesThatOnlyStreamAreRead(t *testing.T) {
	t.Parallel()
	a, err := archive.OpenFS(streams{fstest.MapFS{"d.cdf": {Data: encode(t, small(t))}}}, "streams")
	if err != nil {
		t.Fatal(err)
	}
	if s := fetch(t, a, "local/d/B"); s.Len() != 6 {
		t.Errorf("got %d records", s.Len())
	}
}

func TestACancelledContextStops(t *testing.T) {
	t.Parallel()
	a := open(t, map[string][]byte{"d.cdf": encode(t, small(t))})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Inventory(ctx); !errors.Is(err, ctx.Err()) || err == nil {
		t.Errorf("Inventory: got %v", err)
	}
	if _, err := a.Fetch(ctx, "local/d/B", tt.Fill, tt.Fill); !errors.Is(err, ctx.Err()) || err == nil {
		t.Errorf("Fetch: got %v", err)
	}
}
