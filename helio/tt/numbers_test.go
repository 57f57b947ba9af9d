package tt_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/helio/tt"
)

// The numbers are those of astropy 5.2.1.
func TestTimesAsNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text            string
		unix, mjd, year float64
	}{
		{"1970-01-01T00:00:00Z", 0, 40587, 1970},
		{"1980-01-01T00:00:00Z", 315532800, 44239, 1980},
		{"1858-11-17T00:00:00Z", -3506716800, 0, 1858.876712328767},
		{"1995-10-10T06:00:00Z", 813304800, 50000.25, 1995.7732876712328},
		{"2000-01-01T12:00:00Z", 946728000, 51544.5, 2000.0013661202186},
		{"2020-07-02T00:00:00Z", 1593648000, 59032, 2020.5},
		{"2023-01-02T03:41:01.123Z", 1672630861.123, 59946.153485219904, 2023.003160233479},
		{"2024-05-11T02:14:00Z", 1715393640, 60441.09305555555, 2024.3581777474196},
	} {
		at := parse(t, c.text)
		day, fraction := at.MJD()
		jd, jdFraction := at.JD()
		for _, n := range []struct {
			form      string
			got, want float64
		}{
			{"Unix", at.Unix(), c.unix}, {"MJD", day + fraction, c.mjd}, {"JD", jd + jdFraction, c.mjd + 2400000.5},
			{"DecimalYear", at.DecimalYear(), c.year},
		} {
			if n.got != n.want {
				t.Errorf("%s of %s = %v, want %v", n.form, c.text, n.got, n.want)
			}
		}
		for form, read := range map[string]func() (tt.Time, error){
			"FromUnix":        func() (tt.Time, error) { return tt.FromUnix(c.unix) },
			"FromMJD":         func() (tt.Time, error) { return tt.FromMJD(c.mjd, 0) },
			"FromJD":          func() (tt.Time, error) { return tt.FromJD(c.mjd+2400000.5, 0) },
			"FromDecimalYear": func() (tt.Time, error) { return tt.FromDecimalYear(c.year) },
		} {
			// A Julian Date in one number is coarser than 20 us.
			if got, err := read(); err != nil || got.Sub(at).Abs() > 21*time.Microsecond {
				t.Errorf("%s gives %s, %v, want %s", form, got, err, at)
			}
		}
	}
}

func TestJulianDaysInTwoParts(t *testing.T) {
	t.Parallel()
	want := parse(t, "2023-01-02T03:41:01.123456789Z")
	const fraction = 13261.123456789 / 86400
	for _, parts := range [][2]float64{{59946, fraction}, {fraction, 59946}, {59945.5, fraction + 0.5}, {59947, fraction - 1}, {60000, fraction - 54}} {
		got, err := tt.FromMJD(parts[0], parts[1])
		if d := got.Sub(want).Abs(); err != nil || d > time.Microsecond || parts[0] == 59946 && d != 0 {
			t.Errorf("FromMJD(%v) = %s, %v, want %s", parts, got, err, want)
		}
		got, err = tt.FromJD(parts[0]+2400000.5, parts[1])
		if d := got.Sub(want).Abs(); err != nil || d > 100*time.Microsecond || parts[0] == 59946 && d != 0 {
			t.Errorf("FromJD(%v + 2400000.5) = %s, %v, want %s", parts, got, err, want)
		}
	}
}

