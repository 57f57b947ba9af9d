package files

import (
	"fmt"
	"sync"
	"testing"
)

func TestTheTrackerForgetsWhatWasUsedLeast(t *testing.T) {
	t.Parallel()
	tr := newTracker()
	f := fingerprintOf([]byte("x"))
	for i := range maxTracked + 10 {
		tr.saw("s", fmt.Sprint(i), f)
		if _, ok := tr.last("s", "0"); !ok {
			t.Fatalf("a file that is asked for is forgotten after %d", i)
		}
	}
	if _, ok := tr.last("s", "1"); ok {
		t.Error("a file beyond the bound is remembered")
	}
	for i := range maxSessions {
		tr.saw(fmt.Sprint("other", i), "a", f)
	}
	if _, ok := tr.last("s", "0"); ok {
		t.Error("a session beyond the bound is remembered")
	}
	if n := len(tr.sessions.byKey); n != maxSessions || tr.sessions.order.Len() != n {
		t.Errorf("got %d sessions, want %d", n, maxSessions)
	}
}

func TestTheTrackerIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	tr := newTracker()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				path := fmt.Sprint(i % 50)
				tr.saw(fmt.Sprint(g%3), path, fingerprintOf([]byte{byte(i)}))
				tr.last(fmt.Sprint(i%3), path)
			}
		})
	}
	wg.Wait()
	if _, ok := tr.last("0", "49"); !ok {
		t.Error("what was seen is forgotten")
	}
}
