package tt_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/helio/tt"
)

// taiMinusUTC is what the package must have applied at the label s, in seconds.
func taiMinusUTC(t *testing.T, s string) float64 {
	t.Helper()
	at := parse(t, s)
	unix := at.UnixNanoUTC() // equal to the calendar difference outside leap seconds
	const j2000 = 946728000  // 2000-01-01T12:00:00 in seconds since 1970
	return float64(int64(at)-(unix-j2000*1e9)-32_184_000_000) / 1e9
}

func TestLeapSecondsSince1972(t *testing.T) {
	t.Parallel()
	dates := []string{
		"1972-01-01", "1972-07-01", "1973-01-01", "1974-01-01", "1975-01-01", "1976-01-01",
		"1977-01-01", "1978-01-01", "1979-01-01", "1980-01-01", "1981-07-01", "1982-07-01",
		"1983-07-01", "1985-07-01", "1988-01-01", "1990-01-01", "1991-01-01", "1992-07-01",
		"1993-07-01", "1994-07-01", "1996-01-01", "1997-07-01", "1999-01-01", "2006-01-01",
		"2009-01-01", "2012-07-01", "2015-07-01", "2017-01-01",
	}
	for i, date := range dates {
		if got, want := taiMinusUTC(t, date), float64(10+i); got != want {
			t.Errorf("TAI-UTC on %s = %v s, want %v", date, got, want)
		}
		if i == 0 {
			continue
		}
		midnight := parse(t, date)
		inside := midnight - 5e8
		if _, _, _, h, m, s, ns := inside.Calendar(); h != 23 || m != 59 || s != 60 || ns != 5e8 {
			t.Errorf("half a second before %s is %s, want 23:59:60.5", date, inside)
		}
		if before := midnight - 1e9 - 1; before.Format(0)[11:] != "23:59:59Z" {
			t.Errorf("just before the leap second at %s it is %s", date, before)
		}
	}
	if got := taiMinusUTC(t, "2026-11-30"); got != 37 {
		t.Errorf("TAI-UTC today = %v, want 37", got)
	}
}

func TestDriftBefore1972(t *testing.T) {
	t.Parallel()
	// Straight from the published lines: value at the origin, origin, slope.
	lines := []struct {
		first, last string // days on which the line holds
		a, mjd, b   float64
	}{
		{"1960-01-01", "1960-12-31", 1.4178180, 37300, 0.001296},
		{"1961-01-01", "1961-07-31", 1.4228180, 37300, 0.001296},
		{"1961-08-01", "1961-12-31", 1.3728180, 37300, 0.001296},
		{"1962-01-01", "1963-10-31", 1.8458580, 37665, 0.0011232},
		{"1963-11-01", "1963-12-31", 1.9458580, 37665, 0.0011232},
		{"1964-01-01", "1964-03-31", 3.2401300, 38761, 0.001296},
		{"1964-04-01", "1964-08-31", 3.3401300, 38761, 0.001296},
		{"1964-09-01", "1964-12-31", 3.4401300, 38761, 0.001296},
		{"1965-01-01", "1965-02-28", 3.5401300, 38761, 0.001296},
		{"1965-03-01", "1965-06-30", 3.6401300, 38761, 0.001296},
		{"1965-07-01", "1965-08-31", 3.7401300, 38761, 0.001296},
		{"1965-09-01", "1965-12-31", 3.8401300, 38761, 0.001296},
		{"1966-01-01", "1968-01-31", 4.3131700, 39126, 0.002592},
		{"1968-02-01", "1971-12-31", 4.2131700, 39126, 0.002592},
	}
	const unixMJD = 40587
	for _, l := range lines {
		for _, s := range []string{l.first + "T00:00:00Z", l.first + "T18:00:00Z", l.last + "T12:34:56Z"} {
			mjd := float64(parse(t, s).UnixNanoUTC())/86400e9 + unixMJD
			got, want := taiMinusUTC(t, s), l.a+(mjd-l.mjd)*l.b
			if math.Abs(got-want) > 2e-9 {
				t.Errorf("TAI-UTC at %s = %.9f s, want %.9f", s, got, want)
			}
		}
	}
}

