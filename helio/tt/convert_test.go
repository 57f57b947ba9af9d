package tt_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/helio/tt"
)

func TestEpoch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ms   float64
		want string
	}{
		{63113904000000, "2000-01-01T00:00:00Z"},
		{62167219200000, "1970-01-01T00:00:00Z"},
		{63593784059000, "2015-03-17T04:00:59Z"},
		{63593784059000.5, "2015-03-17T04:00:59.0005Z"},
	} {
		at, err := tt.FromEpoch(c.ms)
		if err != nil || at.String() != c.want {
			t.Errorf("FromEpoch(%v) = %s, %v, want %s", c.ms, at, err, c.want)
		}
		if got := at.Epoch(); got != c.ms {
			t.Errorf("Epoch of %s = %v, want %v", at, got, c.ms)
		}
	}
}

func TestEpoch16(t *testing.T) {
	t.Parallel()
	at, err := tt.FromEpoch16([2]float64{63300946758, 176214648000})
	if want := "2005-12-04T20:19:18.176214648Z"; err != nil || at.String() != want {
		t.Errorf("got %s, %v, want %s", at, err, want)
	}
	if got := at.Epoch16(); got != [2]float64{63300946758, 176214648000} {
		t.Errorf("Epoch16 = %v", got)
	}
	if _, err := tt.FromEpoch16([2]float64{63300946758, 1e12}); err == nil {
		t.Error("10^12 picoseconds are no fraction of a second")
	}
	if _, err := tt.FromEpoch16([2]float64{63300946758, -1}); err == nil {
		t.Error("negative picoseconds are no fraction of a second")
	}
	if at, err := tt.FromEpoch16([2]float64{63300946758.5, 0}); err != nil || at.String() != "2005-12-04T20:19:18.5Z" {
		t.Errorf("half a second in the first number: %s, %v", at, err)
	}
}

func TestMissingEpochsAreFill(t *testing.T) {
	t.Parallel()
	float32Fill := float64(float32(-1e31))
	for _, ms := range []float64{-1e31, float32Fill, 0, 315569519999999, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if at, err := tt.FromEpoch(ms); at != tt.Fill || err != nil {
			t.Errorf("FromEpoch(%v) = %v, %v, want Fill", ms, at, err)
		}
	}
	for _, e := range [][2]float64{{-1e31, -1e31}, {0, 0}, {315569519999, 999999999999}, {math.NaN(), 0}, {0, math.NaN()}} {
		if at, err := tt.FromEpoch16(e); at != tt.Fill || err != nil {
			t.Errorf("FromEpoch16(%v) = %v, %v, want Fill", e, at, err)
		}
	}
	if got := tt.Fill.Epoch(); got != -1e31 {
		t.Errorf("Epoch of Fill = %v", got)
	}
	if got := tt.Fill.Epoch16(); got != [2]float64{-1e31, -1e31} {
		t.Errorf("Epoch16 of Fill = %v", got)
	}
}

func TestEpochsOutsideTheRangeAreErrors(t *testing.T) {
	t.Parallel()
	for _, ms := range []float64{1, -1, -1e25, 5e13, 80e12, 1e14} {
		if at, err := tt.FromEpoch(ms); !errors.Is(err, tt.ErrRange) || at != tt.Fill {
			t.Errorf("FromEpoch(%v) = %v, %v, want ErrRange", ms, at, err)
		}
		if at, err := tt.FromEpoch16([2]float64{ms / 1000, 0}); !errors.Is(err, tt.ErrRange) || at != tt.Fill {
			t.Errorf("FromEpoch16(%v s) = %v, %v, want ErrRange", ms/1000, at, err)
		}
	}
	if _, err := tt.FromUnixNano(math.MinInt64 + 1); !errors.Is(err, tt.ErrRange) {
		t.Errorf("FromUnixNano of 1677: %v, want ErrRange", err)
	}
	if _, err := tt.FromTime(time.Time{}); !errors.Is(err, tt.ErrRange) {
		t.Errorf("FromTime of the zero time: %v, want ErrRange", err)
	}
	if _, err := tt.FromTime(time.Unix(math.MaxInt64/2, 0)); !errors.Is(err, tt.ErrRange) {
		t.Errorf("FromTime of the far future: %v, want ErrRange", err)
	}
	if _, err := tt.FromCalendar(math.MaxInt, 1, 1, 0, 0, 0, 0); !errors.Is(err, tt.ErrRange) {
		t.Errorf("FromCalendar of an impossible year: %v, want ErrRange", err)
	}
}

