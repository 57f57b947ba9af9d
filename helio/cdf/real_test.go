package cdf_test

import (
	"math"
	"testing"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/internal/testdata"
)

// openReal opens one of the real files, which are not part of the repository.
func openReal(tb testing.TB, name string) *cdf.File {
	tb.Helper()
	f, err := cdf.Open(testdata.File(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Close() })
	return f
}

// stats are those of one component, without fill values.
type stats struct {
	n, fills       int
	mean, min, max float64
	maxTime        tt.Time
}

func statsOf(t *testing.T, f *cdf.File, name string, component int) stats {
	t.Helper()
	v := variable(t, f, name)
	values, err := v.Float64s()
	if err != nil {
		t.Fatal(err)
	}
	axis, err := v.TimeAxis()
	if err != nil {
		t.Fatal(err)
	}
	times, err := axis.Times()
	if err != nil {
		t.Fatal(err)
	}
	fill := v.FillValue()[0]
	s := stats{min: math.Inf(1), max: math.Inf(-1)}
	for i, at := range times {
		x := values[i*v.PerRecord()+component]
		if math.Abs(x-fill) <= 1e-6*math.Abs(fill) {
			s.fills++
			continue
		}
		s.n++
		s.mean += x
		s.min = min(s.min, x)
		if x > s.max {
			s.max, s.maxTime = x, at
		}
	}
	s.mean /= float64(s.n)
	return s
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s = %.6f, want %v", what, got, want)
	}
}

func TestACEFile(t *testing.T) {
	t.Parallel()
	f := openReal(t, aceFile)
	if i := f.Info(); i.Version != "3.7.1" || i.Encoding != cdf.Network || !i.ColumnMajor || i.LeapTable != 20170101 {
		t.Errorf("Info = %+v", i)
	}
	if got := len(f.Variables()); got != 17 {
		t.Errorf("%d variables, want 17", got)
	}
	times, err := variable(t, f, "Epoch").Times()
	if err != nil || len(times) != 5400 {
		t.Fatal(len(times), err)
	}
	if a, z := times[0].Format(0), times[5399].Format(0); a != "2023-01-02T00:00:13Z" || z != "2023-01-02T23:59:57Z" {
		t.Errorf("from %s to %s", a, z)
	}
	m := statsOf(t, f, "Magnitude", 0)
	near(t, "mean |B|", m.mean, 3.670545, 5e-7)
	near(t, "min |B|", m.min, 0.544, 5e-4)
	near(t, "max |B|", m.max, 5.261, 5e-4)
	if got := m.maxTime.Format(0); got != "2023-01-02T03:41:01Z" || m.fills != 0 {
		t.Errorf("max |B| at %s, %d fills", got, m.fills)
	}
	for i, want := range []float64{-0.918113, 1.473871, -0.351447} {
		near(t, "mean BGSEc", statsOf(t, f, "BGSEc", i).mean, want, 5e-7)
	}
	for i, want := range []float64{-0.918113, 1.494923, -0.160452} {
		near(t, "mean BGSM", statsOf(t, f, "BGSM", i).mean, want, 5e-7)
	}
	near(t, "min Bz GSM", statsOf(t, f, "BGSM", 2).min, -4.394, 5e-4)
	x := statsOf(t, f, "SC_pos_GSE", 0)
	near(t, "min X", x.min, 1424183, 1)
	near(t, "max X", x.max, 1425920, 1)
	d := statsOf(t, f, "dBrms", 0)
	if got := d.maxTime.Format(0); math.Abs(d.max-3.2) > 0.05 || got != "2023-01-02T19:13:49Z" {
		t.Errorf("max dBrms = %v at %s", d.max, got)
	}
	labels, err := variable(t, f, "BGSEc").Labels()
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "labels", labels, []string{"Bx GSE", "By GSE", "Bz GSE"})
	empty := variable(t, f, "Time_PB5")
	if got, err := empty.Int64s(); err != nil || len(got) != 0 || empty.Records != 0 {
		t.Errorf("a variable without records gives %v, %v", got, err)
	}
}

