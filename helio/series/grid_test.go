package series_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

func TestGridKeepsItsLabelsAcrossALeapSecond(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		start, stop string
		step        time.Duration
		want        string
	}{
		{"2016-12-31T22", "2017-01-01T02", time.Hour, "22:00:00 23:00:00 00:00:00 01:00:00"},
		{"2016-12-31T23:58:07", "2017-01-01T00:02", time.Minute, "23:58:07 23:59:07 00:00:07 00:01:07"},
		{"2016-12-31T23:59:58", "2017-01-01T00:00:02", time.Second, "23:59:58 23:59:59 23:59:60 00:00:00 00:00:01"},
		{"2016-12-31T23:59:59", "2017-01-01", time.Second, "23:59:59 23:59:60"},
		{"2016-12-31T23:59:59", "2017-01-01T00:00:01", 500 * time.Millisecond, "23:59:59 23:59:59.5 23:59:60 23:59:60.5 00:00:00 00:00:00.5"},
		{"2016-12-31T23:59:60", "2017-01-01T00:00:02", time.Second, "23:59:60 00:00:00 00:00:01"},
		{"2016-12-30", "2017-01-04", 48 * time.Hour, "00:00:00 00:00:00 00:00:00"},
		{"2023-01-02", "2023-01-02T00:00:01", 7 * time.Hour, "00:00:00"},
		{"2023-01-02T20", "2023-01-03T11", 7 * time.Hour, "20:00:00 03:00:00 10:00:00"},
		{"1965-01-01", "1965-01-01T03", time.Hour, "00:00:00 01:00:00 02:00:00"},
		{"1968-01-31T23:59:59", "1968-02-01T00:00:01", 500 * time.Millisecond, "23:59:59 23:59:59.5 00:00:00 00:00:00.5"},
		{"1710-01-01", "1710-01-01T02", time.Hour, "00:00:00 01:00:00"},
		{"2291-01-01", "2291-01-01T02", time.Hour, "00:00:00 01:00:00"},
		{"2023-01-02", "2023-01-02", time.Hour, ""},
		{"2023-01-03", "2023-01-02", time.Hour, ""},
	} {
		got, err := series.Grid(at(t, c.start), at(t, c.stop), c.step)
		if err != nil {
			t.Errorf("%s: %v", c.start, err)
			continue
		}
		var texts []string
		for _, instant := range got {
			_, ofDay, _ := strings.Cut(strings.TrimSuffix(instant.String(), "Z"), "T")
			texts = append(texts, ofDay)
		}
		if text := strings.Join(texts, " "); text != c.want {
			t.Errorf("from %s every %v: got %s, want %s", c.start, c.step, text, c.want)
		}
	}
}

func TestGridRefusesWhatLeadsNowhere(t *testing.T) {
	t.Parallel()
	for want, call := range map[string]func() ([]tt.Time, error){
		"above 0":   func() ([]tt.Time, error) { return series.Grid(0, 10, 0) },
		"give both": func() ([]tt.Time, error) { return series.Grid(tt.Fill, 10, 1) },
		"makes 18446744073709551613 instants, more than 134217728": func() ([]tt.Time, error) { return series.Grid(tt.Min, tt.Max-1, 1) },
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if got, err := series.Grid(tt.Max-5, tt.Max, 2); err != nil || !slices.Equal(got, []tt.Time{tt.Max - 5, tt.Max - 3, tt.Max - 1}) {
		t.Errorf("at the end of time: got %v, %v", got, err)
	}
}

func TestGridIsInOrderWithinItsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		start := tt.Time(rapid.Int64Range(int64(tt.Min), int64(tt.Max)).Draw(r, "start"))
		if rapid.Bool().Draw(r, "at the leap second") {
			start = 536500868184000000 + tt.Time(rapid.Int64Range(-3e9, 3e9).Draw(r, "beside"))
		}
		step := rapid.SampledFrom([]time.Duration{1e6, 7e6, 1e9, 16e9, 60e9, 92e9, time.Hour, 24 * time.Hour, 27 * 24 * time.Hour, 1}).Draw(r, "step")
		stop := start.Add(time.Duration(rapid.Int64Range(0, 2000*int64(step)).Draw(r, "length")))
		got, err := series.Grid(start, stop, step)
		if err != nil {
			r.Fatal(err)
		}
		if len(got) > 0 && got[0] != start || len(got) == 0 && stop > start {
			r.Fatalf("does not begin at %v: %v", start, got)
		}
		for i, instant := range append(slices.Clone(got), stop)[1:] {
			d := instant - got[i]
			if d <= 0 || instant > stop {
				r.Fatalf("instant %d is %v after %v, up to %v", i+1, instant, got[i], stop)
			}
			if i+1 < len(got) && got[i].String() > "1972" && (d < tt.Time(step) || d >= tt.Time(2*step) && d > tt.Time(step)+1e9) {
				r.Fatalf("a step of %v", d)
			}
		}
	})
}
