package tt_test

import (
	"math"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// vectors are instants whose TT2000 is known from other implementations.
var vectors = []struct {
	text string
	want tt.Time
}{
	{"2000-01-01T12:00:00Z", 64184000000},
	{"2000-01-01T11:58:55.816Z", 0},
	{"2005-12-04T20:19:18.176321123Z", 186999622360321123},
	{"2015-03-17T04:00:59Z", 479836926184000000},
	{"2015-06-30T23:59:60Z", 488980867184000000},
	{"2015-07-01T00:00:00Z", 488980868184000000},
	{"2016-12-31T23:59:60.5Z", 536500868684000000},
	{"2017-01-01T00:00:00Z", 536500869184000000},
	{"2020-01-04T00:00:30Z", 631368099184000000},
	{"2024-05-11T02:14:00Z", 768665709184000000},
	{"1972-01-01T00:00:00Z", -883655957816000000},
}

func TestKnownInstants(t *testing.T) {
	t.Parallel()
	for _, v := range vectors {
		got, err := tt.Parse(v.text)
		if err != nil || got != v.want {
			t.Errorf("Parse(%q) = %d, %v, want %d", v.text, got, err, v.want)
		}
		if s := v.want.String(); s != v.text {
			t.Errorf("String of %d = %q, want %q", v.want, s, v.text)
		}
	}
}

func TestTheEndsOfTheRange(t *testing.T) {
	t.Parallel()
	if got, want := tt.Min.String(), "1707-09-22T12:12:10.961224193Z"; got != want {
		t.Errorf("Min = %s, want %s", got, want)
	}
	if got, want := tt.Max.String(), "2292-04-11T11:46:07.670775807Z"; got != want {
		t.Errorf("Max = %s, want %s", got, want)
	}
	for _, end := range []tt.Time{tt.Min, tt.Max} {
		if got, err := tt.Parse(end.String()); err != nil || got != end {
			t.Errorf("Parse(%s) = %d, %v, want %d", end, got, err, end)
		}
	}
}

func TestFillIsNoInstant(t *testing.T) {
	t.Parallel()
	if got := tt.Fill.String(); got != "fill" {
		t.Errorf("String = %q, want fill", got)
	}
	if got := tt.Fill.Format(3); got != "fill" {
		t.Errorf("Format = %q, want fill", got)
	}
	if !tt.Fill.IsFill() || tt.Min.IsFill() {
		t.Error("IsFill must hold for Fill alone")
	}
	if !tt.Fill.UTC().IsZero() {
		t.Errorf("UTC = %v, want the zero time", tt.Fill.UTC())
	}
	if got := tt.Fill.UnixNanoUTC(); got != math.MinInt64 {
		t.Errorf("UnixNanoUTC = %d, want the lowest int64", got)
	}
	if got := tt.Fill.Add(time.Hour); got != tt.Fill {
		t.Errorf("Add = %v, want Fill", got)
	}
	if tt.Fill.Approximate() {
		t.Error("Fill must not be approximate")
	}
}

func TestArithmeticStopsAtTheEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at   tt.Time
		d    time.Duration
		want tt.Time
	}{
		{0, time.Second, 1e9},
		{tt.Max - 1, time.Second, tt.Max},
		{tt.Min + 1, -time.Second, tt.Min},
		{-1, math.MinInt64, tt.Min},
		{0, math.MinInt64, tt.Min},
		{1, math.MaxInt64, tt.Max},
	} {
		if got := c.at.Add(c.d); got != c.want {
			t.Errorf("%d + %d = %d, want %d", c.at, c.d, got, c.want)
		}
	}
	if got := tt.Max.Sub(tt.Min); got != math.MaxInt64 {
		t.Errorf("Max - Min = %d, want the longest duration", got)
	}
	if got := tt.Min.Sub(tt.Max); got != math.MinInt64 {
		t.Errorf("Min - Max = %d, want the longest duration backwards", got)
	}
}

func TestADifferenceCountsLeapSeconds(t *testing.T) {
	t.Parallel()
	a, b := parse(t, "2016-12-31T00:00:00Z"), parse(t, "2017-01-01T00:00:00Z")
	if got, want := b.Sub(a), 24*time.Hour+time.Second; got != want {
		t.Errorf("the last day of 2016 lasted %v, want %v", got, want)
	}
	if got := a.Add(24 * time.Hour).String(); got != "2016-12-31T23:59:60Z" {
		t.Errorf("24 h into it = %s, want 23:59:60", got)
	}
}

func parse(tb testing.TB, s string) tt.Time {
	tb.Helper()
	at, err := tt.Parse(s)
	if err != nil {
		tb.Fatal(err)
	}
	return at
}
