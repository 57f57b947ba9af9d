package archive

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

func instant(tb testing.TB, text string) tt.Time {
	tb.Helper()
	at, err := tt.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	return at
}

func TestPiecesCoverTheWindowOnceOnOneGrid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		start := tt.Time(rapid.Int64Range(-9e17, 9e17).Draw(t, "start"))
		step := time.Duration(rapid.SampledFrom([]int{1, 2, 24, 7 * 24, 10 * 24}).Draw(t, "hours")) * time.Hour
		stop := start + tt.Time(rapid.Int64Range(1, int64(40*step)).Draw(t, "length"))
		job := chunkJob{start: start, stop: stop, step: step, limit: tt.Fill}
		pieces, err := job.chunks()
		if err != nil {
			t.Fatal(err)
		}
		if pieces[0].start > start || pieces[len(pieces)-1].stop < stop {
			t.Fatalf("%v to %v is not covered by %v", start, stop, pieces)
		}
		for i, p := range pieces {
			if p.stop <= p.start || i > 0 && p.start != pieces[i-1].stop {
				t.Fatalf("piece %d of %v does not follow", i, pieces)
			}
			if step%(24*time.Hour) == 0 && p.start.UTC().Truncate(24*time.Hour) != p.start.UTC() {
				t.Fatalf("piece %v does not begin at midnight", p)
			}
		}
		// A window inside takes the same pieces.
		inner := chunkJob{start: start + (stop-start)/3, stop: stop, step: step, limit: tt.Fill}
		some, err := inner.chunks()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(some, pieces[len(pieces)-len(some):]) {
			t.Fatalf("%v are not the last of %v", some, pieces)
		}
	})
}

func TestPiecesEndWhereTheDataEnd(t *testing.T) {
	t.Parallel()
	job := chunkJob{start: instant(t, "2016-12-31T12"), stop: tt.Max, step: 24 * time.Hour, limit: instant(t, "2017-01-01T06")}
	if _, err := job.chunks(); err != nil {
		t.Fatal(err)
	}
	job.stop = instant(t, "2018")
	pieces, err := job.chunks()
	want := []chunk{{instant(t, "2016-12-31"), instant(t, "2017-01-01")}, {instant(t, "2017-01-01"), instant(t, "2017-01-01T06:00:00.000000001")}}
	if err != nil || !slices.Equal(pieces, want) {
		t.Errorf("%v, %v; want %v", pieces, err, want)
	}
	job.step = time.Millisecond
	if _, err := job.chunks(); err == nil || !strings.Contains(err.Error(), "shorter") {
		t.Errorf("a window of too many pieces: %v", err)
	}
}

// A source is an archive that has a record a minute and notes what it was asked.
type source struct {
	*remote
	mu    sync.Mutex
	asked []chunk
	fail  func(chunk) error
}

func newSource(t *testing.T, opts *Options) *source {
	t.Helper()
	if opts.Cache == nil {
		c, err := cache.Open(filepath.Join(t.TempDir(), "cache"), nil)
		if err != nil {
			t.Fatal(err)
		}
		opts.Cache = c
	}
	return &source{remote: newRemote("test", "http://archive.example/x", opts)}
}

func (s *source) get(_ context.Context, start, stop tt.Time) (*series.Series, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, chunk{start, stop})
	if s.fail != nil {
		if err := s.fail(chunk{start, stop}); err != nil {
			return nil, err
		}
	}
	out := &series.Series{Name: "B", Units: "nT", Columns: []string{"x", "y"}, Dims: []int{2}, Meta: series.Meta{Fill: []float64{math.Inf(-1)}}}
	for at := gridBefore(start, time.Minute); at < stop; at = gridAfter(at, time.Minute) {
		if at >= start {
			out.Time = append(out.Time, at)
			out.Values = append(out.Values, float64(at), math.NaN())
		}
	}
	return out, nil
}

