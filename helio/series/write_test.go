package series_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helio/votable"
)

// written is a set of series with everything that a file can lose: names that
// collide, odd units, missing values, a leap second, bins that are fixed and
// bins that vary.
func written(tb testing.TB) []*series.Series {
	times := []tt.Time{at(tb, "2016-12-31T23:59:59.5"), at(tb, "2016-12-31T23:59:60.25"), at(tb, "2017-01-01T00:00:00.125")}
	meta := series.Meta{Dataset: "d1", DatasetTitle: "a title,\nin two lines", Mission: "ACE", Source: "a.cdf", SHA256: "ab", DOI: "10.1/x", SPASE: "spase://x", Citation: "cite; this",
		ResourceURL: "https://example.org/?a&b", License: "CC0", Acknowledgement: "thanks \"all\"", Synthetic: true, Notes: []string{"a template's value was chosen"}, TimeStampLocation: "begin", Role: "data"}
	other := meta
	other.Dataset, other.Mission, other.Frame, other.Fill, other.ValidMin, other.ValidMax = "d2", "Wind", "GSM", []float64{-1e31, nan, 9999}, []float64{0}, []float64{1e30, nan, 7}
	return []*series.Series{
		{ID: "p/d1/B", Name: "B", Units: "nT", Description: "field <1> & more", Time: times, Columns: []string{"Bx GSM", "By, GSM", "Bz \"GSM\""}, Dims: []int{3}, Values: []float64{1, 2, 3, -4, nan, 6, 0.1, 1e-300, math.Copysign(0, -1)}, Meta: meta},
		{ID: "p/d2/B", Name: "B", Units: "nT; (odd)", Time: times, Columns: []string{"Bx GSM", "By, GSM", "time"}, Dims: []int{3}, Values: []float64{nan, nan, nan, 1.0 / 3, -123456789012, 1e15, 123456.75, 9.999e29, 5e-324}, Meta: other},
		{Name: "", Time: times, Columns: nil, Values: []float64{7, nan, 9}},
		{ID: "p/d1/f", Name: "flux", Units: "1/(cm^2 s)", Time: times, Columns: []string{"a", "b"}, Dims: []int{1, 2}, Values: []float64{1, 2, 3, 4, 5, 6}, Meta: meta,
			Axes: []series.Axis{{Name: "angle", Units: "deg", Centers: []float64{90}}, {Name: "energy", Units: "keV", Varying: true, Centers: []float64{1, 2, 1, nan, 3, 4}, Ranges: []float64{0, 1, 1, 2, 0, 1, 1, 2, 2, 3, 3, 4}}}},
		{Name: "g", Time: times, Columns: []string{"c", "d"}, Dims: []int{2}, Values: []float64{1, 2, 3, 4, 5, 6}, Axes: []series.Axis{{Name: "energy", Units: "eV", Ranges: []float64{1, 2, 2, 4}}}},
	}
}

// same compares all there is, NaN equal to NaN.
func same(a, b *series.Series) bool {
	bits := func(s *series.Series) *series.Series {
		out := *s
		mask := func(v []float64) []float64 {
			var m []float64
			for _, x := range v {
				if math.IsNaN(x) {
					x = math.Inf(1)
				}
				m = append(m, x)
			}
			return m
		}
		out.Values, out.Meta.Fill, out.Meta.ValidMin, out.Meta.ValidMax, out.Axes = mask(s.Values), mask(s.Meta.Fill), mask(s.Meta.ValidMin), mask(s.Meta.ValidMax), nil
		for _, x := range s.Axes {
			x.Centers, x.Ranges = mask(x.Centers), mask(x.Ranges)
			out.Axes = append(out.Axes, x)
		}
		return &out
	}
	return reflect.DeepEqual(bits(a), bits(b))
}

