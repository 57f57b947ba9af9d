//go:build !race

package series_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// million makes a scalar series of n million records, a second apart; with a
// jitter no two steps are alike.
func million(n int, jitter bool) *series.Series {
	s := &series.Series{Name: "v", Columns: []string{"v"}, Time: make([]tt.Time, n*1e6), Values: make([]float64, n*1e6)}
	x := uint32(1)
	for i := range s.Time {
		x = x*1664525 + 1013904223
		s.Time[i] = tt.Time(i) * 1e9
		if jitter {
			s.Time[i] += tt.Time(x>>12) % 125e6
		}
		s.Values[i] = float64(x >> 8)
		if x>>24 == 0 {
			s.Values[i] = nan
		}
	}
	return s
}

// Two series of five million records each are put on one grid and joined. What
// that takes besides them, freed or not, is at most twice their size, so that
// all of it fits in three times the memory of the data.
func TestTenMillionRecordsResampleAndJoinInThreeTimesTheirMemory(t *testing.T) {
	for _, m := range []series.Method{series.Mean, series.Median, series.Linear, series.Nearest, series.Exact} {
		for _, jitter := range []bool{false, true} {
			if jitter && m != series.Mean && m != series.Exact {
				continue
			}
			a, b := million(5, jitter), million(5, jitter)
			for i := range b.Time {
				b.Time[i] += 3e8
			}
			data := uint64(16 * (len(a.Time) + len(b.Time)))
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			joined := resampleAndJoin(t, a, b, m)
			runtime.ReadMemStats(&after)
			used := after.TotalAlloc - before.TotalAlloc
			t.Logf("%s, jitter %v: %.2f times the data, and the data", m, jitter, float64(used)/float64(data))
			if used > 2*data {
				t.Errorf("%s, jitter %v: %d bytes for data of %d, want at most twice as many besides them", m, jitter, used, data)
			}
			runtime.KeepAlive(joined)
		}
	}
}

// resampleAndJoin puts a on a grid of two seconds and joins that with both; in
// an exact join on all their times.
func resampleAndJoin(tb testing.TB, a, b *series.Series, m series.Method) []*series.Series {
	tb.Helper()
	if m == series.Exact {
		joined, err := series.Join([]*series.Series{a, b}, &series.JoinOptions{Union: true})
		if err != nil {
			tb.Fatal(err)
		}
		return joined
	}
	grid, err := a.Resample(0, a.Time[len(a.Time)-1], 2*time.Second, &series.ResampleOptions{Method: m})
	if err != nil {
		tb.Fatal(err)
	}
	joined, err := series.Join([]*series.Series{grid, a, b}, &series.JoinOptions{Method: m})
	if err != nil {
		tb.Fatal(err)
	}
	return joined
}

func BenchmarkTenMillionRecords(b *testing.B) {
	for _, m := range []series.Method{series.Mean, series.Median, series.Linear, series.Nearest, series.Exact} {
		b.Run(string(m), func(b *testing.B) {
			x, y := million(5, false), million(5, false)
			for i := range y.Time {
				y.Time[i] += 3e8
			}
			b.SetBytes(int64(16 * (len(x.Time) + len(y.Time))))
			b.ReportAllocs()
			for b.Loop() {
				resampleAndJoin(b, x, y, m)
			}
		})
	}
}

func BenchmarkResampleMean(b *testing.B) {
	s := million(10, false)
	b.SetBytes(int64(16 * len(s.Time)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Resample(0, tt.Time(1e7*time.Second), time.Minute, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRolling(b *testing.B) {
	s := million(1, false)
	for _, m := range statistics {
		b.Run(string(m), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Rolling(10*time.Minute, &series.RollingOptions{Method: m}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
