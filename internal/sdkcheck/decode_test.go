package sdkcheck

import (
	"runtime"
	"testing"
	"time"
)

// BenchmarkDecode has both clients decode a stream of 10 MB, in turns. We put the
// message together; of the official client only the events count, as what its user
// does with them is not its fault.
//
//	go test -run '^$' -bench Decode -benchtime 5x -timeout 30m
func BenchmarkDecode(b *testing.B) {
	for _, wire := range Wires() {
		b.Run(wire.Name, func(b *testing.B) {
			body := BigStream(wire.Name, 10<<20)
			var ours, theirs spent
			for b.Loop() {
				mine, other := decodeBoth(b, wire, body)
				ours.add(mine)
				theirs.add(other)
			}
			megabytes := float64(len(body)) / 1e6 * float64(b.N)
			b.ReportMetric(0, "ns/op") // of both together it says nothing
			b.ReportMetric(megabytes/ours.time.Seconds(), "ours-MB/s")
			b.ReportMetric(megabytes/theirs.time.Seconds(), "theirs-MB/s")
			b.ReportMetric(theirs.time.Seconds()/ours.time.Seconds(), "x-faster")
			b.ReportMetric(float64(ours.allocations)/float64(b.N), "ours-allocs")
			b.ReportMetric(float64(theirs.allocations)/float64(b.N), "theirs-allocs")
			b.ReportMetric(float64(theirs.allocations)/float64(ours.allocations), "x-fewer-allocs")
		})
	}
}

// TestDecodingAllocatesLess holds us to a third of the allocations that the events
// of the official client take, although we put the message together from them. The
// text is the same.
//
//nolint:paralleltest // who else allocates would be counted
func TestDecodingAllocatesLess(t *testing.T) {
	for _, wire := range Wires() {
		t.Run(wire.Name, func(t *testing.T) {
			body := BigStream(wire.Name, 1<<20)
			at := Recorded(body)
			if got, want := wire.Decode(t.Context(), at), wire.Stream(t.Context(), at); got.text() != want.text() {
				t.Errorf("the text has %d bytes, want %d (%v, %v)", len(got.text()), len(want.text()), got.Err, want.Err)
			}
			ours, theirs := decodeBoth(t, wire, body)
			t.Logf("%d allocations, theirs %d", ours.allocations, theirs.allocations)
			if ours.allocations*3 > theirs.allocations {
				t.Errorf("%d allocations, want at most a third of %d", ours.allocations, theirs.allocations)
			}
		})
	}
}

// spent is what work took.
type spent struct {
	time        time.Duration
	allocations uint64
}

func (s *spent) add(more spent) {
	s.time += more.time
	s.allocations += more.allocations
}

func decodeBoth(t testing.TB, wire *Wire, body []byte) (ours, theirs spent) {
	t.Helper()
	at, params := Recorded(body), wire.Exchanges()[0].Theirs
	ours = measure(t, func() error { return wire.Decode(t.Context(), at).Err })
	theirs = measure(t, func() error { return wire.Send(t.Context(), at, params) })
	return ours, theirs
}

func measure(t testing.TB, work func() error) spent {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	if err := work(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return spent{time: took, allocations: after.Mallocs - before.Mallocs}
}