func write(tb testing.TB, f series.Format, all ...*series.Series) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := series.Write(&b, f, all...); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func TestCSVReadsBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	all := written(t)
	text := write(t, series.CSV, all...)
	got, err := series.ReadCSV(bytes.NewReader(text), nil)
	if err != nil || len(got) != len(all) {
		t.Fatalf("got %d series, %v, from\n%s", len(got), err, text)
	}
	for i, s := range got {
		if !same(s, all[i]) {
			t.Errorf("got %+v\nwant %+v\nfrom\n%s", s, all[i], text)
		}
	}
	again := write(t, series.CSV, got...)
	if !bytes.Equal(again, text) {
		t.Errorf("written again:\n%s\nwant\n%s", again, text)
	}
	// Of no record there is still everything but records.
	empty := all[0].Window(at(t, "2020-01-01"), tt.Fill)
	got, err = series.ReadCSV(bytes.NewReader(write(t, series.CSV, empty)), nil)
	if err != nil || len(got) != 1 || got[0].Len() != 0 || got[0].Units != "nT" || len(got[0].Columns) != 3 {
		t.Errorf("of nothing: got %+v, %v", got, err)
	}
}

func TestCSVOfAnySeriesReadsBack(t *testing.T) {
	t.Parallel()
	text := rapid.StringMatching(`[ -~é°²\n]{0,12}`)
	rapid.Check(t, func(r *rapid.T) {
		a := anySeries(r, "a")
		a.Name, a.Units, a.Description, a.Meta.Citation = text.Draw(r, "name"), text.Draw(r, "units"), text.Draw(r, "description"), text.Draw(r, "citation")
		for i := range a.Columns {
			a.Columns = append([]string(nil), a.Columns...)
			a.Columns[i] = text.Draw(r, "label")
		}
		b := *a
		b.Values = append([]float64(nil), a.Values...)
		for i := range b.Values {
			if v := math.Float64frombits(rapid.Uint64().Draw(r, "bits")); math.Abs(v) < 1e30 {
				b.Values[i] = v
			}
		}
		file := write(t, series.CSV, a, &b)
		got, err := series.ReadCSV(bytes.NewReader(file), nil)
		if err != nil {
			r.Fatalf("%v in\n%s", err, file)
		}
		for i, want := range []*series.Series{a, &b} {
			if len(got) != 2 || !same(got[i], want) && want.Len() > 0 {
				r.Fatalf("got %+v, want %+v, from\n%s", got[i], want, file)
			}
		}
	})
}

func TestATableThatWasChangedIsReadByItsHeader(t *testing.T) {
	t.Parallel()
	text := string(write(t, series.CSV, minutes(1, 2)))
	text = strings.Replace(strings.ReplaceAll(text, "Z,", "Z,5,"), "\ntime,", "\ntime,more (km),", 1)
	got, err := series.ReadCSV(strings.NewReader(text), nil)
	if err != nil || len(got) != 2 || got[0].Name != "more" || got[0].Units != "km" || got[1].Values[1] != 2 {
		t.Errorf("got %+v, %v from\n%s", got, err, text)
	}
}