func TestStepsOfTheDriftingUTC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		midnight string
		inserted int64 // ns, negative where UTC jumped ahead
	}{
		{"1961-08-01", -50_000_000},
		{"1963-11-01", 100_000_000},
		{"1964-04-01", 100_000_000},
		{"1968-02-01", -100_000_000},
		{"1972-01-01", 107_758_000},
	} {
		midnight := parse(t, c.midnight)
		if c.inserted > 0 {
			first := midnight - tt.Time(c.inserted)
			if got := first.Format(6)[11:]; got != "23:59:60.000000Z" {
				t.Errorf("%d ns before %s it is %s, want 23:59:60", c.inserted, c.midnight, got)
			}
			label := (midnight - 1).String()
			if got, err := tt.Parse(label); err != nil || got != midnight-1 {
				t.Errorf("Parse(%s) = %d, %v, want %d", label, got, err, midnight-1)
			}
			continue
		}
		if got := (midnight - 9).Format(2)[11:]; got != map[int64]string{-5e7: "23:59:59.94Z", -1e8: "23:59:59.89Z"}[c.inserted] {
			t.Errorf("just before %s it is %s", c.midnight, got)
		}
	}
}

func TestBefore1960TheOffsetIsZeroAndApproximate(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"1750-06-01T00:00:00Z", "1900-01-01T00:00:00Z", "1959-12-31T23:59:59Z"} {
		if got := taiMinusUTC(t, s); got != 0 {
			t.Errorf("TAI-UTC at %s = %v, want 0", s, got)
		}
		if !parse(t, s).Approximate() {
			t.Errorf("%s must be approximate", s)
		}
	}
	first := parse(t, "1960-01-01T00:00:00Z")
	if first.Approximate() {
		t.Error("1960 must not be approximate")
	}
	// The 0.94 s that no label covers show as the last one before them.
	if got := (first - 5e8).String(); got != "1959-12-31T23:59:59.999999999Z" {
		t.Errorf("half a second before 1960 it is %s", got)
	}
}

func TestLabelsAndInstantsAreOneToOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := tt.Time(rapid.Int64Range(int64(tt.Min), int64(tt.Max)).Draw(t, "tt2000"))
		back, err := tt.Parse(at.String())
		if err != nil {
			t.Fatalf("Parse(%s): %v", at, err)
		}
		if back != at && !drifting(at) {
			t.Fatalf("%d is %s, which is %d", at, at, back)
		}
		if d := at - back; d < 0 || d > 1 && !gap1960(at) {
			t.Fatalf("%d is %s, which is %d", at, at, back)
		}
	})
}

func TestLabelsOfTheDriftingUTCComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Int64Range(-315619200e9, 63072000e9).Draw(t, "ns since 1970")
		at, err := tt.FromUnixNano(ns)
		if err != nil {
			t.Fatal(err)
		}
		if back := at.UnixNanoUTC(); back != ns && !skipped(at) {
			t.Fatalf("%d ns is %s (%d), which is %d ns", ns, at, at, back)
		}
	})
}

func TestOrderOfInstantsIsOrderOfLabels(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := tt.Time(rapid.Int64Range(int64(tt.Min), int64(tt.Max)-2e9).Draw(t, "a"))
		b := a + tt.Time(rapid.Int64Range(0, 2e9).Draw(t, "step"))
		if sa, sb := fmt.Sprintf("%30s", a.Format(9)), fmt.Sprintf("%30s", b.Format(9)); sa > sb {
			t.Fatalf("%d < %d but %s > %s", a, b, sa, sb)
		}
	})
}

// drifting reports the years in which not every nanosecond of TT has a label.
func drifting(at tt.Time) bool {
	y, _, _, _, _, _, _ := at.Calendar()
	return y >= 1959 && y < 1972
}

// gap1960 reports the time just before 1960 that has no label.
func gap1960(at tt.Time) bool {
	y, _, _, _, _, _, _ := at.Add(2e9).Calendar()
	return y == 1960 && at.Approximate()
}

// skipped reports instants just after UTC jumped ahead, where the labels that
// were left out lead to as well.
func skipped(at tt.Time) bool {
	s := at.Format(1)
	return s == "1961-08-01T00:00:00.0Z" || s == "1968-02-01T00:00:00.0Z"
}