func (s *source) job(t *testing.T, start, stop string) chunkJob {
	return chunkJob{
		id: "test/d/B", dataset: "d", parameter: "B", start: instant(t, start), stop: instant(t, stop),
		step: time.Hour, limit: tt.Fill, modified: "m1", get: s.get,
	}
}

func (s *source) fetch(t *testing.T, j chunkJob) *series.Series {
	t.Helper()
	got, err := s.fetchChunks(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAWindowIsWholeAndNothingIsFetchedTwice(t *testing.T) {
	t.Parallel()
	s := newSource(t, &Options{})
	got := s.fetch(t, s.job(t, "2023-01-02T00:30", "2023-01-02T03:10"))
	if got.Len() != 160 || got.Time[0] != instant(t, "2023-01-02T00:30") || got.ID != "test/d/B" || len(s.asked) != 4 {
		t.Fatalf("%d records from %v after %d requests", got.Len(), got.Time[0], len(s.asked))
	}
	again := s.fetch(t, s.job(t, "2023-01-02T01:00", "2023-01-02T04:30"))
	if again.Len() != 210 || len(s.asked) != 5 {
		t.Errorf("%d records; %d requests in all, want one more", again.Len(), len(s.asked))
	}
	changed := s.job(t, "2023-01-02T00:30", "2023-01-02T03:10")
	changed.modified = "m2"
	if s.fetch(t, changed); len(s.asked) != 9 {
		t.Errorf("%d requests in all, want all four pieces anew after the data have changed", len(s.asked))
	}
	if s.fetch(t, s.job(t, "2023-01-02T00:30", "2023-01-02T00:30:30")).Len() != 1 {
		t.Error("one record of a piece")
	}
}

func TestWhatWasThereWhenItFailedStays(t *testing.T) {
	t.Parallel()
	s := newSource(t, &Options{Parallel: 1})
	down := errors.New("the server is down")
	s.fail = func(c chunk) error {
		if c.start == instant(t, "2023-01-02T03") {
			return down
		}
		return nil
	}
	job := s.job(t, "2023-01-02", "2023-01-02T06")
	if _, err := s.fetchChunks(t.Context(), job); !errors.Is(err, down) {
		t.Fatalf("%v, want that the server is down", err)
	}
	before := len(s.asked)
	s.fail = nil
	got := s.fetch(t, job)
	whole := newSource(t, &Options{})
	if want := whole.fetch(t, whole.job(t, "2023-01-02", "2023-01-02T06")); !same(got, want) {
		t.Error("not what an undisturbed fetch gives")
	}
	if n := len(s.asked) - before; n != 3 {
		t.Errorf("%d requests after the failure, want the three that were missing", n)
	}
}

// same compares with NaN equal to itself.
func same(a, b *series.Series) bool { return fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b) }

func TestOfflineTakesWhatIsKept(t *testing.T) {
	t.Parallel()
	s := newSource(t, &Options{})
	want := s.fetch(t, s.job(t, "2023-01-02", "2023-01-02T02"))
	off := newSource(t, &Options{Offline: true, Cache: s.opts.Cache})
	job := off.job(t, "2023-01-02", "2023-01-02T02")
	job.modified = "newer"
	if got := off.fetch(t, job); !same(got, want) || len(off.asked) != 0 {
		t.Errorf("differs, after %d requests", len(off.asked))
	}
	if _, err := off.fetchChunks(t.Context(), off.job(t, "2023-01-02", "2023-01-02T03")); !errors.Is(err, errOffline) || !strings.Contains(err.Error(), "2023-01-02T02:00:00Z") {
		t.Errorf("%v, want what is missing", err)
	}
}

func TestWithoutADateAPieceIsBelievedForAWhile(t *testing.T) {
	t.Parallel()
	now := time.Date(2023, 1, 2, 5, 30, 0, 0, time.UTC)
	s := newSource(t, &Options{Now: func() time.Time { return now }})
	job := s.job(t, "2023-01-02T04", "2023-01-02T06")
	job.modified = ""
	for _, step := range []struct {
		later time.Duration
		want  int
	}{{0, 2}, {time.Minute, 3}, {23 * time.Hour, 4}, {time.Hour, 5}, {time.Hour, 5}} {
		// The piece from 5 to 6 o'clock was not over when it was first fetched.
		now = now.Add(step.later)
		if s.fetch(t, job); len(s.asked) != step.want {
			t.Errorf("at %v: %d requests, want %d", now, len(s.asked), step.want)
		}
	}
}

func TestNoRecordIsNoSeries(t *testing.T) {
	t.Parallel()
	s := newSource(t, &Options{})
	job := s.job(t, "2023-01-02", "2023-01-02T03")
	calls := 0
	job.get = func(context.Context, tt.Time, tt.Time) (*series.Series, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		calls++
		return nil, nil
	}
	for range 2 {
		if got := s.fetch(t, job); got != nil {
			t.Errorf("got %v", got)
		}
	}
	if calls != 3 {
		t.Errorf("%d requests, want that an empty piece is kept too", calls)
	}
}

func TestProgressIsTold(t *testing.T) {
	t.Parallel()
	s := newSource(t, &Options{})
	s.fetch(t, s.job(t, "2023-01-02", "2023-01-02T01"))
	var told []Progress
	ctx := WithProgress(t.Context(), func(p Progress) { told = append(told, p) })
	if _, err := s.fetchChunks(ctx, s.job(t, "2023-01-02", "2023-01-02T04")); err != nil {
		t.Fatal(err)
	}
	last := told[len(told)-1]
	if len(told) != 5 || told[0].Done != 0 || last.Done != 4 || last.Total != 4 || last.Cached != 1 || last.Records != 240 || last.ID != "test/d/B" {
		t.Errorf("told %+v", told)
	}
}

func TestTheEndOfTheContextEndsAFetch(t *testing.T) {
	t.Parallel()
	s := newSource(t, &Options{Parallel: 1})
	ctx, cancel := context.WithCancel(t.Context())
	s.fail = func(chunk) error { cancel(); return nil }
	if _, err := s.fetchChunks(ctx, s.job(t, "2023-01-02", "2023-01-03")); !errors.Is(err, context.Canceled) || len(s.asked) > 2 {
		t.Errorf("%v after %d requests", err, len(s.asked))
	}
}

func TestASeriesSurvivesTheCache(t *testing.T) {
	t.Parallel()
	want := &series.Series{
		ID: "a/b/c", Name: "c", Units: "cm⁻³", Time: []tt.Time{1, tt.Max}, Columns: []string{"e1", "e2"}, Dims: []int{2},
		Values: []float64{1, math.NaN(), math.Inf(1), 0},
		Axes:   []series.Axis{{Name: "energy", Units: "keV", Centers: []float64{1, math.NaN(), 3, 4}, Varying: true}},
		Meta:   series.Meta{DOI: "10.1/x", Fill: []float64{math.NaN()}, Synthetic: true, TimeStampLocation: "center"},
	}
	data, err := encodeSeries(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeSeries(data)
	if err != nil || !same(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for n := range data[:len(data)-1] {
		if s, err := decodeSeries(data[:n]); err == nil && !(n == 1 && s == nil) {
			t.Errorf("cut at %d: no error", n)
		}
	}
}

func FuzzDecodeSeries(f *testing.F) {
	data, err := encodeSeries(&series.Series{Name: "x", Time: []tt.Time{1, 2}, Values: []float64{1, 2}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte{seriesVersion})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := decodeSeries(data)
		if err == nil && s != nil && len(s.Values) != s.Len()*s.Width() {
			t.Errorf("%d values for %d records of %d", len(s.Values), s.Len(), s.Width())
		}
	})
}