func TestCSVSaysWhatPeopleNeed(t *testing.T) {
	t.Parallel()
	all := written(t)
	text := string(write(t, series.CSV, all[0]))
	for _, line := range []string{"# title: a title, in two lines\n", "# mission: ACE\n", "# source: a.cdf\n", "# citation: cite; this\n", "# doi: 10.1/x\n", "# synthetic: true\n",
		"# times: begin\n", "\ntime,Bx GSM (nT),\"By, GSM (nT)\",\"Bz \"\"GSM\"\" (nT)\"\n", "\n2016-12-31T23:59:60.250Z,-4,NaN,6\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
	if text := string(write(t, series.CSV, all[0], all[1])); strings.Contains(text, "# mission") || !strings.Contains(text, "# doi") {
		t.Errorf("of two missions:\n%s", text)
	}
	if text := string(write(t, series.CSV, minutes(1, 2))); !strings.Contains(text, "# cadence: PT1M\n") {
		t.Errorf("no cadence in\n%s", text)
	}
}

// What is written as HAPI is read with the package that reads HAPI, which knows
// nothing of this one's writer.
func TestHAPIReadsBack(t *testing.T) {
	t.Parallel()
	all := written(t)
	for _, c := range []struct {
		format series.Format
		hapi   hapi.Format
	}{{series.HAPI, hapi.CSV}, {series.JSON, hapi.JSON}} {
		text := write(t, c.format, all...)
		info, err := hapi.ParseInfo(header(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		names := []string{"Time", "B", "d2_B", "values", "flux", "flux_energy_centers", "flux_energy_ranges", "g"}
		if len(info.Parameters) != len(names) {
			t.Fatalf("got %d parameters, want %v", len(info.Parameters), names)
		}
		for i, p := range info.Parameters {
			if p.Name != names[i] {
				t.Errorf("parameter %d: got %q, want %q", i, p.Name, names[i])
			}
		}
		var records hapi.Records
		n, err := hapi.NewDecoder(bytes.NewReader(text), info, c.hapi).Read(&records, 100)
		if n != 3 || err != nil && !errors.Is(err, io.EOF) {
			t.Fatalf("%s: got %d records, %v", c.format, n, err)
		}
		for column, values := range map[int][]float64{0: all[0].Values, 1: all[1].Values, 2: all[2].Values, 3: all[3].Values, 4: all[3].Axes[1].Centers, 5: all[3].Axes[1].Ranges, 6: all[4].Values} {
			if !alike(records.Columns[column].Float, values, 0) {
				t.Errorf("%s: %s: got %v, want %v", c.format, names[column+1], records.Columns[column].Float, values)
			}
		}
		for i, instant := range records.Time {
			if instant != all[0].Time[i] {
				t.Errorf("%s: time %d: got %v, want %v", c.format, i, instant, all[0].Time[i])
			}
		}
		flux := info.Parameters[4]
		if len(flux.Bins) != 2 || !alike(flux.Bins[0].Centers, []float64{90}, 0) || flux.Bins[1].CentersFrom != "flux_energy_centers" || flux.Bins[1].RangesFrom != "flux_energy_ranges" {
			t.Errorf("%s: got bins %+v", c.format, flux.Bins)
		}
		if g := info.Parameters[7]; !alike(g.Bins[0].Ranges, []float64{1, 2, 2, 4}, 0) {
			t.Errorf("%s: got bins %+v", c.format, g.Bins)
		}
		if b := info.Parameters[2]; b.CoordinateSystem != "GSM" || b.Units[0] != "nT; (odd)" || b.Label[1] != "By, GSM" {
			t.Errorf("%s: got %+v", c.format, b)
		}
	}
}

// header is the JSON in front of HAPI csv, or all of HAPI json.
func header(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("#")); ok {
			out = append(out, rest...)
		}
	}
	if out == nil {
		return text
	}
	return out
}

func TestVOTableReadsBack(t *testing.T) {
	t.Parallel()
	all := written(t)
	f, err := votable.Read(bytes.NewReader(write(t, series.VOTable, all...)))
	if err != nil || len(f.Tables) != 1 {
		t.Fatalf("got %+v, %v", f, err)
	}
	table := f.Tables[0]
	if len(table.Fields) != 1+3+3+1+2+2+4+2 || len(table.Rows) != 3 || table.Rows[1][0] != "2016-12-31T23:59:60.250Z" {
		t.Fatalf("got %d fields, rows %v", len(table.Fields), table.Rows)
	}
	for r, row := range table.Rows {
		for i, want := range append(append(append([]float64(nil), all[0].Row(r)...), all[1].Row(r)...), all[2].Row(r)...) {
			got, err := strconv.ParseFloat(row[1+i], 64)
			if err != nil || !alike([]float64{got}, []float64{want}, 0) {
				t.Errorf("row %d cell %d: got %q, want %v", r, i, row[1+i], want)
			}
		}
	}
	if f := table.Fields[2]; f.Name != "By, GSM" || f.Unit != "nT" || f.Description != "field <1> & more" || f.Datatype != "double" {
		t.Errorf("got %+v", f)
	}
	if d := table.Fields[len(table.Fields)-1].Description; d != "energy from 2 to 4 eV" {
		t.Errorf("bins: got %q", d)
	}
}

func TestEqualSeriesGiveEqualBytes(t *testing.T) {
	t.Parallel()
	for _, f := range []series.Format{series.CSV, series.HAPI, series.JSON, series.VOTable} {
		if !bytes.Equal(write(t, f, written(t)...), write(t, f, written(t)...)) {
			t.Errorf("%s: two writes differ", f)
		}
	}
	if !bytes.Equal(write(t, series.NPZ, written(t)[3]), write(t, series.NPZ, written(t)[3])) {
		t.Error("npz: two writes differ")
	}
}

func TestWritersRefuseWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	a, b := minutes(1, 2), minutes(1, 2, 3)
	a.ID, b.ID = "p/d/a", "p/d/b"
	short := *a
	short.Values = short.Values[:1]
	timeless := *a
	timeless.Time = []tt.Time{0, tt.Fill}
	axis := *a
	axis.Axes = []series.Axis{{Name: "energy", Varying: true, Centers: []float64{1}}}
	for want, all := range map[string][]*series.Series{
		"p/d/a and p/d/b have other times; put them on one axis with Join": {a, b},
		"1 values of p/d/a do not fill 2 records of 1":                     {&short},
		"a record of p/d/a has no time; leave it out":                      {&timeless},
		"axis 0 (energy) has 1 centers and 0 limits for 2 records":         {&axis},
		"there is nothing to write; give at least one series":              {},
	} {
		for _, f := range []series.Format{series.CSV, series.HAPI, series.JSON, series.VOTable} {
			var b bytes.Buffer
			if err := series.Write(&b, f, all...); err == nil || !strings.Contains(err.Error(), want) || b.Len() > 0 {
				t.Errorf("%s: got %v after %d bytes, want %s", f, err, b.Len(), want)
			}
		}
	}
	if err := series.Write(io.Discard, series.NPZ, a, b); err == nil || !strings.Contains(err.Error(), "a file holds one") {
		t.Errorf("two in one npz: got %v", err)
	}
	if err := series.Write(io.Discard, series.NPZ, &axis); err == nil || !strings.Contains(err.Error(), "correct the axis") {
		t.Errorf("npz with an axis that does not fit: got %v", err)
	}
	if err := series.Write(io.Discard, "xls", a); err == nil || !strings.Contains(err.Error(), "no format \"xls\"") {
		t.Errorf("got %v", err)
	}
}