func TestMissingNumbersAreFill(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1e31, float64(float32(-1e31)), 1e30} {
		for form, read := range map[string]func() (tt.Time, error){
			"FromUnix":        func() (tt.Time, error) { return tt.FromUnix(v) },
			"FromMJD":         func() (tt.Time, error) { return tt.FromMJD(v, 0) },
			"FromMJD, second": func() (tt.Time, error) { return tt.FromMJD(0, v) },
			"FromJD":          func() (tt.Time, error) { return tt.FromJD(v, 0) },
			"FromJD, second":  func() (tt.Time, error) { return tt.FromJD(2400000.5, v) },
			"FromDecimalYear": func() (tt.Time, error) { return tt.FromDecimalYear(v) },
		} {
			if got, err := read(); got != tt.Fill || err != nil {
				t.Errorf("%s of %v = %s, %v, want Fill", form, v, got, err)
			}
		}
	}
	day, fraction := tt.Fill.MJD()
	jd, jdFraction := tt.Fill.JD()
	for _, v := range []float64{day, fraction, jd, jdFraction, tt.Fill.Unix(), tt.Fill.DecimalYear()} {
		if !math.IsNaN(v) {
			t.Errorf("Fill became %v, want NaN", v)
		}
	}
}

func TestNumbersOutsideTheRangeAreErrors(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{-1e29, -1e12, -8.3e9, 1.1e10, 1e17, 1e29} {
		for form, read := range map[string]func() (tt.Time, error){
			"FromUnix":        func() (tt.Time, error) { return tt.FromUnix(v) },
			"FromMJD":         func() (tt.Time, error) { return tt.FromMJD(v/60000, 0) },
			"FromMJD, second": func() (tt.Time, error) { return tt.FromMJD(0, v) },
			"FromJD":          func() (tt.Time, error) { return tt.FromJD(v, 0) },
			"FromDecimalYear": func() (tt.Time, error) { return tt.FromDecimalYear(v) },
		} {
			if got, err := read(); !errors.Is(err, tt.ErrRange) || got != tt.Fill {
				t.Errorf("%s of %v = %s, %v, want ErrRange", form, v, got, err)
			}
		}
	}
	for _, year := range []float64{0, 0.5, 1707.7, 2292.3, 9999.99, 10000} {
		if got, err := tt.FromDecimalYear(year); !errors.Is(err, tt.ErrRange) || got != tt.Fill {
			t.Errorf("FromDecimalYear(%v) = %s, %v, want ErrRange", year, got, err)
		}
	}
}

func TestNumbersHoldALeapSecond(t *testing.T) {
	t.Parallel()
	at, midnight := parse(t, "2016-12-31T23:59:60.25Z"), parse(t, "2017-01-01T00:00:00Z")
	if got, want := at.Unix(), math.Nextafter(midnight.Unix(), 0); got != want {
		t.Errorf("Unix = %v, want the last number before %v", got, want)
	}
	if day, fraction := at.MJD(); day != 57753 || fraction >= 1 || fraction < 1-1e-13 {
		t.Errorf("MJD = %v + %v, want the end of 57753", day, fraction)
	}
	if got := at.DecimalYear(); got != math.Nextafter(2017, 0) {
		t.Errorf("DecimalYear = %v, want the last number before 2017", got)
	}
	// POSIX: the number of 23:59:60 is that of midnight.
	if got, err := tt.FromUnix(midnight.Unix()); err != nil || got != midnight {
		t.Errorf("FromUnix = %s, %v, want %s", got, err, midnight)
	}
}

func TestNumbersComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := tt.Time(rapid.Int64Range(int64(tt.Min)+2e9, int64(tt.Max)-2e9).Draw(t, "tt2000"))
		if drifting(at) || inLeapSecond(at) {
			return
		}
		if got, err := tt.FromMJD(at.MJD()); got != at || err != nil {
			t.Fatalf("MJD: %s, %v, want %s", got, err, at)
		}
		if got, err := tt.FromJD(at.JD()); got != at || err != nil {
			t.Fatalf("JD: %s, %v, want %s", got, err, at)
		}
		if got, err := tt.FromUnix(at.Unix()); got.Sub(at).Abs() > time.Microsecond || err != nil {
			t.Fatalf("Unix: %s, %v, want %s", got, err, at)
		}
		if got, err := tt.FromDecimalYear(at.DecimalYear()); got.Sub(at).Abs() > 8*time.Microsecond || err != nil {
			t.Fatalf("decimal year: %s, %v, want %s", got, err, at)
		}
		year, dayOfYear, ms := at.PB5()
		if got, err := tt.FromPB5(year, dayOfYear, ms); at-got < 0 || at-got >= 1e6 || err != nil {
			t.Fatalf("PB5 %d %d %d: %s, %v, want %s", year, dayOfYear, ms, got, err, at)
		}
	})
}

func TestOrderOfInstantsIsOrderOfNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		near := rapid.SampledFrom([]string{"2017-01-01", "2015-07-01", "2000-01-01", "1972-07-01", "1990-01-01"}).Draw(t, "midnight")
		midnight, err := tt.Parse(near)
		if err != nil {
			t.Fatal(err)
		}
		a := midnight + tt.Time(rapid.Int64Range(-2e9, 2e9).Draw(t, "from midnight"))
		b := a + tt.Time(rapid.Int64Range(0, 2e9).Draw(t, "step"))
		mjdA, partA := a.MJD()
		mjdB, partB := b.MJD()
		if a.Unix() > b.Unix() || a.DecimalYear() > b.DecimalYear() || mjdA > mjdB || mjdA == mjdB && partA > partB {
			t.Fatalf("%s is before %s but its numbers are not", a, b)
		}
		if midnight > a && (a.Unix() >= midnight.Unix() || mjdA+1 != math.Floor(mjdFloat(midnight))) {
			t.Fatalf("%s has the date of %s", a, midnight)
		}
	})
}

func mjdFloat(at tt.Time) float64 { day, _ := at.MJD(); return day }

func TestPB5(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		year, day, ms int
		want          string
	}{
		{2023, 2, 13261123, "2023-01-02T03:41:01.123Z"},
		{2016, 366, 86399999, "2016-12-31T23:59:59.999Z"},
		{2016, 366, 86400250, "2016-12-31T23:59:60.25Z"},
		{1992, 366, 0, "1992-12-31T00:00:00Z"},
	} {
		at, err := tt.FromPB5(c.year, c.day, c.ms)
		if err != nil || at.String() != c.want {
			t.Errorf("FromPB5(%d, %d, %d) = %s, %v, want %s", c.year, c.day, c.ms, at, err, c.want)
		}
		if y, d, ms := at.PB5(); y != c.year || d != c.day || ms != c.ms {
			t.Errorf("PB5 of %s = %d %d %d", at, y, d, ms)
		}
	}
	for _, bad := range [][3]int{{2015, 0, 0}, {2015, 366, 0}, {2016, 367, 0}, {2015, 1, -1}, {2015, 1, 86400000}, {2016, 366, 86401000}} {
		if at, err := tt.FromPB5(bad[0], bad[1], bad[2]); err == nil || at != tt.Fill {
			t.Errorf("FromPB5(%v) = %s, want an error", bad, at)
		}
	}
	for _, late := range [][3]int{{1707, 1, 0}, {2293, 1, 0}, {0, 1, 0}, {math.MaxInt32, 1, 0}} {
		if at, err := tt.FromPB5(late[0], late[1], late[2]); !errors.Is(err, tt.ErrRange) || at != tt.Fill {
			t.Errorf("FromPB5(%v) = %s, %v, want ErrRange", late, at, err)
		}
	}
	const fill = math.MinInt32
	for _, missing := range [][3]int{{fill, 1, 0}, {2015, fill, 0}, {2015, 1, fill}} {
		if at, err := tt.FromPB5(missing[0], missing[1], missing[2]); at != tt.Fill || err != nil {
			t.Errorf("FromPB5(%v) = %s, %v, want Fill", missing, at, err)
		}
	}
	if y, d, ms := tt.Fill.PB5(); y != fill || d != fill || ms != fill {
		t.Errorf("PB5 of Fill = %d %d %d", y, d, ms)
	}
}

func inLeapSecond(at tt.Time) bool { _, _, _, _, _, s, _ := at.Calendar(); return s == 60 }