func TestLeapSecondIsHeldWhereItCannotBeSaid(t *testing.T) {
	t.Parallel()
	at := parse(t, "2016-12-31T23:59:60.25Z")
	if got, want := at.UTC().Format(time.RFC3339Nano), "2016-12-31T23:59:59.999999999Z"; got != want {
		t.Errorf("UTC = %s, want %s", got, want)
	}
	midnight := parse(t, "2017-01-01T00:00:00Z")
	if got, want := at.UnixNanoUTC(), midnight.UnixNanoUTC()-1; got != want {
		t.Errorf("UnixNanoUTC = %d, want %d", got, want)
	}
	if got, want := at.Epoch(), midnight.Epoch()-1; got != want {
		t.Errorf("Epoch = %v, want %v", got, want)
	}
	if got, want := at.Epoch16(), [2]float64{midnight.Epoch()/1000 - 1, 999999999000}; got != want {
		t.Errorf("Epoch16 = %v, want %v", got, want)
	}
}

func TestUnixNanoCannotSayLateTimes(t *testing.T) {
	t.Parallel()
	last, err := tt.FromUnixNano(math.MaxInt64)
	if err != nil || last.UnixNanoUTC() != math.MaxInt64 {
		t.Errorf("the last nanosecond is %s and back %d, %v", last, last.UnixNanoUTC(), err)
	}
	if got := (last + 1).UnixNanoUTC(); got != math.MinInt64 {
		t.Errorf("one later = %d, want NaT", got)
	}
	if got := tt.Max.UnixNanoUTC(); got != math.MinInt64 {
		t.Errorf("Max = %d, want NaT", got)
	}
	if at, err := tt.FromUnixNano(math.MinInt64); at != tt.Fill || err != nil {
		t.Errorf("NaT = %v, %v, want Fill", at, err)
	}
}

func TestConversionsComeBack(t *testing.T) {
	t.Parallel()
	since1972 := rapid.Int64Range(-883655957816000000, int64(tt.Max)-1e6) // EPOCH may round up
	rapid.Check(t, func(t *rapid.T) {
		at := tt.Time(since1972.Draw(t, "tt2000"))
		if _, _, _, _, _, s, _ := at.Calendar(); s == 60 {
			return
		}
		if back, err := tt.FromTime(at.UTC()); back != at || err != nil {
			t.Fatalf("time.Time: %d, %v, want %d", back, err, at)
		}
		if back, err := tt.FromEpoch16(at.Epoch16()); back != at || err != nil {
			t.Fatalf("EPOCH16: %d, %v, want %d", back, err, at)
		}
		back, err := tt.FromEpoch(at.Epoch())
		if d := back.Sub(at).Abs(); d > 8*time.Microsecond || err != nil {
			t.Fatalf("EPOCH: off by %v, %v", d, err)
		}
		if ns := at.UnixNanoUTC(); ns != math.MinInt64 {
			if back, err := tt.FromUnixNano(ns); back != at || err != nil {
				t.Fatalf("Unix: %d, %v, want %d", back, err, at)
			}
		}
		y, mo, d, h, mi, s, ns := at.Calendar()
		if back, err := tt.FromCalendar(y, mo, d, h, mi, s, ns); back != at || err != nil {
			t.Fatalf("calendar: %d, %v, want %d", back, err, at)
		}
	})
}

func TestWholeMillisecondEpochsComeBackExactly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ms := float64(rapid.Int64Range(62230377600000, 72000000000000).Draw(t, "ms"))
		at, err := tt.FromEpoch(ms)
		if back := at.Epoch(); back != ms || err != nil {
			t.Fatalf("%v is %s, which is %v (%v)", ms, at, back, err)
		}
	})
}