func TestOMNIFile(t *testing.T) {
	t.Parallel()
	f := openReal(t, "data/omni_coho1hr_merged_mag_plasma_20240901_v01.cdf")
	if i := f.Info(); i.Version != "3.9.0" || i.ColumnMajor {
		t.Errorf("Info = %+v", i)
	}
	b := statsOf(t, f, "ABS_B", 0)
	near(t, "mean |B|", b.mean, 8.157828, 5e-7)
	if got := b.maxTime.Format(0); b.n != 709 || b.fills != 11 || math.Abs(b.max-28.4) > 0.005 || got != "2024-09-12T14:00:00Z" {
		t.Errorf("|B|: %+v at %s", b, got)
	}
	v := statsOf(t, f, "V", 0)
	near(t, "mean V", v.mean, 408.715278, 5e-7)
	if got := v.maxTime.Format(0); v.max != 574 || got != "2024-09-12T18:00:00Z" {
		t.Errorf("V: %+v at %s", v, got)
	}
	n := statsOf(t, f, "N", 0)
	if got := n.maxTime.Format(0); n.max != 30 || got != "2024-09-12T09:00:00Z" {
		t.Errorf("N: %+v at %s", n, got)
	}
	k := statsOf(t, f, "T", 0)
	if got := k.maxTime.Format(0); k.max != 574620 || got != "2024-09-12T10:00:00Z" {
		t.Errorf("T: %+v at %s", k, got)
	}
	near(t, "min BN", statsOf(t, f, "BN", 0).min, -19.6, 0.005)
	r := statsOf(t, f, "BR", 0)
	if got := r.maxTime.Format(0); math.Abs(r.max-13.4) > 0.005 || got != "2024-09-12T17:00:00Z" {
		t.Errorf("BR: %+v at %s", r, got)
	}
}

func TestGeotailFile(t *testing.T) {
	t.Parallel()
	f := openReal(t, "data/ge_k0_cpi_19921231_v02.cdf")
	if i := f.Info(); i.Version != "2.4.6" || i.Encoding != cdf.Network || !i.ColumnMajor {
		t.Errorf("Info = %+v", i)
	}
	if got := len(f.Variables()); got != 25 {
		t.Errorf("%d variables, want 25", got)
	}
	times, err := variable(t, f, "Epoch").Times()
	if err != nil || len(times) != 1090 {
		t.Fatal(len(times), err)
	}
	if got := times[0].Format(0)[:10]; got != "1992-12-31" {
		t.Errorf("it begins on %s", got)
	}
	v := variable(t, f, "SW_V")
	if v.Z || v.Type != cdf.Real4 || v.Records != 1090 {
		t.Errorf("SW_V = %+v", v)
	}
	wantEqual(t, "Dims of SW_V", v.Dims, []int{3})
	labels, err := v.Labels()
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "labels", labels, []string{"Vx", "Vy", "Vz"})
	// The same instants stand in the file a second time, as year, day and
	// milliseconds of the day.
	parts, err := variable(t, f, "Time_PB5").Int64s()
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range times {
		year, day := at.DayOfYear()
		_, _, _, h, m, s, ns := at.Calendar()
		ms := int64(h*3600+m*60+s)*1000 + int64(ns)/1e6
		if p := parts[3*i:]; p[0] != int64(year) || p[1] != int64(day) || p[2] != ms {
			t.Fatalf("record %d: %v beside %s", i, p[:3], at)
		}
	}
}

func TestEveryVariableOfTheRealFilesReads(t *testing.T) {
	t.Parallel()
	for _, name := range realFiles {
		f := openReal(t, name)
		for _, v := range f.Variables() {
			b, err := v.Bytes()
			if want := v.Records * v.PerRecord() * v.NumElems * v.Type.Size(); err != nil || len(b) != want {
				t.Errorf("%s: %d bytes, %v, want %d", v.Name, len(b), err, want)
			}
			if _, err := v.Units(); err != nil {
				t.Error(err)
			}
			if labels, err := v.Labels(); err != nil || len(labels) != v.PerRecord() {
				t.Errorf("%s: labels %v, %v", v.Name, labels, err)
			}
		}
		if w := f.Warnings(); len(w) > 0 {
			t.Errorf("warnings: %v", w)
		}
	}
}

var realFiles = []string{
	aceFile,
	"data/omni_coho1hr_merged_mag_plasma_20240901_v01.cdf",
	"data/ge_k0_cpi_19921231_v02.cdf",
}