func TestAnErrorOfTheWriterIsReturned(t *testing.T) {
	t.Parallel()
	for _, f := range []series.Format{series.NPZ, series.CSV, series.HAPI, series.JSON, series.VOTable} {
		if err := series.Write(full{}, f, minutes(1, 2)); !errors.Is(err, errFull) {
			t.Errorf("%s: got %v", f, err)
		}
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteFileIsWholeOrNotThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := minutes(1, 2)
	for _, name := range []string{"a.npz", "a.csv", "a.hapi", "a.json", "a.vot", "a.XML"} {
		path := filepath.Join(dir, name)
		if err := series.WriteFile(path, s); err != nil {
			t.Fatal(err)
		}
		f, _ := series.FormatOf(path)
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, write(t, f, s)) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
	bad := *s
	bad.Values = nil
	path := filepath.Join(dir, "a.csv")
	before, _ := os.ReadFile(path)
	if err := series.WriteFile(path, &bad); err == nil || strings.Count(err.Error(), path) != 1 {
		t.Errorf("got %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("a write that failed changed the file")
	}
	for name, want := range map[string]string{
		"a.txt": `write a.txt: no format is known by the ending ".txt"; give one of .npz, .csv, .hapi, .json, .vot and .xml`,
		"a":     `write a: the name "a" has no ending that tells a format; give one of .npz, .csv, .hapi, .json, .vot and .xml`,
	} {
		if err := series.WriteFile(name, s); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := series.WriteFile(filepath.Join(dir, "none", "a.csv"), s); err == nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("into no folder: got %v", err)
	}
	if err := series.WriteFile(filepath.Join(dir, "a.csv", "b.csv"), s); err == nil {
		t.Error("into a file: no error")
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 6 {
		t.Errorf("got %v, want the six files", entries)
	}
}

func ExampleWriteFile() {
	dir, err := os.MkdirTemp("", "series")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	all, _ := series.ReadCSV(strings.NewReader(table), nil)
	fmt.Println(series.WriteFile(filepath.Join(dir, "wind.json"), all...)) // HAPI json
	fmt.Println(series.WriteFile("wind.fits", all...))
	// Output:
	// <nil>
	// write wind.fits: no format is known by the ending ".fits"; give one of .npz, .csv, .hapi, .json, .vot and .xml
}

func ExampleWriteCSV() {
	s := &series.Series{Name: "N", Units: "cm^-3", Columns: []string{"N"}, Time: []tt.Time{0, 60e9}, Values: []float64{5.5, math.NaN()}}
	s.Meta.Citation = "Them et al., 2024"
	if err := series.WriteCSV(os.Stdout, s); err != nil {
		fmt.Println(err)
	}
	// Output:
	// # citation: Them et al., 2024
	// # cadence: PT1M
	// # series: {"name":"N","units":"cm^-3","width":1,"columns":["N"],"meta":{"citation":"Them et al., 2024"}}
	// time,N (cm^-3)
	// 2000-01-01T11:58:55.816Z,5.5
	// 2000-01-01T11:59:55.816Z,NaN
}

func ExampleWriteHAPI() {
	s := &series.Series{Name: "N", Units: "cm^-3", Columns: []string{"N"}, Time: []tt.Time{0, 60e9}, Values: []float64{5.5, math.NaN()}}
	var text strings.Builder
	if err := series.WriteHAPI(&text, s); err != nil {
		fmt.Println(err)
	}
	_, rows, _ := strings.Cut(text.String(), "\n#}\n")
	fmt.Print(rows)
	// Output:
	// 2000-01-01T11:58:55.816Z,5.5
	// 2000-01-01T11:59:55.816Z,-1e31
}

func ExampleWriteVOTable() {
	s := &series.Series{Name: "N", Units: "cm^-3", Columns: []string{"N"}, Time: []tt.Time{0}, Values: []float64{5.5}}
	var text strings.Builder
	if err := series.WriteVOTable(&text, s); err != nil {
		fmt.Println(err)
	}
	for line := range strings.Lines(text.String()) {
		if strings.Contains(line, "<FIELD") || strings.Contains(line, "<TD>") {
			fmt.Println(strings.TrimSpace(line))
		}
	}
	// Output:
	// <FIELD ID="time" name="time" datatype="char" arraysize="*" ucd="time.epoch" xtype="timestamp"/>
	// <FIELD ID="c1" name="N" datatype="double" unit="cm^-3"/>
	// <TR><TD>2000-01-01T11:58:55.816Z</TD><TD>5.5</TD></TR>
}

// A year of field vectors, one a minute.
func BenchmarkWriteAYearOfMinutes(b *testing.B) {
	s := &series.Series{Name: "B", Columns: []string{"Bx", "By", "Bz"}, Dims: []int{3}}
	for i := range 525600 {
		s.Time = append(s.Time, tt.Time(i)*60e9)
		x := float64(i) / 300
		for _, v := range []float64{4 * math.Cos(x), 4 * math.Sin(x), math.Sin(3 * x)} {
			s.Values = append(s.Values, float64(float32(v)))
		}
	}
	for _, f := range []series.Format{series.NPZ, series.CSV, series.HAPI, series.JSON, series.VOTable} {
		b.Run(string(f), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := series.Write(io.Discard, f, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