// TestCalendarAgreesWithTheStandardLibrary compares every day of the range.
func TestCalendarAgreesWithTheStandardLibrary(t *testing.T) {
	t.Parallel()
	day := time.Date(1707, 9, 23, 0, 0, 0, 0, time.UTC)
	for ; day.Year() < 2292; day = day.AddDate(0, 0, 1) {
		at, err := tt.FromCalendar(day.Year(), int(day.Month()), day.Day(), 13, 14, 15, 16)
		if err != nil {
			t.Fatal(err)
		}
		want := day.Add(13*time.Hour + 14*time.Minute + 15*time.Second + 16)
		if !at.UTC().Equal(want) {
			t.Fatalf("got %v, want %v", at.UTC(), want)
		}
		if y, n := at.DayOfYear(); y != day.Year() || n != day.YearDay() {
			t.Fatalf("%s is day %d of %d, want %d", at, n, y, day.YearDay())
		}
		if y, m, d, h, mi, s, ns := at.Calendar(); y != day.Year() || m != int(day.Month()) || d != day.Day() || h != 13 || mi != 14 || s != 15 || ns != 16 {
			t.Fatalf("Calendar of %s is wrong", at)
		}
	}
}

func TestFromCalendarRefusesWhatDoesNotExist(t *testing.T) {
	t.Parallel()
	for _, c := range [][7]int{
		{2015, 0, 1}, {2015, 13, 1}, {2015, 1, 0}, {2015, 1, 32}, {2100, 2, 29},
		{2015, 1, 1, -1}, {2015, 1, 1, 25}, {2015, 1, 1, 24, 0, 0, 1}, {2015, 1, 1, 0, 60},
		{2015, 1, 1, 0, -1}, {2015, 1, 1, 0, 0, -1}, {2015, 1, 1, 0, 0, 61},
		{2015, 1, 1, 23, 59, 60}, {2015, 1, 1, 0, 0, 0, 1e9}, {2015, 1, 1, 0, 0, 0, -1},
	} {
		if at, err := tt.FromCalendar(c[0], c[1], c[2], c[3], c[4], c[5], c[6]); err == nil || at != tt.Fill {
			t.Errorf("FromCalendar(%v) = %v, %v, want an error", c, at, err)
		}
	}
}

func TestFormatCutsAndDoesNotRound(t *testing.T) {
	t.Parallel()
	at := parse(t, "2023-01-02T03:41:59.999999999Z")
	for digits, want := range map[int]string{
		-1: "2023-01-02T03:41:59Z", 0: "2023-01-02T03:41:59Z", 3: "2023-01-02T03:41:59.999Z",
		9: "2023-01-02T03:41:59.999999999Z", 12: "2023-01-02T03:41:59.999999999Z",
	} {
		if got := at.Format(digits); got != want {
			t.Errorf("Format(%d) = %s, want %s", digits, got, want)
		}
	}
	if got := parse(t, "2023-01-02").Format(2); got != "2023-01-02T00:00:00.00Z" {
		t.Errorf("Format keeps its zeros: got %s", got)
	}
}

func TestJSONHoldsReadableTimes(t *testing.T) {
	t.Parallel()
	in := []tt.Time{parse(t, "2016-12-31T23:59:60.5Z"), tt.Fill}
	b, err := json.Marshal(in)
	if want := `["2016-12-31T23:59:60.5Z","fill"]`; err != nil || string(b) != want {
		t.Errorf("got %s, %v, want %s", b, err, want)
	}
	var out []tt.Time
	if err := json.Unmarshal(b, &out); err != nil || out[0] != in[0] || out[1] != in[1] {
		t.Errorf("back: %v, %v", out, err)
	}
	if err := json.Unmarshal([]byte(`["2016-13-01"]`), &out); !errors.Is(err, tt.ErrSyntax) {
		t.Errorf("month 13: %v, want ErrSyntax", err)
	}
	if err := json.Unmarshal([]byte(`[""]`), &out); err != nil || out[0] != tt.Fill {
		t.Errorf("nothing: %v, %v, want Fill", out, err)
	}
}
