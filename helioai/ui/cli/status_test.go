package cli

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// screen collects what is written to it.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// take returns what was written since it was last asked.
func (s *screen) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.b.String()
	s.b.Reset()
	return text
}

func columns(n int) func() int { return func() int { return n } }

func TestTheStatusLineShowsWhatRunsAndForHowLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &screen{}
		l := startLive(out, columns(80))
		l.show("run_python", time.Now())
		if got := out.take(); !strings.Contains(got, "run_python 0.0 s") {
			t.Errorf("at once: %q", got)
		}
		time.Sleep(1500 * time.Millisecond) // the bubble's clock
		synctest.Wait()
		if got := out.take(); !strings.HasSuffix(strings.ReplaceAll(got, clearToEnd, ""), "\r  run_python 1.5 s") {
			t.Errorf("after 1.5 s: %q", got)
		}
		l.progress("drew fig_0_1.png")
		if got := out.take(); !strings.Contains(got, "run_python 1.5 s  drew fig_0_1.png") {
			t.Errorf("with progress: %q", got)
		}
		l.line("← done")
		above, below, ok := strings.Cut(out.take(), "← done\n")
		if !ok || above != "\r"+clearToEnd || !strings.Contains(below, "run_python") {
			t.Errorf("a line does not stand above the status: %q, then %q", above, below)
		}
		l.close()
		if got := out.take(); got != "\r"+clearToEnd {
			t.Errorf("at the end: %q, want the status erased", got)
		}
		time.Sleep(time.Second)
		if got := out.take(); got != "" {
			t.Errorf("after the end: %q", got)
		}
	})
}

func TestTheStatusFitsOnOneLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, detail := range []string{strings.Repeat("x", 200), strings.Repeat("磁", 200)} {
			out := &screen{}
			l := startLive(out, columns(40))
			l.show("run_python", time.Now())
			l.progress(detail)
			l.close()
			for drawn := range strings.SplitSeq(strings.ReplaceAll(out.take(), clearToEnd, ""), "\r") {
				if w := displayWidth(drawn); w > 39 {
					t.Errorf("the status takes %d of 40 columns: %q", w, drawn)
				}
			}
		}
	})
}

func TestALogGetsLinesOnly(t *testing.T) {
	t.Parallel()
	out := &screen{}
	l := newLive(out)
	l.show("run_python", time.Now())
	l.progress("half")
	l.line("← done")
	l.close()
	if got := out.take(); got != "← done\n" {
		t.Errorf("got %q, want the line alone", got)
	}
}
