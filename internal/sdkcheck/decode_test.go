package sdkcheck

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// BenchmarkDecode decodes a stream of 10 MB with both clients.
func BenchmarkDecode(b *testing.B) {
	for _, wire := range Wires() {
		body := BigStream(wire.Name, 10<<20)
		for _, client := range []struct {
			name   string
			decode func(context.Context, Place) *Answer
		}{{"ours", wire.Decode}, {"theirs", wire.Stream}} {
			b.Run(wire.Name+"/"+client.name, func(b *testing.B) {
				at := Recorded(body)
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					if answer := client.decode(b.Context(), at); answer.Err != nil {
						b.Fatal(answer.Err)
					}
				}
			})
		}
	}
}

// TestDecodingIsLighter holds what a stream of 10 MB takes: at least twice the
// throughput of the official client and at most a third of its allocations, although
// we put the message together and it only gives the events. The message is the same.
func TestDecodingIsLighter(t *testing.T) {
	for _, wire := range Wires() {
		t.Run(wire.Name, func(t *testing.T) {
			body := BigStream(wire.Name, 10<<20)
			at := Recorded(body)
			ours, theirs := wire.Decode(t.Context(), at), wire.Stream(t.Context(), at)
			if ours.Err != nil || theirs.Err != nil {
				t.Fatalf("ours %v, theirs %v", ours.Err, theirs.Err)
			}
			if got, want := ours.text(), theirs.text(); got != want {
				t.Errorf("the text has %d bytes, want %d", len(got), len(want))
			}
			params := wire.Exchanges()[0].Theirs
			var mine, other, bare spent
			for range 5 { // in turns, and the best of each, so that nobody else's work decides
				mine.best(measure(func() { wire.Decode(t.Context(), at) }))
				other.best(measure(func() { wire.Stream(t.Context(), at) }))
				bare.best(measure(func() { _ = wire.Send(t.Context(), at, params) }))
			}
			megabytes := float64(len(body)) / 1e6
			t.Logf("ours %.0f MB/s, %d allocations; theirs %.0f MB/s, %d (their events alone %.0f MB/s, %d)",
				megabytes/mine.time.Seconds(), mine.allocations, megabytes/other.time.Seconds(), other.allocations, megabytes/bare.time.Seconds(), bare.allocations)
			// What its user has to do with the events is not the client's fault.
			faster := bare.time.Seconds() / mine.time.Seconds()
			fewer := float64(bare.allocations) / float64(mine.allocations)
			t.Logf("beside their events alone: %.1f times the throughput, 1/%.0f of the allocations", faster, fewer)
			if faster < 2 {
				t.Errorf("%.2f times the throughput, want at least 2", faster)
			}
			if fewer < 3 {
				t.Errorf("1/%.2f of the allocations, want at most a third", fewer)
			}
		})
	}
}

type spent struct {
	time        time.Duration
	allocations uint64
}

func (s *spent) best(next spent) {
	if s.time == 0 || next.time < s.time {
		s.time = next.time
	}
	if s.allocations == 0 || next.allocations < s.allocations {
		s.allocations = next.allocations
	}
}

func measure(work func()) spent {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	work()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return spent{time: took, allocations: after.Mallocs - before.Mallocs}
}
